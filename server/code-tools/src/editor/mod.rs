//! Tools that read, show and change what the person sees. The editor's state is known as far as
//! the editor reports it, and never guessed.

mod change;
mod editor_position;
mod get_editor_state;
mod get_selection;
mod goto_line;
mod insert_at_cursor;
mod open_file;
mod replace_selection;
mod show;

use tools::Entry;

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<get_editor_state::GetEditorState>(),
        Entry::new::<open_file::OpenFile>(),
        Entry::new::<goto_line::GotoLine>(),
        Entry::new::<get_selection::GetSelection>(),
        Entry::new::<replace_selection::ReplaceSelection>(),
        Entry::new::<insert_at_cursor::InsertAtCursor>(),
    ]
}
