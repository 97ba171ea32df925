//! Coverage in the result of `test`.

use std::collections::HashSet;

use git_tools::files_since;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tools::Context;

use crate::findings::Coverage;
use crate::project::Project;
use crate::readers::ranges;

/// Files and ranges of a file in a result.
const MAX_FILES: usize = 20;
const MAX_RANGES: usize = 20;

/// Which lines the tests ran.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CoverageOutput {
    /// Lines with code, of all files.
    lines: u64,
    /// Those that a test ran.
    covered: u64,
    /// The files that differ from the last commit; without one, those with most lines that no test ran.
    files: Vec<FileCoverage>,
    /// Files that were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct FileCoverage {
    /// The file.
    file: String,
    /// Its lines with code.
    lines: u64,
    /// Those that a test ran.
    covered: u64,
    /// The others, as ranges: `3-5`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    uncovered: Vec<String>,
}

impl CoverageOutput {
    /// Of what a run of the project reported.
    pub(super) fn new(context: &Context<'_>, project: &Project<'_>, coverage: &Coverage) -> Self {
        let changed = files_since(context, "test", &project.folder, None).ok().flatten();
        let changed: HashSet<String> =
            changed.into_iter().flatten().map(|file| file.path.display_path()).collect();
        let file = |(file, lines): (&String, &std::collections::BTreeMap<u32, bool>)| {
            let uncovered = ranges(lines.iter().filter(|(_, run)| !**run).map(|(line, _)| *line));
            let shown = uncovered.iter().take(MAX_RANGES).map(|(from, to)| match from == to {
                true => from.to_string(),
                false => format!("{from}-{to}"),
            });
            FileCoverage {
                file: file.clone(),
                lines: lines.len() as u64,
                covered: lines.values().filter(|run| **run).count() as u64,
                uncovered: shown.collect(),
            }
        };
        let all: Vec<FileCoverage> = coverage.iter().map(file).collect();
        let (lines, covered) =
            all.iter().fold((0, 0), |sum, file| (sum.0 + file.lines, sum.1 + file.covered));
        let mut files: Vec<FileCoverage> = all
            .into_iter()
            .filter(|file| changed.is_empty() || changed.contains(&file.file))
            .collect();
        files.sort_by_key(|file| std::cmp::Reverse(file.lines - file.covered));
        let left_out = files.len().saturating_sub(MAX_FILES) as u64;
        files.truncate(MAX_FILES);
        Self { lines, covered, files, left_out: Some(left_out).filter(|count| *count > 0) }
    }
}

/// The lines of coverage that a model reads.
pub(super) fn push_coverage(lines: &mut Vec<String>, coverage: &Value) {
    if coverage.is_null() {
        return;
    }
    let count = |value: &Value, field: &str| value[field].as_u64().unwrap_or_default();
    let percent = |value: &Value| match count(value, "lines") {
        0 => 100,
        of => count(value, "covered") * 100 / of,
    };
    lines.push(format!("coverage {} % of {} lines", percent(coverage), count(coverage, "lines")));
    for file in coverage["files"].as_array().into_iter().flatten() {
        let uncovered = file["uncovered"].as_array().into_iter().flatten();
        let uncovered: Vec<&str> = uncovered.filter_map(Value::as_str).collect();
        let not_run = if uncovered.is_empty() {
            String::new()
        } else {
            format!(", not run: {}", uncovered.join(", "))
        };
        let name = file["file"].as_str().unwrap_or_default();
        lines.push(format!("  {name} {} %{not_run}", percent(file)));
    }
}
