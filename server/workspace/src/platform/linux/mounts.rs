//! The mounts that this process sees.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// A mount: `path` shows the folder or file `root` of the file system on `device`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MountPoint {
    pub(crate) device: String,
    pub(crate) root: PathBuf,
    pub(crate) path: PathBuf,
}

/// All mounts, in the order in which they were made; none where the system does not list them.
pub(crate) fn mount_points() -> Vec<MountPoint> {
    let listed = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
    let mount = |line: &[u8]| {
        let mut columns = line.split(|byte| *byte == b' ').skip(2);
        let device = String::from_utf8_lossy(columns.next()?).into_owned();
        let mut path = || columns.next().map(unescaped);
        Some(MountPoint { device, root: path()?, path: path()? })
    };
    listed.split(|byte| *byte == b'\n').filter_map(mount).collect()
}

/// A path as the kernel lists it: blanks, line ends and backslashes as `\040`.
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
    use std::path::Path;

    use super::*;

    #[test]
    fn mounts_are_listed_with_what_they_show() {
        assert!(mount_points().iter().any(|mount| mount.path == Path::new("/")));
        for (written, path) in [("/a\\040b\\134", "/a b\\"), ("/x\\09", "/x\\09")] {
            assert_eq!(unescaped(written.as_bytes()), PathBuf::from(path));
        }
    }
}
