//! Writes the files of a commit into a new, empty work tree.
//!
//! libgit2's checkout compares three states for each path and looks attributes up in every folder: it
//! takes four to eight times as long as git. Here nothing exists yet, so files are only written, on
//! several threads, and attributes are looked up only if there are any.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, symlink};
use std::path::Path;

use git2::{Index, IndexEntry, IndexTime, Oid, Repository, RepositoryOpenFlags};
use rustc_hash::FxHashSet;
use workspace::CallBudget;

use crate::index_file::is_valid_path;
use crate::{GitError, Repo, RepoPath};

/// Files that justify another thread, and the thread limit.
const FILES_PER_THREAD: usize = 256;
const MAX_THREADS: usize = 4;
/// Modes of tree entries.
const EXECUTABLE: u32 = 0o100_755;
const LINK: u32 = 0o120_000;
const SUBMODULE: u32 = 0o160_000;

impl Repo {
    /// Writes the files of a commit into the empty work tree, and its index. Returns their number, and
    /// whether attributes name programs that convert them, which do not run.
    pub(crate) fn fill(
        &self,
        commit: Oid,
        budget: &CallBudget<'_>,
    ) -> Result<(usize, bool), GitError> {
        budget.check()?;
        let mut index = self.index()?;
        index.read_tree(&self.tree(commit)?)?;
        let entries: Vec<IndexEntry> = index.iter().collect();
        if let Some(entry) = entries.iter().find(|entry| !is_valid_path(&entry.path)) {
            let what = format!("`{}` is no path for a file", String::from_utf8_lossy(&entry.path));
            return Err(GitError::Corrupt { what });
        }
        let top = self.layout().work_tree.absolute();
        make_folders(&top, &entries)?;
        // Attributes decide how all others are written. Links come last: nothing is written through
        // one.
        let (attributes, others): (Vec<_>, Vec<_>) =
            entries.into_iter().partition(|entry| is_attributes(&entry.path));
        let (links, files): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|entry| entry.mode == LINK);
        let mentions = |word: &[u8]| self.mentions(&attributes, word);
        let has_filters = mentions(b"filter=");
        // Without these words, attributes decide only what git stores.
        let converts = mentions(b"crlf") || mentions(b"ident") || self.converts_by_settings()?;
        let mut written = self.write_files(&top, attributes, false, budget)?;
        written.extend(self.write_files(&top, files, converts, budget)?);
        written.extend(self.write_files(&top, links, false, budget)?);
        self.write_index_of(&mut index, &written)?;
        Ok((written.len(), has_filters))
    }

    /// Writes files on several threads. Returns their entries with the states of the files.
    fn write_files(
        &self,
        top: &Path,
        mut entries: Vec<IndexEntry>,
        converts: bool,
        budget: &CallBudget<'_>,
    ) -> Result<Vec<IndexEntry>, GitError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.min(MAX_THREADS).min(entries.len() / FILES_PER_THREAD).max(1);
        // Attributes are cached in one handle of the repository, which only this thread can use.
        if threads == 1 || converts {
            for entry in &mut entries {
                budget.visit(1)?;
                let conversion = match converts {
                    true => Some(self.conversion(&RepoPath::new(&entry.path))?),
                    false => None,
                };
                let bytes = self.find_blob(entry.id)?;
                match conversion {
                    Some(conversion) => {
                        write(top, entry, &conversion.to_work_tree(bytes.content(), entry.id))?;
                    }
                    None => write(top, entry, bytes.content())?,
                }
            }
            return Ok(entries);
        }
        let part = entries.len().div_ceil(threads);
        std::thread::scope(|scope| {
            let parts: Vec<_> = entries
                .chunks_mut(part)
                .map(|part| {
                    scope.spawn(move || -> Result<(), GitError> {
                        let none: [&Path; 0] = [];
                        let flags = RepositoryOpenFlags::NO_SEARCH;
                        let git = Repository::open_ext(top, flags, none)?;
                        for entry in part {
                            budget.visit(1)?;
                            write(top, entry, git.find_blob(entry.id)?.content())?;
                        }
                        Ok(())
                    })
                })
                .collect();
            parts.into_iter().try_for_each(|part| part.join().unwrap_or(Err(GitError::Panicked)))
        })?;
        Ok(entries)
    }

    /// Whether settings convert line endings, without any attributes.
    fn converts_by_settings(&self) -> Result<bool, GitError> {
        let config = self.git.config()?.snapshot()?;
        let is_set = |name: &str| config.get_str(name).is_ok_and(|value| value != "false");
        let own = self.layout().common_folder.join("info/attributes");
        Ok(is_set("core.autocrlf")
            || is_set("core.eol")
            || is_set("core.attributesfile")
            || fs::symlink_metadata(own).is_ok())
    }

    fn write_index_of(&self, index: &mut Index, written: &[IndexEntry]) -> Result<(), GitError> {
        for entry in written {
            index.add(entry)?;
        }
        self.write_index(index)
    }

    /// Whether an attributes file contains a word.
    fn mentions(&self, attributes: &[IndexEntry], word: &[u8]) -> bool {
        attributes.iter().any(|entry| {
            let blob = self.find_blob(entry.id);
            blob.is_ok_and(|blob| blob.content().windows(word.len()).any(|text| text == word))
        })
    }
}

fn is_attributes(path: &[u8]) -> bool {
    path == b".gitattributes" || path.ends_with(b"/.gitattributes")
}

/// Makes the folders of all entries; those of submodules, too, which stay empty.
fn make_folders(top: &Path, entries: &[IndexEntry]) -> Result<(), GitError> {
    let mut made: FxHashSet<&[u8]> = FxHashSet::default();
    for entry in entries {
        let is_submodule = entry.mode == SUBMODULE;
        let slashes = entry.path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let ends = slashes.map(|(at, _)| at).chain(is_submodule.then_some(entry.path.len()));
        for end in ends {
            let folder = &entry.path[..end];
            if made.insert(folder) {
                fs::create_dir(top.join(RepoPath::new(folder).as_path()))
                    .map_err(failed(folder))?;
            }
        }
    }
    Ok(())
}

/// Writes a file that does not exist yet, and notes its state in the entry.
fn write(top: &Path, entry: &mut IndexEntry, bytes: &[u8]) -> Result<(), GitError> {
    let path = top.join(RepoPath::new(&entry.path).as_path());
    let state = match entry.mode {
        SUBMODULE => return Ok(()),
        LINK => {
            let target = RepoPath::new(bytes);
            symlink(target.as_path(), &path).and_then(|()| fs::symlink_metadata(&path))
        }
        mode => {
            let mode = if mode == EXECUTABLE { 0o777 } else { 0o666 };
            let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path);
            file.and_then(|mut file: File| {
                file.write_all(bytes)?;
                file.metadata()
            })
        }
    };
    let state = state.map_err(failed(&entry.path))?;
    // As git, which stores the low 32 bits.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as git does it")]
    let time = |seconds: i64, nanos: i64| IndexTime::new(seconds as i32, nanos as u32);
    #[allow(clippy::cast_possible_truncation, reason = "as git does it")]
    let low = |number: u64| number as u32;
    entry.ctime = time(state.ctime(), state.ctime_nsec());
    entry.mtime = time(state.mtime(), state.mtime_nsec());
    entry.dev = low(state.dev());
    entry.ino = low(state.ino());
    entry.uid = state.uid();
    entry.gid = state.gid();
    entry.file_size = low(state.size());
    Ok(())
}

fn failed(path: &[u8]) -> impl Fn(io::Error) -> GitError {
    let path = String::from_utf8_lossy(path).into_owned();
    move |error| GitError::Io { what: format!("{path}: {error}") }
}
