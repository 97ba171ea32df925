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
    ActionEdits, ActionFailure, ActionRefusal, ActionRequest, ActionTime, Document, Hash,
    QueryError, RefusalReason, action_kinds, uri_of_path,
};

use crate::convert::{position_from_lsp, position_to_lsp, range_to_lsp, uri_to_lsp};
use crate::diagnostics;
use crate::error;
use crate::question::Question;

/// The command that does an action where the client takes no edits with it.
const COMMAND: &str = "tandem.apply_code_action";

/// The client's command that renames the symbol at a place.
const RENAME: &str = "tandem.rename";

/// What an action is resolved by.
#[derive(Serialize, Deserialize)]
struct Data {
    uri: String,
    /// The document as it was: its version where it is open, and its content.
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
    question: &Question<'_>,
    params: CodeActionParams,
) -> Result<Option<Vec<CodeActionOrCommand>>, QueryError> {
    let uri = params.text_document.uri.as_str();
    let Some(document) = question.snapshot.document_or_file(uri) else { return Ok(None) };
    let only = &params.context.only;
    let wanted = |kind: &str| {
        let below = |of: &CodeActionKind| {
            let rest = kind.strip_prefix(of.as_str());
            of.as_str().is_empty() || rest.is_some_and(|r| r.is_empty() || r.starts_with('.'))
        };
        only.as_ref().is_none_or(|only| only.iter().any(below))
    };
    let (snapshot, encoding) = (&question.snapshot, question.session.encoding);
    let place = |position: Position| document.text().offset(position_from_lsp(position), encoding);
    let (a, b) = (place(params.range.start), place(params.range.end));
    let span = a.min(b)..a.max(b);
    let time = if only.is_some() { ActionTime::List } else { ActionTime::Menu };
    let found = snapshot.actions(&document, span.clone(), &wanted, time, question.interrupt)?;
    if found.is_empty() {
        return Ok(Some(Vec::new()));
    }
    let hash = hash_of(&document);
    let features = &question.session.features;
    let mut all = Vec::new();
    for offered in found {
        let offer = &offered.offer;
        // A refactoring that a person looks for is shown with the reason why it is not there; a fix
        // that is none, or what has nothing to do, is only in the way.
        let tells = features.disabled_actions && offer.kind.starts_with("refactor");
        let is_shown = |refused: &ActionRefusal| tells && refused.reason != RefusalReason::Nothing;
        if offered.refused.as_ref().is_some_and(|refused| !is_shown(refused)) {
            continue;
        }
        let data = Data {
            uri: uri.to_owned(),
            version: document.version(),
            hash: hash.clone(),
            range: params.range,
            action: offer.id.to_owned(),
            choice: offer.choice.clone(),
        };
        if !features.action_literals {
            all.push(CodeActionOrCommand::Command(command(&offer.title, &data)));
            continue;
        }
        let mut action = CodeAction {
            title: offer.title.clone(),
            kind: Some(CodeActionKind::from(offer.kind)),
            diagnostics: mended(question, &document, &params.context.diagnostics, offer),
            is_preferred: offer.preferred.then_some(true),
            disabled: offered
                .refused
                .as_ref()
                .map(|refused| CodeActionDisabled { reason: refused.why.clone() }),
            ..CodeAction::default()
        };
        if offered.refused.is_none() {
            if features.resolved_actions {
                action.data = serde_json::to_value(&data).ok();
            } else {
                let request = request(&data, span.clone());
                match snapshot.action(&document, &request, question.interrupt) {
                    Ok(edits) => fill_in(question, &mut action, &edits, &data),
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
    Ok(Some(all))
}

/// Works the edit out. What the action was offered for must be there as it was.
pub(crate) fn resolve(
    question: &Question<'_>,
    mut action: CodeAction,
) -> Result<Result<CodeAction, Error>, QueryError> {
    let data = action.data.clone().and_then(|data| serde_json::from_value::<Data>(data).ok());
    let Some(data) = data.filter(|_| action.edit.is_none() && action.command.is_none()) else {
        return Ok(Ok(action));
    };
    let (snapshot, encoding) = (&question.snapshot, question.session.encoding);
    let document = snapshot.document_or_file(&data.uri).ok_or(QueryError::Moved)?;
    if document.version() != data.version || hash_of(&document) != data.hash {
        return Err(QueryError::Moved);
    }
    let place = |position: Position| document.text().offset(position_from_lsp(position), encoding);
    let (a, b) = (place(data.range.start), place(data.range.end));
    let request = request(&data, a.min(b)..a.max(b));
    match snapshot.action(&document, &request, question.interrupt) {
        Ok(edits) => {
            fill_in(question, &mut action, &edits, &data);
            Ok(Ok(action))
        }
        Err(ActionFailure::Query(error)) => Err(error),
        Err(ActionFailure::Refused(refused)) => Ok(Err(error::of_tool(&refused.into()))),
    }
}

/// Those of the diagnostics that the client knows of which an action mends.
fn mended(
    question: &Question<'_>,
    document: &Document,
    known: &[Diagnostic],
    offer: &ActionOffer,
) -> Option<Vec<Diagnostic>> {
    let is_mended = |known: &&Diagnostic| {
        known.source.as_deref() == Some(diagnostics::SOURCE)
            && offer.mends.iter().any(|mended| {
                let span = mended.span.clone();
                let code = mended.code.map(|code| NumberOrString::String(code.to_owned()));
                known.code == code
                    && known.range == range_to_lsp(document.text(), span, question.session.encoding)
            })
    };
    let all: Vec<Diagnostic> = known.iter().filter(is_mended).cloned().collect();
    (!all.is_empty()).then_some(all)
}

fn request(data: &Data, range: std::ops::Range<usize>) -> ActionRequest {
    let (id, choice) = (data.action.clone(), data.choice.clone());
    ActionRequest { id, choice, range, ..ActionRequest::default() }
}

fn hash_of(document: &Document) -> String {
    Hash::of(document.text().to_string().as_bytes()).to_string()
}

/// Gives an action its edit; a command in its place where the client cannot take the edit.
fn fill_in(question: &Question<'_>, action: &mut CodeAction, edits: &ActionEdits, data: &Data) {
    match edit(question, edits) {
        Some(edit) => {
            action.edit = Some(edit);
            action.command = rename(question, edits, data);
        }
        None => action.command = Some(command(&action.title, data)),
    }
}

/// The command that has a person choose another name than the one that was made up, where the
/// client has it: `[uri, position]`, the position being that of the name once the edit is made.
fn rename(question: &Question<'_>, edits: &ActionEdits, data: &Data) -> Option<Command> {
    let name = edits.name.as_deref()?;
    let is_known = question.session.commands.iter().any(|command| command == RENAME);
    let file = edits.files.iter().find(|file| *file.uri == *data.uri).filter(|_| is_known)?;
    let encoding = question.session.encoding;
    let place = |position: Position| file.text.offset(position_from_lsp(position), encoding);
    let selected = place(data.range.start)..place(data.range.end);
    // Where the code was, not where what became of it is declared.
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
        command: RENAME.to_owned(),
        arguments: Some(vec![json!(data.uri), json!(position_to_lsp(position))]),
    })
}

fn command(title: &str, data: &Data) -> Command {
    let action = match data.choice.is_empty() {
        true => data.action.clone(),
        false => format!("{}:{}", data.action, data.choice),
    };
    let arguments = json!({ "path": data.uri, "range": data.range, "action": action });
    Command {
        title: title.to_owned(),
        command: COMMAND.to_owned(),
        arguments: Some(vec![arguments]),
    }
}

/// The edit as the client takes it; `None` where it can take none like it.
fn edit(question: &Question<'_>, found: &ActionEdits) -> Option<WorkspaceEdit> {
    let features = &question.session.features;
    let edits = |file: &workspace::ChangedFile| {
        let edit = |(span, new): &(std::ops::Range<usize>, String)| TextEdit {
            range: range_to_lsp(&file.text, span.clone(), question.session.encoding),
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
