//! Rename: the edits that rename a symbol everywhere, or the reasons to refuse.
//!
//! A rename that is not certain is refused, with the places that make it uncertain. Every
//! occurrence of the name is accounted for: references are resolved, occurrences that no rule
//! covers are examined, and the new name is checked for conflicts where it would appear.

mod conflicts;
mod contextual_keys;
mod identifier;
mod module_name;
mod python_stubs;
mod same_symbol;
mod sites;
mod symbol;
mod text_occurrences;
mod text_uses;
mod unresolved_uses;
mod unsure_uses;

pub(crate) use identifier::invalid_reason as invalid_name_reason;
pub use module_name::RenamableModule;
pub use unsure_uses::{References, UncertainReference};

use std::fmt;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use text::Text;
use thiserror::Error;

use crate::index::{FileId, Index};
use crate::resolve::Resolver;

/// Limit for the problems that a refusal lists.
const MAX_PROBLEMS: usize = 20;

/// A name that can be renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamable {
    /// The bytes of the name.
    pub span: Range<usize>,
    /// The name as it is.
    pub name: String,
}

/// The edits of a rename.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RenamePlan {
    /// The name as it was.
    pub old: String,
    /// The edits, sorted by file and position; no two overlap.
    pub edits: Vec<RenameEdit>,
    /// Files and folders that bear the symbol's name.
    pub moves: Vec<FileMove>,
    /// Whether no other file can refer to the symbol.
    pub is_local: bool,
    /// Uncertain uses that keep the old name; empty unless the request has `allow_unsure`.
    pub uncertain_uses: Vec<RenameProblem>,
}

/// The new name and how to treat uncertain uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenameRequest<'a> {
    /// The new name.
    pub new: &'a str,
    /// Rename the certain uses and report the others, instead of refusing the rename.
    pub allow_unsure: bool,
}

impl<'a> From<&'a str> for RenameRequest<'a> {
    fn from(new: &'a str) -> Self {
        Self { new, allow_unsure: false }
    }
}

/// An edit of a rename.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenameEdit {
    /// The file.
    pub file: FileId,
    /// The bytes to replace.
    pub span: Range<usize>,
    /// Their replacement.
    pub new_text: String,
    /// Why the place changes.
    pub reason: RenameReason,
}

/// Why a place changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RenameReason {
    /// The symbol, or a member of its override set, is defined or declared there.
    Definition,
    /// It is used there.
    Reference,
    /// It is imported or exported there.
    Import,
    /// It may be used there: nothing else has that name. Needs confirmation.
    Unsure,
    /// A comment contains the name. Needs confirmation.
    Comment,
    /// A string contains the name. Needs confirmation.
    String,
}

impl RenameReason {
    /// The name used in results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Definition => "definition",
            Self::Reference => "reference",
            Self::Import => "import",
            Self::Unsure => "unsure",
            Self::Comment => "comment",
            Self::String => "string",
        }
    }

    /// Whether a person has to confirm the edit.
    #[must_use]
    pub fn needs_confirmation(self) -> bool {
        matches!(self, Self::Unsure | Self::Comment | Self::String)
    }
}

/// A file or folder that is renamed with the symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMove {
    /// The file, or one in the folder.
    pub file: FileId,
    /// Its path in the index.
    pub from: String,
    /// Its new path.
    pub to: String,
}

/// A place that prevents a rename.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenameProblem {
    /// The file.
    pub file: FileId,
    /// The file's path in the index.
    pub path: String,
    /// The line, from 1; 0 if the text is not available.
    pub line: usize,
    /// The bytes.
    pub span: Range<usize>,
    /// What prevents the rename there.
    pub why: String,
}

/// The places that prevent a rename.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RenameProblems(pub Vec<RenameProblem>);

impl fmt::Display for RenameProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, problem) in self.0.iter().take(3).enumerate() {
            let comma = if n == 0 { "" } else { "; " };
            write!(f, "{comma}{}:{} {}", problem.path, problem.line, problem.why)?;
        }
        match self.0.len() {
            0..=3 => Ok(()),
            more => write!(f, "; and {} more", more - 3),
        }
    }
}

/// Why a rename is refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RenameError {
    /// There is no name at the position.
    #[error("there is no name here that can be renamed")]
    NotAName,
    /// The name does not resolve.
    #[error("`{name}` is not renamed: its definition was not found")]
    Unresolved {
        /// The name.
        name: String,
    },
    /// The definition is outside the project.
    #[error("`{name}` is not renamed: it is defined outside this project")]
    Outside {
        /// The name.
        name: String,
    },
    /// The definition is in a dependency, or overrides one that is.
    #[error("`{name}` is not renamed: it is defined in a library, in {place}")]
    Library {
        /// The name.
        name: String,
        /// The file that defines it, relative to the language's library folder.
        place: String,
    },
    /// The name cannot be changed.
    #[error("`{name}` is not renamed: {why}")]
    NotRenamable {
        /// The name.
        name: String,
        /// Why.
        why: String,
    },
    /// The new name is not an identifier.
    #[error("`{name}` cannot be the new name: {why}")]
    Invalid {
        /// The new name.
        name: String,
        /// Why.
        why: &'static str,
    },
    /// Some uses are uncertain.
    #[error("`{name}` is not renamed, because some uses are uncertain: {places}")]
    Unsure {
        /// The name.
        name: String,
        /// The uses.
        places: RenameProblems,
    },
    /// The new name is already taken.
    #[error("`{name}` cannot be the new name, because it conflicts with another one: {places}")]
    Conflict {
        /// The new name.
        name: String,
        /// The places.
        places: RenameProblems,
    },
    /// The request was cancelled.
    #[error("the rename was cancelled")]
    Interrupted,
}

/// Input of a rename beside the index.
pub struct RenameSources<'a> {
    /// Returns the text of an indexed file.
    pub text: &'a dyn Fn(FileId) -> Option<Text>,
    /// Files whose text contains the old name as a word, found by a text search. Files that use or
    /// define it by the index are searched in any case.
    pub files_with_name: &'a [FileId],
    /// Set when the request is cancelled.
    pub interrupt: &'a AtomicBool,
}

impl fmt::Debug for RenameSources<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RenameSources")
            .field("holding", &self.files_with_name)
            .finish_non_exhaustive()
    }
}

impl Index {
    /// The name at a byte offset, if it can be renamed as far as is known without the new name.
    /// O(resolving its definition).
    ///
    /// # Errors
    /// Why it cannot be renamed.
    pub fn prepare_rename(&self, file: FileId, offset: usize) -> Result<Renamable, RenameError> {
        if let Some(module_name) = self.module_at(file, offset) {
            return Ok(Renamable { span: module_name.span, name: module_name.name });
        }
        let symbol = symbol::symbol_at(self, &Resolver::new(self), file, offset)?;
        Ok(Renamable { span: symbol.span, name: symbol.name })
    }

    /// The edits that rename the symbol at a byte offset. Modules named after their file are not
    /// covered; see [`Index::module_at`]. O(files that contain the name).
    ///
    /// # Errors
    /// Why it is not renamed. An uncertain rename is refused unless the request allows it.
    pub fn rename<'r>(
        &self,
        file: FileId,
        offset: usize,
        request: impl Into<RenameRequest<'r>>,
        sources: &RenameSources<'_>,
    ) -> Result<RenamePlan, RenameError> {
        let request = request.into();
        let resolver = Resolver::new(self);
        let symbol = symbol::symbol_at(self, &resolver, file, offset)?;
        let language = self.facts(file).map_or("", |f| f.language().id());
        let new = symbol.with_prefix(request.new);
        if let Some(why) = identifier::invalid_reason(&new, language) {
            return Err(RenameError::Invalid { name: new, why });
        }
        let mut plan = RenamePlan { old: symbol.name.clone(), ..RenamePlan::default() };
        if new == symbol.name {
            return Ok(plan);
        }
        let located = |mut places: Vec<RenameProblem>| {
            for place in &mut places {
                place.path =
                    self.files.get(&place.file).map_or(String::new(), |e| e.path.to_string());
                let text = (sources.text)(place.file);
                place.line = text.map_or(0, |t| t.line_of(place.span.start) + 1);
            }
            places
        };
        let problems = |mut places: Vec<RenameProblem>| {
            places.truncate(MAX_PROBLEMS);
            RenameProblems(located(places))
        };
        match symbol.check_overrides(&resolver, sources) {
            Err(RenameError::Unsure { places, .. }) if request.allow_unsure => {
                plan.uncertain_uses = places.0;
            }
            checked => checked?,
        }
        let mut found = sites::find_sites(&resolver, &symbol, &new, sources)?;
        if request.allow_unsure {
            plan.uncertain_uses.extend(located(std::mem::take(&mut found.problems)));
        }
        if !found.problems.is_empty() {
            return Err(RenameError::Unsure {
                name: symbol.name,
                places: problems(found.problems),
            });
        }
        let conflicts = conflicts::find_conflicts(&resolver, &symbol, &new, &found);
        if !conflicts.is_empty() {
            return Err(RenameError::Conflict { name: new, places: problems(conflicts) });
        }
        plan.edits = found.edits;
        plan.edits.sort_by_key(|e| (e.file, e.span.start, e.reason));
        plan.edits.dedup_by_key(|e| (e.file, e.span.start));
        plan.moves = symbol.moves(&resolver, &new);
        plan.is_local = symbol.reach == symbol::Reach::Local;
        Ok(plan)
    }
}

impl RenameProblem {
    fn new(file: FileId, span: Range<usize>, why: impl Into<String>) -> Self {
        Self { file, path: String::new(), line: 0, span, why: why.into() }
    }
}
