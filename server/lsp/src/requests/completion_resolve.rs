//! `completionItem/resolve`: signature, documentation, and the edits that import a name.

use serde_json::Value;
use tower_lsp_server::ls_types::{CompletionItem, TextEdit};
use workspace::QueryError;

use super::completion::Wanted;
use crate::convert::{documentation_to_lsp, range_to_lsp};
use crate::question::Question;

pub(crate) fn answer(
    question: &Question<'_>,
    mut item: CompletionItem,
) -> Result<CompletionItem, QueryError> {
    let Some(wanted) = item.data.clone().and_then(|d: Value| Wanted::of(d)) else {
        return Ok(item);
    };
    if item.additional_text_edits.is_none() {
        item.additional_text_edits = import(question, &wanted)?;
    }
    if wanted.package.is_some() {
        return Ok(item);
    }
    let Some(document) = question.snapshot.document_or_file(&wanted.uri) else { return Ok(item) };
    let start = wanted.start.min(document.text().len());
    let found = question.snapshot.describe(&document, start, question.interrupt);
    let found = match found {
        Ok(found) => found,
        // What is not known by now is left out.
        Err(QueryError::Moved) => None,
        Err(error) => return Err(error),
    };
    let Some((found, _)) = found.filter(|(f, _)| wanted.name.ends_with(&*f.name)) else {
        return Ok(item);
    };
    item.detail = found.signature.or(found.inferred).or(item.detail);
    let markdown = question.session.features.completion.markdown;
    item.documentation = found.documentation.map(|found| documentation_to_lsp(&found, markdown));
    Ok(item)
}

/// The edits that import what an item stands for, where it has to be imported.
pub(super) fn import(
    question: &Question<'_>,
    wanted: &Wanted,
) -> Result<Option<Vec<TextEdit>>, QueryError> {
    let Some((uri, at, number)) = &wanted.import else { return Ok(None) };
    let Some(document) = question.snapshot.document_or_file(uri) else { return Ok(None) };
    let from = (&*wanted.uri, *number);
    let interrupt = question.interrupt;
    let (snapshot, name) = (&question.snapshot, &wanted.name);
    let found = match &wanted.package {
        Some(module) => snapshot.import_edit_of_package(&document, *at, name, module, interrupt)?,
        None => {
            let module = wanted.module.as_deref();
            snapshot.import_edit(&document, *at, name, from, module, interrupt)?
        }
    };
    let encoding = question.session.encoding;
    Ok(found.map(|found| {
        let edit = |(span, new_text)| TextEdit {
            range: range_to_lsp(document.text(), span, encoding),
            new_text,
        };
        found.edits.into_iter().map(edit).collect()
    }))
}
