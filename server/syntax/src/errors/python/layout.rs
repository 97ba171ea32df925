//! How deep lines stand, and what opens and goes on with a block: a line that ends with a colon has
//! a body, a body ends where a line stands less deep, and `else` and its like go on with a statement
//! that stands as deep.

use std::ops::Range;

use super::lines::{Line, OPENS};
use crate::errors::{Missing, SyntaxError};

/// Most errors of one text.
const MOST: usize = 20;
/// Statements that stand as deep as each other.
struct Level {
    depth: usize,
    /// The last one's first word, or of what goes on with it, and its line.
    word: String,
    line: usize,
}

struct Reader<'s> {
    source: &'s str,
    levels: Vec<Level>,
    /// Depths that were told of, and of which level they are taken for.
    misplaced: Vec<(usize, usize)>,
    errors: Vec<SyntaxError>,
    /// Whether something was told of the present definition: what comes next may follow from it.
    is_told: bool,
}

/// What is wrong with the layout of lines, which are all of the text if `is_whole`.
pub(super) fn errors(source: &str, lines: &[Line<'_>], is_whole: bool) -> Vec<SyntaxError> {
    let top = Level { depth: 0, word: String::new(), line: 0 };
    let mut reader = Reader {
        source,
        levels: vec![top],
        misplaced: Vec::new(),
        errors: Vec::new(),
        is_told: false,
    };
    let mut before: Option<&Line<'_>> = None;
    for line in lines {
        if reader.errors.len() >= MOST {
            break;
        }
        reader.read(line, before);
        before = Some(line);
    }
    if is_whole {
        if let Some(last) = before.filter(|last| last.wants_body()) {
            reader.lacks_body(last);
        }
        reader.leave(0, source.trim_end().len());
    }
    reader.errors
}

impl Reader<'_> {
    fn read(&mut self, line: &Line<'_>, before: Option<&Line<'_>>) {
        if line.depth == 0 && line.begins_definition(self.source) {
            self.is_told = false;
            self.misplaced.clear();
        }
        let opened = before.filter(|before| before.wants_body() || before.lacks_colon());
        let top = self.levels.last().map_or(0, |level| level.depth);
        if opened.is_some() && line.depth > top {
            self.levels.push(Level { depth: line.depth, word: String::new(), line: 0 });
        } else {
            if let Some(opened) = opened.filter(|opened| opened.wants_body()) {
                self.lacks_body(opened);
            }
            self.places(line);
        }
        if let Some(after) = line.goes_on_after() {
            let fits =
                |level: &Level| level.depth == line.depth && after.contains(&level.word.as_str());
            if !self.levels.last().is_some_and(fits) {
                self.goes_on_with_nothing(line, after);
            }
        } else {
            self.ends_try(line.span.start);
        }
        if line.lacks_colon() {
            let last = self.last_token(line);
            self.tell(
                last.clone(),
                format!("expected `:` after `{}`", &self.source[last.clone()]),
                Some(Missing { token: ":", at: Some(last.end) }),
            );
        }
        let number = line.number;
        if let Some(level) = self.levels.last_mut() {
            // `else` of a loop or a `try` may be followed by `finally`.
            let word = if line.opens() { line.word } else { "" };
            word.clone_into(&mut level.word);
            level.line = number;
        }
    }

    /// Goes to the level that a line stands on; where there is none, says so.
    fn places(&mut self, line: &Line<'_>) {
        let known = self.misplaced.iter().find(|(depth, _)| *depth == line.depth);
        let depth = known.map_or(line.depth, |(_, level)| *level);
        let fitting = self.levels.iter().rposition(|level| level.depth <= depth).unwrap_or(0);
        let level = self.levels[fitting].depth;
        if level == depth {
            self.leave(fitting + 1, line.span.start);
            return;
        }
        // Told of together with what it does not go on with.
        if line.goes_on_after().is_some() {
            return;
        }
        let span = self.first_token(line);
        if fitting + 1 == self.levels.len() {
            let message = match self.levels[fitting].line {
                0 => "unexpected indentation".to_owned(),
                beside => format!("unexpected indentation: line {beside} stands less deep"),
            };
            self.tell(span, message, None);
            self.levels.push(Level { depth, word: String::new(), line: 0 });
        } else {
            // As if it stood on the next deeper level, where the line before it may be.
            let beside = &self.levels[fitting + 1];
            let message = format!(
                "unindent matches no outer line: expected {} columns as on line {}, found {depth}",
                beside.depth, beside.line
            );
            self.misplaced.push((depth, beside.depth));
            self.tell(span, message, None);
            self.leave(fitting + 2, line.span.start);
        }
    }

    /// `else` where nothing that it could go on with stands as deep.
    fn goes_on_with_nothing(&mut self, line: &Line<'_>, after: &[&str]) {
        let word = line.word;
        let fits = |level: &Level| after.contains(&level.word.as_str());
        let candidates = self.levels.iter().enumerate().filter(|(_, level)| fits(level));
        let nearest = candidates.min_by_key(|(_, level)| level.depth.abs_diff(line.depth));
        let words: Vec<String> = after
            .iter()
            .filter(|opener| OPENS.contains(opener) || word == "finally" && **opener == "try")
            .map(|opener| format!("`{opener}`"))
            .collect();
        let words = match words.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => words.join(""),
        };
        let message = match nearest {
            Some((_, level)) => format!(
                "`{word}` matches no {words} that stands as deep: that on line {} stands at column {}",
                level.line,
                level.depth + 1
            ),
            None => format!("`{word}` matches no {words}"),
        };
        let keep = nearest.map(|(index, _)| index + 1);
        self.tell(self.first_token(line), message, None);
        match keep {
            Some(keep) => self.levels.truncate(keep),
            None => {
                let fitting = self.levels.iter().rposition(|level| level.depth <= line.depth);
                self.levels.truncate(fitting.unwrap_or(0) + 1);
            }
        }
    }

    /// Ends the levels from `keep` on, where something stands less deep.
    fn leave(&mut self, keep: usize, at: usize) {
        while self.levels.len() > keep {
            self.ends_try(at);
            self.levels.pop();
        }
    }

    /// A `try` needs what goes on with it, where something else stands.
    fn ends_try(&mut self, at: usize) {
        let Some(level) = self.levels.last().filter(|level| level.word == "try") else { return };
        let message = format!("expected `except` or `finally` after `try` on line {}", level.line);
        let end = self.source[at..].chars().next().map_or(at, |c| at + c.len_utf8());
        self.tell(at..end, message, None);
    }

    fn lacks_body(&mut self, opener: &Line<'_>) {
        let line = opener.number;
        let span = opener.span.end - 1..opener.span.end;
        let message = format!("expected an indented block after `{}` on line {line}", opener.word);
        self.tell(span, message, None);
    }

    fn first_token(&self, line: &Line<'_>) -> Range<usize> {
        let text = &self.source[line.span.clone()];
        let word = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        let length = word.max(text.chars().next().map_or(0, char::len_utf8));
        line.span.start..line.span.start + length
    }

    fn last_token(&self, line: &Line<'_>) -> Range<usize> {
        let text = &self.source[line.span.clone()];
        let rest = text.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        let last = text.char_indices().next_back().map_or(0, |(at, _)| at);
        line.span.start + rest.min(last)..line.span.end
    }

    fn tell(&mut self, span: Range<usize>, message: String, missing: Option<Missing>) {
        if !self.is_told {
            self.is_told = true;
            self.errors.push(SyntaxError { span, message, missing });
        }
    }
}
