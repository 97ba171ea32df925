//! Checks loose objects for truncation before libgit2 reads any: libgit2 (1.9) never returns from
//! one whose zlib stream is cut short.
//!
//! Each object is inflated once, and again when it changes. In an unpacked repository this is most
//! of the cost of a process's first query, so it runs on several threads.

use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use flate2::{bufread, read};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::GitError;
use crate::limits::{
    MAX_CHECKED_REPOSITORIES, MAX_INFLATED_BYTES, MAX_LOOSE_OBJECT_SIZE, MAX_LOOSE_OBJECTS,
};
use crate::special_files::{is_special, special_file_error};

/// Objects up to this size are read whole, so that one decoder is reused.
const READ_WHOLE_SIZE: u64 = 1 << 20;
/// Objects that justify another thread, and the thread limit.
const OBJECTS_PER_THREAD: usize = 32;
const MAX_THREADS: usize = 4;

type CheckedObjects = FxHashMap<Box<str>, (u64, u64, i64)>;
static CHECKED: Mutex<Option<FxHashMap<PathBuf, CheckedObjects>>> = Mutex::new(None);

/// Checks the loose objects of the git folder `common`.
///
/// # Errors
/// When one is truncated.
pub(crate) fn check_loose_objects(common: &Path) -> Result<(), GitError> {
    let objects = common.join("objects");
    let before =
        CHECKED.lock().as_mut().and_then(|checked| checked.remove(&objects)).unwrap_or_default();
    let mut now = CheckedObjects::default();
    let result = check_objects(&objects, &before, &mut now);
    let mut checked = CHECKED.lock();
    let checked = checked.get_or_insert_default();
    if checked.len() >= MAX_CHECKED_REPOSITORIES {
        checked.clear();
    }
    checked.insert(objects, now);
    result
}

fn check_objects(
    objects: &Path,
    before: &CheckedObjects,
    now: &mut CheckedObjects,
) -> Result<(), GitError> {
    let mut new = Vec::new();
    for first in 0..=255u8 {
        let folder = format!("{first:02x}");
        let Ok(entries) = fs::read_dir(objects.join(&folder)) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(rest) = name.to_str().filter(|name| name.len() == 38) else { continue };
            let Ok(found) = entry.metadata() else { continue };
            if is_special(found.file_type()) {
                return Err(special_file_error(&entry.path()));
            }
            if now.len() >= MAX_LOOSE_OBJECTS || !found.is_file() {
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
    let (truncated, done) = find_truncated(&new);
    // A truncated object, and those skipped because of it, are checked again next time.
    let again = if truncated.is_some() { 0 } else { done };
    for (_, _, name) in &new[again..] {
        now.remove(name);
    }
    if truncated.is_none() && done < new.len() {
        let what = format!(
            "the loose objects have more than {} GiB; pack them with `git gc`",
            MAX_INFLATED_BYTES >> 30
        );
        return Err(GitError::TooLarge { what });
    }
    let Some((_, _, name)) = truncated.map(|n| &new[n]) else { return Ok(()) };
    let (folder, rest) = name.split_at(2);
    let what = format!(
        "the object {name} is truncated; move .git/objects/{folder}/{rest} away, and fetch it again \
         if it is needed"
    );
    Err(GitError::Corrupt { what })
}

/// The index of a truncated object if there is one, and how many objects were checked.
fn find_truncated(objects: &[(PathBuf, u64, Box<str>)]) -> (Option<usize>, usize) {
    let (next, found) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
    let inflated = AtomicU64::new(0);
    let is_found = AtomicBool::new(false);
    let run = || {
        // Creating a decoder allocates 40 KB, while most objects have a few hundred bytes: reuse
        // it.
        let mut decoder = bufread::ZlibDecoder::new(Cursor::new(Vec::new()));
        while !is_found.load(Ordering::Relaxed)
            && inflated.load(Ordering::Relaxed) < MAX_INFLATED_BYTES
        {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some((path, len, _)) = objects.get(n) else { return };
            let is_truncated = if *len > READ_WHOLE_SIZE {
                let open = File::open(path);
                open.is_ok_and(|file| is_truncated(read::ZlibDecoder::new(file), &inflated))
            } else {
                let mut bytes = decoder.reset(Cursor::new(Vec::new())).into_inner();
                bytes.clear();
                let is_read = File::open(path).and_then(|mut file| file.read_to_end(&mut bytes));
                decoder.reset(Cursor::new(bytes));
                is_read.is_ok() && is_truncated(&mut decoder, &inflated)
            };
            if is_truncated {
                found.fetch_min(n, Ordering::Relaxed);
                is_found.store(true, Ordering::Relaxed);
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 1..cores.min(MAX_THREADS).min(objects.len() / OBJECTS_PER_THREAD) {
            // Threads are optional: this one does the rest.
            let _ = std::thread::Builder::new().spawn_scoped(scope, run);
        }
        run();
    });
    let found = found.into_inner();
    ((found < objects.len()).then_some(found), next.into_inner().min(objects.len()))
}

/// Whether a zlib stream ends too early. Adds the inflated bytes to `inflated`.
fn is_truncated(decoder: impl Read, inflated: &AtomicU64) -> bool {
    match std::io::copy(&mut decoder.take(MAX_LOOSE_OBJECT_SIZE), &mut std::io::sink()) {
        Ok(bytes) => {
            inflated.fetch_add(bytes, Ordering::Relaxed);
            false
        }
        // libgit2 itself reports data that is not zlib at all.
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
    fn one_truncated_object_is_found_among_many() {
        let folder = tempfile::tempdir().unwrap();
        let path = |n: usize| folder.path().join(format!("objects/{:02x}/{n:038x}", n % 256));
        for n in 0..200 {
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all("some text of a blob\n".repeat(n).as_bytes()).unwrap();
            fs::create_dir_all(path(n).parent().unwrap()).unwrap();
            fs::write(path(n), encoder.finish().unwrap()).unwrap();
        }
        check_loose_objects(folder.path()).unwrap();
        let whole = fs::read(path(150)).unwrap();
        fs::write(path(150), &whole[..whole.len() / 2]).unwrap();
        for _ in 0..2 {
            let error = check_loose_objects(folder.path()).unwrap_err().to_string();
            assert!(error.contains(&format!("96{:038x}", 150)), "{error}");
        }
        fs::write(path(150), whole).unwrap();
        check_loose_objects(folder.path()).unwrap();
    }
}
