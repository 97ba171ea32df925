//! Positions as LSP counts them, computed the slow and obvious way.

use serde_json::{Value, json};

/// The unit of `character` in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes of UTF-8.
    Utf8,
    /// Code units of UTF-16, LSP's default.
    Utf16,
    /// Scalar values.
    Utf32,
}

impl Encoding {
    /// LSP's name of the encoding.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    /// The encoding of that name.
    ///
    /// # Panics
    /// On any other name.
    pub fn from_name(name: &str) -> Self {
        [Self::Utf8, Self::Utf16, Self::Utf32]
            .into_iter()
            .find(|encoding| encoding.name() == name)
            .unwrap_or_else(|| panic!("no position encoding is called {name:?}"))
    }

    fn units(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Utf16 => text.encode_utf16().count(),
            Self::Utf32 => text.chars().count(),
        }
    }
}

/// The byte offsets at which each line of `text` starts and at which its content ends.
fn lines(text: &str) -> Vec<(usize, usize)> {
    let (bytes, mut lines, mut start, mut at) = (text.as_bytes(), Vec::new(), 0, 0);
    while at < bytes.len() {
        let width = match bytes[at] {
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => 2,
            b'\n' | b'\r' => 1,
            _ => 0,
        };
        if width > 0 {
            lines.push((start, at));
            start = at + width;
        }
        at += width.max(1);
    }
    lines.push((start, text.len()));
    lines
}

/// The position of a byte offset.
pub fn position_at(text: &str, offset: usize, encoding: Encoding) -> Value {
    let lines = lines(text);
    let line = lines.partition_point(|&(start, _)| start <= offset) - 1;
    json!({ "line": line, "character": encoding.units(&text[lines[line].0..offset]) })
}

/// The byte offset of a position; `None` where the text has no such place.
pub fn offset_at(text: &str, position: &Value, encoding: Encoding) -> Option<usize> {
    let line = usize::try_from(position["line"].as_u64()?).ok()?;
    let character = usize::try_from(position["character"].as_u64()?).ok()?;
    let &(start, end) = lines(text).get(line)?;
    let line = &text[start..end];
    // Each character is counted once: a line may be as long as a text.
    let mut before = 0;
    for (at, c) in line.char_indices() {
        if before >= character {
            return (before == character).then_some(start + at);
        }
        before += encoding.units(c.encode_utf8(&mut [0; 4]));
    }
    (before == character).then_some(end)
}

/// The range of the first occurrence of `part` in `text`.
///
/// # Panics
/// When it does not occur.
pub fn range_of(text: &str, part: &str, encoding: Encoding) -> Value {
    let start = text.find(part).unwrap_or_else(|| panic!("{part:?} is not in {text:?}"));
    json!({
        "start": position_at(text, start, encoding),
        "end": position_at(text, start + part.len(), encoding),
    })
}

/// `text` with LSP text edits applied, all of them meant for `text` as it is.
///
/// # Errors
/// What is wrong with an edit: no such place, or two that overlap.
pub fn apply_edits(text: &str, edits: &[Value], encoding: Encoding) -> Result<String, String> {
    let mut spans = Vec::new();
    for edit in edits {
        let place = |end: &str| {
            offset_at(text, &edit["range"][end], encoding)
                .ok_or_else(|| format!("no such {end} in the text: {edit}"))
        };
        let new = edit["newText"].as_str().ok_or_else(|| format!("no newText: {edit}"))?;
        spans.push((place("start")?, place("end")?, new));
    }
    spans.sort_by_key(|&(start, end, _)| (start, end));
    let (mut edited, mut at) = (String::new(), 0);
    for (start, end, new) in spans {
        if start < at || end < start {
            return Err(format!("overlapping or reversed edits: {edits:?}"));
        }
        edited.push_str(&text[at..start]);
        edited.push_str(new);
        at = end;
    }
    edited.push_str(&text[at..]);
    Ok(edited)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_round_trip_in_every_encoding() {
        let text = "a\u{e9}\r\n\u{1f600}e\u{301}\rlast";
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for (offset, _) in text.char_indices() {
                // Between \r and \n there is no position.
                if offset != 4 {
                    let position = position_at(text, offset, encoding);
                    assert_eq!(offset_at(text, &position, encoding), Some(offset), "{position}");
                }
            }
        }
        let end = text.find('e').unwrap();
        assert_eq!(position_at(text, end, Encoding::Utf8), json!({ "line": 1, "character": 4 }));
        assert_eq!(position_at(text, end, Encoding::Utf16), json!({ "line": 1, "character": 2 }));
        assert_eq!(position_at(text, end, Encoding::Utf32), json!({ "line": 1, "character": 1 }));
    }

    #[test]
    fn edits_apply_to_the_text_as_it_was() {
        let text = "one two three";
        let edit =
            |part, new| json!({ "range": range_of(text, part, Encoding::Utf16), "newText": new });
        let edits = [edit("three", "3"), edit("one", "1")];
        assert_eq!(apply_edits(text, &edits, Encoding::Utf16).unwrap(), "1 two 3");
        let overlapping = [edit("one two", ""), edit("two", "")];
        assert!(apply_edits(text, &overlapping, Encoding::Utf16).is_err());
        let beyond = json!({ "line": 1, "character": 0 });
        let edit = json!({ "range": { "start": beyond, "end": beyond }, "newText": "" });
        assert!(apply_edits(text, &[edit], Encoding::Utf16).is_err());
    }
}
