//! Facts about the names of one file, an index of many files, and the resolution of names to their
//! definitions and uses.
//!
//! The crate knows nothing of disks, editors, protocols, threads or time: parsed texts go in,
//! locations come out. What a language's syntax means for names is data, in
//! `queries/<language>/bindings.scm`; the lowering that applies these node rules knows no language.
//!
//! Start reading at [`Facts`] (one file), [`Index`] (all files) and `resolve::Resolver` (one
//! query).

#![allow(clippy::cast_possible_truncation)] // Texts are shorter than 2^30 bytes; see `Lowerer::run`.

mod actions;
mod call_site;
mod complete;
mod dependencies;
mod dependency_tracking;
mod deprecated;
mod describe;
mod diagnose;
mod dialect;
mod expression;
mod facts;
mod fuzzy;
mod hierarchy;
mod highlight;
mod hints;
mod impact;
mod importance;
mod imports;
mod index;
mod library;
mod links;
mod locals;
mod lowering;
mod missing_dependencies;
mod moves;
mod name_path;
mod name_table;
mod node_rules;
mod occurrences;
mod origin;
mod postings;
mod project;
mod rename;
mod resolve;
mod signatures;
mod sorted_views;
mod spelling;
mod stored;
mod symbols;
mod vocabulary;

pub use actions::{
    ActionEdit, ActionPlace, ActionPlan, ActionRefusal, NewFile, OfferedAction, RefusalReason,
    action_kinds,
};
pub use complete::{
    CompletionCandidate, CompletionContext, CompletionRequest, Completions, FEATURE_COUNT,
    KeywordOrSnippet,
};
pub use dependency_tracking::{QueryDependencies, with_dependency_tracking};
pub use describe::HoverInfo;
pub use diagnose::{
    AbsentPath, MissingModule, NameDiagnostic, NameDiagnosticKind, Severity, is_typo_of,
    npm_package_of,
};
pub use dialect::{Dialect, Documentation, to_markdown};
pub use facts::{Definition, Facts, NameAt};
pub use hierarchy::{CallHierarchyCall, HierarchyItem};
pub use highlight::Highlight;
pub use hints::{Hint, HintKind};
pub use impact::{AffectedItem, Impact, ImpactLimits, ImpactOrigin};
pub use importance::Importance;
pub use imports::{EcmaImportStyle, ImportEdit, ImportRequest};
pub use index::{Counts, FileCounts, FileId, Index, SupposedFacts};
pub use library::{Builtin, builtin_at};
pub use missing_dependencies::{MissingDependency, with_missing_dependencies};
pub use name_path::{FileSymbol, NamePath};
pub use occurrences::{DefinitionId, Occurrence, QualifiedName};
pub use origin::{Origin, Target};
pub use project::{DEPENDENCY_PREFIX, DependencyFolder, is_project_file};
pub use rename::{
    FileMove, References, Renamable, RenamableModule, RenameEdit, RenameError, RenamePlan,
    RenameProblem, RenameProblems, RenameReason, RenameRequest, RenameSources, UncertainReference,
};
pub use resolve::is_same_language_family;
pub use signatures::{CallAtCursor, Signature, Signatures};
pub use spelling::NameSimilarity;
pub use stored::{FORMAT as STORED_FORMAT, PackedBytes, PackedFacts};
pub use symbols::WorkspaceSymbol;
pub use vocabulary::DefinitionKind;
