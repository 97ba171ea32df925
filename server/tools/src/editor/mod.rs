//! What the person has before them: looked at, shown and changed. It is known as far as the editor
//! has reported it, and never guessed.

mod change;
mod get_editor_state;
mod get_selection;
mod goto_line;
mod insert_at_cursor;
mod open_file;
mod place;
mod replace_selection;
mod show;

pub(crate) use get_editor_state::GetEditorState;
pub(crate) use get_selection::GetSelection;
pub(crate) use goto_line::GotoLine;
pub(crate) use insert_at_cursor::InsertAtCursor;
pub(crate) use open_file::OpenFile;
pub(crate) use replace_selection::ReplaceSelection;
