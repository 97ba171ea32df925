//! Which functions each test ran in earlier runs with coverage, and what that leaves out of a selection.
//!
//! A test that ran none of the changed functions cannot see their change, if all that it ran is as it was
//! when it was recorded. This holds for the bodies of functions only: what else differs (a class, an
//! import, a decorator, a value) may change which functions run, and is left to the graph of names.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::graph::{Graph, Imports, ProjectFile};
use super::selection::{ChangedUnits, Selected};
use super::units::{FileUnits, Name, Names, Unit, UnitKind};
use crate::recording::RunRecord;

/// Names of decorators that keep what a function returns: it runs in the first test that calls it.
const KEEPS_RESULTS: &[&str] =
    &["cache", "lru_cache", "cached", "cached_property", "memoize", "memoized", "memo", "once"];
/// Rounds in which functions get the tests of those that call them.
const MAX_ROUNDS: usize = 10;

/// The kept record of a project's tests.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Record {
    /// The hash of all but the bodies of functions, of each file.
    shapes: HashMap<String, u64>,
    functions: Vec<RecordedFunction>,
    /// Tests by `FILE::NAME`.
    tests: HashMap<String, RecordedTest>,
    /// Functions that ran for all tests: at import, in fixtures of a session.
    shared: Vec<u32>,
}

#[derive(Debug, PartialEq, Eq, Hash, Clone, Serialize, Deserialize)]
struct RecordedFunction {
    file: String,
    path: String,
    hash: u64,
}

#[derive(Debug, Default, Clone, Serialize, Deserialize)]
struct RecordedTest {
    /// By the numbers of functions.
    ran: Vec<u32>,
    /// Whether it started programs.
    is_unsure: bool,
}

/// The hash of what changes which functions run.
fn shape(file: &FileUnits) -> u64 {
    let mut hasher = DefaultHasher::new();
    (file.hash, file.import_hash, file.is_broken).hash(&mut hasher);
    for unit in &file.units {
        (&unit.path, unit.kind).hash(&mut hasher);
        let is_function = unit.kind == UnitKind::Function;
        (if is_function { unit.head_hash } else { unit.hash }).hash(&mut hasher);
    }
    hasher.finish()
}

fn shapes(files: &[ProjectFile]) -> HashMap<String, u64> {
    files.iter().map(|file| (file.path.clone(), shape(&file.units))).collect()
}

fn path_of(unit: &Unit) -> String {
    unit.path.join(".")
}

/// The functions of a file by their paths. Several may have one path.
fn functions_of(file: &FileUnits) -> FxHashMap<String, Vec<(usize, &Unit)>> {
    let mut functions: FxHashMap<String, Vec<(usize, &Unit)>> = FxHashMap::default();
    for (number, unit) in file.units.iter().enumerate() {
        if unit.kind == UnitKind::Function {
            functions.entry(path_of(unit)).or_default().push((number, unit));
        }
    }
    functions
}

/// The hash of all functions of one path.
fn hash_of(units: &[(usize, &Unit)]) -> u64 {
    let mut hasher = DefaultHasher::new();
    units.iter().for_each(|(_, unit)| unit.hash.hash(&mut hasher));
    hasher.finish()
}

/// The contexts in which a function ran.
#[derive(Debug, Default, Clone)]
struct Ran {
    /// In all of them.
    everywhere: bool,
    contexts: FxHashSet<usize>,
}

impl Record {
    /// The record of a run whose sources were `files`, below `root`.
    pub(super) fn new(graph: &Graph<'_>, names: &Names, root: &Path, run: &RunRecord) -> Self {
        let by_path: FxHashMap<&str, usize> =
            graph.files.iter().enumerate().map(|(number, file)| (&*file.path, number)).collect();
        let shared: FxHashSet<usize> =
            (0..run.contexts.len()).filter(|context| run.contexts[*context].is_empty()).collect();
        let mut functions: Vec<RecordedFunction> = Vec::new();
        let mut ran: Vec<Ran> = Vec::new();
        // Of each unit, the number of its function.
        let mut numbers: FxHashMap<u32, usize> = FxHashMap::default();
        for file in &run.files {
            let below = Path::new(&file.path).strip_prefix(root).ok().and_then(Path::to_str);
            let Some(number) = below.and_then(|below| by_path.get(below)) else { continue };
            let own = functions_of(&graph.files[*number].units);
            let mut known: FxHashMap<String, usize> = FxHashMap::default();
            for function in &file.functions {
                let path = function.names.join(".");
                let Some(units) = own.get(&path) else { continue };
                let at = *known.entry(path.clone()).or_insert_with(|| {
                    let file = graph.files[*number].path.clone();
                    functions.push(RecordedFunction { file, path, hash: hash_of(units) });
                    ran.push(Ran::default());
                    functions.len() - 1
                });
                for (unit, _) in units {
                    numbers.insert(graph.number(*number, *unit), at);
                }
                ran[at].contexts.extend(&function.ran);
                ran[at].everywhere |= function.ran.iter().any(|one| shared.contains(one));
            }
        }
        keep_results(graph, names, &numbers, &mut ran);
        let mut record = Self { shapes: shapes(graph.files), functions, ..Self::default() };
        record.add_tests(root, run, &ran);
        record
    }

    fn add_tests(&mut self, root: &Path, run: &RunRecord, ran: &[Ran]) {
        let below = |context: &str| {
            let (file, test) = context.split_once("::").unwrap_or((context, ""));
            let file = Path::new(file).strip_prefix(root).ok()?.to_str()?.to_owned();
            Some((file, test.to_owned()))
        };
        let contexts: Vec<Option<(String, String)>> =
            run.contexts.iter().map(|context| below(context)).collect();
        let mut of_files: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        let mut of_contexts: Vec<Vec<u32>> = vec![Vec::new(); contexts.len()];
        for (function, ran) in (0_u32..).zip(ran) {
            if ran.everywhere {
                self.shared.push(function);
                continue;
            }
            for context in &ran.contexts {
                match contexts.get(*context) {
                    Some(Some((file, test))) if test.is_empty() => {
                        of_files.entry(file).or_default().push(function);
                    }
                    Some(_) => of_contexts[*context].push(function),
                    None => {}
                }
            }
        }
        for (number, (context, own)) in contexts.iter().zip(&of_contexts).enumerate() {
            let Some((file, test)) = context.as_ref().filter(|(_, test)| !test.is_empty()) else {
                continue;
            };
            let entry = self.tests.entry(format!("{file}::{test}")).or_default();
            entry.ran.extend(own.iter().chain(of_files.get(file.as_str()).into_iter().flatten()));
            entry.ran.sort_unstable();
            entry.ran.dedup();
            entry.is_unsure |= run.unsure.contains(&number);
        }
    }

    /// Adds the tests of an older record that this one has not, if nothing but bodies differs between them.
    pub(super) fn add_older(&mut self, older: Self) {
        if older.shapes != self.shapes {
            return;
        }
        let mut numbers: FxHashMap<RecordedFunction, u32> =
            self.functions.iter().cloned().zip(0..).collect();
        let mut moved: Vec<u32> = Vec::with_capacity(older.functions.len());
        for function in older.functions {
            let next = u32::try_from(self.functions.len()).unwrap_or(u32::MAX);
            let number = *numbers.entry(function.clone()).or_insert(next);
            if number == next {
                self.functions.push(function);
            }
            moved.push(number);
        }
        let moved = |function: &u32| moved.get(*function as usize).copied();
        for (name, test) in older.tests {
            self.tests.entry(name).or_insert_with(|| RecordedTest {
                ran: test.ran.iter().filter_map(moved).collect(),
                is_unsure: test.is_unsure,
            });
        }
        self.shared.extend(older.shared.iter().filter_map(moved));
        self.shared.sort_unstable();
        self.shared.dedup();
    }
}

/// Gives functions whose results are kept, in a variable or by a decorator, the tests of what calls them.
///
/// Such a function runs in one test only: the first that needs it. All others see its change, too.
fn keep_results(
    graph: &Graph<'_>,
    names: &Names,
    numbers: &FxHashMap<u32, usize>,
    ran: &mut [Ran],
) {
    let keeping: FxHashSet<Name> =
        KEEPS_RESULTS.iter().filter_map(|name| names.find(name)).collect();
    let mut once: Vec<(u32, usize)> = Vec::new();
    for (unit, at) in numbers {
        let found = graph.unit(*unit);
        if found.uses.iter().any(|name| keeping.contains(name)) {
            ran[*at].everywhere = true;
        } else if ran[*at].contexts.len() == 1 && !found.is_test {
            once.push((*unit, *at));
        }
    }
    for _ in 0..MAX_ROUNDS {
        let mut is_changed = false;
        for (unit, at) in &once {
            let first = ran[*at].contexts.iter().copied().min().unwrap_or_default();
            let callers = graph.users_of(graph.unit(*unit).name).iter();
            let callers = callers.filter_map(|caller| numbers.get(caller)).filter(|one| *one != at);
            let mut more = ran[*at].clone();
            for caller in callers.map(|caller| &ran[*caller]) {
                let is_first = caller.contexts.iter().copied().min() == Some(first);
                if caller.everywhere || is_first {
                    more.everywhere |= caller.everywhere;
                    more.contexts.extend(&caller.contexts);
                }
            }
            is_changed |= more.contexts.len() > ran[*at].contexts.len()
                || more.everywhere != ran[*at].everywhere;
            ran[*at] = more;
        }
        if !is_changed {
            break;
        }
    }
}

/// What a record says of a change.
pub(super) struct Seen<'r> {
    record: &'r Record,
    /// Whether functions are as they were, and not changed.
    is_same: Vec<bool>,
    /// Whether tests of a file may run other functions by now.
    is_stale: Vec<bool>,
    by_file: FxHashMap<&'r str, Vec<(&'r str, &'r RecordedTest)>>,
}

impl<'r> Seen<'r> {
    pub(super) fn new(
        record: &'r Record,
        files: &[ProjectFile],
        imports: &Imports,
        changed: &[ChangedUnits],
    ) -> Self {
        let mut by_path: FxHashMap<&str, FxHashMap<String, (u64, bool)>> = FxHashMap::default();
        for (number, file) in files.iter().enumerate() {
            let bodies: FxHashSet<usize> = changed
                .iter()
                .filter(|one| one.file == number)
                .flat_map(|one| one.difference.bodies.iter().copied())
                .collect();
            let functions = functions_of(&file.units).into_iter().map(|(path, units)| {
                let is_changed = units.iter().any(|(unit, _)| bodies.contains(unit));
                (path, (hash_of(&units), is_changed))
            });
            by_path.insert(&file.path, functions.collect());
        }
        let is_same = record.functions.iter().map(|function| {
            let now = by_path.get(function.file.as_str()).and_then(|own| own.get(&function.path));
            now.is_some_and(|(hash, is_changed)| *hash == function.hash && !is_changed)
        });
        let differs = |number: &usize| {
            let file = &files[*number];
            record.shapes.get(&file.path) != Some(&shape(&file.units))
        };
        let differing =
            (0..files.len()).filter(differs).filter_map(|file| u32::try_from(file).ok());
        let mut by_file: FxHashMap<&str, Vec<(&str, &RecordedTest)>> = FxHashMap::default();
        for (name, test) in &record.tests {
            if let Some((file, test_name)) = name.split_once("::") {
                by_file.entry(file).or_default().push((test_name, test));
            }
        }
        Self { record, is_same: is_same.collect(), is_stale: imports.importing(differing), by_file }
    }

    /// Whether tests may see a change of the bodies of functions.
    pub(super) fn may_see(&self, files: &[ProjectFile], selected: &Selected) -> bool {
        if self.is_stale[selected.file] || self.has_changed(&self.record.shared) {
            return true;
        }
        let path = selected.path.join("::");
        let is_of = |name: &str| {
            path.is_empty()
                || name
                    .strip_prefix(&path)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        let tests = self.by_file.get(files[selected.file].path.as_str());
        let mut tests = tests.into_iter().flatten().filter(|(name, _)| is_of(name)).peekable();
        // Nothing is known of a test that did not run.
        tests.peek().is_none()
            || tests.any(|(_, test)| test.is_unsure || self.has_changed(&test.ran))
    }

    fn has_changed(&self, functions: &[u32]) -> bool {
        functions.iter().any(|one| !self.is_same.get(*one as usize).copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use workspace::definitions_in_text;

    use super::*;
    use crate::affected::changes::difference;
    use crate::affected::lexer::Style;
    use crate::affected::units::file_units;
    use crate::recording::{RunFile, RunFunction};

    const SHOP: &str = "TABLE = None\n\ndef price(x):\n    return x + 1\n\ndef label(x):\n    return str(x)\n\n\
                        def table():\n    global TABLE\n    if TABLE is None:\n        TABLE = build()\n    \
                        return TABLE\n\ndef build():\n    return {'price': price, 'label': label}\n\n\
                        def run(name, x):\n    return table()[name](x)\n";
    const TEST: &str = "from shop import run\n\ndef test_price():\n    assert run('price', 1) == 2\n\n\
                        def test_label():\n    assert run('label', 1) == '1'\n";

    fn files(names: &mut Names, shop: &str) -> Vec<ProjectFile> {
        let mut file = |path: &str, text: &str| {
            let symbols = definitions_in_text(path, text, &AtomicBool::new(false)).unwrap();
            let units = Arc::new(file_units(Style::Python, text, &symbols, names));
            ProjectFile { path: path.to_owned(), units, is_test: path.starts_with("test") }
        };
        vec![file("shop.py", shop), file("test_shop.py", TEST)]
    }

    /// What both tests ran: `build` in the first one only.
    fn run_record() -> RunRecord {
        let functions = |functions: &[(&str, &[usize])]| {
            let functions = functions.iter().map(|(name, ran)| RunFunction {
                names: vec![(*name).to_owned()],
                ran: ran.to_vec(),
            });
            functions.collect::<Vec<_>>()
        };
        let shop = functions(&[
            ("price", &[1]),
            ("label", &[2]),
            ("table", &[1, 2]),
            ("build", &[1]),
            ("run", &[1, 2]),
        ]);
        let test = functions(&[("test_price", &[1]), ("test_label", &[2])]);
        let file = |path: &str, functions| RunFile { path: path.to_owned(), functions };
        let contexts = ["", "/w/test_shop.py::test_price", "/w/test_shop.py::test_label"];
        RunRecord {
            contexts: contexts.map(str::to_owned).to_vec(),
            unsure: Vec::new(),
            files: vec![file("/w/shop.py", shop), file("/w/test_shop.py", test)],
        }
    }

    /// The tests that may see `from` become `to`, as the record of the files before says.
    fn seen(run: &RunRecord, from: &str, to: &str) -> Vec<&'static str> {
        let mut names = Names::default();
        let old = files(&mut names, SHOP);
        let record = Record::new(&Graph::new(&old, &names), &names, Path::new("/w"), run);
        let bytes = serde_json::to_vec(&record).unwrap();
        let record: Record = serde_json::from_slice(&bytes).unwrap();
        let new = files(&mut names, &SHOP.replace(from, to));
        let difference = difference(&old[0].units, &new[0].units);
        assert!(!difference.units.is_empty() || difference.has_statements, "nothing changed");
        let imports = Imports::new(&new, &names);
        let seen = Seen::new(&record, &new, &imports, &[ChangedUnits { file: 0, difference }]);
        let may_see =
            |name: &&str| seen.may_see(&new, &Selected { file: 1, path: vec![(*name).to_owned()] });
        ["test_price", "test_label", "test_new"].into_iter().filter(may_see).collect()
    }

    #[test]
    fn tests_that_did_not_run_a_function_do_not_see_its_body() {
        let run = run_record();
        assert_eq!(seen(&run, "str(x)", "repr(x)"), ["test_label", "test_new"]);
        assert_eq!(
            seen(&run, "TABLE is None", "not TABLE"),
            ["test_price", "test_label", "test_new"]
        );
    }

    #[test]
    fn a_kept_result_is_seen_by_all_that_use_it() {
        let all = ["test_price", "test_label", "test_new"];
        assert_eq!(seen(&run_record(), "'label': label}", "'label': price}"), all);
    }

    #[test]
    fn what_may_change_which_functions_run_makes_a_record_stale() {
        let all = ["test_price", "test_label", "test_new"];
        let run = run_record();
        assert_eq!(seen(&run, "def price(x):", "def price(x=2):"), all);
        assert_eq!(seen(&run, "TABLE = None\n\ndef", "TABLE = {}\n\ndef"), all);
        assert_eq!(seen(&run, "def label(x)", "def price_2(x): pass\n\ndef label(x)"), all);
    }

    #[test]
    fn what_runs_for_all_or_starts_programs_is_seen_by_all() {
        let all = ["test_price", "test_label", "test_new"];
        let mut run = run_record();
        run.files[0].functions[0].ran = vec![0];
        assert_eq!(seen(&run, "x + 1", "x + 2"), all);
        let mut run = run_record();
        run.unsure = vec![2];
        assert_eq!(seen(&run, "x + 1", "x + 2"), all);
        let mut run = run_record();
        run.contexts.push("/w/test_shop.py".to_owned());
        run.files[0].functions[0].ran = vec![3];
        assert_eq!(seen(&run, "x + 1", "x + 2"), all);
    }
}
