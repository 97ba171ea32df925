//! Go's packages: folders under a module's path.

use super::{Located, Module, Project};

/// What a `go.mod` says.
#[derive(Debug, PartialEq)]
pub(super) struct GoModule {
    folder: Box<str>,
    path: Box<str>,
}

impl Located for GoModule {
    fn folder(&self) -> &str {
        &self.folder
    }
}

impl GoModule {
    pub(super) fn read(folder: &str, text: &str) -> Self {
        let path = text.lines().find_map(|l| l.trim().strip_prefix("module ")).unwrap_or("");
        let path = path.split("//").next().unwrap_or("").trim().trim_matches('"');
        Self { folder: folder.into(), path: path.into() }
    }
}

impl Project {
    pub(super) fn go(&self, name: &str) -> Option<Module> {
        for module in self.go.iter().filter(|m| !m.path.is_empty()) {
            if let Some(rest) = name.strip_prefix(&*module.path)
                && (rest.is_empty() || rest.starts_with('/'))
            {
                let folder = super::join(&module.folder, rest)?;
                return (!self.in_folder(&folder).is_empty())
                    .then(|| Module::Folder(folder.into()));
            }
        }
        if !self.go.is_empty() || !name.contains('.') {
            return None;
        }
        // Without a go.mod: the longest end of the path that is a folder here.
        let mut rest = name;
        while let Some((_, tail)) = rest.split_once('/') {
            rest = tail;
            if rest.contains('/') && !self.in_folder(rest).is_empty() {
                return Some(Module::Folder(rest.into()));
            }
        }
        None
    }
}
