//! The output of a kept process on disk, of fixed size.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Size of one file, in bytes: with the one before it, at least the last megabyte is kept.
const SEGMENT_SIZE: u64 = 1 << 20;
/// Name of a file before the offset of its first byte.
const PREFIX: &str = "output-";

/// Writes the output; the two newest files are kept.
pub(super) struct OutputLog {
    folder: PathBuf,
    file: Option<(File, u64)>,
}

impl OutputLog {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), file: None }
    }

    /// Appends what starts at `offset`.
    pub(super) fn append(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        // A gap begins a new file, too.
        let fits = |(_, end): &(File, u64)| *end == offset && end % SEGMENT_SIZE != 0;
        if !self.file.as_ref().is_some_and(fits) {
            let path = self.folder.join(format!("{PREFIX}{offset:020}"));
            let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
            self.file = Some((file, offset));
            let mut segments = segments(&self.folder)?;
            segments.truncate(segments.len().saturating_sub(2));
            for (_, old) in segments {
                fs::remove_file(old)?;
            }
        }
        let Some((file, end)) = &mut self.file else { return Ok(()) };
        // So that a file ends where the next one starts.
        let room = SEGMENT_SIZE - *end % SEGMENT_SIZE;
        let (now, later) =
            bytes.split_at(bytes.len().min(usize::try_from(room).unwrap_or(usize::MAX)));
        file.write_all(now)?;
        *end += now.len() as u64;
        let next = *end;
        if later.is_empty() { Ok(()) } else { self.append(next, later) }
    }
}

/// The kept output in `folder`, in pieces with their offsets.
pub(super) fn read(folder: &Path) -> Vec<(u64, Vec<u8>)> {
    let all = segments(folder).unwrap_or_default();
    all.into_iter().filter_map(|(offset, path)| Some((offset, fs::read(path).ok()?))).collect()
}

/// The files in the order of their offsets.
fn segments(folder: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let offset = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse().ok());
        found.extend(offset.map(|offset| (offset, entry.path())));
    }
    found.sort_unstable();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_output_is_kept() {
        let folder = std::env::temp_dir().join(format!("tandem-log-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut log = OutputLog::new(&folder);
        let all: Vec<u8> = (0..5 * SEGMENT_SIZE + 17).map(|n| (n % 251) as u8).collect();
        let mut offset = 0;
        for part in all.chunks(700_001) {
            log.append(offset, part).unwrap();
            offset += part.len() as u64;
        }
        let pieces = read(&folder);
        assert_eq!(pieces.len(), 2);
        let start = pieces[0].0 as usize;
        let kept: Vec<u8> = pieces.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
        assert_eq!(kept, all[start..]);
        assert!(kept.len() as u64 >= SEGMENT_SIZE);
        // After a gap.
        log.append(offset + 1_000, b"later").unwrap();
        assert_eq!(read(&folder).last().unwrap(), &(offset + 1_000, b"later".to_vec()));
        fs::remove_dir_all(&folder).unwrap();
    }
}
