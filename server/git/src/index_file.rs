//! Parses the index file without an allocation per entry, for operations over many files. Does not
//! verify the checksum; nor does the `git` program.
//!
//! After git's `index-format.txt`, versions 2 to 4.

use git2::{IndexEntry, IndexTime, Oid};

use rustc_hash::FxHashMap;

use crate::RepoPath;

/// The entries of an index, sorted by path.
#[derive(Debug)]
pub(crate) struct IndexFile {
    /// The file's bytes, followed by the paths that version 4 compresses.
    bytes: Vec<u8>,
    entries: Vec<EntryOffsets>,
    /// The tree that the entries form, if the file's cache tree extension has it.
    pub(crate) tree: Option<Oid>,
    /// Whether an entry has the skip-worktree flag (sparse checkout).
    pub(crate) is_sparse: bool,
}

#[derive(Debug, Clone, Copy)]
struct EntryOffsets {
    start: u32,
    path: u32,
    length: u32,
}

/// One entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry<'t> {
    pub(crate) path: &'t [u8],
    /// The entry's bytes without its path.
    fixed: &'t [u8],
}

/// Length of an entry without extended flags and path.
const FIXED_LENGTH: usize = 62;
/// Index flag of intent-to-add files, git's `GIT_INDEX_ENTRY_INTENT_TO_ADD`.
pub(crate) const INTENT_TO_ADD: u16 = 1 << 13;
/// Index flag of files left out by a sparse checkout, `GIT_INDEX_ENTRY_SKIP_WORKTREE`.
pub(crate) const SKIP_WORKTREE: u16 = 1 << 14;
/// Flag: extended flags follow.
const EXTENDED: u16 = 0x4000;
/// Flag: `--assume-unchanged`.
const ASSUME_UNCHANGED: u16 = 1 << 15;
const CHECKSUM_LENGTH: usize = 20;
/// Mode of a submodule.
const SUBMODULE_MODE: u32 = 0o160_000;

impl Entry<'_> {
    fn u32_at(&self, at: usize) -> u32 {
        let bytes = self.fixed.get(at..at + 4).and_then(|four| four.try_into().ok());
        u32::from_be_bytes(bytes.unwrap_or_default())
    }

    fn u16_at(&self, at: usize) -> u16 {
        let bytes = self.fixed.get(at..at + 2).and_then(|two| two.try_into().ok());
        u16::from_be_bytes(bytes.unwrap_or_default())
    }

    /// `ctime` in seconds and nanoseconds.
    pub(crate) fn ctime(&self) -> (u32, u32) {
        (self.u32_at(0), self.u32_at(4))
    }

    pub(crate) fn mtime(&self) -> (u32, u32) {
        (self.u32_at(8), self.u32_at(12))
    }

    pub(crate) fn inode(&self) -> u32 {
        self.u32_at(20)
    }

    pub(crate) fn mode(&self) -> u32 {
        self.u32_at(24)
    }

    pub(crate) fn owner(&self) -> (u32, u32) {
        (self.u32_at(28), self.u32_at(32))
    }

    pub(crate) fn size(&self) -> u32 {
        self.u32_at(36)
    }

    pub(crate) fn id(&self) -> Oid {
        self.fixed.get(40..60).and_then(|id| Oid::from_bytes(id).ok()).unwrap_or(Oid::ZERO_SHA1)
    }

    fn flags(&self) -> u16 {
        self.u16_at(60)
    }

    fn extended(&self) -> u16 {
        if self.fixed.len() > FIXED_LENGTH { self.u16_at(FIXED_LENGTH) } else { 0 }
    }

    /// The merge stage; 0 if the entry is not in conflict.
    pub(crate) fn stage(&self) -> usize {
        usize::from((self.flags() >> 12) & 3)
    }

    /// Whether git assumes it unchanged (`--assume-unchanged`).
    pub(crate) fn is_assume_unchanged(&self) -> bool {
        self.flags() & ASSUME_UNCHANGED != 0
    }

    /// Whether only its path was added (`git add --intent-to-add`).
    pub(crate) fn is_intent_to_add(&self) -> bool {
        self.extended() & INTENT_TO_ADD != 0
    }

    /// Whether a sparse checkout leaves it out.
    pub(crate) fn is_skip_worktree(&self) -> bool {
        self.extended() & SKIP_WORKTREE != 0
    }

    /// Whether it is a submodule.
    pub(crate) fn is_submodule(&self) -> bool {
        self.mode() == SUBMODULE_MODE
    }

    /// Converts it to libgit2's form.
    pub(crate) fn to_git2(self) -> IndexEntry {
        let time = |(seconds, nanos): (u32, u32)| IndexTime::new(seconds.cast_signed(), nanos);
        IndexEntry {
            ctime: time(self.ctime()),
            mtime: time(self.mtime()),
            dev: self.u32_at(16),
            ino: self.inode(),
            mode: self.mode(),
            uid: self.owner().0,
            gid: self.owner().1,
            file_size: self.size(),
            id: self.id(),
            flags: self.flags(),
            flags_extended: self.extended(),
            path: self.path.to_vec(),
        }
    }
}

impl IndexFile {
    /// Parses an index file; `None` if this parser does not support it, though libgit2 may.
    /// O(file).
    pub(crate) fn parse(mut bytes: Vec<u8>) -> Option<Self> {
        let number = |bytes: &[u8], at: usize| {
            Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
        };
        let (version, count) = (number(&bytes, 4)?, number(&bytes, 8)? as usize);
        let end = bytes.len().checked_sub(CHECKSUM_LENGTH)?;
        let is_index = bytes.starts_with(b"DIRC") && (2..=4).contains(&version);
        if !is_index || count > end / FIXED_LENGTH || u32::try_from(bytes.len()).is_err() {
            return None;
        }
        let mut entries: Vec<EntryOffsets> = Vec::with_capacity(count);
        let mut decompressed: Vec<u8> = Vec::new();
        let (mut at, mut before, mut is_sparse) = (12, 0..0, false);
        for _ in 0..count {
            let fixed = bytes.get(at..at + FIXED_LENGTH)?;
            let flags = u16::from_be_bytes([fixed[60], fixed[61]]);
            let extended = usize::from(flags & EXTENDED != 0) * 2;
            if extended > 0 {
                let more = bytes.get(at + FIXED_LENGTH..at + FIXED_LENGTH + 2)?;
                is_sparse |= u16::from_be_bytes([more[0], more[1]]) & SKIP_WORKTREE != 0;
            }
            let mut name = at + FIXED_LENGTH + extended;
            let mut prefix = 0;
            if version == 4 {
                let (dropped, length) = decode_offset(bytes.get(name..end)?)?;
                name += length;
                prefix = before.len().checked_sub(dropped)?;
            }
            let rest = bytes.get(name..end)?;
            let length = match usize::from(flags & 0xfff) {
                // Trust the stored length if a NUL is where it says; 0xfff means "or longer".
                long if version < 4 && long < 0xfff && rest.get(long) == Some(&0) => long,
                _ => rest.iter().position(|byte| *byte == 0)?,
            };
            let path = if version == 4 {
                let from = decompressed.len();
                decompressed.extend_from_within(before.start..before.start + prefix);
                decompressed.extend_from_slice(&rest[..length]);
                before = from..decompressed.len();
                bytes.len() + from..bytes.len() + decompressed.len()
            } else {
                name..name + length
            };
            if path.is_empty() {
                return None;
            }
            let short = |n: usize| u32::try_from(n).ok();
            entries.push(EntryOffsets {
                start: short(at)?,
                path: short(path.start)?,
                length: short(path.len())?,
            });
            at = match version {
                4 => name + length + 1,
                _ => at + ((FIXED_LENGTH + extended + length) / 8 + 1) * 8,
            };
        }
        let tree = root_tree(&bytes, at, end)?;
        bytes.append(&mut decompressed);
        u32::try_from(bytes.len()).ok()?;
        let index = Self { bytes, entries, tree, is_sparse };
        index.is_valid().then_some(index)
    }

    /// Converts the entries that libgit2 has read.
    pub(crate) fn from_entries(git_entries: &[IndexEntry]) -> Option<Self> {
        let mut bytes = Vec::new();
        let mut entries = Vec::with_capacity(git_entries.len());
        let mut is_sparse = false;
        for entry in git_entries {
            let start = u32::try_from(bytes.len()).ok()?;
            let numbers = [
                entry.ctime.seconds().cast_unsigned(),
                entry.ctime.nanoseconds(),
                entry.mtime.seconds().cast_unsigned(),
                entry.mtime.nanoseconds(),
                entry.dev,
                entry.ino,
                entry.mode,
                entry.uid,
                entry.gid,
                entry.file_size,
            ];
            bytes.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
            bytes.extend_from_slice(entry.id.as_bytes());
            bytes.extend_from_slice(&(entry.flags | EXTENDED).to_be_bytes());
            bytes.extend_from_slice(&entry.flags_extended.to_be_bytes());
            is_sparse |= entry.flags_extended & SKIP_WORKTREE != 0;
            let path = u32::try_from(bytes.len()).ok()?;
            let length = u32::try_from(entry.path.len()).ok()?;
            bytes.extend_from_slice(&entry.path);
            entries.push(EntryOffsets { start, path, length });
        }
        Some(Self { bytes, entries, tree: None, is_sparse })
    }

    /// Whether the entries are sorted and every path stays inside the work tree.
    fn is_valid(&self) -> bool {
        let mut before: (&[u8], usize) = (b"", 0);
        self.iter().all(|entry| {
            let now = (entry.path, entry.stage());
            let is_next = now > before;
            before = now;
            is_next && is_valid_path(entry.path)
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    fn entry(&self, offsets: EntryOffsets) -> Entry<'_> {
        let (at, path) = (offsets.start as usize, offsets.path as usize);
        let is_extended = self.bytes[at + 60] & 0x40 != 0;
        let fixed = &self.bytes[at..at + FIXED_LENGTH + usize::from(is_extended) * 2];
        Entry { path: &self.bytes[path..path + offsets.length as usize], fixed }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Entry<'_>> {
        self.entries.iter().map(|offsets| self.entry(*offsets))
    }

    /// The index of the first entry at or after `path`.
    fn position(&self, path: &[u8]) -> usize {
        self.entries.partition_point(|offsets| self.entry(*offsets).path < path)
    }

    /// The entry of a file that is not in conflict.
    pub(crate) fn find(&self, path: &RepoPath) -> Option<Entry<'_>> {
        let entry = self.entry(*self.entries.get(self.position(path.as_bytes()))?);
        (entry.path == path.as_bytes() && entry.stage() == 0).then_some(entry)
    }

    /// Whether a file is intent-to-add.
    pub(crate) fn is_intent_to_add(&self, path: &RepoPath) -> bool {
        self.find(path).is_some_and(|entry| entry.is_intent_to_add())
    }

    /// Whether a sparse checkout leaves a file out.
    pub(crate) fn is_skip_worktree(&self, path: &RepoPath) -> bool {
        self.find(path).is_some_and(|entry| entry.is_skip_worktree())
    }

    /// The entries at a path: several in a conflict.
    pub(crate) fn stages_of(&self, path: &RepoPath) -> impl Iterator<Item = Entry<'_>> {
        let rest = self.entries[self.position(path.as_bytes())..].iter();
        rest.map(|offsets| self.entry(*offsets)).take_while(|entry| entry.path == path.as_bytes())
    }

    /// The entries below a folder; all for an empty path.
    pub(crate) fn below(&self, folder: &[u8]) -> impl Iterator<Item = Entry<'_>> {
        let first = if folder.is_empty() { Vec::new() } else { [folder, b"/"].concat() };
        let rest = self.entries[self.position(&first)..].iter();
        rest.map(|offsets| self.entry(*offsets))
            .take_while(move |entry| entry.path.starts_with(&first))
    }

    /// The entries of `.gitattributes` files.
    pub(crate) fn attribute_files(&self) -> impl Iterator<Item = Entry<'_>> {
        const NAME: &[u8] = b".gitattributes";
        self.iter().filter(|entry| {
            let above = entry.path.strip_suffix(NAME);
            above.is_some_and(|above| above.is_empty() || above.ends_with(b"/"))
        })
    }

    /// Whether a folder holds entries.
    pub(crate) fn has_below(&self, folder: &[u8]) -> bool {
        self.below(folder).next().is_some()
    }

    /// The paths whose entries differ between two indexes. O(entries).
    pub(crate) fn changed_paths(&self, other: &Self) -> Vec<RepoPath> {
        let (mut a, mut b) = (self.iter().peekable(), other.iter().peekable());
        let mut changes = Vec::new();
        let key = |entry: &Entry<'_>| (entry.path.to_vec(), entry.stage());
        loop {
            let order = match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some(one), Some(other)) if one == other => {
                    a.next();
                    b.next();
                    continue;
                }
                (Some(one), Some(other)) => key(one).cmp(&key(other)),
            };
            let (one, other) = match order {
                std::cmp::Ordering::Less => (a.next(), None),
                std::cmp::Ordering::Greater => (None, b.next()),
                std::cmp::Ordering::Equal => (a.next(), b.next()),
            };
            changes.extend(one.or(other).map(|entry| RepoPath::new(entry.path)));
        }
        changes
    }
}

/// Whether a path stays inside the work tree and outside `.git`.
pub(crate) fn is_valid_path(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/')
        .all(|name| !matches!(name, b"" | b"." | b"..") && !name.eq_ignore_ascii_case(b".git"))
}

/// Decodes a variable-length number of version 4 (git's offset encoding): its value and length.
fn decode_offset(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = usize::from(bytes.first()? & 0x7f);
    let mut length = 1;
    while bytes[length - 1] & 0x80 != 0 {
        let byte = *bytes.get(length)?;
        value = value.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7f);
        length += 1;
    }
    Some((value, length))
}

/// The root tree of the cache tree extension. The outer `None` means an extension that must be
/// understood, as in sparse and split indexes.
#[allow(clippy::option_option, reason = "unsupported file, and no tree known, are different")]
fn root_tree(bytes: &[u8], mut at: usize, end: usize) -> Option<Option<Oid>> {
    let mut tree = None;
    while at < end {
        let head = bytes.get(at..at + 8)?;
        let size = u32::from_be_bytes(head[4..].try_into().ok()?) as usize;
        let data = bytes.get(at + 8..(at + 8).checked_add(size)?)?;
        match &head[..4] {
            b"TREE" => tree = parse_cache_tree(data),
            [first, ..] if !first.is_ascii_uppercase() => return None,
            _ => {}
        }
        at += 8 + size;
    }
    (at == end).then_some(tree)
}

/// The root tree in a cache tree extension, if it is valid.
fn parse_cache_tree(data: &[u8]) -> Option<Oid> {
    let data = data.strip_prefix(b"\0")?;
    let end = data.iter().position(|byte| *byte == b'\n')?;
    if data.starts_with(b"-") {
        return None;
    }
    Oid::from_bytes(data.get(end + 1..end + 21)?).ok()
}

/// `scope` and the folders below it that hold tracked files, each with the entries directly in it,
/// sorted by name.
pub(crate) fn folders<'t>(
    index: &'t IndexFile,
    scope: &'t [u8],
) -> FxHashMap<&'t [u8], Vec<Entry<'t>>> {
    let mut folders: FxHashMap<&[u8], Vec<Entry<'_>>> = FxHashMap::default();
    folders.entry(scope).or_default();
    for entry in index.below(scope) {
        let mut path = folder_of(entry.path);
        let entries = folders.entry(path).or_default();
        entries.push(entry);
        // The first entry of a folder has registered the folders above.
        if entries.len() > 1 {
            continue;
        }
        while path.len() > scope.len() {
            path = folder_of(path);
            folders.entry(path).or_default();
        }
    }
    folders
}

/// The parent folder of a path.
pub(crate) fn folder_of(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(b"", |at| &path[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offset_encoded_numbers_are_decoded() {
        assert_eq!(decode_offset(&[0x05]), Some((5, 1)));
        assert_eq!(decode_offset(&[0x80, 0x00]), Some((128, 2)));
        assert_eq!(decode_offset(&[0x81, 0x7f]), Some((383, 2)));
        assert_eq!(decode_offset(&[0x80]), None);
        assert_eq!(decode_offset(&[0xff; 40]), None);
    }

    #[test]
    fn invalid_index_files_are_not_parsed() {
        for bytes in [&b""[..], b"DIRC", b"DIRC\0\0\0\x02\xff\xff\xff\xff", &[0; 64]] {
            assert!(IndexFile::parse(bytes.to_vec()).is_none(), "{bytes:?}");
        }
        let mut empty = b"DIRC\0\0\0\x02\0\0\0\0".to_vec();
        empty.extend([0; CHECKSUM_LENGTH]);
        assert_eq!(IndexFile::parse(empty).unwrap().len(), 0);
    }

    fn entry(path: &str, mode: u32) -> IndexEntry {
        let mut entry = crate::stage::entry(&RepoPath::new(path.as_bytes()), Oid::ZERO_SHA1, mode);
        entry.file_size = 7;
        entry
    }

    #[test]
    fn indexes_are_compared_by_entries() {
        let index = |entries: &[IndexEntry]| IndexFile::from_entries(entries).unwrap();
        let file = 0o100_644;
        let one = index(&[entry("a", file), entry("b", file), entry("d/e", file)]);
        let other = index(&[entry("a", file), entry("b", 0o100_755), entry("c", file)]);
        let paths = ["b", "c", "d/e"].map(|path| RepoPath::new(path.as_bytes()));
        assert_eq!(one.changed_paths(&other), paths);
        assert_eq!(one.changed_paths(&one), []);
        assert_eq!(one.below(b"d").map(|entry| entry.path).collect::<Vec<_>>(), [b"d/e"]);
        assert_eq!(one.find(&RepoPath::new(b"b")).unwrap().to_git2().file_size, 7);
        assert!(one.find(&RepoPath::new(b"d")).is_none());
    }
}
