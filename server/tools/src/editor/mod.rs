//! Tools that read, show and change what the person sees. The editor's state is known as far as
//! the editor reports it, and never guessed.

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
