//! Files that are named on the command line: read up to a size, and never waited for.

use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

const NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();

/// The content of a regular file of at most `largest` bytes. The person may name a link.
///
/// # Errors
/// When it is larger, a FIFO, a device or a folder, or cannot be read.
pub(crate) fn read(path: &Path, largest: u64) -> std::io::Result<Vec<u8>> {
    // A FIFO without a writer is opened at once so, and then turned away.
    let file = OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path)?;
    let found = file.metadata()?;
    if found.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "is neither file nor folder"));
    }
    let mut bytes = Vec::new();
    // One byte more tells that it is too large; what grows meanwhile, or has no size, does not go on.
    file.take(largest + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > largest {
        let message = format!("is larger than {largest} bytes");
        return Err(Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}
