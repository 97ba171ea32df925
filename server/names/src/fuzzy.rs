//! How well a name answers to a few letters that somebody typed.
//!
//! The letters have to occur in the name in their order, case aside. The score is that of the best
//! way to lay them on the name, found by dynamic programming over two rows: letters at the start of
//! words and in a row count most, gaps cost. O(letters × name), for names up to a bound.

/// Longest part of a name that is looked at.
const LONGEST: usize = 96;
/// Most letters that are looked for.
const LETTERS: usize = 48;

const HIT: i32 = 16;
const START: i32 = 24;
const WORD: i32 = 18;
const ROW: i32 = 20;
const CASE: i32 = 1;
const GAP_OPEN: i32 = -6;
const GAP: i32 = -1;

/// What somebody typed, made ready to be compared with many names.
#[derive(Debug)]
pub(crate) struct Pattern {
    letters: Vec<char>,
    lower: Vec<char>,
    mask: u64,
    /// Whether case was typed: then it counts a little.
    cased: bool,
}

impl Pattern {
    /// Blanks in what is typed mean nothing.
    pub(crate) fn new(typed: &str) -> Self {
        let letters: Vec<char> =
            typed.chars().filter(|c| !c.is_whitespace()).take(LETTERS).collect();
        let lower: Vec<char> = letters.iter().map(|c| fold(*c)).collect();
        let mask = lower.iter().fold(0, |mask, c| mask | bit(*c));
        let cased = letters != lower;
        Self { letters, lower, mask, cased }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.letters.is_empty()
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

    /// How well a name matches; `None` if it does not. A name that is the pattern scores best, then
    /// one that starts with it.
    pub(crate) fn score(&self, name: &str) -> Option<i32> {
        if self.is_empty() {
            return Some(0);
        }
        if !holds(&self.lower, name) {
            return None;
        }
        let mut best = [i32::MIN / 2; LONGEST];
        let mut name_letters = ['\0'; LONGEST];
        let mut count = 0;
        for c in name.chars().take(LONGEST) {
            name_letters[count] = c;
            count += 1;
        }
        let name_letters = &name_letters[..count];
        for (p, &wanted) in self.lower.iter().enumerate() {
            let mut row = [i32::MIN / 2; LONGEST];
            // The best of everything left of the place before, with the cost of the gap so far.
            let mut across = if p == 0 { 0 } else { i32::MIN / 2 };
            for (n, &c) in name_letters.iter().enumerate() {
                if n >= 2 && p > 0 {
                    across = across.saturating_add(GAP).max(best[n - 2] + GAP_OPEN);
                }
                if fold(c) != wanted {
                    continue;
                }
                let mut own = HIT;
                if n == 0 {
                    own += START;
                } else if starts_word(name_letters[n - 1], c) {
                    own += WORD;
                }
                if c == self.letters[p] && self.cased {
                    own += CASE;
                }
                let in_row = if p > 0 && n > 0 { best[n - 1] + ROW } else { i32::MIN / 2 };
                let skipped = if p == 0 { (n as i32).min(12) * GAP } else { across };
                row[n] = own + in_row.max(skipped);
            }
            best = row;
        }
        let top = best[..count].iter().copied().max().filter(|s| *s > i32::MIN / 4)?;
        // Of two that match alike, the shorter one: it is more of what was typed.
        let whole = if count == self.letters.len() { WORD } else { 0 };
        Some((top + whole) * 4 - (count as i32).min(60))
    }
}

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
    if c.is_ascii() { c.to_ascii_lowercase() } else { c.to_lowercase().next().unwrap_or(c) }
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

    #[track_caller]
    fn ranked(pattern: &str, names: &[&str]) {
        let pattern = Pattern::new(pattern);
        let score = |n: &str| pattern.score(n).unwrap_or(i32::MIN);
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
    }

    #[test]
    fn letters_have_to_occur_in_order() {
        assert_eq!(Pattern::new("ba").score("ab"), None);
        assert_eq!(Pattern::new("abc").score("ab"), None);
        assert!(Pattern::new("a b").score("a_b").is_some());
        assert!(Pattern::new("ÄÖ").score("großäxö").is_some());
    }

    #[test]
    fn a_mask_never_hides_a_match() {
        for (pattern, name) in [("ab", "xaXb"), ("É1", "né_1"), ("_", "a_b"), ("", "x")] {
            let pattern = Pattern::new(pattern);
            assert!(pattern.may_match(mask(name)) && pattern.score(name).is_some(), "{name}");
        }
    }
}
