//! Cuts a text into passages along its outline: functions, classes, sections.

use std::ops::Range;

use syntax::OutlineItem;

/// Longest passage, in lines. Longer declarations are cut at blank lines, or into their members.
const MAX_LINES: usize = 60;
/// Neighbours that are shorter together, in lines, become one passage: fields, constants, short functions.
const MERGED_LINES: usize = 12;
/// Passages of a file that are kept.
const MAX_PASSAGES: usize = 4_000;
/// Longest name of a passage, in bytes.
const MAX_NAME: usize = 160;
/// Deepest nesting of declarations that are cut into their members.
const MAX_DEPTH: usize = 16;

/// A part of a text that is found as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Passage {
    /// Its lines, from 0.
    pub(crate) lines: Range<usize>,
    /// What it declares, with the containers' names: `Server.start`; a section's heading. Empty for the rest.
    pub(crate) name: String,
    /// Whether the lines before it belong to the same container.
    container: usize,
}

/// The passages of a text, in order. Blank lines around them belong to none.
pub(crate) fn passages(text: &str, outline: &[OutlineItem]) -> Vec<Passage> {
    let lines = Lines::new(text);
    let mut cutter = Cutter { lines: &lines, passages: Vec::new(), containers: 0 };
    cutter.container(outline, 0..lines.count(), "", 0);
    let mut merged: Vec<Passage> = Vec::new();
    for passage in cutter.passages {
        match merged.last_mut() {
            Some(last)
                if last.container == passage.container
                    && passage.lines.end - last.lines.start <= MERGED_LINES =>
            {
                last.lines.end = passage.lines.end;
                if !passage.name.is_empty() && last.name.len() + passage.name.len() < MAX_NAME {
                    let separator = if last.name.is_empty() { "" } else { ", " };
                    last.name.push_str(separator);
                    last.name.push_str(&passage.name);
                }
            }
            _ => merged.push(passage),
        }
    }
    merged.truncate(MAX_PASSAGES);
    merged
}

struct Cutter<'t> {
    lines: &'t Lines<'t>,
    passages: Vec<Passage>,
    containers: usize,
}

impl Cutter<'_> {
    /// Cuts the lines of a declaration, or of the whole text, along the declarations in it.
    fn container(&mut self, items: &[OutlineItem], lines: Range<usize>, name: &str, depth: usize) {
        self.containers += 1;
        let container = self.containers;
        let mut at = lines.start;
        for item in items {
            let first = self.lines.of(item.span.start).max(at);
            let end = (self.lines.of(item.span.end.saturating_sub(1)) + 1).min(lines.end);
            if end <= first {
                continue;
            }
            let first = self.lines.with_comments_above(first, at);
            self.rest(at..first, name, container);
            let own = match name {
                "" => item.name.clone(),
                _ => format!("{name}.{}", item.name),
            };
            if end - first > MAX_LINES && !item.children.is_empty() && depth < MAX_DEPTH {
                self.container(&item.children, first..end, &own, depth + 1);
                self.containers += 1;
            } else {
                self.cut(first..end, &own, container);
            }
            at = end;
        }
        self.rest(at..lines.end, name, container);
    }

    /// Lines between declarations.
    fn rest(&mut self, lines: Range<usize>, name: &str, container: usize) {
        self.cut(lines, name, container);
    }

    /// Cuts lines at blank lines into passages that are not too long.
    fn cut(&mut self, lines: Range<usize>, name: &str, container: usize) {
        let mut lines = self.lines.trimmed(lines);
        while lines.len() > MAX_LINES {
            let half = lines.start + MAX_LINES / 2..lines.start + MAX_LINES;
            let end = half.clone().rev().find(|line| self.lines.is_blank(*line));
            let end = end.unwrap_or(half.end);
            self.push(lines.start..end, name, container);
            lines = self.lines.trimmed(end..lines.end);
        }
        self.push(lines, name, container);
    }

    fn push(&mut self, lines: Range<usize>, name: &str, container: usize) {
        let lines = self.lines.trimmed(lines);
        if lines.is_empty() {
            return;
        }
        let cut = name.floor_char_boundary(MAX_NAME.min(name.len()));
        self.passages.push(Passage { lines, name: name[..cut].to_owned(), container });
    }
}

/// Where each line of a text starts, and the end of the text.
pub(crate) fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    let mut starts: Vec<usize> = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
    if starts.last() != Some(&text.len()) {
        starts.push(text.len());
    }
    starts
}

/// The lines of a text.
pub(crate) struct Lines<'t> {
    text: &'t str,
    /// Where each starts, and the end of the text.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, starts: line_starts(text) }
    }

    pub(crate) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The text of lines, with their line endings. Lines that do not exist are left out.
    pub(crate) fn text(&self, lines: Range<usize>) -> &'t str {
        let at = |line: usize| self.starts[line.min(self.count())];
        &self.text[at(lines.start.min(lines.end))..at(lines.end)]
    }

    /// The line of an offset.
    fn of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    fn line(&self, line: usize) -> &'t str {
        self.text(line..line + 1)
    }

    fn is_blank(&self, line: usize) -> bool {
        self.line(line).trim().is_empty()
    }

    fn trimmed(&self, lines: Range<usize>) -> Range<usize> {
        let mut lines = lines;
        while !lines.is_empty() && self.is_blank(lines.start) {
            lines.start += 1;
        }
        while !lines.is_empty() && self.is_blank(lines.end - 1) {
            lines.end -= 1;
        }
        lines
    }

    /// The first of the comments, attributes and decorators right above a declaration.
    fn with_comments_above(&self, first: usize, limit: usize) -> usize {
        const STARTS: &[&str] = &["//", "#", "/*", "*", "--", "@", ";", "%", "\"\"\"", "[", "<!--"];
        let belongs = |line: usize| {
            let text = self.line(line).trim_start();
            !text.trim_end().is_empty() && STARTS.iter().any(|start| text.starts_with(start))
        };
        (limit..first).rev().take_while(|line| belongs(*line)).last().unwrap_or(first)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use syntax::{Language, Syntax};
    use text::Text;

    use super::*;

    fn cut(language: &str, text: &str) -> Vec<(Range<usize>, String)> {
        let never = AtomicBool::new(false);
        let language = Language::by_id(language).unwrap();
        let syntax = Syntax::parse(language, &Text::new(text), None, &never).unwrap();
        let outline = syntax.outline(&never).unwrap();
        passages(text, &outline.items).into_iter().map(|p| (p.lines, p.name)).collect()
    }

    #[test]
    fn declarations_keep_their_comments() {
        let body = "    x = 1\n".repeat(12);
        let text =
            format!("import os\n\n# Adds.\n@cached\ndef add(a):\n{body}\n\ndef sub(a):\n{body}");
        let found = cut("python", &text);
        let wanted = [(0..1, ""), (2..17, "add"), (19..32, "sub")];
        assert_eq!(found, wanted.map(|(lines, name)| (lines, name.to_owned())));
    }

    #[test]
    fn long_classes_are_cut_into_members() {
        let body = "        x = 1\n".repeat(40);
        let text = format!(
            "class A:\n    \"\"\"Doc.\"\"\"\n    def b(self):\n{body}    def c(self):\n{body}"
        );
        let names: Vec<String> = cut("python", &text).into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["A", "A.b", "A.c"]);
    }

    #[test]
    fn short_neighbours_are_one_passage() {
        let text = "A = 1\nB = 2\n\nfn = 3\n";
        assert_eq!(passages(text, &[]).len(), 1);
        assert_eq!(cut("python", text)[0].0, 0..4);
    }

    #[test]
    fn every_line_that_is_not_blank_is_in_one_passage() {
        for text in ["", "\n\n", "a", "a\n\nb\r\n", &"x\n".repeat(500), &"x\n\n".repeat(500)] {
            let found = passages(text, &[]);
            let lines = Lines::new(text);
            let mut at = 0;
            for passage in &found {
                assert!((at..passage.lines.start).all(|line| lines.is_blank(line)), "{text:?}");
                assert!(passage.lines.len() <= MAX_LINES);
                at = passage.lines.end;
            }
            assert!((at..lines.count()).all(|line| lines.is_blank(line)), "{text:?}");
        }
    }

    #[test]
    fn sections_of_documents_have_their_headings() {
        let long = "Text that goes on.\n\n".repeat(20);
        let names: Vec<String> =
            cut("markdown", &format!("# Guide\n\n{long}## Install\n\n{long}## Use\n\n{long}"))
                .into_iter()
                .map(|(_, name)| name)
                .collect();
        assert!(names.contains(&"Guide.Install".to_owned()), "{names:?}");
    }
}
