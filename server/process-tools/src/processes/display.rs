//! Output as text: whole characters, without escape sequences.

use anstream::adapter::strip_str;
use process::SupervisedProcess;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use tools::results::{Lines, is_zero, number_at, str_at};

/// Limit for the output in one result, in bytes.
pub(super) const PAGE_BYTES: usize = 40_000;
/// How far back an unfinished escape sequence may start.
const MAX_ESCAPE_BYTES: usize = 256;

const ESCAPE: u8 = 0x1b;

/// A part of a process's output.
#[derive(Default, Serialize, JsonSchema)]
pub struct Page {
    /// Output of both streams, in order.
    pub output: String,
    /// Pass as `cursor` for what comes next.
    pub next_cursor: String,
    /// Whether there is more now.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// Bytes before `output` that are left out but kept.
    #[serde(skip_serializing_if = "is_zero")]
    pub skipped: u64,
    /// Bytes before `output` that are no longer kept.
    #[serde(skip_serializing_if = "is_zero")]
    pub dropped: u64,
}

impl Page {
    /// The output from an offset on. With `raw`, escape sequences stay.
    #[must_use]
    pub fn from_cursor(process: &SupervisedProcess, cursor: u64, raw: bool) -> Self {
        // First: what ends between the two calls is complete.
        let has_ended = !process.is_running();
        let piece = process.output(cursor, PAGE_BYTES);
        let mut bytes = &piece.bytes[..];
        if piece.dropped > 0 {
            // It may start inside a character.
            let inside = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
            bytes = &bytes[inside..];
        }
        let start = piece.start + (piece.bytes.len() - bytes.len()) as u64;
        let is_last = start + bytes.len() as u64 == piece.end;
        let length = if has_ended && is_last { bytes.len() } else { complete_length(bytes) };
        let next = start + length as u64;
        Self {
            output: text(&bytes[..length], raw),
            next_cursor: next.to_string(),
            more: !is_last,
            skipped: 0,
            dropped: piece.dropped,
        }
    }

    /// The last lines of the output.
    pub(super) fn last_lines(process: &SupervisedProcess, lines: usize, raw: bool) -> Self {
        let (first, end) = process.output_range();
        let from = end.saturating_sub(PAGE_BYTES as u64).max(first);
        let tail = process.output(from, PAGE_BYTES).bytes;
        let body = tail.strip_suffix(b"\n").unwrap_or(&tail);
        let mut ends = body.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
        let start = match ends.nth(lines.saturating_sub(1)) {
            Some((at, _)) => at + 1,
            // Whole lines, if there are any.
            None if from > first => {
                body.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1)
            }
            None => 0,
        };
        let cursor = from + start as u64;
        Self { skipped: cursor - first, dropped: first, ..Self::from_cursor(process, cursor, raw) }
    }
}

/// The length without an unfinished character, line end or escape sequence at the end.
fn complete_length(bytes: &[u8]) -> usize {
    let mut length = bytes.len();
    if let Err(error) = std::str::from_utf8(&bytes[length.saturating_sub(4)..])
        && error.error_len().is_none()
    {
        length = length.saturating_sub(4) + error.valid_up_to();
    }
    // An invalid byte before it would hide the unfinished character.
    for back in 1..=3.min(length) {
        let from = length - back;
        if bytes[from] >= 0xC0 {
            let cut = std::str::from_utf8(&bytes[from..length]);
            if cut.is_err_and(|error| error.error_len().is_none()) {
                length = from;
            }
            break;
        }
    }
    if bytes[..length].last() == Some(&b'\r') {
        length -= 1;
    }
    let from = length.saturating_sub(MAX_ESCAPE_BYTES);
    match bytes[from..length].iter().rposition(|byte| *byte == ESCAPE) {
        Some(at) if is_unfinished(&bytes[from + at..length]) => from + at,
        _ => length,
    }
}

/// Whether an escape sequence goes on behind `sequence`.
fn is_unfinished(sequence: &[u8]) -> bool {
    match sequence.get(1) {
        None => true,
        Some(b'[') => !sequence[2..].iter().any(|byte| (0x40..=0x7e).contains(byte)),
        // Operating system commands end with BEL or ESC \.
        Some(b']') => !sequence[2..].contains(&0x07),
        Some(_) => false,
    }
}

/// Output as text. Without `raw`, escape sequences and overwritten parts of lines are left out.
fn text(bytes: &[u8], raw: bool) -> String {
    let mut text = String::from_utf8_lossy(bytes);
    if raw {
        return text.into_owned();
    }
    if bytes.contains(&ESCAPE) {
        text = strip_str(&text).to_string().into();
    }
    if !text.contains('\r') {
        return text.into_owned();
    }
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
        let body = body.trim_end_matches('\r');
        shown.push_str(body.rsplit('\r').next().unwrap_or(body));
        shown.push_str(end);
    }
    shown
}

/// Adds the lines of a page in a result.
pub(super) fn push_page(lines: &mut Lines, result: &Value) {
    let (dropped, skipped) = (number_at(result, "dropped"), number_at(result, "skipped"));
    if dropped > 0 {
        lines.push(format_args!("[{dropped} bytes before this are no longer kept]"));
    }
    if skipped > 0 {
        lines.push(format_args!("[{skipped} bytes before this are left out]"));
    }
    lines.push_text(str_at(result, "output"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unfinished_ends_are_held_back() {
        for (bytes, expected) in [
            (&b"abc"[..], 3),
            ("é".as_bytes(), 2),
            (b"a\xc3", 1),
            (b"a\xf0\x9f\x98", 1),
            (b"\xff\xf0\x9f", 1),
            (b"a\xff", 2),
            (b"a\xa9\xa9\xa9\xa9", 5),
            (b"line\r", 4),
            (b"line\r\n", 6),
            (b"a\x1b", 1),
            (b"a\x1b[3", 1),
            (b"a\x1b[31m", 6),
            (b"a\x1b]0;title", 1),
            (b"a\x1b]0;title\x07", 11),
            (b"", 0),
        ] {
            assert_eq!(complete_length(bytes), expected, "{bytes:?}");
        }
        // Something that never ends is not held back for ever.
        let endless = [&b"\x1b]"[..], &[b'x'; 1_000]].concat();
        assert_eq!(complete_length(&endless), endless.len());
    }

    #[test]
    fn text_is_what_a_terminal_shows() {
        assert_eq!(
            text(b"\x1b[32mok\x1b[0m\r\n10%\r50%\r100%\r\nend\xff", false),
            "ok\n100%\nend\u{fffd}"
        );
        assert_eq!(text(b"\x1b[32mok\r\n", true), "\x1b[32mok\r\n");
    }
}
