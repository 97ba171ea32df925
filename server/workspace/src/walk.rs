//! The files of a root that are read for their names.
//!
//! Folders and ignore files are reached through the root's handle like everything else: a link in
//! an ignore file's place is not followed, and a FIFO or device there is never opened.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{Dir, FileType, Mode, OFlags};
use syntax::Language;

use crate::root::FileKind;
use crate::{FilePath, Root};

/// Most files of one root that are read for their names.
const MOST_FILES: usize = 1_000_000;
/// Deepest folder that is looked into.
const DEEPEST: usize = 200;
/// Largest ignore file that is heeded, in bytes.
const LARGEST_IGNORE: i64 = 1 << 20;

/// Files that say how a project's own names are found.
const PROJECT_FILES: &[&str] = &[
    "Cargo.toml",
    "compile_commands.json",
    "go.mod",
    "jsconfig.json",
    "package.json",
    "tsconfig.json",
];

/// The files below `root` whose names say that they are in a known language, ignored and hidden
/// ones left out. Links are not followed. Stops early once `interrupt` is set.
#[must_use]
pub fn source_files(root: &Arc<Root>, interrupt: &AtomicBool) -> Vec<(FilePath, Language)> {
    walk(root, interrupt).0
}

/// The source files below `root`, and the project files.
pub(crate) fn walk(
    root: &Arc<Root>,
    interrupt: &AtomicBool,
) -> (Vec<(FilePath, Language)>, Vec<FilePath>) {
    let mut walk = Walk { root, interrupt, sources: Vec::new(), projects: Vec::new() };
    let exclude = ignore_rules(root, Path::new(""), &[".git/info/exclude"]);
    walk.folder(PathBuf::new(), &mut exclude.into_iter().collect());
    (walk.sources, walk.projects)
}

struct Walk<'a> {
    root: &'a Arc<Root>,
    interrupt: &'a AtomicBool,
    sources: Vec<(FilePath, Language)>,
    projects: Vec<FilePath>,
}

impl Walk<'_> {
    fn folder(&mut self, folder: PathBuf, rules: &mut Vec<Gitignore>) {
        if self.interrupt.load(Ordering::Relaxed)
            || self.sources.len() >= MOST_FILES
            || folder.components().count() > DEEPEST
        {
            return;
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let entries = self.root.open_at(&folder, flags, Mode::empty()).and_then(Dir::new);
        let Ok(entries) = entries else { return };
        let own = ignore_rules(self.root, &folder, &[".gitignore", ".ignore"]);
        let depth = rules.len();
        rules.extend(own);
        let mut folders = Vec::new();
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().to_str() else { continue };
            if name.starts_with('.') {
                continue;
            }
            let path = folder.join(name);
            let kind = match entry.file_type() {
                // Some file systems do not tell.
                FileType::Unknown => self.root.stat(&path).map(|(kind, _)| kind).ok(),
                FileType::Directory => Some(FileKind::Directory),
                FileType::RegularFile => Some(FileKind::File),
                _ => None,
            };
            let is_folder = kind == Some(FileKind::Directory);
            if kind.is_none() || is_ignored(rules, &path, is_folder) {
                continue;
            }
            match kind {
                Some(FileKind::Directory) => folders.push(path),
                Some(FileKind::File) => self.file(path),
                _ => {}
            }
        }
        folders.sort();
        for path in folders {
            self.folder(path, rules);
        }
        rules.truncate(depth);
    }

    fn file(&mut self, relative: PathBuf) {
        let path = FilePath { root: self.root.clone(), relative };
        if let Some(language) = language_of(&path.relative) {
            self.sources.push((path, language));
        } else if is_project_file(&path) {
            self.projects.push(path);
        }
    }
}

/// The innermost rule that speaks of a path decides.
fn is_ignored(rules: &[Gitignore], path: &Path, is_folder: bool) -> bool {
    let said = rules.iter().rev().map(|rule| rule.matched(path, is_folder)).find(|m| !m.is_none());
    said.is_some_and(|said| said.is_ignore())
}

/// The rules of a folder's ignore files, if it has any.
fn ignore_rules(root: &Root, folder: &Path, names: &[&str]) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(folder);
    let mut any = false;
    for name in names {
        let path = folder.join(name);
        let Ok((FileKind::File, stat)) = root.stat(&path) else { continue };
        if stat.st_size > LARGEST_IGNORE {
            continue;
        }
        let Ok((bytes, _)) = root.read(&path, name) else { continue };
        for line in String::from_utf8_lossy(&bytes).lines() {
            // A line that is no pattern is passed over, as git does.
            any |= builder.add_line(None, line).is_ok();
        }
    }
    if any { builder.build().ok() } else { None }
}

/// The language that a file's name says.
pub(crate) fn language_of(path: &Path) -> Option<Language> {
    Language::detect(&path.file_name()?.to_string_lossy(), "")
}

pub(crate) fn is_project_file(path: &FilePath) -> bool {
    PROJECT_FILES.iter().any(|name| path.file_name() == *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(prepare: impl FnOnce(&Path)) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        prepare(dir.path());
        let root = Arc::new(Root::open(dir.path()).unwrap());
        let files = source_files(&root, &AtomicBool::new(false));
        let mut names: Vec<_> = files.into_iter().map(|(path, _)| path.shown()).collect();
        names.sort();
        names
    }

    fn write(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn ignore_files_are_heeded_where_they_stand() {
        let names = found(|root| {
            write(root, ".gitignore", "# x\nbuild/\n*.gen.py\n!keep.gen.py\n/top.py\n[\n");
            write(root, "sub/.gitignore", "!a.gen.py\nlocal.py\n");
            write(root, ".git/info/exclude", "excluded.py\n");
            for name in [
                "a.py",
                "a.gen.py",
                "keep.gen.py",
                "top.py",
                "build/x.py",
                "excluded.py",
                "sub/a.gen.py",
                "sub/local.py",
                "sub/top.py",
                "local.py",
                ".hidden/x.py",
                "x.txt",
            ] {
                write(root, name, "");
            }
        });
        assert_eq!(names, ["a.py", "keep.gen.py", "local.py", "sub/a.gen.py", "sub/top.py"]);
    }

    #[test]
    fn nothing_hostile_in_an_ignore_files_place_is_opened() {
        let names = found(|root| {
            write(root, "a.py", "");
            write(root, "sub/b.py", "");
            std::os::unix::fs::symlink("/dev/zero", root.join(".gitignore")).unwrap();
            std::os::unix::fs::symlink("..", root.join("sub/loop")).unwrap();
            rustix::fs::mkfifoat(rustix::fs::CWD, root.join("sub/.ignore"), Mode::RUSR).unwrap();
        });
        assert_eq!(names, ["a.py", "sub/b.py"]);
    }
}
