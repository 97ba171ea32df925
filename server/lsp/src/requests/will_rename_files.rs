//! `workspace/willRenameFiles`

use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{
    FileOperationFilter, FileOperationPattern, FileOperationPatternKind,
    FileOperationRegistrationOptions, RenameFilesParams, WorkspaceEdit,
};
use workspace::{QueryError, RenameReason};

use super::rename::edit;
use crate::request_context::RequestContext;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: RenameFilesParams,
) -> Result<Result<Option<WorkspaceEdit>, Error>, QueryError> {
    let moves: Vec<_> = params.files.into_iter().map(|f| (f.old_uri, f.new_uri)).collect();
    let mut found = context.snapshot.imports_follow(&moves, context.interrupt)?;
    if !context.session.features.change_annotations {
        // Without confirmation, unsure edits are dropped.
        for file in &mut found.files {
            file.edits.retain(|edit| edit.2 != RenameReason::Unsure);
        }
    }
    found.files.retain(|file| !file.edits.is_empty());
    if found.files.is_empty() {
        return Ok(Ok(None));
    }
    Ok(edit(context, &found).map(Some))
}

/// The files whose renames are of interest: those of languages that import by path, and all folders.
pub(crate) fn registration() -> FileOperationRegistrationOptions {
    let filter = |glob: String, matches: FileOperationPatternKind| FileOperationFilter {
        scheme: Some("file".to_owned()),
        pattern: FileOperationPattern { glob, matches: Some(matches), options: None },
    };
    let endings: Vec<_> =
        syntax::Language::all().flat_map(|language| language.extensions().to_vec()).collect();
    let files = filter(format!("**/*.{{{}}}", endings.join(",")), FileOperationPatternKind::File);
    let folders = filter("**/*".to_owned(), FileOperationPatternKind::Folder);
    FileOperationRegistrationOptions { filters: vec![files, folders] }
}
