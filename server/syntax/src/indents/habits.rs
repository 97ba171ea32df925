//! How a file has lines where styles differ: what most of its lines of one kind do.

use std::collections::HashMap;

use super::marks::Kind;
use super::ties::{Tie, Way, width};

/// How lines of one kind stand, as the file has them.
#[derive(Default)]
struct Count {
    /// What is before them, behind what is before the line that they hang on.
    steps: HashMap<String, usize>,
    /// How many stand under the first thing of what they go on with.
    under: usize,
    all: usize,
}

enum Place {
    Step(String),
    Under,
}

/// What most lines of a kind do, how many these are, and of how many.
struct Habit {
    most: Place,
    count: usize,
    all: usize,
}

impl Habit {
    /// Whether the lines of a block that do otherwise are wrong.
    fn is_plain(&self) -> bool {
        self.count * 4 >= self.all * 3
    }

    /// Whether lines that go on with something are wrong where they do otherwise: styles that put
    /// one here and one there are many.
    fn is_strict(&self) -> bool {
        self.count * 10 >= self.all * 9
    }
}

pub(super) struct Habits(HashMap<Kind, Habit>);

impl Habits {
    /// O(lines).
    pub(super) fn of(
        ties: &[Option<Tie>],
        written: &[String],
        unit: &str,
        blank: impl Fn(usize) -> bool,
    ) -> Self {
        let mut counts: HashMap<Kind, Count> = HashMap::new();
        for (line, tie) in ties.iter().enumerate() {
            let Some(Tie::On { anchor, way }) = tie else { continue };
            // What hangs on a line that is out of its own place says nothing.
            let out_of_place = match ties[*anchor] {
                Some(Tie::On { anchor: above, .. }) => {
                    !written[*anchor].starts_with(written[above].as_str())
                }
                Some(Tie::Margin) | None => false,
            };
            let rest = written[line].strip_prefix(written[*anchor].as_str());
            let Some(rest) = rest.filter(|_| !out_of_place && !blank(line)) else { continue };
            let (kind, under) = match way {
                Way::Flat(kind) | Way::Outdent(kind) if width(rest) <= width(unit) => (*kind, None),
                Way::Continues { kind, under, may_be_flat } if *may_be_flat || !rest.is_empty() => {
                    (*kind, *under)
                }
                Way::Deeper
                | Way::Level
                | Way::Flat(_)
                | Way::Outdent(_)
                | Way::Continues { .. } => continue,
            };
            let count = counts.entry(kind).or_default();
            count.all += 1;
            count.under += usize::from(under.is_some_and(|u| u > 0 && u == rest.len()));
            *count.steps.entry(rest.to_owned()).or_default() += 1;
        }
        Self(counts.into_iter().map(|(kind, count)| (kind, count.habit())).collect())
    }

    /// What is before a line, behind what is before the one that it hangs on, and whether that is
    /// what such lines have.
    pub(super) fn step(&self, way: &Way, unit: &str) -> (String, bool) {
        match way {
            Way::Deeper => (unit.to_owned(), true),
            Way::Level => (String::new(), true),
            Way::Flat(kind) => (self.plain(*kind).unwrap_or_else(|| unit.to_owned()), true),
            Way::Outdent(kind) => (self.plain(*kind).unwrap_or_default(), true),
            Way::Continues { kind, under, .. } => {
                let Some(habit) = self.0.get(kind) else { return (unit.to_owned(), false) };
                match (&habit.most, under) {
                    (Place::Step(step), _) => (step.clone(), habit.is_strict()),
                    (Place::Under, Some(under)) => (" ".repeat(*under), habit.is_strict()),
                    (Place::Under, None) => (unit.to_owned(), false),
                }
            }
        }
    }

    fn plain(&self, kind: Kind) -> Option<String> {
        match self.0.get(&kind)? {
            habit @ Habit { most: Place::Step(step), .. } if habit.is_plain() => Some(step.clone()),
            _ => None,
        }
    }
}

impl Count {
    fn habit(self) -> Habit {
        // Of as many, what is less deep: which does not hang on the order of a map.
        let most = self.steps.into_iter().max_by(|a, b| (a.1, &b.0).cmp(&(b.1, &a.0)));
        let (step, count) = most.unwrap_or_default();
        let (most, count) = match self.under > count {
            true => (Place::Under, self.under),
            false => (Place::Step(step), count),
        };
        Habit { most, count, all: self.all }
    }
}
