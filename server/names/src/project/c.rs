//! Includes of C and C++: from the compilation database or `compile_flags.txt`, else by path.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::{Module, Project, join_normalized, parent};
use crate::index::FileId;

/// Limits of the entries of a database, and of the folders of one entry.
const MAX_ENTRIES: usize = 200_000;
const MAX_FOLDERS: usize = 1_000;

/// The compilation databases of a workspace.
#[derive(Debug, Default)]
pub(super) struct CompilationDatabases {
    /// The absolute path of the workspace, if known.
    pub(super) root: Option<Box<str>>,
    /// By the path of the database.
    databases: BTreeMap<Box<str>, Database>,
    /// The include folders of all commands, for files without a command of their own: headers are
    /// compiled as part of others.
    folders: Vec<Box<str>>,
}

/// A `compile_commands.json` or `compile_flags.txt`.
#[derive(Debug, Default)]
struct Database {
    /// The command of each file, as an index.
    files: FxHashMap<Box<str>, usize>,
    /// The distinct commands.
    commands: Vec<CompileCommand>,
}

/// The parts of a compile command that affect includes.
#[derive(Debug, Default, PartialEq, Eq, Clone, Hash)]
struct CompileCommand {
    /// Include folders, in order of search.
    folders: Vec<Box<str>>,
    /// Files included before anything else (`-include`): resolved from the working directory, and
    /// as written.
    forced: Vec<[Box<str>; 2]>,
}

impl CompilationDatabases {
    /// Replaces a database.
    pub(super) fn read(&mut self, path: &str, text: &str) {
        let folder = parent(path);
        let database = if path.ends_with(".txt") {
            let words = text.lines().map(str::trim).filter(|l| !l.is_empty());
            let here = WorkingDirectory { root: None, folder: folder.to_owned() };
            Database { files: FxHashMap::default(), commands: vec![here.command(words)] }
        } else {
            commands(folder, text, self.root.as_deref()).unwrap_or_default()
        };
        self.databases.insert(path.into(), database);
        let commands = self.databases.values().flat_map(|d| &d.commands);
        let mut seen = FxHashSet::default();
        let all = commands.flat_map(|w| &w.folders).filter(|f| seen.insert(&***f));
        self.folders = all.take(MAX_FOLDERS).cloned().collect();
    }

    /// The command that a file is compiled with.
    fn command(&self, path: &str) -> Option<&CompileCommand> {
        let own = self.databases.values().find_map(|d| d.commands.get(*d.files.get(path)?));
        own.or_else(|| {
            // Flags without files apply to all files below.
            let flags = self.databases.iter().filter(|(_, d)| d.files.is_empty());
            let around = flags.filter(|(at, _)| is_inside(path, parent(at)));
            around.max_by_key(|(at, _)| parent(at).len())?.1.commands.first()
        })
    }
}

/// The working directory of a command relative to the workspace, and the absolute path of the
/// workspace as far as it is known.
struct WorkingDirectory {
    root: Option<String>,
    folder: String,
}

impl WorkingDirectory {
    /// Converts a path in a command to one in the workspace; `None` if it is outside.
    fn inside(&self, path: &str) -> Option<String> {
        if path.starts_with('/') {
            let root = self.root.as_deref()?;
            let path = format!("/{}", join_normalized("", path)?);
            let rest = path.strip_prefix(root)?;
            return (rest.is_empty() || rest.starts_with('/') || root.is_empty())
                .then(|| rest.trim_start_matches('/').to_owned());
        }
        join_normalized(&self.folder, path)
    }

    /// Parses the arguments of a command.
    fn command<'w>(&self, words: impl Iterator<Item = &'w str>) -> CompileCommand {
        let (mut quoted, mut plain, mut system) = (Vec::new(), Vec::new(), Vec::new());
        let mut command = CompileCommand::default();
        let mut words = words;
        while let Some(word) = words.next() {
            let flags = ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-I"];
            let Some(flag) = flags.into_iter().find(|f| word.starts_with(f)) else { continue };
            let value = match word[flag.len()..].trim_start_matches('=') {
                "" => words.next().unwrap_or(""),
                value => value,
            };
            // Some databases have flag and value in one argument.
            let value = value.trim();
            if value.is_empty() {
                continue;
            }
            if matches!(flag, "-include" | "-imacros") {
                if command.forced.len() < MAX_FOLDERS {
                    let here = self.inside(value).unwrap_or_default();
                    command.forced.push([here.into(), value.into()]);
                }
                continue;
            }
            let Some(folder) = self.inside(value) else { continue };
            let list = match flag {
                "-iquote" => &mut quoted,
                "-I" => &mut plain,
                _ => &mut system,
            };
            if list.len() < MAX_FOLDERS {
                list.push(folder.into_boxed_str());
            }
        }
        for folder in quoted.into_iter().chain(plain).chain(system) {
            if !command.folders.contains(&folder) {
                command.folders.push(folder);
            }
        }
        command
    }
}

/// Parses `compile_commands.json`; `None` if it is invalid.
fn commands(folder: &str, text: &str, root: Option<&str>) -> Option<Database> {
    let value: Value = serde_json::from_str(text).ok()?;
    let entries = value.as_array()?;
    let root = root.map(str::to_owned).or_else(|| root_of(folder, entries));
    let mut database = Database::default();
    let mut numbers: FxHashMap<CompileCommand, usize> = FxHashMap::default();
    for entry in entries.iter().take(MAX_ENTRIES) {
        let Some(file) = entry["file"].as_str() else { continue };
        let directory = entry["directory"].as_str().unwrap_or("");
        let outside = WorkingDirectory { root: root.clone(), folder: folder.to_owned() };
        let here = match directory {
            "" => folder.to_owned(),
            directory => match outside.inside(directory) {
                Some(here) => here,
                None => continue,
            },
        };
        let place = WorkingDirectory { root: root.clone(), folder: here };
        let command = match (entry["arguments"].as_array(), entry["command"].as_str()) {
            (Some(words), _) => place.command(words.iter().filter_map(Value::as_str)),
            (None, Some(command)) => {
                let words = shlex::split(command).unwrap_or_default();
                place.command(words.iter().map(String::as_str))
            }
            _ => continue,
        };
        let Some(file) = place.inside(file) else { continue };
        let next = database.commands.len();
        let number = *numbers.entry(command.clone()).or_insert(next);
        if number == next {
            database.commands.push(command);
        }
        database.files.entry(file.into()).or_insert(number);
    }
    Some(database)
}

/// Infers the absolute path of the workspace: from a database that is in its commands' working
/// directory, else from the folder that all entries share.
fn root_of(folder: &str, entries: &[Value]) -> Option<String> {
    let absolute = |v: &Value| {
        let path = v.as_str().filter(|p| p.starts_with('/'))?;
        Some(format!("/{}", join_normalized("", path)?))
    };
    let directories: Vec<String> =
        entries.iter().take(MAX_ENTRIES).filter_map(|e| absolute(&e["directory"])).collect();
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
    // A database in the root: the folder that its entries share.
    let files = entries.iter().take(MAX_ENTRIES).filter_map(|e| absolute(&e["file"]));
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
        let at = |folder: &str| {
            join_normalized(folder, name).and_then(|p| self.file(&p)).map(Module::File)
        };
        if let Some(found) = at(parent(own)) {
            return Some(found);
        }
        let found = match self.compilation.command(own) {
            Some(command) => command.folders.iter().find_map(|f| at(f)),
            None => None,
        };
        if let Some(found) = found.or_else(|| self.compilation.folders.iter().find_map(|f| at(f))) {
            return Some(found);
        }
        // The file with this path suffix that shares the longest prefix with the including file.
        let shared =
            |f: &FileId| self.path(*f).bytes().zip(own.bytes()).take_while(|(a, b)| a == b).count();
        self.ending(name.trim_start_matches("../")).max_by_key(shared).map(Module::File)
    }

    /// The include folders of a file, as far as project files state them.
    pub(crate) fn include_folders(&self, file: FileId) -> &[Box<str>] {
        let command = self.compilation.command(self.path(file));
        command.map_or(&self.compilation.folders, |command| &command.folders)
    }

    /// Files that a file includes implicitly.
    pub(crate) fn forced_includes(&self, file: FileId) -> impl Iterator<Item = FileId> + '_ {
        let command = self.compilation.command(self.path(file));
        let forced = command.into_iter().flat_map(move |w| w.forced.iter().map(move |f| (w, f)));
        forced.filter_map(|(command, [here, name])| {
            let below = |folder: &str| self.file(&join_normalized(folder, name)?);
            self.file(here).or_else(|| command.folders.iter().find_map(|f| below(f)))
        })
    }
}
