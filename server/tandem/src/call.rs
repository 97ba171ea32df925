//! `tandem call`

use std::io::{IsTerminal, Read};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};
use tools::{Code, Context, Entry, Session, ToolError};
use workspace::{Headless, Root, Wall, Workspace};

use crate::cli::CallArgs;
use crate::live::join;
use crate::out::say;

/// The tools of debugging that need no session that runs.
const ALONE: &[&str] =
    &["debug_attach", "debug_breakpoint", "debug_configurations", "debug_launch", "debug_sessions"];
/// Most parameters read from stdin, in bytes.
const MOST_INPUT: u64 = 64 << 20;

pub(crate) fn run(args: &CallArgs) -> ExitCode {
    let params = match params(&args.params) {
        Ok(params) => params,
        Err(message) => {
            anstream::eprintln!("tandem call: {message}");
            return ExitCode::from(2);
        }
    };
    let (value, code) = match call(args, params) {
        Ok(result) => (result, ExitCode::SUCCESS),
        Err(error) => (error, ExitCode::FAILURE),
    };
    // `{:#}` indents, for people; programs get one line.
    if std::io::stdout().is_terminal() {
        say!("{value:#}");
    } else {
        say!("{value}");
    }
    code
}

fn params(written: &str) -> Result<Value, String> {
    let mut input = String::new();
    let text = if written == "-" {
        let read = std::io::stdin().take(MOST_INPUT).read_to_string(&mut input);
        read.map_err(|e| format!("stdin: {e}"))?;
        input.as_str()
    } else {
        written
    };
    match serde_json::from_str(text) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err("the parameters must be a JSON object".to_owned()),
        Err(e) => Err(format!("the parameters are not JSON: {e}")),
    }
}

/// The result, or the error as it is told.
fn call(args: &CallArgs, params: Value) -> Result<Value, Value> {
    if let Some(dialect) = &args.dialect {
        let message = format!("there is no dialect `{dialect}`");
        return Err(ToolError::new(Code::InvalidParams, message)
            .hint("leave --dialect out for the canonical names")
            .data());
    }
    let of_debugging = tools::find(&args.tool).filter(|entry| entry.name.starts_with("debug_"));
    match of_debugging {
        Some(entry) => debug(args, entry.name, params),
        None => on(&args.workspace, &args.tool, params, args.yes).map_err(|error| error.data()),
    }
}

/// Calls a tool of debugging in the server that runs for the workspace, whose sessions outlive the
/// call; without one, what needs no session that runs is done here.
fn debug(args: &CallArgs, tool: &str, params: Value) -> Result<Value, Value> {
    let shown = args.workspace.display();
    let failed = |why: String| ToolError::new(Code::Unavailable, format!("{tool}: {why}"));
    if workspace::connect_live(&args.workspace).is_ok_and(|found| found.is_some()) {
        let joined = join(&args.workspace, &json!({ "face": "tools", "via": "cli" }));
        let told = joined.and_then(|server| server.call(tool, &params));
        return told.unwrap_or_else(|why| Err(failed(why).data()));
    }
    let hint = "open the folder in an editor that uses `tandem lsp`, or use `tandem debug PROGRAM`";
    if !ALONE.contains(&tool) {
        let why = format!(
            "no server runs for {shown} whose debug sessions could be looked at; a session ends \
             with the call that has started it"
        );
        return Err(failed(why).hint(hint).data());
    }
    let done = on(&args.workspace, tool, params, args.yes).map_err(|error| error.data())?;
    if done["session"].is_u64() && done["state"] != "exited" {
        anstream::eprintln!(
            "tandem call: no server runs for {shown} that would go on: the debug session has ended \
             with this call; {hint}"
        );
    }
    Ok(done)
}

/// Calls a tool on the folder `dir`, without an editor.
pub(crate) fn on(dir: &Path, tool: &str, params: Value, yes: bool) -> Result<Value, ToolError> {
    let root = Root::open(dir).map_err(|e| {
        ToolError { code: Code::DirNotFound, ..ToolError::from(e) }
            .hint("--workspace names the folder to work in")
    })?;
    // No thread behind the wall could set up a sandbox, or a wall around other places.
    let is_outside_wall = tools::find(tool).is_some_and(Entry::is_outside_wall);
    let workspace = Workspace::new(vec![root]);
    let snapshot = workspace.snapshot();
    if !is_outside_wall {
        // Where there is none (`tandem doctor` says so), the root's handle confines.
        let roots = snapshot.roots().iter().map(Arc::as_ref);
        let _ = Wall::around(roots).and_then(|wall| wall.enter());
    }
    snapshot.index_on_demand();
    let session = Session::new(&snapshot);
    session.audit.set_front_end("cli");
    let (editor, interrupt) = (Headless { yes }, AtomicBool::new(false));
    let context = Context::new(&workspace, snapshot, &editor, &interrupt, &session);
    tools::call(&context, tool, params)
}
