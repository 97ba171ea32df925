//! Names of keys.

use serde_json::{Value, json};
use tools::{Code, ToolError};

/// The bits of held keys.
pub(crate) fn modifiers(tool: &str, names: &[String]) -> Result<u64, ToolError> {
    names.iter().try_fold(0, |bits, name| match modifier(name) {
        Some(bit) => Ok(bits | bit),
        None => {
            let message = format!("{tool}: `{name:.40}` is no key that can be held");
            Err(ToolError::new(Code::InvalidParams, message).hint("ctrl, shift, alt, meta"))
        }
    })
}

fn modifier(name: &str) -> Option<u64> {
    match name.to_ascii_lowercase().as_str() {
        "alt" | "option" => Some(1),
        "ctrl" | "control" | "controlormeta" => Some(2),
        "meta" | "cmd" | "command" | "super" => Some(4),
        "shift" => Some(8),
        _ => None,
    }
}

/// Keys with names: (name, `key`, `code`, key code, text).
const NAMED: &[(&str, &str, &str, u64, &str)] = &[
    ("enter", "Enter", "Enter", 13, "\r"),
    ("return", "Enter", "Enter", 13, "\r"),
    ("tab", "Tab", "Tab", 9, ""),
    ("escape", "Escape", "Escape", 27, ""),
    ("esc", "Escape", "Escape", 27, ""),
    ("backspace", "Backspace", "Backspace", 8, ""),
    ("delete", "Delete", "Delete", 46, ""),
    ("space", " ", "Space", 32, " "),
    ("arrowleft", "ArrowLeft", "ArrowLeft", 37, ""),
    ("arrowup", "ArrowUp", "ArrowUp", 38, ""),
    ("arrowright", "ArrowRight", "ArrowRight", 39, ""),
    ("arrowdown", "ArrowDown", "ArrowDown", 40, ""),
    ("left", "ArrowLeft", "ArrowLeft", 37, ""),
    ("up", "ArrowUp", "ArrowUp", 38, ""),
    ("right", "ArrowRight", "ArrowRight", 39, ""),
    ("down", "ArrowDown", "ArrowDown", 40, ""),
    ("home", "Home", "Home", 36, ""),
    ("end", "End", "End", 35, ""),
    ("pageup", "PageUp", "PageUp", 33, ""),
    ("pagedown", "PageDown", "PageDown", 34, ""),
    ("insert", "Insert", "Insert", 45, ""),
];

/// The parameters of the events of a key such as `Enter`, `a` or `Control+Shift+K`.
pub(crate) fn key(tool: &str, written: &str) -> Result<Value, ToolError> {
    let (held, name) = match written.rsplit_once('+') {
        Some((held, name)) if !name.is_empty() => (held, name),
        _ if written.len() > 1 && written.ends_with("++") => (written.trim_end_matches('+'), "+"),
        _ => ("", written),
    };
    let names: Vec<String> =
        held.split('+').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let modifiers = modifiers(tool, &names)?;
    let lower = name.to_ascii_lowercase();
    if let Some((_, key, code, number, text)) = NAMED.iter().find(|(known, ..)| *known == lower) {
        let text = if modifiers & !8 == 0 { *text } else { "" };
        return Ok(
            json!({ "key": key, "code": code, "windowsVirtualKeyCode": number, "text": text, "modifiers": modifiers }),
        );
    }
    if let Some(number) = lower
        .strip_prefix('f')
        .and_then(|digits| digits.parse::<u64>().ok())
        .filter(|number| (1..=12).contains(number))
    {
        let key = format!("F{number}");
        return Ok(
            json!({ "key": key, "code": key, "windowsVirtualKeyCode": 111 + number, "modifiers": modifiers }),
        );
    }
    let mut characters = name.chars();
    let (Some(character), None) = (characters.next(), characters.next()) else {
        let message = format!("{tool}: no key is called `{written:.40}`");
        return Err(ToolError::new(Code::InvalidParams, message)
            .hint("`Enter`, `Tab`, `Escape`, `ArrowDown`, `PageDown`, `F5`, `a`, `Control+a`; `type` writes a text"));
    };
    let upper = character.to_ascii_uppercase();
    let code = match upper {
        'A'..='Z' => format!("Key{upper}"),
        '0'..='9' => format!("Digit{upper}"),
        _ => String::new(),
    };
    let number = if upper.is_ascii_alphanumeric() { u64::from(u32::from(upper)) } else { 0 };
    let text = if modifiers & !8 == 0 { character.to_string() } else { String::new() };
    Ok(
        json!({ "key": character.to_string(), "code": code, "windowsVirtualKeyCode": number, "text": text, "modifiers": modifiers }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_named_as_people_write_them() {
        let parse = |written: &str| key("t", written).map_err(|error| error.code);
        assert_eq!(parse("Enter").unwrap()["text"], "\r");
        let select = parse("Control+a").unwrap();
        assert_eq!(
            (&select["modifiers"], &select["text"], &select["code"]),
            (&json!(2), &json!(""), &json!("KeyA"))
        );
        assert_eq!(parse("Shift+A").unwrap()["text"], "A");
        assert_eq!(parse("+").unwrap()["key"], "+");
        assert_eq!(parse("ctrl++").unwrap()["key"], "+");
        assert_eq!(parse("f5").unwrap()["windowsVirtualKeyCode"], 116);
        assert_eq!(parse("é").unwrap()["text"], "é");
        for written in ["", "Hyper+a", "nonsense", "F13"] {
            assert_eq!(parse(written), Err(Code::InvalidParams), "{written}");
        }
    }
}
