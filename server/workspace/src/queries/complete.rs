//! Completion at the cursor.

mod paths;
mod typed_path;

pub use paths::PathCompletion;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use names::{CompletionCandidate, CompletionContext, CompletionRequest, Facts, KeywordOrSnippet};
use syntax::{JsxNamePosition, LineRest, Syntax};
use text::Text;

use super::QueryError;
use crate::{Document, Snapshot, parse_with_timeout};

/// Maximum number of candidates.
const MAX_CANDIDATES: usize = 200;

/// The number of files of dependencies to index per completion, and the time for it.
const DEPENDENCY_LIMIT: (usize, Duration) = (24, Duration::from_millis(60));

/// An unused name that stands for the name that is not typed yet.
const PLACEHOLDER: &str = "zzTandemHere";

/// The same for a component, whose name must start with a capital letter.
const COMPONENT_PLACEHOLDER: &str = "ZzTandemHere";

/// Maximum length of a name before the cursor, in bytes.
const MAX_NAME_LENGTH: usize = 256;

/// The result of a completion.
#[derive(Debug, Clone)]
pub struct CompletionResult {
    /// The candidates, best first.
    pub candidates: Vec<Offered>,
    /// Files and folders that continue a path in a string or an import. If there are any,
    /// everything else is empty.
    pub paths: Vec<PathCompletion>,
    /// Whether a new name may be being defined here.
    pub naming: bool,
    /// The number of candidates that need no import; they come first.
    pub visible: usize,
    /// Keywords and common phrases that fit here.
    pub phrases: Vec<KeywordOrSnippet>,
    /// Whether the list is complete, so that further typing needs no new query.
    pub complete: bool,
    /// The byte range of the typed part of the name.
    pub span: Range<usize>,
    /// The end of the whole name, which may be after the cursor.
    pub whole: usize,
}

/// A candidate with the file that defines it.
#[derive(Debug, Clone)]
pub struct Offered {
    /// The candidate.
    pub candidate: CompletionCandidate,
    /// The URI of the file that defines it.
    pub uri: Option<Arc<str>>,
}

impl Snapshot {
    /// Completes the name before `offset`. Does not wait for the index: the result is based on what
    /// is indexed so far, and marked as incomplete.
    ///
    /// # Errors
    /// When interrupted, or when the document has changed.
    pub fn complete(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Result<Option<CompletionResult>, QueryError> {
        if self.indexer.on_demand.load(Ordering::Relaxed) {
            self.wait_for_index(interrupt)?;
        }
        self.apply_file_changes(interrupt);
        for other in self.documents().filter(|other| other.uri() != document.uri()) {
            self.index_document(other, interrupt);
        }
        let interrupted = || match interrupt.load(Ordering::Relaxed) {
            true => Err(QueryError::Interrupted),
            false => Ok(None),
        };
        let finished = document.finish_line(offset, PLACEHOLDER, interrupt);
        // Element names are completed in the unmodified text.
        let finished = finished.filter(|f| f.syntax.jsx_name_position(offset).is_none());
        // The completed text has its own facts, so the indexed ones may be of an earlier version.
        let known = finished.as_ref().and_then(|_| self.indexed_file(document));
        let Some(file) = known.or_else(|| self.index_document(document, interrupt)) else {
            return interrupted();
        };
        let syntax = match &finished {
            Some(finished) => Some(finished.syntax.clone()),
            None => document.syntax(interrupt),
        };
        let path =
            syntax.as_ref().and_then(|syntax| typed_path::typed_path_at(document, syntax, offset));
        if let Some(path) = path {
            return Ok(Some(self.complete_path(document, file, &path, interrupt)));
        }
        let code = syntax.filter(|s| !is_prose(s, offset));
        let words = code.is_some();
        let element_span = code.and_then(|syntax| syntax.jsx_name_position(offset));
        let element = element_span.as_ref().map(|(element, _)| element);
        let span = match &element_span {
            Some((_, span)) => span.clone(),
            None => typed_span(document.text(), offset),
        };
        let typed = document.text().slice(span.clone());
        let line = document.text().line_start(document.text().line_of(offset));
        let before =
            document.text().slice(line.max(span.start.saturating_sub(MAX_NAME_LENGTH))..span.start);
        let above = document.text().slice(line.saturating_sub(MAX_NAME_LENGTH)..line);
        let preceding = above.trim_end().chars().next_back();
        let query = |facts: &Facts, text: &Text| {
            let typing = CompletionRequest {
                file,
                facts,
                text,
                offset,
                prefix: &typed,
                before: &before,
                preceding,
                rest: finished.as_ref().map_or(LineRest::Code, |f| f.rest),
                allow_words: words,
                element,
            };
            // Imported dependencies are indexed as far as that is quick.
            let index = || Ok(self.indexer.index.read().complete(&typing, MAX_CANDIDATES));
            self.with_some_dependencies(DEPENDENCY_LIMIT, interrupt, index)
        };
        let mut found = None;
        if let Some(finished) = finished.as_ref().filter(|_| words) {
            let facts = Facts::lower(&finished.syntax, interrupt).ok_or(QueryError::Interrupted)?;
            let mut result = query(&facts, finished.syntax.text())?;
            for candidate in &mut result.candidates {
                if let Some((_, span)) = candidate.location.as_mut().filter(|(f, _)| *f == file) {
                    *span = finished.to_original_offset(span.start)
                        ..finished.to_original_offset(span.end);
                }
            }
            found = Some(result);
        } else if element.is_none() && !typed.is_empty() {
            let facts = document.facts(interrupt).ok_or(QueryError::Interrupted)?;
            let result = query(&facts, document.text())?;
            found = (result.context != CompletionContext::Nothing || !words).then_some(result);
        }
        let found = match found {
            Some(found) => found,
            None if element.is_some() => {
                let facts = in_element(document, &span, offset, element, interrupt);
                let (facts, text) = facts.ok_or(QueryError::Interrupted)?;
                query(&facts, &text)?
            }
            None => {
                // No name is typed yet, or the typed part is a keyword.
                let facts = with_placeholder(document, offset, interrupt);
                let (facts, text) = facts.ok_or(QueryError::Interrupted)?;
                query(&facts, &text)?
            }
        };
        let candidates = found
            .candidates
            .into_iter()
            .filter(|c| !c.name.contains(PLACEHOLDER) && c.name != COMPONENT_PLACEHOLDER);
        let candidates = candidates.map(|candidate| {
            let uri = candidate.location.as_ref().map(|(file, _)| self.indexer.entry(*file).uri);
            Offered { candidate, uri }
        });
        Ok(Some(CompletionResult {
            candidates: candidates.collect(),
            paths: Vec::new(),
            naming: found.context == CompletionContext::Nothing,
            visible: found.visible_count,
            phrases: found.keywords_and_snippets,
            complete: found.is_complete && self.index_progress().complete,
            whole: name_from(document.text(), span.start).end.max(span.end),
            span,
        }))
    }
}

/// The typed part of a name before an offset.
fn typed_span(text: &Text, offset: usize) -> Range<usize> {
    let line = text.line_start(text.line_of(offset));
    let before = text.slice(line.max(offset.saturating_sub(MAX_NAME_LENGTH))..offset);
    let part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let length: usize = before.chars().rev().take_while(part).map(char::len_utf8).sum();
    offset - length..offset
}

/// The name that starts at an offset; may be empty.
pub(super) fn name_from(text: &Text, start: usize) -> Range<usize> {
    let start = start.min(text.len());
    let line = text.line_span(text.line_of(start));
    let rest = text.slice(start..line.end.min(start + MAX_NAME_LENGTH).max(start));
    let part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let length: usize = rest.chars().take_while(part).map(char::len_utf8).sum();
    start..start + length
}

/// Whether an offset is in a comment or in the text of a string.
fn is_prose(syntax: &Syntax, offset: usize) -> bool {
    let at = offset.saturating_sub(1);
    let node = syntax.root().descendant_for_byte_range(at, at);
    node.is_some_and(|n| {
        let kind = n.kind();
        ["comment", "string", "template_chars", "char"].iter().any(|part| kind.contains(part))
    })
}

/// The facts of the document with a placeholder name inserted at the offset.
fn with_placeholder(
    document: &Document,
    offset: usize,
    interrupt: &AtomicBool,
) -> Option<(Facts, Text)> {
    let before = document.syntax(interrupt)?;
    let mut text = document.text().clone();
    text.replace(offset..offset, PLACEHOLDER);
    let syntax = parse_with_timeout(before.language(), &text, Some(&before), interrupt)?;
    Some((Facts::lower(&syntax, interrupt)?, text))
}

/// The facts of the document with the tag at the offset completed.
fn in_element(
    document: &Document,
    span: &Range<usize>,
    offset: usize,
    element: Option<&JsxNamePosition>,
    interrupt: &AtomicBool,
) -> Option<(Facts, Text)> {
    let before = document.syntax(interrupt)?;
    let mut text = document.text().clone();
    let end = match element {
        Some(JsxNamePosition::Tag) => {
            let whole = name_from(document.text(), span.start).end.max(offset);
            text.replace(span.start..whole, COMPONENT_PLACEHOLDER);
            span.start + COMPONENT_PLACEHOLDER.len()
        }
        _ if span.is_empty() => {
            text.replace(offset..offset, PLACEHOLDER);
            offset + PLACEHOLDER.len()
        }
        _ => offset,
    };
    let syntax = parse_with_timeout(before.language(), &text, Some(&before), interrupt)?;
    if syntax.root().has_error() {
        text.replace(end..end, " />");
        let closed = parse_with_timeout(before.language(), &text, Some(&syntax), interrupt)?;
        return Some((Facts::lower(&closed, interrupt)?, text));
    }
    Some((Facts::lower(&syntax, interrupt)?, text))
}
