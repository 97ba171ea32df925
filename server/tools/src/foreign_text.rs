//! Text of servers and programs, for people and models to read.

/// Whether a terminal or a reader could take a character for something else than text: control characters, and
/// characters that are invisible or change the direction of what follows.
#[must_use]
pub fn is_deceptive(c: char) -> bool {
    let is_invisible = matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    c.is_control() || is_invisible
}

/// A text on one line of at most `max_chars` characters, with `…` behind it if it was cut. Deceptive characters become
/// blanks. O(`max_chars`).
#[must_use]
pub fn one_line(text: &str, max_chars: usize) -> String {
    let mut chars = text.chars();
    let shown = chars.by_ref().take(max_chars).map(|c| if is_deceptive(c) { ' ' } else { c });
    let mut line: String = shown.collect();
    if chars.next().is_some() {
        line.push('…');
    }
    line
}

/// At most `max_chars` characters of a text; the last one is `…` if it was cut. O(text).
#[must_use]
pub fn clip(text: &str, max_chars: usize) -> String {
    if text.len() <= max_chars || text.chars().count() <= max_chars {
        return text.to_owned();
    }
    text.chars().take(max_chars.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_one_plain_line() {
        assert_eq!(one_line("a\n\u{1b}b\u{202e}c\t", 20), "a  b c ");
        assert_eq!(one_line("äöü", 3), "äöü");
        assert_eq!(one_line("äöüx", 3), "äöü…");
        assert_eq!(one_line("", 0), "");
    }
}
