//! What is wrong with the names of a file, as far as that is certain.
//!
//! Nothing here guesses: a finding is made where everything that could speak against it is known.
//! What is not known of a language's surroundings (a wildcard import of something that is not
//! here, a macro, a condition of the build) silences the rule for what it may touch.

pub(crate) mod by_text;
mod deprecated;
pub(crate) mod ground;
mod known;
mod missing;
mod missing_modules;
mod undefined;
mod unresolved;
pub(crate) mod unused_imports;
mod unused_variables;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use syntax::Syntax;

use crate::facts::Facts;
use crate::index::{FileId, Index};
use crate::resolve::Resolver;
use by_text::ByText;
use ground::Ground;

pub use known::is_near;
pub use missing::{Absent, MissingModule};
pub use missing_modules::package_of;

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingKind {
    /// An import of something that is not there.
    UnresolvedImport,
    /// An import of a module that is neither the project's own nor installed.
    MissingModule,
    /// A name that nothing defines.
    UndefinedName,
    /// An import that nothing uses.
    UnusedImport,
    /// A local variable that is never read.
    UnusedVariable,
    /// A use of what its definition says is deprecated.
    Deprecated,
}

impl FindingKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::UnresolvedImport,
        Self::MissingModule,
        Self::UndefinedName,
        Self::UnusedImport,
        Self::UnusedVariable,
        Self::Deprecated,
    ];

    /// The code by which clients and settings know it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::UnresolvedImport => "unresolved-import",
            Self::MissingModule => "missing-module",
            Self::UndefinedName => "undefined-name",
            Self::UnusedImport => "unused-import",
            Self::UnusedVariable => "unused-variable",
            Self::Deprecated => "deprecated",
        }
    }

    /// Whether it is a mistake, not merely something superfluous or old.
    #[must_use]
    pub fn is_error(self) -> bool {
        matches!(self, Self::UnresolvedImport | Self::UndefinedName)
    }
}

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The code cannot work as it is written.
    Error,
    /// The code does not work here.
    Warning,
    /// Something superfluous or old, or that cannot be decided.
    Hint,
}

/// Something wrong with a name of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub kind: FindingKind,
    /// The bytes that it is about.
    pub span: Range<usize>,
    /// The name, or the module as it is written.
    pub name: String,
    /// What must not be on disk for the finding to hold; the index does not know every file.
    pub absent: Option<Absent>,
    /// What is known of a module that is missing; `None` for findings of other kinds.
    pub module: Option<MissingModule>,
}

impl Finding {
    /// What it says to a person.
    #[must_use]
    pub fn message(&self) -> String {
        let name = &self.name;
        match self.kind {
            FindingKind::UnresolvedImport => format!("`{name}` is not there to be imported"),
            FindingKind::MissingModule => match &self.module {
                Some(MissingModule::Undeclared { environment }) => {
                    format!(
                        "`{name}` is not installed in {environment} and no dependency declares it"
                    )
                }
                Some(MissingModule::NotInstalled { environment: Some(environment) }) => {
                    format!("`{name}` is not installed in {environment}")
                }
                _ => format!("`{name}` is not installed"),
            },
            FindingKind::UndefinedName => format!("`{name}` is not defined"),
            FindingKind::UnusedImport => format!("`{name}` is imported and not used"),
            FindingKind::UnusedVariable => format!("`{name}` is never read"),
            FindingKind::Deprecated => format!("`{name}` is deprecated"),
        }
    }

    /// How much it weighs.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match (self.kind, &self.module) {
            (kind, _) if kind.is_error() => Severity::Error,
            (_, Some(MissingModule::Undeclared { .. })) => Severity::Warning,
            _ => Severity::Hint,
        }
    }

    /// How sure it is, up to 1.
    #[must_use]
    pub fn confidence(&self) -> f32 {
        match self.kind {
            FindingKind::UnusedImport | FindingKind::UnusedVariable => 0.98,
            _ => 0.95,
        }
    }
}

/// One file, and all that is asked of it.
pub(crate) struct Subject<'a> {
    pub(crate) index: &'a Index,
    pub(crate) file: FileId,
    pub(crate) path: &'a str,
    pub(crate) facts: &'a Facts,
    pub(crate) language: &'static str,
    pub(crate) ground: Ground<'a>,
    pub(crate) by_text: ByText,
}

impl Index {
    /// What is wrong with the names of a file, in order of place. `syntax` is of the text that the
    /// index holds the facts of. Of a text with syntax errors little is certain, and little said.
    /// `None` once `interrupt` is set. O(text), and what its names take to be found.
    #[must_use]
    pub fn diagnose(
        &self,
        file: FileId,
        syntax: &Syntax,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Finding>> {
        let Some(facts) = self.facts(file) else { return Some(Vec::new()) };
        let source = syntax.text().slice(0..syntax.text().len());
        let ground = Ground::of(syntax, &source);
        let path = self.project.path(file);
        let language = facts.language.id();
        if facts.text_len() != source.len() || known::is_generated(path, &source) {
            return Some(Vec::new());
        }
        let by_text = ByText::of(language, &ground);
        let subject = Subject { index: self, file, path, facts, language, ground, by_text };
        let mut found = Vec::new();
        unresolved::find(&subject, &mut found);
        let stop = || interrupt.load(Ordering::Relaxed).then_some(());
        if !subject.ground.broken {
            undefined::find(&subject, &mut found, interrupt);
            if stop().is_some() {
                return None;
            }
            unused_imports::find(&subject, &mut found);
            unused_variables::find(&subject, &mut found);
            deprecated::find(&subject, &mut found, interrupt);
        }
        if stop().is_some() {
            return None;
        }
        found.sort_by_key(|f| (f.span.start, f.kind));
        found.dedup_by(|a, b| a.span == b.span && a.kind == b.kind);
        Some(found)
    }
}

impl<'a> Subject<'a> {
    fn resolver(&self) -> Resolver<'a> {
        Resolver::new(self.index)
    }

    fn name(&self, number: u32) -> &'a str {
        self.facts.strings.text(number)
    }

    fn finding(&self, kind: FindingKind, start: u32, end: u32, name: &str) -> Finding {
        let span = start as usize..end as usize;
        Finding { kind, span, name: name.to_owned(), absent: None, module: None }
    }
}
