//! `lang_detect`: the language of a file or a text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::Language;

use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct LangDetect;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file, unsaved text included. It must exist unless `text` is given.
    #[serde(default)]
    path: Option<String>,
    /// The text to use; `path` is then only a name.
    #[serde(default)]
    text: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Language id; null if unknown.
    language: Option<&'static str>,
    /// Its name.
    name: Option<&'static str>,
    /// Start of a line comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    line_comment: Option<&'static str>,
    /// Start and end of a block comment.
    #[serde(skip_serializing_if = "Option::is_none")]
    block_comment: Option<[&'static str; 2]>,
}

impl Tool for LangDetect {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lang_detect";
    const DESCRIPTION: &'static str = "Detect the language of a file or a text from a modeline, \
        the file's name and extension, a `#!` line, or its first lines.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        match (&params.path, &params.text) {
            (Some(path), None) => Ok(vec![Effect::read(&context.snapshot.locate_to_read(path)?)]),
            (None, None) => {
                let message = format!("{}: `path` or `text` is needed", Self::NAME);
                Err(ToolError::new(Code::InvalidParams, message))
            }
            _ => Ok(Vec::new()),
        }
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let language = match (&params.path, &params.text) {
            (Some(path), None) => {
                let file = context.snapshot.read(&context.snapshot.locate_to_read(path)?)?;
                file.language()
            }
            (path, text) => {
                let name = path.as_deref().unwrap_or_default();
                let name = name.rsplit('/').next().unwrap_or_default();
                Language::detect(name, text.as_deref().unwrap_or_default())
            }
        };
        Ok(Output {
            language: language.map(Language::id),
            name: language.map(Language::name),
            line_comment: language.and_then(|l| Some(l.line_comments().first()?.as_str())),
            block_comment: language.and_then(Language::block_comment).map(Into::into),
        })
    }
}
