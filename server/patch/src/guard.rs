//! Guards against the usual mistakes of patches: an omission mark or conflict marker in place of
//! code, and a line that is duplicated at the edge of the match.
//!
//! They do not parse code and know no language, so they look at single lines only. A duplicated line is
//! refused after a tolerant match and noted after an exact one.

use crate::lines::{is_blank, split_lines, trim};
use crate::match_location::MatchLocation;
use crate::patch::PatchTexts;
use crate::snapshot::Snapshot;

/// Phrases that models use in omission marks, such as `// ... existing code ...`.
const OMISSION_WORDS: [&str; 16] = [
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

/// A guard's reason not to change a place.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) message: String,
    pub(crate) hint: String,
}

/// Refuses omission marks and conflict markers that only `new_text` has. O(old_text + new_text).
pub(crate) fn check_new_text(old: &str, new: &str) -> Result<(), Refusal> {
    let lines =
        |text: &str| text.split(['\n', '\r']).map(trim).map(str::to_owned).collect::<Vec<_>>();
    let suspicious = |line: &&str| is_omission(line) || is_conflict(line);
    if !new.split(['\n', '\r']).map(trim).any(|line| suspicious(&line)) {
        return Ok(());
    }
    let old = lines(old);
    // A patch that edits a text with such marks (a merge conflict, say) may keep them.
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
                    shortened(line)
                ),
                hint: "Write the code out, or leave it out of old_text as well.".to_owned(),
            });
        }
        if is_conflict(line) {
            return Err(Refusal {
                message: format!(
                    "line {} of new_text, \"{}\", is a conflict or diff marker.",
                    index + 1,
                    shortened(line)
                ),
                hint: "Send the text without markers.".to_owned(),
            });
        }
    }
    Ok(())
}

/// The first omission mark of a rewritten file that the text before did not have: its 1-based line
/// and its text.
#[must_use]
pub fn omission(before: &str, after: &str) -> Option<(usize, String)> {
    let line = |(index, line): (usize, &str)| (index + 1, shortened(trim(line)));
    let new = after.lines().enumerate().filter(|(_, line)| is_omission(trim(line)));
    new.map(line).find(|(_, omitted)| !before.lines().any(|line| trim(line).starts_with(omitted)))
}

fn shortened(line: &str) -> String {
    line.chars().take(60).collect()
}

/// Whether a trimmed line is an omission mark: a comment, or a bracketed line, with an ellipsis.
pub(crate) fn is_omission(line: &str) -> bool {
    if line.len() > 160 {
        return false;
    }
    let (opened, body) = comment_body(line);
    if !(line.contains("...") || line.contains('…')) {
        return opened && names_omission(&body.to_lowercase());
    }
    let dots = |text: &str| {
        text.starts_with("...")
            || text.starts_with('…')
            || text.ends_with("...")
            || text.ends_with('…')
    };
    let bare = |text: &str| text.chars().all(|c| matches!(c, '.' | '…' | ' '));
    if bare(body) {
        // A bare `...` is code: Python's Ellipsis, a spread or a range. In a comment it is a mark.
        return opened && !body.is_empty();
    }
    if !dots(body) {
        return false;
    }
    // A spread: `...previous.fields,`.
    let spread = body.strip_prefix("...").filter(|rest| {
        rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') && !rest.contains(' ')
    });
    if !opened && spread.is_some() {
        return false;
    }
    let lower = body.to_lowercase();
    let named = OMISSION_WORDS.iter().any(|word| lower.contains(word));
    let enclosed = opened
        || line.starts_with(['[', '(', '<'])
        || body.starts_with("...")
        || body.starts_with('…');
    enclosed && named
}

/// Whether a comment without an ellipsis says that code is omitted, as `rest of the code`.
fn names_omission(body: &str) -> bool {
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

/// A comment without its delimiters, and whether the line had an opening one.
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

/// Whether a line is a merge conflict marker or belongs to a patch format.
///
/// `=======` alone is not refused: it underlines headings in Markdown and reStructuredText.
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

/// Refuses, or for exact matches notes, a line that the patch would duplicate at its edge.
pub(crate) fn check_place(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    place: &MatchLocation,
    notes: &mut Vec<String>,
) -> Result<(), Refusal> {
    let tolerant = place.strategy.is_tolerant();
    if !tolerant && !snapshot.has_lines() && texts.new.len() <= texts.old.len() {
        return Ok(());
    }
    let Some((line, text)) = duplicated_edge_line(snapshot, texts, place) else { return Ok(()) };
    if tolerant {
        return Err(Refusal {
            message: format!(
                "new_text would double line {line}, \"{}\", which is just outside of the match.",
                shortened(&text)
            ),
            hint: "Leave that line out of new_text, or put it into old_text too.".to_owned(),
        });
    }
    notes.push(format!("line {line}, \"{}\", now stands there twice", shortened(&text)));
    Ok(())
}

/// The line just outside of the match that `new_text` repeats at its edge: its 1-based number and
/// its text. Models often send one line more in `new_text` than they quote in `old_text`.
fn duplicated_edge_line(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    place: &MatchLocation,
) -> Option<(usize, String)> {
    let (old, new) = (split_lines(&texts.old), split_lines(&texts.new));
    let written = |line: &&crate::lines::TextLine<'_>| !is_blank(line.content);
    let count = |text_lines: &[crate::lines::TextLine<'_>], line: &str| {
        text_lines.iter().filter(|text_line| trim(text_line.content) == line).count()
    };
    // Only an edge line that `new_text` adds can duplicate its neighbour.
    let edge = |before: Option<&crate::lines::TextLine<'_>>,
                own: Option<&crate::lines::TextLine<'_>>| {
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
            "...Previous.PaginatedResult.fields,",
            "...existing,",
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
