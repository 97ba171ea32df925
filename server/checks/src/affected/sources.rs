//! The project's files as units, kept between calls, and what has changed in them.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use git_tools::files_since;
use parking_lot::{Mutex, MutexGuard};
use rustc_hash::FxHashMap;
use tools::{Code, Context, FamilyState, ToolError};
use workspace::{FilePath, FileVersion, definitions_in_text};

use super::graph::ProjectFile;
use super::lexer::Style;
use super::units::{FileUnits, Names, file_units};
use crate::project::Project;

/// More names than this are forgotten between calls.
const MAX_NAMES: usize = 2_000_000;
/// Endings of files that describe and do nothing.
const DOCUMENTS: &[&str] = &[".md", ".rst", ".adoc", ".png", ".jpg", ".svg", ".gif", ".po", ".pot"];
/// Names, or beginnings of names, of files that do nothing when the project runs.
const DOCUMENT_NAMES: &[&str] = &[
    "LICENSE",
    "COPYING",
    "AUTHORS",
    "CHANGE",
    "HISTORY",
    "NEWS",
    "README",
    "CONTRIBUTING",
    "TODO",
    ".gitignore",
    ".gitattributes",
    ".editorconfig",
    ".mailmap",
];

/// The units of files that calls have read.
#[derive(Default)]
pub(crate) struct SourceCache(Mutex<Cache>);

impl FamilyState for SourceCache {}

impl SourceCache {
    pub(super) fn lock(&self) -> MutexGuard<'_, Cache> {
        self.0.lock()
    }
}

#[derive(Default)]
pub(super) struct Cache {
    /// How often all names were forgotten.
    pub(super) epoch: u64,
    pub(super) names: Names,
    known: HashMap<PathBuf, (FileVersion, Arc<FileUnits>)>,
}

/// The sources of one style below a root.
pub(super) struct Sources<'c> {
    pub(super) files: Vec<ProjectFile>,
    pub(super) names: &'c mut Names,
    by_path: FxHashMap<String, usize>,
}

/// A file that has changed; paths are relative to the root.
pub(super) enum Source {
    /// A source that exists, and its old text.
    Text { path: String, old: Option<String> },
    /// A source that does not exist any more.
    Gone(String),
    /// Another file.
    Other(String),
}

impl Cache {
    /// Reads the sources around a project: those of its whole root, because other projects there may
    /// use it or be used.
    pub(super) fn read<'c>(
        &'c mut self,
        context: &Context<'_>,
        tool: &str,
        folder: &FilePath,
        style: Style,
    ) -> Result<Sources<'c>, ToolError> {
        if self.names.len() > MAX_NAMES {
            *self = Self { epoch: self.epoch + 1, ..Self::default() };
        }
        let cancelled = || ToolError::new(Code::Cancelled, format!("{tool}: cancelled"));
        let mut roots = context.snapshot.roots().iter();
        let root = roots.find(|root| root.path() == folder.root().path());
        let root = root.map_or_else(|| folder.clone(), FilePath::from_root);
        let indexed = context.snapshot.indexed_files(&root, context.interrupt);
        let indexed = indexed.map_err(|_| cancelled())?;
        let mut files = Vec::with_capacity(indexed.len());
        for file in indexed {
            if Style::of_language(file.language) != Some(style) {
                continue;
            }
            context.check_interrupt(tool)?;
            let absolute = file.path.absolute();
            let known = self.known.get(&absolute).filter(|(version, _)| *version == file.version);
            let units = match known {
                Some((_, units)) => units.clone(),
                None => {
                    let Some(found) = context.snapshot.definitions_of(&file) else { continue };
                    let text = found.text.text.to_string();
                    let mut units = file_units(style, &text, &found.definitions, &mut self.names);
                    units.is_broken = !found.is_complete;
                    let units = Arc::new(units);
                    self.known.insert(absolute, (file.version, units.clone()));
                    units
                }
            };
            let path = file.path.relative().to_string_lossy().into_owned();
            let is_test = is_test_file(style, &path);
            files.push(ProjectFile { path, units, is_test });
        }
        let by_path = files.iter().enumerate().map(|(number, file)| (file.path.clone(), number));
        Ok(Sources { by_path: by_path.collect(), files, names: &mut self.names })
    }
}

impl Sources<'_> {
    pub(super) fn number_of(&self, path: &str) -> Option<usize> {
        self.by_path.get(path).copied()
    }

    /// The units of an old version.
    pub(super) fn parse_old(
        &mut self,
        context: &Context<'_>,
        style: Style,
        path: &str,
        old: Option<&str>,
    ) -> FileUnits {
        let text = old.unwrap_or_default();
        let name = path.rsplit('/').next().unwrap_or(path);
        let symbols = definitions_in_text(name, text, context.interrupt).unwrap_or_default();
        file_units(style, text, &symbols, self.names)
    }

    /// Whether a file describes the project, and no source names it.
    pub(super) fn is_documentation(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.split('.').next().unwrap_or(name);
        let describes = DOCUMENTS.iter().any(|end| name.ends_with(end))
            || DOCUMENT_NAMES.iter().any(|start| name.starts_with(start));
        describes && (stem.is_empty() || self.names.find(stem).is_none())
    }
}

/// What differs from `since`; `None` if the project is in no repository.
pub(super) fn changed_sources(
    context: &Context<'_>,
    tool: &str,
    project: &Project<'_>,
    since: Option<&str>,
) -> Result<Option<Vec<Source>>, ToolError> {
    let Some(files) = files_since(context, tool, &project.folder, since)? else { return Ok(None) };
    let of_style = |name: &str| {
        project.kinds.iter().any(|kind| {
            let extension = name.rsplit('.').next().unwrap_or_default();
            kind.has_sources(extension)
        })
    };
    let mut changed = Vec::new();
    for file in files {
        let path = file.path.relative().to_string_lossy().into_owned();
        let name = file.path.file_name().to_string_lossy().into_owned();
        let old = file.old.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let exists = context.snapshot.entry(&file.path).is_ok();
        if !of_style(&name) {
            // Files of other projects of the workspace are none of this one's.
            if file.path.is_within(&project.folder) {
                changed.push(Source::Other(path));
            }
        } else if exists {
            changed.push(Source::Text { path, old });
        } else {
            changed.push(Source::Gone(path));
        }
    }
    Ok(Some(changed))
}

/// Whether a file is part of the tests, by its name and its folder.
pub(super) fn is_test_file(style: Style, path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let in_tests = folder
        .split('/')
        .any(|part| matches!(part, "test" | "tests" | "testing" | "__tests__" | "spec" | "e2e"));
    in_tests
        || match style {
            Style::Python => {
                name.starts_with("test") || name.ends_with("_test.py") || name == "conftest.py"
            }
            Style::Rust => true,
            Style::Go => name.ends_with("_test.go"),
            Style::Script => name.contains(".test.") || name.contains(".spec."),
            Style::Braces => name.contains("Test"),
        }
}
