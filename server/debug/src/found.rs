//! Finding what an adapter needs on this machine, where its table says to look.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Why a file in an excluded folder will not do.
const EXCLUDED: &str = "is in the workspace, whose programs run in the sandbox only";
/// Most entries of a folder that are looked at for a name with a `*`.
const MOST: usize = 10_000;

/// How something is found: the first of these that is there.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tool {
    /// The environment variable that names it.
    pub variable: Option<String>,
    /// Files, with places such as `{home}`, and with one `*` in a name at most.
    pub files: Vec<String>,
    /// Programs on `PATH`.
    pub programs: Vec<String>,
    /// What a program has beside it, from the folder above its own, where it is new enough. It is
    /// looked for only beside programs that nobody named, and nothing is run for it.
    pub beside: Vec<String>,
    /// What is said of a program that has none of these.
    pub lacking: String,
    /// Whether the adapter does without it.
    pub optional: bool,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// It is there.
    Here(PathBuf),
    /// Something of its name is there, which will not do, and why.
    Unfit(PathBuf, String),
    /// Nothing of its name is there.
    Nothing,
}

impl Found {
    /// Where it is, if it will do.
    #[must_use]
    pub fn path(self) -> Option<PathBuf> {
        match self {
            Self::Here(path) => Some(path),
            Self::Unfit(..) | Self::Nothing => None,
        }
    }
}

/// Where things are looked for.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// The workspace folder. Nothing in it is run without leave, but for what is found there.
    pub root: Option<PathBuf>,
    /// The environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Folders that nothing may come from, by any name, absolute and free of links: what runs outside
    /// of a sandbox must not be a file of the workspace.
    pub excluded: Vec<PathBuf>,
}

impl Search {
    /// In this workspace, with the environment of this process.
    #[must_use]
    pub fn of(root: Option<PathBuf>) -> Self {
        Self { root, environment: std::env::vars_os().collect(), excluded: Vec::new() }
    }

    /// Where something is: the first that will do.
    #[must_use]
    pub fn find(&self, tool: &Tool) -> Found {
        let named = tool.variable.as_deref().and_then(|name| self.variable(name));
        let mut unfit = Found::Nothing;
        if let Some(named) = named.map(PathBuf::from).filter(|path| path.is_file()) {
            if !self.is_excluded(&named) {
                return Found::Here(named);
            }
            unfit = Found::Unfit(named, EXCLUDED.to_owned());
        }
        let files = tool.files.iter().filter_map(|pattern| self.file(pattern));
        let programs = tool.programs.iter().filter_map(|name| self.program(name));
        for path in files.chain(programs) {
            let is_excluded = self.is_excluded(&path);
            if !is_excluded && is_fit(&path, tool) {
                return Found::Here(path);
            }
            if unfit == Found::Nothing {
                let why = if is_excluded { EXCLUDED } else { &tool.lacking };
                unfit = Found::Unfit(path, why.to_owned());
            }
        }
        unfit
    }

    /// Whether a file lies in an excluded folder, or is a link on the way there or back.
    fn is_excluded(&self, path: &Path) -> bool {
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        let places = [Some(path.to_owned()), folder, path.canonicalize().ok()];
        let is_in = |place: &PathBuf| self.excluded.iter().any(|root| place.starts_with(root));
        places.iter().flatten().any(is_in)
    }

    fn variable(&self, name: &str) -> Option<OsString> {
        let mut all = self.environment.iter();
        let value = all.find(|(own, _)| own == name).map(|(_, value)| value.clone());
        value.filter(|value| !value.is_empty())
    }

    fn place(&self, name: &str) -> Option<PathBuf> {
        match name {
            "root" => self.root.clone(),
            "home" => self.variable("HOME").map(PathBuf::from),
            "rustup_home" => self.variable("RUSTUP_HOME").map(PathBuf::from),
            "virtual_env" => self.variable("VIRTUAL_ENV").map(PathBuf::from),
            // Of the first Python on PATH.
            "python_prefix" => Some(self.program("python3")?.parent()?.parent()?.to_owned()),
            _ => None,
        }
    }

    fn file(&self, pattern: &str) -> Option<PathBuf> {
        let (mut at, rest) = match pattern.strip_prefix('{').and_then(|p| p.split_once('}')) {
            Some((name, rest)) => (self.place(name)?, rest.trim_start_matches('/')),
            None => (PathBuf::from("/"), pattern.trim_start_matches('/')),
        };
        for name in rest.split('/') {
            at = match name.split_once('*') {
                None => at.join(name),
                Some((start, end)) => last_like(&at, start, end)?,
            };
        }
        at.is_file().then_some(at)
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        process::find_program(self.variable("PATH")?.as_ref(), name)
    }
}

/// The last entry of a folder, by name, that begins and ends so: the newest version.
fn last_like(folder: &Path, start: &str, end: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.take(MOST).flatten();
    let fits = |name: &str| {
        name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
    };
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| fits(name)).max().map(|name| folder.join(name))
}

fn is_fit(path: &Path, tool: &Tool) -> bool {
    // Programs are often links to where they are installed.
    let folder = |path: &Path| Some(path.parent()?.parent()?.to_owned());
    let real = path.canonicalize().ok().and_then(|path| folder(&path));
    let folders: Vec<_> = real.into_iter().chain(folder(path)).collect();
    let is_there = |file: &String| folders.iter().any(|folder| folder.join(file).exists());
    tool.beside.is_empty() || tool.beside.iter().any(is_there)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_first_that_is_there_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        for version in ["python3.9", "python3.11"] {
            let folder = root.join("lib").join(version);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("x.py"), "").unwrap();
        }
        std::fs::create_dir(root.join("bin")).unwrap();
        for (name, mode) in [("dlv", 0o755), ("plain", 0o644)] {
            let file = root.join("bin").join(name);
            std::fs::write(&file, "").unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let pair = |name: &str, value: PathBuf| (OsString::from(name), value.into_os_string());
        let search = Search {
            root: Some(root.to_owned()),
            environment: vec![
                pair("PATH", root.join("bin")),
                pair("OWN", root.join("bin/plain")),
                pair("GONE", root.join("nowhere")),
            ],
            excluded: Vec::new(),
        };
        let tool = |variable: Option<&str>, files: &[&str], programs: &[&str]| Tool {
            variable: variable.map(str::to_owned),
            files: files.iter().map(|f| (*f).to_owned()).collect(),
            programs: programs.iter().map(|f| (*f).to_owned()).collect(),
            ..Tool::default()
        };
        let find = |tool: &Tool| {
            let found = search.find(tool).path()?;
            Some(found.strip_prefix(root).unwrap().to_string_lossy().into_owned())
        };
        assert_eq!(find(&tool(Some("OWN"), &[], &["dlv"])).unwrap(), "bin/plain");
        let files = ["{home}/x", "{root}/none/*/x", "{root}/lib/python3*/x.py"];
        assert_eq!(find(&tool(Some("GONE"), &files, &[])).unwrap(), "lib/python3.9/x.py");
        assert_eq!(find(&tool(None, &[], &["plain", "dlv"])).unwrap(), "bin/dlv");
        assert_eq!(find(&tool(None, &[], &["plain"])), None);

        let mut old = tool(None, &[], &["dlv"]);
        old.beside = vec!["share/new".to_owned(), "share/newer".to_owned()];
        old.lacking = "it is old".to_owned();
        let unfit = Found::Unfit(root.join("bin/dlv"), "it is old".to_owned());
        assert_eq!(search.find(&old), unfit);
        std::fs::create_dir_all(root.join("share/newer")).unwrap();
        assert_eq!(search.find(&old), Found::Here(root.join("bin/dlv")));
        let inside = Search { excluded: vec![root.canonicalize().unwrap()], ..search.clone() };
        for tool in
            [tool(Some("OWN"), &[], &[]), tool(None, &files, &[]), tool(None, &[], &["dlv"])]
        {
            assert!(matches!(inside.find(&tool), Found::Unfit(..)), "{tool:?}");
        }
        let named = Tool { beside: vec!["none".to_owned()], ..tool(Some("OWN"), &[], &[]) };
        assert_eq!(find(&named).unwrap(), "bin/plain");
    }
}
