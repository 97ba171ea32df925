//! Escapes invisible characters in text that a person reads before approving.

use std::fmt::Write;

/// Limit for a run of blanks that is shown unchanged.
const MAX_BLANKS: usize = 8;
/// Limit for consecutive empty lines that are shown unchanged.
const MAX_EMPTY_LINES: usize = 2;

/// Whether `c` is invisible or looks like something else: control characters, format characters
/// (direction, joining), and whitespace other than the plain space.
pub(super) fn is_invisible(c: char) -> bool {
    c.is_control()
        || (c.is_whitespace() && c != ' ')
        || matches!(c, '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}')
        || matches!(c, '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}')
        || matches!(c, '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}')
        || matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}')
        || matches!(c, '\u{1D173}'..='\u{1D17A}' | '\u{1BCA0}'..='\u{1BCA3}')
        || matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{E0000}'..='\u{E0FFF}' | '\u{F0000}'..)
}

/// Escapes a single line: line breaks and tabs are escaped, too.
pub(super) fn escaped_line(text: &str) -> String {
    escape(text, false)
}

/// Escapes text of several lines. Long runs of blanks and empty lines, which can push text out of
/// sight, are replaced by their count.
pub(super) fn escaped_lines(text: &str) -> String {
    escape(text, true)
}

fn escape(text: &str, keeps_lines: bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let run = rest.chars().take_while(|next| *next == c).count();
        rest = &rest[run * c.len_utf8()..];
        // Writing to a string does not fail.
        let _ = match c {
            ' ' if run > MAX_BLANKS => write!(escaped, "␠×{run}"),
            '\n' if keeps_lines && run <= MAX_EMPTY_LINES + 1 => {
                write!(escaped, "{}", "\n".repeat(run))
            }
            '\n' if keeps_lines => write!(escaped, "\n␤×{run}\n"),
            '\t' if keeps_lines && run <= MAX_BLANKS => write!(escaped, "{}", "\t".repeat(run)),
            c if is_invisible(c) && run > 3 => write!(escaped, "{}×{run}", c.escape_unicode()),
            c if is_invisible(c) => {
                write!(escaped, "{}", c.escape_unicode().to_string().repeat(run))
            }
            c if run > 200 && !c.is_alphanumeric() => write!(escaped, "{c}×{run}"),
            c => write!(escaped, "{}", c.to_string().repeat(run)),
        };
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_escaped() {
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
            let escaped = escaped_lines(&format!("a{c}b"));
            assert_eq!(escaped, format!("a{}b", c.escape_unicode()));
            assert!(escaped.is_ascii());
        }
        assert_eq!(escaped_line("a\nb\tc"), "a\\u{a}b\\u{9}c");
        assert_eq!(escaped_lines("a\nb\tc é 日本"), "a\nb\tc é 日本");
    }

    #[test]
    fn padding_is_counted() {
        assert_eq!(escaped_line(&format!("ls{}; rm", " ".repeat(200))), "ls␠×200; rm");
        assert_eq!(escaped_lines(&format!("ls{}rm", "\n".repeat(90))), "ls\n␤×90\nrm");
        assert_eq!(escaped_line(&"\u{200B}".repeat(50)), "\\u{200b}×50");
        assert_eq!(escaped_line("  a"), "  a");
    }
}
