//! Python: the packages of a virtual environment, and the standard library it was made from.

use std::path::{Path, PathBuf};

use super::{
    Environment, Holds, Libraries, PythonEnvironment, is_file, names_below, outside, text_below,
    version,
};
use crate::Root;

/// What virtual environments in a project are called.
const ENVIRONMENTS: &[&str] = &[".venv", "venv", "env"];
/// Where interpreters are put, besides the folders that programs are looked for in.
const SYSTEM: &[&str] = &["/usr", "/opt"];
/// The same, below the user's home.
const HOMES: &[&str] = &[
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

pub(super) fn look(roots: &[&Root], environment: &Environment, found: &mut Libraries) {
    let mut own = Vec::new();
    for root in roots {
        for name in ENVIRONMENTS {
            own.extend(Virtual::of(root, Path::new(name)).map(|v| (v, (*name).to_owned())));
        }
    }
    if let Some(active) = environment.folder("VIRTUAL_ENV").and_then(|path| outside(&path)) {
        let label = active.path().to_string_lossy().into_owned();
        own.extend(Virtual::of(&active, Path::new("")).map(|v| (v, label)));
    }
    let interpreters = environment.folders("PATH").collect::<Vec<_>>();
    let trusted = |home: &PathBuf| {
        let user = environment.home().unwrap_or_default();
        let below = |folder: &PathBuf| home.starts_with(folder);
        let plain = !home.components().any(|c| matches!(c, std::path::Component::ParentDir));
        plain
            && (interpreters.contains(home)
                || SYSTEM.iter().map(PathBuf::from).any(|f| below(&f))
                || HOMES.iter().map(|f| user.join(f)).any(|f| below(&f)))
    };
    let named = own.iter().filter_map(|(v, _)| v.home.clone()).filter(trusted);
    let wanted = own.first().map(|(v, _)| v.version.clone());
    let homes: Vec<_> = named.chain(interpreters.iter().cloned()).collect();
    let standard = standard(&homes, wanted.as_deref());
    if let Some((root, _)) = standard.as_ref().and_then(|(path, v)| Some((outside(path)?, v))) {
        let path = found.take(root, Holds::All);
        found.lead("python", "", path);
    }
    let is_alone = own.is_empty();
    for (packages, label) in own.into_iter().map(|(v, label)| (v.packages, label)) {
        let is_own = ENVIRONMENTS.contains(&label.as_str());
        let path = found.take(packages, Holds::All);
        if let Some(packages) = found.root_of(&path) {
            found.environments.push(PythonEnvironment { label, is_own, packages });
        }
        found.lead("python", "", path);
    }
    // Without an environment of its own, a project is run in that of the system.
    if let Some((library, version)) = standard.filter(|_| is_alone) {
        let beside = ["site-packages", "dist-packages"].map(|name| library.join(name));
        let debian = [
            PathBuf::from("/usr/local/lib").join(version).join("dist-packages"),
            PathBuf::from("/usr/lib/python3/dist-packages"),
        ];
        let debian = debian.into_iter().filter(|_| library.starts_with("/usr/lib"));
        for folder in beside.into_iter().chain(debian).filter_map(|path| outside(&path)) {
            let path = found.take(folder, Holds::All);
            found.lead("python", "", path);
        }
    }
}

/// A virtual environment.
struct Virtual {
    packages: Root,
    /// `python3.12`
    version: String,
    /// Where it says that its interpreter is.
    home: Option<PathBuf>,
}

impl Virtual {
    /// The environment `below` a root, if there is one; no link on the way is followed.
    fn of(root: &Root, below: &Path) -> Option<Self> {
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

/// The standard library of an interpreter in one of these folders, and its version: of the version
/// that is wanted, else the first one's newest.
fn standard(homes: &[PathBuf], wanted: Option<&str>) -> Option<(PathBuf, String)> {
    let mut first = None;
    for prefix in homes.iter().filter_map(|home| home.parent()) {
        let Some(root) = outside(prefix) else { continue };
        let mut versions = names_below(&root, "lib");
        versions.retain(|name| is_version(name));
        versions.sort_by_key(|name| version(name));
        for version in versions.into_iter().rev() {
            let library = Path::new("lib").join(&version);
            if !is_file(&root, library.join("os.py")) {
                continue;
            }
            let found = (root.path().join(&library), version);
            if wanted.is_none_or(|wanted| wanted == found.1) {
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
