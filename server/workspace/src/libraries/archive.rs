//! Sources in an archive: each file is unpacked into the cache once somebody asks for it, so that
//! it has a path that an editor can open.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use parking_lot::Mutex;
use zip::ZipArchive;

use crate::state::make_private_folder;
use crate::{Hash, Root};

/// The largest file that is unpacked, in bytes.
const LARGEST: u64 = 2 << 20;
/// The largest archive that is looked into, in bytes.
const LARGEST_ARCHIVE: u64 = 512 << 20;

/// An archive of sources, and where they are unpacked.
#[derive(Debug)]
pub(crate) struct Archive {
    folder: PathBuf,
    /// The file, until somebody asks; then its directory, and the folders at its top.
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    Unread(File),
    Read(Box<ZipArchive<File>>, Vec<String>),
    Useless,
}

/// The archive at `below` a root, with the folder below `cache` that holds what was unpacked of it.
pub(super) fn open(root: &Root, below: &str, cache: &Path) -> Option<(Root, Archive)> {
    let (file, stat) = root.open_file(below.as_ref(), "").ok()?;
    if stat.size() > LARGEST_ARCHIVE {
        return None;
    }
    // Another archive at the same place has another folder.
    let [inode, size, times @ ..] = crate::Stamp::of(&stat).words();
    let name = format!("{} {below} {inode} {size} {times:?}", root.path().display());
    let folder =
        cache.join("sources").join(format!("{:.16}", Hash::of(name.as_bytes()).to_string()));
    make_private_folder(&folder).ok()?;
    let unpacked = Root::open(&folder).ok()?;
    let folder = unpacked.path().to_owned();
    Some((unpacked, Archive { folder, state: Mutex::new(State::Unread(file)) }))
}

impl Archive {
    /// Unpacks a file, where it is not there yet and the archive has it.
    pub(super) fn unpack(&self, below: &Path) {
        let is_plain = below.components().all(|c| matches!(c, Component::Normal(_)));
        if let Some(name) = below.to_str().filter(|_| is_plain) {
            // What cannot be unpacked is not there for whoever looks next.
            let _ = self.unpack_named(name);
        }
    }

    fn unpack_named(&self, name: &str) -> io::Result<()> {
        let place = self.folder.join(name);
        if fs::symlink_metadata(&place).is_ok() {
            return Ok(());
        }
        let mut state = self.state.lock();
        if let State::Unread(file) = &*state {
            let read = file.try_clone().ok().and_then(|file| ZipArchive::new(file).ok());
            *state = read.map_or(State::Useless, |archive| {
                let tops = tops(&archive);
                State::Read(Box::new(archive), tops)
            });
        }
        let State::Read(archive, tops) = &mut *state else { return Ok(()) };
        // Since modules came, the packages lie in folders named after them.
        let mut names = tops.iter().map(|top| format!("{top}/{name}"));
        let found = names.find_map(|name| archive.index_for_name(&name));
        let Some(found) = found.or_else(|| archive.index_for_name(name)) else { return Ok(()) };
        let mut text = Vec::new();
        archive.by_index(found).map_err(io::Error::other)?.take(LARGEST).read_to_end(&mut text)?;
        self.put(&place, &text)
    }

    /// Puts a file there whole: other servers read the same folder.
    fn put(&self, place: &Path, text: &[u8]) -> io::Result<()> {
        use std::io::Write;
        let above = place.parent().unwrap_or(&self.folder);
        fs::create_dir_all(above)?;
        let unfinished = self.folder.join(format!(".{}.new", std::process::id()));
        let mut options = OpenOptions::new();
        let mut file =
            options.write(true).create(true).truncate(true).mode(0o400).open(&unfinished)?;
        file.write_all(text)?;
        fs::rename(&unfinished, place)
    }
}

/// The names of the folders at the top of an archive, the library's own module first.
fn tops(archive: &ZipArchive<File>) -> Vec<String> {
    let top = |name: &str| name.split_once('/').map(|(top, _)| top.to_owned());
    let mut tops: Vec<_> = archive.file_names().flatten().filter_map(|name| top(&name)).collect();
    tops.sort_unstable();
    tops.dedup();
    tops.sort_by_key(|top| top != "java.base");
    tops
}
