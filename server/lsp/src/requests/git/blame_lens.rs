//! Code lenses with the last author of a function or type. Off by default.

use std::ops::Range as Span;

use git::CommitInfo;
use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{CodeLens, CodeLensParams, Command, Range};
use workspace::QueryError;

use super::{document_blame, printable, subject};
use crate::convert::range_to_lsp;
use crate::request_context::RequestContext;

const METHOD: &str = "textDocument/codeLens";
/// Most lenses for one document.
const MAX_LENSES: usize = 2_000;

/// A document, and its symbols that get a lens: byte span, and range of the name.
#[derive(Debug, Default)]
pub(crate) struct LensTargets {
    uri: String,
    spans: Vec<(Span<usize>, Range)>,
}

/// The functions and types of a document.
pub(crate) fn targets(
    context: &RequestContext<'_>,
    params: CodeLensParams,
) -> Result<LensTargets, QueryError> {
    let uri = params.text_document.uri.as_str().to_owned();
    let Some(document) = context.snapshot.document_or_file(&uri) else {
        return Ok(LensTargets::default());
    };
    let symbols = document.symbols(context.interrupt).unwrap_or_default();
    let shown = symbols.into_iter().filter(|s| s.kind.is_type() || s.kind.is_callable());
    let spans = shown.take(MAX_LENSES).map(|symbol| {
        let name = range_to_lsp(document.text(), symbol.name_span, context.session.encoding);
        (symbol.span, name)
    });
    Ok(LensTargets { spans: spans.collect(), uri })
}

pub(crate) fn answer(
    context: &RequestContext<'_>,
    targets: LensTargets,
) -> Result<Vec<CodeLens>, Error> {
    if targets.spans.is_empty() {
        return Ok(Vec::new());
    }
    let Some(document) = context.snapshot.document_or_file(&targets.uri) else {
        return Ok(Vec::new());
    };
    let Some((diff, blame)) = document_blame(context, &document, METHOD)? else {
        return Ok(Vec::new());
    };
    let lens = |(span, range): (Span<usize>, Range)| {
        let first = diff.lines.line_of(span.start);
        let last = diff.lines.line_of(span.end.saturating_sub(1).max(span.start));
        let commits = (first..=last).filter_map(|line| blame.commit(&diff, line));
        let title = title(commits.collect());
        let command = Some(Command { title, command: String::new(), arguments: None });
        CodeLens { range, command, data: None }
    };
    Ok(targets.spans.into_iter().map(lens).collect())
}

fn title(commits: Vec<&CommitInfo>) -> String {
    let newest = commits.iter().max_by_key(|commit| commit.author.seconds);
    let Some(newest) = newest else { return "not committed yet".to_owned() };
    let mut authors: Vec<&str> = commits.iter().map(|c| c.author.email.as_str()).collect();
    authors.sort_unstable();
    authors.dedup();
    let author = &newest.author;
    let mut title =
        format!("{}, {}: {}", printable(&author.name, 60), author.day(), subject(newest));
    if authors.len() > 1 {
        title.push_str(&format!(" ({} authors)", authors.len()));
    }
    title
}
