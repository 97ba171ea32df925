//! Objects in files of their own, looked through before libgit2 reads any.
//!
//! libgit2 (1.9) never returns from one whose compressed text is cut short. Each is inflated once,
//! and again when it changes: that is most of what the first query of a process costs where nothing is
//! packed, so it is done on several threads.

use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use flate2::{bufread, read};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::GitError;
use crate::special::{is_special, refused};

/// Most objects of one repository that are looked through, and the most bytes of one.
const MOST: usize = 50_000;
const LONGEST: u64 = 256 << 20;
/// Most bytes of all objects that are looked through at a time.
const MOST_BYTES: u64 = 2 << 30;
/// Objects up to this size are read in one piece.
const SHORT: u64 = 1 << 20;
/// So many objects are worth a thread, and the most threads.
const WORTH_A_THREAD: usize = 32;
const MOST_THREADS: usize = 4;
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
    let mut new = Vec::new();
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
            if before.get(&name) != Some(&state) {
                new.push((entry.path(), found.len(), name.clone()));
            }
            now.insert(name, state);
        }
    }
    let (cut_short, done) = cut_short(&new);
    // What is cut short is looked at again, and what was not looked at because of it.
    let again = if cut_short.is_some() { 0 } else { done };
    for (_, _, name) in &new[again..] {
        now.remove(name);
    }
    if cut_short.is_none() && done < new.len() {
        let what = format!(
            "objects in files of their own hold more than {} GiB; `git gc` packs them",
            MOST_BYTES >> 30
        );
        return Err(GitError::TooLarge { what });
    }
    let Some((_, _, name)) = cut_short.map(|n| &new[n]) else { return Ok(()) };
    let (folder, rest) = name.split_at(2);
    let what = format!(
        "the object {name} is cut short; move .git/objects/{folder}/{rest} away, and fetch it again \
         if it is wanted"
    );
    Err(GitError::Corrupt { what })
}

/// One of the objects that are cut short, and how many were looked through.
fn cut_short(objects: &[(PathBuf, u64, Box<str>)]) -> (Option<usize>, usize) {
    let (next, found) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
    let inflated = AtomicU64::new(0);
    let is_found = AtomicBool::new(false);
    let run = || {
        // A decoder is 40 KB to make; most objects are some hundred bytes.
        let mut decoder = bufread::ZlibDecoder::new(Cursor::new(Vec::new()));
        while !is_found.load(Ordering::Relaxed) && inflated.load(Ordering::Relaxed) < MOST_BYTES {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some((path, len, _)) = objects.get(n) else { return };
            let is_cut_short = if *len > SHORT {
                let open = File::open(path);
                open.is_ok_and(|file| is_cut_short(read::ZlibDecoder::new(file), &inflated))
            } else {
                let mut bytes = decoder.reset(Cursor::new(Vec::new())).into_inner();
                bytes.clear();
                let is_read = File::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
                decoder.reset(Cursor::new(bytes));
                is_read.is_ok() && is_cut_short(&mut decoder, &inflated)
            };
            if is_cut_short {
                found.fetch_min(n, Ordering::Relaxed);
                is_found.store(true, Ordering::Relaxed);
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 1..cores.min(MOST_THREADS).min(objects.len() / WORTH_A_THREAD) {
            // What cannot be had is done here.
            let _ = std::thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
    let found = found.into_inner();
    ((found < objects.len()).then_some(found), next.into_inner().min(objects.len()))
}

/// Whether a compressed text ends before its end. Counts what was read.
fn is_cut_short(decoder: impl Read, inflated: &AtomicU64) -> bool {
    match std::io::copy(&mut decoder.take(LONGEST), &mut std::io::sink()) {
        Ok(bytes) => {
            inflated.fetch_add(bytes, Ordering::Relaxed);
            false
        }
        // What is no compressed text at all, libgit2 says itself.
        Err(error) => matches!(
            error.kind(),
            std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::InvalidInput
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    #[test]
    fn one_object_that_is_cut_short_is_found_among_many() {
        let folder = tempfile::tempdir().unwrap();
        let place = |n: usize| folder.path().join(format!("objects/{:02x}/{n:038x}", n % 256));
        for n in 0..200 {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all("some text of a blob\n".repeat(n).as_bytes()).unwrap();
            fs::create_dir_all(place(n).parent().unwrap()).unwrap();
            fs::write(place(n), encoder.finish().unwrap()).unwrap();
        }
        check(folder.path()).unwrap();
        let whole = fs::read(place(150)).unwrap();
        fs::write(place(150), &whole[..whole.len() / 2]).unwrap();
        for _ in 0..2 {
            let error = check(folder.path()).unwrap_err().to_string();
            assert!(error.contains(&format!("96{:038x}", 150)), "{error}");
        }
        fs::write(place(150), whole).unwrap();
        check(folder.path()).unwrap();
    }
}
