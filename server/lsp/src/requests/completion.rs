//! `textDocument/completion` and `completionItem/resolve`

use serde_json::{Value, json};
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionItemKind, CompletionItemLabelDetails, CompletionList,
    CompletionParams, CompletionResponse, CompletionTextEdit, Documentation, MarkupContent,
    MarkupKind, Range, TextEdit,
};
use workspace::{DefinitionKind, Offered, QueryError};

use crate::convert::range_to_lsp;
use crate::question::Question;

pub(crate) fn answer(
    question: &Question<'_>,
    params: CompletionParams,
) -> Result<Option<CompletionResponse>, QueryError> {
    let place = params.text_document_position;
    let encoding = question.session.encoding;
    let Some((document, offset)) = question.document_at(&place) else { return Ok(None) };
    let text = document.text();
    let found = question.snapshot.complete(&document, offset, question.interrupt)?;
    let Some(found) = found else { return Ok(None) };
    let range = range_to_lsp(text, found.span.clone(), encoding);
    let items = found.candidates.iter().enumerate().map(|(rank, o)| item(o, rank, range));
    Ok(Some(CompletionResponse::List(CompletionList {
        is_incomplete: !found.complete,
        items: items.collect(),
    })))
}

fn item(offered: &Offered, rank: usize, range: Range) -> CompletionItem {
    let candidate = &offered.candidate;
    let (mut label, mut new_text) = (candidate.name.clone(), candidate.name.clone());
    if candidate.keyword {
        label.push('=');
        new_text.push('=');
    }
    let data = offered.uri.as_ref().zip(candidate.place.as_ref()).map(
        |(uri, (_, span))| json!({ "uri": &**uri, "start": span.start, "name": candidate.name }),
    );
    let description = candidate.container.clone();
    CompletionItem {
        label,
        label_details: description
            .map(|d| CompletionItemLabelDetails { description: Some(d), detail: None }),
        kind: Some(kind(candidate.kind)),
        sort_text: Some(format!("{rank:04}")),
        filter_text: Some(candidate.name.clone()),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text })),
        detail: match (candidate.word, candidate.sure) {
            (true, _) => Some("word".to_owned()),
            (false, false) => Some("not certain".to_owned()),
            (false, true) => None,
        },
        data,
        ..CompletionItem::default()
    }
}

/// Fills in signature and documentation.
pub(crate) fn resolve(
    question: &Question<'_>,
    mut item: CompletionItem,
) -> Result<CompletionItem, QueryError> {
    let field = |name: &str| item.data.as_ref().and_then(|d: &Value| d.get(name));
    let (Some(uri), Some(start)) =
        (field("uri").and_then(Value::as_str), field("start").and_then(Value::as_u64))
    else {
        return Ok(item);
    };
    let Some(document) = question.snapshot.document_or_file(uri) else { return Ok(item) };
    let start = usize::try_from(start).unwrap_or(usize::MAX).min(document.text().len());
    let found = question.snapshot.describe(&document, start, question.interrupt)?;
    let named = field("name").and_then(Value::as_str);
    let Some((found, _)) = found.filter(|(f, _)| Some(&*f.name) == named) else {
        return Ok(item);
    };
    item.detail = found.signature.or(found.inferred).or(item.detail);
    item.documentation =
        found.documentation.map(|value| match question.session.features.markdown {
            true => {
                Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })
            }
            false => Documentation::String(value),
        });
    Ok(item)
}

fn kind(kind: DefinitionKind) -> CompletionItemKind {
    use DefinitionKind as K;
    match kind {
        K::Module | K::Namespace | K::Import => CompletionItemKind::MODULE,
        K::Class | K::TypeAlias => CompletionItemKind::CLASS,
        K::Struct => CompletionItemKind::STRUCT,
        K::Interface | K::Trait => CompletionItemKind::INTERFACE,
        K::Enum => CompletionItemKind::ENUM,
        K::EnumMember => CompletionItemKind::ENUM_MEMBER,
        K::TypeParameter => CompletionItemKind::TYPE_PARAMETER,
        K::Function | K::Macro => CompletionItemKind::FUNCTION,
        K::Method => CompletionItemKind::METHOD,
        K::Constructor => CompletionItemKind::CONSTRUCTOR,
        K::Field => CompletionItemKind::FIELD,
        K::Constant => CompletionItemKind::CONSTANT,
        K::Variable | K::Parameter => CompletionItemKind::VARIABLE,
        K::Label => CompletionItemKind::TEXT,
    }
}
