//! Diagnostics about the names of a file, as far as they are certain.
//!
//! Nothing here guesses: a diagnostic is made only if everything that could contradict it is known.
//! What is unknown about a file's surroundings (a wildcard import of an unindexed module, a macro,
//! a build condition) suppresses the rules for the names that it may affect.

mod deprecated;
pub(crate) mod dynamic_names;
pub(crate) mod lexical_index;
mod missing;
mod missing_modules;
mod name_lists;
mod undefined;
mod unresolved_imports;
pub(crate) mod unused_imports;
mod unused_variables;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use syntax::Syntax;

use crate::facts::Facts;
use crate::index::{FileId, Index};
use crate::resolve::Resolver;
use dynamic_names::DynamicNames;
use lexical_index::LexicalIndex;

pub use missing::{AbsentPath, MissingModule};
pub use missing_modules::npm_package_of;
pub use name_lists::is_typo_of;

/// The kind of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameDiagnosticKind {
    /// An import that does not resolve.
    UnresolvedImport,
    /// An import of a module that is neither part of the project nor installed.
    MissingModule,
    /// A name that nothing defines.
    UndefinedName,
    /// An import that nothing uses.
    UnusedImport,
    /// A local variable that is never read.
    UnusedVariable,
    /// A use of a deprecated definition.
    Deprecated,
}

impl NameDiagnosticKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::UnresolvedImport,
        Self::MissingModule,
        Self::UndefinedName,
        Self::UnusedImport,
        Self::UnusedVariable,
        Self::Deprecated,
    ];

    /// The diagnostic code that clients and settings use.
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

    /// Whether it is an error, not merely redundant or deprecated code.
    #[must_use]
    pub fn is_error(self) -> bool {
        matches!(self, Self::UnresolvedImport | Self::UndefinedName)
    }
}

/// The severity of a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The code cannot work as it is written.
    Error,
    /// The code does not work here.
    Warning,
    /// Redundant or deprecated code, or a problem that cannot be decided.
    Hint,
}

/// A diagnostic about a name of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameDiagnostic {
    /// The kind.
    pub kind: NameDiagnosticKind,
    /// The bytes to mark.
    pub span: Range<usize>,
    /// The name, or the module as it is written.
    pub name: String,
    /// What must be absent from the disk for the diagnostic to hold: the index does not know every
    /// file.
    pub absent: Option<AbsentPath>,
    /// Details of a missing module; `None` for other kinds.
    pub module: Option<MissingModule>,
}

impl NameDiagnostic {
    /// The message for the user.
    #[must_use]
    pub fn message(&self) -> String {
        let name = &self.name;
        match self.kind {
            NameDiagnosticKind::UnresolvedImport => format!("the import `{name}` does not resolve"),
            NameDiagnosticKind::MissingModule => match &self.module {
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
            NameDiagnosticKind::UndefinedName => format!("`{name}` is not defined"),
            NameDiagnosticKind::UnusedImport => format!("`{name}` is imported but never used"),
            NameDiagnosticKind::UnusedVariable => format!("`{name}` is never read"),
            NameDiagnosticKind::Deprecated => format!("`{name}` is deprecated"),
        }
    }

    /// The severity.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match (self.kind, &self.module) {
            (kind, _) if kind.is_error() => Severity::Error,
            (_, Some(MissingModule::Undeclared { .. })) => Severity::Warning,
            _ => Severity::Hint,
        }
    }

    /// How certain it is, from 0 to 1.
    #[must_use]
    pub fn confidence(&self) -> f32 {
        match self.kind {
            NameDiagnosticKind::UnusedImport | NameDiagnosticKind::UnusedVariable => 0.98,
            _ => 0.95,
        }
    }
}

/// A file and what the rules need of it.
pub(crate) struct DiagnosticsContext<'a> {
    pub(crate) index: &'a Index,
    pub(crate) file: FileId,
    pub(crate) path: &'a str,
    pub(crate) facts: &'a Facts,
    pub(crate) language: &'static str,
    pub(crate) lex: LexicalIndex<'a>,
    pub(crate) dynamic_names: DynamicNames,
}

impl Index {
    /// The diagnostics about the names of a file, in order of position. `syntax` must be of the
    /// text that the index holds the facts of. A text with syntax errors gets few diagnostics,
    /// because little is certain in it. `None` if `interrupt` is set. O(text + resolving its
    /// names).
    #[must_use]
    pub fn name_diagnostics(
        &self,
        file: FileId,
        syntax: &Syntax,
        interrupt: &AtomicBool,
    ) -> Option<Vec<NameDiagnostic>> {
        let Some(facts) = self.facts(file) else { return Some(Vec::new()) };
        let source = syntax.text().slice(0..syntax.text().len());
        let lex = LexicalIndex::new(syntax, &source);
        let path = self.project.path(file);
        let language = facts.language.id();
        if facts.text_len() != source.len() || name_lists::is_generated(path, &source) {
            return Some(Vec::new());
        }
        let dynamic_names = DynamicNames::find(language, &lex);
        let ctx =
            DiagnosticsContext { index: self, file, path, facts, language, lex, dynamic_names };
        let mut found = Vec::new();
        unresolved_imports::find(&ctx, &mut found);
        let stop = || interrupt.load(Ordering::Relaxed).then_some(());
        if !ctx.lex.has_syntax_errors {
            undefined::find(&ctx, &mut found, interrupt);
            if stop().is_some() {
                return None;
            }
            unused_imports::find(&ctx, &mut found);
            unused_variables::find(&ctx, &mut found);
            deprecated::find(&ctx, &mut found, interrupt);
        }
        if stop().is_some() {
            return None;
        }
        found.sort_by_key(|f| (f.span.start, f.kind));
        found.dedup_by(|a, b| a.span == b.span && a.kind == b.kind);
        Some(found)
    }
}

impl<'a> DiagnosticsContext<'a> {
    fn resolver(&self) -> Resolver<'a> {
        Resolver::new(self.index)
    }

    fn name(&self, number: u32) -> &'a str {
        self.facts.strings.text(number)
    }

    fn diagnostic(
        &self,
        kind: NameDiagnosticKind,
        start: u32,
        end: u32,
        name: &str,
    ) -> NameDiagnostic {
        let span = start as usize..end as usize;
        NameDiagnostic { kind, span, name: name.to_owned(), absent: None, module: None }
    }
}
