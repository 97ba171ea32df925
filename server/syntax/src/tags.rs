//! Pairs of opening and closing tags.

use std::ops::Range;

use streaming_iterator::StreamingIterator;

use crate::Syntax;
use crate::query::{TextChunks, query_cursor};

impl Syntax {
    /// The name spans of the opening and the closing tag, if `offset` is in one of them, by the
    /// captures `@open` and `@close` of `queries/<language>/tags.scm`.
    #[must_use]
    pub fn tag_pair(&self, offset: usize) -> Option<(Range<usize>, Range<usize>)> {
        let query = self.language().tags()?;
        let (open, close) =
            (query.capture_index_for_name("open")?, query.capture_index_for_name("close")?);
        let mut cursor = query_cursor();
        cursor.set_byte_range(offset.saturating_sub(1)..offset + 1);
        let mut matches = cursor.matches(query, self.root(), TextChunks(self.text()));
        let mut innermost: Option<(Range<usize>, Range<usize>)> = None;
        while let Some(found) = matches.next() {
            let span = |index| {
                let capture = found.captures().iter().find(|c| c.index == index)?;
                Some(capture.node.byte_range())
            };
            let (Some(one), Some(other)) = (span(open), span(close)) else { continue };
            let on = |span: &Range<usize>| span.start <= offset && offset <= span.end;
            let closer =
                innermost.as_ref().is_none_or(|(o, c)| other.end - one.start < c.end - o.start);
            if (on(&one) || on(&other)) && closer {
                innermost = Some((one, other));
            }
        }
        innermost
    }

    /// The name of the element that is open at `offset` and has no closing tag yet. Scans at most
    /// `SEARCHED_BYTES` backwards for tags that the tree confirms.
    #[must_use]
    pub fn unclosed_tag(&self, offset: usize) -> Option<String> {
        const SEARCHED_BYTES: usize = 64 << 10;
        self.language().tags()?;
        let before = self.text().slice(offset.saturating_sub(SEARCHED_BYTES)..offset);
        let start = offset - before.len();
        // End tags seen so far, which close start tags further back.
        let mut closed: Vec<&str> = Vec::new();
        let mut rest = &before[..];
        while let Some(at) = rest.rfind('<') {
            let tag = &rest[at..];
            let tag = &tag[..tag_end(tag, self.language().row().entry.jsx)];
            rest = &rest[..at];
            if !self.may_be_tag(start + at) {
                continue;
            }
            let name_end = |s: &str| {
                s.find(|c: char| c.is_whitespace() || "/>".contains(c)).unwrap_or(s.len())
            };
            if let Some(name) = tag.strip_prefix("</") {
                closed.push(&name[..name_end(name)]);
                continue;
            }
            let name = &tag[1..];
            let name = &name[..name_end(name)];
            let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
            if !is_name || tag.ends_with("/>") || !tag.ends_with('>') || is_void(name) {
                continue;
            }
            match closed.iter().rposition(|c| *c == name) {
                Some(position) => closed.truncate(position),
                None => return Some(name.to_owned()),
            }
        }
        None
    }

    /// Whether a `<` may start a tag: it is not in a string or comment, no operator, and does not
    /// start type arguments. In broken code anything goes.
    fn may_be_tag(&self, at: usize) -> bool {
        let leaf = self.root().descendant_for_byte_range(at, at + 1);
        leaf.filter(|leaf| leaf.kind().starts_with('<') || leaf.is_error()).is_some_and(|leaf| {
            leaf.is_error()
                || leaf.parent().is_some_and(|p| p.is_error() || TAG_KINDS.contains(&p.kind()))
        })
    }
}

/// Node kinds of tags.
const TAG_KINDS: &[&str] = &[
    "ETag",
    "EmptyElemTag",
    "STag",
    "end_tag",
    "erroneous_end_tag",
    "jsx_closing_element",
    "jsx_opening_element",
    "jsx_self_closing_element",
    "self_closing_tag",
    "start_tag",
];

/// The end of a tag. In JSX a `>` between braces is code.
fn tag_end(tag: &str, jsx: bool) -> usize {
    let mut depth = 0_usize;
    let ends = |(_, byte): &(usize, u8)| {
        match byte {
            b'{' if jsx => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        *byte == b'>' && depth == 0
    };
    tag.bytes().enumerate().find(ends).map_or(tag.len(), |(at, _)| at + 1)
}

/// Whether it is an HTML void element, which has no closing tag.
fn is_void(name: &str) -> bool {
    const VOID: &[&str] = &[
        "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param",
        "source", "track", "wbr",
    ];
    VOID.iter().any(|void| void.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use text::Text;

    use super::*;
    use crate::Language;

    fn parse(language: &str, source: &str) -> Syntax {
        let language = Language::by_id(language).unwrap();
        Syntax::parse(language, &Text::new(source), None, &AtomicBool::new(false)).unwrap()
    }

    #[test]
    fn tags_of_an_element_are_paired() {
        for language in ["html", "tsx", "javascript", "xml"] {
            let source = match language {
                "html" | "xml" => "<a><b x='1'>text</b></a>",
                _ => "x = <a><b x='1'>text</b></a>;",
            };
            let syntax = parse(language, source);
            let (open, close) = (source.find("b x").unwrap(), source.find("b></a").unwrap());
            for at in [open, open + 1, close, close + 1] {
                let pair = Some((open..open + 1, close..close + 1));
                assert_eq!(syntax.tag_pair(at), pair, "{language} {at}");
            }
            assert_eq!(syntax.tag_pair(source.find("text").unwrap() + 2), None);
        }
    }

    #[test]
    fn the_innermost_open_tag_is_found() {
        let open = |source: &str| parse("html", source).unclosed_tag(source.len());
        assert_eq!(open("<div><p>a</p><br><img src='x'/>").as_deref(), Some("div"));
        assert_eq!(open("<ul><li>a</li><li>"), Some("li".to_owned()));
        assert_eq!(open("<p>a</p>"), None);
        assert_eq!(open("a < b"), None);
        let source = "x = <main a={() => 1}>{[].map((y) => <b c={() => 2} />)}<p/>";
        let open = |source: &str| parse("tsx", source).unclosed_tag(source.len());
        assert_eq!(open(source).as_deref(), Some("main"));
    }
}
