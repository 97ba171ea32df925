//! Searches the content of one file of any size.

use std::io::Read;
use std::sync::atomic::AtomicBool;

use memchr::memchr;

use super::lines::{HitLimits, LineHits, Outcome, Piece, end_lines_alike, search};
use super::pattern::Pattern;
use super::sliding::SlidingWindow;

/// Size of the window in memory, in bytes; larger files slide through it.
const WINDOW_BYTES: usize = 8 << 20;
/// Largest file that is searched whole in memory, because it is UTF-16 or matches may span lines.
const MAX_WHOLE_FILE_BYTES: u64 = 64 << 20;

/// Searches files one after the other and reuses its buffers.
pub(super) struct Contents {
    buffer: Vec<u8>,
    window: usize,
}

impl Contents {
    pub(super) fn new() -> Self {
        Self { buffer: Vec::new(), window: WINDOW_BYTES }
    }

    /// Searches `file`, which has `size` bytes.
    pub(super) fn search_file(
        &mut self,
        mut file: impl Read,
        size: u64,
        pattern: &Pattern,
        limits: HitLimits,
        interrupt: &AtomicBool,
    ) -> Outcome {
        let is_large = size > self.window as u64;
        if is_large && (pattern.multiline && size > MAX_WHOLE_FILE_BYTES) {
            return Outcome::Unread;
        }
        let room = if pattern.multiline { size.max(1) } else { size.clamp(1, self.window as u64) };
        let room = usize::try_from(room).unwrap_or(self.window);
        let Ok(filled) = self.fill(&mut file, 0, room) else { return Outcome::Unread };
        let is_utf16 = matches!(self.buffer.get(..2), Some(b"\xFF\xFE" | b"\xFE\xFF"));
        if is_utf16 && filled >= 2 {
            if size > MAX_WHOLE_FILE_BYTES {
                return Outcome::Unread;
            }
            let whole = usize::try_from(size).unwrap_or(filled);
            let Ok(filled) = self.fill(&mut file, filled, whole) else { return Outcome::Unread };
            return match text::decode(self.buffer[..filled].to_vec()) {
                Ok(decoded) => search_text(decoded.text, pattern, limits, interrupt),
                Err(_) => Outcome::Binary,
            };
        }
        if is_large && !pattern.multiline {
            self.buffer.resize(self.window, 0);
            let mut sliding = SlidingWindow::new(&mut self.buffer, filled, &mut file);
            return sliding.search(pattern, limits, interrupt);
        }
        let bytes = &mut self.buffer[..filled];
        end_lines_alike(bytes, true);
        let filled = if pattern.unifies_endings { drop_carriage_returns(bytes) } else { filled };
        let bytes = &self.buffer[..filled];
        let start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        let bytes = &bytes[start..];
        let mut found = LineHits::default();
        let piece = Piece { bytes, region: 0..bytes.len(), first_line: 1 };
        search(pattern, &piece, limits, interrupt, &mut found);
        if !found.hits.is_empty() && memchr(0, bytes).is_some() {
            return Outcome::Binary;
        }
        Outcome::Searched(found.hits)
    }

    /// Reads into the buffer from `filled` up to `room` bytes; returns the new fill.
    fn fill(
        &mut self,
        file: &mut impl Read,
        mut filled: usize,
        room: usize,
    ) -> std::io::Result<usize> {
        if self.buffer.len() < room {
            self.buffer.resize(room, 0);
        }
        while filled < room {
            match file.read(&mut self.buffer[filled..room]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

/// Searches a text in memory.
pub(super) fn search_text(
    text: String,
    pattern: &Pattern,
    limits: HitLimits,
    interrupt: &AtomicBool,
) -> Outcome {
    let mut bytes = text.into_bytes();
    end_lines_alike(&mut bytes, true);
    if pattern.unifies_endings {
        let kept = drop_carriage_returns(&mut bytes);
        bytes.truncate(kept);
    }
    let piece = Piece { bytes: &bytes, region: 0..bytes.len(), first_line: 1 };
    let mut found = LineHits::default();
    search(pattern, &piece, limits, interrupt, &mut found);
    Outcome::Searched(found.hits)
}

/// Moves the bytes other than CRs to the front and returns their number. Each CR is part of a CRLF.
fn drop_carriage_returns(bytes: &mut [u8]) -> usize {
    let Some(first) = memchr(b'\r', bytes) else { return bytes.len() };
    let mut kept = first;
    for at in first..bytes.len() {
        if bytes[at] != b'\r' {
            bytes[kept] = bytes[at];
            kept += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::pattern::PatternOptions;
    use super::*;
    use crate::lines::LineHit;

    static GO: AtomicBool = AtomicBool::new(false);

    fn pattern(pattern: &str) -> Pattern {
        let options = PatternOptions {
            case_sensitive: true,
            whole_word: false,
            literal: false,
            multiline: false,
        };
        Pattern::new("t", pattern, options).unwrap()
    }

    fn hits(window: usize, text: &[u8], regex: &str, context: usize) -> Outcome {
        let mut contents = Contents { buffer: Vec::new(), window };
        let limits = HitLimits { context, after_line: 0, max_hits: usize::MAX };
        contents.search_file(text, text.len() as u64, &pattern(regex), limits, &GO)
    }

    /// Window size must not change the result, except columns and context of lines longer than it.
    #[test]
    fn a_sliding_window_finds_the_same_matches() {
        let mut text = String::from("\u{feff}needle first\r\n");
        for n in 0..150 {
            match n % 7 {
                0 => text.push_str(&format!("line {n} needle\n")),
                1 => text.push_str("cr\rneedle\r\n"),
                2 => text.push('\n'),
                3 => text.push_str(&format!("{}needle{}\n", "x".repeat(n), "y".repeat(n / 2))),
                _ => text.push_str("plain\r\n"),
            }
        }
        text.push_str("the last needle");
        for regex in ["needle", "^needle", "needle$", "^$", "^plain$", "no such", "x+needle"] {
            for context in [0, 2] {
                let Outcome::Searched(whole) = hits(1 << 20, text.as_bytes(), regex, context)
                else {
                    panic!()
                };
                for window in [64, 100, 256, 1_000] {
                    let Outcome::Searched(parts) = hits(window, text.as_bytes(), regex, context)
                    else {
                        panic!()
                    };
                    let numbers = |hits: &[LineHit]| -> Vec<_> {
                        hits.iter().map(|hit| hit.line_number).collect()
                    };
                    // A run of `x` longer than the overlap must still end in a match.
                    assert_eq!(numbers(&parts), numbers(&whole), "{regex} {window} {context}");
                    for (part, whole) in parts.iter().zip(&whole) {
                        if whole.line.len() + 40 < window / 4 && part.before.len() == context {
                            assert_eq!((&part.line, &part.before), (&whole.line, &whole.before));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn an_endless_line_uses_bounded_memory() {
        let text = format!("{}needle{}", "x".repeat(300_000), "y".repeat(300_000));
        let Outcome::Searched(found) = hits(1_000, text.as_bytes(), "needle", 3) else { panic!() };
        assert_eq!((found.len(), found[0].line_number, found[0].cut), (1, 1, true));
        assert!(found[0].line.contains("needle"));
    }

    #[test]
    fn skips_binary_files() {
        assert_eq!(hits(1 << 20, b"needle\0", "needle", 0), Outcome::Binary);
        assert_eq!(
            hits(64, &[b"needle\n".repeat(50), vec![0]].concat(), "needle", 0),
            Outcome::Binary
        );
        let utf16: Vec<u8> =
            "\u{feff}a\r\nneedle".encode_utf16().flat_map(u16::to_be_bytes).collect();
        let Outcome::Searched(found) = hits(1 << 20, &utf16, "^needle$", 0) else { panic!() };
        assert_eq!((found[0].line_number, found[0].line.as_str()), (2, "needle"));
        let Outcome::Searched(found) = hits(1 << 20, b"a\xff needle\n", "needle", 0) else {
            panic!()
        };
        assert_eq!(found[0].line, "a\u{fffd} needle");
    }
}
