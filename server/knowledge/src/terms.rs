//! The terms of a text, for ranking by words.

use std::hash::Hasher;

use rustc_hash::FxHasher;
use tools::stem;

/// A term by its hash. Few enough bits that sorted terms are short in storage, enough that hardly two terms of a
/// project are equal.
pub(crate) type Term = u32;

const TERM_BITS: u32 = 24;
/// Longest identifier that is a term as a whole, in bytes.
const MAX_IDENTIFIER: usize = 64;
/// Words that every text has.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "how", "i", "if", "in", "is",
    "it", "of", "on", "or", "that", "the", "this", "to", "was", "what", "when", "where", "which",
    "with",
];

/// Calls `each` with the terms of a text: each identifier as a whole, however it is spelt (`readFile`,
/// `read_file`), and its parts without their endings.
pub(crate) fn for_each_term(text: &str, mut each: impl FnMut(Term)) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    for word in text.split(|c| !is_part(c)) {
        if word.is_ascii() {
            identifier(word, &mut each);
        } else {
            foreign_word(word, &mut each);
        }
    }
}

fn identifier(word: &str, each: &mut impl FnMut(Term)) {
    let mut parts = 0;
    embedding::for_each_word(word, |part| {
        parts += 1;
        if !STOP_WORDS.contains(&part) {
            each(term(stem(part).as_bytes()));
        }
    });
    if parts > 1 && word.len() <= MAX_IDENTIFIER {
        let letters = word.bytes().filter(|byte| *byte != b'_');
        let whole: Vec<u8> = letters.map(|byte| byte.to_ascii_lowercase()).collect();
        each(term(&whole));
    }
}

/// Words of scripts without capitals or spaces are found by their pairs of characters.
fn foreign_word(word: &str, each: &mut impl FnMut(Term)) {
    const FIRST_IDEOGRAM: char = '\u{2e80}';
    let lower = word.to_lowercase();
    if !lower.contains(|c| c >= FIRST_IDEOGRAM) {
        return each(term(lower.as_bytes()));
    }
    let mut characters = lower.char_indices().map(|(at, _)| at).collect::<Vec<_>>();
    characters.push(lower.len());
    for pair in characters.windows(3) {
        each(term(&lower.as_bytes()[pair[0]..pair[2]]));
    }
    if characters.len() == 2 {
        each(term(lower.as_bytes()));
    }
}

fn term(word: &[u8]) -> Term {
    let mut hasher = FxHasher::default();
    hasher.write(word);
    #[allow(clippy::cast_possible_truncation, reason = "the highest bits are left")]
    let term = (hasher.finish() >> (64 - TERM_BITS)) as Term;
    term
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<Term> {
        let mut terms = Vec::new();
        for_each_term(text, |term| terms.push(term));
        terms.sort_unstable();
        terms
    }

    #[test]
    fn spellings_of_an_identifier_are_one_term() {
        assert_eq!(terms("readFile"), terms("read_file"));
        assert_eq!(terms("readFile").len(), 3);
        assert_eq!(terms("retries"), terms("retried"));
        assert_eq!(terms("the of"), Vec::<Term>::new());
    }

    #[test]
    fn other_scripts_have_terms() {
        assert_eq!(terms("日本語").len(), 2);
        assert_eq!(terms("ключ"), terms("КЛЮЧ"));
        assert_eq!(terms("語").len(), 1);
        assert!(terms("").is_empty());
    }
}
