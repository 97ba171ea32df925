//! The indentation style of a file where styles differ: what most lines of the same construct do.

use std::collections::HashMap;

use super::anchors::{LineAnchor, Relation, width};
use super::captures::ConstructKind;

/// Counts how lines of one construct are indented.
#[derive(Default)]
struct Count {
    /// By the whitespace that a line has in addition to its anchor line's.
    steps: HashMap<String, usize>,
    /// How many lines are aligned with the first element of their construct.
    alignment: usize,
    all: usize,
}

enum LinePosition {
    Step(String),
    Aligned,
}

/// What most lines of a construct do, how many these are, and out of how many.
struct MajorityStyle {
    most: LinePosition,
    count: usize,
    all: usize,
}

impl MajorityStyle {
    /// Whether lines of a block that deviate are wrong.
    fn decides_blocks(&self) -> bool {
        self.count * 4 >= self.all * 3
    }

    /// Whether continuation lines that deviate are wrong. The bar is higher because many styles mix
    /// several ways.
    fn decides_continuations(&self) -> bool {
        self.count * 10 >= self.all * 9
    }
}

pub(super) struct FileStyle(HashMap<ConstructKind, MajorityStyle>);

impl FileStyle {
    /// Counts the styles. O(lines).
    pub(super) fn new(
        anchors: &[Option<LineAnchor>],
        written: &[String],
        unit: &str,
        blank: impl Fn(usize) -> bool,
    ) -> Self {
        let mut counts: HashMap<ConstructKind, Count> = HashMap::new();
        for (line, anchor_of_line) in anchors.iter().enumerate() {
            let Some(LineAnchor::Line { anchor, relation }) = anchor_of_line else { continue };
            // A line whose anchor line is itself misplaced proves nothing.
            let out_of_place = match anchors[*anchor] {
                Some(LineAnchor::Line { anchor: above, .. }) => {
                    !written[*anchor].starts_with(written[above].as_str())
                }
                Some(LineAnchor::Margin) | None => false,
            };
            let rest = written[line].strip_prefix(written[*anchor].as_str());
            let Some(rest) = rest.filter(|_| !out_of_place && !blank(line)) else { continue };
            let (kind, alignment) = match relation {
                Relation::Flat(kind) | Relation::Outdent(kind) if width(rest) <= width(unit) => {
                    (*kind, None)
                }
                Relation::Continues { kind, alignment, may_be_flat }
                    if *may_be_flat || !rest.is_empty() =>
                {
                    (*kind, *alignment)
                }
                Relation::Deeper
                | Relation::Level
                | Relation::Flat(_)
                | Relation::Outdent(_)
                | Relation::Continues { .. } => continue,
            };
            let count = counts.entry(kind).or_default();
            count.all += 1;
            count.alignment += usize::from(alignment.is_some_and(|u| u > 0 && u == rest.len()));
            *count.steps.entry(rest.to_owned()).or_default() += 1;
        }
        Self(counts.into_iter().map(|(kind, count)| (kind, count.habit())).collect())
    }

    /// The whitespace that a line has in addition to its anchor line's, and whether the style
    /// prescribes it.
    pub(super) fn step(&self, relation: &Relation, unit: &str) -> (String, bool) {
        match relation {
            Relation::Deeper => (unit.to_owned(), true),
            Relation::Level => (String::new(), true),
            Relation::Flat(kind) => (self.plain(*kind).unwrap_or_else(|| unit.to_owned()), true),
            Relation::Outdent(kind) => (self.plain(*kind).unwrap_or_default(), true),
            Relation::Continues { kind, alignment, .. } => {
                let Some(habit) = self.0.get(kind) else { return (unit.to_owned(), false) };
                match (&habit.most, alignment) {
                    (LinePosition::Step(step), _) => (step.clone(), habit.decides_continuations()),
                    (LinePosition::Aligned, Some(alignment)) => {
                        (" ".repeat(*alignment), habit.decides_continuations())
                    }
                    (LinePosition::Aligned, None) => (unit.to_owned(), false),
                }
            }
        }
    }

    fn plain(&self, kind: ConstructKind) -> Option<String> {
        match self.0.get(&kind)? {
            habit @ MajorityStyle { most: LinePosition::Step(step), .. }
                if habit.decides_blocks() =>
            {
                Some(step.clone())
            }
            _ => None,
        }
    }
}

impl Count {
    fn habit(self) -> MajorityStyle {
        // On a tie take the shallower step, so that the result does not depend on map order.
        let most = self.steps.into_iter().max_by(|a, b| (a.1, &b.0).cmp(&(b.1, &a.0)));
        let (step, count) = most.unwrap_or_default();
        let (most, count) = match self.alignment > count {
            true => (LinePosition::Aligned, self.alignment),
            false => (LinePosition::Step(step), count),
        };
        MajorityStyle { most, count, all: self.all }
    }
}
