//! Brings projects into the cache folder of `setup`, each by its registry's own client. Nothing of
//! theirs is run: packages are only unpacked, and dependencies installed without their scripts.

use super::projects::{Project, Registry};
use crate::crates::{self, Pinned};
use crate::debian::Lists;
use crate::install::{STAGING, at, clear_staging, replace_folder};
use crate::{Failure, process, setup};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Longest time for one command; downloads are part of it.
const LIMIT: Duration = Duration::from_secs(600);
/// For which machine wheels are taken, whatever this one is: the text in them is what counts.
const WHEELS: &[&str] = &[
    "--python-version=3.12",
    "--platform=manylinux_2_28_x86_64",
    "--platform=manylinux_2_27_x86_64",
    "--platform=manylinux_2_17_x86_64",
    "--platform=manylinux2014_x86_64",
];

/// Fetches what is missing and returns the folder of each project, in their order.
///
/// # Errors
/// The first project that cannot be had.
pub(crate) fn all(projects: &[Project], cache: &Path) -> Result<Vec<PathBuf>, Failure> {
    let shelf = cache.join("fresh");
    let is_missing = |project: &&Project| !is_ready(project, &shelf);
    if projects.iter().any(|project| is_missing(&project)) {
        let _lock = setup::locked(cache)?;
        fs::create_dir_all(&shelf).map_err(|error| at(&shelf, &error))?;
        clear_staging(&shelf);
        let mut fetcher = Fetcher { shelf: &shelf, lists: HashMap::new() };
        // Looked at again under the lock: another run may have fetched them meanwhile.
        for project in projects.iter().filter(is_missing) {
            println!("{}: fetching {} {}", project.name, project.package, project.version);
            fetcher.fetch(project).map_err(|error| format!("{}: {error}", project.name))?;
        }
        clear_staging(&shelf);
    }
    Ok(projects.iter().map(|project| folder(project, &shelf).join("files")).collect())
}

fn folder(project: &Project, shelf: &Path) -> PathBuf {
    shelf.join(format!("{}-{}", project.name, project.version))
}

fn is_ready(project: &Project, shelf: &Path) -> bool {
    let stamp = fs::read_to_string(folder(project, shelf).join("stamp.json"));
    stamp.is_ok_and(|stamp| stamp == project.recipe)
}

struct Fetcher<'a> {
    shelf: &'a Path,
    /// Lists of sources by suite, downloaded once a run.
    lists: HashMap<String, Lists>,
}

impl Fetcher<'_> {
    fn fetch(&mut self, project: &Project) -> Result<(), Failure> {
        let staging = self.shelf.join(format!("{STAGING}{}-{}", project.name, std::process::id()));
        let download = staging.join("download");
        let unpacked = staging.join("unpacked");
        for folder in [&download, &unpacked] {
            fs::create_dir_all(folder).map_err(|error| at(folder, &error))?;
        }
        if project.registry == Registry::Crates {
            self.unpack_crate(project, &staging, &unpacked)?;
        } else {
            self.download(project, &download)?;
            unpack(project, &download, &unpacked)?;
        }
        let root = top(&unpacked).join(&project.root);
        if !root.is_dir() {
            return Err(format!("its archive has no folder `{}`", project.root));
        }
        let files = staging.join("files");
        fs::rename(&root, &files).map_err(|error| at(&root, &error))?;
        for folder in [&download, &unpacked] {
            // What was unpacked may be the project as a whole, which has just been moved.
            if folder.is_dir() {
                fs::remove_dir_all(folder).map_err(|error| at(folder, &error))?;
            }
        }
        let stamp = staging.join("stamp.json");
        fs::write(&stamp, &project.recipe).map_err(|error| at(&stamp, &error))?;
        let place = folder(project, self.shelf);
        replace_folder(&staging, &place)?;
        // An environment of Python has its own path in it, so it is made where it stays.
        let installed = install(project, &place);
        installed.inspect_err(|_| drop(fs::remove_dir_all(&place)))
    }

    fn unpack_crate(
        &self,
        project: &Project,
        staging: &Path,
        unpacked: &Path,
    ) -> Result<(), Failure> {
        let Project { package, version, sha256, .. } = project;
        let pinned = Pinned::parse(&format!("{package}={version}#{sha256}"));
        let pinned = pinned.ok_or("its version or its sha256 is none")?;
        crates::unpack(&[pinned], "", staging, unpacked, LIMIT)
    }

    /// Puts the archive of a package into `folder`.
    fn download(&mut self, project: &Project, folder: &Path) -> Result<(), Failure> {
        let Project { package, version, .. } = project;
        let log = folder.with_extension("log");
        match &project.registry {
            Registry::Npm => {
                let mut npm = Command::new("npm");
                npm.args(["pack", "--silent", "--ignore-scripts"]);
                npm.arg(format!("{package}@{version}")).current_dir(folder);
                process::run(&mut npm, LIMIT, &log).map(drop)
            }
            Registry::Wheel => {
                let mut pip = Command::new("python3");
                pip.args(["-m", "pip", "download", "--quiet", "--no-input", "--no-deps"]);
                pip.args(["--disable-pip-version-check", "--only-binary=:all:"]).args(WHEELS);
                pip.arg(format!("{package}=={version}")).arg("--dest").arg(folder);
                process::run(&mut pip, LIMIT, &log).map(drop)
            }
            Registry::Debian { suite } => {
                let lists = match self.lists.entry(suite.clone()) {
                    std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                    std::collections::hash_map::Entry::Vacant(place) => {
                        let staging = self.shelf.join(format!("{STAGING}apt-{suite}"));
                        fs::create_dir_all(&staging).map_err(|error| at(&staging, &error))?;
                        place.insert(Lists::update("deb-src", suite, &staging, LIMIT)?)
                    }
                };
                lists.source(package, version, folder, LIMIT)
            }
            Registry::Crates => Err("a crate is no archive here".to_owned()),
        }
    }
}

/// Checks the one archive in `download` against its hash and unpacks it.
fn unpack(project: &Project, download: &Path, unpacked: &Path) -> Result<(), Failure> {
    let archive = archive(download)?;
    let bytes = fs::read(&archive).map_err(|error| at(&archive, &error))?;
    let digest = Sha256::digest(&bytes);
    let found: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    if found != project.sha256 {
        return Err(format!("{} is another archive: its sha256 is {found}", archive.display()));
    }
    let mut command = if archive.extension().is_some_and(|extension| extension == "whl") {
        let mut zip = Command::new("python3");
        zip.args(["-m", "zipfile", "-e"]).arg(&archive).arg(unpacked);
        zip
    } else {
        let mut tar = Command::new("tar");
        tar.args(["--extract", "--no-same-owner", "--file"]).arg(&archive);
        tar.arg("--directory").arg(unpacked);
        tar
    };
    process::run(&mut command, LIMIT, &download.with_extension("log")).map(drop)
}

/// The archive in a folder: of several that of the sources, for Debian's additions lie beside them.
fn archive(folder: &Path) -> Result<PathBuf, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| at(folder, &error))?;
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_archive = [".tgz", ".whl"].iter().any(|end| name.ends_with(end));
        is_archive || (name.contains(".orig.tar.") && !name.ends_with(".asc"))
    });
    match paths.as_slice() {
        [one] => Ok(one.clone()),
        _ => Err(format!("{} archives came where one was expected", paths.len())),
    }
}

/// The one folder that an archive consists of, else all of it.
fn top(unpacked: &Path) -> PathBuf {
    let entries: Vec<_> = fs::read_dir(unpacked).into_iter().flatten().flatten().collect();
    match entries.as_slice() {
        [one] if one.path().is_dir() => one.path(),
        _ => unpacked.to_owned(),
    }
}

/// Installs what a project depends on, where its row says so.
fn install(project: &Project, place: &Path) -> Result<(), Failure> {
    let Some(packages) = &project.install else { return Ok(()) };
    let (files, log) = (place.join("files"), place.join("install.log"));
    let mut command = match &project.registry {
        Registry::Npm => {
            let mut npm = Command::new("npm");
            npm.args(["install", "--ignore-scripts", "--no-audit", "--no-fund"]);
            npm.args(["--no-package-lock", "--legacy-peer-deps"]);
            npm
        }
        Registry::Wheel => {
            let environment = files.join(".venv");
            let mut venv = Command::new("python3");
            venv.args(["-m", "venv"]).arg(&environment);
            process::run(&mut venv, LIMIT, &log)?;
            let mut pip = Command::new(environment.join("bin/python"));
            pip.args(["-m", "pip", "install", "--quiet", "--no-input", "--no-compile"]);
            pip.args(["--disable-pip-version-check", "--only-binary=:all:"]);
            pip
        }
        Registry::Crates | Registry::Debian { .. } => {
            return Err("dependencies are installed for npm and Python only".to_owned());
        }
    };
    process::run(command.args(packages).current_dir(&files), LIMIT, &log).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str, files: &[&str]) -> PathBuf {
        let root = std::env::temp_dir().join(format!("xtask-fetch-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        root
    }

    #[test]
    fn the_upstream_archive_is_chosen() {
        let files = ["a_1.orig.tar.xz", "a_1.orig.tar.xz.asc", "a_1-2.debian.tar.xz", "a_1-2.dsc"];
        let download = folder("archive", &files);
        assert_eq!(archive(&download).unwrap(), download.join("a_1.orig.tar.xz"));
        fs::write(download.join("a_1.orig-www.tar.xz"), "").unwrap();
        assert!(archive(&download).is_ok(), "a second component has another name");
        fs::remove_file(download.join("a_1.orig.tar.xz")).unwrap();
        assert!(archive(&download).is_err());
        fs::remove_dir_all(download).unwrap();
    }

    #[test]
    fn a_single_top_folder_is_the_project() {
        let one = folder("one", &["package/a", "package/b"]);
        assert_eq!(top(&one), one.join("package"));
        let several = folder("several", &["django/a", "django.dist-info/b"]);
        assert_eq!(top(&several), several);
        fs::remove_dir_all(one).unwrap();
        fs::remove_dir_all(several).unwrap();
    }
}
