//! `lang_list`: every language that is known, and what is known of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::Language;

use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct LangList;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The languages, in order of id.
    languages: Vec<Known>,
}

#[derive(Serialize, JsonSchema)]
struct Known {
    /// The id that results use.
    id: &'static str,
    /// What people call it.
    name: &'static str,
    /// The endings of its files' names, without the dot.
    extensions: &'static [String],
    /// What editors call it in `languageId`.
    language_ids: &'static [String],
    /// What is known of it: `outline`, `names`, `highlights`, `inside` (other languages in it),
    /// `folds`, `indents`, `links`, `tag pairs`, `colours`, `errors`.
    features: Vec<&'static str>,
}

impl Tool for LangList {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lang_list";
    const DESCRIPTION: &'static str = "List the languages that are known, with their file endings \
        and what can be asked of each.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(_: &Context<'_>, _: Params) -> Result<Output, ToolError> {
        let known = |language: Language| Known {
            id: language.id(),
            name: language.name(),
            extensions: language.extensions(),
            language_ids: language.lsp_ids(),
            features: Language::feature_names()
                .into_iter()
                .zip(language.features())
                .filter_map(|(name, has)| has.then_some(name))
                .collect(),
        };
        Ok(Output { languages: Language::all().map(known).collect() })
    }
}
