//! `mouse_click`: clicks in a window.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::accessibility::resolve::resolve;
use crate::display::Display;
use crate::input::{InputTarget, effects, input_effects};
use crate::key_press::{Output, sent_line};
use crate::mouse::{Button, Mouse};

pub(crate) struct MouseClick;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// In pixels of the window that `window_id` names; without it, of the screen.
    #[serde(default)]
    x: Option<i32>,
    #[serde(default)]
    y: Option<i32>,
    /// The element to click at, as `detect_elements` returns its id, instead of a place and a window.
    #[serde(default)]
    element: Option<String>,
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

/// Where a call clicks.
enum ClickPlace<'p> {
    Element(&'p str),
    Pixel(i32, i32),
}

fn at(params: &Params) -> Result<ClickPlace<'_>, ToolError> {
    let element = params.element.as_deref().filter(|element| !element.is_empty());
    match (element, params.x, params.y) {
        (Some(element), None, None) if params.window_id.is_none() => {
            Ok(ClickPlace::Element(element))
        }
        (None, Some(x), Some(y)) => Ok(ClickPlace::Pixel(x, y)),
        _ => Err(ToolError::new(
            Code::InvalidParams,
            format!("{}: name a place by `x` and `y`, or an `element` alone", MouseClick::NAME),
        )),
    }
}

impl Tool for MouseClick {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "mouse_click";
    const DESCRIPTION: &'static str = "Click at a place or an element of a window of the desktop. Refused if the window does not have the focus at \
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
        let what = |at: &str| {
            format!(
                "click {} times with the {} button at {at}",
                params.clicks,
                params.button.name()
            )
        };
        match at(params)? {
            ClickPlace::Element(id) => {
                let display = Display::open(context, Self::NAME)?;
                let (_, found) = resolve(&display, context.interrupt, id, Self::NAME)?;
                input_effects(&display, &found.window, &what(&found.element.described()))
            }
            ClickPlace::Pixel(x, y) => {
                let window = params.window_id.as_deref();
                effects(context, Self::NAME, window, &what(&format!("{x},{y}")))
            }
        }
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let display = Display::open(context, Self::NAME)?;
        let (input, place) = match at(&params)? {
            ClickPlace::Element(id) => {
                let (_, found) = resolve(&display, context.interrupt, id, Self::NAME)?;
                let window = Some(found.window.id.as_str());
                let input = InputTarget::open(context, &display, window, Self::NAME)?;
                // The person may have moved it while the call waited for them to pause.
                let (_, found) = resolve(&display, context.interrupt, id, Self::NAME)?;
                let place = Mouse::place(&input, false, found.middle(&display)?)?;
                (input, place)
            }
            ClickPlace::Pixel(x, y) => {
                let id = params.window_id.as_deref();
                let input = InputTarget::open(context, &display, id, Self::NAME)?;
                let place = Mouse::place(&input, id.is_some(), (x, y))?;
                (input, place)
            }
        };
        let mouse = Mouse::new(&display);
        input.send(Some(place), || mouse.click(place, params.button, params.clicks))?;
        drop(mouse);
        Ok(Output::after(&display, input.window))
    }
}
