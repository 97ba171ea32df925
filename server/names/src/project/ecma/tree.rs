//! The index's paths and the texts of project files as a file system for `oxc_resolver`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use oxc_resolver::{FileMetadata, FileSystem, ResolveError};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

use super::targets::Output;
use super::{is_configuration, join_normalized, last, parent};

/// Size limit of a project file.
const MAX_SIZE: usize = 1 << 20;

/// Limit of an `extends` chain.
const MAX_EXTENDS: u32 = 12;

/// Limit of the links followed for one path.
const MAX_LINKS: u32 = 8;

/// Converts a path of the index to a place in the tree: `/0/` is the first root, `/n/` the n-th.
pub(super) fn to_place(name: &str) -> String {
    match name.strip_prefix("//") {
        Some(rest) => format!("/{rest}"),
        None => format!("/0/{name}"),
    }
}

/// Converts a place in the tree to a path of the index.
pub(super) fn to_index_path(place: &Path) -> Option<String> {
    let place = place.to_str()?.strip_prefix('/')?;
    let (root, rest) = place.split_once('/')?;
    Some(if root == "0" { rest.to_owned() } else { format!("//{place}") })
}

/// The tree, shared between the index, which changes it, and the resolver, which reads it.
#[derive(Default, Clone)]
pub(super) struct SharedTree(Arc<RwLock<Tree>>);

#[derive(Default)]
struct Tree {
    /// Source files, by place.
    files: FxHashSet<Box<str>>,
    /// Folders with the number of their entries.
    folders: FxHashMap<Box<str>, u32>,
    /// Texts of project files.
    texts: FxHashMap<Box<str>, Box<str>>,
    /// Workspace packages as their neighbours import them: `…/node_modules/name` and the folder.
    links: FxHashMap<Box<str>, Box<str>>,
    /// Places added or removed since the resolver was made.
    changed: FxHashSet<Box<str>>,
    configured: bool,
}

impl SharedTree {
    fn read_tree(&self) -> RwLockReadGuard<'_, Tree> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_tree(&self) -> RwLockWriteGuard<'_, Tree> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn insert(&self, name: &str) {
        let place: Box<str> = to_place(name).into();
        let tree = &mut *self.write_tree();
        if tree.files.insert(place.clone()) {
            tree.add_to_folders(&place);
            tree.toggle_changed(place);
        }
    }

    pub(super) fn remove(&self, name: &str) {
        let place: Box<str> = to_place(name).into();
        let tree = &mut *self.write_tree();
        if tree.files.remove(&place) {
            tree.remove_from_folders(&place);
            tree.toggle_changed(place);
        }
    }

    /// Stores the text of a project file; an empty or oversized text removes it.
    pub(super) fn configure(&self, name: &str, text: &str) {
        let place: Box<str> = to_place(name).into();
        let text = text.trim_start_matches('\u{feff}');
        let tree = &mut *self.write_tree();
        let gone = text.trim().is_empty() || text.len() > MAX_SIZE;
        if tree.texts.get(&place).map_or("", |t| t) == if gone { "" } else { text } {
            return;
        }
        tree.configured = true;
        if gone {
            if tree.texts.remove(&place).is_some() {
                tree.remove_from_folders(&place);
            }
        } else if tree.texts.insert(place.clone(), text.into()).is_none() {
            tree.add_to_folders(&place);
        }
        if last(&place) == "package.json" {
            tree.link_packages();
        }
    }

    /// Whether paths or texts have changed since the last call.
    pub(super) fn take_changed(&self) -> bool {
        let unchanged = |tree: &Tree| tree.changed.is_empty() && !tree.configured;
        if unchanged(&self.read_tree()) {
            return false;
        }
        let tree = &mut *self.write_tree();
        let changed = !unchanged(tree);
        tree.changed.clear();
        tree.configured = false;
        changed
    }

    pub(super) fn is_file(&self, place: &Path) -> bool {
        self.metadata(place).is_ok_and(FileMetadata::is_file)
    }

    /// Whether a source file is at a place.
    pub(super) fn is_source_at(&self, place: &str) -> bool {
        self.read_tree().files.contains(place)
    }

    /// Whether any configuration adds conditions.
    pub(super) fn has_conditions(&self) -> bool {
        self.read_tree().texts.values().any(|text| text.contains("customConditions"))
    }

    /// The conditions that a configuration adds, directly or through `extends`.
    pub(super) fn conditions(&self, config: &Path) -> Vec<String> {
        let Some(place) = config.to_str() else { return Vec::new() };
        let tree = self.read_tree();
        let options = tree.options(place, MAX_EXTENDS);
        let all = options.get("customConditions").and_then(Value::as_array);
        let text = |one: &Value| one.as_str().map(str::to_owned);
        all.map_or_else(Vec::new, |all| all.iter().filter_map(text).collect())
    }

    /// The source and output folders of the configurations in a folder.
    pub(super) fn outputs(&self, folder: &str) -> Vec<Output> {
        let tree = self.read_tree();
        let is_own = |place: &&str| {
            let name = last(place);
            parent(place) == folder && name != "package.json" && is_configuration(name)
        };
        let mut configs: Vec<&str> = tree.texts.keys().map(|p| &**p).filter(is_own).collect();
        configs.sort_unstable();
        let mut all = Vec::new();
        for config in configs {
            let options = tree.options(config, MAX_EXTENDS);
            let named = |field: &str| options.get(field).and_then(Value::as_str);
            let plain = |path: &str| path.trim_start_matches('/').to_owned();
            let built = ["declarationDir", "outDir"].into_iter().filter_map(named);
            for built in built.map(plain) {
                let sources = match named("rootDir") {
                    Some(sources) => vec![plain(sources)],
                    None => vec![plain(&format!("{folder}/src")), plain(folder)],
                };
                for sources in sources {
                    all.push(Output { sources, built: built.clone() });
                }
            }
        }
        all
    }

    /// The `package.json` of a folder.
    pub(super) fn package_json(&self, folder: &str) -> Option<Value> {
        serde_json::from_str(self.read_tree().texts.get(&*format!("{folder}/package.json"))?).ok()
    }

    /// The folder of the package that a file is in, if it has this name.
    pub(super) fn own_package(&self, package: &str, file: &str) -> Option<String> {
        let (folder, name) = self.package_around(file)?;
        (name == package).then_some(folder)
    }

    /// The nearest folder around a file with a `package.json`.
    pub(super) fn folder_around(&self, file: &str) -> Option<String> {
        let tree = self.read_tree();
        let has = |folder: &&str| {
            let at = super::join_normalized(folder, "package.json");
            at.is_some_and(|at| tree.texts.contains_key(&*to_place(&at)))
        };
        super::super::ancestors(file).find(has).map(str::to_owned)
    }

    /// The package that a path is in: its folder and name.
    pub(super) fn package_around(&self, path: &str) -> Option<(String, String)> {
        let tree = self.read_tree();
        let folders = super::super::ancestors(path);
        let mut known = folders.filter_map(|folder| {
            let json =
                tree.texts.get(&*to_place(&super::join_normalized(folder, "package.json")?))?;
            let json: Value = serde_json::from_str(json).ok()?;
            Some((folder.to_owned(), json.get("name")?.as_str()?.to_owned()))
        });
        known.next()
    }

    /// Whether a project file maps a package's modules, or is that package's own.
    pub(super) fn mentions(&self, package: &str) -> bool {
        let scope = package.split_once('/').map_or(package, |(scope, _)| scope);
        let path = [format!("\"{package}\""), format!("\"{package}/"), format!("\"{scope}/*\"")];
        let tree = self.read_tree();
        tree.texts.iter().any(|(place, text)| {
            if last(place) != "package.json" {
                return path.iter().any(|path| text.contains(path.as_str()));
            }
            let json: Option<Value> =
                text.contains(path[0].as_str()).then(|| serde_json::from_str(text).ok()).flatten();
            json.and_then(|json| Some(json.get("name")?.as_str()? == package)).unwrap_or(false)
        })
    }

    /// Whether a `package.json` that applies to a path mentions a package.
    pub(super) fn depends(&self, path: &str, package: &str) -> bool {
        let quoted = format!("\"{package}\"");
        let tree = self.read_tree();
        super::super::ancestors(path).any(|folder| {
            let json = super::join_normalized(folder, "package.json").map(|at| to_place(&at));
            json.and_then(|at| tree.texts.get(&*at)).is_some_and(|text| text.contains(&quoted))
        })
    }

    /// The folder of the workspace package that a file imports by a name.
    pub(super) fn package(&self, package: &str, file: &str) -> Option<String> {
        let place = to_place(file);
        let tree = self.read_tree();
        let mut folder = parent(&place);
        while !folder.is_empty() {
            if let Some(found) = tree.links.get(&*format!("{folder}/node_modules/{package}")) {
                return to_index_path(Path::new(&**found));
            }
            folder = parent(folder);
        }
        None
    }
}

impl Tree {
    fn add_to_folders(&mut self, place: &str) {
        let mut folder = parent(place);
        while !folder.is_empty() {
            let kept = self.folders.entry(folder.into()).or_default();
            *kept += 1;
            if *kept > 1 {
                return;
            }
            folder = parent(folder);
        }
    }

    fn remove_from_folders(&mut self, place: &str) {
        let mut folder = parent(place);
        while !folder.is_empty() {
            let Some(kept) = self.folders.get_mut(folder) else { return };
            *kept -= 1;
            if *kept > 0 {
                return;
            }
            self.folders.remove(folder);
            folder = parent(folder);
        }
    }

    /// A place that was added and removed again has not changed.
    fn toggle_changed(&mut self, place: Box<str>) {
        if !self.changed.remove(&place) {
            self.changed.insert(place);
        }
    }

    /// Links workspace packages into `node_modules`, as an installation would.
    fn link_packages(&mut self) {
        let packages: Vec<(&str, Value)> = self
            .texts
            .iter()
            .filter(|(place, _)| last(place) == "package.json")
            .filter_map(|(place, text)| Some((parent(place), serde_json::from_str(text).ok()?)))
            .collect();
        let gathers = |json: &Value| {
            json.get("workspaces").is_some()
                || json.get("private").and_then(Value::as_bool) == Some(true)
        };
        let workspaces: FxHashSet<&str> =
            packages.iter().filter(|(_, json)| gathers(json)).map(|(at, _)| *at).collect();
        let mut links = FxHashMap::default();
        for (folder, json) in &packages {
            let Some(name) = json.get("name").and_then(Value::as_str) else { continue };
            let mut above = parent(folder);
            while !above.is_empty() {
                if workspaces.contains(above) {
                    links.insert(format!("{above}/node_modules/{name}").into(), (*folder).into());
                }
                above = parent(above);
            }
        }
        self.links = links;
    }

    /// The place that links lead to.
    fn link_target(&self, place: &str) -> Option<String> {
        let mut place = place.to_owned();
        for _ in 0..MAX_LINKS {
            let (at, _) = place.rmatch_indices("/node_modules/").next()?;
            let from = at + "/node_modules/".len();
            let scoped = place[from..].starts_with('@');
            let slash = place[from..].match_indices('/').nth(usize::from(scoped));
            let end = slash.map_or(place.len(), |(n, _)| from + n);
            let target = self.links.get(&place[..end])?;
            place = format!("{target}{}", &place[end..]);
            if self.files.contains(&*place) || self.folders.contains_key(&*place) {
                return Some(place);
            }
            if self.text(&place).is_some() {
                return Some(place);
            }
        }
        None
    }

    /// The text of a project file; a `jsconfig.json` substitutes for a missing `tsconfig.json`.
    fn text(&self, place: &str) -> Option<&str> {
        if let Some(text) = self.texts.get(place) {
            return Some(text);
        }
        let folder = place.strip_suffix("/tsconfig.json")?;
        self.texts.get(&*format!("{folder}/jsconfig.json")).map(|t| &**t)
    }

    /// A configuration, parsed without its comments.
    fn parse_configuration(&self, place: &str) -> Option<Value> {
        let text = self.text(place)?;
        let mut plain = text.to_owned();
        let stripped = json_strip_comments::strip(&mut plain).is_ok();
        serde_json::from_str(if stripped { &plain } else { text }).ok()
    }

    /// The configuration that an `extends` refers to.
    fn base_configuration(&self, config: &str, path: &str) -> Option<String> {
        let here = |at: &str| {
            let endings = ["", ".json", "/tsconfig.json"];
            let all = endings.into_iter().map(|ending| format!("{at}{ending}"));
            all.into_iter().find(|at| self.text(at).is_some())
        };
        if path.starts_with('.') {
            return here(&format!("/{}", join_normalized(parent(config), path)?));
        }
        // A workspace package.
        let scoped = usize::from(path.starts_with('@'));
        let end = path.match_indices('/').nth(scoped).map_or(path.len(), |(at, _)| at);
        let mut folder = parent(config);
        while !folder.is_empty() {
            if let Some(found) = self.links.get(&*format!("{folder}/node_modules/{}", &path[..end]))
            {
                return here(&format!("{found}{}", &path[end..]));
            }
            folder = parent(folder);
        }
        None
    }

    /// The compiler options of a configuration and its bases that affect module paths; folders are
    /// converted to places.
    fn options(&self, config: &str, depth: u32) -> serde_json::Map<String, Value> {
        let mut all = serde_json::Map::new();
        let Some(json) = self.parse_configuration(config).filter(|_| depth > 0) else { return all };
        let bases = match json.get("extends") {
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(one)) => vec![one.as_str()],
            _ => Vec::new(),
        };
        for base in bases {
            if let Some(base) = self.base_configuration(config, base) {
                all.extend(self.options(&base, depth - 1));
            }
        }
        let own = json.get("compilerOptions").and_then(Value::as_object);
        for (name, value) in own.into_iter().flatten() {
            match &**name {
                "customConditions" => drop(all.insert(name.clone(), value.clone())),
                "outDir" | "declarationDir" | "rootDir" => {
                    let path = value.as_str().unwrap_or("").replace("${configDir}", ".");
                    if let Some(path) = join_normalized(parent(config), &path) {
                        all.insert(name.clone(), format!("/{path}").into());
                    }
                }
                _ => {}
            }
        }
        all
    }

    fn is_folder(&self, place: &str) -> bool {
        let modules = |place: &str| {
            place.ends_with("/node_modules")
                && self.links.keys().any(|l| l.strip_prefix(place).is_some())
        };
        self.folders.contains_key(place)
            || modules(place)
            || last(place).starts_with('@') && modules(parent(place))
    }

    fn metadata(&self, place: &str) -> Option<FileMetadata> {
        if self.files.contains(place) || self.text(place).is_some() {
            Some(FileMetadata::new(true, false, false))
        } else if self.is_folder(place) {
            Some(FileMetadata::new(false, true, false))
        } else {
            let target = self.link_target(place)?;
            let file = !self.folders.contains_key(&*target);
            Some(FileMetadata::new(file, !file, false))
        }
    }

    /// The text of a project file, repaired: a syntax error, or a missing base configuration, must
    /// not make the rest unusable.
    fn repaired_text(&self, place: &str, text: &str) -> String {
        let mut plain = text.to_owned();
        let stripped = json_strip_comments::strip(&mut plain).is_ok();
        let json = serde_json::from_str::<Value>(if stripped { &plain } else { text });
        let Ok(Value::Object(mut fields)) = json else { return "{}".to_owned() };
        if last(place) == "package.json" {
            return text.to_owned();
        }
        let folder = parent(place);
        let here = |path: &str| {
            let at = join_normalized(folder, path).map(|at| format!("/{at}"));
            at.is_some_and(|at| {
                ["", ".json", "/tsconfig.json"]
                    .iter()
                    .any(|ending| self.text(&format!("{at}{ending}")).is_some())
            })
        };
        let known = |one: &Value| self.base_configuration(place, one.as_str()?).map(Value::from);
        let bases = match fields.remove("extends") {
            Some(Value::Array(all)) => all.iter().filter_map(known).collect(),
            Some(one) => known(&one).into_iter().collect::<Vec<_>>(),
            None => Vec::new(),
        };
        if !bases.is_empty() {
            fields.insert("extends".to_owned(), bases.into());
        }
        if let Some(Value::Array(all)) = fields.get_mut("references") {
            all.retain(|r| r.get("path").and_then(Value::as_str).is_some_and(here));
        }
        Value::Object(fields).to_string()
    }
}

fn missing() -> io::Error {
    io::ErrorKind::NotFound.into()
}

impl FileSystem for SharedTree {
    fn new() -> Self {
        Self::default()
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.read_to_string(path).map(String::into_bytes)
    }

    fn read_to_string(&self, path: &Path) -> io::Result<String> {
        let place = path.to_str().ok_or_else(missing)?;
        let tree = self.read_tree();
        let target = tree.link_target(place);
        let place = target.as_deref().unwrap_or(place);
        let text = tree.text(place).ok_or_else(missing)?;
        Ok(if is_configuration(last(place)) {
            tree.repaired_text(place, text)
        } else {
            text.to_owned()
        })
    }

    fn metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        path.to_str().and_then(|place| self.read_tree().metadata(place)).ok_or_else(missing)
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        let place = path.to_str().ok_or_else(missing)?;
        let tree = self.read_tree();
        if tree.links.contains_key(place) {
            return Ok(FileMetadata::new(false, false, true));
        }
        tree.metadata(place).ok_or_else(missing)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, ResolveError> {
        let tree = self.read_tree();
        let target = path.to_str().and_then(|place| tree.links.get(place));
        target.map(|t| PathBuf::from(&**t)).ok_or_else(|| missing().into())
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        let place = path.to_str().ok_or_else(missing)?;
        let target = self.read_tree().link_target(place);
        Ok(target.map_or_else(|| path.to_path_buf(), PathBuf::from))
    }
}
