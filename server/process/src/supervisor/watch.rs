//! Waits for a pattern in the output while it arrives, so that a flood cannot outrun it.

use std::ops::Range;
use std::sync::Arc;

use anstream::adapter::StripBytes;

/// Finds a match in a text of lines. It must not match line ends.
pub type Pattern = Arc<dyn Fn(&[u8]) -> Option<Range<usize>> + Send + Sync>;

/// Limit for the part of a long line that is searched again when more of it arrives, in bytes.
const MAX_LINE: usize = 16 << 10;

/// A line that matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternMatch {
    /// The line without escape sequences, as far as it had arrived; a long one is cut.
    pub line: String,
}

/// Limit for [`PatternMatch::line`], in bytes.
const MAX_MATCHED_LINE: usize = 500;

/// A search for a pattern in arriving output.
pub(super) struct PatternWatch {
    pattern: Pattern,
    escapes: StripBytes,
    /// The line that has not ended yet.
    line: Vec<u8>,
    found: Option<PatternMatch>,
}

impl PatternWatch {
    pub(super) fn new(pattern: Pattern) -> Self {
        Self { pattern, escapes: StripBytes::new(), line: Vec::new(), found: None }
    }

    /// The first match.
    pub(super) fn found(&self) -> Option<&PatternMatch> {
        self.found.as_ref()
    }

    /// Searches the next output.
    pub(super) fn feed(&mut self, output: &[u8]) {
        if self.found.is_some() {
            return;
        }
        // Terminals end lines with both, and progress bars return to the start of the line.
        let mut text = std::mem::take(&mut self.line);
        for part in self.escapes.strip_next(output) {
            let from = text.len();
            text.extend_from_slice(part);
            for byte in &mut text[from..] {
                if *byte == b'\r' {
                    *byte = b'\n';
                }
            }
        }
        if let Some(at) = (self.pattern)(&text) {
            self.found = Some(PatternMatch { line: line_of(&text, at) });
            return;
        }
        let last = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let last = last.max(text.len().saturating_sub(MAX_LINE));
        text.drain(..last);
        self.line = text;
    }
}

/// The line around a match.
fn line_of(text: &[u8], at: Range<usize>) -> String {
    let start = text[..at.start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let end = text[at.start..].iter().position(|byte| *byte == b'\n');
    let line = &text[start..end.map_or(text.len(), |end| at.start + end)];
    String::from_utf8_lossy(&line[..line.len().min(MAX_MATCHED_LINE)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(word: &'static str) -> PatternWatch {
        PatternWatch::new(Arc::new(move |text: &[u8]| {
            let at = text.windows(word.len()).position(|w| w == word.as_bytes())?;
            Some(at..at + word.len())
        }))
    }

    #[test]
    fn a_match_may_arrive_in_parts_and_in_colours() {
        let output = b"one\r\n\x1b[32mLo\x1b[1mcal\x1b[0m: http://h\r\nthree\n";
        for size in 1..output.len() {
            let mut watch = watch("Local: http");
            output.chunks(size).for_each(|part| watch.feed(part));
            let line = &watch.found().unwrap().line;
            assert!(line.starts_with("Local: http"), "{size}: {line}");
        }
    }

    #[test]
    fn unended_lines_are_searched_and_bounded() {
        let mut prompt = watch(">>> ");
        prompt.feed(b"Python\n>>> ");
        assert_eq!(prompt.found().unwrap().line, ">>> ");
        let mut long = watch("end");
        for _ in 0..100 {
            long.feed(&[b'x'; 10_000]);
            assert!(long.line.len() <= MAX_LINE);
        }
        long.feed(b"end");
        assert!(long.found().unwrap().line.len() <= MAX_MATCHED_LINE);
    }
}
