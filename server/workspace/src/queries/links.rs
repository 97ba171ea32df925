//! Document links: files that imports resolve to, and paths and URLs in comments and strings.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use syntax::{Mention, MentionTarget, mentions};

use super::QueryError;

use crate::{Document, EntryKind, FilePath, Snapshot, path_of_uri, uri_of_path};

/// Maximum number of paths of one document that are checked on disk, and the time limit for it.
const MAX_CHECKED_PATHS: usize = 2_000;
const CHECK_TIME_LIMIT: Duration = Duration::from_millis(100);

/// The byte range that names another file, and the URI of that file.
pub type DocumentLink = (Range<usize>, Arc<str>);

impl Snapshot {
    /// The links of a document to other files by its grammar (imports, includes), in text order;
    /// only those that resolve. Does not wait for the index.
    ///
    /// # Errors
    /// When interrupted.
    pub fn links(
        &self,
        document: &Document,
        interrupt: &AtomicBool,
    ) -> Result<Vec<DocumentLink>, QueryError> {
        let syntax = document.syntax(interrupt);
        let spans = syntax.and_then(|syntax| syntax.links(interrupt)).unwrap_or_default();
        self.resolve_links(document, &spans, interrupt)
    }

    /// The links in comments, strings and prose of a document, and the file references of languages
    /// without names: URLs, and URIs of existing files of the workspace, with a mentioned line as a
    /// fragment (`#L12`). In text order, disjoint from each other and from `known`. Paths are
    /// relative to the document's folder, else to a root.
    ///
    /// # Errors
    /// When interrupted.
    pub fn mentions(
        &self,
        document: &Document,
        known: &[DocumentLink],
        interrupt: &AtomicBool,
    ) -> Result<Vec<DocumentLink>, QueryError> {
        let syntax = document.syntax(interrupt);
        let found = mentions(document.text(), syntax.as_ref(), interrupt);
        let mut found = found.ok_or(QueryError::Interrupted)?;
        let named = syntax.and_then(|syntax| syntax.links(interrupt)).unwrap_or_default();
        let mut spans: Vec<Range<usize>> = known.iter().map(|(span, _)| span.clone()).collect();
        // If the grammar says that a span names a file, the whole span is the path.
        for span in named {
            let at = spans.partition_point(|s| s.end <= span.start);
            if spans.get(at).is_none_or(|s| s.start >= span.end) {
                let written = document.text().slice(span.clone());
                let path = written.split(['?', '#']).next().unwrap_or_default();
                if !written.contains("://") && !path.is_empty() {
                    found.retain(|m| m.span.end <= span.start || m.span.start >= span.end);
                    let what = MentionTarget::Path(path.to_owned(), None);
                    found.push(Mention { span, target: what });
                }
            }
        }
        found.sort_by_key(|mention| mention.span.start);
        spans.sort_by_key(|span| span.start);
        let folder = path_of_uri(document.uri()).ok().and_then(|p| Some(p.parent()?.to_owned()));
        let mut checked: HashMap<String, Option<Arc<str>>> = HashMap::new();
        let started = Instant::now();
        let mut links: Vec<DocumentLink> = Vec::new();
        for Mention { span, target: what } in found {
            let at = spans.partition_point(|s| s.end <= span.start);
            if spans.get(at).is_some_and(|s| s.start < span.end) {
                continue;
            }
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
            match what {
                MentionTarget::Url(url) => links.push((span, url.into())),
                MentionTarget::Path(path, line) => {
                    if !checked.contains_key(&path) {
                        if checked.len() >= MAX_CHECKED_PATHS
                            || started.elapsed() > CHECK_TIME_LIMIT
                        {
                            continue;
                        }
                        let file = self.find_file(&path, folder.as_deref());
                        let uri = file.map(|file| uri_of_path(&file.absolute()).into());
                        checked.insert(path.clone(), uri);
                    }
                    let Some(Some(uri)) = checked.get(&path) else { continue };
                    let uri = match line {
                        Some(line) => format!("{uri}#L{line}").into(),
                        None => uri.clone(),
                    };
                    links.push((span, uri));
                }
            }
        }
        Ok(links)
    }

    /// The existing file of the workspace that a written path refers to.
    fn find_file(&self, written: &str, folder: Option<&Path>) -> Option<FilePath> {
        let beside = folder.filter(|_| !written.starts_with('/'));
        let beside = beside.and_then(|folder| self.locate_absolute(&folder.join(written)).ok());
        let below = || self.locate(written.trim_start_matches("./")).ok();
        let is_file = |path: &FilePath| {
            path.root.stat(&path.relative).is_ok_and(|stat| stat.kind() == EntryKind::File)
        };
        beside.filter(is_file).or_else(|| below().filter(is_file))
    }

    /// The URI of the file that a span of a document names.
    ///
    /// # Errors
    /// As [`Snapshot::links`].
    pub fn link(
        &self,
        document: &Document,
        span: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Result<Option<Arc<str>>, QueryError> {
        Ok(self.resolve_links(document, &[span], interrupt)?.pop().map(|link| link.1))
    }

    /// Resolves spans to the URIs of the files that they name.
    fn resolve_links(
        &self,
        document: &Document,
        spans: &[Range<usize>],
        interrupt: &AtomicBool,
    ) -> Result<Vec<DocumentLink>, QueryError> {
        if spans.is_empty() {
            return Ok(Vec::new());
        }
        if self.indexer.on_demand.load(Ordering::Relaxed) {
            self.wait_for_index(interrupt)?;
        }
        self.apply_file_changes(interrupt);
        let Some(file) = self.index_document(document, interrupt) else {
            return match interrupt.load(Ordering::Relaxed) {
                true => Err(QueryError::Interrupted),
                false => Ok(Vec::new()),
            };
        };
        let query = || {
            let index = self.indexer.index.read();
            Ok(spans.iter().map(|span| index.imported_file(file, span)).collect::<Vec<_>>())
        };
        let found = self.with_dependencies(interrupt, query)?;
        let known = spans
            .iter()
            .zip(found)
            .filter_map(|(span, id)| Some((span.clone(), self.indexer.entry(id?).uri)));
        Ok(known.collect())
    }
}
