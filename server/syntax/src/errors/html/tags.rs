//! A tokenizer for tags, following the HTML standard.

use std::ops::Range;

use super::SyntaxError;

/// Raw text elements, in which only their own end tag is recognised.
const RAW_TEXT_ELEMENTS: &[&str] =
    &["script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"];

/// Longest interpolation that may contain quotes, in bytes.
const MAX_INTERPOLATION_LEN: usize = 400;

/// A tag.
#[derive(Debug)]
pub(super) struct Tag<'s> {
    pub(super) span: Range<usize>,
    /// The name as written.
    pub(super) name: &'s str,
    pub(super) is_end: bool,
    /// Whether it ends with `/>`.
    pub(super) is_closed: bool,
}

pub(super) struct TagReader<'s> {
    source: &'s str,
    at: usize,
    /// The open raw text element, and the span of its start tag.
    raw: Option<(&'s str, Range<usize>)>,
    /// Whether an unterminated comment, raw text element or tag reaches the end of the text.
    pub(super) hit_unterminated: bool,
}

impl<'s> TagReader<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Self { source, at: 0, raw: None, hit_unterminated: false }
    }

    /// The next tag; errors before or in it are added to `errors`.
    pub(super) fn next_tag(&mut self, errors: &mut Vec<SyntaxError>) -> Option<Tag<'s>> {
        if let Some((name, opens)) = self.raw.take() {
            match self.raw_end(name) {
                Some(end) => self.at = end,
                None => {
                    errors.push(unclosed(self.source, &format!("`<{name}>`"), "opens", opens));
                    self.hit_unterminated = true;
                    return None;
                }
            }
        }
        loop {
            let start = self.at + memchr::memchr(b'<', self.rest().as_bytes())?;
            self.at = start;
            let rest = self.rest();
            if let Some(comment) = rest.strip_prefix("<!--") {
                match comment.find("-->") {
                    Some(length) => self.at += 4 + length + 3,
                    // `<!-->` is a complete comment.
                    None if comment.starts_with('>') || comment.starts_with("->") => self.at += 4,
                    None => {
                        errors.push(unclosed(self.source, "comment", "starts", start..start + 4));
                        self.hit_unterminated = true;
                        return None;
                    }
                }
            } else if rest.starts_with("<![CDATA[") {
                self.at += rest.find("]]>").map_or(rest.len(), |length| length + 3);
            } else if rest.starts_with("<!") || rest.starts_with("<?") {
                errors.extend(doctype(rest, start));
                self.at += rest.find('>').map_or(rest.len(), |length| length + 1);
            } else if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
                return self.tag(start, false, errors);
            } else if let Some(name) = rest.strip_prefix("</") {
                if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                    return self.tag(start, true, errors);
                }
                if name.starts_with('>') {
                    errors.push(error(start..start + 3, "expected a name after `</`".to_owned()));
                }
                self.at += 2;
            } else {
                self.at += 1;
            }
        }
    }

    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// The start of the end tag of a raw text element.
    fn raw_end(&self, name: &str) -> Option<usize> {
        let bytes = self.source.as_bytes();
        memchr::memmem::find_iter(&bytes[self.at..], b"</").map(|at| self.at + at).find(|at| {
            let found = bytes.get(at + 2..at + 2 + name.len());
            found.is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
        })
    }

    fn tag(
        &mut self,
        start: usize,
        is_end: bool,
        errors: &mut Vec<SyntaxError>,
    ) -> Option<Tag<'s>> {
        self.at = start + 1 + usize::from(is_end);
        let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '>' | '<');
        let name = &self.rest()[..self.rest().find(ends).unwrap_or(self.rest().len())];
        self.at += name.len();
        let is_closed = loop {
            self.at += self.rest().len() - self.rest().trim_start().len();
            let rest = self.rest();
            let here = self.at..self.at + 1;
            match rest.as_bytes().first() {
                None => {
                    let text = &self.source[start..start + 1 + usize::from(is_end) + name.len()];
                    errors.push(error(start..start + text.len(), format!("unclosed `{text}`")));
                    self.hit_unterminated = true;
                    return None;
                }
                Some(b'>') => {
                    self.at += 1;
                    break self.source[..self.at].ends_with("/>");
                }
                Some(b'/') => self.at += 1,
                Some(b'<') => {
                    errors.push(self.unterminated_tag(start));
                    break false;
                }
                Some(b'=') => {
                    errors.push(error(here, "expected a name before `=`".to_owned()));
                    self.skip_to_end();
                }
                Some(b'"' | b'\'') => {
                    let quote = &rest[..1];
                    errors.push(error(here, format!("unexpected `{quote}`")));
                    self.skip_to_end();
                }
                Some(_) => self.attribute(errors),
            }
        };
        let span = start..self.at;
        let raw = RAW_TEXT_ELEMENTS.iter().any(|raw| raw.eq_ignore_ascii_case(name));
        if raw && !is_end && !is_closed {
            self.raw = Some((name, span.clone()));
        }
        Some(Tag { span, name, is_end, is_closed })
    }

    /// The error for a tag that starts at `start` and runs into the next one: the text after it was
    /// read as attributes, unless its other lines contain values.
    fn unterminated_tag(&self, start: usize) -> SyntaxError {
        let tag = &self.source[start..self.at];
        let first = tag.lines().next().unwrap_or_default();
        let rest = tag[first.len()..].trim();
        if rest.is_empty() || rest.contains('=') {
            return error(self.at..self.at + 1, "expected `>` before `<`".to_owned());
        }
        let last = first.trim_end();
        let word = last.rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
        let span = start + word..start + last.len();
        error(span, format!("expected `>` after `{}`", last[word..].trim()))
    }

    /// Continues at the end of the tag, as far as that is known after a stray quote.
    fn skip_to_end(&mut self) {
        self.at += self.rest().find(['>', '\n']).unwrap_or(self.rest().len());
    }

    fn attribute(&mut self, errors: &mut Vec<SyntaxError>) {
        let rest = self.rest();
        // Frameworks allow interpolations in place of attributes.
        if rest.starts_with('{') {
            let length = rest.find('}').map_or(rest.len(), |end| end + 1);
            self.at += length;
            return;
        }
        let ends = |c: char| c.is_whitespace() || matches!(c, '/' | '>' | '=' | '<' | '"');
        let length = rest.find(ends).unwrap_or(rest.len());
        self.at += length;
        if self.rest().starts_with('"') {
            let here = self.at..self.at + 1;
            errors.push(error(here, "unexpected `\"`".to_owned()));
            self.skip_to_end();
            return;
        }
        let behind = self.rest().trim_start();
        let Some(value) = behind.strip_prefix('=') else { return };
        let sign = self.source.len() - behind.len();
        let value = value.trim_start();
        self.at = self.source.len() - value.len();
        match value.as_bytes().first() {
            Some(b'>') | None => {
                errors.push(error(sign..sign + 1, "expected a value after `=`".to_owned()));
            }
            Some(quote @ (b'"' | b'\'')) => self.quoted(char::from(*quote), errors),
            Some(_) => self.unquoted(errors),
        }
    }

    fn quoted(&mut self, quote: char, errors: &mut Vec<SyntaxError>) {
        let (start, inside) = (self.at, self.at + 1);
        let rest = &self.source[inside..];
        let end = value_end(rest, quote);
        let value = &rest[..end.unwrap_or(rest.len())];
        let behind = rest[value.len()..].strip_prefix(quote).unwrap_or_default();
        // The text after the closing quote shows whether it closes this value.
        let goes_on = behind.starts_with(|c: char| !c.is_whitespace() && !matches!(c, '>' | '/'));
        let swallowed =
            value.contains('>') || value.contains('\n') || value.trim_end().ends_with('=');
        if end.is_none() || goes_on && swallowed {
            errors.push(unclosed(self.source, "string", "starts", start..inside));
            // The tag most likely ends on its line.
            self.at = inside + value.find(['>', '\n']).unwrap_or(value.len());
            return;
        }
        self.at = inside + value.len() + 1;
    }

    fn unquoted(&mut self, errors: &mut Vec<SyntaxError>) {
        let rest = self.rest();
        let length = rest.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(rest.len());
        let value = &rest[..length];
        let interpolated = value.starts_with("{{") || value.starts_with("${");
        let wrong = value.starts_with('=').then_some(0);
        let wrong = wrong.or_else(|| value.find(['"', '<'])).or_else(|| value.find("='"));
        if let Some(wrong) = wrong.filter(|_| !interpolated) {
            let at = self.at + wrong;
            let found = &value[wrong..=wrong];
            let message = match found {
                "<" => "expected `>` before `<`".to_owned(),
                found => format!("unexpected `{found}` in the value of an attribute"),
            };
            errors.push(error(at..at + 1, message));
            if found == "<" {
                self.at = at;
                return;
            }
        }
        self.at += length;
    }
}

/// The end of a quoted value; quotes inside `{{ … }}` do not count.
fn value_end(value: &str, quote: char) -> Option<usize> {
    let mut at = 0;
    loop {
        let end = at + value[at..].find(quote)?;
        let inside = value[at..end].find("{{").and_then(|open| {
            let line = value[at + open..]
                .bytes()
                .take(MAX_INTERPOLATION_LEN)
                .take_while(|b| *b != b'\n')
                .count();
            let bytes = &value.as_bytes()[at + open..at + open + line];
            let close = at + open + memchr::memmem::find(bytes, b"}}")?;
            (close > end).then_some(close + 2)
        });
        match inside {
            Some(behind) => at = behind,
            None => return Some(end),
        }
    }
}

/// The error of a DOCTYPE declaration.
fn doctype(rest: &str, start: usize) -> Option<SyntaxError> {
    let mut words = rest.strip_prefix("<!")?.split([' ', '\t', '\n', '>']);
    let first = words.next()?.to_ascii_lowercase();
    let message = match first.as_str() {
        "" if words.next()?.eq_ignore_ascii_case("html") => "expected `DOCTYPE` after `<!`",
        "doctype" if rest[9..].starts_with('>') => "expected `html` after `DOCTYPE`",
        "doctype" if words.next()?.eq_ignore_ascii_case("doctype") => "unexpected `DOCTYPE`",
        _ => return None,
    };
    Some(error(start..start + 2, message.to_owned()))
}

fn error(span: Range<usize>, message: String) -> SyntaxError {
    SyntaxError { span, message, missing: None }
}

pub(super) fn unclosed(source: &str, what: &str, verb: &str, span: Range<usize>) -> SyntaxError {
    let line = source[..span.start].matches('\n').count() + 1;
    error(span, format!("unclosed {what} that {verb} on line {line}"))
}
