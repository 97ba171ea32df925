//! What no patch may do by mistake: put an omission mark or a conflict marker in place of
//! code, double the line at its edge, or make a tolerant match worse than it was.

use crate::lines::{is_blank, pieces, trim};
use crate::places::{Place, Wanted};
use crate::settle::Refusal;
use crate::snapshot::Snapshot;

/// Words that name what an omission mark leaves out.
const OMITTED: [&str; 16] = [
    "existing",
    "rest of",
    "remaining",
    "unchanged",
    "same as",
    "previous",
    "omitted",
    "other code",
    "code here",
    "stays the same",
    "remains the same",
    "as before",
    "truncated",
    "your code",
    "more code",
    "the rest",
];

/// Refuses what is wrong in `new_text` whatever the place. O(old_text + new_text).
pub(crate) fn check_new_text(old: &str, new: &str) -> Result<(), Refusal> {
    let lines =
        |text: &str| text.split(['\n', '\r']).map(trim).map(str::to_owned).collect::<Vec<_>>();
    let suspicious = |line: &&str| is_omission(line) || is_conflict(line);
    if !new.split(['\n', '\r']).map(trim).any(|line| suspicious(&line)) {
        return Ok(());
    }
    let old = lines(old);
    // Marks that old_text has may be edited.
    let edits_marks = old.iter().any(|line| is_omission(line) || is_conflict(line));
    for (index, line) in lines(new).iter().enumerate() {
        if edits_marks || old.contains(line) {
            continue;
        }
        if is_omission(line) {
            return Err(Refusal {
                message: format!(
                    "line {} of new_text, \"{}\", stands for code that is left out and would replace it.",
                    index + 1,
                    short(line)
                ),
                hint: "Write the code out, or leave it out of old_text as well.".to_owned(),
            });
        }
        if is_conflict(line) {
            return Err(Refusal {
                message: format!(
                    "line {} of new_text, \"{}\", is a conflict or diff marker.",
                    index + 1,
                    short(line)
                ),
                hint: "Send the text without markers.".to_owned(),
            });
        }
    }
    Ok(())
}

/// The first line of a whole new text, from 1, that stands for what is left out, and that the text
/// before did not have.
#[must_use]
pub fn omission(before: &str, after: &str) -> Option<(usize, String)> {
    let line = |(index, line): (usize, &str)| (index + 1, short(trim(line)));
    let new = after.lines().enumerate().filter(|(_, line)| is_omission(trim(line)));
    new.map(line).find(|(_, omitted)| !before.lines().any(|line| trim(line).starts_with(omitted)))
}

fn short(line: &str) -> String {
    line.chars().take(60).collect()
}

/// A comment, or nothing but brackets, that says with dots that something is left out.
pub(crate) fn is_omission(line: &str) -> bool {
    if line.len() > 160 {
        return false;
    }
    let (opened, body) = comment_body(line);
    if !(line.contains("...") || line.contains('…')) {
        return opened && says_omitted(&body.to_lowercase());
    }
    let dots = |text: &str| {
        text.starts_with("...")
            || text.starts_with('…')
            || text.ends_with("...")
            || text.ends_with('…')
    };
    let bare = |text: &str| text.chars().all(|c| matches!(c, '.' | '…' | ' '));
    if bare(body) {
        // Alone, three dots are code in Python and a spread or range elsewhere.
        return opened && !body.is_empty();
    }
    if !dots(body) {
        return false;
    }
    let lower = body.to_lowercase();
    let named = OMITTED.iter().any(|word| lower.contains(word));
    let enclosed = opened
        || line.starts_with(['[', '(', '<'])
        || body.starts_with("...")
        || body.starts_with('…');
    enclosed && named
}

/// A comment that says without dots that something is left out.
fn says_omitted(body: &str) -> bool {
    const WHAT: [&str; 4] = ["rest of", "remaining", "existing", "previous"];
    const HOW: [&str; 6] =
        ["unchanged", "remains the same", "stays the same", "omitted", "is the same", "as before"];
    matches!(
        body,
        "existing code"
            | "existing code here"
            | "rest of code"
            | "rest of the code"
            | "rest of the file"
            | "your code here"
    ) || (WHAT
        .iter()
        .any(|word| body.starts_with(word) || body.starts_with(&format!("the {word}")))
        && HOW.iter().any(|word| body.ends_with(word)))
}

/// A comment without its marks, and whether it had any.
fn comment_body(line: &str) -> (bool, &str) {
    const OPEN: [&str; 10] = ["//", "/*", "<!--", "{/*", "#", "--", ";", "%", "\"\"\"", "'''"];
    const CLOSE: [&str; 5] = ["*/}", "*/", "-->", "\"\"\"", "'''"];
    let mut body = line;
    let mut opened = false;
    for open in OPEN {
        if let Some(rest) = body.strip_prefix(open) {
            (body, opened) = (rest, true);
            break;
        }
    }
    for close in CLOSE {
        if let Some(rest) = body.strip_suffix(close) {
            body = rest;
            break;
        }
    }
    let body =
        if opened { body.trim_start_matches(['/', '#', '*', '-', ';', '%', '!']) } else { body };
    (opened, body.trim_matches(|c| matches!(c, ' ' | '\t' | '[' | ']' | '(' | ')' | '{' | '}')))
}

/// A line that version control or a patch format puts into a text.
fn is_conflict(line: &str) -> bool {
    let marker = |mark: &str| {
        line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    marker("<<<<<<<")
        || marker(">>>>>>>")
        || marker("|||||||")
        || matches!(line, "*** Begin Patch" | "*** End Patch")
        || (line.starts_with("@@ -") && line[4..].contains(" @@") && line.contains(" +"))
}

/// Refuses or notes what only the place shows.
pub(crate) fn check_place(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    place: &Place,
    notes: &mut Vec<String>,
) -> Result<(), Refusal> {
    let tolerant = place.strategy.is_tolerant();
    if !tolerant && !snapshot.has_lines() && wanted.new.len() <= wanted.old.len() {
        return Ok(());
    }
    let Some((line, text)) = doubled(snapshot, wanted, place) else { return Ok(()) };
    if tolerant {
        return Err(Refusal {
            message: format!(
                "new_text would double line {line}, \"{}\", which is just outside of the match.",
                short(&text)
            ),
            hint: "Leave that line out of new_text, or put it into old_text too.".to_owned(),
        });
    }
    notes.push(format!("line {line}, \"{}\", now stands there twice", short(&text)));
    Ok(())
}

/// The 1-based number of a line just outside of the place that the edge of new_text,
/// where it differs from old_text's, repeats.
fn doubled(snapshot: &Snapshot<'_>, wanted: &Wanted<'_>, place: &Place) -> Option<(usize, String)> {
    let (old, new) = (pieces(&wanted.old), pieces(&wanted.new));
    let written = |line: &&crate::lines::Piece<'_>| !is_blank(line.content);
    let count = |pieces: &[crate::lines::Piece<'_>], line: &str| {
        pieces.iter().filter(|piece| trim(piece.content) == line).count()
    };
    // Only a line that new_text adds at its edge can double another.
    let edge = |before: Option<&crate::lines::Piece<'_>>, own: Option<&crate::lines::Piece<'_>>| {
        let (before, line) = (trim(before?.content), trim(own?.content));
        (line != before && count(&new, line) > count(&old, line)).then(|| line.to_owned())
    };
    let first = edge(old.iter().find(written), new.iter().find(written));
    let last = edge(old.iter().rev().find(written), new.iter().rev().find(written));
    if first.is_none() && last.is_none() {
        return None;
    }
    let text = snapshot.text;
    let rest = text[place.span.end..].trim_start_matches(['\n', '\r', ' ', '\t']);
    let after = trim(rest.split(['\n', '\r']).next()?);
    let head = text[..place.span.start].trim_end_matches(['\n', '\r', ' ', '\t']);
    let before = trim(head.rsplit(['\n', '\r']).next()?);
    let lines = snapshot.lines_of(&place.span);
    let ends_line = text[..place.span.end].ends_with(['\n', '\r'])
        || text[place.span.end..].starts_with(['\n', '\r']);
    let starts_line = is_blank(text[..place.span.start].rsplit(['\n', '\r']).next()?);
    if ends_line && last.as_deref() == Some(after) && !after.is_empty() {
        return Some((lines.end() + 1, after.to_owned()));
    }
    if starts_line && first.as_deref() == Some(before) && !before.is_empty() {
        return Some((lines.start().saturating_sub(1).max(1), before.to_owned()));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(new: &str) -> bool {
        check_new_text("x = 1\n", new).is_err()
    }

    #[test]
    fn omission_marks() {
        for mark in [
            "// ... existing code ...",
            "    # ... rest of the file ...",
            "/* ... */",
            "<!-- ... rest unchanged ... -->",
            "// …",
            "# [... existing code ...]",
            "{/* ... existing markup ... */}",
            "... rest of the function remains the same ...",
            "// ... (unchanged)",
            "// rest of the code stays the same ...",
            "-- ... existing code ...",
            "// rest of the function unchanged",
            "# existing code here",
        ] {
            assert!(refused(&format!("a\n{mark}\nb\n")), "{mark}");
        }
        for code in [
            "...",
            "def f(): ...",
            "f(...args)",
            "[...rest]",
            "for i in 0...n {",
            "// Loading data ...",
            "// the existing code is kept in git",
            "print(\"loading existing...\")",
            "x = [1, 2, ..., 9]",
            "return {...existing, a: 1}",
        ] {
            assert!(!refused(code), "{code}");
        }
        assert!(check_new_text("// ...\n", "// ...\nx\n").is_ok());
    }

    #[test]
    fn conflict_markers() {
        assert!(refused("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"));
        assert!(refused(">>>>>>> REPLACE\n"));
        assert!(refused("@@ -1,2 +1,3 @@\n"));
        assert!(!refused("Heading\n=======\n"));
        assert!(!refused("a <<<<<<< b\n"));
    }
}
