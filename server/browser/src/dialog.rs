//! `browser_dialog`: answers a dialog of the page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::call::Call;
use crate::limits::ACTION_TIMEOUT;
use crate::report::{PageReport, text_of};

pub(crate) struct BrowserDialog;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// `true` is OK, `false` is Cancel.
    accept: bool,
    /// The answer to a prompt.
    #[serde(default)]
    text: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    page: PageReport,
}

impl Tool for BrowserDialog {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "browser_dialog";
    const ALIASES: &'static [&'static str] = &["browser_handle_dialog"];
    const DESCRIPTION: &'static str = "Answer the confirm or prompt dialog that the page waits for, and return what that \
        caused. Alerts are accepted by themselves.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("promptText", "text"), ("prompt_text", "text")];

    fn text(result: &Value) -> Option<String> {
        Some(text_of(result, "answered"))
    }

    fn effects(context: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(crate::effects::of_action(context, Self::NAME))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let call = Call::on_page(context, Self::NAME, None, ACTION_TIMEOUT)?;
        let _attended = call.browser.gate.attend();
        if call.open_dialog().is_none() {
            let message = format!("{}: no dialog is open", Self::NAME);
            return Err(
                ToolError::new(Code::NoMatch, message).hint("alerts are accepted by themselves")
            );
        }
        let before = call.before();
        let navigations = call.navigations();
        // Its own dialog must not end this wait; one that follows ends the next.
        call.ignores_dialogs(true);
        let mut answer = json!({ "accept": params.accept });
        if let Some(text) = params.text {
            answer["promptText"] = text.into();
        }
        call.browser.pages.with(|pages| {
            if let Some(page) = pages.page(&call.session) {
                page.dialogs.open = None;
            }
        });
        call.command("Page.handleJavaScriptDialog", answer)?;
        call.ignores_dialogs(false);
        let is_settled = call.settle(navigations)?;
        let mut page = call.report(&before);
        page.loading = !is_settled;
        Ok(Output { page })
    }
}
