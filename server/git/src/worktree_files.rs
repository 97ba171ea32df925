//! Untracked files that a new work tree needs to be of use: settings such as `.env` and installed
//! dependencies. They are copied or linked from the main work tree, by rules.
//!
//! Only files that git ignores are placed, so that nobody commits them by mistake.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::Path;

use rustc_hash::FxHashSet;
use workspace::{CallBudget, FileKind, FilePath};

use crate::{GitError, Repo, RepoPath};

/// How a file gets into a new work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// As a link to the main work tree's.
    Link,
    /// As a copy.
    Copy,
}

/// Which files are placed.
#[derive(Debug, Clone, Default)]
pub struct PlacementRules {
    /// Names of files that mark a project. Paths are searched in the top folder, and in each folder
    /// with a tracked file of such a name.
    pub manifests: Vec<String>,
    /// Paths relative to these folders.
    pub files: Vec<(String, Placement)>,
}

/// What was placed.
#[derive(Debug, Clone, Default)]
pub struct Placements {
    /// The placed files.
    pub placed: Vec<(RepoPath, Placement)>,
    /// Files that a rule names, and why they were not placed.
    pub left_out: Vec<(RepoPath, &'static str)>,
}

/// Limit for the folders that are searched.
const MAX_FOLDERS: usize = 500;
/// Largest file that is copied.
const MAX_COPY_BYTES: u64 = 1 << 20;

impl Repo {
    /// Places untracked files of the work tree at `source` in this one, which is new.
    pub(crate) fn place_files(
        &self,
        source: &FilePath,
        rules: &PlacementRules,
        may_read: &dyn Fn(&FilePath) -> bool,
        budget: &CallBudget<'_>,
    ) -> Result<Placements, GitError> {
        let mut done = Placements::default();
        for folder in self.project_folders(rules)? {
            for (name, placement) in &rules.files {
                budget.visit(1)?;
                let path = match folder.as_bytes() {
                    [] => RepoPath::new(name.as_bytes()),
                    folder => RepoPath::new(&[folder, b"/", name.as_bytes()].concat()),
                };
                match self.place_file(source, &path, *placement, may_read) {
                    Ok(true) => done.placed.push((path, *placement)),
                    Ok(false) => {}
                    Err(why) => done.left_out.push((path, why)),
                }
            }
        }
        Ok(done)
    }

    /// The top folder and the folders with a manifest.
    fn project_folders(&self, rules: &PlacementRules) -> Result<Vec<RepoPath>, GitError> {
        let manifests: FxHashSet<&[u8]> =
            rules.manifests.iter().map(|name| name.as_bytes()).collect();
        let mut folders = vec![RepoPath::default()];
        for entry in self.index()?.iter() {
            let Some(slash) = entry.path.iter().rposition(|byte| *byte == b'/') else { continue };
            if folders.len() < MAX_FOLDERS && manifests.contains(&entry.path[slash + 1..]) {
                folders.push(RepoPath::new(&entry.path[..slash]));
            }
        }
        folders.sort();
        folders.dedup();
        Ok(folders)
    }

    /// Places one file; false if there is none, or the work tree has it.
    fn place_file(
        &self,
        source: &FilePath,
        path: &RepoPath,
        placement: Placement,
        may_read: &dyn Fn(&FilePath) -> bool,
    ) -> Result<bool, &'static str> {
        let from = source.descendant(path.as_path());
        let below = from.relative().to_owned();
        let Ok(Some(kind)) = source.root().kind_below(&below) else { return Ok(false) };
        let target = self.layout().work_tree.absolute().join(path.as_path());
        if fs::symlink_metadata(&target).is_ok() {
            return Ok(false);
        }
        let is_folder = kind == FileKind::Directory;
        let mut ignored = path.as_bytes().to_vec();
        ignored.extend(is_folder.then_some(b'/'));
        let is_ignored = self.git.is_path_ignored(RepoPath::new(&ignored).as_path());
        if !is_ignored.unwrap_or(false) {
            return Err("git does not ignore it");
        }
        if !may_read(&from) {
            return Err("a rule hides it");
        }
        match (kind, placement) {
            (FileKind::Link, _) => Err("it is a link itself"),
            (FileKind::File | FileKind::Directory, Placement::Link) => {
                if is_folder {
                    self.ignore_link(path).map_err(|_| "it could not be added to info/exclude")?;
                }
                symlink(from.absolute(), &target).map_err(|_| "it could not be linked")?;
                Ok(true)
            }
            (FileKind::File, Placement::Copy) => {
                let bytes = source.root().read_below(&below, MAX_COPY_BYTES);
                let bytes = bytes.map_err(|_| "it is larger than 1 MiB or cannot be read")?;
                let Some(bytes) = bytes else { return Ok(false) };
                copy(&target, &bytes).map_err(|_| "it could not be written")?;
                Ok(true)
            }
            (FileKind::Directory, Placement::Copy) => Err("folders are linked, not copied"),
            (FileKind::Special, _) => Err("it is neither file nor folder"),
        }
    }

    /// Has git ignore a link: a pattern such as `node_modules/` applies to folders only, so `git
    /// add --all` would add it. The main work tree ignores the path already.
    fn ignore_link(&self, path: &RepoPath) -> std::io::Result<()> {
        let folder = self.layout().common_folder.join("info");
        let file = folder.join("exclude");
        let mut line = vec![b'/'];
        for &byte in path.as_bytes() {
            if matches!(byte, b'*' | b'?' | b'[' | b'\\' | b' ') {
                line.push(b'\\');
            }
            line.push(byte);
        }
        let known = fs::read(&file).unwrap_or_default();
        if known.split(|byte| *byte == b'\n').any(|known| known == line) {
            return Ok(());
        }
        if known.last().is_some_and(|last| *last != b'\n') {
            line.insert(0, b'\n');
        }
        line.push(b'\n');
        fs::create_dir_all(&folder)?;
        // One small write at the end: several servers may do this at once.
        OpenOptions::new().append(true).create(true).open(&file)?.write_all(&line)
    }
}

/// Writes a file that only its owner can read: it may hold secrets.
fn copy(target: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(target)?;
    file.write_all(bytes)
}
