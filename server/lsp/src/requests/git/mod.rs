//! What editors ask about repositories, one file a request or a part of one.

pub(crate) mod blame_hints;
pub(crate) mod blame_hover;
pub(crate) mod blame_lens;
mod conflict_actions;
pub(crate) mod content;
mod hunk_actions;
pub(crate) mod hunks;
pub(crate) mod message;

use std::collections::HashMap;
use std::ops::Range as Span;

use git::CommitInfo;
use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextEdit, WorkspaceEdit,
};
use workspace::Document;

use crate::convert::{range_to_lsp, uri_to_lsp};
use crate::question::Question;
use crate::session::Session;

pub(crate) use hunk_actions::KINDS;

/// The code actions at a place: of conflicts, and of hunks.
pub(crate) fn actions(
    question: &Question<'_>,
    params: CodeActionParams,
) -> Result<Vec<CodeActionOrCommand>, Error> {
    let mut actions = conflict_actions::answer(question, &params);
    let of_hunks = hunk_actions::answer(question, params);
    actions.extend(or_none("textDocument/codeAction", of_hunks));
    Ok(actions)
}

/// The first line of a commit's message.
fn subject(commit: &CommitInfo) -> String {
    plain(commit.message.trim_start().lines().next().unwrap_or_default(), 100)
}

/// At most so many characters of what a repository says, without those that would not be shown.
fn plain(text: &str, most: usize) -> String {
    text.chars().filter(|sign| !sign.is_control()).take(most).collect()
}

/// Whether a client wants actions of a kind, which asks for `only` some.
pub(crate) fn is_wanted(only: Option<&[CodeActionKind]>, kind: &str) -> bool {
    let below = |of: &CodeActionKind| {
        let rest = kind.strip_prefix(of.as_str());
        of.as_str().is_empty() || rest.is_some_and(|r| r.is_empty() || r.starts_with('.'))
    };
    only.is_none_or(|only| only.iter().any(below))
}

/// An action, or its command where the client takes nothing else; `None` where it has none.
fn as_client_takes(session: &Session, action: CodeAction) -> Option<CodeActionOrCommand> {
    match session.features.action_literals {
        true => Some(CodeActionOrCommand::CodeAction(action)),
        false => action.command.map(CodeActionOrCommand::Command),
    }
}

/// What git adds to an answer that does not depend on it: nothing where it fails, for instance in a
/// repository that leads out.
pub(crate) fn or_none<T>(method: &str, found: Result<Vec<T>, Error>) -> Vec<T> {
    found.unwrap_or_else(|error| {
        tracing::debug!("{method}: nothing of git's: {}", error.message);
        Vec::new()
    })
}

/// Edits of a document, as the client takes them.
fn edit(
    session: &Session,
    document: &Document,
    edits: Vec<(Span<usize>, String)>,
) -> Option<WorkspaceEdit> {
    let uri = uri_to_lsp(document.uri())?;
    let edit = |(span, new_text)| TextEdit {
        range: range_to_lsp(document.text(), span, session.encoding),
        new_text,
    };
    let edits = edits.into_iter().map(edit);
    if !session.features.versioned_edits {
        let changes = HashMap::from([(uri, edits.collect())]);
        return Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() });
    }
    let version = Some(document.version());
    let text_document = OptionalVersionedTextDocumentIdentifier { uri, version };
    let edits = edits.map(OneOf::Left).collect();
    Some(WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(vec![TextDocumentEdit {
            text_document,
            edits,
        }])),
        ..WorkspaceEdit::default()
    })
}
