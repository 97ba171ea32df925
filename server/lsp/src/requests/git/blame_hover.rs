//! What hovering says of the commit that a line comes from; off unless the person asks for it.

use git::CommitInfo;
use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};
use workspace::Budget;

use super::plain;
use crate::error;
use crate::git::hunks::compare;
use crate::question::Question;

const METHOD: &str = "textDocument/hover";
/// Longest piece of a message that is shown, in bytes.
const LONGEST: usize = 2_000;

/// The commit of a line, as text; `None` for what is not committed.
pub(crate) fn answer(
    question: &Question<'_>,
    params: HoverParams,
) -> Result<Option<String>, Error> {
    let session = question.session;
    let place = params.text_document_position_params;
    let Some((document, offset)) = question.document_at(&place) else { return Ok(None) };
    let of_git = |error| error::of_git(METHOD, error);
    let compared = compare(session, &question.snapshot, &document).map_err(of_git)?;
    let Some(compared) = compared else { return Ok(None) };
    let blamed =
        session.git.blames.of(&compared, &Budget::new(question.interrupt)).map_err(of_git)?;
    let commit = blamed.as_ref().and_then(|blamed| {
        let line = compared.lines.line_of(offset);
        blamed.commit(&compared, line)
    });
    Ok(commit.map(shown))
}

fn shown(commit: &CommitInfo) -> String {
    let end = commit.message.floor_char_boundary(LONGEST.min(commit.message.len()));
    let author = &commit.author;
    let lines = commit.message[..end].trim().lines().map(|line| plain(line, line.len()));
    let message = lines.collect::<Vec<_>>().join("\n");
    let name = plain(&author.name, 100);
    format!("{:.10}  {name}, {}\n\n{message}", commit.id, author.day())
}

/// Adds it below what else hovering says. What a repository says is shown as it is written: no
/// link or image of its is followed.
pub(crate) fn below(hover: Option<Hover>, commit: String, markdown: bool) -> Hover {
    let (kind, own) = match markdown {
        true => {
            let mut fence = "```".to_owned();
            while commit.contains(&fence) {
                fence.push('`');
            }
            (MarkupKind::Markdown, format!("{fence}text\n{commit}\n{fence}"))
        }
        false => (MarkupKind::PlainText, commit),
    };
    let alone = |value| HoverContents::Markup(MarkupContent { kind: kind.clone(), value });
    match hover {
        None => Hover { contents: alone(own), range: None },
        Some(Hover { contents: HoverContents::Markup(said), range }) => {
            let between = if markdown { "\n\n---\n\n" } else { "\n\n" };
            Hover { contents: alone(format!("{}{between}{own}", said.value)), range }
        }
        Some(other) => other,
    }
}
