//! What an edit introduced and fixed: `diagnostics` of the tools that edit.
//!
//! Any of these tools takes the parameter `diagnostics`: `true`, or how many milliseconds to wait for
//! the language servers of the editor. Its result then has `diagnostics: {introduced, fixed,
//! pending}`, which compares the texts that the call saw with those that it made, and names the hash of
//! each. Ours are computed from these texts, not from the disk. What is not known yet is
//! `pending`, never absent.

mod compare;
mod editor_diagnostics;
mod parameter;
mod report;
mod text_problems;

use std::borrow::Cow;

pub(crate) use self::parameter::{input_schema, output_schema, take_parameter};
pub(crate) use self::report::{add, push_text};

/// A problem in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Problem {
    /// 0-based.
    line: usize,
    /// Bytes or UTF-16 units from the line's start, depending on the source.
    column: usize,
    severity: &'static str,
    code: Cow<'static, str>,
    message: String,
    source: Cow<'static, str>,
    /// Whether it is one of ours about names.
    is_of_names: bool,
}
