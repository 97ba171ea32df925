//! Parses the Linux kernel's list of mounts, `/proc/self/mountinfo`, into [`MountPoint`]s.
//!
//! It takes bytes and opens nothing, so that two crates can share it: the workspace, which finds
//! other names of Tandem's own files, and the launcher of commands, which makes mounts read-only.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// A mount: `root` of the file system on `device` is visible at `path`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountPoint {
    /// Major and minor number of the device: `8:1`.
    pub device: String,
    /// The folder or file of the file system that is mounted.
    pub root: PathBuf,
    /// Where it is mounted.
    pub path: PathBuf,
}

/// Parses a list of mounts, in the order in which they were made. Invalid lines are skipped.
#[must_use]
pub fn parse(listed: &[u8]) -> Vec<MountPoint> {
    let mount = |line: &[u8]| {
        let mut columns = line.split(|byte| *byte == b' ').skip(2);
        let device = String::from_utf8_lossy(columns.next()?).into_owned();
        let mut path = || columns.next().map(unescape);
        Some(MountPoint { device, root: path()?, path: path()? })
    };
    listed.split(|byte| *byte == b'\n').filter_map(mount).collect()
}

/// Decodes a path, in which the kernel writes blanks, line ends and backslashes as `\040`.
fn unescape(written: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written;
    while let Some((first, others)) = rest.split_first() {
        let digits = others.get(..3).filter(|_| *first == b'\\');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &others[3..] } else { others };
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_paths_are_decoded() {
        let listed =
            b"36 35 98:0 /a\\040b /mnt/x\\134 rw,noatime - ext3 /dev/root rw\nshort line\n\
            37 36 0:21 / /x\\09 rw - proc proc rw\n";
        let mount = |device: &str, root: &str, path: &str| MountPoint {
            device: device.into(),
            root: root.into(),
            path: path.into(),
        };
        // `\09` is no octal number of three digits.
        let expected = [mount("98:0", "/a b", "/mnt/x\\"), mount("0:21", "/", "/x\\09")];
        assert_eq!(parse(listed), expected);
    }
}
