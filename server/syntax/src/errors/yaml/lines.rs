//! The lines of a YAML text that are not part of block scalars (`|`, `>`).

/// A non-blank line outside of block scalars.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'s> {
    /// The line number, from 0.
    pub(super) number: usize,
    /// The offset of its start.
    pub(super) start: usize,
    /// The number of leading blanks.
    pub(super) indent: usize,
    /// Its text without surrounding whitespace.
    pub(super) text: &'s str,
}

impl<'s> Line<'s> {
    /// The offset of its text.
    pub(super) fn at(&self) -> usize {
        self.start + self.indent
    }

    /// The end of its text.
    pub(super) fn end(&self) -> usize {
        self.at() + self.text.len()
    }

    pub(super) fn is_comment(&self) -> bool {
        self.text.starts_with('#')
    }

    pub(super) fn is_item(&self) -> bool {
        self.text == "-" || self.text.starts_with("- ")
    }

    /// The length of leading dashes and blanks, before a key or value.
    pub(super) fn dashes_len(&self) -> usize {
        let mut rest = self.text;
        while let Some(after) = rest.strip_prefix("- ") {
            rest = after.trim_start();
        }
        self.text.len() - rest.len()
    }

    /// Its text after leading dashes.
    pub(super) fn entry(&self) -> &'s str {
        &self.text[self.dashes_len()..]
    }

    /// If the line starts a block scalar: the indentation that the scalar's lines exceed.
    fn block_scalar_indent(&self) -> Option<usize> {
        let code = self.text.split(" #").next().unwrap_or_default().trim_end();
        let header = code.trim_end_matches(['+', '-', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
        let before = header.strip_suffix(['|', '>'])?;
        let entry = self.entry();
        let is_value = before.is_empty() || before.ends_with([' ', '\t']);
        let in_quotes = before.matches('"').count() % 2 == 1;
        (is_value && !in_quotes && !self.is_comment()).then(|| {
            let key = entry.contains(": ") || entry.contains(":\t");
            // `- |` belongs to the item, `- a: |` to the mapping in the item.
            let dashes = if key { self.dashes_len() } else { self.dashes_len().saturating_sub(2) };
            self.indent + dashes
        })
    }
}

/// A block scalar.
#[derive(Clone, Copy)]
enum BlockScalar {
    /// Its first line is indented deeper than this.
    Starts(usize),
    Indented(usize),
}

/// The lines of a text, without blank ones and block scalars.
pub(super) fn code(source: &str) -> Vec<Line<'_>> {
    let (mut lines, mut start, mut block) = (Vec::new(), 0, None);
    for (number, whole) in source.split_inclusive('\n').enumerate() {
        let text = whole.trim();
        let indent = whole.len() - whole.trim_start().len();
        let line = Line { number, start, indent, text };
        start += whole.len();
        // All lines of a block scalar are at least as deep as its first.
        match block {
            _ if text.is_empty() => continue,
            Some(BlockScalar::Starts(wrong_indentation)) if indent > wrong_indentation => {
                block = Some(BlockScalar::Indented(indent));
                continue;
            }
            Some(BlockScalar::Indented(wrong_indentation)) if indent >= wrong_indentation => {
                continue;
            }
            _ => block = line.block_scalar_indent().map(BlockScalar::Starts),
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_scalars_are_skipped() {
        let source = "a: |\n  b: {{ c }}\n\n  d\ne: >-  # f\n  g\n- |\n  h\n- i: |\n    j\n  k: l\n- >2\n   m\nn: 'o |'\n  p\n";
        let found: Vec<_> = code(source).iter().map(|line| line.text).collect();
        assert_eq!(found, ["a: |", "e: >-  # f", "- |", "- i: |", "k: l", "- >2", "n: 'o |'", "p"]);
    }
}
