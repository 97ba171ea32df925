//! Rust: the crates in `Cargo.lock`, as cargo has unpacked them, and the standard library.

use std::path::{Path, PathBuf};

use super::{
    Environment, Libraries, LibraryScope, is_file, names_below, open_outside, text_below, tool_home,
};
use crate::Root;

/// The path of the standard library's sources in a toolchain.
const SOURCES: &str = "lib/rustlib/src/rust/library";
const STANDARD_CRATES: &[&str] = &["std", "core", "alloc", "proc_macro", "test"];

pub(super) fn find(roots: &[&Root], environment: &Environment, found: &mut Libraries) {
    let locked: Vec<_> = roots.iter().filter_map(|root| text_below(root, "Cargo.lock")).collect();
    let has_manifest = roots.iter().any(|root| is_file(root, "Cargo.toml"));
    if !locked.is_empty() || has_manifest {
        add_standard_library(environment, found);
    }
    if locked.is_empty() {
        return;
    }
    let Some(registry) = tool_home(environment, "CARGO_HOME", ".cargo") else { return };
    let Some(registry) = open_outside(&registry.join("registry/src")) else { return };
    let registries: Vec<_> = names_below(&registry, "")
        .into_iter()
        .filter_map(|name| registry.beneath(Path::new(&name)).ok())
        .map(|root| {
            let packages = names_below(&root, "");
            (found.add_folder(root, LibraryScope::All), packages)
        })
        .collect();
    for (name, version) in locked.iter().flat_map(|text| packages(text)) {
        let folder = format!("{name}-{version}");
        let held = |(_, all): &&(String, Vec<String>)| all.binary_search(&folder).is_ok();
        if let Some((path, _)) = registries.iter().find(held) {
            let path = format!("{path}/{folder}/src/lib.rs");
            found.resolve_imports_to("rust", &name.replace('-', "_"), path);
        }
    }
}

/// The names and versions of the packages in a lock file, direct dependencies of the project first.
fn packages(lock: &str) -> Vec<(String, String)> {
    let (mut direct, mut all) = (Vec::new(), Vec::new());
    for block in lock.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(key))?;
            Some(line.trim_start().strip_prefix('=')?.trim().trim_matches('"').to_owned())
        };
        let (Some(name), Some(version)) = (value("name"), value("version")) else { continue };
        let plain = |s: &str| s.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.+".contains(&b));
        if !plain(&name) || !plain(&version) {
            continue;
        }
        if value("source").is_some() {
            all.push((name, version));
            continue;
        }
        // A package of the project: its dependencies include a version if there are several.
        let named = block.lines().filter_map(|line| {
            let mut words = line.trim().strip_prefix('"')?.trim_end_matches(['"', ',']).split(' ');
            Some((words.next()?.to_owned(), words.next()?.to_owned()))
        });
        direct.extend(named);
    }
    let chosen: Vec<_> = direct.into_iter().filter(|package| all.contains(package)).collect();
    chosen.into_iter().chain(all).collect()
}

/// Adds the sources of the standard library of the active toolchain.
fn add_standard_library(environment: &Environment, found: &mut Libraries) {
    let rustup =
        tool_home(environment, "RUSTUP_HOME", ".rustup").and_then(|path| open_outside(&path));
    let mut folders: Vec<PathBuf> = Vec::new();
    if let Some(rustup) = &rustup {
        let settings = text_below(rustup, "settings.toml").unwrap_or_default();
        let default = settings.lines().find_map(|line| {
            Some(line.strip_prefix("default_toolchain")?.trim().strip_prefix('=')?.trim())
        });
        let chosen = environment.text("RUSTUP_TOOLCHAIN").or(default.map(|d| d.trim_matches('"')));
        let mut all = names_below(rustup, "toolchains");
        all.sort_by_key(|name| Some(name.as_str()) != chosen);
        folders.extend(all.iter().map(|name| rustup.path().join("toolchains").join(name)));
    }
    folders.push(PathBuf::from("/usr"));
    let sources = folders.iter().find_map(|folder| {
        let root = open_outside(&folder.join(SOURCES))?;
        is_file(&root, "core/src/lib.rs").then_some(root)
    });
    if let Some(root) = sources {
        let path = found.add_folder(root, LibraryScope::All);
        for name in STANDARD_CRATES {
            found.resolve_imports_to("rust", name, format!("{path}/{name}/src/lib.rs"));
        }
    }
}
