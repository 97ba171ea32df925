//! Tools that read, create, move and delete files by path.

mod copy_file;
mod create_directory;
mod delete_file;
mod entry;
mod file_exists;
mod get_file_info;
mod move_file;
mod piece;
mod read_file;
mod read_file_range;
mod write_file;

use tools::Entry;

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<read_file::ReadFile>(),
        Entry::new::<read_file_range::ReadFileRange>(),
        Entry::new::<write_file::WriteFile>(),
        Entry::new::<get_file_info::GetFileInfo>(),
        Entry::new::<file_exists::FileExists>(),
        Entry::new::<delete_file::DeleteFile>(),
        Entry::new::<move_file::MoveFile>(),
        Entry::new::<copy_file::CopyFile>(),
        Entry::new::<create_directory::CreateDirectory>(),
    ]
}
