//! Tools that format files: with the project's formatter, or by syntax.

mod edits;
mod format_file;
mod formatter;
mod reindent;

pub(crate) use format_file::FormatFile;
pub(crate) use reindent::Reindent;
