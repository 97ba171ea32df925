//! The project's text files, read once for all checks.

use super::rust_source::{self, RustSource};
use crate::Failure;
use std::fs;
use std::path::Path;

/// Folders without source files of the project.
const SKIPPED_FOLDERS: &[&str] = &[".git", "target", "node_modules", "dist", "out"];
/// Larger files are data, not text that someone writes.
const MAX_BYTES: u64 = 4 << 20;

/// A text file, its path relative to the root and with forward slashes.
pub(super) struct SourceFile {
    pub(super) path: String,
    pub(super) text: String,
    /// For Rust only.
    pub(super) rust: Option<RustSource>,
}

/// All files of the project, by path.
#[derive(Default)]
pub(super) struct Tree {
    files: Vec<SourceFile>,
    /// Paths of what is no text: pictures, that links may lead to.
    others: Vec<String>,
}

impl Tree {
    /// Reads everything under `root` that is UTF-8.
    pub(super) fn read(root: &Path) -> Result<Self, Failure> {
        let (mut files, mut others) = (Vec::new(), Vec::new());
        collect(root, "", &mut files, &mut others)?;
        files.sort();
        Ok(Self { others, ..Self::of(files) })
    }

    fn of(files: Vec<(String, String)>) -> Self {
        let tests = rust_source::test_modules(&files);
        let files = files
            .into_iter()
            .map(|(path, text)| {
                let rust = path.ends_with(".rs").then(|| {
                    let is_test = rust_source::is_test_path(&path) || tests.contains(&path);
                    RustSource::new(&text, is_test)
                });
                SourceFile { path, text, rust }
            })
            .collect();
        Self { files, others: Vec::new() }
    }

    /// A tree of files written down in a test.
    #[cfg(test)]
    pub(super) fn from_files(files: &[(&str, &str)]) -> Self {
        Self::of(files.iter().map(|(path, text)| ((*path).into(), (*text).into())).collect())
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    pub(super) fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter()
    }

    pub(super) fn rust(&self) -> impl Iterator<Item = (&SourceFile, &RustSource)> {
        self.files.iter().filter_map(|file| Some((file, file.rust.as_ref()?)))
    }

    pub(super) fn file(&self, path: &str) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Whether a file or a folder with files has this path.
    pub(super) fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let mut paths = self.files.iter().map(|file| &file.path).chain(&self.others);
        paths.any(|each| {
            each.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

fn collect(
    folder: &Path,
    prefix: &str,
    files: &mut Vec<(String, String)>,
    others: &mut Vec<String>,
) -> Result<(), Failure> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        let kind = entry.file_type().map_err(failed)?;
        if kind.is_dir() {
            if !SKIPPED_FOLDERS.contains(&name.as_str()) {
                collect(&entry.path(), &path, files, others)?;
            }
        } else if kind.is_file() && entry.metadata().map_err(failed)?.len() <= MAX_BYTES {
            // What is not UTF-8 is a picture or a fixture on purpose; no rule is about those.
            match String::from_utf8(fs::read(entry.path()).map_err(failed)?) {
                Ok(text) => files.push((path, text)),
                Err(_) => others.push(path),
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_folders_are_found() {
        let tree = Tree::from_files(&[("docs/a.md", ""), ("b.rs", "")]);
        assert!(tree.has("docs") && tree.has("docs/") && tree.has("docs/a.md") && tree.has("b.rs"));
        assert!(!tree.has("doc") && !tree.has("docs/a"));
        assert_eq!(tree.rust().count(), 1);
    }
}
