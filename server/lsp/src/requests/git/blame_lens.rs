//! Code lenses that say who wrote a function or type last; off unless the person asks for them.

use std::ops::Range as Span;

use git::CommitInfo;
use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{CodeLens, CodeLensParams, Command, Range};
use workspace::{Budget, QueryError};

use super::{plain, subject};
use crate::convert::range_to_lsp;
use crate::error;
use crate::git::hunks::compare;
use crate::question::Question;

const METHOD: &str = "textDocument/codeLens";
/// Most lenses of one document.
const MOST: usize = 2_000;

/// A document, and the places that get a lens: the bytes of each, and its name.
#[derive(Debug, Default)]
pub(crate) struct Places {
    uri: String,
    spans: Vec<(Span<usize>, Range)>,
}

/// Where a document's functions and types stand.
pub(crate) fn places(
    question: &Question<'_>,
    params: CodeLensParams,
) -> Result<Places, QueryError> {
    let uri = params.text_document.uri.as_str().to_owned();
    let Some(document) = question.snapshot.document_or_file(&uri) else {
        return Ok(Places::default());
    };
    let symbols = document.symbols(question.interrupt).unwrap_or_default();
    let shown = symbols.into_iter().filter(|s| s.kind.is_type() || s.kind.is_callable());
    let spans = shown.take(MOST).map(|symbol| {
        let name = range_to_lsp(document.text(), symbol.name_span, question.session.encoding);
        (symbol.span, name)
    });
    Ok(Places { spans: spans.collect(), uri })
}

pub(crate) fn answer(question: &Question<'_>, places: Places) -> Result<Vec<CodeLens>, Error> {
    let session = question.session;
    if places.spans.is_empty() {
        return Ok(Vec::new());
    }
    let Some(document) = question.snapshot.document_or_file(&places.uri) else {
        return Ok(Vec::new());
    };
    let of_git = |error| error::of_git(METHOD, error);
    let compared = compare(session, &question.snapshot, &document).map_err(of_git)?;
    let Some(compared) = compared else { return Ok(Vec::new()) };
    let blamed =
        session.git.blames.of(&compared, &Budget::new(question.interrupt)).map_err(of_git)?;
    let Some(blamed) = blamed else { return Ok(Vec::new()) };
    let lens = |(span, range): (Span<usize>, Range)| {
        let first = compared.lines.line_of(span.start);
        let last = compared.lines.line_of(span.end.saturating_sub(1).max(span.start));
        let commits = (first..=last).filter_map(|line| blamed.commit(&compared, line));
        let title = title(commits.collect());
        let command = Some(Command { title, command: String::new(), arguments: None });
        CodeLens { range, command, data: None }
    };
    Ok(places.spans.into_iter().map(lens).collect())
}

fn title(commits: Vec<&CommitInfo>) -> String {
    let newest = commits.iter().max_by_key(|commit| commit.author.seconds);
    let Some(newest) = newest else { return "not committed yet".to_owned() };
    let mut authors: Vec<&str> = commits.iter().map(|c| c.author.email.as_str()).collect();
    authors.sort_unstable();
    authors.dedup();
    let author = &newest.author;
    let mut title = format!("{}, {}: {}", plain(&author.name, 60), author.day(), subject(newest));
    if authors.len() > 1 {
        title.push_str(&format!(" ({} authors)", authors.len()));
    }
    title
}
