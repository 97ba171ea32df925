//! Blame below other hover content. Off by default.

use git::CommitInfo;
use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

use super::{document_blame, printable};
use crate::request_context::RequestContext;

const METHOD: &str = "textDocument/hover";
/// Longest part of a commit message that is shown, in bytes.
const MAX_MESSAGE_BYTES: usize = 2_000;

/// The commit of a line, as text. `None` for uncommitted lines.
pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: HoverParams,
) -> Result<Option<String>, Error> {
    let position = params.text_document_position_params;
    let Some((document, offset)) = context.document_at(&position) else { return Ok(None) };
    let Some((diff, blame)) = document_blame(context, &document, METHOD)? else { return Ok(None) };
    let commit = blame.commit(&diff, diff.lines.line_of(offset));
    Ok(commit.map(describe))
}

fn describe(commit: &CommitInfo) -> String {
    let end = commit.message.floor_char_boundary(MAX_MESSAGE_BYTES.min(commit.message.len()));
    let author = &commit.author;
    let lines = commit.message[..end].trim().lines().map(|line| printable(line, line.len()));
    let message = lines.collect::<Vec<_>>().join("\n");
    let name = printable(&author.name, 100);
    format!("{:.10}  {name}, {}\n\n{message}", commit.id, author.day())
}

/// Appends blame to a hover. The repository's text is shown verbatim, so that no link or image in it is
/// followed.
pub(crate) fn append(hover: Option<Hover>, commit: String, markdown: bool) -> Hover {
    let (kind, blame) = match markdown {
        true => {
            let mut fence = "```".to_owned();
            while commit.contains(&fence) {
                fence.push('`');
            }
            (MarkupKind::Markdown, format!("{fence}text\n{commit}\n{fence}"))
        }
        false => (MarkupKind::PlainText, commit),
    };
    let markup = |value| HoverContents::Markup(MarkupContent { kind: kind.clone(), value });
    match hover {
        None => Hover { contents: markup(blame), range: None },
        Some(Hover { contents: HoverContents::Markup(existing), range }) => {
            let between = if markdown { "\n\n---\n\n" } else { "\n\n" };
            Hover { contents: markup(format!("{}{between}{blame}", existing.value)), range }
        }
        Some(other) => other,
    }
}
