//! Selects the tests that can see a change.

use rustc_hash::FxHashSet;

use super::changes::Difference;
use super::graph::{Graph, Imports, ProjectFile, Reached};
use super::lexer::Style;
use super::units::{Name, UnitKind};

/// Units that are reached one by one; of more, all at once.
const MAX_SINGLE: usize = 60;

/// A test, or several.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Selected {
    /// The number of its file.
    pub(super) file: usize,
    /// Its name path; of a class, all its tests; empty for all tests of the file.
    pub(super) path: Vec<String>,
}

/// A changed file.
pub(super) struct ChangedUnits {
    pub(super) file: usize,
    pub(super) difference: Difference,
}

/// The tests among a project's units.
pub(super) struct Tests {
    /// The numbers of test functions.
    units: Vec<u32>,
    /// Test files whose tests are no functions.
    files: Vec<usize>,
    /// Whether a runner takes tests from a file.
    is_collected: Vec<bool>,
}

impl Tests {
    /// `is_collected` says whether a runner takes tests from a file.
    pub(super) fn new(
        graph: &Graph<'_>,
        is_collected: &dyn Fn(&ProjectFile) -> bool,
        is_whole: bool,
    ) -> Self {
        let (mut units, mut files) = (Vec::new(), Vec::new());
        for (number, file) in graph.files.iter().enumerate() {
            if !is_collected(file) {
                continue;
            }
            let tests = (0..file.units.units.len()).filter(|unit| file.units.units[*unit].is_test);
            if is_whole || file.units.style == Style::Script {
                files.push(number);
            } else {
                units.extend(tests.map(|unit| graph.number(number, unit)));
            }
        }
        let is_collected = graph.files.iter().map(is_collected).collect();
        Self { units, files, is_collected }
    }

    pub(super) fn count(&self) -> usize {
        self.units.len() + self.files.len()
    }
}

/// The tests that may see the changes. Over-approximates: a test is left out only if no chain of
/// names leads from it to a change. `None` if code in a macro that makes items can see the change: it may
/// make tests.
pub(super) fn select(
    graph: &Graph<'_>,
    imports: &Imports,
    changed: &[ChangedUnits],
    tests: &Tests,
) -> Option<FxHashSet<Selected>> {
    let mut selected: FxHashSet<Selected> = FxHashSet::default();
    let mut is_in_macro = false;
    let filter = imports.importing(changed.iter().map(|one| number(one.file)));
    let runs_at_import = |file: u32| graph.files[file as usize].units.style.runs_at_import();
    let mut add = |reached: &[&Reached], filter: Option<&[bool]>| {
        let is_compiled = |file: &u32| !runs_at_import(*file);
        is_in_macro |= reached.iter().all(|one| one.imports.iter().any(is_compiled));
        let importing: Vec<Vec<bool>> = reached
            .iter()
            .map(|reached| imports.importing(reached.imports.iter().copied()))
            .collect();
        let sees_import = |index: usize, file: u32| {
            let reached = reached[index];
            !reached.imports.is_empty()
                && (importing[index][file as usize] || !runs_at_import(file))
        };
        let may_see =
            |file: u32| filter.is_none_or(|filter| filter[file as usize] || !runs_at_import(file));
        for unit in &tests.units {
            let file = graph.file_of(*unit);
            let parent = graph.parent(*unit);
            let is_reached = |index: usize| {
                let units = &reached[index].units;
                units[*unit as usize]
                    || parent.is_some_and(|parent| {
                        units[parent as usize] && graph.unit(parent).kind == UnitKind::Type
                    })
                    || sees_import(index, file)
            };
            if may_see(file) && (0..reached.len()).all(is_reached) {
                select_unit(graph, *unit, &mut selected);
            }
        }
        for file in &tests.files {
            let all = 0..graph.files[*file].units.units.len();
            let is_reached = |index: usize| {
                let units = &reached[index].units;
                all.clone().any(|unit| units[graph.number(*file, unit) as usize])
                    || sees_import(index, number(*file))
            };
            if may_see(number(*file)) && (0..reached.len()).all(is_reached) {
                selected.insert(Selected { file: *file, path: Vec::new() });
            }
        }
        for class in inherited(graph, reached[0], tests) {
            let file = graph.file_of(class);
            if may_see(file) {
                // Runners refuse the name of a class that has no tests.
                let path = &graph.unit(class).path;
                let is_sure = path.last().is_some_and(|name| name.starts_with("Test"));
                let path = path.iter().map(|part| part.to_string()).filter(|_| is_sure).collect();
                selected.insert(Selected { file: file as usize, path });
            }
        }
    };
    let mut together: (Vec<u32>, Vec<Name>, Vec<u32>) = Default::default();
    let total: usize = changed.iter().map(|one| one.difference.units.len()).sum();
    for one in changed {
        let difference = &one.difference;
        if difference.has_statements || difference.has_unused_imports {
            together.2.push(number(one.file));
        }
        for (name, types) in &difference.gone {
            together.1.push(*name);
            together.1.extend(types);
        }
        for unit in &difference.units {
            let unit_number = graph.number(one.file, *unit);
            let unit = graph.unit(unit_number);
            let is_method = unit.kind == UnitKind::Function && !unit.types.is_empty();
            if !is_method || unit.is_test || total > MAX_SINGLE {
                together.0.push(unit_number);
                continue;
            }
            // A method runs only where something names its type, too.
            let by_name = graph.reach(&[unit_number], &[], &[]);
            let parent: Vec<u32> = graph.parent(unit_number).into_iter().collect();
            let by_type = graph.reach(&parent, &graph.types_of(unit), &[]);
            add(&[&by_name, &by_type], Some(&filter));
        }
    }
    let (units, live, files) = together;
    add(&[&graph.reach(&units, &live, &files)], Some(&filter));
    // What a program does that a test starts is unknown.
    let programs = graph.starting_programs();
    if !changed.is_empty() && !programs.is_empty() {
        add(&[&graph.reach(&programs, &[], &[])], None);
    }
    (!is_in_macro).then_some(selected)
}

/// Whether tests are among others, or in a class or a file that is.
pub(super) fn covers(selected: &FxHashSet<Selected>, one: &Selected) -> bool {
    (0..=one.path.len()).any(|length| {
        selected.contains(&Selected { file: one.file, path: one.path[..length].to_vec() })
    })
}

fn number(file: usize) -> u32 {
    u32::try_from(file).unwrap_or(u32::MAX)
}

fn select_unit(graph: &Graph<'_>, unit: u32, selected: &mut FxHashSet<Selected>) {
    let path = graph.unit(unit).path.iter().map(|part| part.to_string()).collect();
    selected.insert(Selected { file: graph.file_of(unit) as usize, path });
}

/// Classes that inherit a reached test, with those below them.
fn inherited(graph: &Graph<'_>, reached: &Reached, tests: &Tests) -> Vec<u32> {
    let mut new: Vec<u32> = Vec::new();
    for unit in tests.units.iter().filter(|unit| reached.units[**unit as usize]) {
        new.extend(graph.parent(*unit));
    }
    // Tests of a base class may be in a file from which nothing is collected.
    for unit in graph.numbers().filter(|unit| reached.units[*unit as usize]) {
        if graph.unit(unit).is_test {
            new.extend(graph.parent(unit));
        }
    }
    let mut classes: FxHashSet<u32> = FxHashSet::default();
    // A class whose own statements are reached, as those that say what its inherited tests test.
    for class in graph.numbers().filter(|unit| reached.units[*unit as usize]) {
        let unit = graph.unit(class);
        if unit.kind == UnitKind::Type && unit.header.iter().any(|name| graph.is_type(*name)) {
            classes.insert(class);
        }
    }
    while let Some(class) = new.pop() {
        for heir in graph.heirs.get(graph.unit(class).name) {
            let file = &graph.files[graph.file_of(*heir) as usize];
            if file.units.style == Style::Python && classes.insert(*heir) {
                new.push(*heir);
            }
        }
    }
    classes.into_iter().filter(|class| tests.is_collected[graph.file_of(*class) as usize]).collect()
}

/// Replaces tests by their class or file where all of it is selected.
/// Also returns how many tests they are.
pub(super) fn shorten(
    graph: &Graph<'_>,
    tests: &Tests,
    selected: FxHashSet<Selected>,
) -> (Vec<Selected>, usize) {
    let mut all: Vec<Selected> = selected.iter().cloned().collect();
    // Tests of a class or a file that is selected.
    all.retain(|one| {
        (0..one.path.len()).all(|length| {
            let around = Selected { file: one.file, path: one.path[..length].to_vec() };
            !selected.contains(&around)
        })
    });
    let mut whole: FxHashSet<usize> = FxHashSet::default();
    let mut counts: Vec<(usize, usize)> = vec![(0, 0); graph.files.len()];
    for unit in &tests.units {
        let file = graph.file_of(*unit) as usize;
        let path: Vec<String> =
            graph.unit(*unit).path.iter().map(|part| part.to_string()).collect();
        let is_selected = (0..=path.len())
            .any(|length| selected.contains(&Selected { file, path: path[..length].to_vec() }));
        counts[file].0 += usize::from(is_selected);
        counts[file].1 += 1;
    }
    let is_file = |file: &&usize| selected.contains(&Selected { file: **file, path: Vec::new() });
    let count = counts.iter().map(|(count, _)| count).sum::<usize>()
        + tests.files.iter().filter(is_file).count();
    for (file, (count, of)) in counts.into_iter().enumerate() {
        if of > 1 && count == of && graph.files[file].units.style == Style::Python {
            whole.insert(file);
        }
    }
    all.retain(|one| !whole.contains(&one.file));
    all.extend(whole.into_iter().map(|file| Selected { file, path: Vec::new() }));
    all.sort();
    all.dedup();
    (all, count)
}
