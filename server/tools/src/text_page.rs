//! Pages of a long text.

use text::Text;

use crate::budget::{BYTES, LINES};

/// The end of the page that starts at `start`: at a line's end if a line fits, otherwise between
/// characters.
#[must_use]
pub fn page_end(text: &Text, start: usize) -> usize {
    let after_lines = text.line_start(text.line_of(start) + LINES);
    if after_lines - start <= BYTES {
        return after_lines;
    }
    let whole_lines = text.line_start(text.line_of(start + BYTES));
    if whole_lines > start {
        return whole_lines;
    }
    // One line is longer than a page: cut it between characters.
    let cut = text.slice(start..start + BYTES - 3).len();
    start + cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_the_text_within_the_budget() {
        for text in [
            "short\n".to_owned(),
            "x\n".repeat(5_000),
            "é".repeat(60_000),
            format!("{}\n{}", "a".repeat(49_990), "😀".repeat(40_000)),
            "line of some length\r\n".repeat(9_000),
        ] {
            let rope = Text::new(&text);
            let (mut start, mut whole) = (0, String::new());
            while start < rope.len() {
                let end = page_end(&rope, start);
                assert!(end > start && end - start <= BYTES);
                let piece = rope.slice(start..end);
                assert!(piece.lines().count() <= LINES);
                whole.push_str(&piece);
                start = end;
            }
            assert_eq!(whole, text);
        }
    }
}
