//! What can be folded away.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;

use crate::Syntax;

/// Most folds of one text, and most nodes and comments that are looked at for them.
pub const MOST_FOLDS: usize = 50_000;

/// Deepest indentation of a comment that folds with others, in bytes.
const WIDEST: usize = 500;

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
        self.folds_and_rest(interrupt).map(|(folds, _)| folds)
    }

    /// The folds, and whether there may be more behind them: no more than [`MOST_FOLDS`] are told.
    #[must_use]
    pub fn folds_and_rest(&self, interrupt: &AtomicBool) -> Option<(Vec<Fold>, bool)> {
        let mut folds = Vec::new();
        let mut has_more = false;
        if let Some(query) = self.language().folds() {
            let names = query.query.capture_names();
            let mut rows: [Vec<(usize, usize, Range<usize>)>; 2] = [Vec::new(), Vec::new()];
            self.each_match(query, interrupt, |found| {
                for capture in found.captures() {
                    let span = capture.node.byte_range();
                    let (first, last) = self.lines_of(&span);
                    match names[capture.index as usize] {
                        // What stands beside code would take the code along.
                        "fold.comment" if self.is_alone(&span, last) => {
                            rows[0].push((first, last, span));
                        }
                        "fold.comment" if last > first => {
                            let ends = self.ends_line(span.end, last);
                            let lines = (first, last - usize::from(!ends));
                            folds.push(Fold { span, lines, kind: FoldKind::Comment });
                        }
                        "fold.imports" => rows[1].push((first, last, span)),
                        "fold" if last > first => folds.push(self.body(span, first, last)),
                        _ => {}
                    }
                }
                has_more = folds.len() + rows[0].len() + rows[1].len() > MOST_FOLDS;
                match has_more {
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
        Some((folds, has_more))
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

    /// Whether nothing but a reasonable number of blanks stands beside a node on its lines.
    fn is_alone(&self, span: &Range<usize>, last: usize) -> bool {
        let start = self.text().line_start(self.text().line_of(span.start));
        span.start - start <= WIDEST
            && self.text().slice(start..span.start).trim().is_empty()
            && self.ends_line(span.end, last)
    }

    /// Whether nothing but blanks stands behind a place on a line.
    fn ends_line(&self, at: usize, line: usize) -> bool {
        let end = self.text().line_span(line).end.min(at + WIDEST);
        at >= end || self.text().slice(at..end).trim().is_empty()
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

#[cfg(test)]
mod tests {
    use text::Text;

    use super::*;
    use crate::Language;

    fn folds(language: &str, source: &str) -> Vec<(usize, usize, FoldKind)> {
        let go = AtomicBool::new(false);
        let language = Language::by_id(language).unwrap();
        let syntax = Syntax::parse(language, &Text::new(source), None, &go).unwrap();
        let folds = syntax.folds(&go).unwrap().into_iter();
        folds.map(|fold| (fold.lines.0, fold.lines.1, fold.kind)).collect()
    }

    #[test]
    fn comments_behind_code_do_not_take_it_along() {
        let source = "a = 1  # one\nb = 2  # two\n# three\n# four\nc = 3  # five\n";
        assert_eq!(folds("python", source), [(2, 3, FoldKind::Comment)]);
        let source = "let a = 1; /* one\n two */\n/* three */ let b = 2;\n// four\n\t// five\n";
        let found = folds("rust", source);
        assert_eq!(folds("c", "/* a\n b\n c */ int d;\n"), [(0, 1, FoldKind::Comment)]);
        assert_eq!(found, [(0, 1, FoldKind::Comment), (3, 4, FoldKind::Comment)]);
    }

    #[test]
    fn what_is_on_one_line_counts_for_nothing() {
        let list = "{\"a\":[1]},".repeat(MOST_FOLDS / 2 + 10);
        let source = format!("[{list}\n{{\n\"b\": 1\n}}]");
        assert_eq!(folds("json", &source).last(), Some(&(1, 2, FoldKind::Code)));
    }
}
