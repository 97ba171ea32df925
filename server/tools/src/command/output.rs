//! Cuts a program's output to the budget of a result.

use process::Captured;

/// Limit for one stream, in bytes: two fit a result.
const MAX_BYTES: usize = 24_000;
const MAX_LINES: usize = 2_000;
/// Lines kept at the beginning and end of a longer output, and limits for their bytes.
const HEAD_LINES: usize = 100;
const TAIL_LINES: usize = 50;
const HEAD_BYTES: usize = 14_000;
const TAIL_BYTES: usize = 8_000;

/// A program's output in a result.
pub struct Output {
    /// The text, or its beginning and end with a line between them that says what was left out.
    /// Invalid UTF-8 is replaced.
    pub text: String,
    /// Whether something was left out.
    pub truncated: bool,
}

impl Output {
    /// What is shown of a captured output.
    #[must_use]
    pub fn of(captured: &Captured) -> Self {
        let mut whole;
        let (head, tail) = if captured.left_out == 0 {
            whole = captured.head.clone();
            whole.extend_from_slice(&captured.tail);
            let text = String::from_utf8_lossy(&whole);
            if text.len() <= MAX_BYTES && text.lines().nth(MAX_LINES).is_none() {
                return Self { text: text.into_owned(), truncated: false };
            }
            (&whole[..], &whole[..])
        } else {
            (&captured.head[..], &captured.tail[..])
        };
        let (head, tail) = (beginning(head), end(tail));
        // Beginning and end may overlap.
        let shown = (head.len() + tail.len()) as u64;
        let left_out = captured.len().saturating_sub(shown);
        let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(tail));
        let new_line = if head.ends_with('\n') { "" } else { "\n" };
        let text = format!("{head}{new_line}[left out here: {left_out} bytes]\n{tail}");
        Self { text, truncated: true }
    }
}

/// The first lines.
fn beginning(bytes: &[u8]) -> &[u8] {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let end = ends.map(|(at, _)| at + 1).nth(HEAD_LINES - 1).unwrap_or(bytes.len());
    let end = end.min(HEAD_BYTES);
    // Not inside a character.
    let back = (0..4).find(|back| end.checked_sub(*back).is_some_and(|at| is_start(bytes, at)));
    &bytes[..end - back.unwrap_or(0)]
}

/// The last lines.
fn end(bytes: &[u8]) -> &[u8] {
    let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let ends = body.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
    let start = ends.map(|(at, _)| at + 1).nth(TAIL_LINES - 1).unwrap_or(0);
    let start = start.max(bytes.len().saturating_sub(TAIL_BYTES));
    let on = (0..4).find(|on| is_start(bytes, start + on));
    &bytes[start + on.unwrap_or(0)..]
}

/// Whether a character may start at this offset.
fn is_start(bytes: &[u8], at: usize) -> bool {
    bytes.get(at).is_none_or(|byte| byte & 0xC0 != 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &[u8]) -> Output {
        Output::of(&Captured { head: text.to_vec(), tail: Vec::new(), left_out: 0 })
    }

    #[test]
    fn short_output_is_unchanged() {
        for text in ["", "x", "a\nb\n", &"line\n".repeat(2_000)] {
            let output = shown(text.as_bytes());
            assert_eq!((output.text.as_str(), output.truncated), (text, false));
        }
        assert_eq!(shown(b"a\xff\xfeb\0").text, "a\u{fffd}\u{fffd}b\0");
    }

    #[test]
    fn long_output_keeps_its_first_and_last_lines() {
        let text: String = (1..=9_999).map(|n| format!("line {n}\n")).collect();
        let output = shown(text.as_bytes());
        let lines: Vec<_> = output.text.lines().collect();
        assert_eq!(lines.len(), 151);
        assert_eq!((lines[0], lines[99], lines[101]), ("line 1", "line 100", "line 9950"));
        assert_eq!(lines[150], "line 9999");
        let kept: usize = lines.iter().map(|l| l.len() + 1).sum::<usize>() - lines[100].len() - 1;
        assert_eq!(lines[100], format!("[left out here: {} bytes]", text.len() - kept));
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        for text in ["é".repeat(100_000), "😀".repeat(50_000), format!("x{}", "é".repeat(90_000))]
        {
            let output = shown(text.as_bytes());
            assert!(output.truncated && output.text.len() < MAX_BYTES);
            assert!(!output.text.contains('\u{fffd}'));
        }
        let binary = shown(&vec![0x80; 100_000]);
        assert!(binary.truncated && binary.text.len() <= 3 * MAX_BYTES);
    }

    #[test]
    fn uncaptured_bytes_are_counted() {
        let captured =
            Captured { head: b"a\n".to_vec(), tail: b"z\n".to_vec(), left_out: 1_000_000_000 };
        assert_eq!(Output::of(&captured).text, "a\n[left out here: 1000000000 bytes]\nz\n");
    }
}
