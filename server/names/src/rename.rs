//! Renaming: which places change, or why none may.
//!
//! A rename that is not sure is refused, with the places that make it so. Everything that carries
//! the name is accounted for: each use is resolved, each occurrence that no rule covers is looked
//! at, and the new name is held against what it would meet or hide.

mod conflicts;
mod demanded;
mod doubts;
mod identifier;
mod mentions;
mod module;
mod sites;
mod stub;
mod subject;
mod symbol;
mod uncovered;
mod unsure_uses;

pub(crate) use identifier::refused as name_refused;
pub use module::ModuleName;
pub use unsure_uses::{UnsureUse, Uses};

use std::fmt;
use std::ops::Range;
use std::sync::atomic::AtomicBool;

use text::Text;
use thiserror::Error;

use crate::index::{FileId, Index};
use crate::resolve::Resolver;

/// Most places that a refusal names.
const NAMED: usize = 20;

/// What can be renamed at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamable {
    /// The bytes of the name.
    pub span: Range<usize>,
    /// The name as it is.
    pub name: String,
}

/// A rename, ready to be made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RenamePlan {
    /// The name as it was.
    pub old: String,
    /// What changes, in order of file and place; no two overlap.
    pub edits: Vec<RenameEdit>,
    /// Files that are named for what is renamed.
    pub moves: Vec<FileMove>,
    /// Whether no other file can name what is renamed.
    pub is_local: bool,
    /// Uses that may mean it and keep their name: of a request with `allow_unsure` only.
    pub left_out: Vec<RenameProblem>,
}

/// The new name, and what may be left undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RenameRequest<'a> {
    /// The new name.
    pub new: &'a str,
    /// Rename where it is sure, and report the other uses instead of refusing the rename.
    pub allow_unsure: bool,
}

impl<'a> From<&'a str> for RenameRequest<'a> {
    fn from(new: &'a str) -> Self {
        Self { new, allow_unsure: false }
    }
}

/// A change of a rename.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenameEdit {
    /// The file.
    pub file: FileId,
    /// The bytes that go.
    pub span: Range<usize>,
    /// What comes instead.
    pub new_text: String,
    /// Why.
    pub reason: RenameReason,
}

/// Why a place changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RenameReason {
    /// What is renamed is defined or declared there, or a member of its family is.
    Definition,
    /// It is used there.
    Reference,
    /// It is imported or exported there.
    Import,
    /// It may be used there: nothing else has that name. To be confirmed.
    Unsure,
    /// A comment holds the name. To be confirmed.
    Comment,
    /// A string holds the name. To be confirmed.
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

    /// Whether a person has to agree first.
    #[must_use]
    pub fn needs_confirmation(self) -> bool {
        matches!(self, Self::Unsure | Self::Comment | Self::String)
    }
}

/// A file or folder that changes its name with what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMove {
    /// The file, or one in the folder.
    pub file: FileId,
    /// The path of the file or folder as the index knows it.
    pub from: String,
    /// The path it should have.
    pub to: String,
}

/// A place that speaks against a rename.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenameProblem {
    /// The file.
    pub file: FileId,
    /// Its path as the index knows it.
    pub path: String,
    /// The line, from 1; 0 where the text is not known.
    pub line: usize,
    /// The bytes.
    pub span: Range<usize>,
    /// What is the matter there.
    pub why: String,
}

/// The places that speak against a rename.
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
    /// Nothing that has a name is there.
    #[error("there is no name here that could be changed")]
    NoName,
    /// It is not known what the name means.
    #[error("`{name}` is not renamed: it is not known what it means here")]
    Unknown {
        /// The name.
        name: String,
    },
    /// What the name means is defined outside the project.
    #[error("`{name}` is not renamed: it is defined outside of this project")]
    Outside {
        /// The name.
        name: String,
    },
    /// What the name means is defined in a dependency, or has to have the name that it has there.
    #[error("`{name}` is not renamed: it is defined in a library, in {place}")]
    Library {
        /// The name.
        name: String,
        /// The file that defines it, from where its language looks for libraries.
        place: String,
    },
    /// The name cannot be changed.
    #[error("`{name}` is not renamed: {why}")]
    Fixed {
        /// The name.
        name: String,
        /// Why.
        why: String,
    },
    /// The new name is none.
    #[error("`{name}` cannot be the new name: {why}")]
    Invalid {
        /// The new name.
        name: String,
        /// Why.
        why: &'static str,
    },
    /// Not every use is known.
    #[error("`{name}` is not renamed, because not every use of it is sure: {places}")]
    Unsure {
        /// The name.
        name: String,
        /// The uses.
        places: RenameProblems,
    },
    /// The new name means something else already.
    #[error("`{name}` cannot be the new name, because it would be mixed up: {places}")]
    Conflict {
        /// The new name.
        name: String,
        /// The places.
        places: RenameProblems,
    },
    /// Given up.
    #[error("the rename was cancelled")]
    Interrupted,
}

/// What a rename needs beside the index.
pub struct RenameSources<'a> {
    /// The text of a file that the index holds.
    pub text: &'a dyn Fn(FileId) -> Option<Text>,
    /// Files whose text holds the old name as a word, as far as a search of the texts found them.
    /// Those that use or define it by the index are looked at in any case.
    pub holding: &'a [FileId],
    /// Set once nobody wants the rename any more.
    pub interrupt: &'a AtomicBool,
}

impl fmt::Debug for RenameSources<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RenameSources").field("holding", &self.holding).finish_non_exhaustive()
    }
}

impl Index {
    /// What the name at a byte offset is, if it can be renamed as far as can be told without the
    /// new name. O(what its definition costs).
    ///
    /// # Errors
    /// Why it cannot.
    pub fn prepare_rename(&self, file: FileId, offset: usize) -> Result<Renamable, RenameError> {
        if let Some(module) = self.module_at(file, offset) {
            return Ok(Renamable { span: module.span, name: module.name });
        }
        let subject = subject::at(self, &Resolver::new(self), file, offset)?;
        Ok(Renamable { span: subject.span, name: subject.name })
    }

    /// What changes when the name at a byte offset becomes another; not of modules that have their
    /// file's name, see [`Index::module_at`]. O(files that hold the name).
    ///
    /// # Errors
    /// Why it is not renamed: a rename that is not sure is refused, unless the request allows it.
    pub fn rename<'r>(
        &self,
        file: FileId,
        offset: usize,
        request: impl Into<RenameRequest<'r>>,
        sources: &RenameSources<'_>,
    ) -> Result<RenamePlan, RenameError> {
        let request = request.into();
        let resolver = Resolver::new(self);
        let subject = subject::at(self, &resolver, file, offset)?;
        let language = self.facts(file).map_or("", |f| f.language().id());
        let new = subject.spelled(request.new);
        if let Some(why) = identifier::refused(&new, language) {
            return Err(RenameError::Invalid { name: new, why });
        }
        let mut plan = RenamePlan { old: subject.name.clone(), ..RenamePlan::default() };
        if new == subject.name {
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
            places.truncate(NAMED);
            RenameProblems(located(places))
        };
        match subject.check(&resolver, sources) {
            Err(RenameError::Unsure { places, .. }) if request.allow_unsure => {
                plan.left_out = places.0;
            }
            checked => checked?,
        }
        let mut found = sites::find(&resolver, &subject, &new, sources)?;
        if request.allow_unsure {
            plan.left_out.extend(located(std::mem::take(&mut found.problems)));
        }
        if !found.problems.is_empty() {
            return Err(RenameError::Unsure {
                name: subject.name,
                places: problems(found.problems),
            });
        }
        let conflicts = conflicts::find(&resolver, &subject, &new, &found);
        if !conflicts.is_empty() {
            return Err(RenameError::Conflict { name: new, places: problems(conflicts) });
        }
        plan.edits = found.edits;
        plan.edits.sort_by_key(|e| (e.file, e.span.start, e.reason));
        plan.edits.dedup_by_key(|e| (e.file, e.span.start));
        plan.moves = subject.moves(&resolver, &new);
        plan.is_local = subject.reach == subject::Reach::Local;
        Ok(plan)
    }
}

impl RenameProblem {
    fn new(file: FileId, span: Range<usize>, why: impl Into<String>) -> Self {
        Self { file, path: String::new(), line: 0, span, why: why.into() }
    }
}
