//! The mounts that this process sees.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// A mount: `path` shows the folder or file `root` of the file system on `device`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MountPoint {
    pub(crate) device: String,
    pub(crate) root: PathBuf,
    pub(crate) path: PathBuf,
}

/// The list of mounts, as it was read last.
struct Mounts {
    /// Opened once: a thread behind a Landlock ruleset may not open it any more.
    file: Option<File>,
    read: Option<Arc<[MountPoint]>>,
}

static MOUNTS: LazyLock<Mutex<Mounts>> = LazyLock::new(|| {
    let file = File::open("/proc/self/mountinfo").ok();
    Mutex::new(Mounts { file, read: None })
});

/// All mounts, in the order in which they were made; none where the system does not list them. The
/// first call must not come from a thread behind a Landlock ruleset.
pub(crate) fn mount_points() -> Arc<[MountPoint]> {
    let mut mounts = MOUNTS.lock();
    let Some(file) = &mounts.file else { return Arc::default() };
    // The kernel reports here whether mounts have come or gone since it was asked last.
    let mut watched = [PollFd::new(file, PollFlags::PRI)];
    let is_unchanged = matches!(poll(&mut watched, Some(&Timespec::default())), Ok(0));
    if let Some(read) = mounts.read.as_ref().filter(|_| is_unchanged) {
        return read.clone();
    }
    let read: Arc<[MountPoint]> = parse(&listed(file).unwrap_or_default()).into();
    mounts.read = Some(read.clone());
    read
}

fn listed(file: &File) -> io::Result<Vec<u8>> {
    let mut listed = vec![0; 16 << 10];
    let mut length = 0;
    loop {
        match file.read_at(&mut listed[length..], length as u64)? {
            0 => break,
            read => length += read,
        }
        if length == listed.len() {
            listed.resize(length * 2, 0);
        }
    }
    listed.truncate(length);
    Ok(listed)
}

fn parse(listed: &[u8]) -> Vec<MountPoint> {
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
