//! Files by path: reading, making, moving and taking them away.

mod read_file;

pub(crate) use read_file::ReadFile;
