//! Items of call and type hierarchies, and the way back from an item to its definition.

use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp_server::ls_types::{
    CallHierarchyItem, Range, TextDocumentPositionParams, TypeHierarchyItem, Uri,
};
use workspace::{Document, HierarchyMember, HierarchyQuery, QueryError};

use crate::convert::{definition_kind, range_to_lsp, uri_to_lsp};
use crate::request_context::RequestContext;

/// The document of an item, and its related members: callers, callees, supertypes or subtypes.
pub(crate) type RelatedMembers = (Arc<Document>, Vec<HierarchyMember>);

/// The items for a position.
pub(crate) fn prepare<T>(
    context: &RequestContext<'_>,
    position: &TextDocumentPositionParams,
    kind: HierarchyQuery,
    item: fn(&RequestContext<'_>, &HierarchyMember) -> Option<T>,
) -> Result<Option<Vec<T>>, QueryError> {
    let Some((document, offset)) = context.document_at(position) else { return Ok(None) };
    let found = context.snapshot.hierarchy(&document, offset, kind, context.interrupt)?;
    let items: Vec<_> = found.iter().filter_map(|member| item(context, member)).collect();
    Ok((!items.is_empty()).then_some(items))
}

/// The related members of an item, which may come from an earlier version of its file.
pub(crate) fn related_members(
    context: &RequestContext<'_>,
    uri: &Uri,
    data: Option<&Value>,
    kind: HierarchyQuery,
) -> Result<Option<RelatedMembers>, QueryError> {
    let Some(document) = context.snapshot.document_or_file(uri.as_str()) else { return Ok(None) };
    let Some(offset) = data.and_then(|data| current_offset(context, &document, data)) else {
        return Ok(None);
    };
    let found = context.snapshot.hierarchy(&document, offset, kind, context.interrupt)?;
    Ok(Some((document, found)))
}

/// The current offset of an item's name: where it was, else the only symbol with that name.
fn current_offset(
    context: &RequestContext<'_>,
    document: &Document,
    data: &Value,
) -> Option<usize> {
    let name = data.get("name")?.as_str()?;
    let start = usize::try_from(data.get("start")?.as_u64()?).ok()?;
    let text = document.text();
    let end = start.checked_add(name.len()).filter(|end| !name.is_empty() && *end <= text.len());
    if end.is_some_and(|end| text.slice(start..end) == name) {
        return Some(start);
    }
    let symbols = document.symbols(context.interrupt)?;
    let mut named = symbols.iter().filter(|symbol| symbol.name == name);
    let only = named.next()?;
    named.next().is_none().then_some(only.name_span.start)
}

fn item_data(member: &HierarchyMember) -> Value {
    json!({ "start": member.name_span.start, "name": &*member.text.slice(member.name_span.clone()) })
}

fn ranges(context: &RequestContext<'_>, member: &HierarchyMember) -> (Range, Range) {
    let encoding = context.session.encoding;
    let whole = range_to_lsp(&member.text, member.span.clone(), encoding);
    (whole, range_to_lsp(&member.text, member.name_span.clone(), encoding))
}

/// Converts a member to a call hierarchy item.
pub(crate) fn call_item(
    context: &RequestContext<'_>,
    member: &HierarchyMember,
) -> Option<CallHierarchyItem> {
    let (range, selection_range) = ranges(context, member);
    Some(CallHierarchyItem {
        name: member.name.clone(),
        kind: definition_kind(member.kind),
        tags: None,
        detail: member.container.clone(),
        uri: uri_to_lsp(&member.uri)?,
        range,
        selection_range,
        data: Some(item_data(member)),
    })
}

/// Converts a member to a type hierarchy item.
pub(crate) fn type_item(
    context: &RequestContext<'_>,
    member: &HierarchyMember,
) -> Option<TypeHierarchyItem> {
    let (range, selection_range) = ranges(context, member);
    Some(TypeHierarchyItem {
        name: member.name.clone(),
        kind: definition_kind(member.kind),
        tags: None,
        detail: member.container.clone(),
        uri: uri_to_lsp(&member.uri)?,
        range,
        selection_range,
        data: Some(item_data(member)),
    })
}
