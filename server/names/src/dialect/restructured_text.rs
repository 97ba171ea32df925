//! reStructuredText in Python docstrings.

use super::inline::word;
use super::python_sections::{SectionKind, entry, leading_type, section};
use super::restructured_roles;
use super::writer::Writer;

/// Renders a docstring.
pub(super) fn render(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut renderer = Renderer {
        types: Vec::new(),
        lines,
        at: 0,
        out: Writer::default(),
        paragraph: String::new(),
        base: 0,
        lists: Vec::new(),
        field: None,
        section: None,
    };
    renderer.collect_types();
    while renderer.at < renderer.lines.len() {
        renderer.step();
    }
    renderer.end_paragraph();
    renderer.out.finish()
}

/// An open list.
struct List {
    /// The indentation of its marks in the source.
    mark: usize,
    /// The indentation of its items' text in the output.
    width: usize,
}

/// An open section in the style of Google or NumPy.
struct Section {
    kind: SectionKind,
    /// The indentation of its entries.
    indent: usize,
    numpy: bool,
    /// Whether its first line was read.
    begun: bool,
}

struct Renderer<'a> {
    lines: Vec<&'a str>,
    at: usize,
    out: Writer,
    /// The lines of the current paragraph.
    paragraph: String,
    /// The indentation of the current paragraph.
    base: usize,
    lists: Vec<List>,
    /// The indentation of the open field.
    field: Option<usize>,
    section: Option<Section>,
    /// Types in fields of their own: `:type name: str`.
    types: Vec<(&'a str, &'a str)>,
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Splits `:param name: text` into `param name` and `text`; a role is no field.
fn field(line: &str) -> Option<(&str, &str)> {
    let inside = line.strip_prefix(':')?;
    let end = inside.find(':')?;
    let (name, text) = (&inside[..end], &inside[end + 1..]);
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
    (starts && (text.is_empty() || text.starts_with(' ')) && !name.contains('`'))
        .then(|| (name, text.trim()))
}

/// A list item: its Markdown mark and its text.
fn item(line: &str) -> Option<(String, &str)> {
    let bullet = ["- ", "* ", "+ ", "• "].iter().find_map(|m| line.strip_prefix(m));
    if let Some(text) = bullet {
        return Some(("- ".to_owned(), text.trim_start()));
    }
    if let Some(text) = line.strip_prefix("#. ") {
        return Some(("1. ".to_owned(), text.trim_start()));
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let text = line[digits..].strip_prefix(['.', ')'])?.strip_prefix(' ')?;
    (1..4).contains(&digits).then(|| (format!("{}. ", &line[..digits]), text.trim_start()))
}

/// Whether a line underlines the title before it.
fn is_underline(line: &str) -> bool {
    let line = line.trim();
    let first = line.chars().next();
    let mark = first.is_some_and(|c| "=-~^\"'`#*+.:_".contains(c));
    mark && line.len() >= 3 && line.chars().all(|c| Some(c) == first)
}

impl<'a> Renderer<'a> {
    fn collect_types(&mut self) {
        for line in &self.lines {
            let Some((name, ty)) = field(line.trim()) else { continue };
            let (kind, name) = word(name);
            if matches!(kind, "type" | "vartype" | "rtype" | "kwtype") && !ty.is_empty() {
                self.types.push((name, ty));
            }
        }
    }

    fn line(&self, at: usize) -> Option<&'a str> {
        self.lines.get(at).copied()
    }

    /// The indentation of text in the output.
    fn extra(&self) -> usize {
        self.lists.iter().map(|l| l.width).sum()
    }

    /// Writes the current paragraph.
    fn end_paragraph(&mut self) {
        if self.paragraph.is_empty() {
            return;
        }
        let text = restructured_roles::render(&self.paragraph);
        self.out.lines(self.extra(), &text);
        self.paragraph.clear();
    }

    /// Handles the next line.
    fn step(&mut self) {
        let line = self.lines[self.at].trim_end();
        if line.is_empty() {
            self.end_paragraph();
            self.out.blank();
            self.at += 1;
            return;
        }
        let (stands, text) = (indent(line), line.trim_start());
        self.dedent(stands);
        if self.paragraph.is_empty() {
            self.base = stands;
            let known = self.block(stands, text);
            if known {
                return;
            }
        } else if self.interrupts(stands, text) {
            self.end_paragraph();
            return;
        }
        self.prose(stands, text);
    }

    /// Closes what a line of this indentation no longer belongs to.
    fn dedent(&mut self, stands: usize) {
        let leaves_list = self.lists.last().is_some_and(|l| stands <= l.mark);
        let leaves_field = self.field.is_some_and(|f| stands <= f);
        if leaves_list || leaves_field {
            self.end_paragraph();
        }
        while self.lists.last().is_some_and(|l| stands <= l.mark) {
            self.lists.pop();
        }
        if leaves_field {
            self.out.end_entry();
            self.lists.clear();
            self.field = None;
        }
        if self.section.as_ref().is_some_and(|s| stands < s.indent) {
            self.section = None;
        }
    }

    /// Whether a line inside of a paragraph starts something else.
    fn interrupts(&self, stands: usize, text: &str) -> bool {
        field(text).is_some()
            || text.starts_with(".. ")
            || self.section.as_ref().is_some_and(|s| stands == s.indent && self.lists.is_empty())
                && matches!(self.section, Some(Section { kind: SectionKind::Named(_), .. }))
            // Lists need a blank line before them, but authors forget it.
            || item(text).is_some() && !text.starts_with(|c: char| c.is_ascii_digit())
            || text.starts_with(">>> ")
            || self.google(stands, text).is_some()
    }

    /// Handles a block other than a plain paragraph; returns whether there is one.
    fn block(&mut self, stands: usize, text: &'a str) -> bool {
        if let Some(rest) = text.strip_prefix(".. ") {
            self.directive(stands, rest);
            return true;
        }
        if text == ".." {
            self.at += 1;
            self.skip_body(stands);
            return true;
        }
        if let Some((name, rest)) = field(text) {
            self.at += 1;
            self.begin_field(stands, name, rest);
            return true;
        }
        if text.starts_with(">>>") {
            let end = self.until(|l| l.trim().is_empty());
            self.code("python", end);
            return true;
        }
        if text.starts_with("+-") || (text.starts_with("==") && text.contains("= =")) {
            let end = self.until(|l| l.trim().is_empty());
            self.code("text", end);
            return true;
        }
        if self.title(stands, text) || self.section_entry(stands, text) {
            return true;
        }
        if let Some((mark, rest)) = item(text) {
            let extra = self.extra();
            self.at += 1;
            self.lists.push(List { mark: stands, width: mark.len() });
            self.begin_item(extra, &mark, rest);
            return true;
        }
        if text == "::" {
            self.at += 1;
            self.literal(stands);
            return true;
        }
        if let Some(rest) = text.strip_prefix("| ") {
            let text = restructured_roles::render(rest);
            self.out.line(self.extra(), &format!("{text}  "));
            self.at += 1;
            return true;
        }
        // A term with an indented definition.
        let defines = self.line(self.at + 1).is_some_and(|next| {
            !next.trim().is_empty() && indent(next) > stands && field(next.trim()).is_none()
        });
        if defines && self.lists.is_empty() && self.field.is_none() && !text.ends_with("::") {
            let text = restructured_roles::render(text);
            self.out.end_group();
            self.out.line(0, &format!("{text}  "));
            self.at += 1;
            return true;
        }
        false
    }

    /// Starts a list item; its text is read as a paragraph.
    fn begin_item(&mut self, extra: usize, mark: &str, text: &str) {
        // Further lines are joined to the first, which carries the mark.
        let mut whole = text.to_owned();
        while let Some(next) = self.line(self.at) {
            let goes_on = !next.trim().is_empty()
                && self.lists.last().is_some_and(|l| indent(next) > l.mark)
                && item(next.trim()).is_none()
                && !next.trim().starts_with(".. ");
            if !goes_on || whole.ends_with("::") {
                break;
            }
            whole.push('\n');
            whole.push_str(next.trim());
            self.at += 1;
        }
        let literal = whole.ends_with("::");
        if literal {
            whole.pop();
        }
        let rendered = restructured_roles::render(&whole);
        for (n, line) in rendered.lines().enumerate() {
            match n {
                0 => self.out.line(extra, &format!("{mark}{line}")),
                _ => self.out.line(extra + mark.len(), line),
            }
        }
        if literal {
            let mark = self.lists.last().map_or(0, |l| l.mark);
            self.literal(mark);
        }
    }

    fn prose(&mut self, stands: usize, text: &str) {
        if self.field.is_none() && self.lists.is_empty() {
            self.out.end_group();
        }
        if !self.paragraph.is_empty() {
            self.paragraph.push('\n');
        }
        self.paragraph.push_str(text);
        self.at += 1;
        let ends = self.line(self.at).is_none_or(|l| l.trim().is_empty());
        if text.ends_with("::") && ends {
            self.paragraph.pop();
            if text == "::" {
                self.paragraph.truncate(self.paragraph.trim_end_matches(['\n', ':']).len());
            }
            self.end_paragraph();
            self.literal(stands.min(self.base));
        }
    }

    /// The first line from here that meets a condition, or the end.
    fn until(&self, ends: impl Fn(&str) -> bool) -> usize {
        let found = self.lines[self.at..].iter().position(|l| ends(l));
        found.map_or(self.lines.len(), |n| self.at + n)
    }

    /// Writes the lines up to `end` as code.
    fn code(&mut self, language: &str, end: usize) {
        if self.field.is_none() && self.lists.is_empty() {
            self.out.end_group();
        }
        let extra = self.extra();
        self.out.code(extra, language, &self.lines[self.at..end]);
        self.at = end;
    }

    /// The end of the lines that are indented deeper than `stands`.
    fn body_end(&self, stands: usize) -> usize {
        self.until(|l| !l.trim().is_empty() && indent(l) <= stands)
    }

    /// Writes the indented block after `::` as code.
    fn literal(&mut self, stands: usize) {
        let end = self.body_end(stands);
        self.code("python", end);
    }

    fn skip_body(&mut self, stands: usize) {
        let start = self.at;
        self.at = self.body_end(stands);
        if self.lines[start..self.at].iter().any(|l| l.trim().is_empty()) {
            self.out.blank();
        }
    }

    /// Handles a directive, comment or footnote.
    fn directive(&mut self, stands: usize, rest: &'a str) {
        self.at += 1;
        let Some((name, argument)) = rest.split_once("::") else {
            // A comment, a target or a footnote.
            if let Some((_, text)) = rest.strip_prefix('[').and_then(|r| r.split_once("] ")) {
                let text = restructured_roles::render(text);
                self.out.line(self.extra(), &text);
                return;
            }
            return self.skip_body(stands);
        };
        let argument = argument.trim();
        let title = match name {
            "code-block" | "code" | "sourcecode" | "ipython" | "testcode" | "prompt"
            | "parsed-literal" | "doctest" | "math" | "productionlist" | "highlight" => {
                return self.code_directive(stands, name, argument);
            }
            "versionadded" => format!("Added in {argument}"),
            "versionchanged" => format!("Changed in {argument}"),
            "deprecated" | "deprecated-removed" => format!("Deprecated since {argument}"),
            "versionremoved" => format!("Removed in {argument}"),
            "seealso" => "See also".to_owned(),
            "admonition" | "rubric" | "topic" => argument.to_owned(),
            "note" | "warning" | "caution" | "danger" | "attention" | "error" | "hint"
            | "important" | "tip" | "todo" => {
                let mut title = name.to_owned();
                title[..1].make_ascii_uppercase();
                title
            }
            // Directives with generated or external content, and mere declarations.
            "image" | "figure" | "module" | "currentmodule" | "default-role" | "index"
            | "contents" | "toctree" | "role" | "include" | "literalinclude" | "raw"
            | "highlights" | "plot" => return self.skip_body(stands),
            _ if name.starts_with("auto") || name.starts_with('|') => {
                return self.skip_body(stands);
            }
            // The body of an unknown directive is text like any other.
            _ => return self.skip_options(stands),
        };
        let inline = matches!(name, "admonition" | "rubric" | "topic") || name.contains("version");
        let inline = inline || name.starts_with("deprecated");
        self.skip_options(stands);
        let body = self.line(self.at).is_some_and(|l| indent(l) > stands && !l.trim().is_empty());
        let body = body || !inline && !argument.is_empty();
        let title = restructured_roles::render(&title);
        if self.field.is_none() {
            self.out.end_group();
        }
        if !body {
            return self.out.line(self.extra(), &format!("**{title}**"));
        }
        let mut text = format!("**{title}:**");
        if !inline && !argument.is_empty() {
            text.push(' ');
            text.push_str(&restructured_roles::render(argument));
            self.out.line(self.extra(), &text);
            return;
        }
        // The first paragraph of the body continues the title's line.
        let mut first = String::new();
        while let Some(next) = self.line(self.at) {
            if next.trim().is_empty() || indent(next) <= stands || next.trim().starts_with(".. ") {
                break;
            }
            first.push_str(if first.is_empty() { "" } else { "\n" });
            first.push_str(next.trim());
            self.at += 1;
        }
        let literal = first.ends_with("::");
        if literal {
            first.pop();
        }
        text.push(' ');
        text.push_str(&restructured_roles::render(&first));
        let extra = self.extra();
        self.out.lines(extra, &text);
        if literal {
            self.literal(stands + 1);
        }
    }

    /// Skips options and blank lines at the start of a directive's body.
    fn skip_options(&mut self, stands: usize) {
        while self.line(self.at).is_some_and(|l| indent(l) > stands && field(l.trim()).is_some()) {
            self.at += 1;
        }
        let blank = self.line(self.at).is_some_and(|l| l.trim().is_empty());
        let inside = self.line(self.at + 1).is_some_and(|l| indent(l) > stands);
        if blank && inside {
            self.at += 1;
        }
    }

    fn code_directive(&mut self, stands: usize, name: &str, argument: &str) {
        self.skip_options(stands);
        let language = match (name, argument) {
            ("prompt", _) => "console",
            ("math", _) => "latex",
            ("parsed-literal" | "productionlist", _) => "text",
            (_, "") => "python",
            (_, argument) => word(argument).0,
        };
        let known = language.chars().all(|c| c.is_ascii_alphanumeric() || "+-#_".contains(c));
        let language = if known { language } else { "" };
        let end = self.body_end(stands);
        self.code(language, end);
    }

    /// Starts a field such as `:param name:`.
    fn begin_field(&mut self, stands: usize, name: &'a str, text: &'a str) {
        let (kind, rest) = word(name);
        let known =
            |types: &[(&str, &'a str)], name: &str| types.iter().find(|t| t.0 == name).map(|t| t.1);
        let group = match kind {
            "param" | "parameter" | "arg" | "argument" => "Parameters",
            "key" | "keyword" | "kwarg" | "kwparam" => "Keyword arguments",
            "raises" | "raise" | "except" | "exception" => "Raises",
            "var" | "ivar" | "cvar" => "Attributes",
            "type" | "vartype" | "rtype" | "kwtype" if !text.is_empty() || kind != "rtype" => {
                // Shown with the entry it belongs to; a return type possibly on its own.
                let alone = kind == "rtype" && !self.lines.iter().any(|l| returns(l));
                if alone {
                    self.out.titled("Returns", Some(text));
                    self.out.end_entry();
                }
                return self.skip_body(stands);
            }
            "return" | "returns" | "yield" | "yields" => {
                let title = if kind.starts_with('y') { "Yields" } else { "Returns" };
                self.out.titled(title, known(&self.types, ""));
                return self.field_text(stands, text);
            }
            "meta" | "nosearch" | "orphan" => return self.skip_body(stands),
            _ => {
                let mut title = kind.to_owned();
                title[..1].make_ascii_uppercase();
                let title = format!("{title} {rest}");
                self.out.titled(&restructured_roles::render(title.trim()), None);
                return self.field_text(stands, text);
            }
        };
        let (ty, name) = match rest.rsplit_once(char::is_whitespace) {
            Some((ty, name)) if group != "Raises" => (Some(ty), name),
            _ => (None, rest),
        };
        let ty = ty.or_else(|| known(&self.types, name));
        let name = name.replace('\\', "");
        self.out.entry(group, &name, ty);
        self.field_text(stands, text);
    }

    /// Reads a field's text like other lines, as part of the field.
    fn field_text(&mut self, stands: usize, text: &str) {
        self.field = Some(stands);
        if !text.is_empty() {
            self.base = stands;
            self.paragraph.push_str(text);
        }
    }

    /// A section title in Google's style: its content is indented.
    fn google(&self, stands: usize, text: &str) -> Option<SectionKind> {
        let kind = section(text.strip_suffix(':')?)?;
        let next = self.lines[self.at + 1..].iter().find(|l| !l.trim().is_empty())?;
        (indent(next) > stands).then_some(kind)
    }

    /// Handles an underlined title, or one in Google's style.
    fn title(&mut self, stands: usize, text: &'a str) -> bool {
        let underlined = self.line(self.at + 1).is_some_and(|next| {
            is_underline(next) && indent(next) == stands && !is_underline(text)
        });
        let (kind, numpy) = match self.google(stands, text) {
            Some(kind) => (Some(kind), false),
            None if underlined => (section(text.trim_end_matches(':')), true),
            None if is_underline(text) => {
                // An overline of a title, or a rule.
                self.at += 1;
                return true;
            }
            None => return false,
        };
        self.at += if numpy { 2 } else { 1 };
        self.out.end_group();
        self.lists.clear();
        self.field = None;
        self.section = None;
        let Some(kind) = kind else {
            self.out.blank();
            self.out.line(0, &format!("### {}", restructured_roles::render(text)));
            self.out.blank();
            return true;
        };
        if let SectionKind::Prose(title) = kind {
            self.out.blank();
            self.out.line(0, &format!("**{title}**"));
            self.out.blank();
        }
        let first = self.lines[self.at..].iter().find(|l| !l.trim().is_empty());
        let indent = first.map_or(0, |l| indent(l));
        self.section = Some(Section { kind, indent, numpy, begun: false });
        true
    }

    /// Handles an entry of the open section.
    fn section_entry(&mut self, stands: usize, text: &'a str) -> bool {
        let Some(section) = &mut self.section else { return false };
        if stands != section.indent {
            return false;
        }
        let (numpy, begun) = (section.numpy, section.begun);
        section.begun = true;
        match section.kind {
            SectionKind::Named(group) => {
                let text = text.strip_prefix("- ").unwrap_or(text);
                let (name, ty, text) = entry(text, numpy);
                self.out.entry(group, name.trim_matches('`'), ty);
                self.at += 1;
                self.field_text(stands, text);
                true
            }
            SectionKind::Titled(title) if !begun => {
                let (ty, text) = match numpy {
                    true if self.line(self.at + 1).is_some_and(|l| indent(l) > stands) => {
                        let ty = text.rsplit_once(" : ").map_or(text, |(_, ty)| ty);
                        (Some(ty), "")
                    }
                    true => (None, text),
                    false => leading_type(text).map_or((None, text), |(ty, t)| (Some(ty), t)),
                };
                self.out.titled(title, ty);
                self.at += 1;
                self.field_text(stands.saturating_sub(1), text);
                true
            }
            SectionKind::Titled(_) | SectionKind::Prose(_) => false,
        }
    }
}

fn returns(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with(":return:") || line.starts_with(":returns:")
}
