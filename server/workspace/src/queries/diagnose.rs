//! Diagnostics of the names in a document.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use names::{AbsentPath, Index, NameDiagnostic};
use rustc_hash::FxHashMap;

use super::QueryError;
use crate::platform::Opening;
use crate::walk::{WalkOptions, is_excluded_from_walk};
use crate::{Document, FilePath, Root, Snapshot};

/// Maximum number of entries of a folder that are read to check an import.
const MAX_ENTRIES: usize = 20_000;

impl Snapshot {
    /// The problems with names in a document of the workspace, in text order. Waits for the index,
    /// because an unindexed definition would be reported as missing.
    ///
    /// # Errors
    /// When interrupted, or when the document has changed.
    pub fn findings(
        &self,
        document: &Document,
        interrupt: &AtomicBool,
    ) -> Result<Vec<NameDiagnostic>, QueryError> {
        let Some(path) = document.path(&self.roots) else { return Ok(Vec::new()) };
        if self.libraries().locate(&path.absolute()).is_some() {
            return Ok(Vec::new());
        }
        self.prepare_index(interrupt)?;
        let (Some(id), Some(facts), Some(syntax)) = (
            self.index_document(document, interrupt),
            document.facts(interrupt),
            document.syntax(interrupt),
        ) else {
            return match interrupt.load(Ordering::Relaxed) {
                true => Err(QueryError::Interrupted),
                false => Ok(Vec::new()),
            };
        };
        let query = |index: &Index| {
            let mut found = index.name_diagnostics(id, &syntax, interrupt)?;
            found.extend(index.missing_modules(id, &syntax, interrupt));
            Some(found)
        };
        let mut found = self.with_dependencies(interrupt, || {
            let stamp = self.indexer.entry(id).stamp;
            let index = self.indexer.index.read();
            let current = index.facts(id).is_some_and(|f| Arc::ptr_eq(f, &facts))
                || (stamp.is_some() && stamp == document.stamp());
            if !current {
                return Err(QueryError::DocumentChanged);
            }
            query(&index).ok_or(QueryError::Interrupted)
        })?;
        let mut folders = FxHashMap::default();
        found.retain(|f| {
            let absent = f.absent.as_ref();
            absent.is_none_or(|absent| self.is_absent(&path.root, absent, &mut folders))
        });
        self.judge_modules(&path, &mut found);
        found.sort_by_key(|f| (f.span.start, f.kind));
        Ok(found)
    }

    /// Whether nothing on disk matches an import, and nothing that a build would generate: ignored
    /// paths count as generated.
    pub(super) fn is_absent(
        &self,
        root: &Arc<Root>,
        absent: &AbsentPath,
        folders: &mut FxHashMap<String, Option<Vec<String>>>,
    ) -> bool {
        let folder = match absent.folder.strip_prefix("//") {
            Some(numbered) => numbered.split_once('/').map_or("", |(_, rest)| rest),
            None => &absent.folder,
        };
        let names = folders.entry(folder.to_owned()).or_insert_with(|| names_in(root, folder));
        let Some(names) = names else { return false };
        let matches_import = |name: &String| {
            let stem = absent.stem.as_str();
            name.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let start = FilePath::new(root, std::path::PathBuf::new());
        let at = FilePath::new(root, folder.into());
        let may_be_generated =
            ["", ".py", ".js", ".ts", ".d.ts", ".rs", ".tsx", ".go"].iter().any(|ending| {
                let path = at.join(format!("{}{ending}", absent.stem));
                is_excluded_from_walk(
                    &path,
                    &start,
                    WalkOptions { hidden: true, ..WalkOptions::default() },
                )
            });
        !names.iter().any(matches_import) && !may_be_generated
    }
}

/// The names in a folder; `None` if they cannot all be listed.
pub(super) fn names_in(root: &Arc<Root>, folder: &str) -> Option<Vec<String>> {
    let dir = root.open_at(folder.as_ref(), Opening::Folder).ok()?;
    let names = crate::platform::names_in(&dir).ok()?;
    let names: Vec<String> =
        names.take(MAX_ENTRIES).filter_map(|name| name.ok()?.into_string().ok()).collect();
    (names.len() < MAX_ENTRIES).then_some(names)
}
