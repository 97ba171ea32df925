//! Languages and their syntax: the languages table, incremental parsing, and everything that is
//! read off a syntax tree (outlines, highlights, folds, indents, syntax errors, code actions).
//!
//! The crate knows nothing of files on disk, editors or protocols, nor what a name refers to: it
//! takes a [`text::Text`] and returns a tree and what can be read off it.
//!
//! Start with [`Language`] (a row of the languages table) and [`Syntax`] (a text with its tree);
//! [`SyntaxError`] is what `Syntax::errors` reports.
//!
//! Parsing never fails: broken code gives a tree with error nodes. Slow functions take an
//! `interrupt` flag and return `None` once it is set.

mod actions;
mod ancestors;
mod colors;
mod declaration;
mod detect;
mod differing;
mod error_cache;
mod errors;
mod finish_line;
mod folds;
mod grammars;
mod highlight;
mod highlight_class;
mod indents;
mod jsx;
mod jsx_names;
mod language;
mod language_queries;
mod links;
mod literal;
mod mentions;
mod nesting;
mod outline;
mod outline_item;
mod parser_limits;
mod query;
mod rewrites;
mod rooted;
mod runnables;
mod search;
mod sections;
mod selection;
mod stale_tree;
mod syntax;
mod syntax_error;
mod tags;
mod typing;
mod warm;

pub use actions::{ActionOffer, Edits, FixedDiagnostic, SyntaxAction};
pub use colors::{Rgba, color_texts};
pub use errors::is_minified;
pub use finish_line::{FinishedLine, LineRest};
pub use folds::{Fold, FoldKind, MAX_FOLDS};
pub use highlight::{
    Highlight, HighlightCache, HighlightOptions, InjectionBudget, InjectionHighlights, highlight,
};
pub use highlight_class::HighlightClass;
pub use indents::Indent;
pub use jsx_names::JsxNamePosition;
pub use language::Language;
pub use mentions::{Mention, MentionTarget, mentions};
pub use outline::Outline;
pub use outline_item::{OutlineItem, OutlineKind};
pub use query::{QueryFile, TextChunks, UserQueryError, compile, set_user_queries};
pub use runnables::{Runnable, RunnableKind};
pub use search::{CodePattern, PatternError, StructuralMatch, StructuralQuery};
pub use stale_tree::StaleTree;
pub use syntax::Syntax;
pub use syntax_error::{SyntaxError, SyntaxWarning};
pub use typing::{TypedEdit, indent_unit};
