//! The words of an instruction.

use std::ops::Range;

/// The span of a word within its instruction.
pub(super) type Word = Range<usize>;

/// The word at or after `at`, up to the next blank.
pub(super) fn first_word(text: &str, at: usize) -> Option<Word> {
    let rest = text.get(at..)?;
    let start = at + rest.find(|c: char| !c.is_whitespace())?;
    let length = text[start..].find(char::is_whitespace).unwrap_or(text.len() - start);
    Some(start..start + length)
}

/// An iterator over words, which may contain quoted and escaped blanks.
pub(super) struct Words<'t> {
    text: &'t str,
    at: usize,
    escape: char,
    /// The offset of the quote that the last word leaves open.
    pub(super) unclosed: Option<usize>,
}

impl<'t> Words<'t> {
    pub(super) fn new(text: &'t str, at: usize, escape: char) -> Self {
        Self { text, at, escape, unclosed: None }
    }
}

impl Iterator for Words<'_> {
    type Item = Word;

    fn next(&mut self) -> Option<Word> {
        let start = first_word(self.text, self.at)?.start;
        let (mut quote, mut skip) = (None, false);
        self.at = self.text.len();
        for (at, c) in self.text[start..].char_indices() {
            match quote {
                _ if skip => skip = false,
                // There are no escapes within single quotes.
                Some(('\'', _)) if c != '\'' => {}
                _ if c == self.escape => skip = true,
                Some((open, _)) if open == c => quote = None,
                Some(_) => {}
                None if c == '"' || c == '\'' => quote = Some((c, start + at)),
                None if c.is_whitespace() => {
                    self.at = start + at;
                    break;
                }
                None => {}
            }
        }
        self.unclosed = quote.map(|(_, at)| at);
        Some(start..self.at)
    }
}
