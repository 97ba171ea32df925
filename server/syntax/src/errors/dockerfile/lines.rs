//! Splits a Dockerfile into instructions, which may span several lines.

/// An iterator over the instructions of a Dockerfile.
pub(super) struct InstructionLines<'s> {
    source: &'s str,
    /// The escape character, which also continues a line.
    pub(super) escape: char,
    at: usize,
    /// The number of lines read so far.
    lines: usize,
}

/// An instruction with all its lines. Comments and escapes in it are blanked out, so that offsets
/// stay valid.
pub(super) struct Instruction {
    pub(super) start: usize,
    pub(super) text: String,
    /// The number of lines before it.
    lines: usize,
}

impl Instruction {
    /// The number of lines before the offset `at` of the instruction.
    pub(super) fn lines_before(&self, at: usize) -> usize {
        self.lines + self.text[..at].matches('\n').count()
    }
}

impl<'s> InstructionLines<'s> {
    /// Starts after the parser directives. `None` if the `syntax` directive selects another
    /// frontend.
    pub(super) fn new(source: &'s str) -> Option<Self> {
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
            found.advance_to(end);
        }
        Some(found)
    }

    /// The current line without its line break, and the start of the next.
    fn line(&self) -> Option<(&'s str, usize)> {
        let rest = self.source.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = rest.find('\n').map_or(rest.len(), |newline| newline + 1);
        Some((rest[..length].trim_end_matches(['\n', '\r']), self.at + length))
    }

    fn advance_to(&mut self, next: usize) {
        self.at = next;
        self.lines += 1;
    }

    /// The line without its trailing escape character, if it ends with one.
    fn before_escape<'l>(&self, line: &'l str) -> Option<&'l str> {
        let before = line.trim_end_matches([' ', '\t']).strip_suffix(self.escape)?;
        (!before.ends_with(self.escape)).then_some(before)
    }

    /// Skips lines up to and including `end`, with leading tabs removed if `tabs` is set. Whether
    /// there is such a line.
    pub(super) fn skip_until(&mut self, end: &str, tabs: bool) -> bool {
        while let Some((line, next)) = self.line() {
            self.advance_to(next);
            if end == if tabs { line.trim_start_matches('\t') } else { line } {
                return true;
            }
        }
        false
    }
}

impl Iterator for InstructionLines<'_> {
    type Item = Instruction;

    fn next(&mut self) -> Option<Instruction> {
        let mut found = Instruction { start: self.at, text: String::new(), lines: self.lines };
        while let Some((line, next)) = self.line() {
            let is_ignored = is_empty_or_comment(line);
            let more = self.before_escape(line).filter(|_| !is_ignored);
            if is_ignored && found.text.is_empty() {
                self.advance_to(next);
                (found.start, found.lines) = (self.at, self.lines);
                continue;
            }
            let kept = if is_ignored { "" } else { more.unwrap_or(line) };
            let blank = next - self.at - kept.len();
            found.text.push_str(kept);
            found.text.extend(std::iter::repeat_n(' ', blank.saturating_sub(1)));
            found.text.push_str(if blank > 0 { "\n" } else { "" });
            self.advance_to(next);
            if !is_ignored && more.is_none() {
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
