//! What is wanted: patches and how far their matching may go.

/// One wanted replacement.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Patch {
    /// The text to be replaced, as its author remembers it.
    pub old_text: String,
    /// What stands there afterwards.
    pub new_text: String,
    /// The 1-based line of the snapshot on which `old_text` is thought to begin.
    pub start_line: Option<usize>,
    /// The 1-based line of the snapshot on which `old_text` is thought to end.
    pub end_line: Option<usize>,
    /// Replace every exact occurrence instead of demanding that there be one.
    pub replace_all: bool,
    /// Lines above the place, outermost first, such as the head of the function it is in. The
    /// place must be below them; one that is not in the text is an error.
    pub within: Vec<String>,
    /// The heading of a unified hunk: the line that its tool took for the head of the function
    /// around it. Where the text has it, the place must be below it.
    pub heading: Option<String>,
    /// The place is thought to end with the text.
    pub at_end: bool,
    /// `old_text` and `new_text` of a hunk whose context may have been written without marks,
    /// where that reads otherwise.
    pub unmarked: Option<(String, String)>,
}

impl Patch {
    /// A patch without hints.
    pub fn new(old: impl Into<String>, new: impl Into<String>) -> Patch {
        Patch { old_text: old.into(), new_text: new.into(), ..Patch::default() }
    }

    /// The same patch with the 1-based line it is thought to begin on.
    pub fn at_line(self, line: usize) -> Patch {
        Patch { start_line: Some(line), ..self }
    }
}

/// Whether texts that are only similar may be matched at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fuzzy {
    /// Never: the similarity tier is skipped.
    Off,
    /// Under conditions that make a wrong place implausible.
    #[default]
    Safe,
}

/// How far matching may go.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// The similarity tier.
    pub fuzzy: Fuzzy,
    /// Number of syntax errors of a text; `None` where the language is unknown.
    /// A tolerant match that raises it is refused.
    pub syntax_errors: Option<&'a dyn Fn(&str) -> usize>,
    /// Whether this very patch was applied to this text before, and nothing was changed since:
    /// then it was sent again, and is not applied once more.
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
