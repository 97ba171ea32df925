//! Judges which Node packages are missing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use names::{MissingModule, NameDiagnostic, npm_package_of};

use super::{is_folder, parent_folders};
use crate::libraries::{is_file, names_below, text_below};
use crate::{FilePath, Root};

/// Files that indicate that packages are not resolved from `node_modules`.
const OTHER_RESOLVERS: &[&str] =
    &[".pnp.cjs", ".pnp.js", "deno.json", "deno.jsonc", "import_map.json", "importmap.json"];
/// Parts of names of configuration files that may define module aliases.
const ALIAS_CONFIGURATIONS: &[&str] =
    &["config", ".babelrc", "importmap", "craco", "rsbuild", "gulpfile"];

/// Drops findings about installed packages, and sets the certainty of the others. `above` are the
/// folders of dependencies outside the project.
pub(super) fn judge_packages(
    path: &FilePath,
    above: &[Arc<Root>],
    found: &mut Vec<NameDiagnostic>,
) {
    let root = &path.root;
    let folders = parent_folders(path);
    let file = |name: &str| folders.iter().any(|folder| is_file(root, folder.join(name)));
    let uses_other_resolver = OTHER_RESOLVERS.iter().any(|name| file(name));
    let own = folders.iter().find(|folder| is_folder(root, &folder.join("node_modules")));
    let own = own.map(|folder| folder.join("node_modules").to_string_lossy().into_owned());
    let settings: Vec<String> = folders
        .iter()
        .flat_map(|folder| {
            let names = names_below(root, folder);
            let names = names
                .into_iter()
                .filter(|name| ALIAS_CONFIGURATIONS.iter().any(|s| name.contains(s)));
            names.filter_map(|name| text_below(root, folder.join(name))).collect::<Vec<_>>()
        })
        .collect();
    let declared: Vec<String> =
        folders.iter().filter_map(|folder| text_below(root, folder.join("package.json"))).collect();
    found.retain_mut(|finding| {
        let Some(module) = &finding.module else { return true };
        let Some(package) = npm_package_of(&finding.name).map(str::to_owned) else { return false };
        if uses_other_resolver || is_installed(root, above, &folders, &package) {
            return false;
        }
        let scope = package.split_once('/').map_or(package.as_str(), |(scope, _)| scope);
        let quoted = [format!("'{scope}'"), format!("\"{scope}\"")];
        let renamed = |text: &String| {
            text.contains(&package) || quoted.iter().any(|scope| text.contains(scope.as_str()))
        };
        if settings.iter().any(renamed) {
            return false;
        }
        let must_work = matches!(module, MissingModule::Undeclared { .. });
        let types = types_of(&package);
        let names = [format!("\"{package}\""), format!("\"{types}\"")];
        let is_declared =
            declared.iter().any(|text| names.iter().any(|name| text.contains(name.as_str())));
        let environment = own.as_ref().map(|folder| format!("`{folder}`"));
        finding.module = Some(match environment {
            Some(environment) if must_work && !is_declared && !declared.is_empty() => {
                MissingModule::Undeclared { environment }
            }
            environment => MissingModule::NotInstalled { environment },
        });
        true
    });
}

/// The separate package with the types of a package.
fn types_of(package: &str) -> String {
    format!("@types/{}", package.trim_start_matches('@').replace('/', "__"))
}

/// Whether a package, or its types, is in a `node_modules` of a parent folder.
fn is_installed(root: &Root, above: &[Arc<Root>], folders: &[PathBuf], package: &str) -> bool {
    let types = types_of(package);
    let modules = Path::new("node_modules");
    [package, types.as_str()].iter().any(|name| {
        folders.iter().any(|folder| root.stat(&folder.join(modules).join(name)).is_ok())
            || above
                .iter()
                .filter(|root| root.path().ends_with(modules))
                .any(|root| root.stat(Path::new(name)).is_ok())
    })
}
