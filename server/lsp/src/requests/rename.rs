//! `textDocument/rename`

use std::collections::HashMap;

use tools::{Code, ToolError};
use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{
    AnnotatedTextEdit, ChangeAnnotation, DocumentChangeOperation, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, RenameFile, RenameParams, ResourceOp,
    TextDocumentEdit, TextEdit, WorkspaceEdit,
};
use workspace::{
    QueryError, Rename, RenameError, RenameFailure, RenameReason, RenamedFile, uri_of_path,
};

use crate::convert::{range_to_lsp, uri_to_lsp};
use crate::error;
use crate::request_context::RequestContext;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: RenameParams,
) -> Result<Result<Option<WorkspaceEdit>, Error>, QueryError> {
    let position = params.text_document_position;
    let Some((document, offset)) = context.document_at(&position) else { return Ok(Ok(None)) };
    let new = params.new_name.as_str();
    match context.snapshot.rename(&document, offset, new, context.interrupt) {
        Ok(rename) => Ok(edit(context, &rename).map(Some)),
        Err(RenameFailure::Refused(error)) => Ok(Err(refusal_error(error))),
        Err(RenameFailure::Query(error)) => Err(error),
    }
}

/// Converts a refusal, with the locations that conflict.
pub(crate) fn refusal_error(refused: RenameError) -> Error {
    error::from_tool_error(&refused.into())
}

/// The rename as a workspace edit. Edits that need confirmation are dropped if the client cannot ask for
/// it. An unsure reference must not be dropped, so it is an error then.
pub(crate) fn edit(context: &RequestContext<'_>, rename: &Rename) -> Result<WorkspaceEdit, Error> {
    let features = &context.session.features;
    let unsure = rename.files.iter().find_map(|file| {
        let edit = file.edits.iter().find(|e| e.2 == RenameReason::Unsure)?;
        Some((file, file.text.line_of(edit.0.start) + 1))
    });
    if let Some((file, line)) = unsure.filter(|_| !features.change_annotations) {
        let message = format!(
            "cannot rename `{}`: {}:{line} may be a reference, and the editor cannot ask for confirmation",
            rename.old, file.uri
        );
        return Err(error::from_tool_error(&ToolError::new(Code::Ambiguous, message)));
    }
    let renames_files = features.versioned_edits && features.renames_files;
    if !rename.moves.is_empty() && !renames_files {
        let message = format!(
            "cannot rename `{}`: its file must be renamed too, which the editor does not support",
            rename.old
        );
        return Err(error::from_tool_error(&ToolError::new(Code::Unsupported, message)));
    }
    if !features.versioned_edits {
        let changes = rename.files.iter().filter_map(|file| {
            let edits: Vec<_> = edits(context, file).map(|(edit, _)| edit).collect();
            Some((uri_to_lsp(&file.uri)?, edits)).filter(|(_, edits)| !edits.is_empty())
        });
        let changes = Some(changes.collect::<HashMap<_, _>>());
        return Ok(WorkspaceEdit { changes, ..WorkspaceEdit::default() });
    }
    let mut annotations = HashMap::new();
    let mut operations: Vec<DocumentChangeOperation> = Vec::new();
    for file in &rename.files {
        let Some(uri) = uri_to_lsp(&file.uri) else { continue };
        let edits: Vec<_> = edits(context, file)
            .map(|(text_edit, reason)| {
                if !features.change_annotations {
                    return OneOf::Left(text_edit);
                }
                let (id, annotation) = annotation(reason, &rename.old);
                annotations.entry(id.to_owned()).or_insert(annotation);
                OneOf::Right(AnnotatedTextEdit { text_edit, annotation_id: id.to_owned() })
            })
            .collect();
        if edits.is_empty() {
            continue;
        }
        let text_document = OptionalVersionedTextDocumentIdentifier { uri, version: file.version };
        operations.push(DocumentChangeOperation::Edit(TextDocumentEdit { text_document, edits }));
    }
    for (from, to) in &rename.moves {
        let to = uri_of_path(&to.absolute());
        if let (Some(old_uri), Some(new_uri)) = (uri_to_lsp(from), uri_to_lsp(&to)) {
            operations.push(DocumentChangeOperation::Op(ResourceOp::Rename(RenameFile {
                old_uri,
                new_uri,
                options: None,
                annotation_id: None,
            })));
        }
    }
    Ok(WorkspaceEdit {
        document_changes: Some(DocumentChanges::Operations(operations)),
        change_annotations: (!annotations.is_empty()).then_some(annotations),
        ..WorkspaceEdit::default()
    })
}

/// A file's edits that the client supports.
fn edits<'a>(
    context: &'a RequestContext<'_>,
    file: &'a RenamedFile,
) -> impl Iterator<Item = (TextEdit, RenameReason)> + 'a {
    let asks = context.session.features.change_annotations;
    file.edits.iter().filter(move |e| asks || !e.2.needs_confirmation()).map(
        move |(span, new, reason)| {
            let range = range_to_lsp(&file.text, span.clone(), context.session.encoding);
            (TextEdit { range, new_text: new.clone() }, *reason)
        },
    )
}

fn annotation(reason: RenameReason, old: &str) -> (&'static str, ChangeAnnotation) {
    let label = match reason {
        RenameReason::Definition | RenameReason::Reference | RenameReason::Import => {
            format!("Rename `{old}`")
        }
        RenameReason::Unsure => format!("May use `{old}`"),
        RenameReason::Comment => format!("`{old}` in comments"),
        RenameReason::String => format!("`{old}` in strings"),
    };
    let id = match reason {
        RenameReason::Definition | RenameReason::Reference | RenameReason::Import => "rename",
        reason => reason.as_str(),
    };
    let needs_confirmation = reason.needs_confirmation().then_some(true);
    (id, ChangeAnnotation { label, needs_confirmation, description: None })
}
