//! Replaces every match of a pattern in a text; pure.
//!
//! A match is found as `grep_search` finds it: in one line without its line ending, or with
//! `multiline` in the whole text, where CRLF counts as LF. Line endings that are no part of a match
//! stay, and those of a replacement become those of its place.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Edits;
use search_tools::{CaptureRanges, Pattern};

/// A replacement with references to the groups of a match.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Template(Vec<Part>);

#[derive(Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Group(usize),
}

/// Why a text cannot be replaced.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// A match is empty; its 1-based line.
    EmptyMatch(usize),
    /// More matches than allowed.
    TooManyMatches,
    /// Longer replacements than allowed.
    TooLong,
    Interrupted,
}

/// What a call may still do.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) matches: usize,
    /// Bytes of replacements.
    pub(super) bytes: usize,
}

impl Template {
    /// A replacement without references.
    pub(super) fn literal(text: &str) -> Self {
        Self(vec![Part::Text(text.to_owned())])
    }

    /// Parses `$1`, `${1}`, `${name}` and `$$`. Another `$` stands for itself. As in JavaScript, `$12`
    /// is group 1 and a `2` if there is no group 12.
    ///
    /// # Errors
    /// A message, if there is no such group.
    pub(super) fn parse(text: &str, pattern: &Pattern) -> Result<Self, String> {
        let count = pattern.group_count();
        let no_group = |written: &str| {
            let written: String = written.chars().take(40).collect();
            format!("`replacement` refers to `{written}`, and the pattern has no such group")
        };
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['$', '\\']) {
            plain.push_str(&rest[..at]);
            let is_dollar = rest.as_bytes()[at] == b'$';
            rest = &rest[at + 1..];
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if !is_dollar {
                // The reference of other tools: inserted as it is, it would be a mistake.
                if let Ok(number) = rest[..digits.min(2)].parse::<usize>()
                    && (1..=count).contains(&number)
                {
                    return Err(format!(
                        "`replacement` has `\\{number}`: groups are written `${number}`"
                    ));
                }
                plain.push('\\');
                continue;
            }
            let (group, end) = if let Some(after) = rest.strip_prefix('$') {
                plain.push('$');
                rest = after;
                continue;
            } else if digits > 0 {
                // Group numbers have two digits at most.
                let known = |length: usize| {
                    let number = rest[..length].parse().ok().filter(|number| *number <= count);
                    number.map(|number| (number, length))
                };
                let longest = digits.min(2);
                let found = known(longest).or_else(|| known(1));
                found.ok_or_else(|| no_group(&format!("${}", &rest[..longest])))?
            } else if let Some((name, _)) = rest.strip_prefix('{').and_then(|r| r.split_once('}')) {
                let number = name.parse().ok().filter(|number| *number <= count);
                let group = number.or_else(|| pattern.group_named(name));
                (group.ok_or_else(|| no_group(&format!("${{{name}}}")))?, name.len() + 2)
            } else {
                plain.push('$');
                continue;
            };
            parts.push(Part::Text(std::mem::take(&mut plain)));
            parts.push(Part::Group(group));
            rest = &rest[end..];
        }
        plain.push_str(rest);
        parts.push(Part::Text(plain));
        parts.retain(|part| !matches!(part, Part::Text(text) if text.is_empty()));
        Ok(Self(parts))
    }

    fn expand(
        &self,
        group: impl Fn(usize) -> Option<Range<usize>>,
        text: &str,
        at: usize,
    ) -> String {
        let mut expanded = String::new();
        for part in &self.0 {
            match part {
                Part::Group(number) => {
                    expanded.push_str(group(*number).map_or("", |range| &text[range]));
                }
                Part::Text(plain) if plain.contains('\n') => {
                    let ending = ending_near(text, at);
                    let plain = plain.replace("\r\n", "\n");
                    expanded.push_str(&plain.replace('\n', ending));
                }
                Part::Text(plain) => expanded.push_str(plain),
            }
        }
        expanded
    }
}

/// The line ending of the line at `at`, or of the one before if it has none.
fn ending_near(text: &str, at: usize) -> &'static str {
    let is_end = |c: char| matches!(c, '\n' | '\r');
    let place = text[at..].find(is_end).map(|found| at + found);
    let place = place.or_else(|| text[..at].rfind(is_end));
    let Some(place) = place else { return "\n" };
    let bytes = text.as_bytes();
    match (bytes[place], bytes.get(place + 1)) {
        (b'\r', Some(b'\n')) => "\r\n",
        (b'\n', _) if place > 0 && bytes[place - 1] == b'\r' => "\r\n",
        (b'\r', _) => "\r",
        _ => "\n",
    }
}

/// The edits that replace every match in `text`. Takes time linear in the text for any pattern.
///
/// # Errors
/// If a match is empty or `room` does not suffice.
pub(super) fn replacements(
    text: &str,
    pattern: &Pattern,
    template: &Template,
    room: &mut Room,
    interrupt: &AtomicBool,
) -> Result<Edits, Failure> {
    let captures = pattern.capture_ranges();
    let mut replacer =
        Replacer { text, pattern, template, room, interrupt, captures, edits: Vec::new() };
    // A byte-order mark that a client sent is no part of the first line.
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    if !pattern.multiline {
        let mut at = start;
        while at < text.len() {
            let end = text[at..].find(['\n', '\r']).map_or(text.len(), |found| at + found);
            replacer.find(&text[at..end], |offset| at + offset)?;
            at = end + 1;
        }
    } else if pattern.unifies_endings && text.contains('\r') {
        let (unified, removed) = unify_endings(&text[start..]);
        let original =
            |offset: usize| start + offset + removed.partition_point(|place| *place < offset);
        replacer.find(&unified, original)?;
    } else {
        replacer.find(&text[start..], |offset| start + offset)?;
    }
    Ok(replacer.edits)
}

/// The text with LF in place of CRLF and CR, and the offsets in it of the LFs that were CRLF.
fn unify_endings(text: &str) -> (String, Vec<usize>) {
    let (mut unified, mut removed) = (String::with_capacity(text.len()), Vec::new());
    let mut rest = text;
    while let Some(at) = rest.find('\r') {
        unified.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('\n') {
            removed.push(unified.len());
            rest = after;
        }
        unified.push('\n');
    }
    unified.push_str(rest);
    (unified, removed)
}

struct Replacer<'t> {
    text: &'t str,
    pattern: &'t Pattern,
    template: &'t Template,
    room: &'t mut Room,
    interrupt: &'t AtomicBool,
    captures: CaptureRanges,
    edits: Edits,
}

impl Replacer<'_> {
    /// Replaces the matches in `part`; `original` maps an offset in `part` to the offset in the text.
    fn find(&mut self, part: &str, original: impl Fn(usize) -> usize) -> Result<(), Failure> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Failure::Interrupted);
        }
        let mut at = 0;
        while let Some(groups) = self.pattern.captures(part.as_bytes(), at, &mut self.captures) {
            let Some(Some(found)) = groups.first().cloned() else { return Ok(()) };
            let start = original(found.start);
            if found.is_empty() {
                // After the last line ending there is no line.
                if start == self.text.len() && self.text.ends_with(['\n', '\r']) {
                    return Ok(());
                }
                return Err(Failure::EmptyMatch(line_of(self.text, start)));
            }
            let group = |number: usize| {
                let range = groups.get(number)?.clone()?;
                Some(original(range.start)..original(range.end))
            };
            let new = self.template.expand(group, self.text, start);
            self.room.matches = self.room.matches.checked_sub(1).ok_or(Failure::TooManyMatches)?;
            self.room.bytes = self.room.bytes.checked_sub(new.len()).ok_or(Failure::TooLong)?;
            self.edits.push((start..original(found.end), new));
            at = found.end;
            if self.edits.len().is_multiple_of(1_000) && self.interrupt.load(Ordering::Relaxed) {
                return Err(Failure::Interrupted);
            }
        }
        Ok(())
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text::Text::new(text).line_of(at) + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use search_tools::PatternOptions;

    static GO: AtomicBool = AtomicBool::new(false);
    const ROOM: Room = Room { matches: 1_000, bytes: 1 << 20 };
    const LINES: PatternOptions = PatternOptions {
        case_sensitive: true,
        whole_word: false,
        literal: false,
        multiline: false,
    };
    const ACROSS: PatternOptions = PatternOptions { multiline: true, ..LINES };

    fn replaced(options: PatternOptions, pattern: &str, new: &str, text: &str) -> String {
        let pattern = Pattern::new("t", pattern, options).unwrap();
        let template = match options.literal {
            true => Template::literal(new),
            false => Template::parse(new, &pattern).unwrap(),
        };
        let edits = replacements(text, &pattern, &template, &mut ROOM.clone(), &GO).unwrap();
        let mut result = text.to_owned();
        for (range, new) in edits.into_iter().rev() {
            result.replace_range(range, &new);
        }
        result
    }

    #[test]
    fn replaces_with_groups() {
        for (pattern, new, text, expected) in [
            ("b", "x", "abab\nb", "axax\nx"),
            (r"(\w+)=(\w+)", "$2=$1", "a=1\nb=2", "1=a\n2=b"),
            (r"(?<key>\w+)=", "${key}: ", "a=1", "a: 1"),
            (r"(a)", "$12", "a", "a2"),
            (r"(a)|(b)", "<$1$2>", "ab", "<a><b>"),
            (r"a", "$$1 $x ${", "a", "$1 $x ${"),
            (r"a", r"\1\n", "a", r"\1\n"),
            ("(a)", "${1}0", "a", "a0"),
            ("^a$", "b", "a\r\naa\ra", "b\r\naa\rb"),
            (r"\s+$", "", "a  \r\nb\t\nc", "a\r\nb\nc"),
            ("\u{e9}+", "e", "\u{e9}\u{e9}x\u{e9}", "exe"),
            ("^a", "b", "\u{feff}a", "\u{feff}b"),
        ] {
            assert_eq!(replaced(LINES, pattern, new, text), expected, "{pattern} {new}");
        }
    }

    #[test]
    fn line_endings_stay_what_they_are() {
        for (pattern, new, text, expected) in [
            ("a\nb", "x\ny", "a\r\nb\r\nc\n", "x\r\ny\r\nc\n"),
            ("a\nb", "$0!", "a\r\nb\na\nb", "a\r\nb!\na\nb!"),
            (r"(?s)\{.*?\}", "{}", "f {\r\n  1\r\n}\r\ng", "f {}\r\ng"),
            ("a$", "b", "a\r\na", "b\r\nb"),
            ("a\n", "b\n", "a\ra\n", "b\rb\n"),
            // A pattern that names CR sees every byte.
            ("a\r\n", "b\n", "a\r\nc", "b\r\nc"),
        ] {
            assert_eq!(replaced(ACROSS, pattern, new, text), expected, "{pattern:?} {text:?}");
        }
        // The inserted line ending is that of the place.
        assert_eq!(replaced(LINES, "b", "1\n2", "a\r\nb"), "a\r\n1\r\n2");
    }

    #[test]
    fn options_are_those_of_a_search() {
        let literal = PatternOptions { literal: true, ..LINES };
        assert_eq!(replaced(literal, "a.(", "$1", "a.(b a1("), "$1b a1(");
        let word = PatternOptions { whole_word: true, ..LINES };
        assert_eq!(replaced(word, "(ab)", "<$1>", "ab abc ab"), "<ab> abc <ab>");
        let any_case = PatternOptions { case_sensitive: false, ..LINES };
        assert_eq!(replaced(any_case, "ab", "x", "aB AB"), "x x");
    }

    #[test]
    fn refuses_groups_that_are_not_there() {
        let pattern = Pattern::new("t", "(a)(?<n>b)", LINES).unwrap();
        for (bad, named) in [("$3", "$3"), ("${x}", "${x}"), ("${9}", "${9}"), (r"\1", "$1")] {
            let error = Template::parse(bad, &pattern).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
    }

    #[test]
    fn refuses_empty_matches_and_too_much() {
        let run = |options, pattern: &str, new: &str, text: &str, mut room: Room| {
            let pattern = Pattern::new("t", pattern, options).unwrap();
            replacements(text, &pattern, &Template::literal(new), &mut room, &GO)
        };
        assert_eq!(run(LINES, r"\b", "x", "\n\nab", ROOM), Err(Failure::EmptyMatch(3)));
        assert_eq!(run(ACROSS, "x*", "y", "ab", ROOM), Err(Failure::EmptyMatch(1)));
        let room = Room { matches: 2, bytes: 100 };
        assert_eq!(run(LINES, "a", "x", "aaa", room), Err(Failure::TooManyMatches));
        let room = Room { matches: 9, bytes: 100 };
        assert_eq!(run(LINES, "a", &"x".repeat(60), "aa", room), Err(Failure::TooLong));
    }

    /// Backtracking engines need exponential time for it.
    #[test]
    fn a_catastrophic_pattern_takes_linear_time() {
        let started = std::time::Instant::now();
        let text = format!("{}!", "a".repeat(200_000));
        assert_eq!(replaced(LINES, "^(a+)+$", "x", &text), text);
        assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
    }

    /// Any text and edit: what is outside of the matches does not change, and a group that spans the
    /// match puts back what was there.
    #[test]
    fn putting_back_the_match_changes_nothing() {
        let texts =
            ["a\r\nb\rc\n\n\r\n", "\r\r\n\n\r", "\u{feff}\r\na b\r\n", "\u{1f600}\r\n\u{e9}"];
        for text in texts {
            for (options, pattern) in [
                (ACROSS, r"(?s).+"),
                (ACROSS, r"\n"),
                (ACROSS, r"[^a]+"),
                (LINES, r".+"),
                (LINES, r"\w"),
            ] {
                assert_eq!(replaced(options, pattern, "$0", text), text, "{pattern} {text:?}");
            }
        }
    }
}
