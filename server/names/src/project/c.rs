//! What C's and C++'s includes lead to.

use super::{Module, Project, join, parent};
use crate::index::FileId;

/// The include folders that a compilation database names.
pub(super) fn includes(folder: &str, text: &str, out: &mut Vec<Box<str>>) {
    let words = text.split(|c: char| c == '"' || c.is_whitespace());
    let mut next = false;
    for word in words.filter(|w| !w.is_empty() && *w != ",") {
        let path = if next { Some(word) } else { word.strip_prefix("-I") };
        next = word == "-I" || word == "-isystem" || word == "-iquote";
        if let Some(path) = path.filter(|p| !p.is_empty() && !p.starts_with('/'))
            && let Some(path) = join(folder, path)
            && !out.iter().any(|o| **o == *path)
        {
            out.push(path.into());
        }
    }
}

impl Project {
    pub(super) fn include(&self, file: FileId, name: &str) -> Option<Module> {
        let here = join(parent(self.path(file)), name).and_then(|p| self.file(&p));
        if let Some(found) = here {
            return Some(Module::File(found));
        }
        for folder in &self.includes {
            if let Some(found) = join(folder, name).and_then(|p| self.file(&p)) {
                return Some(Module::File(found));
            }
        }
        // The one whose path ends so and that shares most with the file's own.
        let own = self.path(file);
        let shared =
            |f: &FileId| self.path(*f).bytes().zip(own.bytes()).take_while(|(a, b)| a == b).count();
        self.ending(name.trim_start_matches("../")).max_by_key(shared).map(Module::File)
    }
}
