//! Describes the first difference between `old_text` and a place.

use crate::fold::fold_line;
use crate::lines::{TextLine, indent, trim, trim_end};
use crate::similarity::SimilarBlock;
use crate::snapshot::Snapshot;

/// Longer quotes are cut.
const MAX_QUOTED_CHARS: usize = 60;

/// Describes the first difference. Line numbers are those of `old_text`.
pub(crate) fn first_difference(
    snapshot: &Snapshot<'_>,
    base: &[TextLine<'_>],
    near: &SimilarBlock,
) -> Option<String> {
    let lines = snapshot.lines();
    let mut rows = near.rows.iter().peekable();
    let (mut next, mut indented) = (near.first, None);
    for (mine, text_line) in base.iter().enumerate() {
        if text_line.is_blank() && rows.peek().is_none_or(|row| row.0 != mine) {
            continue;
        }
        let number = mine + 1;
        let Some(&(_, line)) = rows.next_if(|row| row.0 == mine) else {
            return Some(format!("line {number}, {}, is not there", quoted(text_line.content, 0)));
        };
        if let Some(extra) = (next..line).find(|&line| !crate::lines::is_blank(lines.content(line)))
        {
            return Some(format!(
                "before line {number} the file has {} (line {})",
                quoted(trim(lines.content(extra)), 0),
                extra + 1
            ));
        }
        next = line + 1;
        let file = lines.content(line);
        if trim(text_line.content) != trim(file) {
            return Some(format!(
                "line {number}: {}",
                line_difference(trim(text_line.content), trim(file))
            ));
        }
        if indented.is_none() && indent(text_line.content) != indent(file) {
            indented = Some(format!(
                "line {number}: {} where the patch has {}",
                describe_indent(indent(file)),
                describe_indent(indent(text_line.content))
            ));
        }
    }
    indented.or_else(|| {
        let row = near.rows.iter().find(|row| {
            trim_end(base[row.0].content) != base[row.0].content
                || trim_end(lines.content(row.1)) != lines.content(row.1)
        })?;
        Some(format!("line {}: blanks at the end of the line", row.0 + 1))
    })
}

fn line_difference(old: &str, file: &str) -> String {
    if fold_line(old) == fold_line(file) {
        let (a, b) = old.chars().zip(file.chars()).find(|(a, b)| a != b).unwrap_or((' ', ' '));
        return format!("{} where the patch has {}", describe_char(b), describe_char(a));
    }
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    if joined(old) == joined(file) {
        return "the blanks inside the line differ".to_owned();
    }
    if old.to_lowercase() == file.to_lowercase() {
        return format!("upper and lower case differ; the file has {}", quoted(file, 0));
    }
    let same = old.chars().zip(file.chars()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(MAX_QUOTED_CHARS / 3);
    format!("{} where the patch has {}", quoted(file, from), quoted(old, from))
}

fn describe_char(c: char) -> String {
    if c.is_control() || c.is_whitespace() || !c.is_ascii() {
        format!("{c:?} (U+{:04X})", u32::from(c))
    } else {
        format!("{c:?}")
    }
}

/// Part of a line, with invisible characters made visible.
fn quoted(line: &str, from: usize) -> String {
    let mut text: String = line
        .chars()
        .skip(from)
        .take(MAX_QUOTED_CHARS)
        .map(|c| match c {
            '\t' => '→',
            '\r' => '␍',
            '\u{a0}' => '⍽',
            c if c.is_control() => '·',
            c => c,
        })
        .collect();
    if line.chars().nth(from + MAX_QUOTED_CHARS).is_some() {
        text.push('…');
    }
    format!("\"{}{text}\"", if from > 0 { "…" } else { "" })
}

fn describe_indent(indent: &str) -> String {
    let tabs = indent.matches('\t').count();
    let spaces = indent.len() - tabs;
    let counted = |count: usize, one: &str, many: &str| {
        if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
    };
    match (tabs, spaces) {
        (0, 0) => "no indentation".to_owned(),
        (0, spaces) => counted(spaces, "blank", "blanks"),
        (tabs, 0) => counted(tabs, "tab", "tabs"),
        (tabs, spaces) => {
            format!("{} and {}", counted(tabs, "tab", "tabs"), counted(spaces, "blank", "blanks"))
        }
    }
}
