//! Languages and their syntax: the languages table, incremental parsing, outlines, syntax errors.
//!
//! This crate knows nothing of files on disk, editors, protocols, threads or what a name means:
//! a [`text::Text`] goes in, a tree and what can be read off it come out.
//!
//! Parsing never fails: broken code gives a tree with errors in it. What may take long takes an
//! `interrupt` flag and gives up with `None` once it is set.

mod actions;
mod ancestors;
mod colors;
mod declaration;
mod detect;
mod differing;
mod element;
mod errors;
mod folds;
mod grammars;
mod highlight;
mod indents;
mod jsx;
mod language;
mod links;
mod literal;
mod mentions;
mod nesting;
mod outline;
mod outline_kind;
mod query;
mod readable;
mod rewrites;
mod rooted;
mod runnables;
mod search;
mod sections;
mod selection;
mod shifted;
mod syntax;
mod tags;
mod typing;
mod unfinished;

pub use actions::{ActionOffer, Edits, Mended, SyntaxAction};
pub use colors::{Rgba, color_texts};
pub use element::ElementPlace;
pub use errors::{SyntaxError, SyntaxWarning, is_minified};
pub use folds::{Fold, FoldKind, MOST_FOLDS};
pub use highlight::{
    Budget, Highlight, HighlightClass, HighlightOptions, Injected, Painted, highlight,
};
pub use indents::Indent;
pub use language::Language;
pub use mentions::{Mention, Mentioned, mentions};
pub use outline::{Outline, OutlineItem};
pub use outline_kind::OutlineKind;
pub use query::{QueryFile, QueryProblem, TextChunks, compile, replace_queries};
pub use runnables::{Runnable, RunnableKind};
pub use search::{CodePattern, PatternError, StructuralMatch, StructuralQuery};
pub use shifted::Shifted;
pub use syntax::Syntax;
pub use typing::{Typed, indent_unit};
pub use unfinished::{Finished, LineRest};
