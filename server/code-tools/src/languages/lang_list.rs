//! `lang_list`: the supported languages and their features.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::Language;

use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct LangList;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The languages, ordered by id.
    languages: Vec<LanguageOutput>,
}

#[derive(Serialize, JsonSchema)]
struct LanguageOutput {
    /// The id used in results.
    id: &'static str,
    /// Its name.
    name: &'static str,
    /// File extensions, without the dot.
    extensions: &'static [String],
    /// Values of `languageId` that editors use for it.
    language_ids: &'static [String],
    /// Supported features: `outline`, `names`, `highlights`, `inside` (embedded languages),
    /// `folds`, `indents`, `links`, `tag pairs`, `colours`, `errors`.
    features: Vec<&'static str>,
}

impl Tool for LangList {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lang_list";
    const DESCRIPTION: &'static str = "List the supported languages with file extensions and \
        features.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(_: &Context<'_>, _: Params) -> Result<Output, ToolError> {
        let known = |language: Language| LanguageOutput {
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
