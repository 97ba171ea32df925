//! Tools that format files: with the project's formatter, or by syntax.

mod edits;
mod format_file;
mod formatter;
mod reindent;

use tools::Entry;

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![Entry::new::<format_file::FormatFile>(), Entry::new::<reindent::Reindent>()]
}
