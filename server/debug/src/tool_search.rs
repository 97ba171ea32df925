//! Finds the tools that an adapter needs on this machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// Why a file in an excluded folder is not used.
const EXCLUDED: &str = "is in the workspace, whose programs run only in a sandbox";
/// Entry limit of a folder that is searched for a name with a `*`.
const MAX_ENTRIES: usize = 10_000;

/// Where to find a tool, in this order.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolSpec {
    /// The environment variable with its path.
    pub variable: Option<String>,
    /// Paths, which may start with a place such as `{home}` and have at most one `*` per name.
    pub files: Vec<String>,
    /// Names of programs on `PATH`.
    pub programs: Vec<String>,
    /// Files relative to the parent of a program's folder, one of which must exist: the sign of a
    /// new enough version. Not checked for a path from `variable`. Nothing is run.
    pub beside: Vec<String>,
    /// The message if none of these exists.
    pub lacking: String,
    /// Whether the adapter works without it.
    pub optional: bool,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolLookup {
    /// It was found.
    Found(PathBuf),
    /// Only an unsuitable one was found, with the reason.
    Unusable(PathBuf, String),
    /// Nothing was found.
    NotFound,
}

impl ToolLookup {
    /// The path of a suitable one.
    #[must_use]
    pub fn path(self) -> Option<PathBuf> {
        match self {
            Self::Found(path) => Some(path),
            Self::Unusable(..) | Self::NotFound => None,
        }
    }
}

/// Where to search.
#[derive(Debug, Clone, Default)]
pub struct ToolSearch {
    /// The workspace's folder. Programs in it need approval to run, except tools found there.
    pub root: Option<PathBuf>,
    /// Environment variables.
    pub environment: Vec<(OsString, OsString)>,
    /// Folders whose files are never used, as absolute paths without links: a program outside a
    /// sandbox must not be a file of the workspace.
    pub excluded: Vec<PathBuf>,
}

impl ToolSearch {
    /// Searches in this workspace, with the environment of this process.
    #[must_use]
    pub fn new(root: Option<PathBuf>) -> Self {
        Self { root, environment: std::env::vars_os().collect(), excluded: Vec::new() }
    }

    /// The first suitable file.
    #[must_use]
    pub fn find(&self, tool: &ToolSpec) -> ToolLookup {
        let from_variable = tool.variable.as_deref().and_then(|name| self.variable(name));
        let mut unfit = ToolLookup::NotFound;
        if let Some(from_variable) = from_variable.map(PathBuf::from).filter(|path| path.is_file())
        {
            if !self.is_excluded(&from_variable) {
                return ToolLookup::Found(from_variable);
            }
            unfit = ToolLookup::Unusable(from_variable, EXCLUDED.to_owned());
        }
        let files = tool.files.iter().filter_map(|pattern| self.expand(pattern));
        let programs = tool.programs.iter().filter_map(|name| self.program(name));
        for path in files.chain(programs) {
            let is_excluded = self.is_excluded(&path);
            if !is_excluded && is_new_enough(&path, tool) {
                return ToolLookup::Found(path);
            }
            if unfit == ToolLookup::NotFound {
                let why = if is_excluded { EXCLUDED } else { &tool.lacking };
                unfit = ToolLookup::Unusable(path, why.to_owned());
            }
        }
        unfit
    }

    /// Whether a file or its link target is in an excluded folder.
    fn is_excluded(&self, path: &Path) -> bool {
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        let paths = [Some(path.to_owned()), folder, path.canonicalize().ok()];
        let is_in = |path: &PathBuf| self.excluded.iter().any(|root| path.starts_with(root));
        paths.iter().flatten().any(is_in)
    }

    fn variable(&self, name: &str) -> Option<OsString> {
        let mut all = self.environment.iter();
        let value = all.find(|(own, _)| own == name).map(|(_, value)| value.clone());
        value.filter(|value| !value.is_empty())
    }

    fn named_folder(&self, name: &str) -> Option<PathBuf> {
        match name {
            "root" => self.root.clone(),
            "home" => self.variable("HOME").map(PathBuf::from),
            "rustup_home" => self.variable("RUSTUP_HOME").map(PathBuf::from),
            "virtual_env" => self.variable("VIRTUAL_ENV").map(PathBuf::from),
            // The prefix of the first Python on PATH.
            "python_prefix" => Some(self.program("python3")?.parent()?.parent()?.to_owned()),
            _ => None,
        }
    }

    fn expand(&self, pattern: &str) -> Option<PathBuf> {
        let (mut at, rest) = match pattern.strip_prefix('{').and_then(|p| p.split_once('}')) {
            Some((name, rest)) => (self.named_folder(name)?, rest.trim_start_matches('/')),
            None => (PathBuf::from("/"), pattern.trim_start_matches('/')),
        };
        for name in rest.split('/') {
            at = match name.split_once('*') {
                None => at.join(name),
                Some((start, end)) => newest_match(&at, start, end)?,
            };
        }
        at.is_file().then_some(at)
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        process::find_program(self.variable("PATH")?.as_ref(), name)
    }
}

/// The last entry of a folder, by name, with this start and end: the newest version.
fn newest_match(folder: &Path, start: &str, end: &str) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.take(MAX_ENTRIES).flatten();
    let fits = |name: &str| {
        name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
    };
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| fits(name)).max().map(|name| folder.join(name))
}

fn is_new_enough(path: &Path, tool: &ToolSpec) -> bool {
    // Programs are often links into their installation folder.
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
    fn the_first_existing_tool_is_found() {
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
        let search = ToolSearch {
            root: Some(root.to_owned()),
            environment: vec![
                pair("PATH", root.join("bin")),
                pair("OWN", root.join("bin/plain")),
                pair("GONE", root.join("nowhere")),
            ],
            excluded: Vec::new(),
        };
        let tool = |variable: Option<&str>, files: &[&str], programs: &[&str]| ToolSpec {
            variable: variable.map(str::to_owned),
            files: files.iter().map(|f| (*f).to_owned()).collect(),
            programs: programs.iter().map(|f| (*f).to_owned()).collect(),
            ..ToolSpec::default()
        };
        let find = |tool: &ToolSpec| {
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
        let unfit = ToolLookup::Unusable(root.join("bin/dlv"), "it is old".to_owned());
        assert_eq!(search.find(&old), unfit);
        std::fs::create_dir_all(root.join("share/newer")).unwrap();
        assert_eq!(search.find(&old), ToolLookup::Found(root.join("bin/dlv")));
        let inside = ToolSearch { excluded: vec![root.canonicalize().unwrap()], ..search.clone() };
        for tool in
            [tool(Some("OWN"), &[], &[]), tool(None, &files, &[]), tool(None, &[], &["dlv"])]
        {
            assert!(matches!(inside.find(&tool), ToolLookup::Unusable(..)), "{tool:?}");
        }
        let from_variable =
            ToolSpec { beside: vec!["none".to_owned()], ..tool(Some("OWN"), &[], &[]) };
        assert_eq!(find(&from_variable).unwrap(), "bin/plain");
    }
}
