//! Tools that read, create, move and delete files by path.

mod copy_file;
mod create_directory;
mod delete_file;
mod detail;
mod entry;
mod get_file_info;
mod move_file;
mod piece;
mod read_file;
mod read_file_range;
mod write_file;

pub(crate) use copy_file::CopyFile;
pub(crate) use create_directory::CreateDirectory;
pub(crate) use delete_file::DeleteFile;
pub(crate) use entry::{comes, goes};
pub(crate) use get_file_info::GetFileInfo;
pub(crate) use move_file::MoveFile;
pub(crate) use read_file::ReadFile;
pub(crate) use read_file_range::ReadFileRange;
pub(crate) use write_file::WriteFile;
