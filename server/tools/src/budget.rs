//! Limits for results, and how longer ones are cut.

use serde_json::{Map, Value};

/// Limit for text in one result, in bytes.
pub const BYTES: usize = 50_000;
/// Limit for text in one result, in lines.
pub const LINES: usize = 2_000;
/// Lines kept at the beginning and the end of a longer text.
const HEAD_LINES: usize = 100;
const TAIL_LINES: usize = 50;
/// Bytes kept there, if its lines are long.
const HEAD_BYTES: usize = 32_000;
const TAIL_BYTES: usize = 16_000;
/// Limit for a whole result as JSON, in bytes. Tools stay well below it.
pub const WHOLE: usize = 512 << 10;

/// A text that was cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Its beginning and end, with a line between them that says what was left out.
    pub text: String,
    /// Number of lines left out.
    pub lines: usize,
    /// Number of bytes left out.
    pub bytes: usize,
}

/// The beginning and the end of a text that exceeds the limits; `None` if it fits.
pub fn cut(text: &str) -> Option<Cut> {
    if text.len() <= BYTES && line_ends(text).nth(LINES).is_none() {
        return None;
    }
    let head = line_ends(text).nth(HEAD_LINES - 1).map_or(text.len(), |at| at + 1).min(HEAD_BYTES);
    let head = text.floor_char_boundary(head);
    // The trailing line ending is not the end of another line.
    let body = text.strip_suffix('\n').unwrap_or(text);
    let tail = memrchr(body, TAIL_LINES).map_or(0, |at| at + 1);
    let tail = text.ceil_char_boundary(tail.max(text.len().saturating_sub(TAIL_BYTES)).max(head));
    let left_out = &text[head..tail];
    let (lines, bytes) = (line_ends(left_out).count(), left_out.len());
    let new_line = if text[..head].ends_with('\n') { "" } else { "\n" };
    let text = format!(
        "{}{new_line}[left out here: {lines} lines, {bytes} bytes]\n{}",
        &text[..head],
        &text[tail..]
    );
    Some(Cut { text, lines, bytes })
}

fn line_ends(text: &str) -> impl Iterator<Item = usize> {
    text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at)
}

/// The offset of the `n`th line ending from the end.
fn memrchr(text: &str, n: usize) -> Option<usize> {
    text.bytes().enumerate().rev().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).nth(n - 1)
}

/// Cuts a result that exceeds [`WHOLE`], and marks it. The last resort: the tool has already done
/// its work, so this is not an error.
pub fn shrink(mut result: Value) -> Value {
    for (items, bytes) in [(1_000, BYTES), (200, 10_000), (50, 2_000), (10, 200), (2, 100)] {
        shorten(&mut result, items, bytes);
        if size(&result) <= WHOLE {
            break;
        }
    }
    if size(&result) > WHOLE {
        result = Value::Object(Map::new());
    }
    let note = "The result was too long to be sent whole: lists and texts in it were cut. \
                Ask for less at a time.";
    match &mut result {
        Value::Object(fields) => {
            fields.insert("truncated".into(), true.into());
            fields.insert("result_cut".into(), note.into());
            result
        }
        _ => serde_json::json!({ "truncated": true, "result_cut": note, "result": result }),
    }
}

fn shorten(value: &mut Value, items: usize, bytes: usize) {
    match value {
        Value::String(text) if text.len() > bytes => {
            let end = text.floor_char_boundary(bytes);
            let left_out = text.len() - end;
            text.truncate(end);
            text.push_str(&format!("[left out: {left_out} bytes]"));
        }
        Value::Array(list) => {
            list.truncate(items);
            list.iter_mut().for_each(|item| shorten(item, items, bytes));
        }
        Value::Object(fields) => {
            fields.values_mut().for_each(|field| shorten(field, items, bytes));
        }
        _ => {}
    }
}

fn size(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting does not fail, and a value is always JSON.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn numbered(lines: usize) -> String {
        (1..=lines).map(|n| format!("line {n}\n")).collect()
    }

    #[test]
    fn short_text_is_unchanged() {
        for text in [String::new(), numbered(2_000), "x".repeat(BYTES)] {
            assert_eq!(cut(&text), None);
        }
    }

    #[test]
    fn the_first_hundred_and_the_last_fifty_lines_are_kept() {
        let long = cut(&numbered(5_000)).unwrap();
        let lines: Vec<_> = long.text.lines().collect();
        assert_eq!(lines.len(), 151);
        assert_eq!((lines[99], lines[101], lines[150]), ("line 100", "line 4951", "line 5000"));
        assert_eq!(lines[100], format!("[left out here: 4850 lines, {} bytes]", long.bytes));
        assert_eq!(long.lines, 4_850);
    }

    #[test]
    fn long_lines_are_cut_at_characters() {
        for text in [
            "\u{1f600}".repeat(100_000),
            format!("{}\nend", "\u{e9}".repeat(1 << 20)),
            "a\r".repeat(1 << 20),
            format!("{}\n", "x".repeat(10_000)).repeat(149),
        ] {
            let cut = cut(&text).unwrap();
            assert!(cut.text.len() <= BYTES, "{}", cut.text.len());
            let (head, tail) = cut.text.split_once("[left out here").unwrap();
            let tail = tail.split_once("]\n").unwrap().1;
            assert!(text.starts_with(head.trim_end_matches('\n')) && text.ends_with(tail));
            let kept = head.trim_end_matches('\n').len() + tail.len();
            assert!(text.len() - cut.bytes - kept <= 1, "what is left out is not what is said");
        }
    }

    #[test]
    fn no_result_is_too_long() {
        for value in [
            json!({ "a": "x".repeat(2 << 20), "changed": true }),
            json!({ "a": vec![json!({ "b": "y".repeat(1_000) }); 20_000], "changed": true }),
            json!(vec!["z"; 1 << 20]),
        ] {
            let shrunk = shrink(value.clone());
            assert!(size(&shrunk) <= WHOLE + 1_000);
            assert_eq!(shrunk["truncated"], true);
            assert!(shrunk["result_cut"].is_string());
            assert_eq!(shrunk["changed"], value["changed"]);
        }
    }
}
