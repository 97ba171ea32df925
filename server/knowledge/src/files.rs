//! Which files of a workspace are indexed.

use std::ffi::OsStr;
use std::sync::atomic::{AtomicBool, Ordering};

use syntax::Language;
use workspace::{FileKind as EntryKind, FilePath, Folder, Snapshot, Visitor, WalkOptions, walk};

/// Languages of data: their files have words, but say little.
const DATA_LANGUAGES: &[&str] = &["json", "xml", "csv", "svg", "diff", "regex"];
/// Languages of prose.
const PROSE_LANGUAGES: &[&str] = &["markdown", "html"];
/// Endings of prose without a language.
const PROSE_ENDINGS: &[&str] =
    &["txt", "rst", "adoc", "asciidoc", "org", "tex", "textile", "pod", "rdoc"];
/// Names that are never about the project.
const LEFT_OUT: &[&str] = &["license", "licence", "copying", "unlicense", "notice"];
/// Endings of files that programs write.
const GENERATED_ENDINGS: &[&str] = &[".lock", ".min.js", ".min.css", "-lock.yaml", ".map", ".snap"];

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Source code and configuration.
    Code,
    /// Documents.
    Prose,
}

/// The files of all roots that are indexed. `None` once `interrupt` is set.
pub(crate) fn indexed_files(
    snapshot: &Snapshot,
    interrupt: &AtomicBool,
) -> Option<Vec<(FilePath, FileKind)>> {
    let mut files = Vec::new();
    for root in snapshot.roots() {
        let start = FilePath::from_root(root);
        let walked = walk(&start, WalkOptions::default(), interrupt, IndexedFiles::default).ok()?;
        files.extend(walked.visitors.into_iter().flat_map(|visitor| visitor.0));
    }
    // Documents that were never saved are on no disk.
    for document in snapshot.documents() {
        let Some(path) = snapshot.path_of(document) else { continue };
        let kind = path.file_name().to_str().and_then(file_kind);
        if let Some(kind) = kind.filter(|_| snapshot.disk_stamp(&path).is_none()) {
            files.push((path, kind));
        }
    }
    (!interrupt.load(Ordering::Relaxed)).then_some(files)
}

/// The files below a folder that hold documents or code, sorted.
pub(crate) fn files_below(
    folder: &FilePath,
    interrupt: &AtomicBool,
) -> Result<Vec<FilePath>, workspace::FileError> {
    let walked = walk(folder, WalkOptions::default(), interrupt, IndexedFiles::default)?;
    let all = walked.visitors.into_iter().flat_map(|visitor| visitor.0);
    let mut files: Vec<FilePath> = all.map(|(path, _)| path).collect();
    files.sort_by(|one, other| one.relative().cmp(other.relative()));
    Ok(files)
}

/// What a file of this name holds; `None` if it is not indexed.
pub(crate) fn file_kind(name: &str) -> Option<FileKind> {
    let lower = name.to_ascii_lowercase();
    let stem = lower.split('.').next().unwrap_or_default();
    if LEFT_OUT.contains(&stem) || GENERATED_ENDINGS.iter().any(|end| lower.ends_with(end)) {
        return None;
    }
    let ending = lower.rsplit_once('.').map_or("", |(_, ending)| ending);
    if PROSE_ENDINGS.contains(&ending) {
        return Some(FileKind::Prose);
    }
    match Language::detect(name, "")?.id() {
        id if DATA_LANGUAGES.contains(&id) => None,
        id if PROSE_LANGUAGES.contains(&id) => Some(FileKind::Prose),
        _ => Some(FileKind::Code),
    }
}

#[derive(Default)]
struct IndexedFiles(Vec<(FilePath, FileKind)>);

impl Visitor for IndexedFiles {
    const ARE_VISITS_SLOW: bool = false;

    fn should_visit(&mut self, _: &Folder, name: &[u8], kind: EntryKind) -> bool {
        kind == EntryKind::File
            && std::str::from_utf8(name).is_ok_and(|name| file_kind(name).is_some())
    }

    fn visit(&mut self, folder: &Folder, name: &OsStr, _: &[u8], _: EntryKind) {
        if let Some(kind) = name.to_str().and_then(file_kind) {
            self.0.push((folder.entry(name), kind));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_prose_are_indexed_but_not_data() {
        for (name, kind) in [
            ("main.rs", Some(FileKind::Code)),
            ("README.md", Some(FileKind::Prose)),
            ("guide.rst", Some(FileKind::Prose)),
            ("LICENSE.md", None),
            ("data.json", None),
            ("Cargo.lock", None),
            ("app.min.js", None),
            ("picture.png", None),
        ] {
            assert_eq!(file_kind(name), kind, "{name}");
        }
    }
}
