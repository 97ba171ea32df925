//! `browser_wait`: waits until something is on the page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::call::{Call, timeout};
use crate::limits::ACTION_TIMEOUT;
use crate::report::{PageReport, text_of};
use crate::target::Selector;

pub(crate) struct BrowserWait;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// An element to wait for: CSS, `text=Save`, or `role=button[name="Save"]`.
    #[serde(default)]
    selector: Option<String>,
    /// A text to wait for, anywhere on the page.
    #[serde(default)]
    text: Option<String>,
    /// Wait until it is gone.
    #[serde(default)]
    gone: bool,
    /// Time in milliseconds, at most 300,000; 10,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// How long it took, in milliseconds.
    waited_ms: u64,
    #[serde(flatten)]
    page: PageReport,
}

impl Tool for BrowserWait {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "browser_wait";
    const ALIASES: &'static [&'static str] = &["browser_wait_for"];
    const DESCRIPTION: &'static str = "Wait until an element or a text is on the page, or gone. `click` and `fill` wait \
        for their elements by themselves.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("timeout", "timeout_ms")];
    const VERBOSE_FIELDS: &'static [&'static str] = &["waited_ms"];

    fn text(result: &Value) -> Option<String> {
        Some(text_of(result, "done"))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        timeout(Self::NAME, params.timeout_ms, ACTION_TIMEOUT)?;
        let is_empty =
            |text: &Option<String>| text.as_deref().is_none_or(|text| text.trim().is_empty());
        if is_empty(&params.selector) == is_empty(&params.text) {
            let message = format!("{}: give either `selector` or `text`", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        if let Some(selector) = &params.selector {
            Selector::parse(Self::NAME, selector)?;
        }
        Ok(crate::effects::of_action(context, Self::NAME))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let call = Call::on_page(context, Self::NAME, params.timeout_ms, ACTION_TIMEOUT)?;
        let _attended = call.browser.gate.attend();
        call.refuse_if_dialog()?;
        let before = call.before();
        let begun = std::time::Instant::now();
        let mut failure = None;
        let mut has_answered = false;
        let is_done = call.wait_until(|| match is_there(&call, &params) {
            Ok(is_there) => {
                has_answered = true;
                is_there != params.gone
            }
            // The time is over in the middle of one more attempt.
            Err(error) if has_answered && error.code == Code::Timeout => false,
            Err(error) => {
                failure = Some(error);
                true
            }
        })?;
        if let Some(error) = failure {
            return Err(error);
        }
        if !is_done {
            let what = params.selector.or(params.text).unwrap_or_default();
            let verb = if params.gone { "is still" } else { "is not" };
            let message = format!(
                "{}: `{what:.200}` {verb} on the page after {} ms",
                Self::NAME,
                begun.elapsed().as_millis()
            );
            return Err(
                ToolError::new(Code::Timeout, message).hint("`browser_snapshot` shows the page")
            );
        }
        let waited_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(Output { waited_ms, page: call.report(&before) })
    }
}

fn is_there(call: &Call<'_>, params: &Params) -> Result<bool, ToolError> {
    #[derive(Deserialize)]
    struct Found {
        #[serde(default)]
        count: u64,
        #[serde(default)]
        found: bool,
    }
    let selector = params
        .selector
        .as_deref()
        .map(|selector| Selector::parse(call.tool, selector))
        .transpose()?;
    for frame in call.frames() {
        let found: Result<Found, _> = match (&selector, &params.text) {
            (Some(selector), _) => {
                call.run(&frame, "find", &json!({ "target": selector.to_json() }))
            }
            (None, text) => call.run(&frame, "hasText", &json!({ "text": text })),
        };
        match (found, &selector) {
            (Ok(found), _) if found.count > 0 || found.found => return Ok(true),
            (Ok(_), _) => {}
            (Err(error), _) if error.is_stale() => {}
            (Err(error), Some(selector)) => return Err(call.selector_failed(selector, &error)),
            (Err(error), None) => return Err(call.failed(&error)),
        }
    }
    Ok(false)
}
