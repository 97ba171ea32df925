//! The index on disk: the facts of files as they were, kept outside of the workspace.
//!
//! One file, written whole under another name and then renamed, so that whoever reads it has one
//! state of it, also when several servers write. Facts count only for a file whose state on disk is
//! the one that they were read from; what is damaged, or was written by another build, counts for
//! nothing and is written anew.

use std::fs::{self, File, OpenOptions};
use std::hash::Hasher;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use names::{Packed, STORED_FORMAT};
use rustc_hash::{FxHashMap, FxHasher};

use crate::state::cache_folder;
use crate::user_file::open_user_file;
use crate::{Root, Stamp};

const NAME: &str = "index";
const MAGIC: [u8; 8] = *b"tandemix";
/// The longest list of what is in it that is read, in bytes.
const DIRECTORY: usize = 1 << 30;
/// What another process left half written is removed once it is this old.
const LEFT_BEHIND: Duration = Duration::from_secs(3_600);
/// A file that changed so shortly before it was read may have changed again without its times
/// telling.
const GRAIN: Duration = Duration::from_millis(50);

/// The index as it was kept.
#[derive(Default)]
pub(crate) struct IndexCache {
    file: Option<File>,
    records: FxHashMap<Box<str>, Record>,
}

struct Record {
    stamp: Stamp,
    at: u64,
    len: usize,
    checksum: u64,
}

impl IndexCache {
    /// What is kept in `cache` of the workspace of these roots; nothing where that is of no use.
    pub(crate) fn open(cache: Option<&Path>, roots: &[Arc<Root>]) -> Self {
        let folder = cache.and_then(|cache| cache_folder(cache, roots).ok());
        let Some(folder) = folder else { return Self::default() };
        match open_user_file(&folder.join(NAME)) {
            Ok(Some((file, len))) => Self::read(file, len, build()).unwrap_or_else(|| {
                tracing::debug!("the kept index is damaged or of another build");
                Self::default()
            }),
            Ok(None) => Self::default(),
            Err(error) => {
                tracing::debug!("the kept index is not read: {error}");
                Self::default()
            }
        }
    }

    /// Reads where everything is. Facts are read when they are asked for; another server that
    /// renames a newer index over this one leaves this one as it is.
    fn read(file: File, len: u64, build: u64) -> Option<Self> {
        let mut footer = [0; 40];
        let end = len.checked_sub(footer.len() as u64)?;
        file.read_exact_at(&mut footer, end).ok()?;
        let mut footer = Input(&footer);
        if footer.bytes(8)? != MAGIC || footer.word()? != build {
            return None;
        }
        let (start, len, sum) = (footer.word()?, footer.size()?, footer.word()?);
        if start.checked_add(len as u64)? != end || len > DIRECTORY {
            return None;
        }
        let mut directory = vec![0; len];
        file.read_exact_at(&mut directory, start).ok()?;
        if checksum(&directory) != sum {
            return None;
        }
        let mut input = Input(&directory);
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
            let record = Record { stamp: Stamp::of_words(stamp), at, len, checksum: input.word()? };
            records.insert(uri.into(), record);
        }
        Some(Self { file: Some(file), records })
    }

    /// The packed facts of a file in a state, if they are kept.
    pub(crate) fn packed(&self, uri: &str, stamp: Stamp) -> Option<Packed> {
        let record = self.records.get(uri).filter(|record| record.stamp == stamp)?;
        let mut bytes = vec![0; record.len];
        self.file.as_ref()?.read_exact_at(&mut bytes, record.at).ok()?;
        (checksum(&bytes) == record.checksum).then(|| Packed::load(bytes.into()))?
    }
}

/// Keeps facts for the next start. Those of files that changed after `begun`, when the reading of
/// the workspace began, are left out: nobody can tell whether they are of the last state.
pub(crate) fn keep(
    cache: &Path,
    roots: &[Arc<Root>],
    facts: impl Iterator<Item = (Arc<str>, Stamp, Packed)>,
    begun: SystemTime,
) -> io::Result<()> {
    let folder = cache_folder(cache, roots)?;
    sweep(&folder);
    let unfinished = folder.join(format!("{NAME}.{}.new", std::process::id()));
    let limit = begun.checked_sub(GRAIN).unwrap_or(UNIX_EPOCH);
    let settled = facts.filter(|(_, stamp, _)| stamp.changed_before(limit));
    let open = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).to_owned();
    let written = open
        .open(&unfinished)
        .and_then(|file| write(file, settled, build()))
        .and_then(|()| fs::rename(&unfinished, folder.join(NAME)));
    written.inspect_err(|_| drop(fs::remove_file(&unfinished)))
}

fn write(
    file: File,
    facts: impl Iterator<Item = (Arc<str>, Stamp, Packed)>,
    build: u64,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let mut directory = Vec::new();
    let mut at = 0_u64;
    let put = |word: u64, out: &mut Vec<u8>| out.extend_from_slice(&word.to_le_bytes());
    for (uri, stamp, facts) in facts {
        let bytes = facts.bytes();
        out.write_all(bytes)?;
        put(uri.len() as u64, &mut directory);
        directory.extend_from_slice(uri.as_bytes());
        for word in stamp.words() {
            put(word, &mut directory);
        }
        for word in [at, bytes.len() as u64, checksum(bytes)] {
            put(word, &mut directory);
        }
        at += bytes.len() as u64;
    }
    out.write_all(&directory)?;
    let mut footer = MAGIC.to_vec();
    for word in [build, at, directory.len() as u64, checksum(&directory)] {
        put(word, &mut footer);
    }
    out.write_all(&footer)?;
    out.flush()
}

/// Removes what processes that have died left half written.
fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let half = name.to_str().is_some_and(|n| n.starts_with(NAME) && n.ends_with(".new"));
        let changed = entry.metadata().and_then(|m| m.modified());
        let is_old = || changed.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > LEFT_BEHIND));
        if half && is_old() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Tells one build of the program from another: what facts say of a text is up to it.
fn build() -> u64 {
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

/// Against accidents, not against people: the folder is the user's own.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.write_usize(bytes.len());
    hasher.finish()
}

/// What is still to be read.
struct Input<'b>(&'b [u8]);

impl<'b> Input<'b> {
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
        Facts::of(&syntax, &never).unwrap()
    }

    fn stamp(n: u64) -> Stamp {
        Stamp::of_words([n, 2, 3, 4, 5, 6])
    }

    fn kept() -> Vec<u8> {
        let file = tempfile::NamedTempFile::new().unwrap();
        let packed = |text: &str| Packed::of(&facts(text));
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
    fn what_is_kept_counts_for_the_same_state_of_the_same_file() {
        let cache = read(&kept(), BUILD).unwrap();
        let found = loaded(&cache, "file:///a.py", stamp(1)).unwrap();
        assert_eq!(format!("{found:?}"), format!("{:?}", facts("def a():\n    return b\n")));
        assert!(cache.packed("file:///b.py", stamp(2)).is_some());
        assert!(cache.packed("file:///a.py", stamp(2)).is_none());
        assert!(cache.packed("file:///c.py", stamp(1)).is_none());
    }

    #[test]
    fn what_another_build_wrote_and_what_is_cut_short_counts_for_nothing() {
        let bytes = kept();
        assert!(read(&bytes, BUILD + 1).is_none());
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end], BUILD).is_none(), "{end}");
        }
    }

    #[test]
    fn a_damaged_byte_costs_at_most_its_file() {
        let bytes = kept();
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
            assert!(found.iter().any(Option::is_none), "byte {at} is not looked at");
        }
    }
}
