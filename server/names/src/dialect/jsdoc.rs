//! JSDoc and TSDoc: Markdown with tags.

use super::inline::{find_brace, word};
use super::javadoc::{Inline, inline_tag};
use super::markdown_text;
use super::writer::Writer;

pub(super) fn render(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut renderer = Renderer { lines, at: 0, out: Writer::default(), text: String::new() };
    while renderer.at < renderer.lines.len() {
        renderer.step();
    }
    renderer.end_text();
    renderer.out.finish()
}

struct Renderer<'a> {
    lines: Vec<&'a str>,
    at: usize,
    out: Writer,
    /// Lines of text not written yet: inline marks may span several.
    text: String,
}

/// Tags that repeat what the code already shows.
const IGNORED: &[&str] = &[
    "abstract",
    "access",
    "alias",
    "alpha",
    "async",
    "augments",
    "author",
    "beta",
    "callback",
    "category",
    "class",
    "classdesc",
    "const",
    "constant",
    "constructor",
    "constructs",
    "enum",
    "eventProperty",
    "export",
    "extends",
    "external",
    "field",
    "fileoverview",
    "function",
    "generator",
    "global",
    "group",
    "hidden",
    "ignore",
    "implements",
    "import",
    "inheritDoc",
    "inheritdoc",
    "inner",
    "instance",
    "interface",
    "internal",
    "kind",
    "lends",
    "license",
    "memberOf",
    "memberof",
    "method",
    "mixin",
    "mixes",
    "module",
    "name",
    "namespace",
    "noinspection",
    "override",
    "overload",
    "package",
    "packageDocumentation",
    "private",
    "protected",
    "public",
    "readonly",
    "satisfies",
    "sealed",
    "static",
    "this",
    "typedef",
    "virtual",
    "yields",
];

/// `{@link …}` and the like at the start of a text.
fn special(text: &str) -> Option<(String, &str)> {
    match inline_tag(text)? {
        (Inline::Text(shown), behind) => Some((shown, behind)),
        (Inline::Code(_), _) => None,
    }
}

/// `@tag` at the start of a line, and the text after it.
fn tag(line: &str) -> Option<(&str, &str)> {
    let inside = line.trim_start().strip_prefix('@')?;
    let end = inside.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inside.len());
    let (name, text) = inside.split_at(end);
    let ends = text.is_empty() || text.starts_with(|c: char| c.is_whitespace() || c == '{');
    (!name.is_empty() && ends).then(|| (name, text.trim_start()))
}

/// A type in braces at the start of a text, and the rest.
fn braced(text: &str) -> (Option<&str>, &str) {
    let end = text.strip_prefix('{').filter(|i| !i.starts_with('@')).and_then(find_brace);
    match end {
        Some(end) => (Some(&text[1..=end]), text[end + 2..].trim_start()),
        None => (None, text),
    }
}

/// `[name=value] - text` as the name as written, and the text.
fn named(text: &str) -> (&str, &str) {
    let end = match text.starts_with('[') {
        // Brackets in a default value may be nested.
        true => {
            let mut depth = 0_usize;
            let end = text.bytes().take(400).position(|b| {
                match b {
                    b'[' => depth += 1,
                    b']' => depth -= 1,
                    _ => {}
                }
                depth == 0
            });
            end.map(|end| end + 1)
        }
        false => None,
    };
    let (name, text) =
        end.map_or_else(|| word(text), |end| (&text[..end], text[end..].trim_start()));
    (name, dashless(text))
}

fn dashless(text: &str) -> &str {
    let text = text.trim_start();
    text.strip_prefix("- ").or_else(|| text.strip_prefix("— ")).unwrap_or(text)
}

impl<'a> Renderer<'a> {
    fn end_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        if !text.trim().is_empty() {
            self.out.lines(0, &markdown_text::render(text.trim_end_matches('\n'), &special));
        }
    }

    /// Handles the next line.
    fn step(&mut self) {
        let line = self.lines[self.at];
        if let Some((name, text)) = tag(line) {
            self.end_text();
            self.at += 1;
            return self.begin(name, text);
        }
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            self.end_text();
            if let Some(count) =
                markdown_text::copy_fence(&self.lines[self.at..], &mut self.out, "typescript")
            {
                self.at += count;
                return;
            }
        }
        if line.trim().is_empty() {
            self.end_text();
            self.out.blank();
        } else {
            // Lines of an entry are aligned as their author liked.
            self.text.push_str(if self.out.in_group() { line.trim_start() } else { line });
            self.text.push('\n');
        }
        self.at += 1;
    }

    /// Starts the block of a tag.
    fn begin(&mut self, name: &str, text: &'a str) {
        let (ty, behind) = braced(text);
        match name {
            "param" | "arg" | "argument" => self.entry("Parameters", ty, behind),
            "property" | "prop" => self.entry("Properties", ty, behind),
            "template" | "typeParam" | "typeparam" => self.entry("Type parameters", ty, behind),
            "throws" | "exception" => {
                match ty {
                    Some(ty) => self.out.entry("Throws", ty, None),
                    None => self.out.titled("Throws", None),
                }
                self.push(dashless(behind));
            }
            "returns" | "return" => {
                self.out.titled("Returns", ty);
                self.push(dashless(behind));
            }
            "type" => {
                self.out.titled("Type", ty);
                self.push(behind);
            }
            "example" => self.example(text),
            "remarks" | "description" | "desc" | "summary" => {
                self.out.end_group();
                self.out.blank();
                self.push(text);
            }
            _ if IGNORED.contains(&name) => {
                self.out.end_group();
                // The text of such a tag ends at the next tag or blank line.
                while let Some(line) = self.lines.get(self.at) {
                    if tag(line).is_some() || line.trim().is_empty() {
                        break;
                    }
                    self.at += 1;
                }
            }
            _ => {
                let title = match name {
                    "see" => "See also".to_owned(),
                    "defaultValue" | "defaultvalue" => "Default".to_owned(),
                    _ => {
                        let mut title = name.to_owned();
                        title[..1].make_ascii_uppercase();
                        title
                    }
                };
                self.out.titled(&title, ty);
                self.push(behind);
            }
        }
    }

    fn push(&mut self, text: &str) {
        if !text.is_empty() {
            self.text.push_str(text);
            self.text.push('\n');
        }
    }

    fn entry(&mut self, group: &'static str, ty: Option<&str>, text: &str) {
        let (name, text) = named(text);
        self.out.entry(group, name, ty);
        self.push(text);
    }

    /// An example is code up to the next tag, unless it has a fence of its own.
    fn example(&mut self, first: &'a str) {
        let end = self.lines[self.at..].iter().position(|l| tag(l).is_some());
        let end = end.map_or(self.lines.len(), |n| self.at + n);
        self.out.end_group();
        self.out.blank();
        let caption = first.strip_prefix("<caption>").and_then(|c| c.split_once("</caption>"));
        let (caption, first) = caption.map_or(("", first), |(caption, rest)| (caption, rest));
        let fenced = self.lines[self.at..end].iter().any(|l| l.trim_start().starts_with("```"));
        let title = match caption.is_empty() {
            true => "**Example**".to_owned(),
            false => format!("**Example:** {}", markdown_text::render(caption, &special)),
        };
        self.out.line(0, &title);
        self.out.blank();
        if fenced {
            // Its text and fences are read like other lines.
            return self.push(first);
        }
        let mut code = vec![first.trim()];
        code.extend(&self.lines[self.at..end]);
        self.out.code(0, "typescript", &code);
        self.at = end;
    }
}
