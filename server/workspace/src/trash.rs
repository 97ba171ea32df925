//! Where what was taken away lies until nobody will want it back: outside the workspace.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, StatxFlags, fstat, open, statx};
use rustix::io::Errno;

use crate::entries::{FOLDER, listing, open_below, remove};
use crate::journal::trusted;
use crate::replace::temporary_name;

/// The trash of one workspace.
pub(crate) struct Trash {
    dir: File,
    mount: (u32, u32, u64),
}

impl Trash {
    /// Opens the trash in the state folder `state`, creating it with mode 0700.
    pub(crate) fn open(state: &Path) -> io::Result<Self> {
        let path = state.join("trash");
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => trusted(&path)?,
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir = File::from(open(&path, flags, Mode::empty())?);
        let mount = mount(&dir)?;
        Ok(Self { dir, mount })
    }

    /// Its folder.
    pub(crate) fn dir(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }

    /// A name in it that nobody else takes.
    pub(crate) fn name() -> String {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_secs();
        let unique = temporary_name();
        let unique = unique.trim_start_matches(".tandem-").trim_end_matches(".tmp");
        format!("{now}-{unique}")
    }

    /// Whether what lies in `folder` can be renamed into the trash.
    pub(crate) fn is_reached_from(&self, folder: impl AsFd) -> bool {
        mount(folder).is_ok_and(|mount| mount == self.mount)
    }

    /// Bytes that lie under `name`.
    pub(crate) fn size(&self, name: &str) -> u64 {
        let Ok(entry) = open_below(&self.dir, Path::new(name), OFlags::PATH, Mode::empty()) else {
            return 0;
        };
        let Ok(stat) = fstat(&entry) else { return 0 };
        let mut size = stat.st_size.cast_unsigned();
        if FileType::from_raw_mode(stat.st_mode) == FileType::Directory
            && let Ok(top) = open_below(&self.dir, Path::new(name), FOLDER, Mode::empty())
        {
            let _ = listing(&top, &AtomicBool::new(false), |_, below| {
                size = size.saturating_add(below.stat.st_size.cast_unsigned());
                Ok(true)
            });
        }
        size
    }

    /// Removes what lies under `name` for good.
    pub(crate) fn discard(&self, name: &str) {
        if let Err(error) = remove(&self.dir, OsStr::new(name)) {
            tracing::warn!("the trash: {name} could not be removed: {error}");
        }
    }

    /// The names in it that are older than `age`, in seconds.
    pub(crate) fn older_than(&self, state: &Path, age: u64) -> Vec<String> {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_secs();
        let Ok(entries) = fs::read_dir(state.join("trash")) else { return Vec::new() };
        let old = |name: &String| {
            let made = name.split('-').next().and_then(|made| made.parse::<u64>().ok());
            made.is_some_and(|made| made.saturating_add(age) < now)
        };
        entries.flatten().filter_map(|e| e.file_name().into_string().ok()).filter(old).collect()
    }
}

/// Whether what lies in one folder can be renamed into the other.
pub(crate) fn same_mount(one: impl AsFd, other: impl AsFd) -> bool {
    match (mount(one), mount(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

fn mount(folder: impl AsFd) -> Result<(u32, u32, u64), Errno> {
    let flags = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
    let found = statx(folder, "", AtFlags::EMPTY_PATH, flags)?;
    let id = if found.stx_mask & StatxFlags::MNT_ID.bits() == 0 { 0 } else { found.stx_mnt_id };
    Ok((found.stx_dev_major, found.stx_dev_minor, id))
}
