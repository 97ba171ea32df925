//! Where a repository's parts lie, found and checked before libgit2 opens any of them.
//!
//! Everything is read through the handles of the workspace's folders. What leads out of them is
//! refused: a link, a `gitdir:` file, a common folder, other object stores, included settings. The
//! one exception is a linked work tree or a submodule whose git folder lies outside and points back
//! to it, which nothing inside the workspace could have made it do.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use workspace::{FileError, FileKind, FilePath, Root, Snapshot};

use crate::GitError;
use crate::name::RepoPath;
use crate::part::{Part, shown};
use crate::settings::settings;

/// Whether the person has said that they trust the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// They have: what leads out is followed, and a git folder outside may be written to.
    Given,
    /// They have not.
    Withheld,
}

/// A repository's parts.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The top of the work tree.
    pub work_tree: FilePath,
    /// The part of the work tree that is the workspace's, where its top lies above.
    pub part: Option<Part>,
    /// The git folder, free of links.
    pub git_folder: PathBuf,
    /// The folder with what all work trees of the repository have in common; most often the same.
    pub common_folder: PathBuf,
    /// Whether the git folder lies outside the workspace.
    pub is_outside: bool,
    /// Whether the person trusts the workspace.
    pub trust: Trust,
    /// Whether its settings ask for hooks, filters or signatures: programs, which do not run here.
    pub wants_programs: bool,
}

/// Longest `.git`, `HEAD` and `commondir` file, in bytes.
const LONGEST_LINK: u64 = 8 << 10;
/// Longest settings file, in bytes.
const LONGEST_SETTINGS: u64 = 1 << 20;

/// What libgit2 opens by name in a git folder.
const OPENED: &[&str] = &[
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

impl Layout {
    /// The repository whose work tree holds the place `at`, which may be its top; looked for upwards,
    /// beyond the workspace's folder in folders of the person's own. A bare repository on the way is
    /// none.
    ///
    /// # Errors
    /// When there is none, or what there is leads out.
    pub fn find(seen: &Snapshot, at: &FilePath, trust: Trust) -> Result<Self, GitError> {
        let mut folder = at.clone();
        loop {
            if let Some(found) = Self::at(seen, &folder, None, trust)? {
                return Ok(found);
            }
            match folder.parent() {
                Some(parent) => folder = parent,
                None => break,
            }
        }
        if let Some(found) = Self::above(seen, &folder, trust)? {
            return Ok(found);
        }
        match looks_bare(at) {
            true => Err(GitError::Bare { path: at.shown() }),
            false => Err(GitError::NoRepository { path: at.shown() }),
        }
    }

    /// The repository whose work tree has its top at `top`; of which the workspace may be a `part`.
    pub(crate) fn at(
        seen: &Snapshot,
        top: &FilePath,
        part: Option<Part>,
        trust: Trust,
    ) -> Result<Option<Self>, GitError> {
        // What lies in a git folder is no work tree.
        if top.relative().iter().any(|name| name == ".git") {
            return Ok(None);
        }
        let place = top.absolute().join(".git");
        let kind = match top.root().kind_below(&top.relative().join(".git")) {
            Ok(Some(kind)) => kind,
            _ => return Ok(None),
        };
        let shown = shown(top, part.as_ref());
        let leads_out =
            |what: &str| GitError::LeadsOut { path: shown.clone(), what: what.to_owned() };
        let found = match kind {
            FileKind::Special => return Ok(None),
            FileKind::Directory | FileKind::File => top.at(".git"),
            FileKind::Link => match seen.locate_absolute(&place) {
                Ok(target) => target,
                Err(FileError::NotFound { .. }) => return Ok(None),
                Err(_) => return Err(leads_out("its `.git` is a link that")),
            },
        };
        let is_file = matches!(
            found.root().kind_below(found.relative()).map_err(of_file)?,
            Some(FileKind::File)
        );
        let git_folder = if is_file {
            let Some(named) = named_in(&found)? else { return Ok(None) };
            let from = found.parent().map(|parent| parent.absolute()).unwrap_or_default();
            normal(&from.join(named))
        } else {
            found.absolute()
        };
        let (git_folder, is_outside) = match seen.locate_absolute(&git_folder) {
            Ok(inside) => (inside.absolute(), false),
            Err(FileError::Forbidden { .. }) => (git_folder, true),
            Err(error) => return Err(of_file(error)),
        };
        let Ok(handle) = Root::open(&git_folder) else {
            return match is_file {
                true => {
                    Err(GitError::NotFound { what: format!("{shown}: its git folder is gone") })
                }
                false => Ok(None),
            };
        };
        let git_folder = handle.path().to_owned();
        if !is_outside && seen.locate_absolute(&git_folder).is_err() {
            return Err(leads_out("its git folder"));
        }
        if !matches!(
            handle.kind_below(Path::new("HEAD")),
            Ok(Some(FileKind::File | FileKind::Link))
        ) {
            return Ok(None);
        }
        let mut layout = Self {
            work_tree: top.clone(),
            part,
            common_folder: git_folder.clone(),
            git_folder,
            is_outside,
            trust,
            wants_programs: false,
        };
        layout.check(seen, &handle)?;
        Ok(Some(layout))
    }

    pub(crate) fn leads_out(&self, what: impl Into<String>) -> GitError {
        GitError::LeadsOut { path: self.shown(), what: what.into() }
    }

    fn check(&mut self, seen: &Snapshot, handle: &Root) -> Result<(), GitError> {
        let read = |name: &str, limit| handle.read_below(Path::new(name), limit).map_err(of_file);
        if let Some(named) = read("commondir", LONGEST_LINK)? {
            let common = normal(&self.git_folder.join(as_path(&named)));
            self.common_folder = if self.is_outside {
                if !self.git_folder.starts_with(&common) && self.trust == Trust::Withheld {
                    return Err(self.leads_out("its common folder"));
                }
                common
            } else {
                match seen.locate_absolute(&common) {
                    Ok(inside) => inside.absolute(),
                    Err(_) if self.trust == Trust::Given => common,
                    Err(_) => return Err(self.leads_out("its common folder")),
                }
            };
        }
        let common = Root::open(&self.common_folder).map_err(of_file)?;
        if common.path() != self.common_folder {
            return Err(self.leads_out("its common folder"));
        }
        let is_beside = self.git_folder == self.work_tree.absolute().join(".git");
        if self.is_outside
            && !is_beside
            && self.trust == Trust::Withheld
            && !self.points_back(handle)?
        {
            return Err(self.leads_out("its `.git` names a git folder that is not its own and"));
        }
        self.check_links(seen, handle)?;
        self.check_links(seen, &common)?;
        self.check_settings(seen, &common, "config")?;
        self.check_settings(seen, handle, "config.worktree")?;
        self.check_alternates(seen, &common)?;
        self.check_hooks(&common);
        Ok(())
    }

    /// Whether a git folder outside says that it is for this work tree.
    fn points_back(&self, handle: &Root) -> Result<bool, GitError> {
        let link = self.work_tree.absolute().join(".git");
        let read = |name: &str, limit| handle.read_below(Path::new(name), limit).map_err(of_file);
        if let Some(back) = read("gitdir", LONGEST_LINK)? {
            return Ok(normal(&self.git_folder.join(as_path(&back))) == link);
        }
        let text = read("config", LONGEST_SETTINGS)?.unwrap_or_default();
        let names = |value: &str| normal(&self.git_folder.join(value)) == self.work_tree.absolute();
        let back = settings(&text).into_iter().rfind(|s| s.is("core", "worktree"));
        Ok(back.and_then(|setting| setting.value).is_some_and(|value| names(&value)))
    }

    fn check_links(&self, seen: &Snapshot, folder: &Root) -> Result<(), GitError> {
        for name in OPENED {
            if !matches!(folder.kind_below(Path::new(name)), Ok(Some(FileKind::Link))) {
                continue;
            }
            let place = folder.path().join(name);
            match seen.locate_absolute(&place) {
                Ok(_) | Err(FileError::NotFound { .. }) => {}
                Err(_) => return Err(self.leads_out(format!("its `{name}` is a link that"))),
            }
        }
        Ok(())
    }

    fn check_settings(
        &mut self,
        seen: &Snapshot,
        folder: &Root,
        name: &str,
    ) -> Result<(), GitError> {
        let Some(text) = folder.read_below(Path::new(name), LONGEST_SETTINGS).map_err(of_file)?
        else {
            return Ok(());
        };
        let unsupported =
            |what: String| GitError::Unsupported { what: format!("{}: {what}", self.shown()) };
        let mut wants_programs = self.wants_programs;
        for setting in settings(&text) {
            let value = setting.value.as_deref().unwrap_or_default();
            let inside = |value: &str| {
                let place = normal(&folder.path().join(value));
                !value.starts_with('~')
                    && (seen.locate_absolute(&place).is_ok()
                        || place.starts_with(&self.common_folder))
            };
            match (setting.section.as_str(), setting.name.as_str()) {
                ("core", "bare") if setting.is_true() => {
                    return Err(GitError::Bare { path: self.shown() });
                }
                ("core", "worktree") => {
                    let named = normal(&self.git_folder.join(value));
                    if named != self.work_tree.absolute() {
                        return Err(self.leads_out("its core.worktree names another folder, and"));
                    }
                }
                ("extensions", "objectformat") if value.eq_ignore_ascii_case("sha256") => {
                    let what = "a repository with SHA-256 object names cannot be read here";
                    return Err(unsupported(what.to_owned()));
                }
                ("extensions", "refstorage") if !value.eq_ignore_ascii_case("files") => {
                    return Err(unsupported(format!("references kept as `{value:.20}`")));
                }
                ("include" | "includeif", "path") | ("core", "excludesfile" | "attributesfile")
                    if self.trust == Trust::Withheld && !value.is_empty() && !inside(value) =>
                {
                    let what = format!("a file that its settings name ({:.200})", value);
                    return Err(self.leads_out(what));
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

    fn check_alternates(&self, seen: &Snapshot, common: &Root) -> Result<(), GitError> {
        let path = Path::new("objects/info/alternates");
        let text = common.read_below(path, LONGEST_SETTINGS).map_err(of_file)?;
        let text = text.unwrap_or_default();
        let lines = text.split(|byte| *byte == b'\n');
        for line in lines.filter(|line| !line.is_empty() && line[0] != b'#') {
            let place = normal(&common.path().join("objects").join(as_path(line)));
            if self.trust == Trust::Withheld && seen.locate_absolute(&place).is_err() {
                return Err(self.leads_out("another object store that it names"));
            }
        }
        Ok(())
    }

    fn check_hooks(&mut self, common: &Root) {
        let hooks = ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"];
        let stands = |hook: &&str| {
            let path = Path::new("hooks").join(hook);
            matches!(common.kind_below(&path), Ok(Some(FileKind::File | FileKind::Link)))
        };
        self.wants_programs |= hooks.iter().any(stands);
    }

    /// Whether commits are git's own program's to make: the workspace is trusted, and there are hooks
    /// or signatures to be made.
    #[must_use]
    pub fn commits_by_program(&self) -> bool {
        self.trust == Trust::Given
            && (self.wants_programs || crate::person::take_over().wants_programs)
    }

    /// # Errors
    /// When nothing may be written to its git folder.
    pub fn check_writable(&self) -> Result<(), GitError> {
        if self.is_outside && self.trust == Trust::Withheld {
            return Err(GitError::ReadOnly { path: self.shown() });
        }
        Ok(())
    }

    /// The path of `file` in the work tree; `None` where it is not below it.
    #[must_use]
    pub fn path_of(&self, file: &FilePath) -> Option<RepoPath> {
        let absolute = file.absolute();
        let below = absolute.strip_prefix(self.work_tree.absolute()).ok()?;
        Some(RepoPath::new(below.as_os_str().as_bytes()))
    }

    /// The file of the workspace at `path`; `None` where no file of it could have that path.
    #[must_use]
    pub fn file(&self, path: &RepoPath) -> Option<FilePath> {
        let path = path.path();
        let plain = path.components().all(|name| matches!(name, Component::Normal(_)));
        match &self.part {
            Some(part) => {
                let below = path.strip_prefix(part.path.path()).ok()?;
                plain.then(|| part.folder.at(below))
            }
            None => plain.then(|| self.work_tree.at(path)),
        }
    }
}

/// Whether the folder at `at` is laid out as a git folder, as a bare repository is.
#[must_use]
pub fn looks_bare(at: &FilePath) -> bool {
    let kind = |name: &str| at.root().kind_below(&at.relative().join(name)).ok().flatten();
    kind(".git").is_none()
        && matches!(kind("HEAD"), Some(FileKind::File))
        && matches!(kind("objects"), Some(FileKind::Directory))
        && matches!(kind("refs"), Some(FileKind::Directory))
}

/// What a `.git` file names.
fn named_in(file: &FilePath) -> Result<Option<PathBuf>, GitError> {
    let text = file.root().read_below(file.relative(), LONGEST_LINK).map_err(of_file)?;
    let text = text.unwrap_or_default();
    let named = text.strip_prefix(b"gitdir: ").map(|named| as_path(named).to_owned());
    Ok(named.filter(|named| !named.as_os_str().is_empty()))
}

/// A path that fills a line.
fn as_path(line: &[u8]) -> &Path {
    let end = line.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |at| at + 1);
    Path::new(OsStr::from_bytes(&line[..end]))
}

/// A path without `.` and `..`, as text has it.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

fn of_file(error: FileError) -> GitError {
    match error {
        FileError::Forbidden { path, .. } => GitError::LeadsOut { path, what: "it".to_owned() },
        error => GitError::Io { what: error.to_string() },
    }
}
