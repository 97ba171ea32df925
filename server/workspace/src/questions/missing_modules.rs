//! Which modules that the index does not hold are missing, and how sure that is.

use std::path::{Path, PathBuf};

use names::{Absent, Finding, MissingModule, is_near};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::libraries::{PythonEnvironment, is_file, names_below, text_below};
use crate::{FilePath, Root, Snapshot};

mod declared;
mod packages;

use declared::{Declared, distribution};
use packages::judge_packages;

/// Files with paths for Python that name nothing that could be imported by another name.
const HARMLESS: &[&str] = &["distutils-precedence", "_virtualenv", "coverage", "a1_coverage"];

impl Snapshot {
    /// Drops what is installed or part of the project all the same, and says of the rest how sure it
    /// is. Only findings about missing modules are looked at. O(names of the environments).
    pub(super) fn judge_modules(&self, path: &FilePath, found: &mut Vec<Finding>) {
        if found.iter().all(|f| f.module.is_none()) {
            return;
        }
        if path.relative.extension().is_none_or(|ending| ending != "py") {
            let above: Vec<_> = self.libraries().outside(&self.roots).cloned().collect();
            return judge_packages(path, &above, found);
        }
        let libraries = self.libraries();
        let environments = libraries.environments();
        let installed = Installed::read(environments, &self.roots);
        let declared = Declared::around(path);
        let nested = has_environment_below(path);
        let mut folders = FxHashMap::default();
        found.retain_mut(|finding| {
            let Some(module) = &finding.module else { return true };
            let name = &finding.name;
            if installed.has(name) || !self.is_not_beside(path, name, &mut folders) {
                return false;
            }
            let own = environments.iter().find(|e| e.is_own && !nested);
            let environment = own.map(|e| format!("`{}`", e.label));
            let must_work = matches!(module, MissingModule::Undeclared { .. });
            let certain = must_work
                && !declared.mentions(name)
                && !installed.is_unclear
                && (installed.satisfies(&declared) || installed.is_slip(name));
            finding.module = Some(match environment {
                Some(environment) if certain => MissingModule::Undeclared { environment },
                environment => MissingModule::NotInstalled { environment },
            });
            true
        });
    }

    /// Whether no file or folder that a module could be stands in the folders around a file, or in
    /// those that projects keep their sources in.
    fn is_not_beside(
        &self,
        path: &FilePath,
        name: &str,
        folders: &mut FxHashMap<String, Option<Vec<String>>>,
    ) -> bool {
        around(path).into_iter().all(|folder| {
            let below = ["", "src", "lib", "python"].map(|f| folder.join(f));
            below.into_iter().filter(|f| *f == folder || is_folder(&path.root, f)).all(|folder| {
                let folder = folder.to_string_lossy().trim_end_matches('/').to_owned();
                let absent = Absent { folder, stem: name.to_owned() };
                self.is_absent(&path.root, &absent, folders)
            })
        })
    }
}

/// The folders around a file, the nearest first, the root last.
fn around(path: &FilePath) -> Vec<PathBuf> {
    path.relative.ancestors().skip(1).map(Path::to_owned).collect()
}

fn is_folder(root: &Root, below: &Path) -> bool {
    root.stat(below).is_ok_and(|stat| stat.kind() == crate::EntryKind::Directory)
}

/// Whether a folder between the root and a file has an environment of its own.
fn has_environment_below(path: &FilePath) -> bool {
    let folders = around(path);
    let inner = folders.iter().filter(|f| !f.as_os_str().is_empty());
    inner.into_iter().any(|folder| {
        [".venv", "venv", "env"]
            .iter()
            .any(|name| is_file(&path.root, folder.join(name).join("pyvenv.cfg")))
    })
}

/// What is installed in the environments of Python.
#[derive(Default)]
struct Installed {
    /// What can be imported, by its first name.
    modules: FxHashSet<String>,
    /// What it was installed as.
    distributions: FxHashSet<String>,
    /// What finders of editable installs say.
    finders: String,
    /// There are modules in folders that nobody may look into.
    is_unclear: bool,
}

impl Installed {
    fn read<R: AsRef<Root>>(environments: &[PythonEnvironment], roots: &[R]) -> Self {
        let mut installed = Self::default();
        for environment in environments {
            for name in names_below(&environment.packages, "") {
                installed.take(&environment.packages, &name, roots);
            }
        }
        installed
    }

    fn take<R: AsRef<Root>>(&mut self, packages: &Root, name: &str, roots: &[R]) {
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        match ending {
            "dist-info" | "egg-info" => {
                let name = stem.split('-').next().unwrap_or(stem);
                self.distributions.insert(distribution(name));
            }
            "egg-link" | "egg" => self.is_unclear = true,
            "pth" if !HARMLESS.contains(&stem) => {
                let text = text_below(packages, name).unwrap_or_default();
                for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
                    let code = line.starts_with("import ") || line.starts_with('#');
                    // What lies in the project is indexed.
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

    fn has(&self, name: &str) -> bool {
        self.modules.contains(name)
            || ['"', '\''].iter().any(|q| self.finders.contains(&format!("{q}{name}{q}")))
    }

    /// Whether all that is declared is installed, so that nothing else could bring a module.
    fn satisfies(&self, declared: &Declared) -> bool {
        declared.is_whole && declared.direct.iter().all(|d| self.distributions.contains(d))
    }

    /// Whether a name looks like a slip of what is installed.
    fn is_slip(&self, name: &str) -> bool {
        name.len() > 3 && self.modules.iter().any(|module| is_near(name, module))
    }
}

#[cfg(test)]
mod tests;
