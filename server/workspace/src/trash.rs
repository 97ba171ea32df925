//! Where what was taken away lies until nobody will want it back: outside the workspace.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::EntryKind;
use crate::entries::{listing, open_below, remove};
use crate::platform::{AsHandle, BorrowedHandle, Handle, Mount, Opening, open_outside, stat};
use crate::replace::temporary_name;
use crate::state::make_private_folder;

/// The trash of one workspace.
pub(crate) struct Trash {
    dir: Handle,
    mount: Mount,
}

impl Trash {
    /// Opens the trash in the state folder `state`, creating it with mode 0700.
    pub(crate) fn open(state: &Path) -> io::Result<Self> {
        let path = state.join("trash");
        make_private_folder(&path)?;
        let dir = open_outside(&path, Opening::Folder)?;
        let mount = Mount::of(&dir)?;
        Ok(Self { dir, mount })
    }

    /// Its folder.
    pub(crate) fn dir(&self) -> BorrowedHandle<'_> {
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
    pub(crate) fn is_reached_from(&self, folder: impl AsHandle) -> bool {
        Mount::of(folder).is_ok_and(|mount| mount == self.mount)
    }

    /// Bytes that lie under `name`.
    pub(crate) fn size(&self, name: &str) -> u64 {
        let Ok(entry) = open_below(&self.dir, Path::new(name), Opening::Look) else {
            return 0;
        };
        let Ok(stat) = stat(&entry) else { return 0 };
        let mut size = stat.size();
        if stat.kind() == EntryKind::Directory
            && let Ok(top) = open_below(&self.dir, Path::new(name), Opening::Folder)
        {
            let _ = listing(&top, &AtomicBool::new(false), |_, below| {
                size = size.saturating_add(below.stat.size());
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
pub(crate) fn same_mount(one: impl AsHandle, other: impl AsHandle) -> bool {
    match (Mount::of(one), Mount::of(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}
