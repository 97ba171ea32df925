//! What C's and C++'s includes lead to: as the compilation database says, or `compile_flags.txt`,
//! else by the path.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::{Module, Project, join, parent};
use crate::index::FileId;

/// Most entries of a database, and most folders of one entry: more are left unread.
const ENTRIES: usize = 200_000;
const FOLDERS: usize = 1_000;

/// What the compilation databases of a workspace say.
#[derive(Debug, Default)]
pub(super) struct Compilation {
    /// The absolute path of the workspace, where it is known.
    pub(super) root: Option<Box<str>>,
    /// By the path of the database.
    databases: BTreeMap<Box<str>, Database>,
    /// The folders of every way, for files that have none of their own: a header is read by
    /// whatever includes it.
    folders: Vec<Box<str>>,
}

/// One `compile_commands.json` or `compile_flags.txt`.
#[derive(Debug, Default)]
struct Database {
    /// How each file is compiled.
    files: FxHashMap<Box<str>, usize>,
    /// The different ways of compiling.
    ways: Vec<Way>,
}

/// How files are compiled.
#[derive(Debug, Default, PartialEq, Eq, Clone, Hash)]
struct Way {
    /// Folders in which includes are looked for, in order.
    folders: Vec<Box<str>>,
    /// Files that are included before anything else: from where the command runs, and as written.
    forced: Vec<[Box<str>; 2]>,
}

impl Compilation {
    /// Reads a database anew.
    pub(super) fn read(&mut self, path: &str, text: &str) {
        let folder = parent(path);
        let database = if path.ends_with(".txt") {
            let words = text.lines().map(str::trim).filter(|l| !l.is_empty());
            let here = Place { root: None, folder: folder.to_owned() };
            Database { files: FxHashMap::default(), ways: vec![here.way(words)] }
        } else {
            commands(folder, text, self.root.as_deref()).unwrap_or_default()
        };
        self.databases.insert(path.into(), database);
        let ways = self.databases.values().flat_map(|d| &d.ways);
        let mut seen = FxHashSet::default();
        let all = ways.flat_map(|w| &w.folders).filter(|f| seen.insert(&***f));
        self.folders = all.take(FOLDERS).cloned().collect();
    }

    /// The way in which a file is compiled.
    fn way(&self, path: &str) -> Option<&Way> {
        let own = self.databases.values().find_map(|d| d.ways.get(*d.files.get(path)?));
        own.or_else(|| {
            // Flags without files are those of all files below.
            let flags = self.databases.iter().filter(|(_, d)| d.files.is_empty());
            let around = flags.filter(|(at, _)| is_inside(path, parent(at)));
            around.max_by_key(|(at, _)| parent(at).len())?.1.ways.first()
        })
    }
}

/// Where a command runs: relative to the workspace, and the absolute path of the workspace as far
/// as it can be told.
struct Place {
    root: Option<String>,
    folder: String,
}

impl Place {
    /// A path of a command as one of the workspace; `None` where it leads out.
    fn inside(&self, path: &str) -> Option<String> {
        if path.starts_with('/') {
            let root = self.root.as_deref()?;
            let path = format!("/{}", join("", path)?);
            let rest = path.strip_prefix(root)?;
            return (rest.is_empty() || rest.starts_with('/') || root.is_empty())
                .then(|| rest.trim_start_matches('/').to_owned());
        }
        join(&self.folder, path)
    }

    /// Reads the arguments of a command.
    fn way<'w>(&self, words: impl Iterator<Item = &'w str>) -> Way {
        let (mut quoted, mut plain, mut system) = (Vec::new(), Vec::new(), Vec::new());
        let mut way = Way::default();
        let mut words = words;
        while let Some(word) = words.next() {
            let flags = ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I"];
            let Some(flag) = flags.into_iter().find(|f| word.starts_with(f)) else { continue };
            let value = match word[flag.len()..].trim_start_matches('=') {
                "" => words.next().unwrap_or(""),
                value => value,
            };
            // Some write the flag and its value as one argument.
            let value = value.trim();
            if value.is_empty() {
                continue;
            }
            if matches!(flag, "-include" | "-imacros") {
                if way.forced.len() < FOLDERS {
                    let here = self.inside(value).unwrap_or_default();
                    way.forced.push([here.into(), value.into()]);
                }
                continue;
            }
            let Some(folder) = self.inside(value) else { continue };
            let list = match flag {
                "-iquote" => &mut quoted,
                "-I" => &mut plain,
                _ => &mut system,
            };
            if list.len() < FOLDERS {
                list.push(folder.into_boxed_str());
            }
        }
        for folder in quoted.into_iter().chain(plain).chain(system) {
            if !way.folders.contains(&folder) {
                way.folders.push(folder);
            }
        }
        way
    }
}

/// Reads `compile_commands.json`; `None` where it is none.
fn commands(folder: &str, text: &str, root: Option<&str>) -> Option<Database> {
    let value: Value = serde_json::from_str(text).ok()?;
    let entries = value.as_array()?;
    let root = root.map(str::to_owned).or_else(|| root_of(folder, entries));
    let mut database = Database::default();
    let mut numbers: FxHashMap<Way, usize> = FxHashMap::default();
    for entry in entries.iter().take(ENTRIES) {
        let Some(file) = entry["file"].as_str() else { continue };
        let directory = entry["directory"].as_str().unwrap_or("");
        let outside = Place { root: root.clone(), folder: folder.to_owned() };
        let here = match directory {
            "" => folder.to_owned(),
            directory => match outside.inside(directory) {
                Some(here) => here,
                None => continue,
            },
        };
        let place = Place { root: root.clone(), folder: here };
        let way = match (entry["arguments"].as_array(), entry["command"].as_str()) {
            (Some(words), _) => place.way(words.iter().filter_map(Value::as_str)),
            (None, Some(command)) => {
                let words = shlex::split(command).unwrap_or_default();
                place.way(words.iter().map(String::as_str))
            }
            _ => continue,
        };
        let Some(file) = place.inside(file) else { continue };
        let next = database.ways.len();
        let number = *numbers.entry(way.clone()).or_insert(next);
        if number == next {
            database.ways.push(way);
        }
        database.files.entry(file.into()).or_insert(number);
    }
    Some(database)
}

/// The absolute path of the workspace, by where the database stands and where its commands run.
/// A database in the folder that commands run in tells; else the folder that all of them share.
fn root_of(folder: &str, entries: &[Value]) -> Option<String> {
    let absolute = |v: &Value| {
        let path = v.as_str().filter(|p| p.starts_with('/'))?;
        Some(format!("/{}", join("", path)?))
    };
    let directories: Vec<String> =
        entries.iter().take(ENTRIES).filter_map(|e| absolute(&e["directory"])).collect();
    if !folder.is_empty() {
        let tail = format!("/{folder}");
        let at = directories.iter().find_map(|d| {
            let inside = d.find(&format!("{tail}/"));
            d.strip_suffix(&tail).or_else(|| inside.map(|at| &d[..at])).map(str::to_owned)
        });
        if at.is_some() {
            return at;
        }
    }
    // A database of the root: what all of its files and folders share.
    let files = entries.iter().take(ENTRIES).filter_map(|e| absolute(&e["file"]));
    let all = directories.iter().cloned().chain(files.map(|f| parent(&f).to_owned()));
    let shared = all.reduce(|a, b| {
        let same = a.split('/').zip(b.split('/')).take_while(|(x, y)| x == y).map(|(x, _)| x);
        same.collect::<Vec<_>>().join("/")
    })?;
    (folder.is_empty() && !shared.is_empty()).then_some(shared)
}

/// Whether a path is below a folder.
fn is_inside(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

impl Project {
    pub(super) fn include(&self, file: FileId, name: &str) -> Option<Module> {
        let own = self.path(file);
        let at = |folder: &str| join(folder, name).and_then(|p| self.file(&p)).map(Module::File);
        if let Some(found) = at(parent(own)) {
            return Some(found);
        }
        let found = match self.compilation.way(own) {
            Some(way) => way.folders.iter().find_map(|f| at(f)),
            None => None,
        };
        if let Some(found) = found.or_else(|| self.compilation.folders.iter().find_map(|f| at(f))) {
            return Some(found);
        }
        // The one whose path ends so and that shares most with the file's own.
        let shared =
            |f: &FileId| self.path(*f).bytes().zip(own.bytes()).take_while(|(a, b)| a == b).count();
        self.ending(name.trim_start_matches("../")).max_by_key(shared).map(Module::File)
    }

    /// The folders in which a file's includes are looked for, as far as project files say.
    pub(crate) fn include_folders(&self, file: FileId) -> &[Box<str>] {
        let way = self.compilation.way(self.path(file));
        way.map_or(&self.compilation.folders, |way| &way.folders)
    }

    /// Files that a file includes without saying so.
    pub(crate) fn forced_includes(&self, file: FileId) -> impl Iterator<Item = FileId> + '_ {
        let way = self.compilation.way(self.path(file));
        let forced = way.into_iter().flat_map(move |w| w.forced.iter().map(move |f| (w, f)));
        forced.filter_map(|(way, [here, name])| {
            let below = |folder: &str| self.file(&join(folder, name)?);
            self.file(here).or_else(|| way.folders.iter().find_map(|f| below(f)))
        })
    }
}
