//! The memories in main memory, with an inverted index of their words: a cache of the files.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use parking_lot::Mutex;

use super::fact::Fact;
use super::store::{FileStamp, Scope, Store};
use tools::{
    ToolError,
    meaning::{MAX_WORDS, MISSPELT_WEIGHT, SYNONYM_WEIGHT, is_misspelling, synonyms, words},
    session::FamilyState,
};

/// Saturation of repeated words (BM25).
const K1: f64 = 1.2;
/// How much the length of a memory counts (BM25).
const B: f64 = 0.75;
/// Unknown words of a query that are compared with all known ones.
const MAX_MISSPELT: usize = 4;
/// A folder that changed this recently is listed again: its next change may have the same time.
const SETTLED_AFTER_MS: i64 = 100;

/// The memories that a session has read.
#[derive(Default)]
pub(crate) struct MemoryIndex(Mutex<Cache>);

impl FamilyState for MemoryIndex {}

#[derive(Default)]
struct Cache {
    folders: HashMap<PathBuf, CachedFolder>,
    /// The folders of the corpus.
    order: Vec<PathBuf>,
    corpus: Arc<Corpus>,
}

#[derive(Default)]
struct CachedFolder {
    /// The folder's stamp, if it was settled when it was listed.
    stamp: Option<FileStamp>,
    files: HashMap<String, CachedFile>,
    skipped: Vec<String>,
}

struct CachedFile {
    stamp: FileStamp,
    fact: Result<Arc<IndexedFact>, String>,
}

/// A memory with its words and their weights.
struct IndexedFact {
    fact: Arc<Fact>,
    words: Vec<(Box<str>, f64)>,
    length: f64,
}

/// All memories of some scopes, and the index of their words.
#[derive(Default)]
pub(super) struct Corpus {
    pub(super) entries: Vec<CorpusEntry>,
    /// Why files are no memories.
    pub(super) skipped: Vec<String>,
    postings: HashMap<Box<str>, Vec<(u32, f64)>>,
    average_length: f64,
}

pub(super) struct CorpusEntry {
    pub(super) scope: Scope,
    pub(super) id: String,
    pub(super) fact: Arc<Fact>,
    pub(super) stamp: FileStamp,
    length: f64,
}

/// A memory that has words of a query.
pub(super) struct Ranked {
    /// Its place in the corpus.
    pub(super) entry: usize,
    /// Its rank: larger is better.
    pub(super) weight: f64,
    /// The share of the query's words that it covers, weighted by how rare they are.
    pub(super) score: f64,
}

impl MemoryIndex {
    /// The memories of these scopes as their files are now. Without `all`, a file that was rewritten in
    /// place, in a folder that did not change, is not noticed.
    ///
    /// # Errors
    /// If a folder cannot be listed.
    pub(super) fn refresh(
        &self,
        stores: &[(Scope, Store)],
        all: bool,
    ) -> Result<Arc<Corpus>, ToolError> {
        let mut cache = self.0.lock();
        let order: Vec<PathBuf> =
            stores.iter().map(|(_, store)| store.folder().to_owned()).collect();
        let mut changed = cache.order != order;
        for (_, store) in stores {
            let folder = cache.folders.entry(store.folder().to_owned()).or_default();
            changed |= folder.refresh(store, all)?;
        }
        if changed {
            cache.folders.retain(|folder, _| order.contains(folder));
            cache.order = order;
            let folders = stores
                .iter()
                .filter_map(|(scope, store)| Some((*scope, cache.folders.get(store.folder())?)));
            cache.corpus = Arc::new(Corpus::new(folders));
        }
        Ok(cache.corpus.clone())
    }
}

impl CachedFolder {
    /// Reads the files that changed. Returns whether any did.
    fn refresh(&mut self, store: &Store, all: bool) -> Result<bool, ToolError> {
        let stamp = store.folder_stamp();
        if !all && stamp.is_some() && stamp == self.stamp {
            return Ok(false);
        }
        let listing = store.list()?;
        let mut changed = self.skipped != listing.skipped;
        self.skipped = listing.skipped;
        let mut before = std::mem::take(&mut self.files);
        for (id, stamp) in listing.files {
            let known = before.remove(&id).filter(|known| known.stamp == stamp);
            let file = known.or_else(|| {
                changed = true;
                // A file that is gone again needs no warning.
                let fact = store.read(&id).transpose()?;
                let fact = fact.map(|fact| Arc::new(IndexedFact::new(fact)));
                Some(CachedFile { stamp, fact })
            });
            self.files.extend(file.map(|file| (id, file)));
        }
        changed |= !before.is_empty();
        let is_settled = |(_, _, seconds, _): &FileStamp| {
            Timestamp::now().as_millisecond() - seconds.saturating_mul(1_000)
                > 1_000 + SETTLED_AFTER_MS
        };
        self.stamp = stamp.filter(is_settled);
        Ok(changed)
    }
}

impl IndexedFact {
    fn new(fact: Fact) -> Self {
        let mut counted: HashMap<String, f64> = HashMap::new();
        let mut length = 0.0;
        let mut add = |text: &str, weight: f64| {
            for word in words(text) {
                *counted.entry(word).or_default() += weight;
                length += 1.0;
            }
        };
        add(&fact.content, 1.0);
        for name in [&fact.key, &fact.title, &fact.category].into_iter().flatten() {
            add(name, 2.0);
        }
        fact.tags.iter().for_each(|tag| add(tag, 2.0));
        if let Some(evidence) = &fact.evidence {
            add(&evidence.path, 0.5);
        }
        let words = counted.into_iter().map(|(word, weight)| (word.into_boxed_str(), weight));
        Self { words: words.collect(), length, fact: Arc::new(fact) }
    }
}

impl Corpus {
    fn new<'f>(folders: impl Iterator<Item = (Scope, &'f CachedFolder)>) -> Self {
        let mut corpus = Self::default();
        for (scope, folder) in folders {
            corpus.skipped.extend(folder.skipped.iter().cloned());
            let mut files: Vec<_> = folder.files.iter().collect();
            files.sort_unstable_by_key(|(id, _)| *id);
            for (id, file) in files {
                match &file.fact {
                    Ok(fact) => corpus.add(scope, id, file.stamp, fact),
                    Err(why) => corpus.skipped.push(why.clone()),
                }
            }
        }
        let total: f64 = corpus.entries.iter().map(|entry| entry.length).sum();
        corpus.average_length = (total / number(corpus.entries.len())).max(1.0);
        corpus
    }

    fn add(&mut self, scope: Scope, id: &str, stamp: FileStamp, indexed: &IndexedFact) {
        let Ok(place) = u32::try_from(self.entries.len()) else { return };
        for (word, weight) in &indexed.words {
            match self.postings.get_mut(word) {
                Some(postings) => postings.push((place, *weight)),
                None => drop(self.postings.insert(word.clone(), vec![(place, *weight)])),
            }
        }
        let (fact, length) = (indexed.fact.clone(), indexed.length);
        self.entries.push(CorpusEntry { scope, id: id.to_owned(), fact, stamp, length });
    }

    /// The memories that have words of `query`, in their order in the corpus.
    pub(super) fn ranked(&self, query: &str) -> Vec<Ranked> {
        let mut wanted: Vec<String> = Vec::new();
        for word in words(query) {
            if !wanted.contains(&word) && wanted.len() < MAX_WORDS {
                wanted.push(word);
            }
        }
        let mut weights = vec![0.0_f64; self.entries.len()];
        let mut possible = 0.0;
        let mut misspelt = 0;
        for word in &wanted {
            let alternatives = synonyms(word).map(|synonym| (synonym, SYNONYM_WEIGHT));
            let mut known: Vec<(&str, f64)> = alternatives
                .chain([(word.as_str(), 1.0)])
                .filter(|(word, _)| self.postings.contains_key(*word))
                .collect();
            if known.is_empty() && misspelt < MAX_MISSPELT {
                misspelt += 1;
                let similar = self.postings.keys().filter(|known| is_misspelling(word, known));
                known.extend(similar.map(|known| (&**known, MISSPELT_WEIGHT)));
            }
            let own = known.iter().find(|(known, _)| known == word);
            let rarity = own.or(known.first()).map_or(self.rarity(0), |(word, _)| {
                self.rarity(self.postings.get(*word).map_or(0, Vec::len))
            });
            possible += rarity;
            // Of a word and its synonyms, the best counts.
            let mut best: HashMap<u32, f64> = HashMap::new();
            for (word, similarity) in known {
                let postings = self.postings.get(word).map(Vec::as_slice).unwrap_or_default();
                let factor = similarity * self.rarity(postings.len());
                for (place, count) in postings {
                    let weight = factor * self.saturated(*place, *count);
                    let of = best.entry(*place).or_default();
                    *of = of.max(weight);
                }
            }
            for (place, weight) in best {
                if let Some(of) = weights.get_mut(place as usize) {
                    *of += weight;
                }
            }
        }
        let found = weights.into_iter().enumerate().filter(|(_, weight)| *weight > 0.0);
        found
            .map(|(entry, weight)| Ranked { entry, weight, score: (weight / possible).min(1.0) })
            .collect()
    }

    fn rarity(&self, count: usize) -> f64 {
        let (all, count) = (number(self.entries.len()), number(count));
        (1.0 + (all - count + 0.5).max(0.0) / (count + 0.5)).ln()
    }

    fn saturated(&self, place: u32, count: f64) -> f64 {
        let length = self.entries.get(place as usize).map_or(1.0, |entry| entry.length);
        count * (K1 + 1.0) / (count + K1 * (1.0 - B + B * length / self.average_length))
    }
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::fact::tests::fact;
    use super::*;

    fn corpus(facts: impl IntoIterator<Item = Fact>) -> Corpus {
        let file = |fact: Fact| {
            let id = fact.id();
            let fact = Ok(Arc::new(IndexedFact::new(fact)));
            (id, CachedFile { stamp: (0, 0, 0, 0), fact })
        };
        let files = facts.into_iter().map(file).collect();
        let folder = CachedFolder { stamp: None, files, skipped: Vec::new() };
        Corpus::new([(Scope::Workspace, &folder)].into_iter())
    }

    fn best<'c>(corpus: &'c Corpus, query: &str) -> (&'c str, f64) {
        let best = corpus.ranked(query).into_iter().max_by(|a, b| a.weight.total_cmp(&b.weight));
        best.map_or(("", 0.0), |best| (&corpus.entries[best.entry].fact.content, best.score))
    }

    #[test]
    fn memories_are_ranked_by_their_words() {
        let corpus = corpus([
            fact("HTTP requests are retried by `RetryPolicy::withBackoff`, three times."),
            fact("Release builds are made on Mondays."),
            fact("The person prefers tabs."),
            Fact { tags: vec!["database".to_owned()], ..fact("Migrations run before the server.") },
        ]);
        for (query, start, least) in [
            ("where is the retry logic", "HTTP requests", 0.25),
            ("retry_policy", "HTTP requests", 0.7),
            ("backoff", "HTTP requests", 0.7),
            ("prefer tabs", "The person", 0.9),
            ("database", "Migrations", 0.9),
            ("requsets", "HTTP requests", 0.4),
        ] {
            let (found, score) = best(&corpus, query);
            assert!(found.starts_with(start) && score >= least, "{query}: {found} {score}");
        }
        assert!(corpus.ranked("").is_empty() && corpus.ranked("zzz").is_empty());
        assert!(corpus.ranked(&"x ".repeat(100_000)).is_empty());
    }

    #[test]
    fn changed_files_are_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let stores = [(Scope::Workspace, Store::in_folder(folder.path()))];
        let index = MemoryIndex::default();
        let count = |all: bool| index.refresh(&stores, all).unwrap().entries.len();
        assert_eq!(count(false), 0);
        let (one, two) = (fact("one"), fact("two"));
        stores[0].1.remember(&one.id(), one.clone()).unwrap();
        assert_eq!(count(false), 1);
        stores[0].1.remember(&two.id(), two).unwrap();
        assert_eq!(count(false), 2);
        stores[0].1.forget(&one.id()).unwrap();
        assert_eq!(count(false), 1);
        let file = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        std::fs::write(&file, "{").unwrap();
        let corpus = index.refresh(&stores, true).unwrap();
        assert_eq!((corpus.entries.len(), corpus.skipped.len()), (0, 1));
    }

    #[test]
    fn ten_thousand_memories_are_searched_fast() {
        let names = ["retry", "cache", "parser", "socket", "token", "layout", "index", "query"];
        let text = |n: usize| {
            let name = |by: usize| names[(n / by) % names.len()];
            format!(
                "Module{n} uses the {} of {} because {} number {} was slow, see issue {n}",
                name(1),
                name(8),
                name(64),
                n % 997
            )
        };
        let corpus = corpus((0..10_000).map(|n| fact(&text(n))));
        assert_eq!(corpus.entries.len(), 10_000);
        let time = |query: &str| {
            let begun = Instant::now();
            assert!(!corpus.ranked(query).is_empty());
            begun.elapsed()
        };
        let best = (0..5).map(|_| time("why does the parser use a socket cache")).min().unwrap();
        let misspelt = (0..5).map(|_| time("module4321 number paresr")).min().unwrap();
        println!("10,000 memories: {best:?}, misspelt {misspelt:?}");
        // Unoptimised builds, on a busy machine.
        assert!(best.as_millis() < 500 && misspelt.as_millis() < 1_000, "{best:?} {misspelt:?}");
    }
}
