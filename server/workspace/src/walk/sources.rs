//! Finds the source files and project files of a root.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use syntax::Language;

use super::folder::Folder;
use super::order::path_order;
use super::parallel::{Visitor, WalkOptions, walk};
use crate::root::FileKind;
use crate::{FilePath, Root};

/// The files below `root` in a known language (by name), in path order, except ignored and hidden
/// ones. Links are not followed. Stops early once `interrupt` is set.
#[must_use]
pub fn source_files(root: &Arc<Root>, interrupt: &AtomicBool) -> Vec<(FilePath, Language)> {
    project_walk(root, interrupt).0
}

/// The files below `root` that can have diagnostics, of names or of syntax, as
/// [`source_files`].
#[must_use]
pub fn diagnosable_files(root: &Arc<Root>, interrupt: &AtomicBool) -> Vec<FilePath> {
    let start = FilePath::new(root, PathBuf::new());
    let walked = match walk(&start, WalkOptions::default(), interrupt, DiagnosableFiles::default) {
        Ok(walked) => walked,
        Err(error) => {
            tracing::debug!("not walked: {error}");
            return Vec::new();
        }
    };
    let mut files: Vec<_> = walked.visitors.into_iter().flat_map(|found| found.0).collect();
    files.sort_unstable_by(in_order);
    files
}

#[derive(Default)]
struct DiagnosableFiles(Vec<FilePath>);

impl Visitor for DiagnosableFiles {
    const ARE_VISITS_SLOW: bool = false;

    fn should_visit(&mut self, _: &Folder, name: &[u8], kind: FileKind) -> bool {
        // A name that is not UTF-8 has no URI.
        let Ok(name) = std::str::from_utf8(name) else { return false };
        let language = || Language::detect(name, "");
        kind == FileKind::File
            && language().is_some_and(|l| l.has_name_resolution() || l.reports_errors())
    }

    fn visit(&mut self, folder: &Folder, name: &OsStr, _: &[u8], _: FileKind) {
        self.0.push(folder.entry(name));
    }
}

/// The source files and the project files below `root`, in path order.
pub(crate) fn project_walk(
    root: &Arc<Root>,
    interrupt: &AtomicBool,
) -> (Vec<(FilePath, Language)>, Vec<FilePath>) {
    let start = FilePath::new(root, PathBuf::new());
    let (mut sources, mut projects) = (Vec::new(), Vec::new());
    match walk(&start, WalkOptions::default(), interrupt, SourceFiles::default) {
        Ok(walked) => {
            for found in walked.visitors {
                sources.extend(found.sources);
                projects.extend(found.projects);
            }
        }
        Err(error) => tracing::debug!("not walked: {error}"),
    }
    sources.sort_unstable_by(|(one, _), (other, _)| in_order(one, other));
    projects.sort_unstable_by(in_order);
    (sources, projects)
}

fn in_order(one: &FilePath, other: &FilePath) -> std::cmp::Ordering {
    let bytes = |path: &FilePath| path.relative.as_os_str().as_encoded_bytes().to_vec();
    path_order(&bytes(one), &bytes(other))
}

#[derive(Default)]
struct SourceFiles {
    sources: Vec<(FilePath, Language)>,
    projects: Vec<FilePath>,
}

impl Visitor for SourceFiles {
    const ARE_VISITS_SLOW: bool = false;

    fn should_visit(&mut self, _: &Folder, name: &[u8], kind: FileKind) -> bool {
        // A name that is not UTF-8 has no URI.
        let Ok(name) = std::str::from_utf8(name) else { return false };
        kind == FileKind::File
            && (names::is_project_file(name) || language_of(Path::new(name)).is_some())
    }

    /// Some projects ignore `package.json` everywhere because of generated ones, but have it in the
    /// repository nevertheless.
    fn should_visit_ignored(&self, name: &[u8]) -> bool {
        name == b"package.json"
    }

    fn visit(&mut self, folder: &Folder, name: &OsStr, _: &[u8], _: FileKind) {
        let path = folder.entry(name);
        match language_of(Path::new(name)) {
            Some(language) => self.sources.push((path, language)),
            None => self.projects.push(path),
        }
    }
}

/// The language of a file by its name, if names are indexed for it.
pub(crate) fn language_of(path: &Path) -> Option<Language> {
    Language::detect(&path.file_name()?.to_string_lossy(), "").filter(|l| l.has_name_resolution())
}

pub(crate) fn is_project_file(path: &FilePath) -> bool {
    path.file_name().to_str().is_some_and(names::is_project_file)
}

#[cfg(test)]
mod tests {
    use rustix::fs::Mode;

    use super::*;

    fn found(prepare: impl FnOnce(&Path)) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        prepare(dir.path());
        let root = Arc::new(Root::open(dir.path()).unwrap());
        let files = source_files(&root, &AtomicBool::new(false));
        files.into_iter().map(|(path, _)| path.display_path()).collect()
    }

    fn write(root: &Path, name: &str, text: &str) {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn ignore_files_apply_below_their_folder() {
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
    fn an_ignored_package_json_counts() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, "sub/.gitignore", "**/package.json\n**/tsconfig.json\nbuilt/\n");
        for name in ["sub/package.json", "sub/tsconfig.json", "sub/built/package.json"] {
            write(root, name, "{}");
        }
        let root = Arc::new(Root::open(root).unwrap());
        let (_, projects) = project_walk(&root, &AtomicBool::new(false));
        let projects: Vec<_> = projects.into_iter().map(|path| path.display_path()).collect();
        assert_eq!(projects, ["sub/package.json"]);
    }

    #[test]
    fn links_and_fifos_in_place_of_ignore_files_are_not_opened() {
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
