//! Runs the commands of a check and reads what they print.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use process::{Captured, ExitStatus, KillReason, OutputStream};
use tools::{Context, CreatedGuarded, Effect, ProgramRun, ToolError};
use workspace::{ContentHash, FileKind, FilePath, Folder};

use crate::choice::{Choice, near_program};
use crate::findings::{Findings, Severity};
use crate::kinds::{CoverageSettings, Runner, Selects, Stream, Values, expand};
use crate::packages::Packages;
use crate::paths::Paths;
use crate::project::Project;
use crate::readers::{CoverageReader, Format, Reader, read_report, reader};
use crate::recording::Recording;

/// Captured of each stream of each command, in bytes: for the log.
const MAX_CAPTURED_BYTES: usize = 512 << 10;
/// Interval between reports of progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);
/// Report files that are read, and their bytes all together.
const MAX_REPORTS: usize = 5_000;
const MAX_REPORT_BYTES: usize = 256 << 20;
/// Longest line of progress, in characters.
const MAX_PROGRESS_CHARS: usize = 120;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With this exit code; 128 plus the number of the signal that ended it.
    Exit(i32),
    /// It took too long and was killed.
    TimedOut,
    /// The call was cancelled, and it was killed.
    Cancelled,
    /// Something else killed it.
    Killed,
}

/// The commands of a check.
pub(crate) struct Plan<'k> {
    pub(crate) tool: &'static str,
    pub(crate) runner: &'k Runner,
    folder: FilePath,
    cwd: String,
    /// The last one is the check itself.
    commands: Vec<Vec<String>>,
    network: bool,
    packages: Packages<'k>,
    /// The environment of its commands.
    env: BTreeMap<String, String>,
    /// If it reports which lines tests run.
    coverage: Option<&'k CoverageSettings>,
    /// The program of the check, as it was found.
    program: Option<String>,
    /// Whether files that a formatter lists are what is wrong: some end well then, as `gofmt -l`.
    only_checks: bool,
    /// Where a plugin records which functions each test runs.
    pub(crate) recording: Option<Recording>,
}

/// What a run of a check brought.
pub(crate) struct Outcome {
    pub(crate) found: Findings,
    pub(crate) ended: Ended,
    pub(crate) duration: Duration,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Everything printed, with the commands.
    pub(crate) log: String,
    pub(crate) created_guarded: Vec<CreatedGuarded>,
}

impl<'k> Plan<'k> {
    /// The commands of `choice` for these values.
    ///
    /// # Errors
    /// If the runner has no place for one of them.
    pub(crate) fn new(
        context: &Context<'_>,
        tool: &'static str,
        project: &Project<'_>,
        choice: &Choice<'k>,
        values: &Values,
        network: bool,
    ) -> Result<Self, ToolError> {
        let runner = choice.runner;
        let mut commands = Vec::new();
        let coverage = runner.coverage.as_ref().filter(|_| values.contains_key("coverage"));
        if let Some(coverage) = coverage
            && let Some(program) = coverage.needs.iter().find(|program| {
                near_program(context, runner, &project.folder, program).is_none()
                    && !process::has_program(program)
            })
        {
            return Err(choice.unavailable(tool, program, &coverage.install));
        }
        let own = coverage.and_then(|coverage| coverage.command.as_ref());
        let all = runner.before.iter().chain([own.unwrap_or(&runner.command)]);
        for command in all {
            let mut words = expand(runner, command, values).map_err(|name| {
                let message = format!("{tool}: {} has no `{name}`", runner.name);
                ToolError::new(tools::Code::Unsupported, message).hint("leave it out")
            })?;
            if let Some(program) = words.first_mut()
                && let Some(near) = near_program(context, runner, &project.folder, program)
            {
                *program = near;
            }
            commands.push(words);
        }
        let program = commands.last().and_then(|words| words.first().cloned());
        let kind = choice.kind;
        let mut packages = Packages::new(context, &kind.name, kind.packages.as_ref(), network);
        let recorder = coverage.and_then(|coverage| coverage.recorder);
        let recording = recorder.and_then(|recorder| Recording::new(context, recorder));
        if let Some(recording) = &recording {
            packages.env.extend(recording.environment());
            packages.writable.push(recording.folder());
        }
        let more = coverage.map(|coverage| &coverage.env);
        let env = packages.env.iter().chain(&runner.env).chain(more.into_iter().flatten());
        let env = env.map(|(name, value)| (name.clone(), value.clone())).collect();
        Ok(Self {
            tool,
            runner,
            folder: project.folder.clone(),
            cwd: project.folder.absolute().to_string_lossy().into_owned(),
            commands,
            network,
            packages,
            env,
            coverage,
            program,
            only_checks: values.contains_key("check"),
            recording,
        })
    }

    /// The effects of running it.
    pub(crate) fn effects(&self, context: &Context<'_>) -> Result<Vec<Effect>, ToolError> {
        let mut effects: Vec<Effect> = Vec::new();
        for words in &self.commands {
            for effect in self.program_run(words).effects(context)? {
                if !effects.contains(&effect) {
                    effects.push(effect);
                }
            }
        }
        Ok(effects)
    }

    /// The command of the check as a line for a shell.
    pub(crate) fn line(&self) -> String {
        self.commands.last().map(|words| self.program_run(words).line()).unwrap_or_default()
    }

    /// The line that runs just the tests `ids` of one unit again.
    pub(crate) fn rerun_line(&self, unit: &[String], id: &str) -> Option<String> {
        let mut values = Values::new();
        if !unit.is_empty() {
            values.insert("unit", unit.to_vec());
        }
        if !id.is_empty() {
            values.insert("only", vec![self.runner.quote.apply(id)]);
        }
        if values.is_empty() {
            return None;
        }
        // In a command for a person, reports and formats are of no use; but what runs must be the same.
        let mut words = expand(self.runner, &self.runner.command, &values).ok()?;
        words.retain(|word| !is_output_option(word));
        if let (Some(first), Some(program)) = (words.first_mut(), &self.program) {
            first.clone_from(program);
        }
        let line = shlex::try_join(words.iter().map(String::as_str)).ok()?;
        Some(if self.folder.is_root() {
            line
        } else {
            format!("cd {} && {line}", shlex::try_quote(&self.folder.display_path()).ok()?)
        })
    }

    fn program_run<'p>(&'p self, words: &'p [String]) -> ProgramRun<'p> {
        ProgramRun {
            tool: self.tool,
            words,
            cwd: &self.cwd,
            env: &self.env,
            writable: &self.packages.writable,
            network: self.network,
            joins_streams: self.runner.stream == Stream::Both,
        }
    }

    /// Runs it, at most for `timeout`. Cancelling and the timeout are results.
    ///
    /// # Errors
    /// If a command does not start.
    pub(crate) fn run(
        &self,
        context: &Context<'_>,
        timeout: Duration,
    ) -> Result<Outcome, ToolError> {
        self.packages.create(self.tool)?;
        if let Some(recording) = &self.recording {
            recording.create(self.tool)?;
        }
        let started = Instant::now();
        let stale = self.report_hashes(context);
        let mut outcome = Outcome {
            found: Findings::default(),
            ended: Ended::Exit(0),
            duration: Duration::ZERO,
            stdout: String::new(),
            stderr: String::new(),
            log: String::new(),
            created_guarded: Vec::new(),
        };
        for (index, words) in self.commands.iter().enumerate() {
            let is_last = index + 1 == self.commands.len();
            let left = timeout.saturating_sub(started.elapsed());
            self.run_command(context, words, is_last, left, &mut outcome)?;
            if outcome.ended != Ended::Exit(0) {
                break;
            }
        }
        self.read_reports(context, &stale, &mut outcome.found);
        Paths::new(context, &self.folder).rewrite(&mut outcome.found);
        // Errors first; each by its place.
        outcome.found.diagnostics.sort_by(|one, other| {
            let key = |one: &crate::findings::Diagnostic| {
                (one.severity, one.file.clone(), one.line, one.column)
            };
            key(one).cmp(&key(other))
        });
        outcome.duration = started.elapsed();
        Ok(outcome)
    }

    fn run_command(
        &self,
        context: &Context<'_>,
        words: &[String],
        is_last: bool,
        timeout: Duration,
        outcome: &mut Outcome,
    ) -> Result<(), ToolError> {
        let program = self.program_run(words);
        let patterns: Vec<_> = self.runner.patterns.iter().map(|one| one.0.clone()).collect();
        let text = || reader(Format::Text, &patterns);
        let own = || if is_last { reader(self.runner.reads, &patterns) } else { text() };
        let (mut stdout, mut stderr): (Box<dyn Reader>, Box<dyn Reader>) = match self.runner.stream
        {
            Stream::Stdout | Stream::Both => (own(), text()),
            Stream::Stderr => (text(), own()),
        };
        let mut progress = Progress::new(context);
        let mut coverage = [CoverageReader::default(), CoverageReader::default()];
        let with_coverage = is_last && self.coverage.is_some();
        let found = &mut outcome.found;
        let ran = program.run(context, timeout, MAX_CAPTURED_BYTES, &mut |stream, bytes| {
            match stream {
                OutputStream::Stdout => stdout.push(bytes, found),
                OutputStream::Stderr => stderr.push(bytes, found),
            }
            if with_coverage {
                let reader = &mut coverage[usize::from(stream == OutputStream::Stderr)];
                reader.push(bytes, &mut found.coverage);
            }
            progress.report(found, bytes);
        })?;
        stdout.finish(found);
        stderr.finish(found);
        let ended = ran.outcome;
        outcome.ended = match (ended.stop, ended.status) {
            (Some(KillReason::Interrupt), _) => Ended::Cancelled,
            (Some(KillReason::Timeout), _) => Ended::TimedOut,
            (None, ExitStatus::Killed) => Ended::Killed,
            (None, ExitStatus::Code(code)) => Ended::Exit(code),
            (None, ExitStatus::Signal(signal)) => Ended::Exit(128 + signal),
        };
        outcome.stdout = printed(&ended.stdout);
        outcome.stderr = printed(&ended.stderr);
        outcome.log.push_str(&format!("$ {}\n{}", program.line(), outcome.stdout));
        if !outcome.log.ends_with('\n') {
            outcome.log.push('\n');
        }
        outcome.log.push_str(&outcome.stderr);
        outcome.created_guarded.extend(ran.created_guarded);
        Ok(())
    }

    /// Whether it reports which lines tests run.
    pub(crate) fn has_coverage(&self) -> bool {
        self.coverage.is_some()
    }

    /// Whether a run that ended so is a success.
    pub(crate) fn is_success(&self, outcome: &Outcome) -> bool {
        let Ended::Exit(code) = outcome.ended else { return false };
        let found = &outcome.found;
        let is_good_end = code == 0 || self.runner.passes.contains(&code);
        let is_formatted = !self.only_checks || found.files.is_empty();
        is_good_end && is_formatted && found.failed == 0
    }

    /// How to install what the output says is not installed.
    pub(crate) fn missing(&self, outcome: &Outcome) -> Option<&'k str> {
        let says = |text: &str| outcome.stderr.contains(text) || outcome.stdout.contains(text);
        if outcome.ended == Ended::Exit(0) {
            return None;
        }
        if let Some(coverage) = self.coverage
            && coverage.missing.as_deref().is_some_and(says)
        {
            return Some(&coverage.install);
        }
        self.runner.missing.as_deref().is_some_and(says).then_some(&self.runner.install)
    }

    /// The report files of the project.
    fn reports(&self, context: &Context<'_>) -> Vec<FilePath> {
        let mut reports = Vec::new();
        for report in &self.runner.reports {
            let path = self.folder.absolute().join(report);
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Some(end) = name.strip_prefix('*') else {
                reports.extend(context.snapshot.locate_absolute(&path));
                continue;
            };
            let folder = path.parent().and_then(|path| context.snapshot.locate_absolute(path).ok());
            let Some(Ok(folder)) = folder.map(|folder| Folder::open(&folder)) else { continue };
            let entries = folder.entries().unwrap_or_default().into_iter();
            let files = entries.filter(|entry| {
                entry.kind == FileKind::File && entry.name.to_string_lossy().ends_with(end)
            });
            reports.extend(files.map(|entry| folder.entry(&entry.name)));
        }
        reports.truncate(MAX_REPORTS);
        reports
    }

    /// The reports of earlier runs, which are not read again.
    fn report_hashes(&self, context: &Context<'_>) -> HashMap<PathBuf, ContentHash> {
        let read = |path: FilePath| {
            let file = context.snapshot.read_bytes(&path).ok()?;
            Some((path.absolute(), file.hash))
        };
        self.reports(context).into_iter().filter_map(read).collect()
    }

    fn read_reports(
        &self,
        context: &Context<'_>,
        stale: &HashMap<PathBuf, ContentHash>,
        found: &mut Findings,
    ) {
        let mut left = MAX_REPORT_BYTES;
        for path in self.reports(context) {
            let Ok(file) = context.snapshot.read_bytes(&path) else { continue };
            if stale.get(&path.absolute()) == Some(&file.hash) || file.bytes.len() > left {
                continue;
            }
            left -= file.bytes.len();
            read_report(&file.bytes, found);
        }
    }
}

/// Whether a word only chooses how results are printed.
fn is_output_option(word: &str) -> bool {
    [
        "--message-format",
        "--cargo-message-format",
        "--junitxml",
        "--test-reporter",
        "--reporter",
        "--outputFile",
        "--color",
        "--output-junit",
        "--tb=",
    ]
    .iter()
    .any(|option| word.starts_with(option))
        || matches!(
            word,
            "tandem-tests.xml"
                | "--json"
                | "-json"
                | "--passWithNoTests"
                | "-o"
                | "--no-fail-fast"
                | "--no-tests=pass"
                | "--no-tests=ignore"
                | "-q"
                | "-v"
                | "--continue-on-collection-errors"
                | "--output-on-failure"
        )
        || word.starts_with("junit_")
}

/// The beginning and the end of an output.
fn printed(captured: &Captured) -> String {
    let mut text = String::from_utf8_lossy(&captured.head).into_owned();
    if captured.left_out > 0 {
        text.push_str(&format!("\n[left out here: {} bytes]\n", captured.left_out));
    }
    text.push_str(&String::from_utf8_lossy(&captured.tail));
    text
}

/// Reports how far a run is.
struct Progress<'c> {
    context: &'c Context<'c>,
    last: Instant,
}

impl<'c> Progress<'c> {
    fn new(context: &'c Context<'c>) -> Self {
        Self { context, last: Instant::now() }
    }

    fn report(&mut self, found: &Findings, bytes: &[u8]) {
        if self.last.elapsed() < PROGRESS_INTERVAL {
            return;
        }
        self.last = Instant::now();
        if found.tests() > 0 {
            let message = format!("{} passed, {} failed", found.passed, found.failed);
            return self.context.editor.progress(&message);
        }
        let tail = &bytes[bytes.len().saturating_sub(1_000)..];
        let text = String::from_utf8_lossy(tail);
        // Messages for machines mean nothing to a person.
        let mut lines = text.lines().rev().map(str::trim);
        if let Some(line) = lines.find(|line| !line.is_empty() && !line.starts_with(['{', '['])) {
            let line: String = line.chars().take(MAX_PROGRESS_CHARS).collect();
            self.context.editor.progress(&line);
        }
    }
}

/// The tests of a failed run as the values that run just them again.
pub(crate) fn only(runner: &Runner, failures: &[(Vec<String>, String)]) -> Values {
    let mut values = Values::new();
    let ids = failures.iter().filter(|(_, id)| !id.is_empty());
    let ids: Vec<String> = ids.map(|(_, id)| runner.quote.apply(id)).collect();
    let has_files =
        runner.selects == Some(Selects::Files) && failures.iter().all(|(unit, _)| !unit.is_empty());
    if has_files {
        // The units are files, and all of a file runs if it could not be read.
        let mut files: Vec<String> = failures.iter().flat_map(|(unit, _)| unit.clone()).collect();
        files.sort();
        files.dedup();
        values.insert("path", files);
    } else if let [(unit, _), rest @ ..] = failures
        && rest.iter().all(|(other, _)| other == unit)
        && !unit.is_empty()
    {
        values.insert("unit", unit.clone());
    }
    // If one of them is a program that crashed, all of its tests run.
    if ids.len() == failures.len() {
        values.insert("only", ids);
    }
    values
}

/// Whether what was found explains why a run failed.
pub(crate) fn explains(found: &Findings) -> bool {
    found.failed > 0
        || !found.files.is_empty()
        || found.diagnostics.iter().any(|one| one.severity == Severity::Error)
}
