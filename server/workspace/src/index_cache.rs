//! The index on disk: facts of files, stored in the cache folder outside the workspace.
//!
//! It is one file, written completely under a temporary name and then renamed, so that readers see
//! a consistent state even if several servers write. Stored facts are used only if the file's stamp
//! is unchanged. A damaged file, or one of another build, is ignored and replaced.

use std::fs::{self, File, OpenOptions};
use std::hash::Hasher;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use names::{PackedFacts, STORED_FORMAT};
use rustc_hash::{FxHashMap, FxHasher};

use crate::state_folders::cache_folder;
use crate::user_file::open_user_file;
use crate::{Root, Stamp};

const FILE_NAME: &str = "index";
const MAGIC: [u8; 8] = *b"tandemix";
/// Maximum size of the directory of records, in bytes.
const MAX_DIRECTORY_BYTES: usize = 1 << 30;
/// Age after which another process's unfinished file is removed.
const UNFINISHED_MAX_AGE: Duration = Duration::from_secs(3_600);
/// Granularity of file times: a file that changed this shortly before it was read may have changed
/// again with the same times.
const TIMESTAMP_GRANULARITY: Duration = Duration::from_millis(50);

/// An opened index file.
#[derive(Default)]
pub(crate) struct IndexCache {
    file: Option<File>,
    records: FxHashMap<Box<str>, FileRecord>,
}

struct FileRecord {
    stamp: Stamp,
    at: u64,
    len: usize,
    checksum: u64,
}

impl IndexCache {
    /// Opens the stored index of the workspace with these roots; empty if there is none or it is
    /// unusable.
    pub(crate) fn open(cache: Option<&Path>, roots: &[Arc<Root>]) -> Self {
        let folder = cache.and_then(|cache| cache_folder(cache, roots).ok());
        let Some(folder) = folder else { return Self::default() };
        match open_user_file(&folder.join(FILE_NAME)) {
            Ok(Some((file, len))) => Self::read(file, len, build_id()).unwrap_or_else(|| {
                tracing::debug!("the stored index is damaged or of another build");
                Self::default()
            }),
            Ok(None) => Self::default(),
            Err(error) => {
                tracing::debug!("the stored index cannot be read: {error}");
                Self::default()
            }
        }
    }

    /// Reads the directory. Facts are read on demand; a newer index renamed over this file by
    /// another server does not affect the open handle.
    fn read(file: File, len: u64, build: u64) -> Option<Self> {
        let mut footer = [0; 40];
        let end = len.checked_sub(footer.len() as u64)?;
        file.read_exact_at(&mut footer, end).ok()?;
        let mut footer = ByteReader(&footer);
        if footer.bytes(8)? != MAGIC || footer.word()? != build {
            return None;
        }
        let (start, len, sum) = (footer.word()?, footer.size()?, footer.word()?);
        if start.checked_add(len as u64)? != end || len > MAX_DIRECTORY_BYTES {
            return None;
        }
        let mut directory = vec![0; len];
        file.read_exact_at(&mut directory, start).ok()?;
        if checksum(&directory) != sum {
            return None;
        }
        let mut input = ByteReader(&directory);
        let mut records = FxHashMap::default();
        while !input.0.is_empty() {
            let uri = input.size()?;
            let uri = std::str::from_utf8(input.bytes(uri)?).ok()?;
            let mut stamp = [0; 6];
            for word in &mut stamp {
                *word = input.word()?;
            }
            let (at, len) = (input.word()?, input.size()?);
            at.checked_add(len as u64).filter(|end| *end <= start)?;
            let record =
                FileRecord { stamp: Stamp::from_words(stamp), at, len, checksum: input.word()? };
            records.insert(uri.into(), record);
        }
        Some(Self { file: Some(file), records })
    }

    /// The packed facts of a file with this stamp, if stored.
    pub(crate) fn packed(&self, uri: &str, stamp: Stamp) -> Option<PackedFacts> {
        let record = self.records.get(uri).filter(|record| record.stamp == stamp)?;
        let mut bytes = vec![0; record.len];
        self.file.as_ref()?.read_exact_at(&mut bytes, record.at).ok()?;
        (checksum(&bytes) == record.checksum).then(|| PackedFacts::from_bytes(bytes.into()))?
    }
}

/// Stores facts for the next start. Files that changed after `begun`, the time when indexing began,
/// are left out: their facts may be of an older content.
pub(crate) fn save(
    cache: &Path,
    roots: &[Arc<Root>],
    facts: impl Iterator<Item = (Arc<str>, Stamp, PackedFacts)>,
    begun: SystemTime,
) -> io::Result<()> {
    let folder = cache_folder(cache, roots)?;
    remove_unfinished(&folder);
    let unfinished = folder.join(format!("{FILE_NAME}.{}.new", std::process::id()));
    let limit = begun.checked_sub(TIMESTAMP_GRANULARITY).unwrap_or(UNIX_EPOCH);
    let settled = facts.filter(|(_, stamp, _)| stamp.changed_before(limit));
    let open = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).to_owned();
    let written = open
        .open(&unfinished)
        .and_then(|file| write(file, settled, build_id()))
        .and_then(|()| fs::rename(&unfinished, folder.join(FILE_NAME)));
    written.inspect_err(|_| drop(fs::remove_file(&unfinished)))
}

/// Writes the format: the facts, the directory of records, and a footer that locates the directory.
fn write(
    file: File,
    facts: impl Iterator<Item = (Arc<str>, Stamp, PackedFacts)>,
    build: u64,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let mut directory = Vec::new();
    let mut at = 0_u64;
    let push_word = |word: u64, out: &mut Vec<u8>| out.extend_from_slice(&word.to_le_bytes());
    for (uri, stamp, facts) in facts {
        let bytes = facts.bytes();
        out.write_all(bytes)?;
        push_word(uri.len() as u64, &mut directory);
        directory.extend_from_slice(uri.as_bytes());
        for word in stamp.to_words() {
            push_word(word, &mut directory);
        }
        for word in [at, bytes.len() as u64, checksum(bytes)] {
            push_word(word, &mut directory);
        }
        at += bytes.len() as u64;
    }
    out.write_all(&directory)?;
    let mut footer = MAGIC.to_vec();
    for word in [build, at, directory.len() as u64, checksum(&directory)] {
        push_word(word, &mut footer);
    }
    out.write_all(&footer)?;
    out.flush()
}

/// Removes unfinished files of crashed processes.
fn remove_unfinished(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let half = name.to_str().is_some_and(|n| n.starts_with(FILE_NAME) && n.ends_with(".new"));
        let changed = entry.metadata().and_then(|m| m.modified());
        let is_old =
            || changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > UNFINISHED_MAX_AGE));
        if half && is_old() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// An identifier of this build of the program: another build may extract other facts from a text.
fn build_id() -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(env!("CARGO_PKG_VERSION").as_bytes());
    hasher.write_u32(STORED_FORMAT);
    let program = std::env::current_exe().and_then(fs::metadata);
    if let Ok(program) = program {
        hasher.write_u64(program.len());
        let changed = program.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        hasher.write_u128(changed.unwrap_or_default().as_nanos());
    }
    hasher.finish()
}

/// Protects against corruption, not against attackers: the folder is the user's own.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.write_usize(bytes.len());
    hasher.finish()
}

/// The bytes that are still to be read.
struct ByteReader<'b>(&'b [u8]);

impl<'b> ByteReader<'b> {
    fn word(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    fn size(&mut self) -> Option<usize> {
        usize::try_from(self.word()?).ok()
    }

    fn bytes(&mut self, len: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use names::Facts;
    use syntax::{Language, Syntax};
    use text::Text;

    use super::*;

    const BUILD: u64 = 7;

    fn facts(text: &str) -> Facts {
        let never = AtomicBool::new(false);
        let language = Language::by_id("python").unwrap();
        let syntax = Syntax::parse(language, &Text::new(text), None, &never).unwrap();
        Facts::lower(&syntax, &never).unwrap()
    }

    fn stamp(n: u64) -> Stamp {
        Stamp::from_words([n, 2, 3, 4, 5, 6])
    }

    fn stored_index() -> Vec<u8> {
        let file = tempfile::NamedTempFile::new().unwrap();
        let packed = |text: &str| PackedFacts::pack(&facts(text));
        let all = [
            (Arc::from("file:///a.py"), stamp(1), packed("def a():\n    return b\n")),
            (Arc::from("file:///b.py"), stamp(2), packed("b = 1\n")),
        ];
        write(file.reopen().unwrap(), all.into_iter(), BUILD).unwrap();
        fs::read(file.path()).unwrap()
    }

    fn read(bytes: &[u8], build: u64) -> Option<IndexCache> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        IndexCache::read(file, bytes.len() as u64, build)
    }

    fn loaded(cache: &IndexCache, uri: &str, stamp: Stamp) -> Option<Facts> {
        cache.packed(uri, stamp)?.unpack()
    }

    #[test]
    fn stored_facts_are_used_for_the_same_stamp_of_the_same_file() {
        let cache = read(&stored_index(), BUILD).unwrap();
        let found = loaded(&cache, "file:///a.py", stamp(1)).unwrap();
        assert_eq!(format!("{found:?}"), format!("{:?}", facts("def a():\n    return b\n")));
        assert!(cache.packed("file:///b.py", stamp(2)).is_some());
        assert!(cache.packed("file:///a.py", stamp(2)).is_none());
        assert!(cache.packed("file:///c.py", stamp(1)).is_none());
    }

    #[test]
    fn an_index_of_another_build_or_a_truncated_one_is_ignored() {
        let bytes = stored_index();
        assert!(read(&bytes, BUILD + 1).is_none());
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end], BUILD).is_none(), "{end}");
        }
    }

    #[test]
    fn a_damaged_byte_loses_at_most_the_facts_of_its_file() {
        let bytes = stored_index();
        let whole: Vec<String> = ["def a():\n    return b\n", "b = 1\n"]
            .iter()
            .map(|text| format!("{:?}", facts(text)))
            .collect();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x10;
            let Some(cache) = read(&damaged, BUILD) else { continue };
            let found = [("file:///a.py", 1), ("file:///b.py", 2)]
                .map(|(uri, n)| loaded(&cache, uri, stamp(n)).map(|f| format!("{f:?}")));
            let right = |n: usize| found[n].as_ref().is_none_or(|found| *found == whole[n]);
            assert!(right(0) && right(1), "byte {at}");
            assert!(found.iter().any(Option::is_some), "byte {at}");
            assert!(found.iter().any(Option::is_none), "byte {at} is not checked");
        }
    }
}
