//! The text of Rust's test programs, between the lines in which cargo names them.
//!
//! Stable Rust has no machine output. Counts are those of each program's summary; names, messages and
//! output of failed tests are in the sections before it.

use std::collections::VecDeque;

use super::lines::LineFormat;
use crate::findings::{Failure, Findings};

/// Lines kept of one section.
const MAX_SECTION_LINES: usize = 400;
/// Last lines kept of a program, in case it crashes.
const MAX_LAST_LINES: usize = 30;
/// Failed tests kept of one program.
const MAX_FAILED: usize = 1_000;

/// The format.
#[derive(Default)]
pub(crate) struct Libtest {
    /// The test program that runs.
    program: Option<Program>,
    /// Where the failures of the last program begin, until cargo prints how to run it again.
    unnamed: Option<usize>,
}

#[derive(Default)]
struct Program {
    name: String,
    /// Tests by their result lines; the summary replaces them.
    passed: u64,
    skipped: u64,
    failed: Vec<String>,
    /// The sections of failed tests, and whether one is being read.
    sections: Vec<(String, Vec<String>)>,
    in_section: bool,
    last: VecDeque<String>,
    /// The words that run it again, if cargo printed them before the crash.
    unit: Option<Vec<String>>,
    is_finished: bool,
}

impl LineFormat for Libtest {
    fn line(&mut self, line: &str, found: &mut Findings) {
        let trimmed = line.trim_start();
        if trimmed.len() < line.len() {
            if let Some(rest) = trimmed.strip_prefix("Running ") {
                return self.start(rest, found);
            }
            if let Some(rest) = trimmed.strip_prefix("Doc-tests ") {
                return self.start(&format!("documentation of {rest}"), found);
            }
            if let Some(rest) = trimmed.strip_prefix("process didn't exit successfully: ") {
                return self.crash(rest, found);
            }
        }
        if let Some(unit) = rerun(line) {
            return self.name_unit(unit, found);
        }
        if let Some(program) = &mut self.program {
            let start = found.failures.len();
            program.line(line, found);
            if found.failures.len() > start {
                self.unnamed = Some(start);
            }
        }
    }

    fn end(&mut self, found: &mut Findings) {
        self.settle(found);
    }
}

impl Libtest {
    fn start(&mut self, name: &str, found: &mut Findings) {
        self.settle(found);
        let name = name.split(" (").next().unwrap_or(name);
        let name = name.strip_prefix("unittests ").unwrap_or(name).to_owned();
        self.program = Some(Program { name, ..Program::default() });
        self.unnamed = None;
    }

    /// Takes what a program without a summary has printed.
    fn settle(&mut self, found: &mut Findings) {
        match &mut self.program {
            Some(program) if !program.is_finished && program.unit.is_some() => {
                self.crash("it ended before its tests did", found);
            }
            Some(program) if !program.is_finished => program.take_results(None, found),
            _ => {}
        }
        self.program = None;
    }

    /// Cargo says how a program ended. One without a summary crashed.
    fn crash(&mut self, ended: &str, found: &mut Findings) {
        let Some(mut program) = self.program.take().filter(|program| !program.is_finished) else {
            return;
        };
        let start = found.failures.len();
        program.take_results(None, found);
        let how = ended.rsplit_once("` (").map_or(ended, |(_, how)| how.trim_end_matches(')'));
        let culprit = program.last.iter().find_map(|line| {
            let rest = line.trim_start().strip_prefix("thread '")?;
            Some(rest.split_once('\'')?.0.to_owned())
        });
        let culprit = culprit.filter(|name| name != "main");
        found.fail(Failure {
            name: culprit.clone().unwrap_or_else(|| program.name.clone()),
            id: culprit.unwrap_or_default(),
            message: format!("the test program crashed: {how}"),
            output: Vec::from(std::mem::take(&mut program.last)).join("\n"),
            ..Failure::default()
        });
        let unit = program.unit.unwrap_or_default();
        for failure in found.failures.iter_mut().skip(start) {
            failure.unit.clone_from(&unit);
        }
    }

    /// Cargo says with which words the last failed program runs again.
    fn name_unit(&mut self, unit: Vec<String>, found: &mut Findings) {
        match &mut self.program {
            // The next line says how it crashed.
            Some(program) if !program.is_finished => program.unit = Some(unit),
            _ => {
                let start = self.unnamed.take().unwrap_or(found.failures.len());
                let failures = found.failures.iter_mut().skip(start);
                for failure in failures.filter(|one| one.unit.is_empty()) {
                    failure.unit.clone_from(&unit);
                }
            }
        }
    }
}

impl Program {
    fn line(&mut self, line: &str, found: &mut Findings) {
        if self.is_finished {
            return;
        }
        found.has_tests |= line.starts_with("running ") && line.contains(" test");
        if let Some(summary) = line.strip_prefix("test result: ") {
            self.take_results(Some(summary), found);
            return;
        }
        if let Some(name) = section(line) {
            self.in_section = true;
            if self.sections.len() < MAX_FAILED {
                self.sections.push((name.to_owned(), Vec::new()));
            }
            return;
        }
        if line == "failures:" || line == "successes:" {
            self.in_section = false;
            return;
        }
        if self.in_section
            && let Some((_, lines)) = self.sections.last_mut()
        {
            if lines.len() < MAX_SECTION_LINES {
                lines.push(line.to_owned());
            }
            return;
        }
        let is_frame = line.is_empty() || line.starts_with("running ") || line == "Caused by:";
        if !self.result(line, found) && !is_frame {
            if self.last.len() == MAX_LAST_LINES {
                self.last.pop_front();
            }
            self.last.push_back(line.to_owned());
        }
    }

    /// Takes the line of a test's result; false if it is none.
    fn result(&mut self, line: &str, found: &mut Findings) -> bool {
        let Some(rest) = line.strip_prefix("test ") else { return false };
        if let Some((name, _)) = rest.split_once(" has been running for over ") {
            found.begin(name);
            return true;
        }
        let Some((name, result)) = rest.rsplit_once(" ... ") else { return false };
        found.end(name);
        if result.starts_with("ok") || result.starts_with("bench") {
            self.passed += 1;
        } else if result.starts_with("ignored") {
            self.skipped += 1;
        } else if result.starts_with("FAILED") {
            if self.failed.len() < MAX_FAILED {
                let name = name.strip_suffix(" - should panic").unwrap_or(name);
                self.failed.push(name.to_owned());
            }
        } else {
            return false;
        }
        true
    }

    fn take_results(&mut self, summary: Option<&str>, found: &mut Findings) {
        self.is_finished = true;
        let count = |what: &str| {
            let part = summary?.split(['.', ';']).find_map(|part| part.trim().strip_suffix(what));
            part.and_then(|number| number.trim().parse::<u64>().ok())
        };
        let failed = count(" failed");
        found.passed += count(" passed").unwrap_or(self.passed);
        found.skipped += count(" ignored").unwrap_or(self.skipped);
        found.has_tests |= summary.is_some() || self.passed + self.skipped > 0;
        let mut sections = std::mem::take(&mut self.sections);
        // Result lines may be torn by output of the tests; sections are not.
        for (name, _) in &sections {
            if !self.failed.contains(name) {
                self.failed.push(name.clone());
            }
        }
        for name in &self.failed {
            let lines = sections.iter_mut().find(|(section, _)| section == name);
            let lines = lines.map(|(_, lines)| std::mem::take(lines)).unwrap_or_default();
            found.fail(failure(name, &lines));
        }
        found.failed += failed.unwrap_or(0).saturating_sub(self.failed.len() as u64);
    }
}

/// The name of the test whose output follows this line.
fn section(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("---- ")?.strip_suffix(" ----")?;
    rest.strip_suffix(" stdout").or_else(|| rest.strip_suffix(" stderr"))
}

/// The words with which cargo says that the failed program runs again.
fn rerun(line: &str) -> Option<Vec<String>> {
    let rest = line.strip_prefix("error: ")?;
    let (what, rest) = rest.split_once(", to rerun pass `")?;
    if !what.ends_with("test failed") {
        return None;
    }
    shlex::split(rest.strip_suffix('`')?)
}

pub(super) fn failure(name: &str, lines: &[String]) -> Failure {
    let mut failure = Failure { name: name.to_owned(), id: name.to_owned(), ..Failure::default() };
    let panic = lines.iter().position(|line| is_panic(line));
    let (before, after) = lines.split_at(panic.unwrap_or(lines.len()));
    let mut output: Vec<&str> = before.iter().map(String::as_str).collect();
    let mut message = Vec::new();
    if let [first, rest @ ..] = after {
        let place = first.split_once(" panicked at ").map_or("", |(_, place)| place);
        (failure.file, failure.line) = location(place.trim_end_matches(':'));
        let end = rest.iter().position(|line| {
            line.starts_with("note: run with `RUST_BACKTRACE")
                || line.starts_with("stack backtrace:")
        });
        let (said, more) = rest.split_at(end.unwrap_or(rest.len()));
        message.extend(said.iter().map(String::as_str));
        output.extend(
            more.iter()
                .map(String::as_str)
                .filter(|line| !line.starts_with("note: run with `RUST_BACKTRACE")),
        );
    } else if let Some(last) = output.iter().rposition(|line| !line.trim().is_empty()) {
        // A test that returns an error, or did not panic as it should.
        let line = output.remove(last);
        if let Some((_, place)) = line.rsplit_once(" at ") {
            (failure.file, failure.line) = location(place);
        }
        message.push(line);
    }
    failure.message = message.join("\n").trim().to_owned();
    if failure.message.is_empty() {
        failure.message = "it failed".to_owned();
    }
    failure.output = output.join("\n").trim().to_owned();
    // The name of an example in documentation says where it is.
    if let Some((file, rest)) = name.split_once(" - ")
        && let Some((_, line)) = rest.rsplit_once("(line ")
    {
        failure.file = Some(file.to_owned());
        failure.line = line.trim_end_matches(')').parse().ok();
        // rustdoc splits the filter at its spaces, so a rerun would run other examples too.
        failure.id = String::new();
    }
    failure
}

fn is_panic(line: &str) -> bool {
    line.starts_with("thread '") && line.contains(" panicked at ")
}

/// `FILE:LINE:COLUMN`.
fn location(place: &str) -> (Option<String>, Option<u32>) {
    let mut parts = place.rsplitn(3, ':');
    let _column = parts.next();
    match (parts.next().and_then(|line| line.parse().ok()), parts.next()) {
        (Some(line), Some(file)) => (Some(file.to_owned()), Some(line)),
        _ => (None, None),
    }
}
