//! Items of hierarchies as the protocol has them, and the way back from an item to its name.

use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp_server::ls_types::{
    CallHierarchyItem, Range, TextDocumentPositionParams, TypeHierarchyItem, Uri,
};
use workspace::{Document, Hierarchy, Member, QueryError};

use crate::convert::{definition_kind, range_to_lsp, uri_to_lsp};
use crate::question::Question;

/// The file that an item is in, and what stands next to the item.
pub(crate) type Beside = (Arc<Document>, Vec<Member>);

/// The items that a place means.
pub(crate) fn prepare<T>(
    question: &Question<'_>,
    place: &TextDocumentPositionParams,
    wanted: Hierarchy,
    item: fn(&Question<'_>, &Member) -> Option<T>,
) -> Result<Option<Vec<T>>, QueryError> {
    let Some((document, offset)) = question.document_at(place) else { return Ok(None) };
    let found = question.snapshot.hierarchy(&document, offset, wanted, question.interrupt)?;
    let items: Vec<_> = found.iter().filter_map(|member| item(question, member)).collect();
    Ok((!items.is_empty()).then_some(items))
}

/// What stands next to an item, which may be of an earlier state of its file; and that file.
pub(crate) fn beside(
    question: &Question<'_>,
    uri: &Uri,
    data: Option<&Value>,
    wanted: Hierarchy,
) -> Result<Option<Beside>, QueryError> {
    let Some(document) = question.snapshot.document_or_file(uri.as_str()) else { return Ok(None) };
    let Some(offset) = data.and_then(|data| place_of(question, &document, data)) else {
        return Ok(None);
    };
    let found = question.snapshot.hierarchy(&document, offset, wanted, question.interrupt)?;
    Ok(Some((document, found)))
}

/// Where the name of an item is by now: where it was, else where the only one of its kind is.
fn place_of(question: &Question<'_>, document: &Document, data: &Value) -> Option<usize> {
    let name = data.get("name")?.as_str()?;
    let start = usize::try_from(data.get("start")?.as_u64()?).ok()?;
    let text = document.text();
    let end = start.checked_add(name.len()).filter(|end| !name.is_empty() && *end <= text.len());
    if end.is_some_and(|end| text.slice(start..end) == name) {
        return Some(start);
    }
    let symbols = document.symbols(question.interrupt)?;
    let mut named = symbols.iter().filter(|symbol| symbol.name == name);
    let only = named.next()?;
    named.next().is_none().then_some(only.name_span.start)
}

fn data(member: &Member) -> Value {
    json!({ "start": member.name_span.start, "name": &*member.text.slice(member.name_span.clone()) })
}

fn ranges(question: &Question<'_>, member: &Member) -> (Range, Range) {
    let encoding = question.session.encoding;
    let whole = range_to_lsp(&member.text, member.span.clone(), encoding);
    (whole, range_to_lsp(&member.text, member.name_span.clone(), encoding))
}

/// A member as an item of a hierarchy of calls.
pub(crate) fn call_item(question: &Question<'_>, member: &Member) -> Option<CallHierarchyItem> {
    let (range, selection_range) = ranges(question, member);
    Some(CallHierarchyItem {
        name: member.name.clone(),
        kind: definition_kind(member.kind),
        tags: None,
        detail: member.container.clone(),
        uri: uri_to_lsp(&member.uri)?,
        range,
        selection_range,
        data: Some(data(member)),
    })
}

/// A member as an item of a hierarchy of types.
pub(crate) fn type_item(question: &Question<'_>, member: &Member) -> Option<TypeHierarchyItem> {
    let (range, selection_range) = ranges(question, member);
    Some(TypeHierarchyItem {
        name: member.name.clone(),
        kind: definition_kind(member.kind),
        tags: None,
        detail: member.container.clone(),
        uri: uri_to_lsp(&member.uri)?,
        range,
        selection_range,
        data: Some(data(member)),
    })
}
