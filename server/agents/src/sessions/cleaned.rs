//! Text of agents, without what a terminal or a page would not show as text.

use anstream::adapter::strip_str;

/// The text without escape sequences, control characters and marks that reorder what follows.
pub(super) fn cleaned(text: &str) -> String {
    let shows = |c: &char| {
        let reorders = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        matches!(c, '\n' | '\t') || !(c.is_control() || reorders)
    };
    strip_str(text).to_string().chars().filter(shows).collect()
}

/// The same in a line of at most so many characters.
pub(super) fn cleaned_line(text: &str, max_chars: usize) -> String {
    // What is long is cut first: cleaning takes time by its length.
    let long: String = text.chars().take(8 * max_chars).collect();
    let words = cleaned(&long).split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(max_chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_is_left() {
        let text = "a\x1b[31mred\x1b[0m\x1b]0;title\x07\r\n\tb\u{202e}c\u{0}";
        assert_eq!(cleaned(text), "ared\n\tbc");
        assert_eq!(cleaned_line("  a\n b\x1b[2J  c", 3), "a b");
    }
}
