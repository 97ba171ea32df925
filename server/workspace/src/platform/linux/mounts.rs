//! The mounts visible to this process.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, LazyLock};

pub(crate) use mountinfo::MountPoint;
use parking_lot::Mutex;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The list of mounts as last read.
struct MountList {
    /// Opened once: a thread with a Landlock ruleset cannot open it.
    file: Option<File>,
    read: Option<Arc<[MountPoint]>>,
}

static MOUNTS: LazyLock<Mutex<MountList>> = LazyLock::new(|| {
    let file = File::open("/proc/self/mountinfo").ok();
    Mutex::new(MountList { file, read: None })
});

/// All mounts in the order of mounting; empty if the system does not list them. The first call must
/// not come from a thread with a Landlock ruleset.
pub(crate) fn mount_points() -> Arc<[MountPoint]> {
    let mut mounts = MOUNTS.lock();
    let Some(file) = &mounts.file else { return Arc::default() };
    // The kernel reports POLLPRI if mounts changed since the last read.
    let mut watched = [PollFd::new(file, PollFlags::PRI)];
    let is_unchanged = matches!(poll(&mut watched, Some(&Timespec::default())), Ok(0));
    if let Some(read) = mounts.read.as_ref().filter(|_| is_unchanged) {
        return read.clone();
    }
    let read: Arc<[MountPoint]> = mountinfo::parse(&read_all(file).unwrap_or_default()).into();
    mounts.read = Some(read.clone());
    read
}

fn read_all(file: &File) -> io::Result<Vec<u8>> {
    let mut content = vec![0; 16 << 10];
    let mut length = 0;
    loop {
        match file.read_at(&mut content[length..], length as u64)? {
            0 => break,
            read => length += read,
        }
        if length == content.len() {
            content.resize(length * 2, 0);
        }
    }
    content.truncate(length);
    Ok(content)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn mounts_are_listed_with_what_they_show() {
        assert!(mount_points().iter().any(|mount| mount.path == Path::new("/")));
    }
}
