//! What editors ask about repositories, one file a request or a part of one.

pub(crate) mod hunk_actions;
pub(crate) mod hunks;

use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{CodeAction, CodeActionKind, CodeActionOrCommand};

use crate::session::Session;

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
