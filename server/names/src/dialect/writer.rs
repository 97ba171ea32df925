//! The Markdown output: lines, code, and lists of parameters and the like.

use super::inline::code_span;

/// Markdown output.
#[derive(Default)]
pub(super) struct Writer {
    out: String,
    /// The title of the current list of entries.
    group: Option<&'static str>,
    /// The indentation of continuation lines.
    indent: usize,
    /// Whether the next line continues the last one.
    goes_on: bool,
    /// The length of the output after a titled one-line paragraph, which more can be added to.
    titled: Option<(String, usize)>,
}

impl Writer {
    /// Writes a line of text, indented by `extra` spaces.
    pub(super) fn line(&mut self, extra: usize, text: &str) {
        if text.trim().is_empty() {
            return self.blank();
        }
        if self.goes_on {
            self.goes_on = false;
            self.out.push_str(text);
            self.out.push('\n');
            return;
        }
        self.out.extend(std::iter::repeat_n(' ', self.indent + extra));
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Writes lines of text.
    pub(super) fn lines(&mut self, extra: usize, text: &str) {
        text.lines().for_each(|line| self.line(extra, line));
    }

    /// Ends a paragraph.
    pub(super) fn blank(&mut self) {
        if self.goes_on || self.out.is_empty() || self.out.ends_with("\n\n") {
            return;
        }
        if !self.out.ends_with('\n') {
            self.out.push('\n');
        }
        self.out.push('\n');
    }

    /// Writes a block of code, dedented.
    pub(super) fn code(&mut self, extra: usize, language: &str, lines: &[&str]) {
        let is_blank = |l: &&str| l.trim().is_empty();
        let Some(first) = lines.iter().position(|l| !is_blank(l)) else { return };
        let last = lines.iter().rposition(|l| !is_blank(l)).unwrap_or(first);
        let lines = &lines[first..=last];
        let indent = |l: &str| l.len() - l.trim_start().len();
        let common = lines.iter().filter(|l| !is_blank(l)).map(|l| indent(l)).min().unwrap_or(0);
        let mut fence = "```".to_owned();
        while lines.iter().any(|l| l.contains(&fence)) {
            fence.push('`');
        }
        if self.goes_on {
            self.goes_on = false;
            self.out.push('\n');
        }
        self.blank();
        self.line(extra, &format!("{fence}{language}"));
        for line in lines {
            match line.get(common..) {
                Some(line) if !line.trim().is_empty() => self.line(extra, line.trim_end()),
                _ => self.out.push('\n'),
            }
        }
        self.line(extra, &fence);
        self.blank();
    }

    /// Starts an entry of a titled list, such as a parameter; its text follows.
    pub(super) fn entry(&mut self, group: &'static str, name: &str, ty: Option<&str>) {
        self.end_entry();
        if self.group != Some(group) {
            self.blank();
            self.out.push_str(&format!("**{group}**\n\n"));
            self.group = Some(group);
        } else if self.out.ends_with("\n\n") {
            self.out.pop();
        }
        self.out.push_str("- ");
        self.out.push_str(&code_span(name));
        self.typed(ty);
        self.out.push_str(": ");
        (self.indent, self.goes_on) = (2, true);
    }

    /// Starts a titled paragraph, such as a return value; its text follows. Consecutive one-line
    /// paragraphs with the same title are joined.
    pub(super) fn titled(&mut self, title: &str, ty: Option<&str>) {
        self.end_group();
        let written = self.out.trim_end().len();
        if let Some((last, start)) = self.titled.take()
            && last == title
            && ty.is_none()
            && written > start
            && !self.out[start..written].contains('\n')
        {
            self.out.truncate(written);
            self.out.push_str(", ");
            self.titled = Some((last, self.out.len()));
            self.goes_on = true;
            return;
        }
        self.blank();
        self.out.push_str(&format!("**{title}**"));
        self.typed(ty);
        self.out.push_str(": ");
        self.titled = (title == "See also").then(|| (title.to_owned(), self.out.len()));
        self.goes_on = true;
    }

    fn typed(&mut self, ty: Option<&str>) {
        if let Some(ty) = ty.map(str::trim).filter(|ty| !ty.is_empty()) {
            self.out.push_str(&format!(" ({})", code_span(ty)));
        }
    }

    /// Ends the current entry.
    pub(super) fn end_entry(&mut self) {
        if self.goes_on {
            self.goes_on = false;
            self.out.truncate(self.out.trim_end_matches([' ', ':']).len());
            self.out.push('\n');
        }
        self.indent = 0;
    }

    /// Ends the current list of entries.
    pub(super) fn end_group(&mut self) {
        self.end_entry();
        if self.group.take().is_some() {
            self.blank();
        }
    }

    /// Whether a titled list is open.
    pub(super) fn in_group(&self) -> bool {
        self.group.is_some()
    }

    pub(super) fn finish(mut self) -> String {
        self.end_entry();
        self.out.truncate(self.out.trim_end().len());
        self.out
    }
}
