//! `textDocument/prepareTypeHierarchy`, `typeHierarchy/supertypes` and `subtypes`

use tower_lsp_server::ls_types::{
    TypeHierarchyItem, TypeHierarchyPrepareParams, TypeHierarchySubtypesParams,
    TypeHierarchySupertypesParams,
};
use workspace::{Hierarchy, QueryError};

use crate::hierarchy;
use crate::question::Question;

pub(crate) fn prepare(
    question: &Question<'_>,
    params: TypeHierarchyPrepareParams,
) -> Result<Option<Vec<TypeHierarchyItem>>, QueryError> {
    let place = params.text_document_position_params;
    hierarchy::prepare(question, &place, Hierarchy::Type, hierarchy::type_item)
}

pub(crate) fn supertypes(
    question: &Question<'_>,
    params: TypeHierarchySupertypesParams,
) -> Result<Option<Vec<TypeHierarchyItem>>, QueryError> {
    beside(question, &params.item, Hierarchy::Supertypes)
}

pub(crate) fn subtypes(
    question: &Question<'_>,
    params: TypeHierarchySubtypesParams,
) -> Result<Option<Vec<TypeHierarchyItem>>, QueryError> {
    beside(question, &params.item, Hierarchy::Subtypes)
}

fn beside(
    question: &Question<'_>,
    item: &TypeHierarchyItem,
    wanted: Hierarchy,
) -> Result<Option<Vec<TypeHierarchyItem>>, QueryError> {
    let found = hierarchy::beside(question, &item.uri, item.data.as_ref(), wanted)?;
    let Some((_, found)) = found else { return Ok(None) };
    Ok(Some(found.iter().filter_map(|member| hierarchy::type_item(question, member)).collect()))
}
