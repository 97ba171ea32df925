//! `textDocument/completion`

mod item;
mod trigger;

pub(crate) use trigger::TRIGGERS;

use serde_json::{Value, json};
use tower_lsp_server::ls_types::{CompletionList, CompletionParams, CompletionResponse};
use workspace::QueryError;

use super::completion_resolve::import;
use crate::question::Question;

/// So many names come before the words of the language.
const BEFORE_PHRASES: usize = 5;

/// Most imports that are worked out with the list, for clients that cannot have them later.
const IMPORTS: usize = 6;

pub(crate) fn answer(
    question: &Question<'_>,
    params: CompletionParams,
) -> Result<Option<CompletionResponse>, QueryError> {
    let place = params.text_document_position;
    let Some((document, offset)) = question.document_at(&place) else { return Ok(None) };
    let typed = params.context.and_then(|context| context.trigger_character);
    let meant = trigger::Meant::by(typed.as_deref(), &document, offset);
    if meant == trigger::Meant::Nothing {
        return Ok(None);
    }
    let found = question.snapshot.complete(&document, offset, question.interrupt)?;
    let Some(found) = found else { return Ok(None) };
    if meant == trigger::Meant::Path && found.paths.is_empty() {
        return Ok(None);
    }
    let site = item::Site::new(question.session, &document, &found);
    let mut items = Vec::with_capacity(found.candidates.len() + found.phrases.len());
    items.extend(found.paths.iter().enumerate().map(|(n, path)| site.path(path, n)));
    let phrases_from = found.visible.min(BEFORE_PHRASES);
    let (mut imports, mut cut) = (0, false);
    for (n, offered) in found.candidates.iter().enumerate() {
        if n == phrases_from {
            site.phrases(&found, &mut items);
        }
        let wanted = Wanted::from(offered, &document, found.span.start);
        let mut item = site.item(offered, items.len());
        if offered.candidate.import.is_some() && !question.session.features.completion.late_edits {
            imports += 1;
            let edits = match &wanted {
                Some(wanted) if imports <= IMPORTS => import(question, wanted)?,
                _ => None,
            };
            // Without its import it would be wrong.
            let Some(edits) = edits else {
                cut = true;
                continue;
            };
            item.additional_text_edits = Some(edits);
        }
        item.data = wanted.map(Wanted::into_data);
        items.push(item);
    }
    if found.candidates.len() <= phrases_from {
        site.phrases(&found, &mut items);
    }
    let is_incomplete = !found.complete || cut;
    Ok(Some(CompletionResponse::List(CompletionList { is_incomplete, items })))
}

/// What an item stands for, kept in it until it is resolved.
pub(super) struct Wanted {
    pub(super) name: String,
    /// The file that defines it, and where its name starts there.
    pub(super) uri: String,
    pub(super) start: usize,
    /// The document that it is to be imported into, where the name starts there, and the
    /// definition's number in its own file.
    pub(super) import: Option<(String, usize, u32)>,
    /// The module of a package that offers it, none of whose files are read.
    pub(super) package: Option<String>,
    /// The module that the list says it is imported from.
    pub(super) module: Option<String>,
}

impl Wanted {
    fn from(
        offered: &workspace::Offered,
        document: &workspace::Document,
        at: usize,
    ) -> Option<Self> {
        let candidate = &offered.candidate;
        if candidate.place.is_none() && candidate.import.is_some() {
            let (name, uri) = (candidate.name.clone(), document.uri().to_string());
            let import = Some((uri.clone(), at, 0));
            let package = candidate.import.clone();
            return Some(Self { name, uri, start: at, import, package, module: None });
        }
        let (uri, (_, span)) = offered.uri.as_ref().zip(candidate.place.as_ref())?;
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

    pub(super) fn of(data: Value) -> Option<Self> {
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
