//! The lines of a Dockerfile: which of them make an instruction.

/// What is left to read.
pub(super) struct Lines<'s> {
    source: &'s str,
    /// What takes the meaning of what follows: that a line ends, for one.
    pub(super) escape: char,
    at: usize,
    /// How many lines have been read.
    lines: usize,
}

/// An instruction with all its lines: what is not of it is blank, so that every byte keeps its place.
pub(super) struct Instruction {
    pub(super) start: usize,
    pub(super) text: String,
    /// How many lines stand before it.
    lines: usize,
}

impl Instruction {
    /// How many lines stand before what is at `at` in it.
    pub(super) fn lines_before(&self, at: usize) -> usize {
        self.lines + self.text[..at].matches('\n').count()
    }
}

impl<'s> Lines<'s> {
    /// Those behind what the first ones tell the builder; nothing where another frontend is to read
    /// them.
    pub(super) fn of(source: &'s str) -> Option<Self> {
        let mut found = Self { source, escape: '\\', at: 0, lines: 0 };
        if source.starts_with('\u{feff}') {
            found.at = '\u{feff}'.len_utf8();
        }
        while let Some((line, end)) = found.line() {
            let Some((key, value)) = line.strip_prefix('#').and_then(|l| l.split_once('=')) else {
                break;
            };
            match key.trim().to_ascii_lowercase().as_str() {
                "escape" if value.trim() == "`" => found.escape = '`',
                "syntax" if !value.contains("docker/dockerfile") => return None,
                "escape" | "syntax" | "check" => {}
                _ => break,
            }
            found.go_to(end);
        }
        Some(found)
    }

    /// The line at which it stands, without its end, and where the next begins.
    fn line(&self) -> Option<(&'s str, usize)> {
        let rest = self.source.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = rest.find('\n').map_or(rest.len(), |newline| newline + 1);
        Some((rest[..length].trim_end_matches(['\n', '\r']), self.at + length))
    }

    fn go_to(&mut self, next: usize) {
        self.at = next;
        self.lines += 1;
    }

    /// What stands before the sign that the line goes on with the next.
    fn before_escape<'l>(&self, line: &'l str) -> Option<&'l str> {
        let before = line.trim_end_matches([' ', '\t']).strip_suffix(self.escape)?;
        (!before.ends_with(self.escape)).then_some(before)
    }

    /// Goes behind the line that is `end`, with tabs before it if `tabs`: whether there is one.
    pub(super) fn pass(&mut self, end: &str, tabs: bool) -> bool {
        while let Some((line, next)) = self.line() {
            self.go_to(next);
            if end == if tabs { line.trim_start_matches('\t') } else { line } {
                return true;
            }
        }
        false
    }
}

impl Iterator for Lines<'_> {
    type Item = Instruction;

    fn next(&mut self) -> Option<Instruction> {
        let mut found = Instruction { start: self.at, text: String::new(), lines: self.lines };
        while let Some((line, next)) = self.line() {
            let is_nothing = is_empty_or_comment(line);
            let more = self.before_escape(line).filter(|_| !is_nothing);
            if is_nothing && found.text.is_empty() {
                self.go_to(next);
                (found.start, found.lines) = (self.at, self.lines);
                continue;
            }
            let kept = if is_nothing { "" } else { more.unwrap_or(line) };
            let blank = next - self.at - kept.len();
            found.text.push_str(kept);
            found.text.extend(std::iter::repeat_n(' ', blank.saturating_sub(1)));
            found.text.push_str(if blank > 0 { "\n" } else { "" });
            self.go_to(next);
            if !is_nothing && more.is_none() {
                break;
            }
        }
        (!found.text.is_empty()).then_some(found)
    }
}

fn is_empty_or_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}
