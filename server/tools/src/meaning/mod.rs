//! Ranks names by what they mean: by their words, synonyms and descriptions, and last by spelling.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use serde::Deserialize;

/// Weight of a synonym, beside 1 for the word itself.
pub const SYNONYM_WEIGHT: f64 = 0.6;
/// Weight of a word that differs in spelling only.
pub const MISSPELT_WEIGHT: f64 = 0.8;
/// Shortest word that may be misspelt, in characters.
const MIN_MISSPELT_CHARS: usize = 5;
/// Words of a query that count; the rest is ignored.
pub const MAX_WORDS: usize = 32;
/// Longest word, in characters.
const MAX_WORD_CHARS: usize = 40;

/// Words without meaning of their own here.
const STOP_WORDS: &[&str] = &[
    "a", "all", "an", "and", "are", "as", "at", "be", "by", "can", "do", "for", "from", "how", "i",
    "in", "is", "it", "its", "me", "my", "need", "not", "of", "on", "or", "please", "show", "set",
    "get", "that", "the", "this", "to", "tool", "tools", "want", "was", "what", "where", "which",
    "with",
];

/// A text whose words are ranked against a query, with their weights.
#[derive(Debug, Default)]
pub struct Described {
    words: BTreeMap<String, f64>,
}

impl Described {
    /// Adds the words of `text`. A word's largest weight counts.
    #[must_use]
    pub fn with(mut self, text: &str, weight: f64) -> Self {
        for word in words(text) {
            let of = self.words.entry(word).or_default();
            *of = of.max(weight);
        }
        self
    }
}

/// The candidates that have to do with `query`, best first, with their scores: the share of the query's
/// words that they cover, weighted by how rare the words are among the candidates.
#[must_use]
pub fn ranked(query: &str, candidates: &[Described]) -> Vec<(usize, f64)> {
    let wanted: Vec<String> = words(query).take(MAX_WORDS).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for word in candidates.iter().flat_map(|candidate| candidate.words.keys()) {
        *counts.entry(word).or_default() += 1;
    }
    #[allow(clippy::cast_precision_loss, reason = "small counts")]
    let rarity = |word: &str| {
        let count = counts.get(word).copied().unwrap_or_default() as f64;
        (1.0 + (candidates.len() as f64 + 1.0) / (count + 1.0)).ln()
    };
    let score = |candidate: &Described| -> f64 {
        wanted
            .iter()
            .map(|word| {
                let alternatives = synonyms(word).map(|synonym| (synonym, SYNONYM_WEIGHT));
                let of =
                    alternatives.chain([(word.as_str(), 1.0)]).filter_map(|(word, similarity)| {
                        let weight = candidate.words.get(word)?;
                        Some(weight * similarity * rarity(word))
                    });
                of.fold(0.0, f64::max).max(misspelt(word, candidate, &rarity))
            })
            .sum()
    };
    let scores = candidates.iter().map(score).enumerate();
    let mut scores: Vec<_> = scores.filter(|(_, score)| *score > 0.0).collect();
    // A stable sort keeps the candidates' order for equal scores.
    scores.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    scores
}

fn misspelt(word: &str, candidate: &Described, rarity: &dyn Fn(&str) -> f64) -> f64 {
    if word.chars().count() < MIN_MISSPELT_CHARS {
        return 0.0;
    }
    let similar = candidate.words.iter().filter(|(known, _)| is_misspelling(word, known));
    similar.map(|(known, weight)| weight * MISSPELT_WEIGHT * rarity(known)).fold(0.0, f64::max)
}

/// Whether `word` is `known` with a slip: one letter in five. In short words one may only be missing or
/// doubled, as others differ in a letter (`cmd`, `cwd`).
pub fn is_misspelling(word: &str, known: &str) -> bool {
    let (length, other) = (word.chars().count(), known.chars().count());
    let shorter = length.min(other);
    let is_long_enough =
        shorter >= MIN_MISSPELT_CHARS || (shorter >= 3 && length.abs_diff(other) == 1);
    is_long_enough && strsim::damerau_levenshtein(word, known) <= (shorter / 5).max(1)
}

/// The words of a text, lowercase and without endings. `camelCase` and `snake_case` are split.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut after_lowercase = false;
    for c in text.chars() {
        if !c.is_alphanumeric() {
            words.push(String::new());
        } else {
            if c.is_uppercase() && after_lowercase {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
        after_lowercase = c.is_lowercase();
    }
    let counts = |word: &String| {
        !word.is_empty()
            && word.chars().count() <= MAX_WORD_CHARS
            && !STOP_WORDS.contains(&word.as_str())
    };
    words.into_iter().filter(counts).map(|word| stem(&word).to_owned())
}

/// The word without its ending: `files` and `file`, `referencing` and `reference` are equal.
#[must_use]
pub fn stem(word: &str) -> &str {
    const ENDINGS: &[&str] = &[
        "ations", "ation", "ators", "ator", "ions", "ion", "ings", "ing", "ies", "ied", "ers",
        "er", "ed", "es", "s", "e", "y",
    ];
    let strip = |ending: &&str| {
        let stem = word.strip_suffix(*ending)?;
        // `class` is no plural.
        let is_plural = *ending != "s" || !stem.ends_with('s');
        (is_plural && stem.chars().count() >= 3).then_some(stem)
    };
    ENDINGS.iter().find_map(strip).unwrap_or(word)
}

#[derive(Deserialize)]
struct Synonyms {
    groups: Vec<Vec<String>>,
}

/// The other words of all groups that have `word`.
pub fn synonyms(word: &str) -> impl Iterator<Item = &'static str> {
    static GROUPS: OnceLock<Vec<Vec<String>>> = OnceLock::new();
    let groups = GROUPS.get_or_init(|| {
        let parsed: Result<Synonyms, _> = toml::from_str(include_str!("synonyms.toml"));
        let parsed = parsed.inspect_err(|error| tracing::error!("synonyms.toml: {error}"));
        let groups = parsed.map(|parsed| parsed.groups).unwrap_or_default();
        groups
            .iter()
            .map(|group| group.iter().map(|word| stem(word).to_owned()).collect())
            .collect()
    });
    let of = groups.iter().filter(move |group| group.iter().any(|one| one == word));
    of.flatten().map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_are_read() {
        assert!(synonyms(stem("remove")).any(|word| word == stem("delete")));
        assert_eq!(stem("references"), stem("referencing"));
        assert_eq!(stem("files"), stem("file"));
    }

    #[test]
    fn names_rank_by_meaning_not_by_letters() {
        let names = ["stdin", "cwd", "timeout_ms"];
        let candidates: Vec<_> =
            names.iter().map(|name| Described::default().with(name, 1.0)).collect();
        assert!(ranked("description", &candidates).is_empty());
        assert_eq!(ranked("timeoutMs", &candidates)[0].0, 2);
        assert_eq!(ranked("timeuot", &candidates)[0].0, 2);
        assert!(ranked("", &candidates).is_empty());
        assert!(ranked(&"x ".repeat(100_000), &candidates).is_empty());
    }
}
