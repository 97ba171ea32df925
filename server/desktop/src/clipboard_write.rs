//! `clipboard_write`: sets the text of the clipboard.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::approval::on_clipboard;
use crate::display::Display;
use crate::limits::MAX_CLIPBOARD_BYTES;
use crate::selection::{Selection, own};

pub(crate) struct ClipboardWrite;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The text, at most 1 MiB.
    text: String,
    #[serde(default)]
    selection: Selection,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// How many characters it has.
    characters: usize,
}

impl Tool for ClipboardWrite {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "clipboard_write";
    const DESCRIPTION: &'static str = "Set the text of the desktop's clipboard, in place of what the person copied. It is \
        kept until another program copies something or the server ends. To type a text into a window use `text_insert`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin];
    const OWN_SANDBOX: bool = true;

    fn text(result: &Value) -> Option<String> {
        Some(format!("copied {} characters", result["characters"]))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.text.len() > MAX_CLIPBOARD_BYTES {
            let message = format!("{}: `text` is longer than 1 MiB", Self::NAME);
            return Err(ToolError::new(Code::TooLarge, message));
        }
        let display = Display::open(context, Self::NAME)?;
        let write = on_clipboard("write", params.selection, Some(&params.text));
        Ok([write].into_iter().chain(display.resume_effect()?).collect())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let display = Display::open(context, Self::NAME)?;
        display.require_not_stopped(context)?;
        let characters = params.text.chars().count();
        own(&display, params.selection, params.text)?;
        Ok(Output { characters })
    }
}
