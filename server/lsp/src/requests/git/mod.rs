//! git features of LSP requests, one file each.

pub(crate) mod blame_hints;
pub(crate) mod blame_hover;
pub(crate) mod blame_lens;
pub(crate) mod commit_message;
mod conflict_actions;
pub(crate) mod content;
mod hunk_actions;
pub(crate) mod hunks;

use std::collections::HashMap;
use std::ops::Range as Span;

use git::CommitInfo;
use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextEdit, WorkspaceEdit,
};
use workspace::{CallBudget, Document};

use crate::convert::{range_to_lsp, uri_to_lsp};
use crate::error;
use crate::git::blame::LineBlame;
use crate::git::hunks::{DocumentDiff, diff_with_index};
use crate::request_context::RequestContext;
use crate::session::Session;

pub(crate) use hunk_actions::KINDS;

/// The code actions for conflicts and hunks.
pub(crate) fn actions(
    context: &RequestContext<'_>,
    params: CodeActionParams,
) -> Result<Vec<CodeActionOrCommand>, Error> {
    let mut actions = conflict_actions::answer(context, &params);
    let hunk_actions = hunk_actions::answer(context, params);
    actions.extend(log_errors("textDocument/codeAction", hunk_actions));
    Ok(actions)
}

/// The first line of a commit message.
fn subject(commit: &CommitInfo) -> String {
    printable(commit.message.trim_start().lines().next().unwrap_or_default(), 100)
}

/// At most `most` characters of a repository's text, without control characters.
fn printable(text: &str, most: usize) -> String {
    text.chars().filter(|sign| !sign.is_control()).take(most).collect()
}

/// Whether a client that requests `only` some kinds wants `kind`.
pub(crate) fn is_wanted(only: Option<&[CodeActionKind]>, kind: &str) -> bool {
    let below = |of: &CodeActionKind| {
        let rest = kind.strip_prefix(of.as_str());
        of.as_str().is_empty() || rest.is_some_and(|r| r.is_empty() || r.starts_with('.'))
    };
    only.is_none_or(|only| only.iter().any(below))
}

/// The action, or only its command if the client has no code action literals. `None` without one.
fn as_literal_or_command(session: &Session, action: CodeAction) -> Option<CodeActionOrCommand> {
    match session.features.action_literals {
        true => Some(CodeActionOrCommand::CodeAction(action)),
        false => action.command.map(CodeActionOrCommand::Command),
    }
}

/// A document's difference to the index and the commits of its lines. `None` if git does not track
/// the document.
///
/// # Errors
/// If the repository cannot be read, or on interruption.
fn document_blame(
    context: &RequestContext<'_>,
    document: &Document,
    method: &str,
) -> Result<Option<(DocumentDiff, LineBlame)>, Error> {
    let session = context.session;
    let git_error = |error| error::from_git_error(method, error);
    let diff = diff_with_index(session, &context.snapshot, document).map_err(git_error)?;
    let Some(diff) = diff else { return Ok(None) };
    let budget = CallBudget::new(context.interrupt);
    let blame = session.git.blames.line_blame(&diff, &budget).map_err(git_error)?;
    Ok(blame.map(|blame| (diff, blame)))
}

/// An optional git contribution to an answer. An error is logged and contributes nothing.
pub(crate) fn log_errors<T>(method: &str, found: Result<Vec<T>, Error>) -> Vec<T> {
    found.unwrap_or_else(|error| {
        tracing::debug!("{method}: without git: {}", error.message);
        Vec::new()
    })
}

/// Converts edits of a document.
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
