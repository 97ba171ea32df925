//! Sources in an archive: each file is unpacked into the cache on demand, so that editors can open
//! it by path.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use parking_lot::Mutex;
use zip::ZipArchive;

use crate::state_folders::make_private_folder;
use crate::{ContentHash, Root};

/// Size limit of an unpacked file.
const MAX_FILE_BYTES: u64 = 2 << 20;
/// Size limit of an archive.
const MAX_ARCHIVE_BYTES: u64 = 512 << 20;

/// An archive of sources, and the folder it is unpacked into.
#[derive(Debug)]
pub(crate) struct Archive {
    folder: PathBuf,
    /// Opened on first use.
    state: Mutex<ArchiveState>,
}

#[derive(Debug)]
enum ArchiveState {
    Unopened(File),
    Open(Box<ZipArchive<File>>, Vec<String>),
    Unusable,
}

/// Opens the archive at `below` a root, and its folder for unpacked files below `cache`.
pub(super) fn open(root: &Root, below: &str, cache: &Path) -> Option<(Root, Archive)> {
    let (file, stat) = root.open_file(below.as_ref(), "").ok()?;
    if stat.size() > MAX_ARCHIVE_BYTES {
        return None;
    }
    // The stamp is part of the name: a replaced archive gets another folder.
    let [inode, size, times @ ..] = crate::Stamp::from_stat(&stat).to_words();
    let name = format!("{} {below} {inode} {size} {times:?}", root.path().display());
    let folder = cache
        .join("sources")
        .join(format!("{:.16}", ContentHash::digest(name.as_bytes()).to_string()));
    make_private_folder(&folder).ok()?;
    let unpacked = Root::open(&folder).ok()?;
    let folder = unpacked.path().to_owned();
    Some((unpacked, Archive { folder, state: Mutex::new(ArchiveState::Unopened(file)) }))
}

impl Archive {
    /// Unpacks a file if the archive contains it and it is not unpacked yet.
    pub(super) fn unpack(&self, below: &Path) {
        let is_plain = below.components().all(|c| matches!(c, Component::Normal(_)));
        if let Some(name) = below.to_str().filter(|_| is_plain) {
            // On failure the file stays missing, which callers handle.
            let _ = self.unpack_named(name);
        }
    }

    /// Opens the archive on first use, then unpacks the file `name`.
    fn unpack_named(&self, name: &str) -> io::Result<()> {
        let path = self.folder.join(name);
        if fs::symlink_metadata(&path).is_ok() {
            return Ok(());
        }
        let mut state = self.state.lock();
        if let ArchiveState::Unopened(file) = &*state {
            let read = file.try_clone().ok().and_then(|file| ZipArchive::new(file).ok());
            *state = read.map_or(ArchiveState::Unusable, |archive| {
                let top_folders = top_folders(&archive);
                ArchiveState::Open(Box::new(archive), top_folders)
            });
        }
        let ArchiveState::Open(archive, top_folders) = &mut *state else { return Ok(()) };
        // Since Java 9, packages are in folders named after their modules.
        let mut names = top_folders.iter().map(|top| format!("{top}/{name}"));
        let found = names.find_map(|name| archive.index_for_name(&name));
        let Some(found) = found.or_else(|| archive.index_for_name(name)) else { return Ok(()) };
        let mut text = Vec::new();
        archive
            .by_index(found)
            .map_err(io::Error::other)?
            .take(MAX_FILE_BYTES)
            .read_to_end(&mut text)?;
        self.write_atomically(&path, &text)
    }

    /// Writes a file atomically: other servers read the same folder.
    fn write_atomically(&self, path: &Path, text: &[u8]) -> io::Result<()> {
        use std::io::Write;
        let above = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(above)?;
        let unfinished = self.folder.join(format!(".{}.new", std::process::id()));
        let mut options = OpenOptions::new();
        let mut file =
            options.write(true).create(true).truncate(true).mode(0o400).open(&unfinished)?;
        file.write_all(text)?;
        fs::rename(&unfinished, path)
    }
}

/// The top-level folders of an archive, `java.base` first.
fn top_folders(archive: &ZipArchive<File>) -> Vec<String> {
    let top = |name: &str| name.split_once('/').map(|(top, _)| top.to_owned());
    let mut top_folders: Vec<_> =
        archive.file_names().flatten().filter_map(|name| top(&name)).collect();
    top_folders.sort_unstable();
    top_folders.dedup();
    top_folders.sort_by_key(|top| top != "java.base");
    top_folders
}
