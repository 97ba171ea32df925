//! `mouse_act`: moves the mouse, turns its wheel, drags.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::display::Display;
use crate::input::{InputTarget, effects};
use crate::key_press::{Output, sent_line};
use crate::mouse::Mouse;

pub(crate) struct MouseAct;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    action: Action,
    /// In pixels of the window that `window_id` names; without it, of the screen.
    x: i32,
    y: i32,
    /// Where a drag ends.
    #[serde(default)]
    to_x: Option<i32>,
    #[serde(default)]
    to_y: Option<i32>,
    /// How far to scroll, in notches of the wheel: down and right are positive.
    #[serde(default)]
    down: i32,
    #[serde(default)]
    right: i32,
    /// The window that it is meant for; the one with the focus by default.
    #[serde(default)]
    window_id: Option<String>,
}

/// What the mouse does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    Move,
    Scroll,
    Drag,
}

/// Farthest that one call scrolls.
const MAX_NOTCHES: i32 = 100;

impl Tool for MouseAct {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "mouse_act";
    const DESCRIPTION: &'static str = "Move the mouse, scroll, or drag with its left button in a window of the desktop. \
        Refused under the same conditions as `mouse_click`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin];
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("window", "window_id"), ("dx", "right"), ("dy", "down")];

    fn text(result: &Value) -> Option<String> {
        Some(sent_line("done", result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let what = what(params)
            .map_err(|why| ToolError::new(Code::InvalidParams, format!("{}: {why}", Self::NAME)))?;
        effects(context, Self::NAME, params.window_id.as_deref(), &what)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let display = Display::open(context, Self::NAME)?;
        let id = params.window_id.as_deref();
        let input = InputTarget::open(context, &display, id, Self::NAME)?;
        let place = |x, y| Mouse::place(&input, id.is_some(), (x, y));
        let start = place(params.x, params.y)?;
        let mouse = Mouse::new(&display);
        match params.action {
            Action::Move => input.send(Some(start), || mouse.move_to(start))?,
            Action::Scroll => {
                input.send(Some(start), || mouse.scroll(start, params.right, params.down))?;
            }
            Action::Drag => {
                let end = place(params.to_x.unwrap_or(params.x), params.to_y.unwrap_or(params.y))?;
                input.send(Some(start), || mouse.press(start))?;
                mouse.drag_to(start, end)?;
            }
        }
        drop(mouse);
        Ok(Output::after(&display, input.window))
    }
}

/// What the call would do, for the person.
fn what(params: &Params) -> Result<String, String> {
    let Params { x, y, right, down, .. } = params;
    match params.action {
        Action::Move => Ok(format!("move the mouse to {x},{y}")),
        Action::Scroll => {
            let distance = right.unsigned_abs().max(down.unsigned_abs());
            if distance == 0 || distance > MAX_NOTCHES.unsigned_abs() {
                return Err(format!("`down` or `right` is 1 to {MAX_NOTCHES}, or negative"));
            }
            Ok(format!("scroll {down} down and {right} right at {x},{y}"))
        }
        Action::Drag => match (params.to_x, params.to_y) {
            (Some(to_x), Some(to_y)) => Ok(format!("drag from {x},{y} to {to_x},{to_y}")),
            _ => Err("a drag needs `to_x` and `to_y`".to_owned()),
        },
    }
}
