//! Judges which unindexed modules are really missing, and how certain that is.

use std::path::{Path, PathBuf};

use names::{AbsentPath, MissingModule, NameDiagnostic, is_typo_of};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::libraries::{PythonEnvironment, is_file, names_below, text_below};
use crate::{FilePath, Root, Snapshot};

mod declared;
mod packages;

use declared::{DeclaredDependencies, normalized_distribution};
use packages::judge_packages;

/// Common `.pth` files that do not make other modules importable.
const IGNORED_PTH_FILES: &[&str] =
    &["distutils-precedence", "_virtualenv", "coverage", "a1_coverage"];

impl Snapshot {
    /// Drops findings about modules that are installed or part of the project, and sets the
    /// certainty of the others. Other findings are not touched. O(names in the environments).
    pub(super) fn judge_modules(&self, path: &FilePath, found: &mut Vec<NameDiagnostic>) {
        if found.iter().all(|f| f.module.is_none()) {
            return;
        }
        if path.relative.extension().is_none_or(|ending| ending != "py") {
            let above: Vec<_> = self.libraries().outside(&self.roots).cloned().collect();
            return judge_packages(path, &above, found);
        }
        let libraries = self.libraries();
        let environments = libraries.environments();
        let installed = InstalledModules::read(environments, &self.roots);
        let declared = DeclaredDependencies::read_around(path);
        let nested = has_environment_below(path);
        let mut folders = FxHashMap::default();
        found.retain_mut(|finding| {
            let Some(module) = &finding.module else { return true };
            let name = &finding.name;
            if installed.has_module(name)
                || !self.is_not_in_source_folders(path, name, &mut folders)
            {
                return false;
            }
            let own = environments.iter().find(|e| e.is_own && !nested);
            let environment = own.map(|e| format!("`{}`", e.label));
            let must_work = matches!(module, MissingModule::Undeclared { .. });
            let certain = must_work
                && !declared.mentions(name)
                && !installed.is_unclear
                && (installed.satisfies(&declared) || installed.is_typo(name));
            finding.module = Some(match environment {
                Some(environment) if certain => MissingModule::Undeclared { environment },
                environment => MissingModule::NotInstalled { environment },
            });
            true
        });
    }

    /// Whether no file or folder in the parent folders of a file, or in their usual source folders,
    /// could be the module.
    fn is_not_in_source_folders(
        &self,
        path: &FilePath,
        name: &str,
        folders: &mut FxHashMap<String, Option<Vec<String>>>,
    ) -> bool {
        parent_folders(path).into_iter().all(|folder| {
            let below = ["", "src", "lib", "python"].map(|f| folder.join(f));
            below.into_iter().filter(|f| *f == folder || is_folder(&path.root, f)).all(|folder| {
                let folder = folder.to_string_lossy().trim_end_matches('/').to_owned();
                let absent = AbsentPath { folder, stem: name.to_owned() };
                self.is_absent(&path.root, &absent, folders)
            })
        })
    }
}

/// The parent folders of a file, innermost first, the root last.
fn parent_folders(path: &FilePath) -> Vec<PathBuf> {
    path.relative.ancestors().skip(1).map(Path::to_owned).collect()
}

fn is_folder(root: &Root, below: &Path) -> bool {
    root.stat(below).is_ok_and(|stat| stat.kind() == crate::EntryKind::Directory)
}

/// Whether a folder between the root and a file has its own environment.
fn has_environment_below(path: &FilePath) -> bool {
    let folders = parent_folders(path);
    let inner = folders.iter().filter(|f| !f.as_os_str().is_empty());
    inner.into_iter().any(|folder| {
        [".venv", "venv", "env"]
            .iter()
            .any(|name| is_file(&path.root, folder.join(name).join("pyvenv.cfg")))
    })
}

/// The modules installed in Python environments.
#[derive(Default)]
struct InstalledModules {
    /// The top-level names that can be imported.
    modules: FxHashSet<String>,
    /// The names of the installed distributions.
    distributions: FxHashSet<String>,
    /// The text of the finders of editable installs.
    finders: String,
    /// Whether there may be modules in other folders, which are not read.
    is_unclear: bool,
}

impl InstalledModules {
    fn read<R: AsRef<Root>>(environments: &[PythonEnvironment], roots: &[R]) -> Self {
        let mut installed = Self::default();
        for environment in environments {
            for name in names_below(&environment.packages, "") {
                installed.add_entry(&environment.packages, &name, roots);
            }
        }
        installed
    }

    /// Adds one entry of a `site-packages` folder.
    fn add_entry<R: AsRef<Root>>(&mut self, packages: &Root, name: &str, roots: &[R]) {
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        match ending {
            "dist-info" | "egg-info" => {
                let name = stem.split('-').next().unwrap_or(stem);
                self.distributions.insert(normalized_distribution(name));
            }
            "egg-link" | "egg" => self.is_unclear = true,
            "pth" if !IGNORED_PTH_FILES.contains(&stem) => {
                let text = text_below(packages, name).unwrap_or_default();
                for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
                    let code = line.starts_with("import ") || line.starts_with('#');
                    // Folders of the project are indexed.
                    let own = roots.iter().any(|r| Path::new(line).starts_with(r.as_ref().path()));
                    self.is_unclear |= !code && !own;
                }
            }
            _ => {
                if name.starts_with("__editable__") {
                    self.finders.push_str(&text_below(packages, name).unwrap_or_default());
                }
                let module = name.split('.').next().unwrap_or(name);
                let module = module.strip_suffix("-stubs").unwrap_or(module);
                self.modules.insert(module.to_owned());
            }
        }
    }

    fn has_module(&self, name: &str) -> bool {
        self.modules.contains(name)
            || ['"', '\''].iter().any(|q| self.finders.contains(&format!("{q}{name}{q}")))
    }

    /// Whether all declared dependencies are installed, so that no missing one could provide a
    /// module.
    fn satisfies(&self, declared: &DeclaredDependencies) -> bool {
        declared.is_complete && declared.direct.iter().all(|d| self.distributions.contains(d))
    }

    /// Whether a name looks like a typo of an installed module.
    fn is_typo(&self, name: &str) -> bool {
        name.len() > 3 && self.modules.iter().any(|module| is_typo_of(name, module))
    }
}

#[cfg(test)]
mod tests;
