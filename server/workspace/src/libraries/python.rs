//! Python: the packages of virtual environments, and the standard library of their interpreter.

use std::path::{Path, PathBuf};

use super::{
    Environment, Libraries, LibraryScope, PythonEnvironment, is_file, names_below, open_outside,
    text_below, version,
};
use crate::Root;

/// Folder names of virtual environments in a project.
const ENVIRONMENT_NAMES: &[&str] = &[".venv", "venv", "env"];
/// System folders of interpreters, besides those in `PATH`.
const SYSTEM_FOLDERS: &[&str] = &["/usr", "/opt"];
/// Folders of interpreters below the user's home.
const HOME_FOLDERS: &[&str] = &[
    ".asdf/installs/python",
    ".conda",
    ".local/share/mise/installs/python",
    ".local/share/uv/python",
    ".pyenv/versions",
    ".rye/py",
    "anaconda3",
    "mambaforge",
    "miniconda3",
    "miniforge3",
];

/// Adds the standard library and the packages of virtual environments.
pub(super) fn find(roots: &[&Root], environment: &Environment, found: &mut Libraries) {
    let mut own = Vec::new();
    for root in roots {
        for name in ENVIRONMENT_NAMES {
            own.extend(
                VirtualEnvironment::find(root, Path::new(name)).map(|v| (v, (*name).to_owned())),
            );
        }
    }
    if let Some(active) = environment.folder("VIRTUAL_ENV").and_then(|path| open_outside(&path)) {
        let label = active.path().to_string_lossy().into_owned();
        own.extend(VirtualEnvironment::find(&active, Path::new("")).map(|v| (v, label)));
    }
    let interpreters = environment.folders("PATH").collect::<Vec<_>>();
    let is_trusted = |home: &PathBuf| {
        let user = environment.home().unwrap_or_default();
        let below = |folder: &PathBuf| home.starts_with(folder);
        let plain = !home.components().any(|c| matches!(c, std::path::Component::ParentDir));
        plain
            && (interpreters.contains(home)
                || SYSTEM_FOLDERS.iter().map(PathBuf::from).any(|f| below(&f))
                || HOME_FOLDERS.iter().map(|f| user.join(f)).any(|f| below(&f)))
    };
    let named = own.iter().filter_map(|(v, _)| v.home.clone()).filter(is_trusted);
    let requested = own.first().map(|(v, _)| v.version.clone());
    let homes: Vec<_> = named.chain(interpreters.iter().cloned()).collect();
    let standard = find_standard_library(&homes, requested.as_deref());
    if let Some((root, _)) = standard.as_ref().and_then(|(path, v)| Some((open_outside(path)?, v)))
    {
        let path = found.add_folder(root, LibraryScope::All);
        found.resolve_imports_to("python", "", path);
    }
    let is_alone = own.is_empty();
    for (packages, label) in own.into_iter().map(|(v, label)| (v.packages, label)) {
        let is_own = ENVIRONMENT_NAMES.contains(&label.as_str());
        let path = found.add_folder(packages, LibraryScope::All);
        if let Some(packages) = found.root_of(&path) {
            found.environments.push(PythonEnvironment { label, is_own, packages });
        }
        found.resolve_imports_to("python", "", path);
    }
    // A project without a virtual environment runs in that of the system.
    if let Some((library, version)) = standard.filter(|_| is_alone) {
        let beside = ["site-packages", "dist-packages"].map(|name| library.join(name));
        let debian = [
            PathBuf::from("/usr/local/lib").join(version).join("dist-packages"),
            PathBuf::from("/usr/lib/python3/dist-packages"),
        ];
        let debian = debian.into_iter().filter(|_| library.starts_with("/usr/lib"));
        for folder in beside.into_iter().chain(debian).filter_map(|path| open_outside(&path)) {
            let path = found.add_folder(folder, LibraryScope::All);
            found.resolve_imports_to("python", "", path);
        }
    }
}

/// A virtual environment on disk.
struct VirtualEnvironment {
    packages: Root,
    /// `python3.12`
    version: String,
    /// The folder of its interpreter according to `pyvenv.cfg`. It is not trusted.
    home: Option<PathBuf>,
}

impl VirtualEnvironment {
    /// The environment `below` a root, if there is one; links are not followed.
    fn find(root: &Root, below: &Path) -> Option<Self> {
        let configuration = text_below(root, below.join("pyvenv.cfg"))?;
        let home = configuration.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == "home").then(|| PathBuf::from(value.trim()))
        });
        let library = below.join("lib");
        let mut versions = names_below(root, &library);
        versions.retain(|name| is_version(name));
        versions.sort_by_key(|name| version(name));
        versions.into_iter().rev().find_map(|version| {
            let packages = library.join(&version).join("site-packages");
            let packages = root.beneath(&packages).ok()?;
            Some(Self { packages, version, home: home.clone() })
        })
    }
}

/// The standard library of an interpreter in one of these folders, and its version: the first one
/// with the requested version, else the newest of the first interpreter.
fn find_standard_library(homes: &[PathBuf], requested: Option<&str>) -> Option<(PathBuf, String)> {
    let mut first = None;
    for prefix in homes.iter().filter_map(|home| home.parent()) {
        let Some(root) = open_outside(prefix) else { continue };
        let mut versions = names_below(&root, "lib");
        versions.retain(|name| is_version(name));
        versions.sort_by_key(|name| version(name));
        for version in versions.into_iter().rev() {
            let library = Path::new("lib").join(&version);
            if !is_file(&root, library.join("os.py")) {
                continue;
            }
            let found = (root.path().join(&library), version);
            if requested.is_none_or(|requested| requested == found.1) {
                return Some(found);
            }
            first = first.or(Some(found));
        }
    }
    first
}

/// `python3.12`
fn is_version(name: &str) -> bool {
    let rest = name.strip_prefix("python3.");
    rest.is_some_and(|minor| {
        !minor.is_empty() && minor.len() < 4 && minor.bytes().all(|b| b.is_ascii_digit())
    })
}
