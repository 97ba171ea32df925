//! How deep lines stand: by what the tree says, and where styles differ, as the file itself has it.

pub(crate) mod blanks;
mod habits;
mod marks;
mod ties;

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use text::Text;

use self::blanks::{packed, packs_tabs, spread};
use self::habits::Habits;
use self::ties::{Tie, ties, width};
use crate::Syntax;

/// Longest line, in bytes, of a text of which it is asked how deep its lines stand: nobody indents
/// what a program has put on one line, and broken code of such lines takes tree-sitter minutes.
const LONGEST: usize = 64 << 10;
/// Most blanks before a line that are told, in bytes: deeper ones are not for reading.
const DEEPEST: usize = 1_000;
/// Most blanks of all lines together, in bytes.
const MOST: usize = 32 << 20;

/// What stands before the code of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indent {
    /// Blanks: steps, and behind them what puts it under something.
    pub blanks: String,
    /// Whether its syntax says so, or what the file does elsewhere; else it goes along with the line
    /// that it continues.
    pub sure: bool,
}

impl Syntax {
    /// What each of `lines` (from 0) has before its code by `queries/<language>/indents.scm`, in
    /// steps of `unit`; `None` for a line that is to be left as it is, and for all of them where the
    /// language's indentation is not known.
    ///
    /// The captures: `@indent` for a node whose lines after its first stand one step deeper than
    /// that line; `@indent.body` for one whose lines stand one step deeper than the line where its
    /// parent starts: the block of a function whose head goes over lines; `@continue` for one whose
    /// lines after its first stand as the file has most of its kind, or else where they are, as long
    /// as that is deeper than its first; `@continue.item` for one that does so at the start of its
    /// line, with what its parent begins; `@level` for one whose lines stand as deep as
    /// its first; `@outdent` for a node that, at the start of its line, stands
    /// as deep as the line where what holds it starts, or as the file has most of its kind;
    /// `@margin` for one that stands there at the margin; `@leave` for a node whose lines after its
    /// first are nobody's business: a string, a comment. With `(#set! flat)` lines that stand deeper
    /// than the first of their node stand no deeper, and level ones deeper, where the file has them
    /// so; with `(#set! trim)` comments at its end are not its own.
    ///
    /// A line that reaches as far by other blanks keeps them, and where a file has tabs for eight
    /// blanks, so have those that are put elsewhere.
    ///
    /// Of several nodes over a line, the one that starts on the last line before it counts, so
    /// those that start on one line make one step. Where several patterns have one node, the last
    /// of them counts. O(captures of the text + its length). `None` for all once `interrupt` is set.
    #[must_use]
    pub fn indents(
        &self,
        lines: Range<usize>,
        unit: &str,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Option<Indent>>> {
        let text = self.text();
        let known = self.language().indents().filter(|_| longest_line(text) <= LONGEST);
        let Some(query) = known else { return Some(vec![None; lines.len()]) };
        let ties = ties(self.indent_marks(query, interrupt)?, text.line_count());
        let written: Vec<String> = (0..text.line_count()).map(|line| lead(text, line)).collect();
        let blank = |line: usize| text.line(line).len() == written[line].len();
        let followed = self.comments(&written);
        let packs = packs_tabs(text);
        let spread: Vec<String> =
            written.iter().filter(|_| packs).map(|blanks| spread(blanks)).collect();
        let deep = if packs { &spread } else { &written };
        let habits = Habits::of(&ties, deep, unit, blank);
        let mut all: Vec<Option<Indent>> = Vec::new();
        let mut total = 0;
        for line in 0..lines.end.min(ties.len()) {
            let stands_as = followed[line].filter(|next| {
                !matches!(&ties[*next], Some(Tie::On { anchor, .. }) if *anchor >= line)
                    && ties[line].is_some()
            });
            let stands_as = stands_as.unwrap_or(line);
            let placed = place(stands_as, &ties, deep, &all, &habits, unit);
            let placed = placed.filter(|i| i.blanks.len() <= DEEPEST && total < MOST);
            total += placed.as_ref().map_or(0, |i| i.blanks.len());
            all.push(placed);
        }
        for (indent, written) in all.iter_mut().zip(&written) {
            let Some(indent) = indent else { continue };
            if width(&indent.blanks) == width(written) {
                // It reaches as far, by other blanks.
                indent.blanks.clone_from(written);
            } else if packs {
                indent.blanks = packed(&indent.blanks);
            }
        }
        all.drain(..lines.start.min(all.len()));
        all.resize(lines.len(), None);
        Some(all)
    }

    /// Of lines that are nothing but comments, the line of code that each stands above, as deep as
    /// it, if there is one and it closes nothing. O(n).
    fn comments(&self, written: &[String]) -> Vec<Option<usize>> {
        let (text, language) = (self.text(), self.language());
        let mut next = None;
        let mut all = vec![None; written.len()];
        for line in (0..written.len()).rev() {
            let whole = text.line(line);
            let code = &whole[written[line].len()..];
            if code.trim().is_empty() {
                next = None;
            } else if language.line_comments().iter().any(|c| code.starts_with(c.as_str())) {
                all[line] = next.filter(|next: &usize| written[*next] == written[line]);
            } else {
                next = (!language.closes_a_step(code)).then_some(line);
            }
        }
        all
    }
}

/// Where `line` stands, as those before it are `placed`.
fn place(
    line: usize,
    ties: &[Option<Tie>],
    written: &[String],
    placed: &[Option<Indent>],
    habits: &Habits,
    unit: &str,
) -> Option<Indent> {
    let sure = |blanks: String| Some(Indent { blanks, sure: true });
    let Tie::On { anchor, way } = ties[line].as_ref()? else { return sure(String::new()) };
    let old = &written[*anchor];
    let new = placed[*anchor].as_ref().map_or(old, |indent| &indent.blanks);
    let (step, is_habit) = habits.step(way, unit);
    if is_habit {
        return sure(format!("{new}{step}"));
    }
    let (now, wanted) = (&written[line], format!("{new}{step}"));
    let rest = now.strip_prefix(old.as_str()).filter(|r| way.may_be_flat() || !r.is_empty());
    let blanks = match rest {
        // Where only the line that it hangs on stood elsewhere.
        _ if *now == wanted => wanted,
        Some(rest) => format!("{new}{rest}"),
        // Tabs before one and blanks before the other.
        None if old == new && ties::width(now) > ties::width(old) => now.clone(),
        None => wanted,
    };
    Some(Indent { blanks, sure: false })
}

/// The blanks that a line starts with.
fn lead(text: &Text, line: usize) -> String {
    let written = text.line(line);
    let rest = written.trim_start_matches([' ', '\t']);
    written[..written.len() - rest.len()].to_owned()
}

/// The length of the longest line, in bytes. O(n).
fn longest_line(text: &Text) -> usize {
    let (mut at, mut start, mut longest) = (0, 0, 0);
    for chunk in text.chunks() {
        for end in memchr::memchr2_iter(b'\n', b'\r', chunk.as_bytes()) {
            longest = longest.max(at + end - start);
            start = at + end + 1;
        }
        at += chunk.len();
    }
    longest.max(at - start)
}
