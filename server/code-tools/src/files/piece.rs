//! Splits a long text into pages, and makes and reads their cursors.

use serde_json::Value;
use workspace::ContentHash;

use tools::{
    Code, ToolError,
    results::{Lines, str_at},
};

/// A cursor: offset and content hash, so that it is refused after the content changes.
pub(super) fn cursor_at(offset: usize, hash: ContentHash) -> String {
    format!("{offset}-{:.16}", hash.to_string())
}

/// The offset that a cursor stands for. A bare offset, for those who count bytes themselves, is not bound to
/// the content.
pub(super) fn offset_of(
    tool: &str,
    cursor: &str,
    hash: ContentHash,
    path: &str,
) -> Result<usize, ToolError> {
    if let Ok(offset) = cursor.parse() {
        return Ok(offset);
    }
    let parsed = cursor.split_once('-').and_then(|(o, h)| Some((o.parse::<usize>().ok()?, h)));
    let Some((offset, of)) = parsed else {
        return Err(ToolError::new(
            Code::InvalidParams,
            format!("{tool}: `{cursor:.60}` is no cursor"),
        )
        .hint("pass the `next_cursor` of the result before, unchanged"));
    };
    if hash.to_string().starts_with(of) && of.len() == 16 {
        return Ok(offset);
    }
    Err(ToolError::new(Code::Conflict, format!("{path}: changed since the cursor was made"))
        .hint("read it again from the start"))
}

/// A piece of a file as the text itself, followed by what differs from the request.
pub(super) fn text(result: &Value) -> String {
    let content = str_at(result, "content");
    let mut rest = Lines::default();
    rest.push_rest(result);
    if rest.is_empty() {
        return content.to_owned();
    }
    let mut lines = Lines::default();
    lines.push_text(content);
    lines.push_text(&rest.finish(""));
    lines.finish("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_bound_to_their_content() {
        let (one, two) = (ContentHash::digest(b"1"), ContentHash::digest(b"2"));
        let offset_of = |cursor: &str, hash| offset_of("read_file", cursor, hash, "f");
        assert_eq!(offset_of(&cursor_at(7, one), one), Ok(7));
        assert_eq!(offset_of(&cursor_at(7, one), two).map_err(|e| e.code), Err(Code::Conflict));
        assert_eq!(offset_of("7", one), Ok(7));
        for bad in ["", "x", "1-", "-1-2", "9999999999999999999999-aa"] {
            assert!(offset_of(bad, one).is_err(), "{bad}");
        }
    }
}
