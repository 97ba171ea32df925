//! Javadoc: HTML with tags of its own.

use super::html::{self, Tag};
use super::inline::{code_span, find_brace, link, push_plain, word};
use super::writer::Writer;

pub(super) fn render(text: &str) -> String {
    let mut renderer = Renderer::default();
    let mut rest = text;
    while !rest.is_empty() {
        rest = renderer.step(rest);
    }
    renderer.end_paragraph();
    renderer.out.finish()
}

/// Depth limit of the lists shown.
const MAX_DEPTH: usize = 8;

#[derive(Default)]
struct Renderer {
    out: Writer,
    /// The current paragraph as Markdown.
    paragraph: String,
    /// The mark of the paragraph, if it is a list item or a heading.
    mark: String,
    /// The lists around the paragraph: the number of the last item for ordered ones.
    lists: Vec<Option<usize>>,
    /// Set once no `<pre>` is closed in the rest of the text.
    unclosed: bool,
}

impl Renderer {
    /// Writes the current paragraph.
    fn end_paragraph(&mut self) {
        let mark = std::mem::take(&mut self.mark);
        let paragraph = std::mem::take(&mut self.paragraph);
        if paragraph.trim().is_empty() {
            return;
        }
        let extra = self.lists.len().saturating_sub(1) * 2;
        // Three columns for numbers, two for bullets; continuation lines are aligned with the item.
        let width = if self.lists.is_empty() { 0 } else { mark.len().max(2) };
        let lines = paragraph.trim().lines().map(str::trim_start);
        for (n, line) in lines.filter(|l| !l.trim().is_empty()).enumerate() {
            match n {
                0 if !mark.is_empty() => self.out.line(extra, &format!("{mark}{line}")),
                _ => self.out.line(extra + width, line),
            }
        }
        if self.lists.is_empty() {
            self.out.blank();
        }
    }

    /// Handles the start of the text and returns the rest.
    fn step<'a>(&mut self, rest: &'a str) -> &'a str {
        let Some(c) = rest.chars().next() else { return "" };
        let at_start = self.paragraph.trim_end_matches([' ', '\t']);
        let at_start = at_start.is_empty() || at_start.ends_with('\n');
        let taken = match c {
            '{' => inline_tag(rest).map(|(shown, behind)| {
                match shown {
                    Inline::Text(text) => self.paragraph.push_str(&text),
                    Inline::Code(code) => self.code(&code),
                }
                behind
            }),
            '@' if at_start => self.block_tag(&rest[1..]),
            '<' => self.element(rest),
            '&' => html::entity(rest).map(|(c, behind)| {
                push_plain(&mut self.paragraph, c, behind.chars().next());
                behind
            }),
            _ => None,
        };
        taken.unwrap_or_else(|| {
            let behind = &rest[c.len_utf8()..];
            push_plain(&mut self.paragraph, c, behind.chars().next());
            behind
        })
    }

    fn code(&mut self, code: &str) {
        self.end_paragraph();
        let lines: Vec<&str> = code.lines().collect();
        self.out.code(self.lists.len() * 2, "java", &lines);
    }

    fn element<'a>(&mut self, rest: &'a str) -> Option<&'a str> {
        if let Some(comment) = rest.strip_prefix("<!--") {
            let end = super::inline::find_close(comment, "-->")?;
            return Some(&comment[end + 3..]);
        }
        let (tag, behind) = html::tag(rest)?;
        if tag.name == "pre" && !tag.closes {
            return Some(self.preformatted(behind));
        }
        if self.block(&tag) {
            return Some(behind);
        }
        let (shown, behind) = html::inline(rest)?;
        self.paragraph.push_str(&shown);
        Some(behind)
    }

    /// Handles an element that ends a paragraph.
    fn block(&mut self, tag: &Tag<'_>) -> bool {
        match tag.name.as_str() {
            "p" | "div" | "blockquote" | "table" | "thead" | "tbody" | "dl" | "caption" | "pre" => {
                let mark = std::mem::take(&mut self.mark);
                let empty = self.paragraph.trim().is_empty();
                self.end_paragraph();
                if empty {
                    // `<li><p>` is still the start of the item.
                    self.mark = mark;
                } else {
                    self.out.blank();
                }
            }
            "ul" | "ol" if tag.closes => {
                self.end_paragraph();
                self.lists.pop();
                self.out.blank();
            }
            "ul" | "ol" => {
                self.end_paragraph();
                if self.lists.len() < MAX_DEPTH {
                    self.lists.push((tag.name == "ol").then_some(0));
                }
            }
            "li" => {
                self.end_paragraph();
                if !tag.closes {
                    self.mark = match self.lists.last_mut() {
                        Some(Some(number)) => {
                            *number += 1;
                            format!("{number}. ")
                        }
                        _ => "- ".to_owned(),
                    };
                }
            }
            "tr" | "dd" => {
                self.end_paragraph();
                if !tag.closes {
                    self.mark = "- ".to_owned();
                }
            }
            "dt" => {
                self.end_paragraph();
            }
            "td" | "th" => {
                if !tag.closes && !self.paragraph.trim().is_empty() {
                    self.paragraph.truncate(self.paragraph.trim_end().len());
                    self.paragraph.push_str(" · ");
                }
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.end_paragraph();
                if !tag.closes {
                    self.mark = "### ".to_owned();
                }
            }
            _ => return false,
        }
        true
    }

    fn preformatted<'a>(&mut self, rest: &'a str) -> &'a str {
        let end = if self.unclosed { None } else { rest.find("</pre>") };
        let Some(end) = end else {
            self.unclosed = true;
            return rest;
        };
        let inside = rest[..end].trim_matches('\n');
        let wrapped = inside.trim().strip_prefix("{@code").and_then(|i| i.strip_suffix('}'));
        match wrapped {
            Some(code) => self.code(code.trim_start_matches([' ', '\r'])),
            None => {
                let plain = without_tags(&html::untagged(inside));
                self.code(&html::decoded(&plain));
            }
        }
        &rest[end + "</pre>".len()..]
    }

    /// Starts the block of an `@tag`; `None` if it is no tag.
    fn block_tag<'a>(&mut self, rest: &'a str) -> Option<&'a str> {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (name, behind) = (&rest[..end], &rest[end..]);
        if name.is_empty() || !behind.is_empty() && !behind.starts_with(char::is_whitespace) {
            return None;
        }
        self.end_paragraph();
        self.lists.clear();
        let behind = behind.trim_start_matches([' ', '\t']);
        let named = |behind: &'a str| {
            let (name, text) = word(behind);
            (name, text.strip_prefix("- ").unwrap_or(text))
        };
        match name {
            "param" => {
                let (name, text) = named(behind);
                match name.strip_prefix('<').and_then(|n| n.strip_suffix('>')) {
                    Some(name) => self.out.entry("Type parameters", name, None),
                    None => self.out.entry("Parameters", name, None),
                }
                return Some(text);
            }
            "throws" | "exception" => {
                let (name, text) = named(behind);
                self.out.entry("Throws", name, None);
                return Some(text);
            }
            "return" => self.out.titled("Returns", None),
            "deprecated" => self.out.titled("Deprecated", None),
            "since" => self.out.titled("Since", None),
            "apiNote" => self.out.titled("API note", None),
            "implNote" => self.out.titled("Implementation note", None),
            "implSpec" => self.out.titled("Implementation requirements", None),
            "see" => {
                self.out.titled("See also", None);
                if behind.starts_with(['<', '"']) {
                    return Some(behind);
                }
                let line = behind.lines().next().unwrap_or("");
                self.paragraph.push_str(&reference(line, true));
                return Some(&behind[line.len()..]);
            }
            "author" | "version" | "serial" | "serialData" | "serialField" | "hidden" => {
                let line = behind.lines().next().unwrap_or("");
                return Some(&behind[line.len()..]);
            }
            _ => self.out.titled(name, None),
        }
        Some(behind)
    }
}

/// An inline tag as text.
pub(super) enum Inline {
    Text(String),
    Code(String),
}

/// The inline tag at the start of a text, and the rest.
pub(super) fn inline_tag(text: &str) -> Option<(Inline, &str)> {
    let inside = text.strip_prefix("{@")?;
    let end = find_brace(inside)?;
    let (inside, behind) = (&inside[..end], &inside[end + 1..]);
    let name_end = inside.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inside.len());
    let (name, content) = (&inside[..name_end], inside[name_end..].trim());
    let shown = match name {
        "code" => code_span(content),
        "link" | "linkcode" | "value" => reference(content, true),
        "linkplain" | "tutorial" => reference(content, false),
        "snippet" => {
            let code = content.split_once('\n').map_or("", |(_, code)| code);
            return Some((Inline::Code(code.to_owned()), behind));
        }
        "inheritDoc" | "docRoot" => String::new(),
        "return" => format!("Returns {content}."),
        _ => {
            let mut plain = String::new();
            content.chars().for_each(|c| push_plain(&mut plain, c, None));
            plain
        }
    };
    Some((Inline::Text(shown), behind))
}

/// `Type#member(int, String) label` as its label, else as the reference.
fn reference(content: &str, code: bool) -> String {
    let mut depth = 0_usize;
    let end = content.char_indices().find(|(_, c)| {
        match c {
            '(' | '<' => depth += 1,
            ')' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c.is_whitespace() || *c == '|')
    });
    let end = end.map_or(content.len(), |(at, _)| at);
    let (target, label) = (&content[..end], content[end..].trim_start_matches('|').trim());
    if target.contains("://") {
        return link(label, target);
    }
    let target = target.trim_start_matches('#').replace('#', ".");
    let label = html::decoded(&html::untagged(label));
    match (label.is_empty(), code) {
        (true, _) => code_span(&target),
        (false, true) if !label.contains('`') => code_span(&label),
        (false, _) => label,
    }
}

/// Code with inline tags resolved: `{@literal @}Override` is `@Override`.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let tag = rest.strip_prefix("{@").and_then(|inside| {
            let end = find_brace(inside)?;
            Some((word(&inside[..end]).1, &inside[end + 1..]))
        });
        if let Some((content, behind)) = tag {
            out.push_str(content);
            rest = behind;
            continue;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}
