//! Objects in files of their own, looked through before libgit2 reads any.
//!
//! libgit2 (1.9) never returns from one whose compressed text is cut short. Each is inflated once,
//! and again when it changes.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::GitError;
use crate::special::{is_special, refused};

/// Most objects of one repository that are looked through, and the most bytes of one.
const MOST: usize = 50_000;
const LONGEST: u64 = 256 << 20;
/// Most repositories that are remembered.
const MOST_KNOWN: usize = 64;

type Seen = FxHashMap<Box<str>, (u64, u64, i64)>;
static SEEN: Mutex<Option<FxHashMap<PathBuf, Seen>>> = Mutex::new(None);

/// # Errors
/// When an object in the git folder `common` is cut short.
pub(crate) fn check(common: &Path) -> Result<(), GitError> {
    let objects = common.join("objects");
    let before = SEEN.lock().as_mut().and_then(|seen| seen.remove(&objects)).unwrap_or_default();
    let mut now = Seen::default();
    let result = look(&objects, &before, &mut now);
    let mut seen = SEEN.lock();
    let seen = seen.get_or_insert_default();
    if seen.len() >= MOST_KNOWN {
        seen.clear();
    }
    seen.insert(objects, now);
    result
}

fn look(objects: &Path, before: &Seen, now: &mut Seen) -> Result<(), GitError> {
    for first in 0..=255u8 {
        let folder = format!("{first:02x}");
        let Ok(entries) = fs::read_dir(objects.join(&folder)) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(rest) = name.to_str().filter(|name| name.len() == 38) else { continue };
            let Ok(found) = entry.metadata() else { continue };
            if is_special(found.file_type()) {
                return Err(refused(&entry.path()));
            }
            if now.len() >= MOST || !found.is_file() {
                continue;
            }
            let state = (found.ino(), found.len(), found.mtime_nsec() ^ (found.mtime() << 20));
            let name = format!("{folder}{rest}").into_boxed_str();
            if before.get(&name) != Some(&state) && is_cut_short(&entry.path()) {
                let what = format!(
                    "the object {name} is cut short; move .git/objects/{folder}/{rest} away, and \
                     fetch it again if it is wanted"
                );
                return Err(GitError::Corrupt { what });
            }
            now.insert(name, state);
        }
    }
    Ok(())
}

/// Whether the compressed text in a file ends before its end.
fn is_cut_short(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let mut decoder = ZlibDecoder::new(file).take(LONGEST);
    match std::io::copy(&mut decoder, &mut std::io::sink()) {
        Ok(_) => false,
        // What is no compressed text at all, libgit2 says itself.
        Err(error) => matches!(
            error.kind(),
            std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::InvalidInput
        ),
    }
}
