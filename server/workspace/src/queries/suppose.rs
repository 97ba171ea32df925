//! Problems with names in texts that files do not have, or do not have yet: before and after an edit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use names::{FileId, NameDiagnostic, SupposedFacts};
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::Language;
use text::Text;

use super::{MAX_RETRIES, QueryError};
use crate::indexer::index_name;
use crate::{Document, FilePath, Snapshot, Stamp, uri_of_path};

/// Limit for the files that mention changed names.
const MAX_MENTIONING: usize = 2_000;

/// A file with a text that it may not have.
#[derive(Debug, Clone)]
pub struct SupposedFile {
    path: FilePath,
    document: Option<Arc<Document>>,
}

impl SupposedFile {
    /// A file with this text.
    #[must_use]
    pub fn new(path: &FilePath, text: Text, language: Option<Language>) -> Self {
        let document = Document::supposed(&uri_of_path(&path.absolute()), text, language);
        Self { path: path.clone(), document: Some(Arc::new(document)) }
    }

    /// A file that does not exist.
    #[must_use]
    pub fn absent(path: &FilePath) -> Self {
        Self { path: path.clone(), document: None }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &FilePath {
        &self.path
    }

    /// Its text; `None` if it does not exist.
    #[must_use]
    pub fn document(&self) -> Option<&Document> {
        self.document.as_deref()
    }
}

impl Snapshot {
    /// The problems with names in each of these files, if all had these texts; of other files, their
    /// current facts count. Waits for the index. The index is the same afterwards.
    ///
    /// # Errors
    /// When interrupted, or when other programs keep changing files that the result depends on.
    pub fn findings_if(
        &self,
        files: &[SupposedFile],
        interrupt: &AtomicBool,
    ) -> Result<Vec<Vec<NameDiagnostic>>, QueryError> {
        self.prepare_index(interrupt)?;
        let mut supposed: Vec<(FileId, String, Option<_>)> = Vec::with_capacity(files.len());
        for file in files {
            let (uri, path) = (uri_of_path(&file.path.absolute()), &file.path);
            let id = self.indexer.register(&uri, path);
            let facts = file.document().and_then(|document| document.facts(interrupt));
            if facts.is_none() && interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
            supposed.push((id, index_name(&self.roots, path), facts));
        }
        let own: FxHashSet<FileId> = supposed.iter().map(|(id, ..)| *id).collect();
        let borrowed: Vec<SupposedFacts<'_>> =
            supposed.iter().map(|(id, path, facts)| (*id, &**path, facts.clone())).collect();
        for _ in 0..=MAX_RETRIES {
            let (found, reads) = self.with_dependencies(interrupt, || {
                let mut index = self.indexer.index.write();
                let (found, reads) = index.suppose(&borrowed, |index| {
                    let of_file = |(file, (id, ..)): (&SupposedFile, &SupposedFacts<'_>)| {
                        let syntax = file.document().and_then(|one| one.syntax(interrupt));
                        let Some(syntax) = syntax else { return Some(Vec::new()) };
                        let mut found = index.name_diagnostics(*id, &syntax, interrupt)?;
                        found.extend(index.missing_modules(*id, &syntax, interrupt));
                        Some(found)
                    };
                    files.iter().zip(&borrowed).map(of_file).collect::<Option<Vec<_>>>()
                });
                Ok((found.ok_or(QueryError::Interrupted)?, reads))
            })?;
            if self.refresh_changed(reads.difference(&own), interrupt) {
                continue;
            }
            return Ok(files
                .iter()
                .zip(found)
                .map(|(file, all)| self.certain(file, all))
                .collect());
        }
        Err(QueryError::DocumentChanged)
    }

    /// The files that mention one of these names, in order of path, and whether there are more. Files that
    /// changed on disk without a report are indexed first, so this takes O(files of the index).
    ///
    /// # Errors
    /// When interrupted.
    pub fn files_mentioning(
        &self,
        names: &[&str],
        interrupt: &AtomicBool,
    ) -> Result<(Vec<FilePath>, bool), QueryError> {
        self.prepare_index(interrupt)?;
        let all: Vec<FileId> = self.indexer.index.read().files().map(|(id, ..)| id).collect();
        self.refresh_changed(all.iter(), interrupt);
        let index = self.indexer.index.read();
        let mut ids = FxHashSet::default();
        for name in names {
            ids.extend(index.files_naming(name).take(MAX_MENTIONING + 1 - ids.len()));
            if ids.len() > MAX_MENTIONING {
                break;
            }
        }
        drop(index);
        let has_more = ids.len() > MAX_MENTIONING;
        let mut paths: Vec<_> = ids.iter().filter_map(|id| self.indexer.entry(*id).path).collect();
        paths.sort_by_cached_key(FilePath::display_path);
        Ok((paths, has_more))
    }

    /// Indexes files again that have changed on disk without a report. Whether there are any.
    fn refresh_changed<'f>(
        &self,
        files: impl Iterator<Item = &'f FileId>,
        interrupt: &AtomicBool,
    ) -> bool {
        let mut is_any = false;
        for id in files {
            let entry = self.indexer.entry(*id);
            let (Some(path), Some(known), 0) = (entry.path, entry.stamp, entry.revision) else {
                continue;
            };
            let now = path.root.stat(&path.relative).ok().map(|stat| Stamp::from_stat(&stat));
            if now != Some(known) {
                self.refresh(&path, interrupt);
                is_any = true;
            }
        }
        is_any
    }

    /// The findings that hold on this disk.
    fn certain(&self, file: &SupposedFile, mut found: Vec<NameDiagnostic>) -> Vec<NameDiagnostic> {
        let mut folders = FxHashMap::default();
        found.retain(|f| {
            let absent = f.absent.as_ref();
            absent.is_none_or(|absent| self.is_absent(&file.path.root, absent, &mut folders))
        });
        self.judge_modules(&file.path, &mut found);
        found.sort_by_key(|f| (f.span.start, f.kind));
        found
    }
}
