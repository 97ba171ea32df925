//! How runners name tests, and from which files they take them.

use tools::Context;

use super::graph::ProjectFile;
use super::lexer::Style;
use super::selection::Selected;
use crate::kinds::{Quote, Selects, Values};
use crate::project::Project;

/// How the sources of a runner's tests are written.
pub(super) fn style_of(selects: Selects) -> Style {
    match selects {
        Selects::Pytest | Selects::Unittest => Style::Python,
        Selects::Libtest => Style::Rust,
        Selects::Go => Style::Go,
        Selects::Files => Style::Script,
    }
}

/// Settings of Python's test runners.
const PYTHON_SETTINGS: &[&str] = &["pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini"];

/// The settings of pytest in a file.
fn pytest_section(file: &str, text: &str) -> String {
    if file == "pytest.ini" {
        return text.to_owned();
    }
    let sections = ["[tool.pytest", "[tool:pytest]", "\n[pytest]"];
    let section = sections.iter().find_map(|section| Some(text.split_once(section)?.1));
    let section = section.unwrap_or_default();
    section.split_once("\n[").map_or(section, |(section, _)| section).to_owned()
}

/// From which files a project's tests are collected.
pub(super) struct Collection {
    selects: Selects,
    /// The project's folder below the root, with a slash; empty for the root.
    folder: String,
    /// The path of the call, below the root.
    within: Option<String>,
    /// Whether settings say which files have tests.
    has_own_files: bool,
    /// Whether settings say which functions are tests.
    has_own_names: bool,
    has_doctests: bool,
}

impl Collection {
    pub(super) fn read(context: &Context<'_>, project: &Project<'_>, selects: Selects) -> Self {
        let folder = project.folder.relative().to_string_lossy().into_owned();
        let folder = if folder.is_empty() { folder } else { folder + "/" };
        let mut settings = String::new();
        if style_of(selects) == Style::Python {
            for name in PYTHON_SETTINGS {
                let path = project.folder.absolute().join(name);
                let text = context.snapshot.locate_absolute(&path).ok();
                let text = text.and_then(|path| context.snapshot.read(&path).ok());
                settings.extend(text.map(|file| pytest_section(name, &file.text.to_string())));
            }
        }
        Self {
            selects,
            within: project.path.as_ref().map(|path| format!("{folder}{path}")),
            folder,
            has_own_files: settings.contains("python_files"),
            has_own_names: ["python_classes", "python_functions"]
                .iter()
                .any(|name| settings.contains(name)),
            has_doctests: settings.contains("--doctest-modules")
                || settings.contains("--doctest-glob"),
        }
    }

    /// Why all tests run whatever has changed.
    pub(super) fn all_because(&self) -> Option<&'static str> {
        self.has_doctests.then_some("examples in documentation are tests here")
    }

    /// Whether only whole files can be selected.
    pub(super) fn is_by_file(&self) -> bool {
        self.has_own_names
    }

    /// Whether the runner takes tests from a file.
    pub(super) fn collects(&self, path: &str) -> bool {
        let Some(below) = path.strip_prefix(self.folder.as_str()) else { return false };
        if let Some(within) = &self.within
            && !path
                .strip_prefix(within.as_str())
                .is_some_and(|r| r.is_empty() || r.starts_with('/'))
        {
            return false;
        }
        let name = below.rsplit('/').next().unwrap_or(below);
        let in_folder = |folder: &str| below.split('/').any(|part| part == folder);
        match self.selects {
            Selects::Pytest => {
                self.has_own_files || name.starts_with("test_") || name.ends_with("_test.py")
            }
            Selects::Unittest => name.starts_with("test"),
            Selects::Libtest => true,
            Selects::Go => name.ends_with("_test.go"),
            Selects::Files => {
                !in_folder("node_modules")
                    && (name.contains(".test.")
                        || name.contains(".spec.")
                        || in_folder("__tests__")
                        || in_folder("test"))
            }
        }
    }

    /// The names of tests, and the words that run them.
    pub(super) fn values(
        &self,
        files: &[ProjectFile],
        selected: &[Selected],
        quote: Quote,
    ) -> (Vec<String>, Values) {
        let mut values = Values::new();
        let name = |one: &Selected| self.name(&files[one.file].path, &one.path);
        let mut names: Vec<String> = selected.iter().map(name).collect();
        match self.selects {
            Selects::Files => {
                values.insert("path", names.clone());
            }
            Selects::Go => {
                let folder = |one: &Selected| {
                    let path = files[one.file].path.strip_prefix(self.folder.as_str());
                    let path = path.unwrap_or_default();
                    format!("./{}", path.rsplit_once('/').map_or("", |(folder, _)| folder))
                };
                let mut folders: Vec<String> = selected.iter().map(folder).collect();
                folders.sort();
                folders.dedup();
                values.insert("path", folders);
                let mut tests: Vec<String> =
                    selected.iter().map(|one| quote.apply(&one.path.join("/"))).collect();
                tests.sort();
                tests.dedup();
                values.insert("only", tests);
            }
            Selects::Libtest => {
                names.sort();
                names.dedup();
                values.insert("affected", names.clone());
            }
            Selects::Pytest | Selects::Unittest => {
                values.insert("only", names.iter().map(|name| quote.apply(name)).collect());
            }
        }
        (names, values)
    }

    fn name(&self, file: &str, path: &[String]) -> String {
        let file = file.strip_prefix(self.folder.as_str()).unwrap_or(file);
        match self.selects {
            Selects::Pytest => std::iter::once(file)
                .chain(path.iter().map(String::as_str))
                .collect::<Vec<_>>()
                .join("::"),
            Selects::Unittest => {
                let module = file.strip_suffix(".py").unwrap_or(file).replace('/', ".");
                let path = path.iter().map(String::as_str);
                std::iter::once(module.as_str()).chain(path).collect::<Vec<_>>().join(".")
            }
            // The modules that files are come before it: libtest is given a part of the name.
            Selects::Libtest => path.join("::"),
            Selects::Go => path.join("/"),
            Selects::Files => file.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pytests_own_settings_count() {
        let tox = "[testenv]\ncommands = pytest --doctest-modules\n[pytest]\npython_files = x\n[other]\na = 1\n";
        let section = pytest_section("tox.ini", tox);
        assert!(section.contains("python_files") && !section.contains("doctest"), "{section}");
        assert_eq!(pytest_section("pyproject.toml", "[project]\nname = 'x'\n"), "");
    }
}
