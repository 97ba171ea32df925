//! Ranks passages for a query: by words (BM25), by meaning (vectors), and by names. The rankings are joined by
//! their scores, as shares of each ranking's best: how far ahead a passage is matters, which ranks alone lose.

use std::collections::BinaryHeap;

use embedding::SignQuery;
use rustc_hash::FxHashMap;

use crate::file_passages::{FilePassages, Posting};
use crate::terms::{Term, for_each_term};

/// BM25: how fast further occurrences of a term count less, and how much long passages are penalised.
const K1: f32 = 1.2;
const B: f32 = 0.6;
/// What a term in the path adds, in occurrences.
const PATH_WEIGHT: f32 = 1.0;
/// Passages of each ranking that are joined. Among the 100 nearest signs are 97 % of the ten nearest vectors,
/// among 50 only 93 %.
const CANDIDATES: usize = 100;
/// Terms of a query that count.
const MAX_TERMS: usize = 48;
/// What the last candidate of a ranking is worth, as a share of its score: little more than none.
const FLOOR: f32 = 0.9;

/// How much the other rankings count beside words, for sentences and for single identifiers. Chosen by
/// `benches/ranking.rs`.
const SENTENCE: Weights = Weights { meaning: 0.6, names: 0.2 };
const IDENTIFIER: Weights = Weights { meaning: 0.1, names: 0.4 };

struct Weights {
    meaning: f32,
    names: f32,
}

/// A file to rank.
pub(crate) struct RankedSource<'f> {
    pub(crate) passages: &'f FilePassages,
    /// The terms of its path.
    pub(crate) path_terms: &'f [Term],
    /// What its passages' scores are multiplied by: importance, files in use.
    pub(crate) boost: f32,
}

/// A query, taken apart.
#[derive(Debug)]
pub(crate) struct Query {
    terms: Vec<Term>,
    /// The terms of the whole query if it is a single identifier.
    identifier: Option<Term>,
    pub(crate) vector: Vec<f32>,
}

/// A passage by the number of its file and its own number there.
pub(crate) type PassageId = (u32, u32);

/// A passage with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scored {
    pub(crate) id: PassageId,
    pub(crate) score: f32,
}

/// Which rankings count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rankings {
    /// All, joined.
    All,
    /// BM25 only.
    Words,
    /// Vectors only.
    Meaning,
}

impl Query {
    pub(crate) fn new(text: &str) -> Self {
        let mut terms = Vec::new();
        for_each_term(text, |term| {
            if !terms.contains(&term) && terms.len() < MAX_TERMS {
                terms.push(term);
            }
        });
        let is_identifier =
            |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$' | '#');
        let identifier = text.trim().chars().all(is_identifier).then(|| terms.last().copied());
        Self { terms, identifier: identifier.flatten(), vector: embedding::embed(text) }
    }
}

/// The best passages, best first. `exact` gives the similarity of a passage's own text to the query; it is
/// called for the candidates only. A passage that it has no answer for is left out.
pub(crate) fn rank(
    files: &[RankedSource<'_>],
    query: &Query,
    rankings: Rankings,
    limit: usize,
    exact: &mut dyn FnMut(PassageId) -> Option<f32>,
) -> Vec<Scored> {
    let (by_words, by_names) = match rankings {
        Rankings::Meaning => (Vec::new(), Vec::new()),
        _ => words_and_names(files, query),
    };
    if rankings == Rankings::Words {
        return by_words.into_iter().take(limit).collect();
    }
    let mut similarities: FxHashMap<PassageId, Option<f32>> = FxHashMap::default();
    let near = nearest(files, query);
    for scored in near.iter().chain(&by_words) {
        similarities.entry(scored.id).or_insert_with(|| exact(scored.id));
    }
    let mut by_meaning: Vec<Scored> = similarities
        .iter()
        .filter_map(|(id, similarity)| Some(Scored { id: *id, score: (*similarity)? }))
        .collect();
    sort(&mut by_meaning);
    if rankings == Rankings::Meaning {
        by_meaning.truncate(limit);
        return by_meaning;
    }
    let mut joined: FxHashMap<PassageId, f32> = FxHashMap::default();
    let weights = if query.identifier.is_some() { IDENTIFIER } else { SENTENCE };
    for (list, weight) in
        [(&by_words, 1.0), (&by_meaning, weights.meaning), (&by_names, weights.names)]
    {
        let (Some(best), Some(last)) = (list.first(), list.last()) else { continue };
        let floor = last.score * FLOOR;
        let range = (best.score - floor).max(f32::EPSILON);
        for scored in list {
            *joined.entry(scored.id).or_default() += weight * (scored.score - floor) / range;
        }
    }
    let is_readable = |id: &PassageId| similarities.get(id).is_none_or(Option::is_some);
    let most = 1.0 + weights.meaning + weights.names;
    let mut best: Vec<Scored> = joined
        .into_iter()
        .filter(|(id, _)| is_readable(id))
        .map(|(id, score)| Scored { id, score: score / most * files[id.0 as usize].boost })
        .collect();
    sort(&mut best);
    best.truncate(limit);
    best
}

/// The passages by BM25, and by how much of the query their names have.
#[allow(clippy::cast_precision_loss, reason = "counts are small")]
fn words_and_names(files: &[RankedSource<'_>], query: &Query) -> (Vec<Scored>, Vec<Scored>) {
    let (mut total, mut length) = (0_usize, 0_u64);
    let mut frequencies = vec![0_usize; query.terms.len()];
    let mut found: Vec<(u32, usize, &[Posting])> = Vec::new();
    for (number, file) in files.iter().enumerate() {
        total += file.passages.passages.len();
        length += file.passages.passages.iter().map(|p| u64::from(p.length)).sum::<u64>();
        for (at, term) in query.terms.iter().enumerate() {
            let postings = file.passages.postings(*term);
            if !postings.is_empty() {
                frequencies[at] += postings.len();
                #[allow(clippy::cast_possible_truncation, reason = "files are limited")]
                found.push((number as u32, at, postings));
            }
        }
    }
    let average = length as f32 / total.max(1) as f32;
    let rarity = |frequency: usize| {
        (1.0 + (total as f32 - frequency as f32 + 0.5) / (frequency as f32 + 0.5)).ln()
    };
    let rarities: Vec<f32> = frequencies.iter().map(|frequency| rarity(*frequency)).collect();
    let mut words = Best::new(CANDIDATES);
    let mut names = Best::new(CANDIDATES);
    let mut scores: FxHashMap<u32, f32> = FxHashMap::default();
    for of_file in found.chunk_by(|one, other| one.0 == other.0) {
        scores.clear();
        let number = of_file[0].0;
        let file = &files[number as usize];
        for (_, at, postings) in of_file {
            let in_path = file.path_terms.contains(&query.terms[*at]);
            let extra = if in_path { PATH_WEIGHT } else { 0.0 };
            for posting in *postings {
                let passage = u32::from(posting.passage);
                let length = file.passages.passages[passage as usize].length as f32;
                let count = f32::from(posting.count) + extra;
                let norm = K1 * (1.0 - B + B * length / average);
                *scores.entry(passage).or_default() +=
                    rarities[*at] * count * (K1 + 1.0) / (count + norm);
            }
        }
        for (passage, score) in &scores {
            words.add(Scored { id: (number, *passage), score: *score });
            let name = &file.passages.passages[*passage as usize].name;
            let score = name_score(name, query, &rarities);
            if score > 0.0 {
                names.add(Scored { id: (number, *passage), score: score * file.boost });
            }
        }
    }
    (words.sorted(), names.sorted())
}

/// How much of the query a name has, and how little else.
#[allow(clippy::cast_precision_loss, reason = "counts are small")]
fn name_score(name: &str, query: &Query, rarities: &[f32]) -> f32 {
    if name.is_empty() {
        return 0.0;
    }
    let (mut found, mut others, mut is_exact) = (0.0, 0, false);
    let mut seen = Vec::new();
    for_each_term(name, |term| {
        is_exact |= query.identifier == Some(term);
        match query.terms.iter().position(|wanted| *wanted == term) {
            Some(at) if !seen.contains(&at) => {
                seen.push(at);
                found += rarities[at];
            }
            Some(_) => {}
            None => others += 1,
        }
    });
    let exact = if is_exact { 2.0 } else { 1.0 };
    exact * found / (1.0 + 0.1 * others as f32)
}

/// The passages with the nearest signs.
#[allow(clippy::cast_possible_truncation, reason = "files and passages are limited")]
fn nearest(files: &[RankedSource<'_>], query: &Query) -> Vec<Scored> {
    let mut best = Best::new(CANDIDATES);
    if query.vector.iter().all(|value| *value == 0.0) {
        return Vec::new();
    }
    let signs = SignQuery::new(&query.vector);
    for (number, file) in files.iter().enumerate() {
        for (passage, indexed) in file.passages.passages.iter().enumerate() {
            let id = (number as u32, passage as u32);
            best.add(Scored { id, score: signs.score(&indexed.signs) });
        }
    }
    best.sorted()
}

fn sort(scored: &mut [Scored]) {
    scored.sort_unstable_by(|one, other| {
        other.score.total_cmp(&one.score).then(one.id.cmp(&other.id))
    });
}

/// The best of many.
struct Best {
    limit: usize,
    /// The worst of the best on top.
    heap: BinaryHeap<Worst>,
}

struct Worst(Scored);

impl Ord for Worst {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.0.score.total_cmp(&self.0.score).then(self.0.id.cmp(&other.0.id))
    }
}

impl PartialOrd for Worst {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Worst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == std::cmp::Ordering::Equal
    }
}

impl Eq for Worst {}

impl Best {
    fn new(limit: usize) -> Self {
        Self { limit, heap: BinaryHeap::with_capacity(limit + 1) }
    }

    fn add(&mut self, scored: Scored) {
        if self.heap.len() >= self.limit {
            if self.heap.peek().is_some_and(|worst| worst.0.score >= scored.score) {
                return;
            }
            self.heap.pop();
        }
        self.heap.push(Worst(scored));
    }

    fn sorted(self) -> Vec<Scored> {
        let mut all: Vec<Scored> = self.heap.into_iter().map(|worst| worst.0).collect();
        sort(&mut all);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: &[&str] = &[
        "fn retry_request(request) {\n    // Tries a failed call again, with a delay.\n    backoff(request)\n}\n",
        "fn parse_colour(text) {\n    // Reads a colour such as red.\n    hex(text)\n}\n",
        "fn open_window() {\n    // Shows a window on the screen.\n    create(window)\n}\n",
        "fn caller() {\n    parse_colour(text);\n    parse_colour(other);\n    parse_colour(third)\n}\n",
    ];

    fn ranked(query: &str, rankings: Rankings) -> Vec<u32> {
        let files: Vec<FilePassages> =
            TEXTS.iter().map(|text| FilePassages::new(text, &[])).collect();
        let sources =
            files.iter().map(|passages| RankedSource { passages, path_terms: &[], boost: 1.0 });
        let sources: Vec<_> = sources.collect();
        let query = Query::new(query);
        let mut exact = |id: PassageId| {
            Some(embedding::similarity(&embedding::embed(TEXTS[id.0 as usize]), &query.vector))
        };
        rank(&sources, &query, rankings, 10, &mut exact).iter().map(|scored| scored.id.0).collect()
    }

    #[test]
    fn words_and_meaning_find_their_passages() {
        assert_eq!(ranked("retry_request", Rankings::Words)[0], 0);
        assert!(!ranked("nonsense", Rankings::Words).contains(&0));
        assert_eq!(ranked("display a dialog on the monitor", Rankings::Meaning)[0], 2);
        assert_eq!(ranked("where are requests repeated after failures", Rankings::All)[0], 0);
    }

    #[test]
    fn a_query_without_words_finds_nothing() {
        assert!(ranked("", Rankings::All).is_empty());
        assert!(ranked("??", Rankings::All).is_empty());
    }

    #[test]
    fn passages_that_are_gone_are_left_out() {
        let files = [FilePassages::new(TEXTS[0], &[])];
        let sources = [RankedSource { passages: &files[0], path_terms: &[], boost: 1.0 }];
        assert!(rank(&sources, &Query::new("retry"), Rankings::All, 10, &mut |_| None).is_empty());
    }
}
