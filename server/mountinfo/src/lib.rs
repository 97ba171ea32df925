//! The list of mounts as the Linux kernel writes it: `/proc/self/mountinfo`.
//!
//! It takes the bytes and opens nothing, so that both may use it who read the list: the workspace, for
//! further names of Tandem's own files, and the launcher of commands, for what it makes read-only.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// A mount: `path` shows the folder or file `root` of the file system on `device`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MountPoint {
    /// Major and minor number of the device, as `8:1`.
    pub device: String,
    /// What of the file system is shown.
    pub root: PathBuf,
    /// Where it is shown.
    pub path: PathBuf,
}

/// All mounts of a list, in the order in which they were made. Lines that are none are passed over.
#[must_use]
pub fn parse(listed: &[u8]) -> Vec<MountPoint> {
    let mount = |line: &[u8]| {
        let mut columns = line.split(|byte| *byte == b' ').skip(2);
        let device = String::from_utf8_lossy(columns.next()?).into_owned();
        let mut path = || columns.next().map(unescaped);
        Some(MountPoint { device, root: path()?, path: path()? })
    };
    listed.split(|byte| *byte == b'\n').filter_map(mount).collect()
}

/// A path as the kernel writes it: blanks, line ends and backslashes as `\040`.
fn unescaped(written: &[u8]) -> PathBuf {
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
    fn paths_are_read_as_they_are_written() {
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
