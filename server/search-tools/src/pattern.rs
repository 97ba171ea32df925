//! The pattern of a text search.

use grep_matcher::{Captures, Matcher};
use grep_regex::{RegexCaptures, RegexMatcher, RegexMatcherBuilder};

use tools::{Code, ToolError};

/// Longest pattern, in bytes.
const MAX_PATTERN_BYTES: usize = 64 << 10;
/// Memory limit for a compiled pattern, and for the automaton built while it runs, in bytes:
/// rejects `\w{500}{500}`.
const MAX_COMPILED_BYTES: usize = 16 << 20;
const MAX_AUTOMATON_BYTES: usize = 8 << 20;
/// Limit for nested groups and repetitions.
const MAX_NESTING: u32 = 100;

/// How to interpret a pattern.
#[derive(Debug, Clone, Copy)]
pub struct PatternOptions {
    /// Whether case counts.
    pub case_sensitive: bool,
    /// Whether only whole words match.
    pub whole_word: bool,
    /// Whether the pattern is text, not a regular expression.
    pub literal: bool,
    /// Whether a match may span lines.
    pub multiline: bool,
}

/// A compiled pattern. Clone it for each thread: the clone has its own scratch memory.
#[derive(Debug, Clone)]
pub struct Pattern {
    pub(super) matcher: RegexMatcher,
    /// Whether a match may span lines.
    pub multiline: bool,
    /// Whether CRLF counts as LF when a match may span lines: the pattern names no CR.
    pub unifies_endings: bool,
}

/// Reusable memory for the groups of a match.
pub struct CaptureRanges(RegexCaptures);

impl Pattern {
    /// Compiles a pattern. Matching takes time linear in the text for any pattern.
    pub fn new(tool: &str, pattern: &str, options: PatternOptions) -> Result<Self, ToolError> {
        let invalid = |message: String| ToolError::new(Code::InvalidParams, message);
        if pattern.is_empty() {
            return Err(invalid(format!("{tool}: the pattern is empty")));
        }
        if pattern.len() > MAX_PATTERN_BYTES {
            let length = pattern.len();
            return Err(invalid(format!(
                "{tool}: the pattern is {length} bytes long, more than {MAX_PATTERN_BYTES}"
            )));
        }
        let mut builder = RegexMatcherBuilder::new();
        builder
            .case_insensitive(!options.case_sensitive)
            .fixed_strings(options.literal)
            .word(options.whole_word)
            .multi_line(true)
            .size_limit(MAX_COMPILED_BYTES)
            .dfa_size_limit(MAX_AUTOMATON_BYTES)
            .nest_limit(MAX_NESTING);
        if !options.multiline {
            // Lines end in LF or CRLF, and no match contains a line ending.
            builder.crlf(true);
        }
        let matcher = builder.build(pattern).map_err(|e| {
            let error = invalid(format!("{tool}: {e}"));
            if !options.multiline && matches!(e.kind(), grep_regex::ErrorKind::NotAllowed(_)) {
                error
                    .hint("lines are searched one by one; `multiline: true` lets a match span them")
            } else if options.literal {
                error
            } else {
                error.hint("`literal: true` takes the pattern as plain text")
            }
        })?;
        let names_cr = pattern.contains('\r') || (!options.literal && pattern.contains("\\r"));
        let unifies_endings = options.multiline && !names_cr;
        Ok(Self { matcher, multiline: options.multiline, unifies_endings })
    }

    /// The number of capture groups, not counting the whole match.
    pub fn group_count(&self) -> usize {
        self.matcher.capture_count().saturating_sub(1)
    }

    /// The number of a named capture group.
    pub fn group_named(&self, name: &str) -> Option<usize> {
        self.matcher.capture_index(name)
    }

    /// The ranges of the first match at or after `at` and of its groups: the whole match first,
    /// `None` for a group that took no part.
    pub fn captures(
        &self,
        text: &[u8],
        at: usize,
        captures: &mut CaptureRanges,
    ) -> Option<Vec<Option<std::ops::Range<usize>>>> {
        if !self.matcher.captures_at(text, at, &mut captures.0).ok()? {
            return None;
        }
        let range = |n| captures.0.get(n).map(|found| found.start()..found.end());
        Some((0..captures.0.len()).map(range).collect())
    }

    /// Memory for [`Pattern::captures`].
    pub fn capture_ranges(&self) -> CaptureRanges {
        CaptureRanges(self.matcher.new_captures().expect("its error type has no values"))
    }

    /// The first match in `text` at or after `at`.
    pub fn find(&self, text: &[u8], at: usize) -> Option<std::ops::Range<usize>> {
        let found = self.matcher.find_at(text, at).ok().flatten()?;
        Some(found.start()..found.end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: PatternOptions = PatternOptions {
        case_sensitive: true,
        whole_word: false,
        literal: false,
        multiline: false,
    };

    #[test]
    fn rejects_invalid_and_expensive_patterns_quickly() {
        let nested = "(".repeat(10_000) + &")".repeat(10_000);
        for bad in ["", "(", "[", "a{99999}{99999}", r"(\w{500}){500}", "a\\nb", &nested] {
            let started = std::time::Instant::now();
            let error = Pattern::new("t", bad, PLAIN).map(|_| ()).unwrap_err();
            assert_eq!(error.code, Code::InvalidParams, "{bad:.20}");
            assert!(started.elapsed().as_secs() < 2, "{bad:.20}");
        }
        let long = "x".repeat(MAX_PATTERN_BYTES + 1);
        assert!(Pattern::new("t", &long, PLAIN).is_err());
    }

    #[test]
    fn applies_each_option() {
        let finds = |pattern: &str, options, text: &str| {
            Pattern::new("t", pattern, options).unwrap().find(text.as_bytes(), 0).is_some()
        };
        assert!(!finds("ABC", PLAIN, "abc"));
        assert!(finds("ABC", PatternOptions { case_sensitive: false, ..PLAIN }, "abc"));
        assert!(!finds("a.c", PatternOptions { literal: true, ..PLAIN }, "abc"));
        assert!(!finds("b", PatternOptions { whole_word: true, ..PLAIN }, "abc"));
        assert!(finds("a\nb", PatternOptions { multiline: true, ..PLAIN }, "a\nb"));
        assert!(finds("c$", PLAIN, "abc\r\n"));
    }
}
