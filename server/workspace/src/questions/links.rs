//! The files that a document's imports lead to, and what its comments and strings speak of.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use syntax::{Mention, Mentioned, mentions};

use super::QueryError;

use crate::{Document, EntryKind, FilePath, Snapshot, path_of_uri, uri_of_path};

/// Most paths of one document that are looked for on disk, and how long.
const LOOKED_FOR: usize = 2_000;
const LOOKING: Duration = Duration::from_millis(100);

/// The bytes that name another file, and its URI.
pub type Link = (Range<usize>, Arc<str>);

impl Snapshot {
    /// What in a document names another file, and that file's URI, in order of place: only what
    /// leads somewhere. Never waits for the index: what it knows by now is enough.
    ///
    /// # Errors
    /// When interrupted.
    pub fn links(
        &self,
        document: &Document,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Link>, QueryError> {
        let syntax = document.syntax(interrupt);
        let spans = syntax.and_then(|syntax| syntax.links(interrupt)).unwrap_or_default();
        self.lead(document, &spans, interrupt)
    }

    /// What the comments, strings and prose of a document speak of, and what a language without
    /// names says of other files: URLs, and the URIs of files of the workspace that are there, with
    /// the line that is named as a fragment (`#L12`). In order of place, apart from each other and
    /// from `known`. Paths are of the document's folder, else of a root.
    ///
    /// # Errors
    /// When interrupted.
    pub fn mentions(
        &self,
        document: &Document,
        known: &[Link],
        interrupt: &AtomicBool,
    ) -> Result<Vec<Link>, QueryError> {
        let syntax = document.syntax(interrupt);
        let found = mentions(document.text(), syntax.as_ref(), interrupt);
        let mut found = found.ok_or(QueryError::Interrupted)?;
        let named = syntax.and_then(|syntax| syntax.links(interrupt)).unwrap_or_default();
        let mut spans: Vec<Range<usize>> = known.iter().map(|(span, _)| span.clone()).collect();
        // Of what its grammar says that it names a file, all is the path.
        for span in named {
            let at = spans.partition_point(|s| s.end <= span.start);
            if spans.get(at).is_none_or(|s| s.start >= span.end) {
                let written = document.text().slice(span.clone());
                let path = written.split(['?', '#']).next().unwrap_or_default();
                if !written.contains("://") && !path.is_empty() {
                    found.retain(|m| m.span.end <= span.start || m.span.start >= span.end);
                    let what = Mentioned::Path(path.to_owned(), None);
                    found.push(Mention { span, what });
                }
            }
        }
        found.sort_by_key(|mention| mention.span.start);
        spans.sort_by_key(|span| span.start);
        let folder = path_of_uri(document.uri()).ok().and_then(|p| Some(p.parent()?.to_owned()));
        let mut looked: HashMap<String, Option<Arc<str>>> = HashMap::new();
        let started = Instant::now();
        let mut links: Vec<Link> = Vec::new();
        for Mention { span, what } in found {
            let at = spans.partition_point(|s| s.end <= span.start);
            if spans.get(at).is_some_and(|s| s.start < span.end) {
                continue;
            }
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
            match what {
                Mentioned::Url(url) => links.push((span, url.into())),
                Mentioned::Path(path, line) => {
                    if !looked.contains_key(&path) {
                        if looked.len() >= LOOKED_FOR || started.elapsed() > LOOKING {
                            continue;
                        }
                        let file = self.file_called(&path, folder.as_deref());
                        let uri = file.map(|file| uri_of_path(&file.absolute()).into());
                        looked.insert(path.clone(), uri);
                    }
                    let Some(Some(uri)) = looked.get(&path) else { continue };
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

    /// The file of the workspace that a written path means, if it is there.
    fn file_called(&self, written: &str, folder: Option<&Path>) -> Option<FilePath> {
        let beside = folder.filter(|_| !written.starts_with('/'));
        let beside = beside.and_then(|folder| self.locate_absolute(&folder.join(written)).ok());
        let below = || self.locate(written.trim_start_matches("./")).ok();
        let is_file = |path: &FilePath| {
            path.root.stat(&path.relative).is_ok_and(|stat| stat.kind() == EntryKind::File)
        };
        beside.filter(is_file).or_else(|| below().filter(is_file))
    }

    /// The URI of the file that a part of a document names.
    ///
    /// # Errors
    /// As [`Snapshot::links`].
    pub fn link(
        &self,
        document: &Document,
        span: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Result<Option<Arc<str>>, QueryError> {
        Ok(self.lead(document, &[span], interrupt)?.pop().map(|link| link.1))
    }

    fn lead(
        &self,
        document: &Document,
        spans: &[Range<usize>],
        interrupt: &AtomicBool,
    ) -> Result<Vec<Link>, QueryError> {
        if spans.is_empty() {
            return Ok(Vec::new());
        }
        if self.indexer.on_demand.load(Ordering::Relaxed) {
            self.wait_for_index(interrupt)?;
        }
        self.catch_up(interrupt);
        let Some(file) = self.index_document(document, interrupt) else {
            return match interrupt.load(Ordering::Relaxed) {
                true => Err(QueryError::Interrupted),
                false => Ok(Vec::new()),
            };
        };
        let ask = || {
            let index = self.indexer.index.read();
            Ok(spans.iter().map(|span| index.linked(file, span)).collect::<Vec<_>>())
        };
        let found = self.with_dependencies(interrupt, ask)?;
        let known = spans
            .iter()
            .zip(found)
            .filter_map(|(span, id)| Some((span.clone(), self.indexer.entry(id?).uri)));
        Ok(known.collect())
    }
}
