//! Fuzzy matching of names against typed letters.
//!
//! The letters must occur in the name in order, case-insensitively. `nucleo_matcher` scores the
//! match: letters at word starts and in a row count most, gaps cost. This module breaks ties, and
//! filters most names by letter masks before they are scored.

use nucleo_matcher::chars::to_lower_case;
use nucleo_matcher::{Config, Matcher, Utf32Str, Utf32String};

/// Limit for the part of a name that is compared, in characters.
const MAX_NAME: usize = 96;
/// Limit for the letters of a pattern.
const MAX_LETTERS: usize = 48;

/// Bonus for a name as long as the pattern.
const WHOLE_NAME_BONUS: i32 = 8;
/// Bonus for a name that contains the pattern in the same case.
const CASE_BONUS: i32 = 3;

/// Typed letters, prepared for comparison with many names.
#[derive(Debug)]
pub(crate) struct FuzzyPattern {
    /// The letters without blanks.
    typed: String,
    lower: Vec<char>,
    needle: Utf32String,
    mask: u64,
    /// Whether upper-case letters were typed; then case counts a little.
    has_upper_case: bool,
}

impl FuzzyPattern {
    /// Blanks in `typed` are ignored.
    pub(crate) fn new(typed: &str) -> Self {
        let typed: String =
            typed.chars().filter(|c| !c.is_whitespace()).take(MAX_LETTERS).collect();
        let lower: Vec<char> = typed.chars().map(fold).collect();
        let needle: String = lower.iter().collect();
        let mask = lower.iter().fold(0, |mask, c| mask | letter_bit(*c));
        let has_upper_case = typed != needle;
        Self { typed, lower, needle: needle.into(), mask, has_upper_case }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lower.is_empty()
    }

    /// Whether a name with this letter mask may match.
    pub(crate) fn may_match(&self, mask: u64) -> bool {
        mask & self.mask == self.mask
    }

    /// The mask of names that start with the pattern's first letter.
    pub(crate) fn first_letter_mask(&self) -> u64 {
        self.lower.first().map_or(0, |c| first_bit(*c))
    }

    /// Whether a name may be what is being typed: the first letter starts a word of it, and the
    /// others follow in order.
    pub(crate) fn matches_word_start(&self, name: &str) -> bool {
        let Some(first) = self.lower.first() else { return true };
        let mut before = '_';
        for (at, c) in name.char_indices().take(MAX_NAME) {
            if fold(c) == *first
                && (at == 0 || starts_word(before, c))
                && contains_in_order(&self.lower, &name[at..])
            {
                return true;
            }
            before = c;
        }
        false
    }

    /// A scorer for this pattern. It is large, so reuse it for many names.
    pub(crate) fn scorer(&self) -> Scorer<'_> {
        let mut config = Config::DEFAULT;
        config.normalize = false;
        config.prefer_prefix = true;
        Scorer { pattern: self, matcher: Matcher::new(config), letters: Vec::new() }
    }
}

/// Scores names against a pattern.
pub(crate) struct Scorer<'p> {
    pattern: &'p FuzzyPattern,
    matcher: Matcher,
    letters: Vec<char>,
}

impl Scorer<'_> {
    /// The score of a name; `None` if it does not match. The pattern itself scores best, then names
    /// that start with it. O(letters × name), bounded.
    pub(crate) fn score(&mut self, name: &str) -> Option<i32> {
        let pattern = self.pattern;
        if pattern.is_empty() {
            return Some(0);
        }
        let name = compared_part(name);
        let haystack = Utf32Str::new(name, &mut self.letters);
        let count = haystack.len();
        let score = self.matcher.fuzzy_match(haystack, pattern.needle.slice(..))?;
        let whole = if count == pattern.lower.len() { WHOLE_NAME_BONUS } else { 0 };
        let case =
            if pattern.has_upper_case && name.contains(&pattern.typed) { CASE_BONUS } else { 0 };
        // Of two equal matches, prefer the shorter name.
        Some((i32::from(score) + whole + case) * 4 - (count as i32).min(60))
    }
}

/// The part of a name that is compared.
fn compared_part(name: &str) -> &str {
    if name.len() <= MAX_NAME {
        return name;
    }
    name.char_indices().nth(MAX_NAME).map_or(name, |(end, _)| &name[..end])
}

/// The bits of a mask for letters anywhere in a name.
pub(crate) const ANYWHERE_BITS: u64 = (1 << 36) - 1;

/// The letter mask of a name: 38 bits for the letters it contains, 26 for its first letter.
pub(crate) fn letter_mask(name: &str) -> u64 {
    let mut mask = 0;
    for (n, c) in name.chars().take(MAX_NAME).enumerate() {
        let c = fold(c);
        mask |= letter_bit(c);
        if n == 0 {
            mask |= first_bit(c);
        }
    }
    mask
}

fn fold(c: char) -> char {
    if c.is_ascii() { c.to_ascii_lowercase() } else { to_lower_case(c) }
}

fn letter_bit(c: char) -> u64 {
    match c {
        'a'..='z' => 1 << (c as u32 - 'a' as u32),
        '0'..='9' => 1 << (26 + c as u32 - '0' as u32),
        '_' => 1 << 36,
        _ => 1 << 37,
    }
}

fn first_bit(c: char) -> u64 {
    if c.is_ascii_lowercase() { 1 << (38 + c as u32 - 'a' as u32) } else { 0 }
}

fn contains_in_order(letters: &[char], name: &str) -> bool {
    let mut letters = letters.iter();
    let mut next = letters.next();
    for c in name.chars().take(MAX_NAME) {
        match next {
            Some(letter) if fold(c) == *letter => next = letters.next(),
            Some(_) => {}
            None => return true,
        }
    }
    next.is_none()
}

fn starts_word(before: char, c: char) -> bool {
    !before.is_alphanumeric()
        || c.is_uppercase() && !before.is_uppercase()
        || c.is_numeric() && !before.is_numeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(pattern: &str, name: &str) -> Option<i32> {
        FuzzyPattern::new(pattern).scorer().score(name)
    }

    #[track_caller]
    fn ranked(pattern: &str, names: &[&str]) {
        let score = |n: &str| score(pattern, n).unwrap_or(i32::MIN);
        for pair in names.windows(2) {
            assert!(
                score(pair[0]) > score(pair[1]),
                "{} {:?}",
                score(pair[0]),
                (pair, score(pair[1]))
            );
        }
    }

    #[test]
    fn exact_and_prefix_matches_rank_first() {
        ranked("read", &["read", "readFile", "file_read", "rolled_end_a_d"]);
        ranked("rf", &["readFile", "perform"]);
        ranked("gdb", &["get_db", "getDbHandle", "golden_bridge"]);
        ranked("Map", &["Map", "map"]);
        ranked("Map", &["HashMap", "hashmap"]);
    }

    #[test]
    fn letters_must_occur_in_order() {
        assert_eq!(score("ba", "ab"), None);
        assert_eq!(score("abc", "ab"), None);
        assert!(score("a b", "a_b").is_some());
        assert!(score("ÄÖ", "großäxö").is_some());
    }

    #[test]
    fn masks_never_reject_a_match() {
        let names = ["xaXb", "né_1", "a_b", "x", "\u{212a}elvin", "Straße", "ǅ", "İx", "名前", ""];
        for name in names {
            for pattern in ["ab", "É1", "_", "", "k", "ke", "SS", "sse", "ǆ", "i", "前", "名前"]
            {
                let pattern = FuzzyPattern::new(pattern);
                let matches = pattern.scorer().score(name).is_some();
                assert!(!matches || pattern.may_match(letter_mask(name)), "{pattern:?} {name}");
                assert!(!matches || contains_in_order(&pattern.lower, name), "{pattern:?} {name}");
            }
        }
    }

    #[test]
    fn long_names_and_patterns_are_truncated() {
        let long = "ab".repeat(100_000);
        assert!(score(&long, &long).is_some());
        assert!(score("ab", &"é".repeat(200)).is_none());
        assert!(score("x", &format!("{}x", "é".repeat(200))).is_none());
    }
}
