//! Structural rewriting: finds code by patterns and rules as ast-grep writes them, and computes the
//! edits of their `fix`.
//!
//! Patterns, rules and templates are parsed and matched by ast-grep's own crates, on trees of
//! [`syntax`]. This crate adds what an edit needs: which matches are replaced, which are refused
//! because they overlap, and whether the result still parses.
//!
//! The crate knows nothing of files on disk, editors or protocols: it takes a parsed text and
//! returns edits. Start with [`Rules`].

mod context;
mod edits;
mod language;
mod rules;
mod scan;
mod source;
mod words;

pub use context::{ContextHint, context_hint};
pub use edits::{Edit, FileEdits, Refusal};
pub use language::{language_for, languages};
pub use rules::{FileRules, RuleError, Rules};
pub use scan::{RuleMatch, ScanError};
pub use source::MAX_RULE_BYTES;
