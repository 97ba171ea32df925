//! `textDocument/prepareTypeHierarchy`, `typeHierarchy/supertypes` and `subtypes`

use tower_lsp_server::ls_types::{
    TypeHierarchyItem, TypeHierarchyPrepareParams, TypeHierarchySubtypesParams,
    TypeHierarchySupertypesParams,
};
use workspace::{HierarchyQuery, QueryError};

use crate::hierarchy;
use crate::request_context::RequestContext;

pub(crate) fn prepare(
    context: &RequestContext<'_>,
    params: TypeHierarchyPrepareParams,
) -> Result<Option<Vec<TypeHierarchyItem>>, QueryError> {
    let position = params.text_document_position_params;
    hierarchy::prepare(context, &position, HierarchyQuery::Type, hierarchy::type_item)
}

pub(crate) fn supertypes(
    context: &RequestContext<'_>,
    params: TypeHierarchySupertypesParams,
) -> Result<Option<Vec<TypeHierarchyItem>>, QueryError> {
    related_members(context, &params.item, HierarchyQuery::Supertypes)
}

pub(crate) fn subtypes(
    context: &RequestContext<'_>,
    params: TypeHierarchySubtypesParams,
) -> Result<Option<Vec<TypeHierarchyItem>>, QueryError> {
    related_members(context, &params.item, HierarchyQuery::Subtypes)
}

fn related_members(
    context: &RequestContext<'_>,
    item: &TypeHierarchyItem,
    kind: HierarchyQuery,
) -> Result<Option<Vec<TypeHierarchyItem>>, QueryError> {
    let found = hierarchy::related_members(context, &item.uri, item.data.as_ref(), kind)?;
    let Some((_, found)) = found else { return Ok(None) };
    Ok(Some(found.iter().filter_map(|member| hierarchy::type_item(context, member)).collect()))
}
