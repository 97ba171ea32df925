//! The patch engine: takes a text and patches, returns a [`Plan`] or a [`Report`] of all failures.
//!
//! A patch quotes the text it replaces, as a person or a model remembers it. The engine finds the
//! place of the quote, tolerates as few differences as possible, and changes only what differs
//! between `old_text` and `new_text`. In doubt it refuses and reports what would decide: an edit
//! at a wrong place is worse than no edit.
//!
//! All patches of a call are matched against one snapshot; either all are planned or none.
//! [`Strategy`] lists the matching tiers, from exact bytes to similarity. The first tier with a
//! candidate decides. It must have exactly one candidate, or line hints must select one.
//!
//! Start reading at [`Patch`], [`plan()`] and [`Strategy`]. This crate does no I/O: it does not
//! know files, editors, languages, encodings or time.

mod addition;
mod already;
mod bytes;
mod code_tokens;
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
mod levenshtein;
mod line_similarity;
mod lines;
mod match_location;
mod numbers;
mod occurrences;
mod patch;
mod places;
mod plan;
mod planner;
mod quoted;
mod replace_all;
mod report;
mod resolve;
mod rival;
mod rows;
mod settle;
mod similarity;
mod snapshot;
mod syntax;
mod transplant;
mod within;
mod word_merge;
mod wrappers;

pub use bytes::plan_bytes;
pub use guard::omission;
pub use patch::{Fuzzy, Options, Patch};
pub use plan::{BytesPlan, Edit, Outcome, OutcomeKind, Plan, Strategy};
pub use planner::plan;
pub use report::{Candidate, Failure, FailureCode, Report};
