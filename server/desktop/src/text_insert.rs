//! `text_insert`: types a text.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};
use x11rb::protocol::xproto::Keysym;

use crate::display::Display;
use crate::input::{InputTarget, effects};
use crate::key_press::sent_line;
use crate::keyboard::Keyboard;
use crate::keysyms::of_character;
use crate::limits::{
    CHUNK_CHARACTERS, MAX_DELAY_MS, MAX_TEXT_CHARACTERS, STEP_TIMEOUT, TYPING_TIMEOUT,
};

pub(crate) struct TextInsert;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The text. A line break presses Enter.
    text: String,
    /// Pause between characters, in milliseconds; none by default.
    #[serde(default)]
    delay_ms: u64,
    /// The window that it is meant for; the one with the focus by default.
    #[serde(default)]
    window_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// How many characters were typed.
    typed: usize,
    /// The window that got them.
    window_id: String,
    /// The window's title after that.
    title: String,
}

impl Tool for TextInsert {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "text_insert";
    const DESCRIPTION: &'static str = "Type a text into a window of the desktop, any Unicode whatever the keyboard's \
        layout. Refused if the window does not have the focus at that moment (`focus_window`), or the person is \
        typing; stops if the window loses it.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin];
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("window", "window_id"), ("delay", "delay_ms")];

    fn text(result: &Value) -> Option<String> {
        Some(sent_line(&format!("typed {} characters", result["typed"]), result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        symbols(&params.text)?;
        if params.delay_ms > MAX_DELAY_MS {
            let message = format!("{}: `delay_ms` is at most {MAX_DELAY_MS}", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        let what = format!("type\n{}", params.text);
        effects(context, Self::NAME, params.window_id.as_deref(), &what)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let symbols = symbols(&params.text)?;
        let display = Display::open(context, Self::NAME)?;
        let input = InputTarget::open(context, &display, params.window_id.as_deref(), Self::NAME)?;
        let mut keyboard = Keyboard::open(&display).map_err(|error| display.failed(error))?;
        let mut typed = 0;
        let delay = Duration::from_millis(params.delay_ms);
        let outcome = type_all(&input, &mut keyboard, &symbols, delay, &mut typed);
        if let Err(error) = outcome {
            if keyboard.is_changed() {
                // What was typed must arrive as it was meant; the error is what the caller gets.
                let _ = input.settle();
            }
            let message = match typed {
                0 => error.message.clone(),
                _ => format!(
                    "{} ({typed} of {} characters were typed before)",
                    error.message,
                    symbols.len()
                ),
            };
            return Err(ToolError { message, ..error }.details(json!({ "typed": typed })));
        }
        drop(keyboard);
        let title = display.window(input.window.handle);
        let title = title.map_or_else(|_| "(closed)".to_owned(), |window| window.title);
        Ok(Output { typed, window_id: input.window.id, title })
    }
}

/// The keys' symbols for a text.
fn symbols(text: &str) -> Result<Vec<Keysym>, ToolError> {
    let invalid = |why: String| {
        ToolError::new(Code::InvalidParams, format!("{}: `text` {why}", TextInsert::NAME))
    };
    let text = text.replace("\r\n", "\n");
    let count = text.chars().count();
    if count == 0 {
        return Err(invalid("is empty".to_owned()));
    }
    if count > MAX_TEXT_CHARACTERS {
        return Err(invalid(format!("has more than {MAX_TEXT_CHARACTERS} characters")));
    }
    let symbol = |character| {
        of_character(character).ok_or_else(|| {
            invalid(format!("has the control character U+{:04X}", u32::from(character)))
                .hint("key_press presses keys such as `Escape` or `ctrl+c`")
        })
    };
    text.chars().map(symbol).collect()
}

/// Types symbols in pieces, with a check of the focus before each. Counts in `typed`.
fn type_all(
    input: &InputTarget<'_, '_>,
    keyboard: &mut Keyboard<'_, '_>,
    symbols: &[Keysym],
    delay: Duration,
    typed: &mut usize,
) -> Result<(), ToolError> {
    let display = input.display;
    let failed = |error| display.failed(error);
    let most = if delay.is_zero() { CHUNK_CHARACTERS } else { 1 };
    let end = Instant::now() + TYPING_TIMEOUT;
    while *typed < symbols.len() {
        if Instant::now() >= end {
            return Err(display.error(Code::Timeout, "the text takes too long"));
        }
        let rest = &symbols[*typed..];
        let mut new = Vec::new();
        let fits = |symbol: &Keysym, new: &mut Vec<Keysym>| {
            if keyboard.stroke(*symbol).is_some() || new.contains(symbol) {
                return true;
            }
            let is_free = new.len() < keyboard.free();
            if is_free {
                new.push(*symbol);
            }
            is_free
        };
        let count = rest.iter().take(most).take_while(|symbol| fits(symbol, &mut new)).count();
        if count == 0 {
            if !keyboard.is_changed() {
                return Err(display.error(
                    Code::Unsupported,
                    "the keyboard has no spare key for characters that it lacks",
                ));
            }
            input.settle()?;
            keyboard.clear().map_err(failed)?;
            continue;
        }
        display.allow(STEP_TIMEOUT);
        keyboard.add(&new).map_err(failed)?;
        input.send(None, || {
            rest[..count].iter().try_for_each(|symbol| match keyboard.stroke(*symbol) {
                Some(stroke) => keyboard.press(&[], stroke),
                None => Err(display.error(Code::Internal, "a character has no key")),
            })
        })?;
        *typed += count;
        if *typed < symbols.len() {
            display.pause(delay)?;
        }
    }
    if keyboard.is_changed() {
        input.settle()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_keys_can_type_is_accepted() {
        assert_eq!(symbols("a\r\n\tß").unwrap(), [0x61, 0xff0d, 0xff09, 0xdf]);
        for text in ["", "\u{1b}", &"x".repeat(MAX_TEXT_CHARACTERS + 1)] {
            assert_eq!(symbols(text).unwrap_err().code, Code::InvalidParams);
        }
    }
}
