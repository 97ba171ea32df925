//! Parts of effects and results that several families share.

mod cursors;
mod diff;
mod entry_detail;
mod entry_effects;
mod indexing;
mod lines;
mod location;
mod unsure;
mod zero;

pub(crate) use cursors::{OutputCursor, items_before};
pub(crate) use diff::diff;
pub(crate) use entry_effects::{create_effects, delete_effects};
pub(crate) use indexing::{index_progress, progress_text, with_index_wait, with_short_index_wait};
pub(crate) use lines::{Lines, count, line_range, list_at, number_at, str_at, strings_at};
pub(crate) use location::{line_at, rounded, visible, visible_path};
pub(crate) use unsure::{Unsure, UnsurePlace, WithUnsure, max_unsure, unsure_places};
pub(crate) use zero::is_zero;
