//! `textDocument/codeAction` and `codeAction/resolve`

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::json;
use syntax::ActionOffer;
use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionDisabled, CodeActionKind, CodeActionOptions, CodeActionOrCommand,
    CodeActionParams, Command, CreateFile, Diagnostic, DocumentChangeOperation, DocumentChanges,
    NumberOrString, OneOf, OptionalVersionedTextDocumentIdentifier, Position, Range, ResourceOp,
    TextDocumentEdit, TextEdit, WorkDoneProgressOptions, WorkspaceEdit,
};
use workspace::{
    ActionEdits, ActionFailure, ActionRefusal, ActionRequest, ActionTimeLimit, ChangedFile,
    ContentHash, Document, QueryError, RefusalReason, action_kinds, uri_of_path,
};

use crate::check_results::{self, OfferedFix};
use crate::convert::{position_from_lsp, position_to_lsp, range_to_lsp, uri_to_lsp};
use crate::diagnostics;
use crate::error;
use crate::request_context::RequestContext;

/// The command that applies an action if the client cannot take edits.
const APPLY_COMMAND: &str = "tandem.apply_code_action";

/// The client's command to rename the symbol at a position.
const RENAME_COMMAND: &str = "tandem.rename";

/// The `data` of an action, for resolving it.
#[derive(Serialize, Deserialize)]
struct ActionData {
    uri: String,
    /// The document's version if it is open, and its content hash.
    version: i32,
    hash: String,
    range: Range,
    action: String,
    choice: String,
}

pub(crate) fn options() -> CodeActionOptions {
    let kinds = action_kinds().into_iter().chain(super::git::KINDS);
    CodeActionOptions {
        code_action_kinds: Some(kinds.map(CodeActionKind::from).collect()),
        resolve_provider: Some(true),
        work_done_progress_options: WorkDoneProgressOptions::default(),
    }
}

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: CodeActionParams,
) -> Result<Option<Vec<CodeActionOrCommand>>, QueryError> {
    let uri = params.text_document.uri.as_str();
    let Some(document) = context.snapshot.document_or_file(uri) else { return Ok(None) };
    let only = &params.context.only;
    let wanted = |kind: &str| {
        let below = |of: &CodeActionKind| {
            let rest = kind.strip_prefix(of.as_str());
            of.as_str().is_empty() || rest.is_some_and(|r| r.is_empty() || r.starts_with('.'))
        };
        only.as_ref().is_none_or(|only| only.iter().any(below))
    };
    let (snapshot, encoding) = (&context.snapshot, context.session.encoding);
    let offset_of =
        |position: Position| document.text().offset(position_from_lsp(position), encoding);
    let (a, b) = (offset_of(params.range.start), offset_of(params.range.end));
    let span = a.min(b)..a.max(b);
    let time = if only.is_some() { ActionTimeLimit::List } else { ActionTimeLimit::Menu };
    let found = snapshot.actions(&document, span.clone(), &wanted, time, context.interrupt)?;
    let features = &context.session.features;
    let mut all = Vec::new();
    let fixes = match wanted(check_results::KIND) && features.action_literals {
        true => {
            let workspace = &context.session.workspace;
            check_results::fixes(workspace, &document, encoding, &span, &params)
        }
        false => Vec::new(),
    };
    // Our own fix of what a tool would fix the same way.
    let is_fixed = |offer: &ActionOffer| match &offer.fixes[..] {
        [one] => fixes.iter().any(|fix| fix.fix.is_preferred && fix.span == one.span),
        _ => false,
    };
    let hash = content_hash(&document);
    for offered in found {
        let offer = &offered.offer;
        if is_fixed(offer) {
            continue;
        }
        // An unavailable refactoring is shown with the reason, as the user may look for it. An
        // unavailable fix, or one with nothing to do, is only noise.
        let shows_disabled = features.disabled_actions && offer.kind.starts_with("refactor");
        let is_shown = |refused: &ActionRefusal| {
            shows_disabled && refused.reason != RefusalReason::NotApplicable
        };
        if offered.refusal.as_ref().is_some_and(|refused| !is_shown(refused)) {
            continue;
        }
        let data = ActionData {
            uri: uri.to_owned(),
            version: document.version(),
            hash: hash.clone(),
            range: params.range,
            action: offer.id.to_owned(),
            choice: offer.choice.clone(),
        };
        if !features.action_literals {
            all.push(CodeActionOrCommand::Command(apply_command(&offer.title, &data)));
            continue;
        }
        let mut action = CodeAction {
            title: offer.title.clone(),
            kind: Some(CodeActionKind::from(offer.kind)),
            diagnostics: fixed_diagnostics(context, &document, &params.context.diagnostics, offer),
            is_preferred: offer.is_preferred.then_some(true),
            disabled: offered
                .refusal
                .as_ref()
                .map(|refused| CodeActionDisabled { reason: refused.why.clone() }),
            ..CodeAction::default()
        };
        if offered.refusal.is_none() {
            if features.resolved_actions {
                action.data = serde_json::to_value(&data).ok();
            } else {
                let request = action_request(&data, span.clone());
                match snapshot.action(&document, &request, context.interrupt) {
                    Ok(edits) => set_edit(context, &mut action, &edits, &data),
                    Err(ActionFailure::Query(error)) => return Err(error),
                    Err(ActionFailure::Refused(refused)) if features.disabled_actions => {
                        action.disabled = Some(CodeActionDisabled { reason: refused.why });
                        action.is_preferred = None;
                    }
                    Err(ActionFailure::Refused(_)) => continue,
                }
            }
        }
        all.push(CodeActionOrCommand::CodeAction(action));
    }
    // The tools' own come first: they are about what is marked.
    let fixes = fixes.into_iter().map(|fix| check_action(context, &document, fix));
    Ok(Some(fixes.chain(all).collect()))
}

/// An action with the edit that a linter or compiler suggested at its last check.
fn check_action(
    context: &RequestContext<'_>,
    document: &Document,
    fix: OfferedFix,
) -> CodeActionOrCommand {
    let file = ChangedFile {
        uri: document.uri().clone(),
        version: context.snapshot.document(document.uri()).map(|open| open.version()),
        text: document.text().clone(),
        edits: fix.fix.edits,
    };
    let edits = ActionEdits { files: vec![file], creates: Vec::new(), name: None };
    let edit = workspace_edit(context, &edits);
    CodeActionOrCommand::CodeAction(CodeAction { edit, ..fix.action })
}

/// Computes the edit, if the document has not changed since.
pub(crate) fn resolve(
    context: &RequestContext<'_>,
    mut action: CodeAction,
) -> Result<Result<CodeAction, Error>, QueryError> {
    let data = action.data.clone().and_then(|data| serde_json::from_value::<ActionData>(data).ok());
    let Some(data) = data.filter(|_| action.edit.is_none() && action.command.is_none()) else {
        return Ok(Ok(action));
    };
    let (snapshot, encoding) = (&context.snapshot, context.session.encoding);
    let document = snapshot.document_or_file(&data.uri).ok_or(QueryError::DocumentChanged)?;
    if document.version() != data.version || content_hash(&document) != data.hash {
        return Err(QueryError::DocumentChanged);
    }
    let offset_of =
        |position: Position| document.text().offset(position_from_lsp(position), encoding);
    let (a, b) = (offset_of(data.range.start), offset_of(data.range.end));
    let request = action_request(&data, a.min(b)..a.max(b));
    match snapshot.action(&document, &request, context.interrupt) {
        Ok(edits) => {
            set_edit(context, &mut action, &edits, &data);
            Ok(Ok(action))
        }
        Err(ActionFailure::Query(error)) => Err(error),
        Err(ActionFailure::Refused(refused)) => Ok(Err(error::from_tool_error(&refused.into()))),
    }
}

/// The client's diagnostics that an action fixes.
fn fixed_diagnostics(
    context: &RequestContext<'_>,
    document: &Document,
    known: &[Diagnostic],
    offer: &ActionOffer,
) -> Option<Vec<Diagnostic>> {
    let is_fixed = |known: &&Diagnostic| {
        known.source.as_deref() == Some(diagnostics::SOURCE)
            && offer.fixes.iter().any(|mended| {
                let span = mended.span.clone();
                let code = mended.code.map(|code| NumberOrString::String(code.to_owned()));
                known.code == code
                    && known.range == range_to_lsp(document.text(), span, context.session.encoding)
            })
    };
    let all: Vec<Diagnostic> = known.iter().filter(is_fixed).cloned().collect();
    (!all.is_empty()).then_some(all)
}

fn action_request(data: &ActionData, range: std::ops::Range<usize>) -> ActionRequest {
    let (id, choice) = (data.action.clone(), data.choice.clone());
    ActionRequest { id, choice, range, ..ActionRequest::default() }
}

fn content_hash(document: &Document) -> String {
    ContentHash::digest(document.text().to_string().as_bytes()).to_string()
}

/// Sets the action's edit, or its command if the client does not support the edit.
fn set_edit(
    context: &RequestContext<'_>,
    action: &mut CodeAction,
    edits: &ActionEdits,
    data: &ActionData,
) {
    match workspace_edit(context, edits) {
        Some(edit) => {
            action.edit = Some(edit);
            action.command = rename_command(context, edits, data);
        }
        None => action.command = Some(apply_command(&action.title, data)),
    }
}

/// The client's command to choose another name than the generated one: `[uri, position]`, with the name's
/// position after the edit.
fn rename_command(
    context: &RequestContext<'_>,
    edits: &ActionEdits,
    data: &ActionData,
) -> Option<Command> {
    let name = edits.name.as_deref()?;
    let is_known = context.session.commands.iter().any(|command| command == RENAME_COMMAND);
    let file = edits.files.iter().find(|file| *file.uri == *data.uri).filter(|_| is_known)?;
    let encoding = context.session.encoding;
    let offset_of = |position: Position| file.text.offset(position_from_lsp(position), encoding);
    let selected = offset_of(data.range.start)..offset_of(data.range.end);
    // The use in place of the selected code, not the new declaration.
    // Edits are applied back to front, so that the spans of earlier ones stay valid. Each one before the
    // found name shifts it by its change in length.
    let (mut text, mut at) = (file.text.to_string(), None);
    for (span, new) in file.edits.iter().rev() {
        let inside = selected.start <= span.start && span.end <= selected.end && !span.is_empty();
        match at {
            None if inside => at = new.rfind(name).map(|found| span.start + found),
            Some(found) => at = Some(found + new.len() - span.len()),
            None => {}
        }
        text.replace_range(span.clone(), new);
    }
    let position = text::Text::new(&text).position(at?, encoding);
    Some(Command {
        title: "Rename".to_owned(),
        command: RENAME_COMMAND.to_owned(),
        arguments: Some(vec![json!(data.uri), json!(position_to_lsp(position))]),
    })
}

fn apply_command(title: &str, data: &ActionData) -> Command {
    let action = match data.choice.is_empty() {
        true => data.action.clone(),
        false => format!("{}:{}", data.action, data.choice),
    };
    let arguments = json!({ "path": data.uri, "range": data.range, "action": action });
    Command {
        title: title.to_owned(),
        command: APPLY_COMMAND.to_owned(),
        arguments: Some(vec![arguments]),
    }
}

/// The workspace edit. `None` if the client does not support it.
fn workspace_edit(context: &RequestContext<'_>, found: &ActionEdits) -> Option<WorkspaceEdit> {
    let features = &context.session.features;
    let edits = |file: &ChangedFile| {
        let edit = |(span, new): &(std::ops::Range<usize>, String)| TextEdit {
            range: range_to_lsp(&file.text, span.clone(), context.session.encoding),
            new_text: new.clone(),
        };
        file.edits.iter().map(edit).collect::<Vec<_>>()
    };
    if !features.versioned_edits {
        if !found.creates.is_empty() {
            return None;
        }
        let changes = found.files.iter().map(|file| Some((uri_to_lsp(&file.uri)?, edits(file))));
        let changes: Option<HashMap<_, _>> = changes.collect();
        return Some(WorkspaceEdit { changes: Some(changes?), ..WorkspaceEdit::default() });
    }
    if !found.creates.is_empty() && !features.created_files {
        return None;
    }
    let mut operations: Vec<DocumentChangeOperation> = Vec::new();
    for (path, text) in &found.creates {
        let uri = uri_to_lsp(&uri_of_path(&path.absolute()))?;
        let create = CreateFile { uri: uri.clone(), options: None, annotation_id: None };
        operations.push(DocumentChangeOperation::Op(ResourceOp::Create(create)));
        let text_document = OptionalVersionedTextDocumentIdentifier { uri, version: None };
        let whole = TextEdit { range: Range::default(), new_text: text.clone() };
        let edits = vec![OneOf::Left(whole)];
        operations.push(DocumentChangeOperation::Edit(TextDocumentEdit { text_document, edits }));
    }
    for file in &found.files {
        let uri = uri_to_lsp(&file.uri)?;
        let text_document = OptionalVersionedTextDocumentIdentifier { uri, version: file.version };
        let edits = edits(file).into_iter().map(OneOf::Left).collect();
        operations.push(DocumentChangeOperation::Edit(TextDocumentEdit { text_document, edits }));
    }
    Some(WorkspaceEdit {
        document_changes: Some(DocumentChanges::Operations(operations)),
        ..WorkspaceEdit::default()
    })
}
