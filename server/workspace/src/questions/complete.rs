//! What the name at the cursor may be completed to.

mod listed;
mod written;

pub use listed::OfferedPath;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use names::{Candidate, CompletionContext, Facts, Phrase, Typing};
use syntax::{ElementPlace, LineRest, Syntax};
use text::Text;

use super::QueryError;
use crate::{Document, Snapshot, parse_in_time};

/// Most candidates of one answer.
const MOST: usize = 200;

/// Most files of dependencies that are read for one answer, and how long.
const OUTSIDE: (usize, Duration) = (24, Duration::from_millis(60));

/// A name that nobody uses, which stands for the one that is not begun yet.
const PLACEHOLDER: &str = "zzTandemHere";

/// The same for a component, whose name starts with a capital letter.
const COMPONENT: &str = "ZzTandemHere";

/// Longest name that is looked for before the cursor, in bytes.
const LONGEST: usize = 256;

/// The candidates for the name at a place.
#[derive(Debug, Clone)]
pub struct Completed {
    /// The best first.
    pub candidates: Vec<Offered>,
    /// The files and folders that a path in a text or an import may go on with. Where there are
    /// some, there is nothing else.
    pub paths: Vec<OfferedPath>,
    /// Whether the name may be a new one, which is being defined.
    pub naming: bool,
    /// How many of them need no import; they come first.
    pub visible: usize,
    /// Words of the language that fit there, and what is often written there.
    pub phrases: Vec<Phrase>,
    /// Whether there are no others, and typing on needs no new question.
    pub complete: bool,
    /// The bytes of what is typed of the name.
    pub span: Range<usize>,
    /// Where the name ends, which may go on behind the cursor.
    pub whole: usize,
}

/// A candidate, and where it is defined.
#[derive(Debug, Clone)]
pub struct Offered {
    /// What is known of it.
    pub candidate: Candidate,
    /// The URI of the file that defines it.
    pub uri: Option<Arc<str>>,
}

impl Snapshot {
    /// What the name before `offset` may be completed to. Never waits for the index: what it knows
    /// by now is offered, and said to be incomplete.
    ///
    /// # Errors
    /// When interrupted, or when the document has moved on.
    pub fn complete(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Result<Option<Completed>, QueryError> {
        if self.indexer.on_demand.load(Ordering::Relaxed) {
            self.wait_for_index(interrupt)?;
        }
        self.catch_up(interrupt);
        for other in self.documents().filter(|other| other.uri() != document.uri()) {
            self.index_document(other, interrupt);
        }
        let interrupted = || match interrupt.load(Ordering::Relaxed) {
            true => Err(QueryError::Interrupted),
            false => Ok(None),
        };
        let finished = document.finish_line(offset, PLACEHOLDER, interrupt);
        // The names of elements are told by the text as it is.
        let finished = finished.filter(|f| f.syntax.element_place(offset).is_none());
        // A question about a half-typed text looks at its own facts.
        let known = finished.as_ref().and_then(|_| self.indexed_file(document));
        let Some(file) = known.or_else(|| self.index_document(document, interrupt)) else {
            return interrupted();
        };
        let syntax = match &finished {
            Some(finished) => Some(finished.syntax.clone()),
            None => document.syntax(interrupt),
        };
        let written = syntax.as_ref().and_then(|syntax| written::at(document, syntax, offset));
        if let Some(written) = written {
            return Ok(Some(self.complete_path(document, file, &written, interrupt)));
        }
        let place = syntax.filter(|s| !is_prose(s, offset));
        let words = place.is_some();
        let place = place.and_then(|syntax| syntax.element_place(offset));
        let element = place.as_ref().map(|(place, _)| place);
        let span = match &place {
            Some((_, span)) => span.clone(),
            None => typed_span(document.text(), offset),
        };
        let typed = document.text().slice(span.clone());
        let line = document.text().line_start(document.text().line_of(offset));
        let before =
            document.text().slice(line.max(span.start.saturating_sub(LONGEST))..span.start);
        let above = document.text().slice(line.saturating_sub(LONGEST)..line);
        let preceding = above.trim_end().chars().next_back();
        let ask = |facts: &Facts, text: &Text| {
            let typing = Typing {
                file,
                facts,
                text,
                offset,
                typed: &typed,
                before: &before,
                preceding,
                rest: finished.as_ref().map_or(LineRest::Code, |f| f.rest),
                words,
                element,
            };
            // What is imported from outside is read as far as that is done at once.
            let index = || Ok(self.indexer.index.read().complete(&typing, MOST));
            self.with_some_dependencies(OUTSIDE, interrupt, index)
        };
        let mut found = None;
        if let Some(finished) = finished.as_ref().filter(|_| words) {
            let facts = Facts::of(&finished.syntax, interrupt).ok_or(QueryError::Interrupted)?;
            let mut answer = ask(&facts, finished.syntax.text())?;
            for candidate in &mut answer.candidates {
                if let Some((_, span)) = candidate.place.as_mut().filter(|(f, _)| *f == file) {
                    *span = finished.original(span.start)..finished.original(span.end);
                }
            }
            found = Some(answer);
        } else if element.is_none() && !typed.is_empty() {
            let facts = document.facts(interrupt).ok_or(QueryError::Interrupted)?;
            let answer = ask(&facts, document.text())?;
            found = (answer.context != CompletionContext::Nothing || !words).then_some(answer);
        }
        let found = match found {
            Some(found) => found,
            None if element.is_some() => {
                let facts = in_element(document, &span, offset, element, interrupt);
                let (facts, text) = facts.ok_or(QueryError::Interrupted)?;
                ask(&facts, &text)?
            }
            None => {
                // No name is begun yet, or half a name is a word of the language.
                let facts = with_placeholder(document, offset, interrupt);
                let (facts, text) = facts.ok_or(QueryError::Interrupted)?;
                ask(&facts, &text)?
            }
        };
        let candidates = found
            .candidates
            .into_iter()
            .filter(|c| !c.name.contains(PLACEHOLDER) && c.name != COMPONENT);
        let candidates = candidates.map(|candidate| {
            let uri = candidate.place.as_ref().map(|(file, _)| self.indexer.entry(*file).uri);
            Offered { candidate, uri }
        });
        Ok(Some(Completed {
            candidates: candidates.collect(),
            paths: Vec::new(),
            naming: found.context == CompletionContext::Nothing,
            visible: found.visible,
            phrases: found.phrases,
            complete: found.complete && self.index_progress().complete,
            whole: name_from(document.text(), span.start).end.max(span.end),
            span,
        }))
    }
}

/// The part of a name before an offset.
fn typed_span(text: &Text, offset: usize) -> Range<usize> {
    let line = text.line_start(text.line_of(offset));
    let before = text.slice(line.max(offset.saturating_sub(LONGEST))..offset);
    let part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let length: usize = before.chars().rev().take_while(part).map(char::len_utf8).sum();
    offset - length..offset
}

/// The name that starts at an offset, or what there is of it.
pub(super) fn name_from(text: &Text, start: usize) -> Range<usize> {
    let start = start.min(text.len());
    let line = text.line_span(text.line_of(start));
    let rest = text.slice(start..line.end.min(start + LONGEST).max(start));
    let part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let length: usize = rest.chars().take_while(part).map(char::len_utf8).sum();
    start..start + length
}

/// Whether an offset is in a comment or in a string's own text.
fn is_prose(syntax: &Syntax, offset: usize) -> bool {
    let at = offset.saturating_sub(1);
    let node = syntax.root().descendant_for_byte_range(at, at);
    node.is_some_and(|n| {
        let kind = n.kind();
        ["comment", "string", "template_chars", "char"].iter().any(|part| kind.contains(part))
    })
}

/// The facts of the document as if a name stood at the offset.
fn with_placeholder(
    document: &Document,
    offset: usize,
    interrupt: &AtomicBool,
) -> Option<(Facts, Text)> {
    let before = document.syntax(interrupt)?;
    let mut text = document.text().clone();
    text.replace(offset..offset, PLACEHOLDER);
    let syntax = parse_in_time(before.language(), &text, Some(&before), interrupt)?;
    Some((Facts::of(&syntax, interrupt)?, text))
}

/// The facts of the document as if the tag that is typed at the offset were written to its end.
fn in_element(
    document: &Document,
    span: &Range<usize>,
    offset: usize,
    element: Option<&ElementPlace>,
    interrupt: &AtomicBool,
) -> Option<(Facts, Text)> {
    let before = document.syntax(interrupt)?;
    let mut text = document.text().clone();
    let end = match element {
        Some(ElementPlace::Tag) => {
            let whole = name_from(document.text(), span.start).end.max(offset);
            text.replace(span.start..whole, COMPONENT);
            span.start + COMPONENT.len()
        }
        _ if span.is_empty() => {
            text.replace(offset..offset, PLACEHOLDER);
            offset + PLACEHOLDER.len()
        }
        _ => offset,
    };
    let syntax = parse_in_time(before.language(), &text, Some(&before), interrupt)?;
    if syntax.root().has_error() {
        text.replace(end..end, " />");
        let closed = parse_in_time(before.language(), &text, Some(&syntax), interrupt)?;
        return Some((Facts::of(&closed, interrupt)?, text));
    }
    Some((Facts::of(&syntax, interrupt)?, text))
}
