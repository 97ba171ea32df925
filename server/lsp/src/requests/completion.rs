//! `textDocument/completion`

mod item;
mod trigger;

pub(crate) use trigger::TRIGGERS;

use serde_json::{Value, json};
use tower_lsp_server::ls_types::{CompletionList, CompletionParams, CompletionResponse};
use workspace::QueryError;

use super::completion_resolve::import;
use crate::request_context::RequestContext;

/// Candidates listed before keywords and snippets.
const CANDIDATES_BEFORE_PHRASES: usize = 5;

/// Most imports resolved eagerly, for clients that cannot resolve them lazily.
const MAX_EAGER_IMPORTS: usize = 6;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: CompletionParams,
) -> Result<Option<CompletionResponse>, QueryError> {
    let position = params.text_document_position;
    let Some((document, offset)) = context.document_at(&position) else { return Ok(None) };
    let typed = params.context.and_then(|context| context.trigger_character);
    let kind = trigger::Trigger::classify(typed.as_deref(), &document, offset);
    if kind == trigger::Trigger::Nothing {
        return Ok(None);
    }
    let found = context.snapshot.complete(&document, offset, context.interrupt)?;
    let Some(found) = found else { return Ok(None) };
    if kind == trigger::Trigger::Path && found.paths.is_empty() {
        return Ok(None);
    }
    let builder = item::ItemBuilder::new(context.session, &document, &found);
    let mut items = Vec::with_capacity(found.candidates.len() + found.phrases.len());
    items.extend(found.paths.iter().enumerate().map(|(n, path)| builder.path(path, n)));
    let phrases_from = found.visible.min(CANDIDATES_BEFORE_PHRASES);
    let (mut imports, mut cut) = (0, false);
    for (n, offered) in found.candidates.iter().enumerate() {
        if n == phrases_from {
            builder.phrases(&found, &mut items);
        }
        let data = ItemData::new(offered, &document, found.span.start);
        let mut item = builder.item(offered, items.len());
        if offered.candidate.import.is_some() && !context.session.features.completion.lazy_edits {
            imports += 1;
            let edits = match &data {
                Some(data) if imports <= MAX_EAGER_IMPORTS => import(context, data)?,
                _ => None,
            };
            // Without its import the item would be wrong.
            let Some(edits) = edits else {
                cut = true;
                continue;
            };
            item.additional_text_edits = Some(edits);
        }
        item.data = data.map(ItemData::into_data);
        items.push(item);
    }
    if found.candidates.len() <= phrases_from {
        builder.phrases(&found, &mut items);
    }
    let is_incomplete = !found.complete || cut;
    Ok(Some(CompletionResponse::List(CompletionList { is_incomplete, items })))
}

/// The `data` of an item, for resolving it.
pub(super) struct ItemData {
    pub(super) name: String,
    /// The file with its definition, and the offset of the name there.
    pub(super) uri: String,
    pub(super) start: usize,
    /// The document to import it into, the offset of the name there, and the definition's number in its
    /// own file.
    pub(super) import: Option<(String, usize, u32)>,
    /// The module of a package whose files are not indexed.
    pub(super) package: Option<String>,
    /// The module that the list shows as its origin.
    pub(super) module: Option<String>,
}

impl ItemData {
    fn new(
        offered: &workspace::Offered,
        document: &workspace::Document,
        at: usize,
    ) -> Option<Self> {
        let candidate = &offered.candidate;
        if candidate.location.is_none() && candidate.import.is_some() {
            let (name, uri) = (candidate.name.clone(), document.uri().to_string());
            let import = Some((uri.clone(), at, 0));
            let package = candidate.import.clone();
            return Some(Self { name, uri, start: at, import, package, module: None });
        }
        let (uri, (_, span)) = offered.uri.as_ref().zip(candidate.location.as_ref())?;
        let import = candidate.import.as_ref().zip(candidate.definition);
        Some(Self {
            name: candidate.name.clone(),
            uri: uri.to_string(),
            start: span.start,
            import: import.map(|(_, id)| (document.uri().to_string(), at, id.number)),
            package: None,
            module: candidate.import.clone(),
        })
    }

    fn into_data(self) -> Value {
        let Self { name, uri, start, import, package, module } = self;
        json!({
            "name": name, "uri": uri, "start": start, "import": import, "package": package,
            "module": module,
        })
    }

    pub(super) fn parse(data: Value) -> Option<Self> {
        let word = |field: &str| data.get(field)?.as_str().map(str::to_owned);
        let number = |value: &Value| usize::try_from(value.as_u64()?).ok();
        let import = data.get("import").and_then(|import| {
            let uri = import.get(0)?.as_str()?.to_owned();
            Some((uri, number(import.get(1)?)?, u32::try_from(import.get(2)?.as_u64()?).ok()?))
        });
        let start = number(data.get("start")?)?;
        let (name, uri) = (word("name")?, word("uri")?);
        let (package, module) = (word("package"), word("module"));
        Some(Self { name, uri, start, import, package, module })
    }
}
