//! Chooses the runner of a project for a check, and finds its programs.

use serde_json::json;
use tools::{Code, Context, ToolError};
use workspace::FilePath;

use crate::kinds::{Check, Kind, Runner};
use crate::project::Project;

/// A runner that can be started.
#[derive(Debug)]
pub(crate) struct Choice<'k> {
    pub(crate) kind: &'k Kind,
    pub(crate) runner: &'k Runner,
}

impl<'k> Choice<'k> {
    /// The runner called `wanted`, or of the kind called so; otherwise the first that the project is
    /// configured for; otherwise the first that needs no configuration and is installed.
    ///
    /// # Errors
    /// If there is none, or if its program is not installed.
    pub(crate) fn new(
        context: &Context<'_>,
        tool: &str,
        project: &Project<'k>,
        check: Check,
        wanted: Option<&str>,
    ) -> Result<Self, ToolError> {
        let all = project
            .kinds
            .iter()
            .flat_map(|kind| kind.runners(check).iter().map(move |runner| Self { kind, runner }));
        let mut all: Vec<Self> = all.collect();
        let mut wanted = wanted;
        // The name of a kind leaves the choice among its runners.
        if all.iter().any(|one| Some(one.kind.name.as_str()) == wanted) {
            all.retain(|one| Some(one.kind.name.as_str()) == wanted);
            wanted = None;
        }
        let chosen = match wanted {
            Some(wanted) => {
                let is_wanted = |one: &&Self| one.runner.name == wanted;
                all.iter().find(is_wanted).ok_or_else(|| unknown(tool, wanted, &all))?
            }
            None => {
                let folders = folders_above(context, &project.folder);
                let is_configured = |one: &&Self| {
                    one.runner
                        .configured
                        .iter()
                        .any(|file| folders.iter().any(|folder| configures(context, folder, file)))
                };
                let kind = all.first().map(|first| &first.kind.name);
                let of_kind = || all.iter().filter(|one| Some(&one.kind.name) == kind);
                let free = || of_kind().filter(|one| one.runner.configured.is_empty());
                let is_there = |one: &&Self| one.missing(context, &project.folder).is_none();
                of_kind()
                    .find(is_configured)
                    .or_else(|| free().find(is_there))
                    .or_else(|| free().next())
                    .or_else(|| all.first())
                    .ok_or_else(|| unknown(tool, check.tool(), &all))?
            }
        };
        if let Some(program) = chosen.missing(context, &project.folder) {
            return Err(chosen.unavailable(tool, &program, &chosen.runner.install));
        }
        Ok(Self { kind: chosen.kind, runner: chosen.runner })
    }

    /// The error for a program that is not installed.
    pub(crate) fn unavailable(&self, tool: &str, program: &str, install: &str) -> ToolError {
        let message = format!("{tool}: {program} is not installed");
        ToolError::new(Code::Unavailable, message)
            .hint(format!("install it: {install}"))
            .details(json!({ "runner": self.runner.name, "program": program, "install": install }))
    }

    /// The first of its programs that is not there.
    fn missing(&self, context: &Context<'_>, folder: &FilePath) -> Option<String> {
        let commands = self.runner.before.iter().chain([&self.runner.command]);
        let programs = commands.filter_map(|command| command.first());
        let near = |program: &String| near_program(context, self.runner, folder, program).is_some();
        programs
            .chain(&self.runner.needs)
            .find(|program| !near(program) && !process::has_program(program))
            .cloned()
    }
}

fn unknown(tool: &str, wanted: &str, all: &[Choice<'_>]) -> ToolError {
    let wanted: String = wanted.chars().take(60).collect();
    let names: Vec<&str> = all.iter().map(|one| one.runner.name.as_str()).collect();
    let message = format!("{tool}: this project has no runner `{wanted}`");
    ToolError::new(Code::InvalidParams, message).hint(format!("there are {}", names.join(", ")))
}

/// The path of a program that the project has itself, relative to its folder.
pub(crate) fn near_program(
    context: &Context<'_>,
    runner: &Runner,
    folder: &FilePath,
    program: &str,
) -> Option<String> {
    let mut up = String::new();
    for above in folders_above(context, folder) {
        for near in &runner.near {
            let file = above.absolute().join(near).join(program);
            let is_there = context
                .snapshot
                .locate_absolute(&file)
                .is_ok_and(|file| context.snapshot.entry(&file).is_ok());
            if is_there {
                return Some(match (near.as_str(), up.as_str()) {
                    (".", "") => format!("./{program}"),
                    (".", up) => format!("{up}{program}"),
                    (near, up) => format!("{up}{near}/{program}"),
                });
            }
        }
        up.push_str("../");
    }
    None
}

/// A folder and those above it, up to its root.
fn folders_above(context: &Context<'_>, folder: &FilePath) -> Vec<FilePath> {
    let absolute = folder.absolute();
    let root = folder.root().path().to_owned();
    let folders = absolute.ancestors().take_while(|folder| folder.starts_with(&root));
    folders.filter_map(|folder| context.snapshot.locate_absolute(folder).ok()).collect()
}

/// Whether a folder has the file that `configured` names; the text after `#` must occur in it.
fn configures(context: &Context<'_>, folder: &FilePath, configured: &str) -> bool {
    let (name, word) = configured.split_once('#').unwrap_or((configured, ""));
    let file = folder.absolute().join(name);
    let Ok(file) = context.snapshot.locate_absolute(&file) else { return false };
    if word.is_empty() {
        return context.snapshot.entry(&file).is_ok();
    }
    context.snapshot.read(&file).is_ok_and(|found| found.text.to_string().contains(word))
}
