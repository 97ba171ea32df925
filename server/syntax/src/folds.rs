//! Folding ranges.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::AtomicBool;

use crate::Syntax;

/// Limit of folds per text, and of nodes and comments that are considered for them.
pub const MAX_FOLDS: usize = 50_000;

/// Largest indentation of a comment that is folded with its neighbours, in bytes.
const MAX_BLANKS: usize = 500;

/// What a fold contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FoldKind {
    /// A body, list or string: the lines between its first and its last.
    Code,
    /// A comment of several lines, or several comments in a row.
    Comment,
    /// Several imports in a row.
    Imports,
    /// The lines between a `#region` and an `#endregion` comment.
    Region,
}

/// Lines that can be collapsed to the first of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    /// The span of the node whose first line stays visible.
    pub span: Range<usize>,
    /// The first line and the last hidden line, from 0.
    pub lines: (usize, usize),
    /// What it contains.
    pub kind: FoldKind,
}

impl Syntax {
    /// The folds from `queries/<language>/folds.scm` and from `region`/`endregion` comments, in
    /// document order, at most one per first line.
    ///
    /// The captures are `@fold` for a node, and `@fold.comment` and `@fold.imports` for nodes that
    /// are merged with their neighbours on adjacent lines. `None` once `interrupt` is set.
    #[must_use]
    pub fn folds(&self, interrupt: &AtomicBool) -> Option<Vec<Fold>> {
        self.folds_and_truncation(interrupt).map(|(folds, _)| folds)
    }

    /// The folds, and whether the limit [`MOST_FOLDS`] left some out.
    #[must_use]
    pub fn folds_and_truncation(&self, interrupt: &AtomicBool) -> Option<(Vec<Fold>, bool)> {
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
                        // A comment beside code must not hide the code.
                        "fold.comment" if self.is_alone(&span, last) => {
                            rows[0].push((first, last, span));
                        }
                        "fold.comment" if last > first => {
                            let ends = self.ends_line(span.end, last);
                            let lines = (first, last - usize::from(!ends));
                            folds.push(Fold { span, lines, kind: FoldKind::Comment });
                        }
                        "fold.imports" => rows[1].push((first, last, span)),
                        "fold" if last > first => folds.push(self.body_fold(span, first, last)),
                        _ => {}
                    }
                }
                has_more = folds.len() + rows[0].len() + rows[1].len() > MAX_FOLDS;
                match has_more {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            })?;
            let [comments, imports] = rows;
            self.regions(&comments, &mut folds);
            merge_adjacent(comments, FoldKind::Comment, &mut folds);
            merge_adjacent(imports, FoldKind::Imports, &mut folds);
        }
        folds.retain(|fold| fold.lines.1 > fold.lines.0);
        // An editor shows one fold per line: keep the longest.
        folds.sort_by_key(|f| (f.lines.0, usize::MAX - f.lines.1, f.kind));
        folds.dedup_by_key(|fold| fold.lines.0);
        Some((folds, has_more))
    }

    /// The first and the last line of a node.
    pub(crate) fn lines_of(&self, span: &Range<usize>) -> (usize, usize) {
        let text = self.text();
        let first = text.line_of(span.start);
        // A node that includes its final newline ends on that line.
        let last = text.line_of(span.end);
        let at_start = span.end > span.start && text.line_start(last) == span.end;
        (first, if at_start { last.saturating_sub(1).max(first) } else { last })
    }

    /// Whether only a reasonable amount of whitespace is beside a node on its lines.
    fn is_alone(&self, span: &Range<usize>, last: usize) -> bool {
        let start = self.text().line_start(self.text().line_of(span.start));
        span.start - start <= MAX_BLANKS
            && self.text().slice(start..span.start).trim().is_empty()
            && self.ends_line(span.end, last)
    }

    /// Whether only whitespace follows `at` on its line.
    fn ends_line(&self, at: usize, line: usize) -> bool {
        let end = self.text().line_span(line).end.min(at + MAX_BLANKS);
        at >= end || self.text().slice(at..end).trim().is_empty()
    }

    /// The fold of a body. A closing bracket or keyword stays visible.
    fn body_fold(&self, span: Range<usize>, first: usize, mut last: usize) -> Fold {
        // Some nodes (sections, lists) include the blank lines after them.
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
            let content = text.trim_start_matches(|c: char| !c.is_alphanumeric());
            let word = content.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
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

/// Merges nodes on adjacent lines into one fold.
fn merge_adjacent(
    mut rows: Vec<(usize, usize, Range<usize>)>,
    kind: FoldKind,
    folds: &mut Vec<Fold>,
) {
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
    fn comments_after_code_do_not_fold_it() {
        let source = "a = 1  # one\nb = 2  # two\n# three\n# four\nc = 3  # five\n";
        assert_eq!(folds("python", source), [(2, 3, FoldKind::Comment)]);
        let source = "let a = 1; /* one\n two */\n/* three */ let b = 2;\n// four\n\t// five\n";
        let found = folds("rust", source);
        assert_eq!(folds("c", "/* a\n b\n c */ int d;\n"), [(0, 1, FoldKind::Comment)]);
        assert_eq!(found, [(0, 1, FoldKind::Comment), (3, 4, FoldKind::Comment)]);
    }

    #[test]
    fn nodes_on_one_line_do_not_fold() {
        let list = "{\"a\":[1]},".repeat(MAX_FOLDS / 2 + 10);
        let source = format!("[{list}\n{{\n\"b\": 1\n}}]");
        assert_eq!(folds("json", &source).last(), Some(&(1, 2, FoldKind::Code)));
    }
}
