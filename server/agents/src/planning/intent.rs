//! What a request asks for, by rules that are data (`intents.toml`).
//!
//! The score of an intent is the sum of the weights of its signals; a softmax makes probabilities of the
//! scores, as in naive Bayes with weights that a person chose. O(words x signals).

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::words::{Word, WordKind, words};

/// What is taken off the score of an intent whose `unless` applies.
const UNLESS_WEIGHT: f64 = 4.0;
/// Words that a `*` of a signal stands for, at most.
const MAX_GAP: usize = 4;

/// An intent and its probability.
#[derive(Debug, Clone, Copy)]
pub(super) struct Likely {
    pub(super) intent: &'static Intent,
    /// From 0 to 1. All intents' sum is 1.
    pub(super) confidence: f64,
}

/// An intent.
#[derive(Debug)]
pub(super) struct Intent {
    pub(super) name: String,
    /// What it means, in a sentence.
    pub(super) about: String,
    /// The entities without which nothing can be done.
    pub(super) requires: Vec<String>,
    bias: f64,
    signals: Vec<(Signal, f64)>,
    unless: Vec<Signal>,
}

/// All intents, the likeliest first.
pub(super) fn likely_intents(request: &str) -> Vec<Likely> {
    let (words, rules) = (words(request), rules());
    let scores: Vec<f64> = rules.intents.iter().map(|intent| intent.score(&words)).collect();
    let best = scores.iter().copied().fold(f64::MIN, f64::max);
    let shares: Vec<f64> =
        scores.iter().map(|score| ((score - best) / rules.temperature).exp()).collect();
    let sum: f64 = shares.iter().sum();
    let mut likely: Vec<Likely> = rules
        .intents
        .iter()
        .zip(shares)
        .map(|(intent, share)| Likely { intent, confidence: share / sum })
        .collect();
    likely.sort_by(|one, other| other.confidence.total_cmp(&one.confidence));
    likely
}

/// The intent of this name.
pub(super) fn intent(name: &str) -> Option<&'static Intent> {
    intents().iter().find(|intent| intent.name == name)
}

/// All intents.
pub(super) fn intents() -> &'static [Intent] {
    &rules().intents
}

impl Intent {
    fn score(&self, words: &[Word<'_>]) -> f64 {
        let signals = self.signals.iter().filter(|(signal, _)| signal.matches(words));
        let cancelled = self.unless.iter().any(|signal| signal.matches(words));
        let sum: f64 = signals.map(|(_, weight)| weight).sum();
        self.bias + sum - if cancelled { UNLESS_WEIGHT } else { 0.0 }
    }
}

/// Words that speak for an intent.
#[derive(Debug)]
struct Signal {
    parts: Vec<Part>,
    /// Whether only the beginning of a request counts.
    at_start: bool,
}

#[derive(Debug)]
enum Part {
    Word(String),
    Prefix(String),
    Kind(WordKind),
    Gap,
}

impl Signal {
    fn parse(written: &str) -> Self {
        let parts = written.trim_start_matches('^').split_whitespace().map(|part| match part {
            "*" => Part::Gap,
            "PATH" => Part::Kind(WordKind::Path),
            "NAME" => Part::Kind(WordKind::Name),
            "ERROR" => Part::Kind(WordKind::Error),
            "NUMBER" => Part::Kind(WordKind::Number),
            "VERSION" => Part::Kind(WordKind::Version),
            _ => match part.strip_suffix('*') {
                Some(prefix) => Part::Prefix(prefix.to_owned()),
                None => Part::Word(part.to_owned()),
            },
        });
        Self { parts: parts.collect(), at_start: written.starts_with('^') }
    }

    fn matches(&self, words: &[Word<'_>]) -> bool {
        if self.at_start {
            return matches_at(&self.parts, words);
        }
        (0..words.len()).any(|start| matches_at(&self.parts, &words[start..]))
    }
}

fn matches_at(parts: &[Part], words: &[Word<'_>]) -> bool {
    let Some((part, parts)) = parts.split_first() else { return true };
    if let Part::Gap = part {
        return (1..=MAX_GAP.min(words.len())).any(|skipped| matches_at(parts, &words[skipped..]));
    }
    let Some((word, words)) = words.split_first() else { return false };
    let fits = match part {
        Part::Word(expected) => word.lowercase == *expected,
        Part::Prefix(prefix) => word.lowercase.starts_with(prefix),
        Part::Kind(kind) => word.kind == *kind,
        Part::Gap => true,
    };
    fits && matches_at(parts, words)
}

struct Rules {
    temperature: f64,
    intents: Vec<Intent>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesFile {
    temperature: f64,
    intent: Vec<IntentEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct IntentEntry {
    name: String,
    about: String,
    #[serde(default)]
    requires: Vec<String>,
    bias: f64,
    #[serde(default)]
    unless: Vec<String>,
    signals: BTreeMap<String, Vec<String>>,
}

fn rules() -> &'static Rules {
    static RULES: OnceLock<Rules> = OnceLock::new();
    RULES.get_or_init(|| {
        let file: RulesFile = toml::from_str(include_str!("intents.toml"))
            .inspect_err(|error| tracing::error!("intents.toml: {error}"))
            .unwrap_or(RulesFile { temperature: 1.0, intent: Vec::new() });
        let intents = file.intent.into_iter().map(|entry| Intent {
            name: entry.name,
            about: entry.about,
            requires: entry.requires,
            bias: entry.bias,
            signals: entry
                .signals
                .iter()
                .filter_map(|(weight, signals)| Some((weight.parse::<f64>().ok()?, signals)))
                .flat_map(|(weight, signals)| {
                    signals.iter().map(move |s| (Signal::parse(s), weight))
                })
                .collect(),
            unless: entry.unless.iter().map(|signal| Signal::parse(signal)).collect(),
        });
        Rules { temperature: file.temperature, intents: intents.collect() }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(file: &str) -> Vec<(String, String)> {
        let path = format!("{}/../../fixtures/planning/{file}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let parts = lines.filter_map(|line| line.split_once('\t'));
        parts.map(|(intent, request)| (intent.to_owned(), request.to_owned())).collect()
    }

    /// The share of requests that are understood, and how far confidences are from that share: the
    /// expected calibration error over five bins.
    fn measure(file: &str) -> (f64, f64) {
        let requests = requests(file);
        assert!(requests.len() >= 200, "{file}: {}", requests.len());
        let mut bins = [(0.0, 0.0, 0.0); 5];
        for (expected, request) in &requests {
            assert!(intent(expected).is_some(), "{file}: no intent {expected}");
            let best = likely_intents(request)[0];
            let right = f64::from(u8::from(best.intent.name == *expected));
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let bin = &mut bins[((best.confidence * 5.0) as usize).min(4)];
            *bin = (bin.0 + 1.0, bin.1 + right, bin.2 + best.confidence);
        }
        let all: f64 = bins.iter().map(|bin| bin.0).sum();
        let right: f64 = bins.iter().map(|bin| bin.1).sum();
        let error: f64 = bins.iter().map(|(_, right, sure)| (right - sure).abs()).sum();
        eprintln!("{file}: {:.3} right, calibration error {:.3}", right / all, error / all);
        for (range, (count, right, sure)) in bins.iter().enumerate().filter(|(_, bin)| bin.0 > 0.0)
        {
            eprintln!("  {range}: {count} requests, {right} right, {:.2} expected", sure);
        }
        (right / all, error / all)
    }

    /// The floors are a little below what was measured when the rules were finished.
    #[test]
    fn confidence_is_calibrated() {
        let (right, error) = measure("requests.tsv");
        assert!(right >= 0.65, "{right}");
        assert!(error <= 0.10, "{error}");
    }

    #[test]
    fn the_requests_that_rules_were_tuned_by() {
        assert!(measure("tuning.tsv").0 >= 0.94);
    }

    #[test]
    fn no_words_are_no_intent() {
        for request in ["", "   ", "\u{1f600}", "()"] {
            let likely = likely_intents(request);
            assert!(likely[0].confidence < 0.4, "{request}: {}", likely[0].confidence);
        }
    }

    #[test]
    fn signals() {
        let matches = |signal: &str, request: &str| Signal::parse(signal).matches(&words(request));
        assert!(matches("^fix*", "fixes a thing") && !matches("^fix*", "a fix"));
        assert!(matches("crash*", "it crashed") && matches("^move PATH", "move a.rs"));
        assert!(
            matches("run * tests", "run all the tests") && !matches("run * tests", "run tests")
        );
    }
}
