//! What can be folded away.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;

use crate::Syntax;

/// Most folds of one text.
const MOST: usize = 50_000;

/// What a fold hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FoldKind {
    /// A body, a list, a string: what stands between its first and its last line.
    Code,
    /// A comment over lines, or several in a row.
    Comment,
    /// Imports in a row.
    Imports,
    /// What a person put between `#region` and `#endregion`.
    Region,
}

/// Lines that can be hidden behind the first of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// Where it starts: the node that it shows the first line of.
    pub span: Range<usize>,
    /// The first line and the last that is hidden, from 0.
    pub lines: (usize, usize),
    /// What it hides.
    pub kind: FoldKind,
}

impl Syntax {
    /// The folds by `queries/<language>/folds.scm`, whose captures are `@fold` for a node,
    /// `@fold.comment` and `@fold.imports` for nodes of which those on adjacent lines fold as one;
    /// and by comments that say `region` and `endregion`. In order of place, one a first line.
    /// `None` once `interrupt` is set.
    #[must_use]
    pub fn folds(&self, interrupt: &AtomicBool) -> Option<Vec<Fold>> {
        let mut folds = Vec::new();
        if let Some(query) = self.language().folds() {
            let names = query.capture_names();
            let mut rows: [Vec<(usize, usize, Range<usize>)>; 2] = [Vec::new(), Vec::new()];
            self.each_match(query, interrupt, |found| {
                for capture in found.captures() {
                    let span = capture.node.byte_range();
                    let (first, last) = self.lines_of(&span);
                    match names[capture.index as usize] {
                        "fold.comment" => rows[0].push((first, last, span)),
                        "fold.imports" => rows[1].push((first, last, span)),
                        "fold" => folds.push(self.body(span, first, last)),
                        _ => {}
                    }
                }
                match folds.len() + rows[0].len() + rows[1].len() > MOST {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            })?;
            let [comments, imports] = rows;
            self.regions(&comments, &mut folds);
            runs(comments, FoldKind::Comment, &mut folds);
            runs(imports, FoldKind::Imports, &mut folds);
        }
        folds.retain(|fold| fold.lines.1 > fold.lines.0);
        // Of folds behind one line, the longest stays: an editor shows one.
        folds.sort_by_key(|f| (f.lines.0, usize::MAX - f.lines.1, f.kind));
        folds.dedup_by_key(|fold| fold.lines.0);
        Some(folds)
    }

    /// The lines of a node.
    pub(crate) fn lines_of(&self, span: &Range<usize>) -> (usize, usize) {
        let text = self.text();
        let first = text.line_of(span.start);
        // A node that takes its line's end along ends on that line.
        let last = text.line_of(span.end);
        let at_start = span.end > span.start && text.line_start(last) == span.end;
        (first, if at_start { last.saturating_sub(1).max(first) } else { last })
    }

    /// A closing bracket, or a word that closes, stays in sight.
    fn body(&self, span: Range<usize>, first: usize, mut last: usize) -> Fold {
        // Blank lines below belong to nobody: a section's, a list's.
        while last > first && self.text().line(last).trim().is_empty() {
            last -= 1;
        }
        let line = self.text().line(last);
        let closing = line.trim_start();
        let closes = closing.starts_with(['}', ')', ']'])
            || ["end", "fi", "done", "esac", "</", "in "].iter().any(|c| closing.starts_with(c));
        let hidden = if closes && last > first { last - 1 } else { last };
        Fold { span, lines: (first, hidden), kind: FoldKind::Code }
    }

    fn regions(&self, comments: &[(usize, usize, Range<usize>)], folds: &mut Vec<Fold>) {
        let mut open: Vec<(usize, Range<usize>)> = Vec::new();
        for (first, last, span) in comments.iter().filter(|(first, last, _)| first == last) {
            let text = self.text().slice(span.clone());
            let said = text.trim_start_matches(|c: char| !c.is_alphanumeric());
            let word = said.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            match word.to_ascii_lowercase().as_str() {
                "region" => open.push((*first, span.clone())),
                "endregion" => folds.extend(open.pop().map(|(start, opening)| Fold {
                    span: opening.start..span.end,
                    lines: (start, *last),
                    kind: FoldKind::Region,
                })),
                _ => {}
            }
        }
    }
}

/// Nodes on adjacent lines fold as one.
fn runs(mut rows: Vec<(usize, usize, Range<usize>)>, kind: FoldKind, folds: &mut Vec<Fold>) {
    rows.sort_by_key(|(first, last, _)| (*first, *last));
    let mut run: Option<Fold> = None;
    for (first, last, span) in rows {
        match &mut run {
            Some(fold) if first <= fold.lines.1 + 1 => {
                fold.lines.1 = fold.lines.1.max(last);
                fold.span.end = fold.span.end.max(span.end);
            }
            _ => folds.extend(run.replace(Fold { span, lines: (first, last), kind })),
        }
    }
    folds.extend(run);
}
