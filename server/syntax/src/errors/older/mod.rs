//! Constructs that a grammar does not know, read as ones that it knows.
//!
//! Where a parser stumbles, the text is read once more with such constructs put in other words of
//! the same length, so that what is still wrong stands where it stands in the text. Only errors are
//! read off that tree: a sound text is never read twice.

mod csharp;
mod php;
mod rust;
pub(super) mod rust_tokens;
mod small;

use std::sync::atomic::AtomicBool;

use text::Text;

use crate::Syntax;

/// A text in other words: each byte stands in for one byte, and line breaks stay.
struct Draft {
    bytes: Vec<u8>,
    changed: bool,
}

impl Draft {
    fn new(source: &str) -> Self {
        Self { bytes: source.as_bytes().to_vec(), changed: false }
    }

    /// Puts blanks in the place of a span.
    fn blank(&mut self, start: usize, end: usize) {
        self.fill(start, end, b' ');
    }

    fn is_blank(&self, at: usize) -> bool {
        self.bytes.get(at) == Some(&b' ')
    }

    /// Puts a plain name in the place of a word.
    fn rename(&mut self, start: usize, end: usize) {
        self.fill(start, end, b'x');
    }

    fn fill(&mut self, start: usize, end: usize, with: u8) {
        let span = self.bytes.get_mut(start..end).unwrap_or_default();
        for byte in span.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
            *byte = with;
        }
        self.changed = true;
    }

    /// Puts other text, and blanks behind it, in the place of a span that is at least as long.
    fn replace(&mut self, start: usize, end: usize, with: &str) {
        if end.saturating_sub(start) < with.len() {
            return;
        }
        self.blank(start, end);
        if let Some(span) = self.bytes.get_mut(start..start + with.len()) {
            span.copy_from_slice(with.as_bytes());
        }
    }

    fn finish(self) -> Option<String> {
        // Only whole characters are replaced; were it otherwise, nothing is.
        String::from_utf8(self.bytes).ok().filter(|_| self.changed)
    }
}

/// The text with newer constructs in older words, if it has any.
fn older(language: &str, source: &str) -> Option<String> {
    match language {
        "csharp" => csharp::older(source),
        "nix" => small::nix(source),
        "ocaml" => small::ocaml(source),
        "php" => php::older(source),
        "ruby" => small::ruby(source),
        "rust" => rust::older(source),
        "xml" => small::xml(source),
        _ => None,
    }
}

impl Syntax {
    /// This text with the tree of one in which newer constructs are put in older words, and that
    /// one, if there are such constructs. O(text).
    pub(super) fn with_older_words(&self, source: &str) -> Option<(Self, String)> {
        let older = older(self.language().id(), source)?;
        let text = Text::new(&older);
        let parsed = Self::parse(self.language(), &text, None, &AtomicBool::new(false))?;
        Some((parsed.with_text(self.text()), older))
    }
}
