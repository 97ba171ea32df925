//! What is asked for when a sign is typed, without being asked for.

use workspace::Document;

/// What a client asks by itself after, in some language or other.
pub(crate) const TRIGGERS: [&str; 8] = [".", ":", ">", "/", "\"", "'", "<", "@"];

/// What a sign that was just typed asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meant {
    /// Whatever fits.
    Anything,
    /// A path, where one begins or goes on.
    Path,
    /// It only looks like a sign that asks.
    Nothing,
}

impl Meant {
    /// What the sign before an offset asks for; no sign was typed where somebody asked.
    pub(super) fn by(sign: Option<&str>, document: &Document, offset: usize) -> Self {
        let Some(sign) = sign else { return Self::Anything };
        let language = document.language().map_or("", |language| language.id());
        let before = document.text().slice(offset.saturating_sub(8)..offset);
        let Some(before) = before.strip_suffix(sign) else { return Self::Anything };
        let follows_name = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        match sign {
            // The end of an element.
            "/" if before.ends_with('<') && matches!(language, "javascript" | "tsx") => {}
            "\"" | "'" | "/" => return Self::Path,
            // A type's arguments, an element, a header.
            "<" => match language {
                "c" | "python" | "go" => return Self::Path,
                "rust" | "java" | "cpp" if !follows_name => return Self::Path,
                "javascript" if follows_name => return Self::Path,
                _ => {}
            },
            ":" if !(matches!(language, "rust" | "cpp") && before.ends_with(':')) => {
                return Self::Nothing;
            }
            ">" if !(matches!(language, "c" | "cpp") && before.ends_with('-')) => {
                return Self::Nothing;
            }
            "@" if follows_name || !has_notes(language) => return Self::Nothing,
            _ => {}
        }
        Self::Anything
    }
}

/// Whether a language has decorators or annotations.
fn has_notes(language: &str) -> bool {
    matches!(language, "python" | "java" | "javascript" | "typescript" | "tsx")
}
