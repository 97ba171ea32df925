//! Folds Unicode characters that people and models confuse: canonical composition, quotes, dashes,
//! blanks, the ellipsis and invisible characters. Never folds case.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::canonical_combining_class;

use crate::lines::is_blank_byte;

/// The folded form of a character; `None` if it stays, an empty string if it is dropped.
fn fold_char(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{02bc}' | '\u{ff07}' => "'",
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ff02}' => "\"",
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => "-",
        '\u{00a0}'
        | '\u{1680}'
        | '\u{2000}'..='\u{200a}'
        | '\u{202f}'
        | '\u{205f}'
        | '\u{3000}' => " ",
        '\u{2026}' => "...",
        '\u{00ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => "",
        _ => return None,
    })
}

/// A line folded. O(line).
pub(crate) fn fold_line(line: &str) -> Cow<'_, str> {
    if line.is_ascii() { Cow::Borrowed(line) } else { Cow::Owned(FoldedText::new(line).text) }
}

/// A folded text that maps offsets back to the original.
pub(crate) struct FoldedText {
    pub(crate) text: String,
    /// The start of each run in both texts. Offsets advance together within an ASCII run; any other
    /// run is one cluster (a character with its combining marks).
    runs: Vec<FoldedRun>,
}

struct FoldedRun {
    folded: usize,
    original: usize,
    ascii: bool,
}

impl FoldedText {
    /// O(text).
    pub(crate) fn new(text: &str) -> FoldedText {
        let mut result = FoldedText { text: String::with_capacity(text.len()), runs: Vec::new() };
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let ascii = bytes[at..].iter().take_while(|byte| byte.is_ascii()).count();
            let end = at + ascii;
            // A combining mark belongs to the character before it.
            let marked = ascii > 0 && text[end..].chars().next().is_some_and(is_mark);
            let plain = if marked { end - 1 } else { end };
            if plain > at {
                result.run(at, true);
                result.text.push_str(&text[at..plain]);
            }
            at = plain;
            if at < bytes.len() {
                at += result.cluster(text, at);
            }
        }
        // Closes the last run.
        result.run(text.len(), true);
        result
    }

    fn run(&mut self, original: usize, ascii: bool) {
        self.runs.push(FoldedRun { folded: self.text.len(), original, ascii });
    }

    /// Folds one character with the marks that follow it; returns its length.
    fn cluster(&mut self, text: &str, at: usize) -> usize {
        let rest = &text[at..];
        let mut chars = rest.char_indices();
        let first = chars.next().map(|(_, c)| c);
        let length = chars.find(|&(_, c)| !is_mark(c)).map_or(rest.len(), |(index, _)| index);
        self.run(at, false);
        let cluster = &rest[..length];
        match first.and_then(fold_char) {
            Some(simple) if length == first.map_or(0, char::len_utf8) => self.text.push_str(simple),
            _ => self.text.extend(cluster.nfd()),
        }
        length
    }

    /// The original offset of a match's start; `None` inside a cluster. Dropped characters stay outside
    /// of the match.
    pub(crate) fn start(&self, offset: usize) -> Option<usize> {
        let index = self.runs.partition_point(|run| run.folded <= offset).checked_sub(1)?;
        let run = &self.runs[index];
        if run.ascii {
            Some(run.original + offset - run.folded)
        } else {
            (run.folded == offset).then_some(run.original)
        }
    }

    /// The original offset of a match's end; `None` inside a cluster.
    pub(crate) fn end(&self, offset: usize) -> Option<usize> {
        let next = self.runs.partition_point(|run| run.folded < offset);
        let run = &self.runs[next.checked_sub(1)?];
        if run.ascii {
            return Some(run.original + offset - run.folded);
        }
        self.runs.get(next).filter(|next| next.folded == offset).map(|next| next.original)
    }
}

/// ASCII forms that the author's channel replaced by typographic ones, such as `"` by curly quotes
/// or a blank by a no-break space.
pub(crate) struct PlainForms {
    plain: Vec<&'static str>,
}

impl PlainForms {
    /// The forms that `old` has as typographic characters and `region` does not; `None` if none.
    pub(crate) fn only_in(old: &str, region: &str) -> Option<PlainForms> {
        let plain_forms = |text: &str| -> Vec<&'static str> {
            text.chars().filter(|c| !c.is_ascii()).filter_map(fold_char).collect()
        };
        let (mut plain, there) = (plain_forms(old), plain_forms(region));
        plain.sort_unstable();
        plain.dedup();
        plain.retain(|form| !there.contains(form));
        (!plain.is_empty()).then_some(PlainForms { plain })
    }

    /// The text with these forms as ASCII.
    pub(crate) fn plain(&self, text: &str) -> String {
        let mut result = String::with_capacity(text.len());
        for c in text.chars() {
            match fold_char(c).filter(|form| !c.is_ascii() && self.plain.contains(form)) {
                Some(form) => result.push_str(form),
                None => result.push(c),
            }
        }
        result
    }
}

fn is_mark(c: char) -> bool {
    !c.is_ascii() && canonical_combining_class(c) != 0
}

/// Each run of blanks as one blank.
pub(crate) fn collapse(line: &str) -> String {
    let mut result = String::with_capacity(line.len());
    let mut blank = false;
    for c in line.chars() {
        let is_blank = c.is_ascii() && is_blank_byte(c as u8);
        if !is_blank {
            result.push(c);
        } else if !blank {
            result.push(' ');
        }
        blank = is_blank;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds() {
        assert_eq!(fold_line("“a” – b\u{a0}c…"), "\"a\" - b c...");
        assert_eq!(fold_line("e\u{301}t\u{e9}"), fold_line("\u{e9}te\u{301}"));
        assert_eq!(fold_line("zero\u{200b}width"), "zerowidth");
        assert_ne!(fold_line("ß"), fold_line("ss"));
        assert_eq!(collapse("a \t b  c"), "a b c");
    }

    #[test]
    fn offsets_come_back() {
        let text = "x “e\u{301}” … y\u{200b}z";
        let folded = FoldedText::new(text);
        let at = folded.text.find("...").expect("ellipsis");
        assert_eq!(&text[folded.start(at).expect("start")..folded.end(at + 3).expect("end")], "…");
        assert_eq!(folded.start(at + 1), None);
        assert_eq!(folded.end(at + 1), None);
        let end = folded.text.len();
        assert_eq!(folded.end(end), Some(text.len()));
        let y = folded.text.find('y').expect("y");
        assert_eq!(&text[folded.start(y).expect("start")..folded.end(y + 1).expect("end")], "y");
        assert_eq!(folded.start(y + 1).map(|at| &text[at..]), Some("z"));
    }
}
