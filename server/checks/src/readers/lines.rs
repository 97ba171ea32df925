//! Splits output into lines for formats that are read line by line.

use super::Reader;
use crate::findings::Findings;

/// Longest line that is read whole; what is longer is cut.
const MAX_LINE_BYTES: usize = 4 << 20;

/// A format that is read line by line.
pub(crate) trait LineFormat {
    /// Takes a line, without its ending and without escape sequences.
    fn line(&mut self, line: &str, found: &mut Findings);
    /// Takes the end of the output.
    fn end(&mut self, _found: &mut Findings) {}
}

/// The reader of a [`LineFormat`].
pub(crate) struct Lines<F> {
    format: F,
    line: Vec<u8>,
}

impl<F> Lines<F> {
    pub(crate) fn new(format: F) -> Self {
        Self { format, line: Vec::new() }
    }
}

impl<F: LineFormat> Reader for Lines<F> {
    fn push(&mut self, bytes: &[u8], found: &mut Findings) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let left = MAX_LINE_BYTES.saturating_sub(self.line.len());
            self.line.extend_from_slice(&piece[..piece.len().min(left)]);
            if piece.ends_with(b"\n") {
                self.take_line(found);
            }
        }
    }

    fn finish(&mut self, found: &mut Findings) {
        if !self.line.is_empty() {
            self.take_line(found);
        }
        self.format.end(found);
    }
}

impl<F: LineFormat> Lines<F> {
    fn take_line(&mut self, found: &mut Findings) {
        let line = std::mem::take(&mut self.line);
        let text = plain(&String::from_utf8_lossy(&line));
        self.format.line(text.trim_end_matches(['\r', '\n']), found);
    }
}

/// A text without the escape sequences of terminals.
pub(crate) fn plain(text: &str) -> String {
    if !text.contains('\u{1b}') {
        return text.to_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            plain.push(character);
            continue;
        }
        // Only sequences with parameters and a final letter (`ESC [ … m`) are printed here.
        if characters.clone().next() == Some('[') {
            characters.next();
            for character in characters.by_ref() {
                if ('@'..='~').contains(&character) {
                    break;
                }
            }
        }
    }
    plain
}
