//! `completionItem/resolve`: signature, documentation, and import edits.

use serde_json::Value;
use tower_lsp_server::ls_types::{CompletionItem, TextEdit};
use workspace::QueryError;

use super::completion::ItemData;
use crate::convert::{documentation_to_lsp, range_to_lsp};
use crate::request_context::RequestContext;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    mut item: CompletionItem,
) -> Result<CompletionItem, QueryError> {
    let Some(data) = item.data.clone().and_then(|d: Value| ItemData::parse(d)) else {
        return Ok(item);
    };
    if item.additional_text_edits.is_none() {
        item.additional_text_edits = import(context, &data)?;
    }
    if data.package.is_some() {
        return Ok(item);
    }
    let Some(document) = context.snapshot.document_or_file(&data.uri) else { return Ok(item) };
    let start = data.start.min(document.text().len());
    let found = context.snapshot.describe(&document, start, context.interrupt);
    let found = match found {
        Ok(found) => found,
        // It is stale: leave these fields out.
        Err(QueryError::DocumentChanged) => None,
        Err(error) => return Err(error),
    };
    let Some((found, _)) = found.filter(|(f, _)| data.name.ends_with(&*f.name)) else {
        return Ok(item);
    };
    item.detail = found.signature.or(found.inferred_type).or(item.detail);
    let markdown = context.session.features.completion.markdown;
    item.documentation = found.documentation.map(|found| documentation_to_lsp(&found, markdown));
    Ok(item)
}

/// The edits that import an item's name, if it needs an import.
pub(super) fn import(
    context: &RequestContext<'_>,
    data: &ItemData,
) -> Result<Option<Vec<TextEdit>>, QueryError> {
    let Some((uri, at, number)) = &data.import else { return Ok(None) };
    let Some(document) = context.snapshot.document_or_file(uri) else { return Ok(None) };
    let from = (&*data.uri, *number);
    let interrupt = context.interrupt;
    let (snapshot, name) = (&context.snapshot, &data.name);
    let found = match &data.package {
        Some(module) => snapshot.import_edit_of_package(&document, *at, name, module, interrupt)?,
        None => {
            let module = data.module.as_deref();
            snapshot.import_edit(&document, *at, name, from, module, interrupt)?
        }
    };
    let encoding = context.session.encoding;
    Ok(found.map(|found| {
        let edit = |(span, new_text)| TextEdit {
            range: range_to_lsp(document.text(), span, encoding),
            new_text,
        };
        found.edits.into_iter().map(edit).collect()
    }))
}
