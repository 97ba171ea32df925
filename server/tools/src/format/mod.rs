//! Files brought into form: by the project's own formatter, or by their syntax.

mod edits;
mod format_file;
mod formatter;
mod reindent;

pub(crate) use format_file::FormatFile;
pub(crate) use reindent::Reindent;
