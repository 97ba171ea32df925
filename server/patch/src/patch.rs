//! The input: patches, and options that limit how tolerantly they are matched.

use std::borrow::Cow;

/// A replacement of one text by another.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Patch {
    /// The text to replace, as its author remembers it.
    pub old_text: String,
    /// The replacement.
    pub new_text: String,
    /// The 1-based line of the snapshot on which `old_text` probably begins. A hint.
    pub start_line: Option<usize>,
    /// The 1-based line of the snapshot on which `old_text` probably ends. A hint.
    pub end_line: Option<usize>,
    /// Replace every exact occurrence instead of requiring exactly one.
    pub replace_all: bool,
    /// Anchor lines, outermost first, such as the signature of the enclosing function. The place
    /// must be below them; an anchor that is not in the text is an error.
    pub within: Vec<String>,
    /// The section heading of a unified hunk (the text after the second `@@`). If the text has
    /// this line, the place must be below it.
    pub heading: Option<String>,
    /// Prefer the place at the end of the text. A hint.
    pub at_end: bool,
    /// `old_text` and `new_text` under the assumption that the hunk's context lines lack their
    /// leading blank; `None` if that makes no difference.
    pub unmarked: Option<(String, String)>,
}

impl Patch {
    /// A patch without hints.
    pub fn new(old: impl Into<String>, new: impl Into<String>) -> Patch {
        Patch { old_text: old.into(), new_text: new.into(), ..Patch::default() }
    }

    /// The same patch with a 1-based line hint.
    pub fn at_line(self, line: usize) -> Patch {
        Patch { start_line: Some(line), ..self }
    }
}

/// The two texts of a patch, in one reading of it.
#[derive(Debug, Clone)]
pub(crate) struct PatchTexts<'p> {
    pub(crate) old: Cow<'p, str>,
    pub(crate) new: Cow<'p, str>,
}

/// Whether the similarity tier may match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fuzzy {
    /// Never: the similarity tier is skipped.
    Off,
    /// Only under conditions that make a wrong place implausible.
    #[default]
    Safe,
}

/// Limits of matching, and callbacks for what this crate does not know.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// Controls the similarity tier.
    pub fuzzy: Fuzzy,
    /// Counts the syntax errors of a text; `None` if the language is unknown.
    /// A tolerant match that adds errors is refused.
    pub syntax_errors: Option<&'a dyn Fn(&str) -> usize>,
    /// Whether this patch was applied before and nothing has changed since. Such a patch was sent
    /// twice and is not applied again.
    pub applied_before: Option<&'a dyn Fn(&Patch) -> bool>,
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("fuzzy", &self.fuzzy)
            .field("syntax_errors", &self.syntax_errors.is_some())
            .field("applied_before", &self.applied_before.is_some())
            .finish()
    }
}
