//! What a trigger character requests.

use workspace::Document;

/// Trigger characters of any language.
pub(crate) const TRIGGERS: [&str; 8] = [".", ":", ">", "/", "\"", "'", "<", "@"];

/// What completes after a trigger character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    /// Any candidates.
    Anything,
    /// Only paths.
    Path,
    /// Nothing: the character means something else here.
    Nothing,
}

impl Trigger {
    /// Classifies the trigger character before an offset. `None` is an explicit request.
    pub(super) fn classify(character: Option<&str>, document: &Document, offset: usize) -> Self {
        let Some(character) = character else { return Self::Anything };
        let language = document.language().map_or("", |language| language.id());
        let before = document.text().slice(offset.saturating_sub(8)..offset);
        let Some(before) = before.strip_suffix(character) else { return Self::Anything };
        let follows_name = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        match character {
            // A closing tag.
            "/" if before.ends_with('<') && matches!(language, "javascript" | "tsx") => {}
            "\"" | "'" | "/" => return Self::Path,
            // Type arguments, an element, or a header.
            "<" => match language {
                "c" | "python" | "go" => return Self::Path,
                "rust" | "java" | "cpp" if !follows_name => return Self::Path,
                "javascript" if follows_name => return Self::Path,
                _ => {}
            },
            ":" if !(matches!(language, "rust" | "cpp" | "php") && before.ends_with(':')) => {
                return Self::Nothing;
            }
            ">" if !(matches!(language, "c" | "cpp" | "php") && before.ends_with('-')) => {
                return Self::Nothing;
            }
            "@" if follows_name || !has_annotations(language) => return Self::Nothing,
            _ => {}
        }
        Self::Anything
    }
}

/// Whether a language has decorators or annotations.
fn has_annotations(language: &str) -> bool {
    matches!(language, "python" | "java" | "javascript" | "typescript" | "tsx")
}
