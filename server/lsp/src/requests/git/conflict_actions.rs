//! Code actions for merge conflicts: take our side, theirs, or both.

use serde_json::json;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, Command, NumberOrString,
    Position,
};

use super::{as_literal_or_command, edit, is_wanted};
use crate::convert::position_from_lsp;
use crate::git::conflicts;
use crate::request_context::RequestContext;

/// The actions for the conflicts that a range touches.
pub(super) fn answer(
    context: &RequestContext<'_>,
    params: &CodeActionParams,
) -> Vec<CodeActionOrCommand> {
    let uri = params.text_document.uri.as_str();
    let Some(document) = context.snapshot.document(uri) else { return Vec::new() };
    if !is_wanted(params.context.only.as_deref(), CodeActionKind::QUICKFIX.as_str()) {
        return Vec::new();
    }
    let session = context.session;
    let text = document.text();
    let at = |position: Position| text.offset(position_from_lsp(position), session.encoding);
    let (a, b) = (at(params.range.start), at(params.range.end));
    let (start, end) = (a.min(b), a.max(b));
    let diagnostics = params.context.diagnostics.iter().filter(|diagnostic| {
        diagnostic.code == Some(NumberOrString::String(conflicts::CODE.to_owned()))
    });
    let diagnostics: Vec<_> = diagnostics.cloned().collect();
    let mut actions = Vec::new();
    for (number, open) in conflicts::find(document).iter().enumerate() {
        if open.span.end <= start || end < open.span.start {
            continue;
        }
        let conflict = &open.conflict;
        let (ours, theirs) = (&conflict.ours, &conflict.theirs);
        let both = format!("{}{}", ours.text, theirs.text);
        let sides = [
            ("ours", named("Take our side", &ours.label), ours.text.clone()),
            ("theirs", named("Take their side", &theirs.label), theirs.text.clone()),
            ("both", "Take both sides".to_owned(), both),
        ];
        for (side, title, new) in sides {
            let mut action = CodeAction {
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: (!diagnostics.is_empty()).then(|| diagnostics.clone()),
                ..CodeAction::default()
            };
            if session.features.action_literals {
                action.edit = edit(session, document, vec![(open.span.clone(), new)]);
            } else {
                let arguments = json!({
                    "action": "resolve", "path": uri, "side": side, "conflict": number + 1,
                });
                action.command = Some(Command {
                    title: title.clone(),
                    command: "tandem.git_conflicts".to_owned(),
                    arguments: Some(vec![arguments]),
                });
            }
            action.title = title;
            actions.extend(as_literal_or_command(session, action));
        }
    }
    actions
}

fn named(title: &str, label: &str) -> String {
    match label.is_empty() {
        true => title.to_owned(),
        false => format!("{title} ({label:.60})"),
    }
}
