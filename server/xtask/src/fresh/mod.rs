//! `cargo xtask fresh`: the real server over unmodified projects, and every diagnostic it gives.
//!
//! Their code is right, so what is reported is false unless a person has found it true. The rule:
//! no error, and at most one warning per 10,000 lines.

pub(crate) mod fetch;
pub(crate) mod files;
mod findings;
pub(crate) mod projects;
pub(crate) mod session;
mod table;

use crate::workspace::{Workspace, cargo};
use crate::{Failure, components};
use clap::Args;
use findings::{Finding, KnownTrue, Severity};
use session::Server;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;
use table::ProjectCounts;

/// The page that has the tables of the last run, behind this line.
const DOCS: &str = "docs/fresh.md";
const MARK: &str = "<!-- tables -->";

/// Options of a measurement.
#[derive(Args)]
pub(crate) struct Options {
    /// Only projects with this in their name.
    #[arg(long)]
    only: Vec<String>,
    /// Only projects of this kind, such as `react`.
    #[arg(long)]
    kind: Vec<String>,
    /// These folders, each a project, instead of those of the table. A folder called
    /// `KIND--NAME` is of that kind.
    #[arg(long, num_args = 1..)]
    dir: Vec<PathBuf>,
    /// Print each finding too; they are always in a file.
    #[arg(long)]
    list: bool,
    /// The server to run, instead of the release build of this workspace.
    #[arg(long)]
    server: Option<PathBuf>,
    /// Write the tables into docs/fresh.md, too.
    #[arg(long, conflicts_with_all = ["dir", "only", "kind"])]
    docs: bool,
    /// Where the list and the tables go, instead of the target folder.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Projects that are measured at a time, instead of one for each processor.
    #[arg(long)]
    jobs: Option<usize>,
}

/// A project on disk.
struct Project {
    name: String,
    kind: String,
    root: PathBuf,
}

/// Measures, prints the tables, and fails where the rule is broken.
///
/// # Errors
/// A server that does not build or run, and what breaks the rule.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<(), Failure> {
    let start = Instant::now();
    let program = server(workspace, options)?;
    let projects = if options.dir.is_empty() { table(options)? } else { folders(options)? };
    if projects.is_empty() {
        return Err("no project is called that".to_owned());
    }
    let out = options.out.clone().unwrap_or_else(|| workspace.target.join("fresh"));
    let out = std::path::absolute(&out).map_err(|error| at(&out, &error))?;
    let home = out.join("home");
    fs::create_dir_all(home.join("run")).map_err(|error| at(&home, &error))?;
    let server = Server { program: &program, home: &home };
    let (mut rows, failures) = measure(&server, &projects, jobs(options))?;
    let _ = fs::remove_dir_all(&home);

    let mut known = findings::known(include_str!("../../fresh-known.json"))?;
    let mut all_known = Vec::new();
    for row in &mut rows {
        let taken = findings::take_known(&mut row.findings, &mut known);
        row.known = taken.len();
        all_known.extend(taken);
    }
    report(&rows, &all_known, &failures, options.list, &out)?;
    if options.docs {
        let path = workspace.root.join(DOCS);
        let text = fs::read_to_string(&path).map_err(|error| at(&path, &error))?;
        let text = with_tables(&text, &rows).ok_or_else(|| format!("{DOCS}: no line `{MARK}`"))?;
        fs::write(&path, text).map_err(|error| at(&path, &error))?;
    }
    stale(&known, &rows);
    println!("in {:.0?}", start.elapsed());
    table::broken(&rows).map_or(Ok(()), |why| Err(format!("the rule is broken: {why}")))
}

/// The server to run, built if none was named.
fn server(workspace: &Workspace, options: &Options) -> Result<PathBuf, Failure> {
    if let Some(program) = &options.server {
        return std::path::absolute(program).map_err(|error| at(program, &error));
    }
    let status = cargo(&workspace.root)
        .args(["build", "--release", "-p", "tandem", "--features", "full"])
        .status();
    match status {
        Ok(status) if status.success() => Ok(workspace.server("release")),
        Ok(status) => Err(format!("cargo build failed ({status})")),
        Err(error) => Err(format!("cargo could not be started: {error}")),
    }
}

impl Options {
    fn wants(&self, name: &str, kind: &str) -> bool {
        let fits =
            |all: &[String], is: &dyn Fn(&String) -> bool| all.is_empty() || all.iter().any(is);
        fits(&self.only, &|part| name.contains(part)) && fits(&self.kind, &|its| kind == its)
    }
}

/// The projects of the table, fetched where they are missing.
fn table(options: &Options) -> Result<Vec<Project>, Failure> {
    let mut rows = projects::all()?;
    rows.retain(|row| options.wants(&row.name, &row.kind));
    let folders = fetch::all(&rows, &components::cache()?)?;
    let project = |(row, root): (projects::Project, PathBuf)| {
        let kind =
            if row.install.is_some() { format!("{}, installed", row.kind) } else { row.kind };
        Project { name: row.name, kind, root }
    };
    Ok(rows.into_iter().zip(folders).map(project).collect())
}

/// The folders of some projects of the table, by name, fetched where they are missing.
///
/// # Errors
/// A name that the table does not have, and what cannot be fetched.
pub(crate) fn folders_of(names: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    let mut rows = projects::all()?;
    rows.retain(|row| names.contains(&row.name.as_str()));
    if rows.len() != names.len() {
        return Err("fresh.json does not have all the projects that are asked for".to_owned());
    }
    fetch::all(&rows, &components::cache()?)
}

/// The folders that were named instead.
fn folders(options: &Options) -> Result<Vec<Project>, Failure> {
    let project = |folder: &PathBuf| -> Result<Project, Failure> {
        let root = fs::canonicalize(folder).map_err(|error| at(folder, &error))?;
        let name = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (kind, name) = match name.split_once("--") {
            Some((kind, name)) => (kind.to_owned(), name.to_owned()),
            None => ("folder".to_owned(), name),
        };
        Ok(Project { name, kind, root })
    };
    let mut projects: Vec<Project> = options.dir.iter().map(project).collect::<Result<_, _>>()?;
    projects.retain(|project| options.wants(&project.name, &project.kind));
    Ok(projects)
}

fn jobs(options: &Options) -> usize {
    // A server works out diagnostics on one thread.
    options.jobs.or_else(|| thread::available_parallelism().ok().map(usize::from)).unwrap_or(1)
}

/// Measures each project, several at a time, and returns a row for each in their order and what
/// failed.
fn measure(
    server: &Server<'_>,
    projects: &[Project],
    jobs: usize,
) -> Result<(Vec<ProjectCounts>, Vec<String>), Failure> {
    let languages = files::Languages::load()?;
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, ProjectCounts, Vec<String>)>> = Mutex::default();
    thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(project) = projects.get(index) else { break };
                    let (row, failures) = one(server, project, &languages);
                    done.lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((index, row, failures));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, ..)| *index);
    let (mut rows, mut all_failures) = (Vec::new(), Vec::new());
    for (_, row, failures) in done {
        rows.push(row);
        all_failures.extend(failures);
    }
    Ok((rows, all_failures))
}

fn one(
    server: &Server<'_>,
    project: &Project,
    languages: &files::Languages,
) -> (ProjectCounts, Vec<String>) {
    let Project { name, kind, root } = project;
    let mut row =
        ProjectCounts { project: name.clone(), kind: kind.clone(), ..ProjectCounts::default() };
    let measured = files::find(root, languages).and_then(|sources| {
        if sources.too_long > 0 {
            println!("{name}: {} files are too long to open", sources.too_long);
        }
        server.measure(name, root, &sources.files)
    });
    match measured {
        Ok(measured) => {
            println!(
                "{name}: {} files, {} lines, {} findings; read in {:.1?}, all in {:.1?}",
                measured.files,
                measured.lines,
                measured.findings.len(),
                measured.reading,
                measured.took
            );
            row.files = measured.files;
            row.lines = measured.lines;
            row.findings = measured.findings;
            row.failures = measured.failures.len();
            (row, measured.failures)
        }
        Err(error) => {
            row.failures = 1;
            (row, vec![format!("{name}: {error}")])
        }
    }
}

/// Prints the tables and writes them with the list of findings.
fn report(
    rows: &[ProjectCounts],
    known: &[Finding],
    failures: &[String],
    list: bool,
    out: &Path,
) -> Result<(), Failure> {
    let mut findings: Vec<&Finding> = rows.iter().flat_map(|row| &row.findings).collect();
    findings.sort_by_key(|finding| finding.severity);
    let mut lines: Vec<String> = failures.iter().map(|line| format!("FAILED {line}")).collect();
    lines.extend(findings.iter().map(ToString::to_string));
    lines.extend(known.iter().map(|finding| format!("known true: {finding}")));
    let text = lines.iter().fold(String::new(), |text, line| text + line + "\n");
    if list {
        print!("{text}");
    } else {
        for failure in failures {
            println!("FAILED {failure}");
        }
    }
    let tables = format!("{}\n{}", table::by_project(rows), table::by_cause(rows));
    println!("\n{tables}");
    for (name, text) in [("findings.txt", &text), ("tables.md", &tables)] {
        let path = out.join(name);
        fs::write(&path, text).map_err(|error| at(&path, &error))?;
    }
    let shown = findings.iter().filter(|finding| finding.severity != Severity::Hint).count();
    println!(
        "{shown} errors and warnings, {} hints, {} known to be true: {}",
        findings.len() - shown,
        known.len(),
        out.join("findings.txt").display()
    );
    Ok(())
}

/// The page with the tables of this run in place of those that it has.
fn with_tables(page: &str, rows: &[ProjectCounts]) -> Option<String> {
    let (before, _) = page.split_once(MARK)?;
    Some(format!("{before}{MARK}\n\n{}\n{}", table::by_project(rows), table::by_cause(rows)))
}

/// Names the entries that apply to nothing any more in the projects that were measured.
fn stale(known: &[KnownTrue], rows: &[ProjectCounts]) {
    let measured = |entry: &&KnownTrue| rows.iter().any(|row| row.project == entry.project);
    for entry in known.iter().filter(|entry| entry.used == 0).filter(measured) {
        println!(
            "fresh-known.json: not reported any more: {}/{}: {}",
            entry.project, entry.path, entry.text
        );
    }
}

fn at(path: &Path, error: &std::io::Error) -> Failure {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_contains_the_tables_of_the_run() {
        let row =
            ProjectCounts { project: "p".into(), kind: "go".into(), ..ProjectCounts::default() };
        let page = with_tables("a\n<!-- tables -->\n\nold\n", &[row]).unwrap();
        assert!(page.starts_with("a\n<!-- tables -->\n\n| project |"), "{page}");
        assert!(page.contains("| p | go |") && !page.contains("old"), "{page}");
        assert_eq!(with_tables("a page without the mark", &[]), None);
    }

    #[test]
    fn a_folder_has_its_kind_in_its_name() {
        let root = std::env::temp_dir().join(format!("xtask-kind-{}", std::process::id()));
        let folder = root.join("react--app");
        fs::create_dir_all(&folder).unwrap();
        let options = |kind: &str| Options {
            only: Vec::new(),
            kind: vec![kind.to_owned()],
            dir: vec![folder.clone()],
            list: false,
            server: None,
            docs: false,
            out: None,
            jobs: None,
        };
        let found = folders(&options("react")).unwrap();
        assert_eq!((found[0].name.as_str(), found[0].kind.as_str()), ("app", "react"));
        assert!(folders(&options("vue")).unwrap().is_empty());
        fs::remove_dir_all(root).unwrap();
    }
}
