//! `cargo xtask affected`: whether `test` with `affected` selects the tests that a change breaks.
//!
//! A seed chooses places in the sources of real projects, and each place is changed as a careless edit
//! would: another operator, a negated condition, another number. All tests run; those that fail now and
//! passed before should have been selected. Everything runs in the sandbox of `run_command`.

mod mutations;
mod project;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::Value;

use self::mutations::{Mutation, mutations};
use self::project::{Language, Outcomes, Project, Selection, Server};
use crate::mistakes::Random;
use crate::workspace::{Workspace, cargo};
use crate::{Failure, process, setup};

/// The page that has the table of the last run, behind this line.
const DOCS: &str = "docs/checks.md";
const MARK: &str = "<!-- affected tests -->";
/// Mutations tried for one that a test notices.
const TRIES: usize = 4;
/// Limit for building the server.
const MAX_BUILD: Duration = Duration::from_secs(3_600);

/// Options of a measurement.
#[derive(Args)]
pub(crate) struct Options {
    /// Only these projects.
    #[arg(long)]
    project: Vec<String>,
    /// Mutations that a test notices, over all projects.
    #[arg(long, default_value_t = 200)]
    count: usize,
    /// What determines the mutations.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The server to run, instead of the release build of this workspace.
    #[arg(long)]
    server: Option<PathBuf>,
    /// Write the table into docs/checks.md.
    #[arg(long, conflicts_with = "project")]
    docs: bool,
}

/// What was measured of a project.
#[derive(Default)]
struct Row {
    name: String,
    tests: usize,
    mutations: usize,
    /// Mutations of which all failing tests were selected.
    seen: usize,
    /// Failing tests, and those that were not selected.
    failing: usize,
    missed: usize,
    /// The share of tests that were skipped, of each mutation.
    skipped: Vec<f64>,
    /// The same with a kept run with coverage, and failing tests that were not selected then.
    skipped_with_coverage: Vec<f64>,
    missed_with_coverage: usize,
    milliseconds: Vec<u64>,
}

/// Measures all projects.
///
/// # Errors
/// If a project cannot be fetched, or its tests do not run.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<(), Failure> {
    let server = match &options.server {
        Some(server) => server.clone(),
        None => release_server(workspace)?,
    };
    let components = setup::run("setup")?;
    let tools = components.into_iter().find(|component| component.name == "check-tools");
    let tools = tools.ok_or("components.json has no check-tools")?.program?;
    let folder = workspace.target.join("affected");
    let table: Value = serde_json::from_str(include_str!("../../affected.json"))
        .map_err(|error| format!("affected.json: {error}"))?;
    let mut projects = Vec::new();
    for row in table.as_array().into_iter().flatten() {
        let name = row["name"].as_str().unwrap_or_default();
        if options.project.is_empty() || options.project.iter().any(|wanted| wanted == name) {
            projects.push(Project::fetch(row, &folder, &server, &tools)?);
        }
    }
    let each = options.count.div_ceil(projects.len().max(1));
    let mut rows = Vec::new();
    for project in &projects {
        let row = measure(project, each, options.seed)?;
        println!("{}", line(&row));
        rows.push(row);
    }
    let text = page(&rows);
    println!("\n{text}");
    if options.docs {
        let path = workspace.root.join(DOCS);
        let page = fs::read_to_string(&path).map_err(|error| format!("{DOCS}: {error}"))?;
        let (before, rest) = page.split_once(MARK).ok_or(format!("{DOCS}: has no `{MARK}`"))?;
        let after = rest.find("\n## ").map_or("", |at| &rest[at..]);
        let page = format!("{before}{MARK}\n\n{text}{after}");
        fs::write(&path, page).map_err(|error| format!("{DOCS}: {error}"))?;
    }
    Ok(())
}

fn release_server(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let mut build = cargo(&workspace.root);
    build.args(["build", "--release", "--package=tandem", "--all-features"]);
    process::run(&mut build, MAX_BUILD, &workspace.target.join("affected-build.log"))?;
    Ok(workspace.server("release"))
}

fn measure(project: &Project, count: usize, seed: u64) -> Result<Row, Failure> {
    let mut outcomes = Outcomes::read(project);
    let passing = project.baseline(&mut outcomes)?;
    if project.language == Language::Python {
        project.record()?;
    }
    let mut row = Row { name: project.name.clone(), tests: passing.len(), ..Row::default() };
    let mut places = mutations(project)?;
    Random::new(seed).shuffle(&mut places);
    for place in places.iter().take(count * TRIES) {
        if row.mutations >= count {
            break;
        }
        let original = place.apply()?;
        let measured = one(project, &passing, place, &mut outcomes, &mut row);
        fs::write(&place.file, original).map_err(|error| error.to_string())?;
        measured?;
        outcomes.write(project)?;
    }
    Ok(row)
}

fn one(
    project: &Project,
    passing: &[String],
    place: &Mutation,
    outcomes: &mut Outcomes,
    row: &mut Row,
) -> Result<(), Failure> {
    let key = place.key();
    if !outcomes.mutations.contains_key(&key) {
        outcomes.mutations.insert(key.clone(), project.run_tests()?);
    }
    // It does not compile, or takes for ever.
    let Some(Some(outcome)) = outcomes.mutations.get(&key) else { return Ok(()) };
    let failing: Vec<&String> = passing
        .iter()
        .filter(|test| outcome.failed.iter().any(|f| project.is_in(test, f)))
        .collect();
    if failing.is_empty() {
        return Ok(());
    }
    let measure = |server: Server| -> Result<(usize, f64, u64), Failure> {
        let Selection { tests, all, milliseconds } = project.affected(server)?;
        let is_selected = |test: &String| all || tests.iter().any(|one| project.is_in(test, one));
        let missed: Vec<&&String> = failing.iter().filter(|test| !is_selected(test)).collect();
        if let Some(first) = missed.first() {
            let with = if server == Server::WithCoverage { " with coverage" } else { "" };
            let (name, count, of) = (&project.name, missed.len(), failing.len());
            println!("  {name}: {place}: {count} of {of} missed{with}: {first}");
        }
        let selected = passing.iter().filter(|test| is_selected(test)).count();
        Ok((missed.len(), 1.0 - selected as f64 / passing.len() as f64, milliseconds))
    };
    let (missed, skipped, milliseconds) = measure(Server::Plain)?;
    row.mutations += 1;
    row.seen += usize::from(missed == 0);
    row.failing += failing.len();
    row.missed += missed;
    row.skipped.push(skipped);
    row.milliseconds.push(milliseconds);
    if project.language == Language::Python {
        let (missed, skipped, _) = measure(Server::WithCoverage)?;
        row.missed_with_coverage += missed;
        row.skipped_with_coverage.push(skipped);
    }
    Ok(())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn line(row: &Row) -> String {
    let percent = |value: f64| format!("{:.0} %", value * 100.0);
    let with_coverage = if row.skipped_with_coverage.is_empty() {
        "– | –".to_owned()
    } else {
        let skipped = &row.skipped_with_coverage;
        let [mean, median] = [mean(skipped), median(skipped)].map(percent);
        format!("{} | {mean}, {median}", row.missed_with_coverage)
    };
    let mut times = row.milliseconds.clone();
    times.sort_unstable();
    format!(
        "| {} | {} | {} | {} | {} | {} | {}, {} | {with_coverage} | {} |",
        row.name,
        row.tests,
        row.mutations,
        row.seen,
        row.failing,
        row.missed,
        percent(mean(&row.skipped)),
        percent(median(&row.skipped)),
        times.get(times.len() / 2).copied().unwrap_or_default(),
    )
}

fn page(rows: &[Row]) -> String {
    let mut all = Row { name: "all".to_owned(), ..Row::default() };
    for row in rows {
        all.tests += row.tests;
        all.mutations += row.mutations;
        all.seen += row.seen;
        all.failing += row.failing;
        all.missed += row.missed;
        all.skipped.extend(&row.skipped);
        all.skipped_with_coverage.extend(&row.skipped_with_coverage);
        all.missed_with_coverage += row.missed_with_coverage;
        all.milliseconds.extend(&row.milliseconds);
    }
    let mut lines = vec![
        "| project | tests | mutations | all failing tests selected | failing tests | missed | \
         skipped: mean, median | missed with coverage | skipped with coverage | selection, median ms |"
            .to_owned(),
        "|---|---|---|---|---|---|---|---|---|---|".to_owned(),
    ];
    lines.extend(rows.iter().chain([&all]).map(line));
    let recall = 1.0 - all.missed as f64 / all.failing.max(1) as f64;
    lines.push(String::new());
    lines.push(format!("Recall over failing tests: {recall:.4}."));
    lines.join("\n") + "\n"
}
