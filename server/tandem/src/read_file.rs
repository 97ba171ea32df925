//! Reads files named on the command line, with a size limit and without blocking.

use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

const NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();

/// The content of a regular file of at most `largest` bytes. Follows symlinks.
///
/// # Errors
/// If it is larger, not a regular file, or cannot be read.
pub(crate) fn read(path: &Path, largest: u64) -> std::io::Result<Vec<u8>> {
    // O_NONBLOCK: opening a FIFO without a writer must not block. It is rejected below.
    let file = OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path)?;
    let found = file.metadata()?;
    if found.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut bytes = Vec::new();
    // Reads one byte more than allowed: the size from the metadata may be wrong.
    file.take(largest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        let message = format!("larger than {largest} bytes");
        return Err(Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}
