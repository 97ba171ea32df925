//! A real project: its sources, its tests, and what the server selects of them.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{Failure, process};

/// Limit for a run of all tests: this many times as long as the first, and so much more.
const SLOWER: u32 = 4;
const MORE: Duration = Duration::from_secs(20);
/// Limit for fetching, unpacking and committing one project.
const MAX_STEP: Duration = Duration::from_secs(300);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    Rust,
}

pub(super) struct Project {
    pub(super) name: String,
    pub(super) folder: PathBuf,
    pub(super) language: Language,
    server: PathBuf,
    /// The folder with the programs of Python.
    tools: PathBuf,
    /// Limit for a run of all tests.
    limit: Cell<Duration>,
}

/// The tests that failed, or files of which all did.
#[derive(Serialize, Deserialize)]
pub(super) struct Outcome {
    pub(super) passed: Vec<String>,
    pub(super) failed: Vec<String>,
}

/// What tests did in earlier measurements: it does not depend on the server.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Outcomes {
    passing: Option<Passing>,
    /// By mutation; none if it does not compile, or takes too long.
    pub(super) mutations: BTreeMap<String, Option<Outcome>>,
}

#[derive(Serialize, Deserialize)]
struct Passing {
    tests: Vec<String>,
    milliseconds: u64,
}

impl Outcomes {
    pub(super) fn read(project: &Project) -> Self {
        let text = fs::read_to_string(Self::path(project)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    pub(super) fn write(&self, project: &Project) -> Result<(), Failure> {
        let text = serde_json::to_string(self).map_err(|error| error.to_string())?;
        fs::write(Self::path(project), text).map_err(|error| error.to_string())
    }

    fn path(project: &Project) -> PathBuf {
        let mut path = project.folder.clone().into_os_string();
        path.push(".outcomes.json");
        PathBuf::from(path)
    }
}

/// A server's state: with or without a kept run with coverage.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Server {
    Plain,
    WithCoverage,
}

/// What the server selects.
pub(super) struct Selection {
    pub(super) tests: Vec<String>,
    pub(super) all: bool,
    pub(super) milliseconds: u64,
}

impl Project {
    /// Gets a project of the table, and makes a repository of it.
    pub(super) fn fetch(
        row: &Value,
        target: &Path,
        server: &Path,
        pytest: &Path,
    ) -> Result<Self, Failure> {
        let (name, version) = (text(&row["name"]), text(&row["version"]));
        let folder = target.join(format!("{name}-{version}"));
        let language = if row["from"] == "crate" { Language::Rust } else { Language::Python };
        let tools = pytest.parent().unwrap_or(pytest).to_owned();
        wrapper(&target.join("bin"), &tools)?;
        let project = Self {
            name,
            folder: folder.clone(),
            language,
            server: server.to_owned(),
            tools,
            limit: Cell::new(MAX_STEP),
        };
        if folder.join(".git").exists() {
            git(&folder, &["checkout", "--quiet", "--", "."])?;
            return Ok(project);
        }
        let archives = target.join("archives");
        fs::create_dir_all(&archives).map_err(|error| error.to_string())?;
        let archive = match language {
            Language::Python => {
                let mut pip = Command::new("python3");
                pip.args([
                    "-m",
                    "pip",
                    "download",
                    "--quiet",
                    "--no-deps",
                    "--no-binary=:all:",
                    "--dest",
                ]);
                pip.arg(&archives).arg(format!("{}=={version}", project.name));
                process::run(&mut pip, MAX_STEP, &target.join("pip.log"))?;
                archives.join(format!("{}-{version}.tar.gz", project.name))
            }
            Language::Rust => downloaded_crate(&project.name, &version)?,
        };
        let mut tar = Command::new("tar");
        tar.arg("--no-same-owner").arg("-xzf").arg(archive).arg("-C").arg(target);
        process::run(&mut tar, MAX_STEP, &target.join("tar.log"))?;
        fs::write(folder.join(".gitignore"), "target\n__pycache__\nCargo.lock\n.tandem-run*\n")
            .map_err(|error| error.to_string())?;
        if language == Language::Rust {
            // Not a part of the workspace around it.
            let manifest = folder.join("Cargo.toml");
            let text = fs::read_to_string(&manifest).map_err(|error| error.to_string())?;
            fs::write(manifest, text + "\n[workspace]\n").map_err(|error| error.to_string())?;
        }
        git(&folder, &["init", "--quiet"])?;
        git(&folder, &["add", "--all", "--force"])?;
        git(
            &folder,
            &[
                "-c",
                "user.name=x",
                "-c",
                "user.email=x@x",
                "commit",
                "--quiet",
                "-m",
                "as published",
            ],
        )?;
        Ok(project)
    }

    /// The tests that pass twice.
    pub(super) fn baseline(&self, outcomes: &mut Outcomes) -> Result<Vec<String>, Failure> {
        if let Some(known) = &outcomes.passing {
            self.limit.set(MAX_STEP.min(Duration::from_millis(known.milliseconds) * SLOWER + MORE));
            return Ok(known.tests.clone());
        }
        let started = Instant::now();
        let mut outcome =
            self.run_tests()?.ok_or(format!("{}: its tests do not run", self.name))?;
        let took = started.elapsed();
        self.limit.set(MAX_STEP.min(took * SLOWER + MORE));
        let again = self.run_tests()?.ok_or(format!("{}: its tests do not run", self.name))?;
        outcome.passed.retain(|test| again.passed.contains(test));
        outcome.passed.sort();
        outcome.passed.dedup();
        println!("{}: {} tests, {:.1} s", self.name, outcome.passed.len(), took.as_secs_f64());
        if outcome.passed.is_empty() {
            return Err(format!("{}: no test passes", self.name));
        }
        let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        outcomes.passing = Some(Passing { tests: outcome.passed.clone(), milliseconds });
        Ok(outcome.passed)
    }

    /// Runs all tests; `None` if it does not compile, or takes too long.
    pub(super) fn run_tests(&self) -> Result<Option<Outcome>, Failure> {
        let path = std::env::var("PATH").unwrap_or_default();
        let command = match self.language {
            Language::Python => format!(
                "export PYTHONPATH=.:src PYTHONDONTWRITEBYTECODE=1; {}/python {}/pytest -p no:cacheprovider -q \
                 --tb=no --color=no -rA --continue-on-collection-errors > .tandem-run 2>&1",
                self.tools.display(),
                self.tools.display()
            ),
            Language::Rust => format!(
                "export PATH={path}; cargo test --offline --no-fail-fast --lib --bins --tests > .tandem-run 2>&1"
            ),
        };
        let limit = self.limit.get();
        let params = json!({ "command": command, "timeout_ms": limit.as_millis() as u64 });
        let result = self.call(Server::Plain, "run_command", &params)?;
        let read = fs::read(self.folder.join(".tandem-run")).unwrap_or_default();
        let printed = String::from_utf8_lossy(&read).into_owned();
        if result["exit_code"].is_null() {
            return Ok(None);
        }
        let outcome = match self.language {
            Language::Python => read_pytest(&printed),
            Language::Rust => read_cargo(&printed),
        };
        let is_broken = outcome.passed.is_empty() && outcome.failed.is_empty();
        Ok((!is_broken).then_some(outcome))
    }

    /// Runs all tests with coverage, which the server keeps.
    pub(super) fn record(&self) -> Result<(), Failure> {
        let params = json!({ "coverage": true, "runner": "pytest", "timeout_ms": 600_000 });
        let result = self.call(Server::WithCoverage, "test", &params)?;
        match result["coverage"].is_object() {
            true => Ok(()),
            false => Err(format!("{}: coverage: {result}", self.name)),
        }
    }

    /// What the server selects for the change.
    pub(super) fn affected(&self, server: Server) -> Result<Selection, Failure> {
        let runner = match self.language {
            Language::Python => "pytest",
            Language::Rust => "cargo test",
        };
        let params = json!({ "affected": true, "dry_run": true, "runner": runner });
        let result = self.call(server, "test", &params)?;
        let affected = &result["affected"];
        if affected.is_null() {
            return Err(format!("{}: {result}", self.name));
        }
        let tests = affected["tests"].as_array().into_iter().flatten().map(text).collect();
        Ok(Selection {
            tests,
            all: !affected["all_because"].is_null(),
            milliseconds: affected["selection_ms"].as_u64().unwrap_or_default(),
        })
    }

    fn call(&self, server: Server, tool: &str, params: &Value) -> Result<Value, Failure> {
        let state = match server {
            Server::Plain => "plain",
            Server::WithCoverage => "coverage",
        };
        let state = self.folder.join("../state").join(state);
        let path = std::env::var("PATH").unwrap_or_default();
        let output = Command::new(&self.server)
            .args(["call", "--yes", tool, &params.to_string(), "--workspace"])
            .arg(&self.folder)
            .env("PATH", format!("{}:{path}", self.folder.join("../bin").display()))
            .env("XDG_STATE_HOME", state)
            .output()
            .map_err(|error| format!("{}: {error}", self.server.display()))?;
        serde_json::from_slice(&output.stdout).map_err(|error| {
            format!("{tool}: {error}: {}", String::from_utf8_lossy(&output.stderr))
        })
    }

    /// Whether a test is meant by what a runner or the server calls a test, a class or a file.
    pub(super) fn is_in(&self, test: &str, selected: &str) -> bool {
        match self.language {
            Language::Python => test.strip_prefix(selected).is_some_and(|rest| {
                rest.is_empty() || rest.starts_with("::") || rest.starts_with('[')
            }),
            Language::Rust => test.contains(selected),
        }
    }

    /// The files that are no tests.
    pub(super) fn sources(&self) -> Result<Vec<PathBuf>, Failure> {
        let extension = match self.language {
            Language::Python => "py",
            Language::Rust => "rs",
        };
        let mut found = Vec::new();
        collect(&self.folder, &mut |path| {
            let below =
                path.strip_prefix(&self.folder).unwrap_or(path).to_string_lossy().into_owned();
            let is_other =
                ["test", "docs/", "examples", "benches", "setup.py", "target/", "build.rs"]
                    .iter()
                    .any(|part| below.contains(part));
            if path.extension().is_some_and(|own| own == extension) && !is_other {
                found.push(path.to_owned());
            }
        })?;
        found.sort();
        Ok(found)
    }
}

/// Writes a `pytest` that runs the component's, from wherever it is, with the project's own packages.
fn wrapper(folder: &Path, tools: &Path) -> Result<(), Failure> {
    let path = folder.join("pytest");
    let tools = tools.display();
    let script = format!(
        "#!/bin/sh\nexport PYTHONPATH=\"$PYTHONPATH:.:src\" PYTHONDONTWRITEBYTECODE=1\n\
         exec {tools}/python {tools}/pytest -p no:cacheprovider \"$@\"\n"
    );
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&path, script))
        .and_then(|()| fs::set_permissions(&path, PermissionsExt::from_mode(0o755)))
        .map_err(|error| format!("{}: {error}", path.display()))
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn git(folder: &Path, words: &[&str]) -> Result<(), Failure> {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(words);
    process::run(&mut git, MAX_STEP, &folder.with_extension("git.log")).map(drop)
}

/// An archive that cargo has fetched for this workspace.
fn downloaded_crate(name: &str, version: &str) -> Result<PathBuf, Failure> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let cache = home.unwrap_or_default().join("registry/cache");
    let registries =
        fs::read_dir(&cache).map_err(|error| format!("{}: {error}", cache.display()))?;
    let mut archives =
        registries.flatten().map(|r| r.path().join(format!("{name}-{version}.crate")));
    archives
        .find(|archive| archive.exists())
        .ok_or(format!("{name} {version} is not in {}: `cargo fetch` first", cache.display()))
}

fn read_pytest(printed: &str) -> Outcome {
    let (mut passed, mut failed) = (Vec::new(), Vec::new());
    for line in printed.lines() {
        let id = |rest: &str| {
            let id = rest.split(" - ").next().unwrap_or(rest);
            id.split('[').next().unwrap_or(id).trim().to_owned()
        };
        if let Some(rest) = line.strip_prefix("PASSED ") {
            passed.push(id(rest));
        } else if let Some(rest) = line.strip_prefix("FAILED ").or(line.strip_prefix("ERROR ")) {
            failed.push(id(rest));
        }
    }
    passed.retain(|test| !failed.contains(test));
    Outcome { passed, failed }
}

fn read_cargo(printed: &str) -> Outcome {
    let (mut passed, mut failed) = (Vec::new(), Vec::new());
    for line in printed.lines() {
        let Some((name, result)) = line.strip_prefix("test ").and_then(|l| l.rsplit_once(" ... "))
        else {
            continue;
        };
        let name = name.split(" - should panic").next().unwrap_or(name).to_owned();
        match result {
            "ok" => passed.push(name),
            "FAILED" => failed.push(name),
            _ => {}
        }
    }
    Outcome { passed, failed }
}

fn collect(folder: &Path, take: &mut dyn FnMut(&Path)) -> Result<(), Failure> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&path, take)?,
            Ok(_) => take(&path),
            Err(_) => {}
        }
    }
    Ok(())
}
