//! Intraline diff: which words of a changed line changed.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::hunk::DiffLine;
use crate::limits::{MAX_INTRALINE_BYTES, MAX_INTRALINE_LINES};

/// Minimal share of equal words in a block, in percent: below it, the block is a rewrite.
const MIN_SIMILARITY: usize = 35;

/// Marks the changed words in each block of removed lines and the added lines after it.
pub(crate) fn mark_changes(lines: &mut [DiffLine]) {
    let mut at = 0;
    while at < lines.len() {
        let run = |from: usize, origin: char| {
            lines[from..].iter().take_while(|line| line.origin == origin).count()
        };
        let removed = run(at, '-');
        let added = run(at + removed, '+');
        if removed > 0 && added > 0 {
            let (before, after) = lines[at..at + removed + added].split_at_mut(removed);
            // With equal counts, lines are compared in pairs.
            if removed == added {
                for (old, new) in before.iter_mut().zip(after) {
                    mark_block(std::slice::from_mut(old), std::slice::from_mut(new));
                }
            } else {
                mark_block(before, after);
            }
        }
        at += (removed + added).max(1);
    }
}

fn mark_block(before: &mut [DiffLine], after: &mut [DiffLine]) {
    let size: usize = before.iter().chain(&*after).map(|line| line.content.len()).sum();
    if before.len() + after.len() > MAX_INTRALINE_LINES || size > MAX_INTRALINE_BYTES {
        return;
    }
    let (old, new) = (tokens(before), tokens(after));
    let text = |tokens: &[Token], lines: &[DiffLine]| -> Vec<Vec<u8>> {
        tokens.iter().map(|t| lines[t.line].content[t.span.clone()].to_vec()).collect()
    };
    let (old_text, new_text) = (text(&old, before), text(&new, after));
    let ops = capture_diff_slices(Algorithm::Myers, &old_text, &new_text);
    let is_word = |text: &&Vec<u8>| !text.iter().all(u8::is_ascii_whitespace);
    let words = old_text.iter().chain(&new_text).filter(is_word).count();
    let same: usize = ops
        .iter()
        .filter_map(|op| match op {
            DiffOp::Equal { old_index, len, .. } => {
                Some(old_text[*old_index..old_index + len].iter().filter(is_word).count())
            }
            _ => None,
        })
        .sum();
    if words == 0 || 200 * same < MIN_SIMILARITY * words {
        return;
    }
    for op in ops {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        add_spans(before, &old[op.old_range()]);
        add_spans(after, &new[op.new_range()]);
    }
}

struct Token {
    line: usize,
    span: Range<usize>,
}

/// Splits lines into words, runs of blanks, and single other characters.
fn tokens(lines: &[DiffLine]) -> Vec<Token> {
    let mut tokens = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let bytes = &line.content;
        let class = |byte: u8| match byte {
            b'_' | 0x80.. => 1,
            _ if byte.is_ascii_alphanumeric() => 1,
            b' ' | b'\t' => 2,
            _ => 3,
        };
        let mut start = 0;
        while start < bytes.len() {
            let token_class = class(bytes[start]);
            let run = bytes[start..].iter().take_while(|byte| class(**byte) == token_class).count();
            let end = if token_class == 3 { start + 1 } else { start + run };
            tokens.push(Token { line: number, span: start..end });
            start = end;
        }
    }
    tokens
}

fn add_spans(lines: &mut [DiffLine], tokens: &[Token]) {
    for token in tokens {
        let spans = &mut lines[token.line].changed;
        match spans.last_mut() {
            Some(last) if last.end == token.span.start => last.end = token.span.end,
            _ => spans.push(token.span.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(text: &str) -> Vec<String> {
        let line = |line: &str| DiffLine {
            origin: line.chars().next().unwrap(),
            old: None,
            new: None,
            content: line.as_bytes()[1..].to_vec(),
            changed: Vec::new(),
        };
        let mut lines: Vec<DiffLine> = text.lines().map(line).collect();
        mark_changes(&mut lines);
        let marked_words = |line: DiffLine| {
            let spans = line.changed.into_iter();
            let spans = spans.map(|span| String::from_utf8(line.content[span].to_vec()).unwrap());
            spans.collect::<Vec<_>>().join("|")
        };
        lines.into_iter().map(marked_words).collect()
    }

    #[test]
    fn the_words_that_changed_are_marked() {
        assert_eq!(
            marked("-let a = one(b);\n+let a = two(b, c);\n x\n-gone\n+quite another line here"),
            ["one", "two|, c", "", "", ""]
        );
        assert_eq!(marked("-f(a, b)\n+f(\n+    a,\n+    b\n+)"), [" ", "", "    ", "    ", ""]);
    }
}
