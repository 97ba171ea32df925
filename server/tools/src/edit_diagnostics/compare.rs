//! Which problems an edit introduced or fixed; pure.
//!
//! A problem that only moved is neither: its line was shifted, its line was edited around it, or its
//! line was moved to another place.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use text::Text;

use super::Problem;

/// Time limit for the comparison of two texts, line by line.
const COMPARE_TIME: Duration = Duration::from_millis(200);

/// Whether a problem of the old text is this one of the new text.
type IsSame<'p> = &'p dyn Fn(&Problem, &Problem) -> bool;

/// The indices of the problems that are new in `after`, and of those of `before` that are gone.
pub(super) fn compare(
    before: (&Text, &[Problem]),
    after: (&Text, &[Problem]),
) -> (Vec<usize>, Vec<usize>) {
    let ((old_text, old), (new_text, new)) = (before, after);
    let mut introduced: Vec<usize> = (0..new.len()).collect();
    let mut fixed: Vec<usize> = (0..old.len()).collect();
    if old.is_empty() || new.is_empty() {
        return (introduced, fixed);
    }
    let lines = LineMap::new(old_text, new_text);
    let trimmed = |text: &Text, line: usize| text.line(line).trim().to_owned();
    let same_column = |a: &Problem, b: &Problem| a.column == b.column;
    // From the surest to the least sure sign that a problem is the same.
    let passes: [IsSame<'_>; 4] = [
        &|a, b| lines.of(a.line) == Line::Kept(b.line) && same_column(a, b),
        &|a, b| lines.of(a.line) == Line::Kept(b.line),
        &|a, b| matches!(lines.of(a.line), Line::Changed { start, end } if (start..end).contains(&b.line)),
        &|a, b| trimmed(old_text, a.line) == trimmed(new_text, b.line),
    ];
    for is_same in passes {
        let mut by_message: HashMap<String, Vec<usize>> = HashMap::new();
        for index in &fixed {
            by_message.entry(key(&old[*index])).or_default().push(*index);
        }
        introduced.retain(|index| {
            let Some(candidates) = by_message.get_mut(&key(&new[*index])) else { return true };
            let found = candidates.iter().position(|other| is_same(&old[*other], &new[*index]));
            let Some(at) = found else { return true };
            let gone = candidates.remove(at);
            fixed.retain(|other| *other != gone);
            false
        });
    }
    (introduced, fixed)
}

/// What makes two problems the same, their places aside. Line numbers inside messages may differ.
fn key(problem: &Problem) -> String {
    let message = problem.message.chars().filter(|c| !c.is_ascii_digit());
    let mut key: String = message.collect();
    key.push('\0');
    key.push_str(&problem.code);
    key.push('\0');
    key.push_str(&problem.source);
    key
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// It is this line now.
    Kept(usize),
    /// It was edited, together with its neighbours, into these lines.
    Changed { start: usize, end: usize },
}

struct LineMap {
    /// Sorted by the first old line.
    parts: Vec<DiffOp>,
}

impl LineMap {
    fn new(old: &Text, new: &Text) -> Self {
        let lines = |text: &Text| -> Vec<String> {
            (0..text.line_count()).map(|line| text.line(line).into_owned()).collect()
        };
        let (old, new) = (lines(old), lines(new));
        let deadline = Instant::now() + COMPARE_TIME;
        let parts = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, Some(deadline));
        Self { parts }
    }

    fn of(&self, line: usize) -> Line {
        let next = self.parts.partition_point(|part| part.old_range().end <= line);
        let Some(part) = self.parts.get(next) else { return Line::Changed { start: 0, end: 0 } };
        match part {
            DiffOp::Equal { old_index, new_index, .. } => Line::Kept(line - old_index + new_index),
            part => {
                let new = part.new_range();
                Line::Changed { start: new.start, end: new.end }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(line: usize, message: &str) -> Problem {
        Problem {
            line,
            column: 0,
            severity: "error",
            code: "code".into(),
            message: message.to_owned(),
            source: "tandem".into(),
            is_of_names: false,
        }
    }

    fn run(
        old: &str,
        before: &[Problem],
        new: &str,
        after: &[Problem],
    ) -> (Vec<usize>, Vec<usize>) {
        compare((&Text::new(old), before), (&Text::new(new), after))
    }

    #[test]
    fn moved_problems_are_neither_new_nor_fixed() {
        let x = |line| problem(line, "`x` is not defined");
        // Lines were added above.
        assert_eq!(run("x\n", &[x(0)], "a\nb\nx\n", &[x(2)]), (vec![], vec![]));
        // The line changed, and the problem stayed.
        assert_eq!(run("f(x)\n", &[x(0)], "g(x)\n", &[x(0)]), (vec![], vec![]));
        // The line moved to another place.
        let (old, new) = ("use(x)\n1\n2\n3\n", "1\n2\n3\nuse(x)\n");
        assert_eq!(run(old, &[x(0)], new, &[x(3)]), (vec![], vec![]));
        // A number inside the message changed.
        let open = |at, line| problem(line, &format!("`(` of line {at} is not closed"));
        assert_eq!(run("(\n", &[open(1, 0)], "\n(\n", &[open(2, 1)]), (vec![], vec![]));
    }

    #[test]
    fn new_and_fixed_problems_are_told_apart() {
        let (x, y) = (|line| problem(line, "`x`"), |line| problem(line, "`y`"));
        assert_eq!(run("x\n", &[x(0)], "y\n", &[y(0)]), (vec![0], vec![0]));
        assert_eq!(run("a\n", &[], "x\n", &[x(0)]), (vec![0], vec![]));
        assert_eq!(run("x\n", &[x(0)], "a\n", &[]), (vec![], vec![0]));
        // One of two equal problems is fixed: the other moved.
        let old = "x = 1\nuse(x)\nother\nuse(x)\n";
        let found = run(old, &[x(1), x(3)], "x = 1\nother\nuse(x)\n", &[x(2)]);
        assert_eq!(found, (vec![], vec![0]));
        // An equal problem far away is new.
        let found = run("f(x)\n1\n2\n3\n", &[x(0)], "f(1)\n1\n2\n3\ng(x)\n", &[x(4)]);
        assert_eq!(found, (vec![0], vec![0]));
    }
}
