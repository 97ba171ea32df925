//! Merge conflicts: the marked sections of a file, and the versions in the index.

use git2::Oid;

use crate::{GitError, Repo, RepoPath};

/// A conflict between markers. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The line of the `<<<<<<<` marker.
    pub start: usize,
    /// The line of the `>>>>>>>` marker.
    pub end: usize,
    /// Our side.
    pub ours: ConflictSide,
    /// The common ancestor, with the `diff3` conflict style.
    pub base: Option<ConflictSide>,
    /// Their side.
    pub theirs: ConflictSide,
}

/// One side of a conflict.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConflictSide {
    /// The text after its marker: a branch or commit.
    pub label: String,
    /// Its lines.
    pub text: String,
}

/// The index entries of a file with merge conflicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictStages {
    /// The file.
    pub path: RepoPath,
    /// Object id and mode of the common ancestor's version, ours and theirs.
    pub sides: [Option<(Oid, u32)>; 3],
}

/// The conflicts in a text, in order. Markers out of sequence count as text.
#[must_use]
pub fn conflicts(text: &str) -> Vec<Conflict> {
    #[derive(Clone, Copy, PartialEq)]
    enum Section {
        Text,
        Ours,
        Base,
        Theirs,
    }
    let mut found = Vec::new();
    let mut state = Section::Text;
    let mut open = None;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let number = number + 1;
        let bare = line.trim_end_matches(['\n', '\r']);
        let label = |sign: char| {
            let marker: String = std::iter::repeat_n(sign, 7).collect();
            let rest = bare.strip_prefix(&marker)?;
            (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim_start().to_owned())
        };
        if let Some(label) = label('<') {
            let ours = ConflictSide { label, text: String::new() };
            let theirs = ConflictSide::default();
            open = Some(Conflict { start: number, end: number, ours, base: None, theirs });
            state = Section::Ours;
            continue;
        }
        let Some(conflict) = &mut open else { continue };
        match (state, label('|'), bare == "=======", label('>')) {
            (Section::Ours, Some(label), ..) => {
                conflict.base = Some(ConflictSide { label, text: String::new() });
                state = Section::Base;
            }
            (Section::Ours | Section::Base, _, true, _) => state = Section::Theirs,
            (Section::Theirs, .., Some(label)) => {
                conflict.theirs.label = label;
                conflict.end = number;
                found.extend(open.take());
                state = Section::Text;
            }
            (Section::Ours, ..) => conflict.ours.text.push_str(line),
            (Section::Base, ..) => {
                if let Some(base) = &mut conflict.base {
                    base.text.push_str(line);
                }
            }
            (Section::Theirs, ..) => conflict.theirs.text.push_str(line),
            (Section::Text, ..) => {}
        }
    }
    found
}

impl Repo {
    /// The files with merge conflicts in the index, sorted by path.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn stages(&self) -> Result<Vec<ConflictStages>, GitError> {
        let index = self.index()?;
        let mut found: Vec<ConflictStages> = Vec::new();
        for entry in index.iter() {
            let stage = usize::from((entry.flags >> 12) & 3);
            if stage == 0 {
                continue;
            }
            let path = RepoPath::new(&entry.path);
            if !self.layout().contains(&path) {
                continue;
            }
            if found.last().is_none_or(|last| last.path != path) {
                found.push(ConflictStages { path, sides: [None; 3] });
            }
            if let Some(last) = found.last_mut() {
                last.sides[stage - 1] = Some((entry.id, entry.mode));
            }
        }
        Ok(found)
    }

    /// A blob's content.
    ///
    /// # Errors
    /// When there is none, or it is damaged.
    pub fn blob(&self, id: Oid) -> Result<Vec<u8>, GitError> {
        Ok(self.find_blob(id)?.content().to_vec())
    }

    /// Whether a commit has a folder at a path.
    ///
    /// # Errors
    /// When the commit cannot be read.
    pub fn is_folder_at(&self, commit: Oid, path: &RepoPath) -> Result<bool, GitError> {
        let tree = self.tree(commit)?;
        let found = tree.get_path(path.as_path());
        Ok(found.is_ok_and(|entry| entry.kind() == Some(git2::ObjectType::Tree)))
    }

    /// The content and mode of a file in a commit.
    ///
    /// # Errors
    /// When the commit has no such file, or the path is outside the workspace.
    pub fn file_at(&self, commit: Oid, path: &RepoPath) -> Result<(Vec<u8>, u32), GitError> {
        let no_file = || GitError::NotFound {
            what: format!("{}: the commit {commit:.10} has no such file", path.to_string_lossy()),
        };
        if !self.layout().contains(path) {
            return Err(self.layout().escapes_workspace(format!("`{}`", path.to_string_lossy())));
        }
        let tree = self.tree(commit)?;
        let entry = tree.get_path(path.as_path()).map_err(|error| match error.code() {
            git2::ErrorCode::NotFound => no_file(),
            _ => error.into(),
        })?;
        if entry.kind() != Some(git2::ObjectType::Blob) {
            return Err(no_file());
        }
        Ok((self.blob(entry.id())?, entry.filemode().cast_unsigned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_separated() {
        let text = "a\n<<<<<<< HEAD\nx\n||||||| base\nb\n=======\ny\n>>>>>>> topic\nc\n\
                    =======\n<<<<<<< HEAD\n=======\nz\n>>>>>>>\n<<<<<<< open\n";
        let found = conflicts(text);
        assert_eq!(found.len(), 2);
        let side =
            |label: &str, text: &str| ConflictSide { label: label.into(), text: text.into() };
        assert_eq!((found[0].start, found[0].end), (2, 8));
        assert_eq!(found[0].ours, side("HEAD", "x\n"));
        assert_eq!(found[0].base, Some(side("base", "b\n")));
        assert_eq!(found[0].theirs, side("topic", "y\n"));
        assert_eq!((found[1].start, found[1].end), (11, 14));
        assert_eq!((&*found[1].ours.text, &*found[1].theirs.text), ("", "z\n"));
    }
}
