//! What X11 calls keys and characters.

use tools::{Code, ToolError};
use x11rb::protocol::xproto::Keysym;

/// A key that holds no symbol.
pub(crate) const NO_SYMBOL: Keysym = 0;
pub(crate) const SHIFT: Keysym = 0xffe1;
const CONTROL: Keysym = 0xffe3;
const ALT: Keysym = 0xffe9;
const SUPER: Keysym = 0xffeb;
const ALT_GR: Keysym = 0xfe03;
const RETURN: Keysym = 0xff0d;
const TAB: Keysym = 0xff09;
/// Symbols of characters outside of Latin-1 are their code points and this.
const UNICODE: Keysym = 0x0100_0000;

/// Keys with names, in lower case without separators.
const NAMED: &[(&str, Keysym)] = &[
    ("enter", RETURN),
    ("return", RETURN),
    ("tab", TAB),
    ("escape", 0xff1b),
    ("esc", 0xff1b),
    ("backspace", 0xff08),
    ("delete", 0xffff),
    ("del", 0xffff),
    ("insert", 0xff63),
    ("space", 0x20),
    ("home", 0xff50),
    ("end", 0xff57),
    ("pageup", 0xff55),
    ("pagedown", 0xff56),
    ("left", 0xff51),
    ("up", 0xff52),
    ("right", 0xff53),
    ("down", 0xff54),
    ("arrowleft", 0xff51),
    ("arrowup", 0xff52),
    ("arrowright", 0xff53),
    ("arrowdown", 0xff54),
    ("menu", 0xff67),
    ("contextmenu", 0xff67),
    ("print", 0xff61),
    ("printscreen", 0xff61),
    ("pause", 0xff13),
    ("capslock", 0xffe5),
    ("numlock", 0xff7f),
    ("shift", SHIFT),
    ("ctrl", CONTROL),
    ("control", CONTROL),
    ("alt", ALT),
    ("altgr", ALT_GR),
    ("meta", SUPER),
    ("super", SUPER),
];

/// The key that is held for a modifier.
pub(crate) fn modifier(tool: &str, name: &str) -> Result<Keysym, ToolError> {
    match name.to_ascii_lowercase().as_str() {
        "ctrl" | "control" => Ok(CONTROL),
        "shift" => Ok(SHIFT),
        "alt" | "option" => Ok(ALT),
        "meta" | "super" | "cmd" | "command" | "win" => Ok(SUPER),
        "altgr" => Ok(ALT_GR),
        _ => Err(ToolError::new(
            Code::InvalidParams,
            format!("{tool}: `{name:.40}` is no key that can be held"),
        )
        .hint("ctrl, shift, alt, meta, altgr")),
    }
}

/// A key, and the keys that are held for it: `Enter`, `a`, `ctrl+shift+k`.
pub(crate) fn parse_key(
    tool: &str,
    written: &str,
    held: &[String],
) -> Result<(Vec<Keysym>, Keysym), ToolError> {
    let (before, name) = match written.rsplit_once('+') {
        Some((before, name)) if !name.is_empty() => (before, name),
        _ if written.len() > 1 && written.ends_with("++") => (&written[..written.len() - 2], "+"),
        _ => ("", written),
    };
    let before = before.split('+').filter(|name| !name.is_empty());
    let mut modifiers: Vec<Keysym> = before
        .chain(held.iter().map(String::as_str))
        .map(|name| modifier(tool, name))
        .collect::<Result<_, _>>()?;
    modifiers.sort_unstable();
    modifiers.dedup();
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        let key = of_character(character).ok_or_else(|| unknown(tool, written))?;
        return Ok((modifiers, key));
    }
    let plain: String =
        name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).collect::<String>().to_lowercase();
    if let Some((_, key)) = NAMED.iter().find(|(known, _)| *known == plain) {
        return Ok((modifiers, *key));
    }
    let number = plain.strip_prefix('f').and_then(|digits| digits.parse::<u32>().ok());
    match number {
        Some(number @ 1..=24) => Ok((modifiers, 0xffbd + number)),
        _ => Err(unknown(tool, written)),
    }
}

fn unknown(tool: &str, written: &str) -> ToolError {
    ToolError::new(Code::InvalidParams, format!("{tool}: no key is called `{written:.40}`"))
        .hint("`Enter`, `Tab`, `Escape`, `Down`, `PageDown`, `F5`, `a`, `ctrl+s`; `text_insert` types a text")
}

/// The symbol of a character; `None` for control characters that no key stands for.
pub(crate) fn of_character(character: char) -> Option<Keysym> {
    match character {
        '\n' | '\r' => Some(RETURN),
        '\t' => Some(TAB),
        ' '..='~' | '\u{a0}'..='\u{ff}' => Some(character.into()),
        _ if character.is_control() => None,
        _ => Some(UNICODE | u32::from(character)),
    }
}

/// Whether Caps Lock changes what a key with this symbol types.
pub(crate) fn is_letter(key: Keysym) -> bool {
    char::from_u32(key).is_some_and(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_named_as_people_write_them() {
        let parse = |written: &str| parse_key("t", written, &[]);
        assert_eq!(parse("Enter").unwrap(), (vec![], RETURN));
        assert_eq!(parse("Page_Down").unwrap(), (vec![], 0xff56));
        assert_eq!(parse("ctrl+shift+k").unwrap(), (vec![SHIFT, CONTROL], 'k'.into()));
        assert_eq!(parse_key("t", "s", &["ctrl".to_owned()]).unwrap(), (vec![CONTROL], 's'.into()));
        assert_eq!(parse("+").unwrap(), (vec![], '+'.into()));
        assert_eq!(parse("ctrl++").unwrap(), (vec![CONTROL], '+'.into()));
        assert_eq!(parse("f5").unwrap(), (vec![], 0xffc2));
        assert_eq!(parse("é").unwrap(), (vec![], 0xe9));
        assert_eq!(parse("ж").unwrap(), (vec![], 0x0100_0436));
        for written in ["", "hyper+a", "nonsense", "F25", "\u{7}"] {
            assert_eq!(parse(written).unwrap_err().code, Code::InvalidParams, "{written}");
        }
    }

    #[test]
    fn characters_have_symbols() {
        assert_eq!(of_character('a'), Some(0x61));
        assert_eq!(of_character('\n'), Some(RETURN));
        assert_eq!(of_character('€'), Some(0x0100_20ac));
        assert_eq!(of_character('😀'), Some(0x0101_f600));
        assert_eq!(of_character('\0'), None);
        assert!(is_letter('ä'.into()) && !is_letter('1'.into()) && !is_letter(RETURN));
    }
}
