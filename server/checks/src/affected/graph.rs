//! The graph of a project: which units use which names, and which files import which.
//!
//! Edges are names, not resolved definitions: a use of `get` counts as a use of everything called `get`.
//! What this adds are tests that run for nothing; what a resolver leaves out would be tests that do not
//! run though they should.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::lexer::Style;
use super::units::{FileUnits, Name, Names, Unit, UnitKind};

/// A file of the project.
#[derive(Debug, Clone)]
pub(super) struct ProjectFile {
    /// Relative to the project.
    pub(super) path: String,
    pub(super) units: Arc<FileUnits>,
    pub(super) is_test: bool,
}

/// Names that import modules by computed names.
const DYNAMIC_IMPORTS: &[&str] = &[
    "import_module",
    "__import__",
    "entry_points",
    "iter_modules",
    "walk_packages",
    "load_module",
    "exec_module",
];
/// Names by which tests start programs, of which the project may be one.
const STARTS_PROGRAMS: &[&str] = &[
    "subprocess",
    "Popen",
    "check_output",
    "pytester",
    "testdir",
    "runpy",
    "run_path",
    "cargo_bin",
    "child_process",
    "execFile",
    "spawnSync",
    "execSync",
    "exec",
];
/// Base classes that call none of a class's methods by themselves.
const PLAIN_BASES: &[&str] = &[
    "object",
    "ABC",
    "abc",
    "Protocol",
    "Generic",
    "typing",
    "TestCase",
    "unittest",
    "metaclass",
    "ABCMeta",
    "type",
];

/// Numbers by the number of a name, in flat arrays.
struct ByName {
    ends: Vec<u32>,
    values: Vec<u32>,
}

impl ByName {
    fn new<'a, I: Iterator<Item = (&'a Name, u32)>>(names: usize, pairs: impl Fn() -> I) -> Self {
        let mut ends = vec![0_u32; names + 1];
        for (name, _) in pairs() {
            ends[*name as usize + 1] += 1;
        }
        for at in 1..ends.len() {
            ends[at] += ends[at - 1];
        }
        let mut next = ends.clone();
        let mut values = vec![0; ends.last().copied().unwrap_or_default() as usize];
        for (name, value) in pairs() {
            let slot = &mut next[*name as usize];
            values[*slot as usize] = value;
            *slot += 1;
        }
        Self { ends, values }
    }

    fn get(&self, name: Name) -> &[u32] {
        let at = name as usize;
        match (self.ends.get(at), self.ends.get(at + 1)) {
            (Some(from), Some(to)) => &self.values[*from as usize..*to as usize],
            _ => &[],
        }
    }
}

/// What a change reaches.
#[derive(Debug, Clone)]
pub(super) struct Reached {
    /// By the number of the unit.
    pub(super) units: Vec<bool>,
    /// Files that change what importing them does.
    pub(super) imports: FxHashSet<u32>,
}

pub(super) struct Graph<'p> {
    pub(super) files: &'p [ProjectFile],
    names: &'p Names,
    /// The first unit of each file.
    first: Vec<u32>,
    /// The file of each unit.
    file_of: Vec<u32>,
    /// Units that use a name.
    users: ByName,
    /// Files that use it when they are imported.
    runners: ByName,
    /// Units in whose header it is.
    pub(super) heirs: ByNameRef,
    /// Names that imports rename a name to.
    aliases: FxHashMap<Name, Vec<Name>>,
    /// The names of the project's types.
    types: FxHashSet<Name>,
    /// Units that a framework calls.
    is_framework: Vec<bool>,
}

/// Units by a name.
pub(super) struct ByNameRef(ByName);

impl ByNameRef {
    pub(super) fn get(&self, name: Name) -> &[u32] {
        self.0.get(name)
    }
}

impl<'p> Graph<'p> {
    pub(super) fn new(files: &'p [ProjectFile], names: &'p Names) -> Self {
        let mut first = Vec::with_capacity(files.len());
        let mut file_of = Vec::new();
        for (number, file) in files.iter().enumerate() {
            first.push(u32::try_from(file_of.len()).unwrap_or(u32::MAX));
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            file_of.extend(std::iter::repeat_n(number, file.units.units.len()));
        }
        let units = || files.iter().flat_map(|file| &file.units.units).zip(0_u32..);
        let numbered = || files.iter().zip(0_u32..);
        let users = ByName::new(names.len(), || {
            units().flat_map(|(unit, number)| unit.uses.iter().map(move |name| (name, number)))
        });
        let runners = ByName::new(names.len(), || {
            numbered()
                .flat_map(|(file, number)| file.units.runs.iter().map(move |name| (name, number)))
        });
        let heirs = ByName::new(names.len(), || {
            units().flat_map(|(unit, number)| unit.header.iter().map(move |name| (name, number)))
        });
        let mut aliases: FxHashMap<Name, Vec<Name>> = FxHashMap::default();
        for (from, to) in files.iter().flat_map(|file| &file.units.aliases) {
            let known = aliases.entry(*from).or_default();
            if !known.contains(to) {
                known.push(*to);
            }
        }
        let mut graph = Self {
            files,
            names,
            first,
            file_of,
            users,
            runners,
            heirs: ByNameRef(heirs),
            aliases,
            types: FxHashSet::default(),
            is_framework: Vec::new(),
        };
        let is_type = |number: &u32| graph.unit(*number).kind == UnitKind::Type;
        let types = graph.numbers().filter(is_type).map(|number| graph.unit(number).name);
        graph.types = types.collect();
        graph.is_framework = graph.called_by_frameworks();
        graph
    }

    /// The units that use a name.
    pub(super) fn users_of(&self, name: Name) -> &[u32] {
        self.users.get(name)
    }

    /// The numbers of all units.
    pub(super) fn numbers(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.file_of.len()).unwrap_or(u32::MAX)
    }

    pub(super) fn file_of(&self, unit: u32) -> u32 {
        self.file_of[unit as usize]
    }

    pub(super) fn unit(&self, number: u32) -> &'p Unit {
        let file = self.file_of[number as usize];
        let files: &'p [ProjectFile] = self.files;
        &files[file as usize].units.units[(number - self.first[file as usize]) as usize]
    }

    /// The number of a file's unit.
    pub(super) fn number(&self, file: usize, unit: usize) -> u32 {
        self.first[file] + u32::try_from(unit).unwrap_or(u32::MAX)
    }

    /// The type or module around a unit.
    pub(super) fn parent(&self, number: u32) -> Option<u32> {
        let file = self.file_of[number as usize] as usize;
        self.unit(number).parent.map(|parent| self.number(file, parent))
    }

    /// Units that are called though nothing in the project names them where they are called.
    fn called_by_frameworks(&self) -> Vec<bool> {
        let prefixes: FxHashSet<&str> = self
            .files
            .iter()
            .flat_map(|file| &file.units.prefixes)
            .map(|prefix| self.names.text(*prefix))
            .collect();
        let imported: FxHashSet<Name> =
            self.files.iter().flat_map(|file| &file.units.imports).copied().collect();
        let units = self.numbers();
        // Classes below a class of a library, whose methods the library calls.
        let mut foreign: FxHashSet<Name> = FxHashSet::default();
        loop {
            let before = foreign.len();
            for number in units.clone() {
                let unit = self.unit(number);
                let style = self.files[self.file_of(number) as usize].units.style;
                if unit.kind != UnitKind::Type || style == Style::Rust {
                    continue;
                }
                let is_foreign = |name: &Name| {
                    let text = self.names.text(*name);
                    let is_plain = PLAIN_BASES.contains(&text)
                        || ["Error", "Exception", "Warning"].iter().any(|end| text.ends_with(end))
                        || matches!(text, "extends" | "implements" | "class");
                    foreign.contains(name) || !is_plain && !self.types.contains(name)
                };
                if unit.header.iter().any(is_foreign) {
                    foreign.insert(unit.name);
                }
            }
            if foreign.len() == before {
                break;
            }
        }
        let is_called = |number: u32| {
            let unit = self.unit(number);
            let style = self.files[self.file_of(number) as usize].units.style;
            if unit.is_implicit {
                return true;
            }
            if unit.kind != UnitKind::Function || unit.is_test {
                return false;
            }
            let name = self.names.text(unit.name);
            let is_unnamed = || {
                let others = self.users.get(unit.name).iter().filter(|user| **user != number);
                others.count() == 0
                    && self.runners.get(unit.name).is_empty()
                    && !imported.contains(&unit.name)
            };
            let is_completed = || {
                let ends = name.match_indices('_').map(|(at, _)| &name[..=at]);
                ends.into_iter().any(|start| prefixes.contains(start))
            };
            match style {
                Style::Rust => false,
                Style::Go => name == "init" || name == "TestMain" || is_unnamed(),
                _ => {
                    unit.types.iter().any(|name| foreign.contains(name))
                        || self.names.find("autouse").is_some_and(|auto| unit.uses.contains(&auto))
                        || is_completed()
                        || is_unnamed()
                }
            }
        };
        units.map(is_called).collect()
    }

    /// Whether the project has a type of this name.
    pub(super) fn is_type(&self, name: Name) -> bool {
        self.types.contains(&name)
    }

    /// The types that a unit belongs to. If some are of the project (as of a trait's method), only these.
    pub(super) fn types_of(&self, unit: &'p Unit) -> Vec<Name> {
        let own = unit.types.iter().copied().filter(|name| self.types.contains(name));
        let own: Vec<Name> = own.collect();
        if own.is_empty() { unit.types.clone() } else { own }
    }

    /// Units of tests that start programs: what those do is unknown.
    pub(super) fn starting_programs(&self) -> Vec<u32> {
        let known: Vec<Name> =
            STARTS_PROGRAMS.iter().filter_map(|name| self.names.find(name)).collect();
        let units = self.numbers();
        let starts = |number: &u32| {
            let file = &self.files[self.file_of(*number) as usize];
            let starts = |name: &Name| {
                known.contains(name) || self.names.text(*name).starts_with("CARGO_BIN_EXE")
            };
            file.is_test && self.unit(*number).uses.iter().any(starts)
        };
        units.filter(starts).collect()
    }

    /// Everything that may behave differently if these units, names and imports do.
    pub(super) fn reach(&self, units: &[u32], names: &[Name], imports: &[u32]) -> Reached {
        let mut reached = Reached {
            units: vec![false; self.file_of.len()],
            imports: imports.iter().copied().collect(),
        };
        let mut live = vec![false; self.names.len()];
        let (mut new_units, mut new_names) = (units.to_vec(), names.to_vec());
        loop {
            if let Some(number) = new_units.pop() {
                if std::mem::replace(&mut reached.units[number as usize], true) {
                    continue;
                }
                self.effects_of(number, &mut new_units, &mut new_names, &mut reached.imports);
            } else if let Some(name) = new_names.pop() {
                if std::mem::replace(&mut live[name as usize], true) {
                    continue;
                }
                new_units.extend(self.users.get(name));
                reached.imports.extend(self.runners.get(name));
                new_names.extend(self.aliases.get(&name).into_iter().flatten());
            } else {
                return reached;
            }
        }
    }

    fn effects_of(
        &self,
        number: u32,
        units: &mut Vec<u32>,
        names: &mut Vec<Name>,
        imports: &mut FxHashSet<u32>,
    ) {
        let unit = self.unit(number);
        if unit.kind == UnitKind::Module {
            imports.insert(self.file_of(number));
            return;
        }
        names.push(unit.name);
        names.extend(&unit.other_names);
        if !self.is_framework[number as usize] {
            return;
        }
        if unit.types.is_empty() {
            imports.insert(self.file_of(number));
        }
        names.extend(self.types_of(unit));
        units
            .extend(self.parent(number).filter(|parent| self.unit(*parent).kind == UnitKind::Type));
    }
}

/// The files that import others, directly or not.
pub(super) struct Imports {
    /// Of each file, those that import it.
    importers: Vec<Vec<u32>>,
}

impl Imports {
    pub(super) fn new(files: &[ProjectFile], names: &Names) -> Self {
        let mut by_stem: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        let mut by_folder: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
        let mut by_path: FxHashMap<&str, u32> = FxHashMap::default();
        for (file, number) in files.iter().zip(0_u32..) {
            by_path.insert(&file.path, number);
            let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
            by_folder.entry(folder).or_default().push(number);
            let stem = name.split('.').next().unwrap_or_default();
            by_stem.entry(stem).or_default().push(number);
            // A package is named by its folder; in Go, any of its files is.
            let package = folder.rsplit('/').next().unwrap_or_default();
            let is_package =
                matches!(stem, "__init__" | "index" | "mod") || file.units.style == Style::Go;
            if is_package && !package.is_empty() {
                by_stem.entry(package).or_default().push(number);
            }
        }
        let mut importers = vec![Vec::new(); files.len()];
        let dynamic: Vec<Name> =
            DYNAMIC_IMPORTS.iter().filter_map(|name| names.find(name)).collect();
        for (file, number) in files.iter().zip(0_u32..) {
            let units = &file.units;
            let mut add = |imported: u32| {
                if imported != number {
                    importers[imported as usize].push(number);
                }
            };
            for name in &units.imports {
                by_stem.get(names.text(*name)).into_iter().flatten().for_each(|one| add(*one));
            }
            if units.style == Style::Python {
                let folders = std::iter::successors(Some(file.path.as_str()), |path| {
                    path.rsplit_once('/').map(|(folder, _)| folder)
                });
                for folder in folders.skip(1) {
                    let package = by_path.get(format!("{folder}/__init__.py").as_str());
                    let fixtures = by_path.get(format!("{folder}/conftest.py").as_str());
                    package.into_iter().chain(fixtures).for_each(|one| add(*one));
                }
                let root = by_path.get("conftest.py").filter(|_| file.is_test);
                root.into_iter().for_each(|one| add(*one));
            }
            if units.style == Style::Go {
                let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
                by_folder.get(folder).into_iter().flatten().for_each(|one| add(*one));
            }
            let uses = units.units.iter().flat_map(|unit| &unit.uses).chain(&units.uses);
            if !dynamic.is_empty() && uses.into_iter().any(|name| dynamic.contains(name)) {
                (0..u32::try_from(files.len()).unwrap_or(u32::MAX)).for_each(&mut add);
            }
        }
        Self { importers }
    }

    /// These files and all that import them.
    pub(super) fn importing(&self, files: impl IntoIterator<Item = u32>) -> Vec<bool> {
        let mut reached = vec![false; self.importers.len()];
        let mut new: Vec<u32> = files.into_iter().collect();
        while let Some(file) = new.pop() {
            if !std::mem::replace(&mut reached[file as usize], true) {
                new.extend(&self.importers[file as usize]);
            }
        }
        reached
    }
}
