//! `mouse_click`: clicks in a window.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::display::Display;
use crate::input::{InputTarget, effects};
use crate::key_press::{Output, sent_line};
use crate::mouse::{Button, Mouse};

pub(crate) struct MouseClick;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// In pixels of the window that `window_id` names; without it, of the screen.
    x: i32,
    y: i32,
    #[serde(default)]
    button: Button,
    /// 2 for a double click.
    #[serde(default = "one")]
    clicks: u32,
    /// The window that it is meant for; the one with the focus by default.
    #[serde(default)]
    window_id: Option<String>,
}

fn one() -> u32 {
    1
}

/// Most clicks of one call.
const MAX_CLICKS: u32 = 3;

impl Tool for MouseClick {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "mouse_click";
    const DESCRIPTION: &'static str = "Click in a window of the desktop. Refused if the window does not have the focus at \
        that moment (`focus_window`), another one is at that place, or the person is using the mouse. For web pages \
        use `click`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin];
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("window", "window_id"), ("click_count", "clicks")];

    fn text(result: &Value) -> Option<String> {
        Some(sent_line("clicked", result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if !(1..=MAX_CLICKS).contains(&params.clicks) {
            let message = format!("{}: `clicks` is 1 to {MAX_CLICKS}", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        let what = format!(
            "click {} times with the {} button at {},{}",
            params.clicks,
            params.button.name(),
            params.x,
            params.y
        );
        effects(context, Self::NAME, params.window_id.as_deref(), &what)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let display = Display::open(context, Self::NAME)?;
        let id = params.window_id.as_deref();
        let input = InputTarget::open(context, &display, id, Self::NAME)?;
        let place = Mouse::place(&input, id.is_some(), (params.x, params.y))?;
        let mouse = Mouse::new(&display);
        input.send(Some(place), || mouse.click(place, params.button, params.clicks))?;
        drop(mouse);
        Ok(Output::after(&display, input.window))
    }
}
