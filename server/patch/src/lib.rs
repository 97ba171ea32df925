//! The patch engine: a text and patches in, a plan or a full report out.
//!
//! A patch quotes the text it replaces, as a person or a model remembers it. The engine
//! finds the one place that is meant, overlooking no more than it must, and changes only
//! what `old_text` → `new_text` changes. Where it is not sure it refuses and says what
//! would settle it; a wrong place is worse than none.
//!
//! All patches of a call are matched against one snapshot, and either all are planned or
//! none. The tiers, from exact bytes to similarity, are in [`Strategy`]; the first tier
//! with a candidate decides, and it must have exactly one, or one that the line hints
//! single out.
//!
//! This crate is pure: it knows nothing of files, editors, languages, encodings or time.

mod addition;
mod already;
mod bytes;
mod diagnose;
mod difference;
mod drift;
mod edits;
mod elision;
mod eol;
mod escapes;
mod evidence;
mod fold;
pub mod formats;
mod fragments;
mod guard;
mod hint;
mod indent;
mod lines;
mod numbers;
mod occurrences;
mod patch;
mod places;
mod plan;
mod planner;
mod quoted;
mod report;
mod resolve;
mod rival;
mod rows;
mod settle;
mod similarity;
mod snapshot;
mod syntax;
mod tokens;
mod transplant;
mod within;
mod wrappers;

pub use bytes::plan_bytes;
pub use guard::omission;
pub use patch::{Fuzzy, Options, Patch};
pub use plan::{BytesPlan, Edit, Outcome, OutcomeKind, Plan, Strategy};
pub use planner::plan;
pub use report::{Candidate, Failure, FailureCode, Report};
