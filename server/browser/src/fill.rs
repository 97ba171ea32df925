//! `fill`: fills in a form field.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::call::{Call, timeout};
use crate::limits::{ACTION_TIMEOUT, MAX_SCRIPT_BYTES};
use crate::mouse::Needs;
use crate::report::{PageReport, text_of};

pub(crate) struct Fill;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A reference of `browser_snapshot` (`e12`), CSS, `text=Save`, or `role=textbox[name="Name"]`.
    selector: String,
    /// The text; for a list of choices the name of one, for a checkbox `true` or `false`.
    value: String,
    /// Replace what is there; true by default.
    #[serde(default = "yes")]
    clear_first: bool,
    /// How long to wait until the field can be filled in, in milliseconds; 10,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    page: PageReport,
}

#[derive(Deserialize)]
struct Prepared {
    #[serde(default)]
    gone: bool,
    #[serde(default)]
    why: Option<String>,
    #[serde(default, rename = "type")]
    is_typed: bool,
    #[serde(default)]
    click: bool,
    #[serde(default, rename = "isEmpty")]
    is_empty: bool,
}

impl Tool for Fill {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "fill";
    const ALIASES: &'static [&'static str] = &["browser_fill", "browser_type"];
    const DESCRIPTION: &'static str = "Fill in a field of the page: types a text, chooses an option of a list, or sets a \
        checkbox. Waits until the field is enabled. Send a form with `click`, or `browser_act` and Enter.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("ref", "selector"),
        ("target", "selector"),
        ("text", "value"),
        ("timeout", "timeout_ms"),
    ];

    fn text(result: &Value) -> Option<String> {
        Some(text_of(result, "filled in"))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        timeout(Self::NAME, params.timeout_ms, ACTION_TIMEOUT)?;
        crate::target::Selector::parse(Self::NAME, &params.selector)?;
        if params.value.len() > MAX_SCRIPT_BYTES {
            let message =
                format!("{}: `value` is longer than {MAX_SCRIPT_BYTES} bytes", Self::NAME);
            return Err(ToolError::new(Code::TooLarge, message));
        }
        Ok(crate::effects::of_action(context, Self::NAME))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let call = Call::on_page(context, Self::NAME, params.timeout_ms, ACTION_TIMEOUT)?;
        let _attended = call.browser.gate.attend();
        call.refuse_if_dialog()?;
        let before = call.before();
        let (element, x, y) = call.find_ready(&params.selector, Needs::FILL)?;
        let navigations = call.navigations();
        let argument =
            json!({ "ref": element.reference, "value": params.value, "clear": params.clear_first });
        let prepared: Prepared = call
            .run(&element.frame, "prepareFill", &argument)
            .map_err(|error| call.failed(&error))?;
        if prepared.gone {
            return Err(call.gone());
        }
        if let Some(why) = prepared.why {
            let message =
                format!("{}: `{:.200}` was not filled in: {why}", Self::NAME, params.selector);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        if prepared.click {
            call.click_at(x, y, "left", 1, 0)?;
        } else if prepared.is_typed && !params.value.is_empty() {
            call.input("Input.insertText", json!({ "text": params.value }))?;
        } else if prepared.is_typed && params.clear_first && !prepared.is_empty {
            call.press(&crate::keys::key(Self::NAME, "Delete")?)?;
        }
        let is_settled = call.settle(navigations)?;
        let mut page = call.report(&before);
        page.loading = !is_settled;
        Ok(Output { page })
    }
}

impl Call<'_> {
    /// Presses a key.
    pub(crate) fn press(&self, key: &Value) -> Result<(), ToolError> {
        for kind in ["keyDown", "keyUp"] {
            if self.open_dialog().is_some() {
                return Ok(());
            }
            let mut params = key.clone();
            params["type"] = kind.into();
            if kind == "keyUp" {
                params["text"] = "".into();
            }
            self.input("Input.dispatchKeyEvent", params)?;
        }
        Ok(())
    }
}
