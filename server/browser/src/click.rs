//! `click`: clicks an element.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::call::{Call, timeout};
use crate::limits::ACTION_TIMEOUT;
use crate::mouse::Needs;
use crate::report::{PageReport, text_of};

pub(crate) struct Click;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A reference of `browser_snapshot` (`e12`), CSS, `text=Save`, or `role=button[name="Save"]`.
    selector: String,
    #[serde(default)]
    button: Button,
    /// 2 for a double click.
    #[serde(default = "one")]
    click_count: u64,
    /// Keys that are held: `ctrl`, `shift`, `alt`, `meta`.
    #[serde(default)]
    modifiers: Vec<String>,
    /// How long to wait until the element can be clicked, in milliseconds; 10,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

fn one() -> u64 {
    1
}

/// A button of the mouse.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Button {
    #[default]
    Left,
    Right,
    Middle,
}

impl Button {
    fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
            Self::Middle => "middle",
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// How many elements the selector matches, if it is more than one; the first visible one was clicked.
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<u64>,
    #[serde(flatten)]
    page: PageReport,
}

/// Most clicks of one call.
const MAX_CLICKS: u64 = 3;

impl Tool for Click {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "click";
    const ALIASES: &'static [&'static str] = &["browser_click"];
    const DESCRIPTION: &'static str = "Click an element of the page, after waiting until it is visible, enabled and not \
        covered. Waits for the page that the click leads to, and returns what it caused: a new URL, dialogs, console \
        errors.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("ref", "selector"),
        ("target", "selector"),
        ("timeout", "timeout_ms"),
        ("clickCount", "click_count"),
    ];

    fn text(result: &Value) -> Option<String> {
        let mut text = match result["matches"].as_u64() {
            Some(matches) => format!("clicked the first of {matches} matches\n"),
            None => String::new(),
        };
        text.push_str(&text_of(result, "clicked"));
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        timeout(Self::NAME, params.timeout_ms, ACTION_TIMEOUT)?;
        if !(1..=MAX_CLICKS).contains(&params.click_count) {
            let message = format!("{}: `click_count` is 1 to {MAX_CLICKS}", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        crate::keys::modifiers(Self::NAME, &params.modifiers)?;
        crate::target::Selector::parse(Self::NAME, &params.selector)?;
        Ok(crate::effects::of_action(context, Self::NAME))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let modifiers = crate::keys::modifiers(Self::NAME, &params.modifiers)?;
        let call = Call::on_page(context, Self::NAME, params.timeout_ms, ACTION_TIMEOUT)?;
        let _attended = call.browser.gate.attend();
        call.refuse_if_dialog()?;
        let before = call.before();
        let (element, x, y) = call.find_ready(&params.selector, Needs::CLICK)?;
        let navigations = call.navigations();
        call.click_at(x, y, params.button.name(), params.click_count, modifiers)?;
        let is_settled = call.settle(navigations)?;
        let mut page = call.report(&before);
        page.loading = !is_settled;
        Ok(Output { matches: Some(element.count).filter(|count| *count > 1), page })
    }
}
