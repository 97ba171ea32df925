//! The first difference between `old_text` and a place, in words.

use crate::fold::fold_line;
use crate::lines::{Piece, indent, trim, trim_end};
use crate::similarity::Near;
use crate::snapshot::Snapshot;

/// Characters of a line that are quoted.
const QUOTED: usize = 60;

/// What first sets a place apart from `old_text`. Line numbers are those of `old_text`.
pub(crate) fn first(snapshot: &Snapshot<'_>, base: &[Piece<'_>], near: &Near) -> Option<String> {
    let lines = snapshot.lines();
    let mut rows = near.rows.iter().peekable();
    let (mut next, mut indented) = (near.first, None);
    for (mine, piece) in base.iter().enumerate() {
        if piece.is_blank() && rows.peek().is_none_or(|row| row.0 != mine) {
            continue;
        }
        let number = mine + 1;
        let Some(&(_, line)) = rows.next_if(|row| row.0 == mine) else {
            return Some(format!("line {number}, {}, is not there", quoted(piece.content, 0)));
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
        if trim(piece.content) != trim(file) {
            return Some(format!("line {number}: {}", in_line(trim(piece.content), trim(file))));
        }
        if indented.is_none() && indent(piece.content) != indent(file) {
            indented = Some(format!(
                "line {number}: {} where the patch has {}",
                blanks(indent(file)),
                blanks(indent(piece.content))
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

fn in_line(old: &str, file: &str) -> String {
    if fold_line(old) == fold_line(file) {
        let (a, b) = old.chars().zip(file.chars()).find(|(a, b)| a != b).unwrap_or((' ', ' '));
        return format!("{} where the patch has {}", character(b), character(a));
    }
    let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    if joined(old) == joined(file) {
        return "the blanks inside the line differ".to_owned();
    }
    if old.to_lowercase() == file.to_lowercase() {
        return format!("upper and lower case differ; the file has {}", quoted(file, 0));
    }
    let same = old.chars().zip(file.chars()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(QUOTED / 3);
    format!("{} where the patch has {}", quoted(file, from), quoted(old, from))
}

fn character(c: char) -> String {
    if c.is_control() || c.is_whitespace() || !c.is_ascii() {
        format!("{c:?} (U+{:04X})", u32::from(c))
    } else {
        format!("{c:?}")
    }
}

/// Part of a line, with what cannot be seen made visible.
fn quoted(line: &str, from: usize) -> String {
    let mut text: String = line
        .chars()
        .skip(from)
        .take(QUOTED)
        .map(|c| match c {
            '\t' => '→',
            '\r' => '␍',
            '\u{a0}' => '⍽',
            c if c.is_control() => '·',
            c => c,
        })
        .collect();
    if line.chars().nth(from + QUOTED).is_some() {
        text.push('…');
    }
    format!("\"{}{text}\"", if from > 0 { "…" } else { "" })
}

fn blanks(indent: &str) -> String {
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
