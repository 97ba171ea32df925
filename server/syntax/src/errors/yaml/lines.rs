//! The lines of a YAML text that are YAML: what stands in a block scalar (`|`, `>`) is text.

/// A line that is not blank and not in a block scalar.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'s> {
    /// Counted from 0.
    pub(super) number: usize,
    /// Where it starts in the text.
    pub(super) start: usize,
    /// How many blanks it begins with.
    pub(super) indent: usize,
    /// What stands on it, without blanks around.
    pub(super) text: &'s str,
}

impl<'s> Line<'s> {
    /// Where its text starts.
    pub(super) fn at(&self) -> usize {
        self.start + self.indent
    }

    /// Where its text ends.
    pub(super) fn end(&self) -> usize {
        self.at() + self.text.len()
    }

    pub(super) fn is_comment(&self) -> bool {
        self.text.starts_with('#')
    }

    pub(super) fn is_item(&self) -> bool {
        self.text == "-" || self.text.starts_with("- ")
    }

    /// How many bytes of dashes and blanks its text begins with, in front of a key or a value.
    pub(super) fn dashes(&self) -> usize {
        let mut rest = self.text;
        while let Some(behind) = rest.strip_prefix("- ") {
            rest = behind.trim_start();
        }
        self.text.len() - rest.len()
    }

    /// Its text behind dashes.
    pub(super) fn entry(&self) -> &'s str {
        &self.text[self.dashes()..]
    }

    /// The depth that the lines of its block scalar stand deeper than, if it begins one.
    fn block(&self) -> Option<usize> {
        let code = self.text.split(" #").next().unwrap_or_default().trim_end();
        let header = code.trim_end_matches(['+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
        let before = header.strip_suffix(['|', '>'])?;
        let entry = self.entry();
        let is_value = before.is_empty() || before.ends_with([' ', '\t']);
        let in_quotes = before.matches('"').count() % 2 == 1;
        (is_value && !in_quotes && !self.is_comment()).then(|| {
            let key = entry.contains(": ") || entry.contains(":\t");
            // `- |` stands in the item, `- a: |` in what the item holds.
            let dashes = if key { self.dashes() } else { self.dashes().saturating_sub(2) };
            self.indent + dashes
        })
    }
}

/// A block scalar.
#[derive(Clone, Copy)]
enum Block {
    /// Its first line stands deeper than this.
    Opens(usize),
    Stands(usize),
}

/// The lines of a text, without blank ones and those of block scalars.
pub(super) fn code(source: &str) -> Vec<Line<'_>> {
    let (mut lines, mut start, mut block) = (Vec::new(), 0, None);
    for (number, whole) in source.split_inclusive('\n').enumerate() {
        let text = whole.trim();
        let indent = whole.len() - whole.trim_start().len();
        let line = Line { number, start, indent, text };
        start += whole.len();
        // A block scalar stands as deep as its first line, or deeper.
        match block {
            _ if text.is_empty() => continue,
            Some(Block::Opens(depth)) if indent > depth => {
                block = Some(Block::Stands(indent));
                continue;
            }
            Some(Block::Stands(depth)) if indent >= depth => continue,
            _ => block = line.block().map(Block::Opens),
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_scalars_are_no_code() {
        let source = "a: |\n  b: {{ c }}\n\n  d\ne: >-  # f\n  g\n- |\n  h\n- i: |\n    j\n  k: l\n- >2\n   m\nn: 'o |'\n  p\n";
        let found: Vec<_> = code(source).iter().map(|line| line.text).collect();
        assert_eq!(found, ["a: |", "e: >-  # f", "- |", "- i: |", "k: l", "- >2", "n: 'o |'", "p"]);
    }
}
