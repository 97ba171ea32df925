//! Locates a repository's folders and checks them before libgit2 opens any of them.
//!
//! Everything is read through the handles of the workspace's folders. Whatever escapes them is
//! rejected: links, `gitdir:` files, common folders, alternate object stores, included settings.
//! The
//! one exception is a linked work tree or submodule whose git folder is outside and points back to
//! it: nothing inside the workspace could have written that.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use workspace::{FileError, FileKind, FilePath, Root, Snapshot};

use crate::GitError;
use crate::config_file::parse_config;
use crate::limits::{MAX_LINK_FILE_SIZE, MAX_SETTINGS_SIZE};
use crate::repo_path::RepoPath;

/// Whether the user trusts the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// Trusted: paths that escape the workspace are followed, and a git folder outside may be
    /// written.
    Trusted,
    /// Not trusted.
    Untrusted,
}

/// The subfolder of a repository that is the workspace.
#[derive(Debug, Clone)]
pub struct Subfolder {
    /// The workspace's folder.
    pub folder: FilePath,
    /// Its path from the top of the work tree.
    pub path: RepoPath,
}

/// Where a repository's folders are.
#[derive(Debug, Clone)]
pub struct RepoLayout {
    /// The top of the work tree.
    pub work_tree: FilePath,
    /// The workspace's subfolder, if the top of the work tree lies above the workspace.
    pub subfolder: Option<Subfolder>,
    /// The git folder, with links resolved.
    pub git_folder: PathBuf,
    /// The folder that all work trees of the repository share; usually the same.
    pub common_folder: PathBuf,
    /// Whether the git folder lies outside the workspace.
    pub is_outside: bool,
    /// Whether the user trusts the workspace.
    pub trust: Trust,
    /// Whether its settings name hooks, filters or signing: programs, which do not run here.
    pub wants_programs: bool,
}

/// What libgit2 opens by name in a git folder.
const OPENED_BY_NAME: &[&str] = &[
    "HEAD",
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    "index",
    "packed-refs",
    "refs",
    "refs/heads",
    "refs/tags",
    "refs/remotes",
    "refs/tandem",
    "logs",
    "objects",
    "objects/info",
    "objects/info/alternates",
    "objects/pack",
    "info",
    "info/exclude",
    "info/attributes",
    "info/grafts",
    "shallow",
    "modules",
    "worktrees",
];

impl RepoLayout {
    /// Finds the repository whose work tree contains `at`, searching upwards: beyond the
    /// workspace's folder only in folders that the user owns. Bare repositories on the way are
    /// skipped.
    ///
    /// # Errors
    /// When there is none, or it escapes the workspace.
    pub fn find(snapshot: &Snapshot, at: &FilePath, trust: Trust) -> Result<Self, GitError> {
        let mut folder = at.clone();
        loop {
            if let Some(found) = Self::with_top(snapshot, &folder, None, trust)? {
                return Ok(found);
            }
            match folder.parent() {
                Some(parent) => folder = parent,
                None => break,
            }
        }
        if let Some(found) = Self::find_above(snapshot, &folder, trust)? {
            return Ok(found);
        }
        match is_bare_repository(at) {
            true => Err(GitError::Bare { path: at.display_path() }),
            false => Err(GitError::NoRepository { path: at.display_path() }),
        }
    }

    /// The repository with the top of its work tree at `top`. `part` is set if the workspace is a
    /// subfolder of it.
    pub(crate) fn with_top(
        snapshot: &Snapshot,
        top: &FilePath,
        part: Option<Subfolder>,
        trust: Trust,
    ) -> Result<Option<Self>, GitError> {
        // A folder inside `.git` is no work tree.
        if top.relative().iter().any(|name| name == ".git") {
            return Ok(None);
        }
        let path = top.absolute().join(".git");
        let kind = match top.root().kind_below(&top.relative().join(".git")) {
            Ok(Some(kind)) => kind,
            _ => return Ok(None),
        };
        let shown = shown(top, part.as_ref());
        let escapes_workspace =
            |what: &str| GitError::OutsideWorkspace { path: shown.clone(), what: what.to_owned() };
        let found = match kind {
            FileKind::Special => return Ok(None),
            FileKind::Directory | FileKind::File => top.descendant(".git"),
            FileKind::Link => match snapshot.locate_absolute(&path) {
                Ok(target) => target,
                Err(FileError::NotFound { .. }) => return Ok(None),
                Err(_) => return Err(escapes_workspace("its `.git` is a link that")),
            },
        };
        let is_file = matches!(
            found.root().kind_below(found.relative()).map_err(file_error)?,
            Some(FileKind::File)
        );
        let git_folder = if is_file {
            let Some(named) = gitdir_target(&found)? else { return Ok(None) };
            let from = found.parent().map(|parent| parent.absolute()).unwrap_or_default();
            normalize(&from.join(named))
        } else {
            found.absolute()
        };
        let (git_folder, is_outside) = match snapshot.locate_absolute(&git_folder) {
            Ok(inside) => (inside.absolute(), false),
            Err(FileError::Forbidden { .. }) => (git_folder, true),
            Err(error) => return Err(file_error(error)),
        };
        let Ok(handle) = Root::open(&git_folder) else {
            return match is_file {
                true => Err(GitError::NotFound {
                    what: format!("{shown}: its git folder does not exist"),
                }),
                false => Ok(None),
            };
        };
        let git_folder = handle.path().to_owned();
        if !is_outside && snapshot.locate_absolute(&git_folder).is_err() {
            return Err(escapes_workspace("its git folder"));
        }
        if !matches!(
            handle.kind_below(Path::new("HEAD")),
            Ok(Some(FileKind::File | FileKind::Link))
        ) {
            return Ok(None);
        }
        let mut layout = Self {
            work_tree: top.clone(),
            subfolder: part,
            common_folder: git_folder.clone(),
            git_folder,
            is_outside,
            trust,
            wants_programs: false,
        };
        layout.check(snapshot, &handle)?;
        Ok(Some(layout))
    }

    pub(crate) fn escapes_workspace(&self, what: impl Into<String>) -> GitError {
        GitError::OutsideWorkspace { path: self.display_path(), what: what.into() }
    }

    fn check(&mut self, snapshot: &Snapshot, handle: &Root) -> Result<(), GitError> {
        let read =
            |name: &str, limit| handle.read_below(Path::new(name), limit).map_err(file_error);
        if let Some(named) = read("commondir", MAX_LINK_FILE_SIZE)? {
            let common = normalize(&self.git_folder.join(line_as_path(&named)));
            self.common_folder = if self.is_outside {
                if !self.git_folder.starts_with(&common) && self.trust == Trust::Untrusted {
                    return Err(self.escapes_workspace("its common folder"));
                }
                common
            } else {
                match snapshot.locate_absolute(&common) {
                    Ok(inside) => inside.absolute(),
                    Err(_) if self.trust == Trust::Trusted => common,
                    Err(_) => return Err(self.escapes_workspace("its common folder")),
                }
            };
        }
        let common = Root::open(&self.common_folder).map_err(file_error)?;
        if common.path() != self.common_folder {
            return Err(self.escapes_workspace("its common folder"));
        }
        let is_beside = self.git_folder == self.work_tree.absolute().join(".git");
        if self.is_outside
            && !is_beside
            && self.trust == Trust::Untrusted
            && !self.names_this_work_tree(handle)?
        {
            return Err(self
                .escapes_workspace("its `.git` names the git folder of another work tree, which"));
        }
        self.check_links(snapshot, handle)?;
        self.check_links(snapshot, &common)?;
        self.check_settings(snapshot, &common, "config")?;
        self.check_settings(snapshot, handle, "config.worktree")?;
        self.check_alternates(snapshot, &common)?;
        self.check_hooks(&common);
        Ok(())
    }

    /// Whether a git folder outside the workspace names this work tree as its own.
    fn names_this_work_tree(&self, handle: &Root) -> Result<bool, GitError> {
        let link = self.work_tree.absolute().join(".git");
        let read =
            |name: &str, limit| handle.read_below(Path::new(name), limit).map_err(file_error);
        if let Some(back) = read("gitdir", MAX_LINK_FILE_SIZE)? {
            return Ok(normalize(&self.git_folder.join(line_as_path(&back))) == link);
        }
        let text = read("config", MAX_SETTINGS_SIZE)?.unwrap_or_default();
        let names =
            |value: &str| normalize(&self.git_folder.join(value)) == self.work_tree.absolute();
        let back = parse_config(&text).into_iter().rfind(|s| s.is_named("core", "worktree"));
        Ok(back.and_then(|setting| setting.value).is_some_and(|value| names(&value)))
    }

    fn check_links(&self, snapshot: &Snapshot, folder: &Root) -> Result<(), GitError> {
        for name in OPENED_BY_NAME {
            if !matches!(folder.kind_below(Path::new(name)), Ok(Some(FileKind::Link))) {
                continue;
            }
            let path = folder.path().join(name);
            match snapshot.locate_absolute(&path) {
                Ok(_) | Err(FileError::NotFound { .. }) => {}
                Err(_) => {
                    return Err(self.escapes_workspace(format!("its `{name}` is a link that")));
                }
            }
        }
        Ok(())
    }

    fn check_settings(
        &mut self,
        snapshot: &Snapshot,
        folder: &Root,
        name: &str,
    ) -> Result<(), GitError> {
        let Some(text) =
            folder.read_below(Path::new(name), MAX_SETTINGS_SIZE).map_err(file_error)?
        else {
            return Ok(());
        };
        let unsupported = |what: String| GitError::Unsupported {
            what: format!("{}: {what}", self.display_path()),
        };
        let mut wants_programs = self.wants_programs;
        for setting in parse_config(&text) {
            let value = setting.value.as_deref().unwrap_or_default();
            let inside = |value: &str| {
                let path = normalize(&folder.path().join(value));
                !value.starts_with('~')
                    && (snapshot.locate_absolute(&path).is_ok()
                        || path.starts_with(&self.common_folder))
            };
            match (setting.section.as_str(), setting.name.as_str()) {
                ("core", "bare") if setting.is_true() => {
                    return Err(GitError::Bare { path: self.display_path() });
                }
                ("core", "worktree") => {
                    let named = normalize(&self.git_folder.join(value));
                    if named != self.work_tree.absolute() {
                        return Err(
                            self.escapes_workspace("its core.worktree names another folder, which")
                        );
                    }
                }
                ("extensions", "objectformat") if value.eq_ignore_ascii_case("sha256") => {
                    let what = "a repository with SHA-256 object names cannot be read here";
                    return Err(unsupported(what.to_owned()));
                }
                ("extensions", "refstorage") if !value.eq_ignore_ascii_case("files") => {
                    return Err(unsupported(format!(
                        "references stored as `{value:.20}` are not supported"
                    )));
                }
                ("include" | "includeif", "path") | ("core", "excludesfile" | "attributesfile")
                    if self.trust == Trust::Untrusted && !value.is_empty() && !inside(value) =>
                {
                    let what = format!("the file {:.200} named in its settings", value);
                    return Err(self.escapes_workspace(what));
                }
                ("core", "hookspath" | "fsmonitor")
                | ("filter", "clean" | "smudge" | "process")
                | ("commit", "gpgsign") => wants_programs = true,
                _ => {}
            }
        }
        self.wants_programs = wants_programs;
        Ok(())
    }

    fn check_alternates(&self, snapshot: &Snapshot, common: &Root) -> Result<(), GitError> {
        let path = Path::new("objects/info/alternates");
        let text = common.read_below(path, MAX_SETTINGS_SIZE).map_err(file_error)?;
        let text = text.unwrap_or_default();
        let lines = text.split(|byte| *byte == b'\n');
        for line in lines.filter(|line| !line.is_empty() && line[0] != b'#') {
            let path = normalize(&common.path().join("objects").join(line_as_path(line)));
            if self.trust == Trust::Untrusted && snapshot.locate_absolute(&path).is_err() {
                return Err(self.escapes_workspace("an alternate object store"));
            }
        }
        Ok(())
    }

    fn check_hooks(&mut self, common: &Root) {
        let hooks = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"];
        let exists = |hook: &&str| {
            let path = Path::new("hooks").join(hook);
            matches!(common.kind_below(&path), Ok(Some(FileKind::File | FileKind::Link)))
        };
        self.wants_programs |= hooks.iter().any(exists);
    }

    /// Whether the `git` program must make commits: the workspace is trusted, and hooks or signing
    /// are configured.
    #[must_use]
    pub fn commits_by_program(&self) -> bool {
        self.trust == Trust::Trusted
            && (self.wants_programs || crate::user_config::user_config().wants_programs)
    }

    /// Rejects changes to a repository that is only read.
    ///
    /// A work tree that was created here has the rights of the workspace that it was created for: its
    /// git folder names it, which nothing inside could have arranged.
    ///
    /// # Errors
    /// When its git folder is outside an untrusted workspace.
    pub fn check_writable(&self) -> Result<(), GitError> {
        let is_ours = || workspace::is_in_worktrees_folder(&self.work_tree.absolute());
        if self.is_outside && self.trust == Trust::Untrusted && !is_ours() {
            return Err(GitError::ReadOnly { path: self.display_path() });
        }
        Ok(())
    }

    /// The path of `file` in the work tree; `None` if it is outside.
    #[must_use]
    pub fn repo_path(&self, file: &FilePath) -> Option<RepoPath> {
        let absolute = file.absolute();
        let below = absolute.strip_prefix(self.work_tree.absolute()).ok()?;
        Some(RepoPath::new(below.as_os_str().as_bytes()))
    }

    /// The workspace file at `path`; `None` if it is outside the workspace.
    #[must_use]
    pub fn file(&self, path: &RepoPath) -> Option<FilePath> {
        let path = path.as_path();
        let plain = path.components().all(|name| matches!(name, Component::Normal(_)));
        match &self.subfolder {
            Some(part) => {
                let below = path.strip_prefix(part.path.as_path()).ok()?;
                plain.then(|| part.folder.descendant(below))
            }
            None => plain.then(|| self.work_tree.descendant(path)),
        }
    }
}

/// Whether the folder at `at` is laid out like a bare repository.
#[must_use]
pub fn is_bare_repository(at: &FilePath) -> bool {
    let kind = |name: &str| at.root().kind_below(&at.relative().join(name)).ok().flatten();
    kind(".git").is_none()
        && matches!(kind("HEAD"), Some(FileKind::File))
        && matches!(kind("objects"), Some(FileKind::Directory))
        && matches!(kind("refs"), Some(FileKind::Directory))
}

/// The path of a work tree's top for messages, relative to the workspace's folder.
pub(crate) fn shown(top: &FilePath, part: Option<&Subfolder>) -> String {
    match part {
        Some(part) => vec![".."; part.path.as_path().components().count()].join("/"),
        None => top.display_path(),
    }
}

/// The path that a `.git` file names.
fn gitdir_target(file: &FilePath) -> Result<Option<PathBuf>, GitError> {
    let text = file.root().read_below(file.relative(), MAX_LINK_FILE_SIZE).map_err(file_error)?;
    let text = text.unwrap_or_default();
    let named = text.strip_prefix(b"gitdir: ").map(|named| line_as_path(named).to_owned());
    Ok(named.filter(|named| !named.as_os_str().is_empty()))
}

/// The path in a line, without the line end.
fn line_as_path(line: &[u8]) -> &Path {
    let end = line.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |at| at + 1);
    Path::new(OsStr::from_bytes(&line[..end]))
}

/// Removes `.` and `..` from a path lexically.
fn normalize(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normalized.pop();
            }
            other => normalized.push(other),
        }
    }
    normalized
}

fn file_error(error: FileError) -> GitError {
    match error {
        FileError::Forbidden { path, .. } => {
            GitError::OutsideWorkspace { path, what: "it".to_owned() }
        }
        error => GitError::Io { what: error.to_string() },
    }
}
