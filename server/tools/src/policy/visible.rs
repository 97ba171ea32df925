//! Text as a person is shown it.

use std::fmt::Write;

/// Longest run of blanks that is shown as it is.
const BLANKS: usize = 8;
/// Most empty lines in a row that are shown as they are.
const EMPTY_LINES: usize = 2;

/// Whether `c` is not seen, or seen as something else than it is: control characters, what
/// directs or joins text without a sign of its own, and blanks that are not the common one.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(c, '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}')
        || matches!(c, '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}')
        || matches!(c, '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}')
        || matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}')
        || matches!(c, '\u{1D173}'..='\u{1D17A}' | '\u{1BCA0}'..='\u{1BCA3}')
        || matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{E0000}'..='\u{E0FFF}' | '\u{F0000}'..)
}

/// One line of text, nothing in it invisible: line breaks and tabs too are spelled out.
pub(super) fn visible(text: &str) -> String {
    shown(text, false)
}

/// Text of several lines, nothing in it invisible. Long runs of blanks and of empty lines, behind
/// which something may hide, are counted instead.
pub(super) fn visible_lines(text: &str) -> String {
    shown(text, true)
}

fn shown(text: &str, keeps_lines: bool) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let run = rest.chars().take_while(|next| *next == c).count();
        rest = &rest[run * c.len_utf8()..];
        // Writing to a string does not fail.
        let _ = match c {
            ' ' if run > BLANKS => write!(shown, "␠×{run}"),
            '\n' if keeps_lines && run <= EMPTY_LINES + 1 => write!(shown, "{}", "\n".repeat(run)),
            '\n' if keeps_lines => write!(shown, "\n␤×{run}\n"),
            '\t' if keeps_lines && run <= BLANKS => write!(shown, "{}", "\t".repeat(run)),
            c if is_hidden(c) && run > 3 => write!(shown, "{}×{run}", c.escape_unicode()),
            c if is_hidden(c) => write!(shown, "{}", c.escape_unicode().to_string().repeat(run)),
            c if run > 200 && !c.is_alphanumeric() => write!(shown, "{c}×{run}"),
            c => write!(shown, "{}", c.to_string().repeat(run)),
        };
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_invisible() {
        for c in [
            '\u{0}',
            '\u{7}',
            '\u{1B}',
            '\r',
            '\u{85}',
            '\u{A0}',
            '\u{AD}',
            '\u{200B}',
            '\u{200E}',
            '\u{202E}',
            '\u{2066}',
            '\u{2028}',
            '\u{3000}',
            '\u{3164}',
            '\u{FFA0}',
            '\u{2800}',
            '\u{FE0F}',
            '\u{FEFF}',
            '\u{E0041}',
            '\u{E0100}',
            '\u{180E}',
            '\u{34F}',
            '\u{F0000}',
        ] {
            let shown = visible_lines(&format!("a{c}b"));
            assert_eq!(shown, format!("a{}b", c.escape_unicode()));
            assert!(shown.is_ascii());
        }
        assert_eq!(visible("a\nb\tc"), "a\\u{a}b\\u{9}c");
        assert_eq!(visible_lines("a\nb\tc é 日本"), "a\nb\tc é 日本");
    }

    #[test]
    fn padding_is_counted() {
        assert_eq!(visible(&format!("ls{}; rm", " ".repeat(200))), "ls␠×200; rm");
        assert_eq!(visible_lines(&format!("ls{}rm", "\n".repeat(90))), "ls\n␤×90\nrm");
        assert_eq!(visible(&"\u{200B}".repeat(50)), "\\u{200b}×50");
        assert_eq!(visible("  a"), "  a");
    }
}
