//! Code lenses that run or debug a test or a program, for clients that have the commands for it.

use serde_json::Value;
use tower_lsp_server::ls_types::{CodeLens, Command};
use workspace::{Document, FileSymbol, Snapshot};

use crate::convert::range_to_lsp;
use crate::debug::runnables::{RunnableLocation, commands};
use crate::request_context::RequestContext;

/// The client's commands. Their argument is the description of the runnable.
const RUN_COMMAND: &str = "tandem.run";
const DEBUG_COMMAND: &str = "tandem.debug";
/// The programs of Python's virtual environments.
const PYTHONS: [&str; 2] = [".venv/bin/python", "venv/bin/python"];

pub(crate) fn lenses(
    context: &RequestContext<'_>,
    document: &Document,
    symbols: &[FileSymbol],
) -> Vec<CodeLens> {
    let has = |wanted: &str| context.session.commands.iter().any(|command| command == wanted);
    let (runs, debugs) = (has(RUN_COMMAND), has(DEBUG_COMMAND));
    if !runs && !debugs {
        return Vec::new();
    }
    let Some(language) = document.language() else { return Vec::new() };
    // Files outside of the workspace are not run.
    let Some(path) = workspace::path_of_uri(document.uri()).ok() else { return Vec::new() };
    let Ok(path) = context.snapshot.locate_absolute(&path) else { return Vec::new() };
    let path = path.display_path();
    let python = python(&context.snapshot);
    let mut lenses = Vec::new();
    for runnable in document.runnables(context.interrupt) {
        let symbol = symbols.iter().find(|symbol| symbol.name_span == runnable.name_span);
        let names = symbol.map(|symbol| symbol.path.clone()).unwrap_or_default();
        let location = RunnableLocation { path: &path, names: &names, python };
        let Some(found) = commands(language.id(), runnable.kind, &location) else { continue };
        let range = range_to_lsp(document.text(), runnable.name_span, context.session.encoding);
        let mut add = |verb: &str, command: &str, argument: Value| {
            let title = format!("{verb} {}", found.kind);
            let arguments = Some(vec![argument]);
            let command = Some(Command { title, command: command.to_owned(), arguments });
            lenses.push(CodeLens { range, command, data: None });
        };
        if let Some(run) = found.run.filter(|_| runs) {
            add("Run", RUN_COMMAND, run);
        }
        if debugs {
            add("Debug", DEBUG_COMMAND, found.debug);
        }
    }
    lenses
}

/// The workspace's Python: that of its virtual environment, if it has one.
fn python(snapshot: &Snapshot) -> &'static str {
    let is_there = |path: &&&str| {
        snapshot.locate_entry(path).is_ok_and(|entry| snapshot.entry(&entry).is_ok())
    };
    PYTHONS.iter().find(is_there).copied().unwrap_or("python3")
}
