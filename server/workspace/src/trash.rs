//! The trash: removed content, kept outside the workspace until no action needs it.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::EntryKind;
use crate::entries::{open_below, remove, visit_tree};
use crate::platform::{AsHandle, BorrowedHandle, Handle, MountId, Opening, open_outside, stat};
use crate::state_folders::make_private_folder;
use crate::temporary_name::temporary_name;

/// The trash of one workspace.
pub(crate) struct Trash {
    dir: Handle,
    mount: MountId,
}

impl Trash {
    /// Opens the trash in the state folder `state`, creating it with mode 0700.
    pub(crate) fn open(state: &Path) -> io::Result<Self> {
        let path = state.join("trash");
        make_private_folder(&path)?;
        let dir = open_outside(&path, Opening::Folder)?;
        let mount = MountId::of_folder(&dir)?;
        Ok(Self { dir, mount })
    }

    /// The folder of the trash.
    pub(crate) fn dir(&self) -> BorrowedHandle<'_> {
        self.dir.as_fd()
    }

    /// A new unique name in the trash.
    pub(crate) fn name() -> String {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_secs();
        let unique = temporary_name();
        let unique = unique.trim_start_matches(".tandem-").trim_end_matches(".tmp");
        format!("{now}-{unique}")
    }

    /// Whether entries of `folder` can be renamed into the trash.
    pub(crate) fn is_on_same_mount(&self, folder: impl AsHandle) -> bool {
        MountId::of_folder(folder).is_ok_and(|mount| mount == self.mount)
    }

    /// The size of the entry `name` with everything below it.
    pub(crate) fn size(&self, name: &str) -> u64 {
        let Ok(entry) = open_below(&self.dir, Path::new(name), Opening::Inspect) else {
            return 0;
        };
        let Ok(stat) = stat(&entry) else { return 0 };
        let mut size = stat.size();
        if stat.kind() == EntryKind::Directory
            && let Ok(top) = open_below(&self.dir, Path::new(name), Opening::Folder)
        {
            let _ = visit_tree(&top, &AtomicBool::new(false), |_, below| {
                size = size.saturating_add(below.stat.size());
                Ok(true)
            });
        }
        size
    }

    /// Deletes the entry `name`.
    pub(crate) fn discard(&self, name: &str) {
        if let Err(error) = remove(&self.dir, OsStr::new(name)) {
            tracing::warn!("the trash: {name} could not be removed: {error}");
        }
    }

    /// The names that are older than `age`, in seconds.
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

/// Whether entries of one folder can be renamed into the other.
pub(crate) fn same_mount(one: impl AsHandle, other: impl AsHandle) -> bool {
    match (MountId::of_folder(one), MountId::of_folder(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}
