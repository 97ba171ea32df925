//! Detects the line endings of a text.

use memchr::memchr2_iter;

use crate::Text;

/// The line endings of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEndings {
    /// There is only one line.
    None,
    /// LF only.
    Lf,
    /// CRLF only.
    CrLf,
    /// Lone CR only.
    Cr,
    /// More than one kind.
    Mixed,
}

impl LineEndings {
    /// Detects the line endings of `text`. O(n).
    #[must_use]
    pub fn detect(text: &Text) -> Self {
        let (mut lf, mut crlf, mut cr) = (false, false, false);
        let mut pending_cr = false;
        for chunk in text.chunks() {
            let bytes = chunk.as_bytes();
            if pending_cr && bytes.first() != Some(&b'\n') {
                cr = true;
            }
            let starts_in_crlf = pending_cr && bytes.first() == Some(&b'\n');
            pending_cr = false;
            for at in memchr2_iter(b'\n', b'\r', bytes) {
                if bytes[at] == b'\r' {
                    match bytes.get(at + 1) {
                        Some(b'\n') => crlf = true,
                        Some(_) => cr = true,
                        None => pending_cr = true,
                    }
                } else if at == 0 && starts_in_crlf {
                    crlf = true;
                } else if at == 0 || bytes[at - 1] != b'\r' {
                    lf = true;
                }
            }
        }
        cr |= pending_cr;
        match (lf, crlf, cr) {
            (false, false, false) => Self::None,
            (true, false, false) => Self::Lf,
            (false, true, false) => Self::CrLf,
            (false, false, true) => Self::Cr,
            _ => Self::Mixed,
        }
    }

    /// The name used in results: `none`, `lf`, `crlf`, `cr` or `mixed`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lf => "lf",
            Self::CrLf => "crlf",
            Self::Cr => "cr",
            Self::Mixed => "mixed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_endings_are_detected() {
        for (text, name) in [
            ("", "none"),
            ("a", "none"),
            ("a\nb\n", "lf"),
            ("a\r\nb\r\n", "crlf"),
            ("a\rb\r", "cr"),
            ("a\r", "cr"),
            ("a\r\nb\n", "mixed"),
            ("a\n\rb", "mixed"),
            ("a\r\rb\r\n", "mixed"),
        ] {
            assert_eq!(LineEndings::detect(&Text::new(text)).as_str(), name, "{text:?}");
        }
    }

    #[test]
    fn long_crlf_text_is_not_mixed_at_chunk_borders() {
        let text =
            Text::new(&"x".repeat(999).chars().map(|c| format!("{c}\r\n")).collect::<String>());
        assert_eq!(LineEndings::detect(&text), LineEndings::CrLf);
    }
}
