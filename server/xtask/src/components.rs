//! The table of real programs that tests and tables need (`components.json`) and where the cache
//! keeps them.

use crate::Failure;
use crate::crates::Pinned;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One row of the table.
pub(crate) struct Component {
    pub(crate) name: String,
    /// Pinned: another version is another component.
    pub(crate) version: String,
    /// The command of this program that brings it: `setup`, `bench` or `truth`; `vscode` is
    /// `test --vscode`, `languages` is `test --languages`; or `mistakes`.
    pub(crate) command: String,
    /// What needs it, to end the sentence "needed by …".
    pub(crate) purpose: String,
    pub(crate) method: Method,
    /// The program, or the file of a library, relative to the component's files.
    pub(crate) program: PathBuf,
    /// Whether `program` is the list of all of its files, a path a line, made here: they are samples
    /// that tests read.
    pub(crate) lists: bool,
    /// Arguments that make the program print its version; none for a library.
    pub(crate) probe: Vec<String>,
    /// A text that the probe's output contains.
    pub(crate) expect: String,
    /// The environment variable that names a program to use in its place, and that tests read.
    pub(crate) variable: String,
    /// The row as written: a changed row is installed anew.
    pub(crate) recipe: String,
}

/// How a component is installed.
pub(crate) enum Method {
    /// Files that packages of crates carry.
    Crates {
        /// Each to the byte.
        packages: Vec<Pinned>,
        /// The folder of each package that is taken.
        folder: String,
    },
    /// Wheels from the Python package index, unpacked by pip without building anything.
    Pip {
        /// Requirements with exact versions.
        packages: Vec<String>,
    },
    /// An environment of Python with wheels in it, for what does not work without one: it is started
    /// once, as some finish their installation then.
    Environment {
        /// Requirements with exact versions, with all that they depend on.
        packages: Vec<String>,
    },
    /// Packages from the npm registry; nothing of theirs is run.
    Npm {
        /// Specifiers with exact versions.
        packages: Vec<String>,
    },
    /// Packages from the npm registry that build parts of themselves, with a Node of their own.
    Node {
        /// Specifiers with exact versions.
        packages: Vec<String>,
        /// The wheel that has this Node.
        node: String,
    },
    /// Debian packages, unpacked and not installed.
    Debian {
        /// Names with exact versions.
        packages: Vec<String>,
        /// The suite of Debian that has them.
        suite: String,
        /// Whether all that they depend on comes with them, as the suite has it: a program of
        /// another suite runs with the libraries of its own.
        depends: bool,
        /// Packages of these that are left out: the system has its own.
        without: Vec<String>,
        /// The text of `program`, where none of the packages has it.
        script: Option<String>,
    },
}

impl Component {
    /// Folder of this version in the cache.
    pub(crate) fn folder(&self, cache: &Path) -> PathBuf {
        cache.join("components").join(format!("{}-{}", self.name, self.version))
    }

    /// The installed program in the cache, whether it is there or not.
    pub(crate) fn installed(&self, cache: &Path) -> PathBuf {
        self.folder(cache).join("files").join(&self.program)
    }
}

/// All rows of the table that the program was built with.
pub(crate) fn all() -> Result<Vec<Component>, Failure> {
    parse(include_str!("../components.json"))
}

fn parse(table: &str) -> Result<Vec<Component>, Failure> {
    let table: Value =
        serde_json::from_str(table).map_err(|error| format!("components.json: {error}"))?;
    let rows = table.as_array().ok_or("components.json: not a list")?;
    rows.iter().map(row).collect()
}

fn row(value: &Value) -> Result<Component, Failure> {
    let text = |field: &str| {
        value[field]
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| format!("components.json: `{field}` is missing in {value}"))
    };
    let texts = |field: &str| -> Result<Vec<String>, Failure> {
        let list = value[field].as_array();
        let list =
            list.ok_or_else(|| format!("components.json: `{field}` is no list in {value}"))?;
        Ok(list.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
    };
    let method = match text("method")?.as_str() {
        "crates" => {
            let pinned = |written: String| {
                Pinned::parse(&written)
                    .ok_or_else(|| format!("components.json: `{written}` is not pinned"))
            };
            let packages = texts("packages")?.into_iter().map(pinned).collect::<Result<_, _>>()?;
            Method::Crates { packages, folder: text("folder")? }
        }
        "pip" => Method::Pip { packages: texts("packages")? },
        "environment" => Method::Environment { packages: texts("packages")? },
        "npm" => Method::Npm { packages: texts("packages")? },
        "node" => Method::Node { packages: texts("packages")?, node: text("node")? },
        "debian" => Method::Debian {
            packages: texts("packages")?,
            suite: text("suite")?,
            depends: value["depends"] == true,
            without: texts("without").unwrap_or_default(),
            script: texts("script").ok().map(|lines| lines.join("\n") + "\n"),
        },
        other => return Err(format!("components.json: no method is called `{other}`")),
    };
    Ok(Component {
        name: text("name")?,
        version: text("version")?,
        command: text("command")?,
        purpose: text("for")?,
        method,
        program: text("program")?.into(),
        lists: value["lists"] == true,
        probe: texts("probe")?,
        expect: text("expect")?,
        variable: text("variable")?,
        recipe: value.to_string(),
    })
}

/// The cache folder: `$TANDEM_CACHE`, else `$XDG_CACHE_HOME/tandem-dev`, else `~/.cache/tandem-dev`.
pub(crate) fn cache() -> Result<PathBuf, Failure> {
    cache_from(|name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))
}

fn cache_from(variable: impl Fn(&str) -> Option<PathBuf>) -> Result<PathBuf, Failure> {
    let folder = variable("TANDEM_CACHE")
        .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("tandem-dev")))
        .or_else(|| Some(variable("HOME")?.join(".cache/tandem-dev")))
        .ok_or("no cache folder: set TANDEM_CACHE or HOME")?;
    // A program is started from other folders too, so its path may not hang on this one.
    std::path::absolute(&folder).map_err(|error| format!("{}: {error}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_well_formed_and_pinned() {
        for component in all().unwrap() {
            let (packages, pin) = match &component.method {
                Method::Pip { packages } | Method::Environment { packages } => (packages, "=="),
                Method::Npm { packages } | Method::Node { packages, .. } => (packages, "@"),
                Method::Debian { packages, .. } => (packages, "="),
                // Not to be had without.
                Method::Crates { .. } => continue,
            };
            assert!(packages.iter().all(|package| package.contains(pin)), "{packages:?}");
            let pin = format!("{pin}{}", component.version);
            assert!(packages.first().is_some_and(|first| first.ends_with(&pin)), "{packages:?}");
            assert!(
                ["setup", "bench", "truth", "vscode", "languages", "mistakes"]
                    .contains(&component.command.as_str())
            );
            assert!(component.program.is_relative());
        }
    }

    #[test]
    fn a_broken_row_is_named() {
        let error = parse(r#"[{"name": "x", "method": "magic"}]"#).err().unwrap();
        assert!(error.contains("magic"), "{error}");
        let error = parse(r#"[{"name": "x", "method": "pip", "packages": []}]"#).err().unwrap();
        assert!(error.contains("`version`"), "{error}");
    }

    #[test]
    fn the_cache_follows_the_environment() {
        let home = |name: &str| (name == "HOME").then(|| PathBuf::from("/h"));
        assert_eq!(cache_from(home).unwrap(), Path::new("/h/.cache/tandem-dev"));
        let xdg = |name: &str| (name != "TANDEM_CACHE").then(|| PathBuf::from("/x"));
        assert_eq!(cache_from(xdg).unwrap(), Path::new("/x/tandem-dev"));
        assert_eq!(cache_from(|_| Some("/own".into())).unwrap(), Path::new("/own"));
        assert!(cache_from(|_| None).is_err());
    }
}
