//! What is wrong with the names of a document.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use names::{Absent, Finding, Index};
use rustc_hash::FxHashMap;

use super::QueryError;
use crate::platform::Opening;
use crate::walk::{WalkOptions, is_left_out};
use crate::{Document, FilePath, Root, Snapshot};

/// Most entries of a folder that are looked through for what an import might mean.
const ENTRIES: usize = 20_000;

impl Snapshot {
    /// What is wrong with the names of a document of the workspace, in order of place. Waits for
    /// the index: what is not known yet is not missing.
    ///
    /// # Errors
    /// When interrupted, or when the document has moved on.
    pub fn findings(
        &self,
        document: &Document,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Finding>, QueryError> {
        let Some(path) = document.path(&self.roots) else { return Ok(Vec::new()) };
        if self.libraries().place(&path.absolute()).is_some() {
            return Ok(Vec::new());
        }
        self.wait_for_index(interrupt)?;
        self.indexer.trim();
        self.catch_up(interrupt);
        for other in self.documents() {
            self.index_document(other, interrupt);
        }
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
        let ask = |index: &Index| {
            let mut found = index.diagnose(id, &syntax, interrupt)?;
            found.extend(index.missing_modules(id, &syntax, interrupt));
            Some(found)
        };
        let mut found = self.with_dependencies(interrupt, || {
            let stamp = self.indexer.entry(id).stamp;
            let index = self.indexer.index.read();
            let current = index.facts(id).is_some_and(|f| Arc::ptr_eq(f, &facts))
                || (stamp.is_some() && stamp == document.stamp());
            if !current {
                return Err(QueryError::Moved);
            }
            ask(&index).ok_or(QueryError::Interrupted)
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

    /// Whether nothing on disk could be what an import means, and nothing that is made when the
    /// project is built: what ignore files leave out.
    pub(super) fn is_absent(
        &self,
        root: &Arc<Root>,
        absent: &Absent,
        folders: &mut FxHashMap<String, Option<Vec<String>>>,
    ) -> bool {
        let folder = match absent.folder.strip_prefix("//") {
            Some(numbered) => numbered.split_once('/').map_or("", |(_, rest)| rest),
            None => &absent.folder,
        };
        let names = folders.entry(folder.to_owned()).or_insert_with(|| names_in(root, folder));
        let Some(names) = names else { return false };
        let means = |name: &String| {
            let stem = absent.stem.as_str();
            name.strip_prefix(stem).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let start = FilePath::new(root, std::path::PathBuf::new());
        let at = FilePath::new(root, folder.into());
        let made = ["", ".py", ".js", ".ts", ".d.ts", ".rs", ".tsx", ".go"].iter().any(|ending| {
            let path = at.join(format!("{}{ending}", absent.stem));
            is_left_out(&path, &start, WalkOptions { hidden: true, ..WalkOptions::default() })
        });
        !names.iter().any(means) && !made
    }
}

/// The names in a folder; `None` where they cannot all be told.
pub(super) fn names_in(root: &Arc<Root>, folder: &str) -> Option<Vec<String>> {
    let dir = root.open_at(folder.as_ref(), Opening::Folder).ok()?;
    let names = crate::platform::names_in(&dir).ok()?;
    let names: Vec<String> =
        names.take(ENTRIES).filter_map(|name| name.ok()?.into_string().ok()).collect();
    (names.len() < ENTRIES).then_some(names)
}
