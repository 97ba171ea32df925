//! Doxygen: Markdown with commands that start with `\` or `@`.

use super::inline::{code_span, find_close, word};
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

/// Commands that start a titled paragraph.
const TITLED: &[(&str, &str)] = &[
    ("attention", "Attention"),
    ("bug", "Bug"),
    ("copyright", "Copyright"),
    ("date", "Date"),
    ("deprecated", "Deprecated"),
    ("important", "Important"),
    ("invariant", "Invariant"),
    ("note", "Note"),
    ("post", "Postcondition"),
    ("pre", "Precondition"),
    ("remark", "Remark"),
    ("remarks", "Remark"),
    ("result", "Returns"),
    ("return", "Returns"),
    ("returns", "Returns"),
    ("sa", "See also"),
    ("see", "See also"),
    ("since", "Since"),
    ("test", "Test"),
    ("todo", "To do"),
    ("warning", "Warning"),
];

/// Commands whose line only says where something is listed.
const IGNORED: &[&str] = &[
    "addtogroup",
    "anchor",
    "author",
    "authors",
    "callergraph",
    "callgraph",
    "class",
    "copydoc",
    "def",
    "defgroup",
    "dir",
    "enum",
    "example",
    "file",
    "fn",
    "headerfile",
    "hideinitializer",
    "include",
    "ingroup",
    "interface",
    "internal",
    "mainpage",
    "memberof",
    "name",
    "namespace",
    "nosubgrouping",
    "overload",
    "package",
    "page",
    "private",
    "property",
    "protected",
    "public",
    "related",
    "relates",
    "skip",
    "skipline",
    "snippet",
    "struct",
    "subpage",
    "tableofcontents",
    "typedef",
    "union",
    "until",
    "var",
    "version",
    "weakgroup",
];

/// Commands without effect on the text after them.
const PLAIN: &[&str] = &["brief", "short", "details", "parblock", "endparblock", "endinternal"];

/// A command at the start of a text: its name and the rest.
fn command(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix(['\\', '@'])?;
    let end = inside.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(inside.len());
    (end > 0).then(|| inside.split_at(end))
}

/// An inline command at the start of a text: its Markdown and the rest.
fn special(text: &str) -> Option<(String, &str)> {
    if let Some(behind) = text.strip_prefix("\\f$").or_else(|| text.strip_prefix("@f$")) {
        let end = find_close(behind, &text[..3])?;
        return Some((code_span(&behind[..end]), &behind[end + 3..]));
    }
    let (name, behind) = command(text)?;
    let argument = || {
        let (argument, _) = word(behind);
        // Punctuation ends the sentence, not the word.
        let argument = argument.trim_end_matches([',', '.', ';', ':', '!', '?']);
        let argument = match argument.contains('(') {
            true => argument,
            false => argument.trim_end_matches(')'),
        };
        let start = behind.len() - behind.trim_start().len();
        (argument, &behind[start + argument.len()..])
    };
    let spaced = behind.starts_with([' ', '\t']);
    match name {
        "c" | "p" if spaced => {
            let (argument, behind) = argument();
            Some((code_span(argument), behind))
        }
        "a" | "e" | "em" if spaced => {
            let (argument, behind) = argument();
            Some((format!("*{argument}*"), behind))
        }
        "b" if spaced => {
            let (argument, behind) = argument();
            Some((format!("**{argument}**"), behind))
        }
        "ref" | "link" if spaced => {
            let (target, behind) = argument();
            let quoted = behind.strip_prefix(" \"").and_then(|b| b.split_once('"'));
            match quoted {
                Some((text, behind)) => Some((text.to_owned(), behind)),
                None => Some((code_span(target), behind)),
            }
        }
        "endlink" => Some((String::new(), behind)),
        "n" if behind.is_empty() || behind.starts_with(char::is_whitespace) => {
            Some(("  \n".to_owned(), behind.trim_start()))
        }
        _ => None,
    }
}

/// `#member` and `%Word`: an explicit reference, and a word that must not become one.
fn marks(text: &str) -> Option<(String, &str)> {
    let letter = |c: char| c.is_alphabetic() || c == '_';
    if let Some(behind) = text.strip_prefix('#').filter(|b| b.starts_with(letter)) {
        let end = behind.find(|c: char| !(letter(c) || c.is_ascii_digit() || c == ':'));
        let end = end.unwrap_or(behind.len());
        let end = if behind[end..].starts_with("()") { end + 2 } else { end };
        return Some((code_span(&behind[..end]), &behind[end..]));
    }
    None
}

impl<'a> Renderer<'a> {
    fn end_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        if text.trim().is_empty() {
            return;
        }
        let special = |text: &str| special(text).or_else(|| marks(text)).map(|(s, b)| (s, b.len()));
        let text = text.trim_end_matches('\n');
        let rendered = markdown_text::render(text, &|rest| {
            special(rest).map(|(shown, left)| (shown, &rest[rest.len() - left..]))
        });
        self.out.lines(0, &rendered);
    }

    /// Handles the next line.
    fn step(&mut self) {
        let line = self.lines[self.at];
        let text = line.trim_start();
        if text.is_empty() {
            self.end_text();
            self.out.end_group();
            self.out.blank();
            self.at += 1;
            return;
        }
        if text.starts_with("```") || text.starts_with("~~~") {
            self.end_text();
            if let Some(count) =
                markdown_text::copy_fence(&self.lines[self.at..], &mut self.out, "")
            {
                self.at += count;
                return;
            }
        }
        if let Some((name, behind)) = command(text)
            && self.block(name, behind)
        {
            return;
        }
        self.text.push_str(if self.out.in_group() { text } else { line });
        self.text.push('\n');
        self.at += 1;
    }

    /// Handles a command that starts a block; returns whether it is one.
    fn block(&mut self, name: &str, behind: &'a str) -> bool {
        let titled = TITLED.iter().find(|t| t.0 == name).map(|t| t.1);
        match name {
            "param" | "tparam" | "retval" | "throw" | "throws" | "exception" => {
                self.end_text();
                self.entry(name, behind);
            }
            "code" | "verbatim" | "dot" | "msc" | "startuml" | "rst" => self.verbatim(name, behind),
            "li" | "arg" => {
                self.end_text();
                self.text.push_str("- ");
                self.text.push_str(behind.trim_start());
                self.text.push('\n');
            }
            "par" | "section" | "subsection" => {
                self.end_text();
                self.out.end_group();
                let title = match name {
                    "par" => behind.trim(),
                    _ => word(behind).1,
                };
                self.out.blank();
                if !title.is_empty() {
                    self.out.line(0, &format!("**{title}**"));
                    self.out.blank();
                }
            }
            _ if titled.is_some() => {
                self.end_text();
                self.out.titled(titled.unwrap_or_default(), None);
                self.push(behind);
            }
            _ if PLAIN.contains(&name) => {
                self.end_text();
                self.out.end_group();
                self.push(behind);
            }
            _ if IGNORED.contains(&name) => self.end_text(),
            _ => return false,
        }
        self.at += 1;
        true
    }

    fn push(&mut self, text: &str) {
        let text = text.trim_start();
        if !text.is_empty() {
            self.text.push_str(text);
            self.text.push('\n');
        }
    }

    fn entry(&mut self, command: &str, behind: &str) {
        // `\param[in,out] name`.
        let direction = behind.strip_prefix('[').and_then(|b| b.split_once(']'));
        let (direction, behind) = direction.map_or((None, behind), |(d, b)| (Some(d.trim()), b));
        let (name, text) = word(behind);
        let group = match command {
            "param" => "Parameters",
            "tparam" => "Template parameters",
            "retval" => "Return values",
            _ => "Throws",
        };
        self.out.entry(group, name, direction.filter(|d| *d != "in"));
        self.push(text.strip_prefix("- ").unwrap_or(text));
    }

    /// Writes the text between a command and its end as code.
    fn verbatim(&mut self, name: &str, behind: &'a str) {
        self.end_text();
        let closing = format!("end{}", name.trim_start_matches("start"));
        let from = self.at + 1;
        let ends = |line: &&str| command(line.trim_start()).is_some_and(|(n, _)| n == closing);
        let end = self.lines[from..].iter().position(ends);
        let end = end.map_or(self.lines.len(), |n| from + n);
        let language = behind.strip_prefix("{").and_then(|b| b.split_once('}'));
        let language = language.map_or("cpp", |(l, _)| l.trim_start_matches('.'));
        let plain = language.chars().all(|c| c.is_ascii_alphanumeric() || c == '+');
        let language = if name == "code" && plain { language } else { "text" };
        self.out.code(0, language, &self.lines[from..end]);
        self.at = end;
    }
}
