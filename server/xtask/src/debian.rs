//! Debian packages, taken apart in a folder of their own: nothing is installed, and the machine's
//! own lists are read and never changed.

use crate::{Failure, process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The folder of the system's package sources.
const SOURCES: &str = "/etc/apt";

/// Downloads `packages`, each with its version, of one suite, with all that they depend on where
/// `depends` except `without`, and unpacks them into `files`. `staging` holds lists, logs and archives meanwhile.
///
/// # Errors
/// The step that failed: no Debian system, no such version, no network.
pub(crate) fn unpack(
    packages: &[String],
    suite: &str,
    depends: bool,
    without: &[String],
    staging: &Path,
    files: &Path,
    limit: Duration,
) -> Result<(), Failure> {
    let lists = Lists::update("deb", suite, staging, limit)?;
    let log = staging.join("apt.log");
    let mut wanted = packages.to_vec();
    if depends {
        let options = ["--simulate", "--no-install-recommends", "install"];
        let told = process::run(lists.apt().args(options).args(packages), limit, &log)?;
        wanted = told.lines().filter_map(simulated_install).collect();
        let name = |package: &String| package.split('=').next().unwrap_or_default().to_owned();
        wanted.retain(|package| !without.contains(&name(package)));
    }
    process::run(lists.apt().args(["-q", "download"]).args(wanted), limit, &log)?;
    let failed = |error: std::io::Error| format!("{}: {error}", lists.own.display());
    for entry in fs::read_dir(lists.own.join("packages")).map_err(failed)?.flatten() {
        let mut command = Command::new("dpkg-deb");
        process::run(command.arg("-x").arg(entry.path()).arg(files), limit, &log)?;
    }
    fs::remove_dir_all(&lists.own).map_err(failed)
}

/// The lists of one suite, in a folder of their own.
pub(crate) struct Lists {
    own: PathBuf,
}

impl Lists {
    /// Downloads the lists of packages (`deb`) or of their sources (`deb-src`) into `staging`.
    ///
    /// # Errors
    /// No Debian system, no such suite, no network.
    pub(crate) fn update(
        kind: &str,
        suite: &str,
        staging: &Path,
        limit: Duration,
    ) -> Result<Self, Failure> {
        let own = staging.join("apt");
        let failed = |error: std::io::Error| format!("{}: {error}", own.display());
        for folder in ["state/lists/partial", "cache/archives/partial", "packages"] {
            fs::create_dir_all(own.join(folder)).map_err(failed)?;
        }
        let source = configured(Path::new(SOURCES))
            .ok_or("no Debian package source is configured here (a Debian system is needed)")?;
        fs::write(own.join("own.sources"), source.of_suite(kind, suite)).map_err(failed)?;
        let lists = Self { own };
        process::run(lists.apt().args(["-q", "update"]), limit, &staging.join("apt.log"))?;
        Ok(lists)
    }

    /// Downloads the upstream archive of a source package with this version into `folder`.
    ///
    /// # Errors
    /// No such version, no network.
    pub(crate) fn source(
        &self,
        package: &str,
        version: &str,
        folder: &Path,
        limit: Duration,
    ) -> Result<(), Failure> {
        let mut command = self.apt();
        command.args(["source", "-qq", "--download-only", "--tar-only"]);
        command.arg(format!("{package}={version}")).current_dir(folder);
        process::run(&mut command, limit, &folder.with_extension("log")).map(drop)
    }

    fn apt(&self) -> Command {
        let mut command = Command::new("apt-get");
        let own = |key: &str, path: &str| format!("{key}={}", self.own.join(path).display());
        let options = [
            own("Dir::Etc::sourcelist", "own.sources"),
            "Dir::Etc::sourceparts=/dev/null".to_owned(),
            own("Dir::State::lists", "state/lists"),
            own("Dir::Cache", "cache"),
            // As if nothing were installed here.
            "Dir::State::status=/dev/null".to_owned(),
            // The folder is ours alone; the archives are checked against signed lists.
            "APT::Sandbox::User=root".to_owned(),
            "Acquire::Languages=none".to_owned(),
        ];
        command.args(options.iter().flat_map(|option| ["-o", option]));
        command.current_dir(self.own.join("packages"));
        command
    }
}

/// The package and version that a line of a simulated installation names: `Inst gdb (16.3-1 …`.
fn simulated_install(line: &str) -> Option<String> {
    let mut words = line.strip_prefix("Inst ")?.split(' ');
    let (name, version) = (words.next()?, words.find(|word| word.starts_with('('))?);
    Some(format!("{name}={}", version.trim_start_matches('(')))
}

/// A package source, and the keys that its lists are signed with.
#[derive(Debug, PartialEq, Eq)]
struct Source {
    address: String,
    keys: Option<String>,
}

impl Source {
    fn of_suite(&self, kind: &str, suite: &str) -> String {
        let keys = self.keys.as_ref().map(|keys| format!("Signed-By: {keys}\n"));
        format!(
            "Types: {kind}\nURIs: {}\nSuites: {suite}\nComponents: main\n{}",
            self.address,
            keys.unwrap_or_default()
        )
    }
}

/// The first source of Debian itself that the machine has.
fn configured(folder: &Path) -> Option<Source> {
    let parts = fs::read_dir(folder.join("sources.list.d")).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = parts.map(|entry| entry.path()).collect();
    paths.push(folder.join("sources.list"));
    paths.sort();
    paths.iter().find_map(|path| {
        let text = fs::read_to_string(path).ok()?;
        match path.extension()?.to_str()? {
            "sources" => text.split("\n\n").find_map(paragraph),
            "list" => text.lines().find_map(line),
            _ => None,
        }
    })
}

/// A paragraph of a `.sources` file.
fn paragraph(text: &str) -> Option<Source> {
    let field = |name: &str| {
        text.lines().find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim()))
    };
    let is_main = field("Types")?.split(' ').any(|kind| kind == "deb")
        && field("Components")?.split(' ').any(|part| part == "main")
        && field("Enabled") != Some("no");
    let address = field("URIs")?.split(' ').next()?.to_owned();
    (is_main && is_debian(&address))
        .then(|| Source { address, keys: field("Signed-By").map(str::to_owned) })
}

/// A line of a `.list` file.
fn line(text: &str) -> Option<Source> {
    let rest = text.trim().strip_prefix("deb ")?.trim_start();
    let (options, rest) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => ("", rest),
    };
    let mut words = rest.split_whitespace();
    let address = words.next()?.to_owned();
    let is_main = words.skip(1).any(|part| part == "main");
    let keys = options.split(' ').find_map(|option| option.strip_prefix("signed-by="));
    (is_main && is_debian(&address)).then(|| Source { address, keys: keys.map(str::to_owned) })
}

/// Debian's own archive, not that of its security updates or of anybody else.
fn is_debian(address: &str) -> bool {
    address.trim_end_matches('/').ends_with("/debian")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_package_source_is_used_with_its_keys() {
        let old = line("deb [arch=amd64 signed-by=/k.gpg] http://a.test/debian bookworm main");
        let new = "# a\nTypes: deb\nURIs: http://a.test/debian\nSuites: x y\nComponents: main\n\
                   Signed-By: /k.gpg\n";
        let source = old.unwrap();
        assert_eq!(paragraph(new).as_ref(), Some(&source));
        assert_eq!(
            source.of_suite("deb", "sid"),
            "Types: deb\nURIs: http://a.test/debian\nSuites: sid\nComponents: main\n\
             Signed-By: /k.gpg\n"
        );
        for other in [
            "deb http://a.test/debian-security bookworm main",
            "deb-src http://a.test/debian bookworm main",
            "deb http://a.test/debian bookworm contrib",
            "# deb http://a.test/debian bookworm main",
        ] {
            assert_eq!(line(other), None, "{other}");
        }
        assert_eq!(paragraph(&format!("{new}Enabled: no\n")), None);
    }

    #[test]
    fn package_dependencies_are_read_from_a_simulated_install() {
        let line = "Inst libc6 (2.41-12 Debian:13.1/stable [amd64])";
        assert_eq!(simulated_install(line).as_deref(), Some("libc6=2.41-12"));
        let known = "Inst libc6 [2.36-9] (2.41-12 Debian:13.1/stable [amd64]) []";
        assert_eq!(simulated_install(known).as_deref(), Some("libc6=2.41-12"));
        assert_eq!(simulated_install("Conf libc6 (2.41-12 Debian:13.1/stable [amd64])"), None);
    }
}
