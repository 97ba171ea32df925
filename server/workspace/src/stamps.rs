//! Numbers that differ once something may have changed, without reading it.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::{Snapshot, uri_of_path};

/// Most open documents that are listed.
const MAX_OPEN: usize = 1_000;
/// The files of a repository that change with its index and its checked-out commit.
const GIT_FILES: [&str; 2] = [".git/index", ".git/HEAD"];

/// Stamps of a workspace at one moment. Stamps of different processes are unrelated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceStamps {
    /// Of the asked files: their open documents, or the files on disk.
    pub files: Vec<u64>,
    /// Of all open documents and files.
    pub contents: u64,
    /// Of the editor's state.
    pub editor: u64,
    /// Of the repository in the first root.
    pub git: u64,
    /// The URIs of open documents in the roots, sorted.
    pub open: Vec<String>,
}

impl Snapshot {
    /// The stamps, with those of `files`, which are paths or URIs. O(open documents); one lookup a file.
    #[must_use]
    pub fn stamps(&self, files: &[String]) -> WorkspaceStamps {
        let contents = (self.revision(), self.indexer.disk_changes());
        let mut open: Vec<String> = self
            .documents()
            .filter_map(|document| document.path(self.roots()))
            .map(|path| uri_of_path(&path.absolute()))
            .collect();
        open.sort_unstable();
        open.truncate(MAX_OPEN);
        let git: Vec<u64> = GIT_FILES.iter().map(|file| self.file_stamp(file)).collect();
        WorkspaceStamps {
            files: files.iter().map(|file| self.file_stamp(file)).collect(),
            contents: hash(&contents),
            editor: hash(&(self.revision(), self.editor.reports)),
            git: hash(&(contents, git)),
            open,
        }
    }

    /// How often files on disk have changed, or may have, as far as that was reported.
    #[must_use]
    pub fn disk_changes(&self) -> u64 {
        self.indexer.disk_changes()
    }

    fn file_stamp(&self, file: &str) -> u64 {
        let Ok(path) = self.locate_to_read(file) else { return 0 };
        if let Some(document) = self.open_document(&path) {
            return hash(&(true, document.revision()));
        }
        let metadata = self.metadata(&path).ok();
        hash(&(false, metadata.map(|found| (found.size, found.modified, found.mode))))
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use text::{ContentChange, PositionEncoding};

    use crate::{Root, Workspace, uri_of_path};

    #[test]
    fn stamps_differ_after_changes() {
        let folder = tempfile::tempdir().unwrap();
        let (a, b) = (folder.path().join("a.txt"), folder.path().join("b.txt"));
        std::fs::write(&a, "one\n").unwrap();
        std::fs::write(&b, "two\n").unwrap();
        let workspace = Workspace::new(vec![Root::open(folder.path()).unwrap()]);
        let asked = ["a.txt".to_owned(), "b.txt".to_owned(), "../c.txt".to_owned()];
        let stamps = || workspace.snapshot().stamps(&asked);
        let first = stamps();
        assert_eq!(first, stamps());
        assert_eq!((first.files[2], first.open.len()), (0, 0));

        let uri = uri_of_path(&a);
        workspace.open(&uri, "plaintext", 1, "one\n");
        let opened = stamps();
        assert_ne!(opened.files[0], first.files[0]);
        assert_eq!((opened.files[1], opened.open.len()), (first.files[1], 1));
        assert_ne!((opened.contents, opened.editor), (first.contents, first.editor));
        let change = ContentChange { range: None, text: "typed\n".to_owned() };
        workspace.change(&uri, 2, &[change], PositionEncoding::Utf16).unwrap();
        assert_ne!(stamps().files[0], opened.files[0]);

        std::fs::write(&b, "longer\n").unwrap();
        let before = stamps();
        assert_ne!(before.files[1], opened.files[1]);
        workspace.files_changed([uri_of_path(&b)]);
        let after = stamps();
        assert_eq!(after.files, before.files);
        assert_ne!((after.contents, after.git), (before.contents, before.git));
    }
}
