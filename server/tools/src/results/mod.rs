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

pub use cursors::{OutputCursor, items_before};
pub use diff::diff;
pub use entry_effects::{create_effects, delete_effects};
pub use indexing::{index_progress, progress_text, with_index_wait, with_short_index_wait};
pub use lines::{Lines, count, line_range, list_at, number_at, str_at, strings_at};
pub use location::{line_at, rounded, visible, visible_path};
pub use unsure::{Unsure, UnsurePlace, WithUnsure, max_unsure, unsure_places};
pub use zero::is_zero;
