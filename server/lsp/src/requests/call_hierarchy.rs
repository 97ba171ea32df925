//! `textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and `outgoingCalls`

use tower_lsp_server::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
};
use workspace::{HierarchyQuery, QueryError};

use crate::convert::range_to_lsp;
use crate::hierarchy;
use crate::request_context::RequestContext;

pub(crate) fn prepare(
    context: &RequestContext<'_>,
    params: CallHierarchyPrepareParams,
) -> Result<Option<Vec<CallHierarchyItem>>, QueryError> {
    let position = params.text_document_position_params;
    hierarchy::prepare(context, &position, HierarchyQuery::Function, hierarchy::call_item)
}

pub(crate) fn incoming(
    context: &RequestContext<'_>,
    params: CallHierarchyIncomingCallsParams,
) -> Result<Option<Vec<CallHierarchyIncomingCall>>, QueryError> {
    let item = params.item;
    let found = hierarchy::related_members(
        context,
        &item.uri,
        item.data.as_ref(),
        HierarchyQuery::Incoming,
    )?;
    let Some((_, found)) = found else { return Ok(None) };
    let encoding = context.session.encoding;
    let calls = found.iter().filter_map(|member| {
        let ranges = member.calls.iter();
        let ranges = ranges.map(|span| range_to_lsp(&member.text, span.clone(), encoding));
        let from = hierarchy::call_item(context, member)?;
        Some(CallHierarchyIncomingCall { from, from_ranges: ranges.collect() })
    });
    Ok(Some(calls.collect()))
}

pub(crate) fn outgoing(
    context: &RequestContext<'_>,
    params: CallHierarchyOutgoingCallsParams,
) -> Result<Option<Vec<CallHierarchyOutgoingCall>>, QueryError> {
    let item = params.item;
    let found = hierarchy::related_members(
        context,
        &item.uri,
        item.data.as_ref(),
        HierarchyQuery::Outgoing,
    )?;
    let Some((document, found)) = found else { return Ok(None) };
    let encoding = context.session.encoding;
    let calls = found.iter().filter_map(|member| {
        let ranges = member.calls.iter();
        let ranges = ranges.map(|span| range_to_lsp(document.text(), span.clone(), encoding));
        let to = hierarchy::call_item(context, member)?;
        Some(CallHierarchyOutgoingCall { to, from_ranges: ranges.collect() })
    });
    Ok(Some(calls.collect()))
}
