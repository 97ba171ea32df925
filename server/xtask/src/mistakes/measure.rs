//! The server over right files and over those with a mistake, and what of its reports fits.

use super::report::{Count, Outcome};
use super::table::LanguageRow;
use super::{Mutant, Original, at};
use crate::Failure;
use crate::fresh::session::{Server, items};
use client::{Client, ClientError, file_uri};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Characters of a source line that are shown.
const MAX_SOURCE_CHARS: usize = 140;
/// Messages that do not say what is missing or unexpected.
const EMPTY: &[&str] = &["", "syntax error", "something is missing here"];

/// An error or a warning.
#[derive(Debug, Clone)]
struct Report {
    /// 0-based.
    line: usize,
    message: String,
    is_syntax: bool,
    /// The text of its line, by which reports on other lines are recognized.
    source: String,
}

/// Opens each text and compares.
///
/// # Errors
/// A server that does not start.
pub(super) fn run(
    program: &Path,
    folder: &Path,
    row: &LanguageRow,
    originals: &[Original],
    mutants: &[Mutant],
) -> Result<Outcome, Failure> {
    let root = folder.join("files");
    let home = folder.join("home");
    fs::create_dir_all(home.join("run")).map_err(|error| at(&home, &error))?;
    // Projects have settings and dependencies that are not to be measured here.
    let mut paths = Vec::new();
    for original in originals {
        let path = root.join(&original.project).join(&original.path);
        let above = path.parent().unwrap_or(&root);
        fs::create_dir_all(above).map_err(|error| at(above, &error))?;
        fs::write(&path, &original.text).map_err(|error| at(&path, &error))?;
        paths.push(path);
    }
    fs::create_dir_all(&root).map_err(|error| at(&root, &error))?;
    let client = Server { program, home: &home }.start(&root)?;
    let mut outcome = Outcome {
        language: row.id.clone(),
        checker: row.checker.clone(),
        files: originals.len(),
        ..Outcome::default()
    };
    let failed = |path: &PathBuf, error: ClientError| format!("{}: {error}", path.display());
    let mut before = Vec::new();
    for (original, path) in originals.iter().zip(&paths) {
        let reports = reports(&client, path, original, &original.text)
            .map_err(|error| failed(path, error))?;
        for report in reports.iter().filter(|report| report.is_syntax) {
            outcome.false_reports.push(describe_report(original, report));
        }
        before.push(reports);
    }
    for mutant in mutants {
        let (original, path) = (&originals[mutant.original], &paths[mutant.original]);
        let mut new =
            reports(&client, path, original, &mutant.text).map_err(|error| failed(path, error))?;
        for known in &before[mutant.original] {
            let same = |its: &Report| its.message == known.message && its.source == known.source;
            if let Some(index) = new.iter().position(same) {
                new.remove(index);
            }
        }
        let places = places(mutant, &original.text);
        let fits = |report: &Report| {
            places.contains(&report.line) && !EMPTY.contains(&report.message.as_str())
        };
        let (fitting, extra): (Vec<Report>, Vec<Report>) = new.iter().cloned().partition(fits);
        let count: &mut Count = outcome.kinds.entry(mutant.site.kind.clone()).or_default();
        count.confirmed += 1;
        count.extra += extra.len();
        if !extra.is_empty() {
            outcome.extra_reports.push(describe_miss(original, mutant, &new));
        }
        if fitting.is_empty() {
            outcome.misses.push(describe_miss(original, mutant, &new));
        } else {
            count.reported += 1;
        }
    }
    // A server that hangs here is killed when the client is dropped.
    let _ = client.shutdown(Duration::from_secs(20));
    let _ = fs::remove_dir_all(&home);
    Ok(outcome)
}

fn reports(
    client: &Client,
    path: &Path,
    original: &Original,
    text: &str,
) -> Result<Vec<Report>, ClientError> {
    let uri = file_uri(path);
    client.open(&uri, &original.file.lsp_id, 1, text)?;
    let answer =
        client.request("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }))?;
    client.close(&uri)?;
    client.take_unread();
    let report = |item: &Value| {
        let line = item["range"]["start"]["line"].as_u64().and_then(|n| usize::try_from(n).ok());
        let line = line.unwrap_or_default();
        let severity = item["severity"].as_u64().unwrap_or(1);
        (severity <= 2).then(|| Report {
            line,
            message: item["message"].as_str().unwrap_or_default().to_owned(),
            is_syntax: item["code"].is_null(),
            source: text.lines().nth(line).unwrap_or_default().trim().to_owned(),
        })
    };
    Ok(items(answer).iter().filter_map(report).collect())
}

/// The lines that a report may stand on: those of the mistake, the nearest others that are not blank
/// before and after them, and that of the other half.
pub(super) fn places(mutant: &Mutant, original: &str) -> Vec<usize> {
    let text = &mutant.text;
    let lines: Vec<&str> = text.lines().collect();
    let line =
        |at: usize| text.as_bytes()[..at.min(text.len())].iter().filter(|b| **b == b'\n').count();
    let site = &mutant.site;
    let (first, last) = (line(site.start), line(site.start + site.replacement.len()));
    let is_code = |line: &usize| lines.get(*line).is_some_and(|text| !text.trim().is_empty());
    let mut places: Vec<usize> = (first..=last).collect();
    places.extend((0..first).rev().find(is_code));
    places.extend((last + 1..lines.len()).find(is_code));
    places.extend([first.saturating_sub(1), last + 1]);
    if let Some(start) = site.half {
        let moved = |at: usize| if at >= site.end { at + text.len() - original.len() } else { at };
        places.push(line(moved(start)));
    }
    places
}

fn describe_report(original: &Original, report: &Report) -> String {
    format!(
        "{}/{}:{}: {} | {}",
        original.project,
        original.path.display(),
        report.line + 1,
        report.message,
        cut(&report.source)
    )
}

fn describe_miss(original: &Original, mutant: &Mutant, reports: &[Report]) -> String {
    let start = mutant.site.start;
    let line = mutant.text[..start].matches('\n').count();
    let column = start - mutant.text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let old = &original.text[start..mutant.site.end];
    let got: Vec<String> =
        reports.iter().map(|its| format!("{}: {}", its.line + 1, its.message)).collect();
    format!(
        "[{}] {}/{}:{}:{} {:?} -> {:?} | {}\n    got {}; the checker: {}: {}",
        mutant.site.kind,
        original.project,
        original.path.display(),
        line + 1,
        column + 1,
        cut(old),
        cut(&mutant.site.replacement),
        cut(mutant.text.lines().nth(line).unwrap_or_default().trim()),
        if got.is_empty() { "nothing".to_owned() } else { got.join("; ") },
        mutant.refusal.line,
        cut(&mutant.refusal.message),
    )
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_SOURCE_CHARS).collect()
}
