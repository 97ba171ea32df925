//! Keys of a terminal, as the bytes that they send.

use tools::{Code, ToolError};

const KEYS: &[(&str, &str)] = &[
    ("enter", "\r"),
    ("tab", "\t"),
    ("space", " "),
    ("escape", "\x1b"),
    ("backspace", "\x7f"),
    ("delete", "\x1b[3~"),
    ("insert", "\x1b[2~"),
    ("up", "\x1b[A"),
    ("down", "\x1b[B"),
    ("right", "\x1b[C"),
    ("left", "\x1b[D"),
    ("home", "\x1b[H"),
    ("end", "\x1b[F"),
    ("page_up", "\x1b[5~"),
    ("page_down", "\x1b[6~"),
];

/// Keys that only interrupt or end what runs, so that they need no approval.
const INTERRUPTING: &[&str] = &["ctrl-c", "ctrl-d", "ctrl-z", "ctrl-\\"];

/// The bytes of a key such as `up` or `ctrl-c`.
///
/// # Errors
/// If there is no such key.
pub(super) fn key_bytes(tool: &str, key: &str) -> Result<String, ToolError> {
    let name = key.to_ascii_lowercase();
    if let Some((_, bytes)) = KEYS.iter().find(|(known, _)| *known == name) {
        return Ok((*bytes).to_owned());
    }
    let letter = name.strip_prefix("ctrl-").or_else(|| name.strip_prefix("ctrl+"));
    if let Some(&[letter @ (b'a'..=b'z' | b'[' | b'\\' | b']')]) = letter.map(str::as_bytes) {
        return Ok(char::from(letter & 0x1f).to_string());
    }
    let names: Vec<_> = KEYS.iter().map(|(name, _)| *name).collect();
    Err(ToolError::new(Code::InvalidParams, format!("{tool}: there is no key `{key:.30}`")).hint(
        format!("keys are ctrl-a to ctrl-z, {}; `text` takes everything else", names.join(", ")),
    ))
}

/// Whether a key only interrupts or ends what runs.
pub(super) fn only_interrupts(key: &str) -> bool {
    INTERRUPTING.contains(&key.to_ascii_lowercase().replace("ctrl+", "ctrl-").as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_send_what_terminals_send() {
        let bytes = |key| key_bytes("t", key).unwrap();
        assert_eq!(
            (bytes("ctrl-c"), bytes("Ctrl+D"), bytes("up")),
            ("\x03".into(), "\x04".into(), "\x1b[A".into())
        );
        assert_eq!((bytes("ctrl-["), bytes("enter")), ("\x1b".to_owned(), "\r".to_owned()));
        for key in ["ctrl-é", "ctrl-", "f99", "", "ctrl-ab"] {
            assert!(key_bytes("t", key).is_err(), "{key}");
        }
        assert!(only_interrupts("CTRL+C") && !only_interrupts("enter"));
    }
}
