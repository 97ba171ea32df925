//! Rewrites syntax that a grammar does not support into syntax that it supports.
//!
//! If a text has errors, it is parsed once more with such constructs replaced by others of the same
//! length, so that positions stay. The new tree is used only for errors; a text without errors is
//! never parsed twice.

mod csharp;
mod others;
mod php;
mod rust;
pub(super) mod rust_tokens;

use std::sync::atomic::AtomicBool;

use text::Text;

use crate::Syntax;

/// A rewritten text: it has the same length and line breaks as the original.
struct DownlevelText {
    bytes: Vec<u8>,
    changed: bool,
}

impl DownlevelText {
    fn new(source: &str) -> Self {
        Self { bytes: source.as_bytes().to_vec(), changed: false }
    }

    /// Replaces a span by blanks.
    fn blank(&mut self, start: usize, end: usize) {
        self.fill(start, end, b' ');
    }

    fn is_blank(&self, at: usize) -> bool {
        self.bytes.get(at) == Some(&b' ')
    }

    /// Replaces a word by a plain identifier.
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

    /// Replaces a span by `with`, padded with blanks. Does nothing if `with` is longer.
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
        // Only whole characters are replaced, so it is valid UTF-8.
        String::from_utf8(self.bytes).ok().filter(|_| self.changed)
    }
}

/// The languages with constructs to rewrite.
const LANGUAGES: [&str; 7] = ["csharp", "nix", "ocaml", "php", "ruby", "rust", "xml"];

/// The rewritten text, if it has constructs to rewrite.
fn downleveled(language: &str, source: &str) -> Option<String> {
    match language {
        "csharp" => csharp::downleveled(source),
        "nix" => others::nix(source),
        "ocaml" => others::ocaml(source),
        "php" => php::downleveled(source),
        "ruby" => others::ruby(source),
        "rust" => rust::downleveled(source),
        "xml" => others::xml(source),
        _ => None,
    }
}

impl Syntax {
    /// Whether the language has constructs that are rewritten.
    pub(super) fn is_downleveled(&self) -> bool {
        LANGUAGES.contains(&self.language().id())
    }

    /// This text with the tree of the rewritten one, and the rewritten text, if there is anything
    /// to rewrite. O(text).
    pub(super) fn downleveled(&self, source: &str) -> Option<(Self, String)> {
        let downleveled = downleveled(self.language().id(), source)?;
        let text = Text::new(&downleveled);
        let parsed = Self::parse(self.language(), &text, None, &AtomicBool::new(false))?;
        Some((parsed.with_text(self.text()), downleveled))
    }
}
