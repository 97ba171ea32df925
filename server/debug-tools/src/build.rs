//! Builds a program before it is debugged.

use std::path::Path;
use std::time::Duration;

use process::{
    ExitStatus, Filesystem, Folder, Input, Isolation, KillReason, Launcher, Limits, Network,
    OutputStream, Program, clean_environment,
};
use serde_json::{Value, json};
use workspace::FilePath;

use super::program::{Build, ResolvedTarget, StartRequest};
use tools::{
    Code, Context, ToolError,
    audit::redact,
    command::{guarded::Before, sandbox},
};

/// Time limit for a build.
const BUILD_TIMEOUT: Duration = Duration::from_secs(600);
/// How much of its error output is kept, in bytes.
const MAX_STDERR_BYTES: usize = 32 << 10;
/// Limits for its output: bytes of a line, and number of programs.
const MAX_LINE_BYTES: usize = 1 << 20;
const MAX_PROGRAMS: usize = 1_000;
/// Limit for the programs listed in an error.
const MAX_LISTED: usize = 50;

/// A program that was built.
#[derive(Debug, PartialEq, Eq)]
struct BuiltProgram {
    name: String,
    kind: String,
    source: String,
    is_test: bool,
    program: String,
}

/// Builds, and returns the program to debug.
///
/// # Errors
/// If the build fails, with its output; if it is unclear which program is meant.
pub(super) fn build(
    context: &Context<'_>,
    tool: &'static str,
    start: &StartRequest,
    resolved: &ResolvedTarget,
    build: &Build,
) -> Result<FilePath, ToolError> {
    let described = start.build_command(tool, build)?;
    let before = start.sandbox.then(|| Before::look(context, tool));
    let command = process::Command {
        program: Program::Arguments(build.words.clone()),
        cwd: Folder { handle: build.cwd.open_folder()?, path: build.cwd.absolute() },
        environment: clean_environment(),
        temporary_folders: Vec::new(),
        input: Input::Null,
        isolation: Isolation {
            filesystem: match &before {
                Some(before) => sandbox::filesystem(context, tool, before, &[])?,
                None => Filesystem::Open,
            },
            network: if start.network { Network::Open } else { Network::None },
            may_trace: false,
            may_attach_anywhere: false,
        },
        limits: Limits::default(),
        has_sandbox_proxy: false,
    };
    context.check_interrupt(tool)?;
    let child = Launcher::current().start(command).map_err(|e| sandbox::refused(tool, &e))?;
    let mut output = BuildOutput::default();
    let outcome = child.collect(
        MAX_STDERR_BYTES,
        Some(BUILD_TIMEOUT),
        context.interrupt,
        &mut |stream, bytes| {
            if stream == OutputStream::Stdout {
                output.push(bytes);
            }
        },
    );
    let created = before.map(|before| before.settle(context, &described).created);
    context.workspace.files_may_have_changed();
    let code = match (outcome.stop, outcome.status) {
        (Some(KillReason::Interrupt), _) => Code::Cancelled,
        (Some(KillReason::Timeout), _) => Code::Timeout,
        (None, ExitStatus::Code(0)) => {
            return output.choose_program(context, tool, resolved, build);
        }
        (None, _) => Code::Io,
    };
    let stderr = [&outcome.stderr.head[..], &outcome.stderr.tail[..]].concat();
    let stderr = redact(&String::from_utf8_lossy(&stderr));
    let message = format!("{tool}: `{}` did not succeed", described.line);
    Err(ToolError::new(code, message)
        .hint("see its output in `details.stderr`")
        .details(json!({ "stderr": stderr, "created_guarded": created })))
}

/// Collects the programs that the build reports.
#[derive(Default)]
struct BuildOutput {
    line: Vec<u8>,
    built: Vec<BuiltProgram>,
}

impl BuildOutput {
    fn push(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + piece.len() <= MAX_LINE_BYTES {
                self.line.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                self.built
                    .extend(parse_build_line(&line).filter(|_| self.built.len() < MAX_PROGRAMS));
            }
        }
    }

    /// The program that runs what was requested.
    fn choose_program(
        self,
        context: &Context<'_>,
        tool: &str,
        resolved: &ResolvedTarget,
        build: &Build,
    ) -> Result<FilePath, ToolError> {
        let is_test = resolved.test.is_some();
        let fits = |one: &BuiltProgram| {
            one.is_test == is_test && (is_test || one.kind == "bin" || one.kind == "example")
        };
        let all: Vec<_> = self.built.into_iter().filter(fits).collect();
        let file = resolved.file.as_ref().map(FilePath::absolute);
        let own = file.as_deref().and_then(|file| program_of_file(&all, file, is_test));
        let chosen = match (own, &all[..]) {
            (Some(own), _) => own,
            (None, [one]) => one,
            (None, []) => {
                let message =
                    format!("{tool}: {}: does not build this program", build.cwd.display_path());
                return Err(ToolError::new(Code::NoMatch, message));
            }
            (None, several) => {
                let named = |one: &BuiltProgram| json!({ "name": one.name, "file": one.source });
                let listed: Vec<_> = several.iter().take(MAX_LISTED).map(named).collect();
                let message = format!("{tool}: {} programs are built", several.len());
                return Err(ToolError::new(Code::Ambiguous, message)
                    .hint("name the file that the program, or the test, is in")
                    .details(json!({ "programs": listed })));
            }
        };
        // Whatever the build prints, only a program inside the workspace is run.
        Ok(context.snapshot.locate(&chosen.program)?)
    }
}

/// The program that contains a source file, or its test.
fn program_of_file<'b>(
    all: &'b [BuiltProgram],
    file: &Path,
    is_test: bool,
) -> Option<&'b BuiltProgram> {
    let is_own = |one: &&BuiltProgram| Path::new(&one.source) == file;
    let around = |one: &&BuiltProgram| {
        Path::new(&one.source).parent().is_some_and(|folder| file.starts_with(folder))
    };
    let own = all.iter().find(is_own);
    // Of several, prefer the program itself: the library contains the rest.
    let rank = |one: &&BuiltProgram| {
        let folder = Path::new(&one.source).parent().map_or(0, |folder| folder.iter().count());
        (folder, one.kind.contains("lib"))
    };
    own.or_else(|| all.iter().filter(around).max_by_key(rank).filter(|_| is_test))
}

/// The program that a line of build output reports.
fn parse_build_line(line: &[u8]) -> Option<BuiltProgram> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let target = &value["target"];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    Some(BuiltProgram {
        name: text(&target["name"])?,
        kind: text(&target["kind"][0])?,
        source: text(&target["src_path"])?,
        is_test: value["profile"]["test"].as_bool()?,
        program: text(&value["executable"])?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_programs_in_build_output_and_by_source_file() {
        let line = |kind: &str, source: &str, test: bool, program: Value| {
            let target = json!({ "name": "x", "kind": [kind], "src_path": source });
            let profile = json!({ "test": test });
            format!("{}\n", json!({ "target": target, "profile": profile, "executable": program }))
        };
        let mut output = BuildOutput::default();
        let all = [
            "no json\n".to_owned(),
            line("lib", "/w/src/lib.rs", false, Value::Null),
            line("bin", "/w/src/main.rs", true, json!("/w/target/main-1")),
            line("lib", "/w/src/lib.rs", true, json!("/w/target/lib-1")),
            line("test", "/w/tests/a.rs", true, json!("/w/target/a-1")),
        ]
        .concat();
        for piece in all.as_bytes().chunks(7) {
            output.push(piece);
        }
        assert_eq!(output.built.len(), 3);
        let program = |file: &str| {
            program_of_file(&output.built, Path::new(file), true).map(|one| one.program.as_str())
        };
        assert_eq!(program("/w/tests/a.rs"), Some("/w/target/a-1"));
        assert_eq!(program("/w/src/main.rs"), Some("/w/target/main-1"));
        assert_eq!(program("/w/src/deep/x.rs"), Some("/w/target/lib-1"));
        assert_eq!(program("/w/other/x.rs"), None);
    }
}
