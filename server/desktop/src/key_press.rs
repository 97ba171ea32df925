//! `key_press`: presses a key.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::display::Display;
use crate::input::{InputTarget, effects};
use crate::keyboard::Keyboard;
use crate::keysyms::parse_key;
use crate::stop_key::check_key;
use crate::windows::DesktopWindow;

pub(crate) struct KeyPress;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The key: `a`, `Enter`, `Escape`, `PageDown`, `F5`, or with its modifiers `ctrl+s`.
    key: String,
    /// Keys that are held: `ctrl`, `shift`, `alt`, `meta`, `altgr`.
    #[serde(default)]
    modifiers: Vec<String>,
    /// The window that it is meant for; the one with the focus by default.
    #[serde(default)]
    window_id: Option<String>,
    /// How often to press it; 1 by default.
    #[serde(default = "one")]
    count: u32,
}

fn one() -> u32 {
    1
}

/// Most presses of one call.
const MAX_COUNT: u32 = 100;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The window that got it.
    window_id: String,
    /// The window's title after that.
    title: String,
}

impl Output {
    /// The window after a call's input; it may have closed itself.
    pub(crate) fn after(display: &Display<'_>, window: DesktopWindow) -> Self {
        let now = display.window(window.handle);
        let title = now.map_or_else(|_| "(closed)".to_owned(), |window| window.title);
        Self { window_id: window.id, title }
    }
}

impl Tool for KeyPress {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "key_press";
    const DESCRIPTION: &'static str = "Press a key, also with modifiers, in a window of the desktop. Refused if the \
        window does not have the focus at that moment (`focus_window`), or the person is typing. For text use \
        `text_insert`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin];
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("window", "window_id"), ("keys", "key")];

    fn text(result: &Value) -> Option<String> {
        Some(sent_line("pressed", result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let (modifiers, key) = parse_key(Self::NAME, &params.key, &params.modifiers)?;
        check_key(context, Self::NAME, &modifiers, key)?;
        if !(1..=MAX_COUNT).contains(&params.count) {
            let message = format!("{}: `count` is 1 to {MAX_COUNT}", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        let mut keys = params.modifiers.clone();
        keys.push(params.key.clone());
        let what = format!("press {}", keys.join("+"));
        effects(context, Self::NAME, params.window_id.as_deref(), &what)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (modifiers, key) = parse_key(Self::NAME, &params.key, &params.modifiers)?;
        let display = Display::open(context, Self::NAME)?;
        let input = InputTarget::open(context, &display, params.window_id.as_deref(), Self::NAME)?;
        let failed = |error| display.failed(error);
        let mut keyboard = Keyboard::open(&display).map_err(failed)?;
        let held: Vec<_> =
            modifiers.iter().map(|symbol| keyboard.modifier(*symbol)).collect::<Result<_, _>>()?;
        if keyboard.stroke(key).is_none() && !keyboard.add(&[key]).map_err(failed)? {
            return Err(
                display.error(Code::Unsupported, "the keyboard has no such key, and no spare one")
            );
        }
        let stroke = keyboard.stroke(key).ok_or_else(|| display.error(Code::Internal, "no key"))?;
        display.sync().map_err(failed)?;
        for _ in 0..params.count {
            input.send(None, || keyboard.press(&held, stroke))?;
        }
        if keyboard.is_changed() {
            input.settle()?;
        }
        drop(keyboard);
        Ok(Output::after(&display, input.window))
    }
}

/// What was done, and in which window.
pub(crate) fn sent_line(what: &str, result: &Value) -> String {
    let field = |name: &str| result[name].as_str().unwrap_or_default();
    format!("{what} in {} \"{}\"", field("window_id"), field("title"))
}
