//! A text with LF line endings that maps offsets back to the original.

use std::borrow::Cow;

/// `text` with LF endings.
pub(crate) struct LfText<'t> {
    pub(crate) text: Cow<'t, str>,
    /// Offsets in `text` of each LF that was CRLF.
    shrunk: Vec<usize>,
}

impl<'t> LfText<'t> {
    /// O(text), without a copy where there is no CR.
    pub(crate) fn new(text: &'t str) -> LfText<'t> {
        let bytes = text.as_bytes();
        if memchr::memchr(b'\r', bytes).is_none() {
            return LfText { text: Cow::Borrowed(text), shrunk: Vec::new() };
        }
        let (mut normal, mut shrunk, mut from) = (String::with_capacity(text.len()), Vec::new(), 0);
        for at in memchr::memchr_iter(b'\r', bytes) {
            normal.push_str(&text[from..at]);
            from = at + 1;
            if bytes.get(from) == Some(&b'\n') {
                shrunk.push(normal.len());
                from += 1;
            }
            normal.push('\n');
        }
        normal.push_str(&text[from..]);
        LfText { text: Cow::Owned(normal), shrunk }
    }

    /// The offset in the original of an offset in the normal text.
    pub(crate) fn original_offset(&self, offset: usize) -> usize {
        offset + self.shrunk.partition_point(|&at| at < offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_come_back() {
        let text = "a\r\nb\rc\n\r\nd";
        let normal = LfText::new(text);
        assert_eq!(normal.text, "a\nb\nc\n\nd");
        let at = normal.text.find('d').expect("d");
        assert_eq!(&text[normal.original_offset(at)..], "d");
        assert_eq!(normal.original_offset(2), 3);
        assert_eq!(normal.original_offset(1), 1);
    }
}
