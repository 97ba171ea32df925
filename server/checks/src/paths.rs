//! Paths of a runner's output as paths of the workspace.

use std::collections::HashMap;
use std::path::Path;

use tools::Context;
use workspace::{FilePath, Snapshot};

use crate::findings::Findings;

/// Folders of sources by convention, for runners that print names of classes.
const SOURCE_FOLDERS: &[&str] =
    &["src/test/java", "src/test/kotlin", "src/main/java", "src/main/kotlin", "src/test/scala"];
/// Different files that are looked up for one run.
const MAX_FILES: usize = 5_000;

/// Makes paths relative to the workspace.
pub(crate) struct Paths<'c> {
    snapshot: &'c Snapshot,
    folder: &'c FilePath,
    known: HashMap<String, String>,
}

impl<'c> Paths<'c> {
    pub(crate) fn new(context: &'c Context<'_>, folder: &'c FilePath) -> Self {
        Self { snapshot: &context.snapshot, folder, known: HashMap::new() }
    }

    /// Rewrites all paths of what was found.
    pub(crate) fn rewrite(&mut self, found: &mut Findings) {
        for failure in &mut found.failures {
            // A file that could not be read is a failure with its name.
            if failure.name.starts_with('/') && failure.unit.contains(&failure.name) {
                failure.name = self.relative(&failure.name, None);
            }
            if let Some(file) = &mut failure.file {
                let class = failure.name.rsplit_once('.').map(|(class, _)| class.to_owned());
                *file = self.relative(file, class.as_deref());
            }
            // Words of commands are relative to the project.
            for word in &mut failure.unit {
                if let Ok(below) = Path::new(word.as_str()).strip_prefix(self.folder.absolute()) {
                    *word = below.to_string_lossy().into_owned();
                }
            }
        }
        for diagnostic in &mut found.diagnostics {
            if let Some(file) = &mut diagnostic.file {
                *file = self.relative(file, None);
            }
        }
        let coverage = std::mem::take(&mut found.coverage).into_iter();
        found.coverage =
            coverage.map(|(file, lines)| (self.relative(&file, None), lines)).collect();
        for file in found.files.iter_mut().chain(&mut found.artifacts) {
            *file = self.relative(file, None);
        }
    }

    /// A path of the workspace for a path of the output; the path itself if it is none.
    fn relative(&mut self, file: &str, class: Option<&str>) -> String {
        if let Some(known) = self.known.get(file) {
            return known.clone();
        }
        if self.known.len() >= MAX_FILES {
            return file.to_owned();
        }
        let found = self.lookup(file, class).unwrap_or_else(|| file.to_owned());
        self.known.insert(file.to_owned(), found.clone());
        found
    }

    fn lookup(&self, file: &str, class: Option<&str>) -> Option<String> {
        let path = Path::new(file);
        if path.is_absolute() {
            return Some(self.snapshot.locate_absolute(path).ok()?.display_path());
        }
        let absolute = self.folder.absolute();
        let root = self.folder.root().path();
        // Compilers print paths relative to the project's root, which may be above.
        let folders = absolute.ancestors().take_while(|folder| folder.starts_with(root));
        if let Some(found) = folders.map(|folder| folder.join(path)).find_map(|p| self.there(&p)) {
            return Some(found);
        }
        // A Go package's path begins with the name of its module.
        let mut rest = path.components();
        while rest.next().is_some() && rest.clone().next().is_some() {
            if let Some(found) = self.there(&absolute.join(rest.as_path())) {
                return Some(found);
            }
        }
        let package = class?.rsplit_once('.').map_or(String::new(), |(p, _)| p.replace('.', "/"));
        let sources = SOURCE_FOLDERS.iter().map(|folder| absolute.join(folder));
        sources.map(|folder| folder.join(&package).join(path)).find_map(|path| self.there(&path))
    }

    fn there(&self, path: &Path) -> Option<String> {
        let found = self.snapshot.locate_absolute(path).ok()?;
        self.snapshot.entry(&found).ok()?;
        Some(found.display_path())
    }
}
