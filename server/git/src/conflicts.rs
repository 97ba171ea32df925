//! What a merge has left open, as it stands in a file between markers.

use git2::Oid;

use crate::{GitError, Repo, RepoPath};

/// One place of a text that two sides changed. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The line that begins it.
    pub start: usize,
    /// The line that ends it.
    pub end: usize,
    /// Our side.
    pub ours: Side,
    /// What both sides come from, where it is told.
    pub base: Option<Side>,
    /// Their side.
    pub theirs: Side,
}

/// One side of a conflict.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Side {
    /// What stands behind its marker: whose it is.
    pub label: String,
    /// Its lines.
    pub text: String,
}

/// The objects that the index keeps of a file that a merge has left open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stages {
    /// The file.
    pub path: RepoPath,
    /// Of the common ancestor, ours, theirs: the object and its mode.
    pub sides: [Option<(Oid, u32)>; 3],
}

/// The conflicts in a text, in order. Markers that do not belong together are text.
#[must_use]
pub fn conflicts(text: &str) -> Vec<Conflict> {
    #[derive(Clone, Copy, PartialEq)]
    enum In {
        Text,
        Ours,
        Base,
        Theirs,
    }
    let mut found = Vec::new();
    let mut state = In::Text;
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
            let ours = Side { label, text: String::new() };
            let theirs = Side::default();
            open = Some(Conflict { start: number, end: number, ours, base: None, theirs });
            state = In::Ours;
            continue;
        }
        let Some(conflict) = &mut open else { continue };
        match (state, label('|'), bare == "=======", label('>')) {
            (In::Ours, Some(label), ..) => {
                conflict.base = Some(Side { label, text: String::new() });
                state = In::Base;
            }
            (In::Ours | In::Base, _, true, _) => state = In::Theirs,
            (In::Theirs, .., Some(label)) => {
                conflict.theirs.label = label;
                conflict.end = number;
                found.extend(open.take());
                state = In::Text;
            }
            (In::Ours, ..) => conflict.ours.text.push_str(line),
            (In::Base, ..) => {
                if let Some(base) = &mut conflict.base {
                    base.text.push_str(line);
                }
            }
            (In::Theirs, ..) => conflict.theirs.text.push_str(line),
            (In::Text, ..) => {}
        }
    }
    found
}

impl Repo {
    /// What the index keeps of the files that a merge has left open, in order of paths.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn stages(&self) -> Result<Vec<Stages>, GitError> {
        let index = self.index()?;
        let mut found: Vec<Stages> = Vec::new();
        for entry in index.iter() {
            let stage = usize::from((entry.flags >> 12) & 3);
            if stage == 0 {
                continue;
            }
            let path = RepoPath::new(&entry.path);
            if !self.layout().holds(&path) {
                continue;
            }
            if found.last().is_none_or(|last| last.path != path) {
                found.push(Stages { path, sides: [None; 3] });
            }
            if let Some(last) = found.last_mut() {
                last.sides[stage - 1] = Some((entry.id, entry.mode));
            }
        }
        Ok(found)
    }

    /// The bytes of an object that is a file.
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
        let found = tree.get_path(path.path());
        Ok(found.is_ok_and(|entry| entry.kind() == Some(git2::ObjectType::Tree)))
    }

    /// The file that a commit has at a path: its bytes and mode.
    ///
    /// # Errors
    /// When it has none, or none that is the workspace's.
    pub fn file_at(&self, commit: Oid, path: &RepoPath) -> Result<(Vec<u8>, u32), GitError> {
        let no_file = || GitError::NotFound {
            what: format!("{}: the commit {commit:.10} has no such file", path.shown()),
        };
        if !self.layout().holds(path) {
            return Err(self.layout().leads_out(format!("`{}`", path.shown())));
        }
        let tree = self.tree(commit)?;
        let entry = tree.get_path(path.path()).map_err(|error| match error.code() {
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
    fn sides_are_told_apart() {
        let text = "a\n<<<<<<< HEAD\nx\n||||||| base\nb\n=======\ny\n>>>>>>> topic\nc\n\
                    =======\n<<<<<<< HEAD\n=======\nz\n>>>>>>>\n<<<<<<< open\n";
        let found = conflicts(text);
        assert_eq!(found.len(), 2);
        let side = |label: &str, text: &str| Side { label: label.into(), text: text.into() };
        assert_eq!((found[0].start, found[0].end), (2, 8));
        assert_eq!(found[0].ours, side("HEAD", "x\n"));
        assert_eq!(found[0].base, Some(side("base", "b\n")));
        assert_eq!(found[0].theirs, side("topic", "y\n"));
        assert_eq!((found[1].start, found[1].end), (11, 14));
        assert_eq!((&*found[1].ours.text, &*found[1].theirs.text), ("", "z\n"));
    }
}
