//! How well a name answers to a few letters that somebody typed.
//!
//! The letters have to occur in the name in their order, case aside. `nucleo_matcher` says how well they
//! lie on it: letters at the start of words and in a row count most, gaps cost. What it leaves even is
//! told apart here. Masks of letters pass over most names before that.

use nucleo_matcher::chars::to_lower_case;
use nucleo_matcher::{Config, Matcher, Utf32Str, Utf32String};

/// Longest part of a name that is looked at, in characters.
const LONGEST: usize = 96;
/// Most letters that are looked for.
const LETTERS: usize = 48;

/// What a name gets that is as long as what was typed.
const WHOLE: i32 = 8;
/// What a name gets that holds what was typed in its very case.
const CASE: i32 = 3;

/// What somebody typed, made ready to be compared with many names.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// Without blanks.
    typed: String,
    lower: Vec<char>,
    needle: Utf32String,
    mask: u64,
    /// Whether case was typed: then it counts a little.
    cased: bool,
}

impl Pattern {
    /// Blanks in what is typed mean nothing.
    pub(crate) fn new(typed: &str) -> Self {
        let typed: String = typed.chars().filter(|c| !c.is_whitespace()).take(LETTERS).collect();
        let lower: Vec<char> = typed.chars().map(fold).collect();
        let needle: String = lower.iter().collect();
        let mask = lower.iter().fold(0, |mask, c| mask | bit(*c));
        let cased = typed != needle;
        Self { typed, lower, needle: needle.into(), mask, cased }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lower.is_empty()
    }

    /// Whether a name with that mask may hold the letters at all.
    pub(crate) fn may_match(&self, mask: u64) -> bool {
        mask & self.mask == self.mask
    }

    /// The mask of names that start with the first letter.
    pub(crate) fn first(&self) -> u64 {
        self.lower.first().map_or(0, |c| first_bit(*c))
    }

    /// Whether a name may be what somebody is typing: the first letter starts a word of it, and the
    /// others follow in their order.
    pub(crate) fn begins(&self, name: &str) -> bool {
        let Some(first) = self.lower.first() else { return true };
        let mut before = '_';
        for (at, c) in name.char_indices().take(LONGEST) {
            if fold(c) == *first
                && (at == 0 || starts_word(before, c))
                && holds(&self.lower, &name[at..])
            {
                return true;
            }
            before = c;
        }
        false
    }

    /// What compares names with it: large, so one serves many names.
    pub(crate) fn scorer(&self) -> Scorer<'_> {
        let mut config = Config::DEFAULT;
        config.normalize = false;
        config.prefer_prefix = true;
        Scorer { pattern: self, matcher: Matcher::new(config), letters: Vec::new() }
    }
}

/// Compares names with a pattern.
pub(crate) struct Scorer<'p> {
    pattern: &'p Pattern,
    matcher: Matcher,
    letters: Vec<char>,
}

impl Scorer<'_> {
    /// How well a name matches; `None` if it does not. A name that is the pattern scores best, then
    /// one that starts with it. O(letters × name), for names up to a bound.
    pub(crate) fn score(&mut self, name: &str) -> Option<i32> {
        let pattern = self.pattern;
        if pattern.is_empty() {
            return Some(0);
        }
        let name = start_of(name);
        let shown = Utf32Str::new(name, &mut self.letters);
        let count = shown.len();
        let score = self.matcher.fuzzy_match(shown, pattern.needle.slice(..))?;
        let whole = if count == pattern.lower.len() { WHOLE } else { 0 };
        let case = if pattern.cased && name.contains(&pattern.typed) { CASE } else { 0 };
        // Of two that match alike, the shorter one: it is more of what was typed.
        Some((i32::from(score) + whole + case) * 4 - (count as i32).min(60))
    }
}

/// As much of a name as is looked at.
fn start_of(name: &str) -> &str {
    if name.len() <= LONGEST {
        return name;
    }
    name.char_indices().nth(LONGEST).map_or(name, |(end, _)| &name[..end])
}

/// Of a mask, the bits that stand for letters that a name holds anywhere.
pub(crate) const HELD_ANYWHERE: u64 = (1 << 36) - 1;

/// What letters a name holds, and by which it starts: 38 bits for the first, 26 for the second.
pub(crate) fn mask(name: &str) -> u64 {
    let mut mask = 0;
    for (n, c) in name.chars().take(LONGEST).enumerate() {
        let c = fold(c);
        mask |= bit(c);
        if n == 0 {
            mask |= first_bit(c);
        }
    }
    mask
}

fn fold(c: char) -> char {
    if c.is_ascii() { c.to_ascii_lowercase() } else { to_lower_case(c) }
}

fn bit(c: char) -> u64 {
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

fn holds(letters: &[char], name: &str) -> bool {
    let mut letters = letters.iter();
    let mut next = letters.next();
    for c in name.chars().take(LONGEST) {
        match next {
            Some(wanted) if fold(c) == *wanted => next = letters.next(),
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
        Pattern::new(pattern).scorer().score(name)
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
    fn what_is_typed_comes_before_what_only_holds_it() {
        ranked("read", &["read", "readFile", "file_read", "rolled_end_a_d"]);
        ranked("rf", &["readFile", "perform"]);
        ranked("gdb", &["get_db", "getDbHandle", "golden_bridge"]);
        ranked("Map", &["Map", "map"]);
        ranked("Map", &["HashMap", "hashmap"]);
    }

    #[test]
    fn letters_have_to_occur_in_order() {
        assert_eq!(score("ba", "ab"), None);
        assert_eq!(score("abc", "ab"), None);
        assert!(score("a b", "a_b").is_some());
        assert!(score("ÄÖ", "großäxö").is_some());
    }

    #[test]
    fn a_mask_never_hides_a_match() {
        let names = ["xaXb", "né_1", "a_b", "x", "\u{212a}elvin", "Straße", "ǅ", "İx", "名前", ""];
        for name in names {
            for pattern in ["ab", "É1", "_", "", "k", "ke", "SS", "sse", "ǆ", "i", "前", "名前"]
            {
                let pattern = Pattern::new(pattern);
                let matches = pattern.scorer().score(name).is_some();
                assert!(!matches || pattern.may_match(mask(name)), "{pattern:?} {name}");
                assert!(!matches || holds(&pattern.lower, name), "{pattern:?} {name}");
            }
        }
    }

    #[test]
    fn long_names_and_patterns_are_cut() {
        let long = "ab".repeat(100_000);
        assert!(score(&long, &long).is_some());
        assert!(score("ab", &"é".repeat(200)).is_none());
        assert!(score("x", &format!("{}x", "é".repeat(200))).is_none());
    }
}
