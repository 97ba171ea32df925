//! Rust's crates and the files of their modules.

use super::{Located, Project, join, last, parent};
use crate::index::FileId;

/// What a `Cargo.toml` says.
#[derive(Debug, PartialEq)]
pub(super) struct Crate {
    folder: Box<str>,
    /// As code names it.
    name: Box<str>,
    root: Option<Box<str>>,
}

impl Located for Crate {
    fn folder(&self) -> &str {
        &self.folder
    }
}

impl Crate {
    pub(super) fn read(folder: &str, text: &str) -> Self {
        let (mut section, mut name, mut library, mut root) = ("", "", "", None);
        for line in text.lines() {
            let line = line.trim();
            if line.starts_with('[') {
                section = line;
            } else if let Some((key, value)) = line.split_once('=') {
                let value = value.trim().trim_matches('"');
                match (section, key.trim()) {
                    ("[package]", "name") => name = value,
                    ("[lib]", "name") => library = value,
                    ("[lib]", "path") => root = Some(value.into()),
                    _ => {}
                }
            }
        }
        let name = if library.is_empty() { name.replace('-', "_") } else { library.to_owned() };
        Self { folder: folder.into(), name: name.into(), root }
    }
}

impl Project {
    /// The file of `mod name;` in a file, below the modules that it is nested in there.
    pub(crate) fn rust_child(&self, file: FileId, nested: &str, name: &str) -> Option<FileId> {
        let path = self.path(file);
        let folder = parent(path);
        let own = match last(path) {
            "mod.rs" | "lib.rs" | "main.rs" => folder.to_owned(),
            other => join(folder, other.strip_suffix(".rs")?)?,
        };
        for own in [own, folder.to_owned()] {
            let at = join(&own, nested)?;
            for ending in [format!("{name}.rs"), format!("{name}/mod.rs")] {
                if let Some(found) = self.file(&join(&at, &ending)?) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// The file that declares a file's module; `None` for a crate's root.
    pub(crate) fn rust_parent(&self, file: FileId) -> Option<FileId> {
        let path = self.path(file);
        let (folder, name) = (parent(path), last(path));
        if matches!(name, "lib.rs" | "main.rs") || self.is_crate_root(path) {
            return None;
        }
        let folder = if name == "mod.rs" { parent(folder) } else { folder };
        let beside = format!("{folder}.rs");
        for candidate in ["mod.rs", "lib.rs", "main.rs"] {
            if let Some(found) = self.file(&join(folder, candidate)?) {
                return Some(found);
            }
        }
        self.file(&beside)
    }

    fn is_crate_root(&self, path: &str) -> bool {
        self.crates
            .iter()
            .any(|c| c.root.as_deref().is_some_and(|r| join(&c.folder, r).as_deref() == Some(path)))
    }

    /// The root file of a crate by the name that code gives it.
    pub(crate) fn rust_crate(&self, name: &str) -> Option<FileId> {
        let known = self.crates.iter().find(|c| *c.name == *name)?;
        let root = known.root.as_deref().unwrap_or("src/lib.rs");
        self.file(&join(&known.folder, root)?)
    }
}
