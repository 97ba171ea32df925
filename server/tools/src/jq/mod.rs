//! Small jq filters with limits: dialects translate calls by them, workflows pass results on by them.
//!
//! Start reading from [`Filter`].

mod fields;
mod filter;
mod library;
mod limits;
mod operators;
mod traversal;
mod value;

pub use self::filter::{Filter, FilterMistake};
