//! The entries of an index file, read as they stand in it: what a look at many files needs, without
//! an object for each, and without its checksum, which git's own program does not look at either.
//!
//! After git's `index-format.txt`, versions 2 to 4.

use git2::{IndexEntry, IndexTime, Oid};

use crate::RepoPath;
use crate::diff::{ANNOUNCED, LEFT_OUT};

/// The entries of an index, in order of their paths.
#[derive(Debug)]
pub(crate) struct Table {
    /// The file, and behind it what paths it has shortened.
    bytes: Vec<u8>,
    entries: Vec<Place>,
    /// The tree that they make, where the file says so.
    pub(crate) tree: Option<Oid>,
    /// Whether a sparse work tree leaves files out.
    pub(crate) is_sparse: bool,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    at: u32,
    path: u32,
    length: u32,
}

/// One entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry<'t> {
    pub(crate) path: &'t [u8],
    /// All but the path, as in the file.
    fixed: &'t [u8],
}

/// The length of an entry without extended flags and path.
const FIXED: usize = 62;
/// The flag of extended flags.
const EXTENDED: u16 = 0x4000;
/// The flag of files that are not to be looked at (`--assume-unchanged`).
const ASSUMED: u16 = 1 << 15;
const CHECKSUM: usize = 20;
/// The mode of a repository within.
const MODULE: u32 = 0o160_000;

impl Entry<'_> {
    fn number(&self, at: usize) -> u32 {
        let bytes = self.fixed.get(at..at + 4).and_then(|four| four.try_into().ok());
        u32::from_be_bytes(bytes.unwrap_or_default())
    }

    fn short(&self, at: usize) -> u16 {
        let bytes = self.fixed.get(at..at + 2).and_then(|two| two.try_into().ok());
        u16::from_be_bytes(bytes.unwrap_or_default())
    }

    /// Seconds and nanoseconds.
    pub(crate) fn changed(&self) -> (u32, u32) {
        (self.number(0), self.number(4))
    }

    pub(crate) fn modified(&self) -> (u32, u32) {
        (self.number(8), self.number(12))
    }

    pub(crate) fn inode(&self) -> u32 {
        self.number(20)
    }

    pub(crate) fn mode(&self) -> u32 {
        self.number(24)
    }

    pub(crate) fn owner(&self) -> (u32, u32) {
        (self.number(28), self.number(32))
    }

    pub(crate) fn size(&self) -> u32 {
        self.number(36)
    }

    pub(crate) fn id(&self) -> Oid {
        self.fixed.get(40..60).and_then(|id| Oid::from_bytes(id).ok()).unwrap_or(Oid::ZERO_SHA1)
    }

    fn flags(&self) -> u16 {
        self.short(60)
    }

    fn extended(&self) -> u16 {
        if self.fixed.len() > FIXED { self.short(FIXED) } else { 0 }
    }

    /// Which of the states of a merge it is; 0 where it is the only one.
    pub(crate) fn stage(&self) -> usize {
        usize::from((self.flags() >> 12) & 3)
    }

    /// Whether it is not to be looked at.
    pub(crate) fn is_assumed(&self) -> bool {
        self.flags() & ASSUMED != 0
    }

    /// Whether it is there by name only (`git add --intent-to-add`).
    pub(crate) fn is_announced(&self) -> bool {
        self.extended() & ANNOUNCED != 0
    }

    /// Whether a sparse work tree leaves it out.
    pub(crate) fn is_left_out(&self) -> bool {
        self.extended() & LEFT_OUT != 0
    }

    /// Whether it is a repository within.
    pub(crate) fn is_module(&self) -> bool {
        self.mode() == MODULE
    }

    /// As libgit2 has it.
    pub(crate) fn to_index(self) -> IndexEntry {
        let time = |(seconds, nanos): (u32, u32)| IndexTime::new(seconds.cast_signed(), nanos);
        IndexEntry {
            ctime: time(self.changed()),
            mtime: time(self.modified()),
            dev: self.number(16),
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

impl Table {
    /// Of an index file; `None` where it is none that could be read here, whatever libgit2 says of
    /// it. O(file).
    pub(crate) fn of_file(mut bytes: Vec<u8>) -> Option<Self> {
        let number = |bytes: &[u8], at: usize| {
            Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
        };
        let (version, count) = (number(&bytes, 4)?, number(&bytes, 8)? as usize);
        let end = bytes.len().checked_sub(CHECKSUM)?;
        let is_index = bytes.starts_with(b"DIRC") && (2..=4).contains(&version);
        if !is_index || count > end / FIXED || u32::try_from(bytes.len()).is_err() {
            return None;
        }
        let mut entries: Vec<Place> = Vec::with_capacity(count);
        let mut shortened: Vec<u8> = Vec::new();
        let (mut at, mut before, mut is_sparse) = (12, 0..0, false);
        for _ in 0..count {
            let fixed = bytes.get(at..at + FIXED)?;
            let flags = u16::from_be_bytes([fixed[60], fixed[61]]);
            let extended = usize::from(flags & EXTENDED != 0) * 2;
            if extended > 0 {
                let more = bytes.get(at + FIXED..at + FIXED + 2)?;
                is_sparse |= u16::from_be_bytes([more[0], more[1]]) & LEFT_OUT != 0;
            }
            let mut name = at + FIXED + extended;
            let mut kept = 0;
            if version == 4 {
                let (dropped, length) = varying(bytes.get(name..end)?)?;
                name += length;
                kept = before.len().checked_sub(dropped)?;
            }
            let rest = bytes.get(name..end)?;
            let length = match usize::from(flags & 0xfff) {
                // As long as it says, which its end proves.
                long if version < 4 && long < 0xfff && rest.get(long) == Some(&0) => long,
                _ => rest.iter().position(|byte| *byte == 0)?,
            };
            let path = if version == 4 {
                let from = shortened.len();
                shortened.extend_from_within(before.start..before.start + kept);
                shortened.extend_from_slice(&rest[..length]);
                before = from..shortened.len();
                bytes.len() + from..bytes.len() + shortened.len()
            } else {
                name..name + length
            };
            if path.is_empty() {
                return None;
            }
            let short = |n: usize| u32::try_from(n).ok();
            entries.push(Place {
                at: short(at)?,
                path: short(path.start)?,
                length: short(path.len())?,
            });
            at = match version {
                4 => name + length + 1,
                _ => at + ((FIXED + extended + length) / 8 + 1) * 8,
            };
        }
        let tree = extensions(&bytes, at, end)?;
        bytes.append(&mut shortened);
        u32::try_from(bytes.len()).ok()?;
        let table = Self { bytes, entries, tree, is_sparse };
        table.is_sound().then_some(table)
    }

    /// Of what libgit2 has read.
    pub(crate) fn of_entries(listed: &[IndexEntry]) -> Option<Self> {
        let mut bytes = Vec::new();
        let mut entries = Vec::with_capacity(listed.len());
        let mut is_sparse = false;
        for entry in listed {
            let at = u32::try_from(bytes.len()).ok()?;
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
            is_sparse |= entry.flags_extended & LEFT_OUT != 0;
            let path = u32::try_from(bytes.len()).ok()?;
            let length = u32::try_from(entry.path.len()).ok()?;
            bytes.extend_from_slice(&entry.path);
            entries.push(Place { at, path, length });
        }
        Some(Self { bytes, entries, tree: None, is_sparse })
    }

    /// Whether the entries are in order, and no path leads anywhere but down.
    fn is_sound(&self) -> bool {
        let mut before: (&[u8], usize) = (b"", 0);
        self.iter().all(|entry| {
            let now = (entry.path, entry.stage());
            let is_next = now > before;
            before = now;
            is_next && is_plain(entry.path)
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    fn entry(&self, place: Place) -> Entry<'_> {
        let (at, path) = (place.at as usize, place.path as usize);
        let is_extended = self.bytes[at + 60] & 0x40 != 0;
        let fixed = &self.bytes[at..at + FIXED + usize::from(is_extended) * 2];
        Entry { path: &self.bytes[path..path + place.length as usize], fixed }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Entry<'_>> {
        self.entries.iter().map(|place| self.entry(*place))
    }

    /// The first entry that is not before `path`.
    fn position(&self, path: &[u8]) -> usize {
        self.entries.partition_point(|place| self.entry(*place).path < path)
    }

    /// The entry of a file, where there is one state of it.
    pub(crate) fn find(&self, path: &RepoPath) -> Option<Entry<'_>> {
        let entry = self.entry(*self.entries.get(self.position(path.bytes()))?);
        (entry.path == path.bytes() && entry.stage() == 0).then_some(entry)
    }

    /// Whether a file is there by name only.
    pub(crate) fn is_announced(&self, path: &RepoPath) -> bool {
        self.find(path).is_some_and(|entry| entry.is_announced())
    }

    /// Whether a sparse work tree leaves a file out.
    pub(crate) fn is_left_out(&self, path: &RepoPath) -> bool {
        self.find(path).is_some_and(|entry| entry.is_left_out())
    }

    /// The entries at a path.
    pub(crate) fn at(&self, path: &RepoPath) -> impl Iterator<Item = Entry<'_>> {
        let rest = self.entries[self.position(path.bytes())..].iter();
        rest.map(|place| self.entry(*place)).take_while(|entry| entry.path == path.bytes())
    }

    /// The entries below a folder; all of them for an empty path.
    pub(crate) fn below(&self, folder: &[u8]) -> impl Iterator<Item = Entry<'_>> {
        let first = if folder.is_empty() { Vec::new() } else { [folder, b"/"].concat() };
        let rest = self.entries[self.position(&first)..].iter();
        rest.map(|place| self.entry(*place)).take_while(move |entry| entry.path.starts_with(&first))
    }

    /// The entries of files that say how others are converted.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = Entry<'_>> {
        const NAME: &[u8] = b".gitattributes";
        self.iter().filter(|entry| {
            let above = entry.path.strip_suffix(NAME);
            above.is_some_and(|above| above.is_empty() || above.ends_with(b"/"))
        })
    }

    /// Whether a folder holds any.
    pub(crate) fn has_below(&self, folder: &[u8]) -> bool {
        self.below(folder).next().is_some()
    }

    /// The paths of which this table and another one do not say the same. O(entries).
    pub(crate) fn changes(&self, other: &Self) -> Vec<RepoPath> {
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

/// Whether a path leads down, and into no git folder.
pub(crate) fn is_plain(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/')
        .all(|name| !matches!(name, b"" | b"." | b"..") && !name.eq_ignore_ascii_case(b".git"))
}

/// A number of varying length, as version 4 has it, and how long it is.
fn varying(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = usize::from(bytes.first()? & 0x7f);
    let mut length = 1;
    while bytes[length - 1] & 0x80 != 0 {
        let byte = *bytes.get(length)?;
        value = value.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7f);
        length += 1;
    }
    Some((value, length))
}

/// The tree that extensions say the entries make; `None` where there is one that must be known, as
/// of sparse and split indexes.
#[allow(clippy::option_option, reason = "both are said to whoever asks")]
fn extensions(bytes: &[u8], mut at: usize, end: usize) -> Option<Option<Oid>> {
    let mut tree = None;
    while at < end {
        let head = bytes.get(at..at + 8)?;
        let size = u32::from_be_bytes(head[4..].try_into().ok()?) as usize;
        let data = bytes.get(at + 8..(at + 8).checked_add(size)?)?;
        match &head[..4] {
            b"TREE" => tree = whole_tree(data),
            [first, ..] if !first.is_ascii_uppercase() => return None,
            _ => {}
        }
        at += 8 + size;
    }
    (at == end).then_some(tree)
}

/// The tree of the top, where it holds.
fn whole_tree(data: &[u8]) -> Option<Oid> {
    let data = data.strip_prefix(b"\0")?;
    let end = data.iter().position(|byte| *byte == b'\n')?;
    if data.starts_with(b"-") {
        return None;
    }
    Oid::from_bytes(data.get(end + 1..end + 21)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_varying_length_are_read() {
        assert_eq!(varying(&[0x05]), Some((5, 1)));
        assert_eq!(varying(&[0x80, 0x00]), Some((128, 2)));
        assert_eq!(varying(&[0x81, 0x7f]), Some((383, 2)));
        assert_eq!(varying(&[0x80]), None);
        assert_eq!(varying(&[0xff; 40]), None);
    }

    #[test]
    fn what_is_no_index_is_none() {
        for bytes in [&b""[..], b"DIRC", b"DIRC\0\0\0\x02\xff\xff\xff\xff", &[0; 64]] {
            assert!(Table::of_file(bytes.to_vec()).is_none(), "{bytes:?}");
        }
        let mut empty = b"DIRC\0\0\0\x02\0\0\0\0".to_vec();
        empty.extend([0; CHECKSUM]);
        assert_eq!(Table::of_file(empty).unwrap().len(), 0);
    }

    fn entry(path: &str, mode: u32) -> IndexEntry {
        let mut entry = crate::stage::entry(&RepoPath::new(path.as_bytes()), Oid::ZERO_SHA1, mode);
        entry.file_size = 7;
        entry
    }

    #[test]
    fn tables_are_compared_by_entries() {
        let of = |entries: &[IndexEntry]| Table::of_entries(entries).unwrap();
        let file = 0o100_644;
        let one = of(&[entry("a", file), entry("b", file), entry("d/e", file)]);
        let other = of(&[entry("a", file), entry("b", 0o100_755), entry("c", file)]);
        let paths = ["b", "c", "d/e"].map(|path| RepoPath::new(path.as_bytes()));
        assert_eq!(one.changes(&other), paths);
        assert_eq!(one.changes(&one), []);
        assert_eq!(one.below(b"d").map(|entry| entry.path).collect::<Vec<_>>(), [b"d/e"]);
        assert_eq!(one.find(&RepoPath::new(b"b")).unwrap().to_index().file_size, 7);
        assert!(one.find(&RepoPath::new(b"d")).is_none());
    }
}
