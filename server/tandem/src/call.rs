//! `tandem call`

use std::io::{IsTerminal, Read};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tools::{Code, Context, Entry, Session, ToolError};
use workspace::{Headless, Root, Wall, Workspace};

use crate::cli::CallArgs;
use crate::out::say;

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
        Err(error) => (error.data(), ExitCode::FAILURE),
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

fn call(args: &CallArgs, params: Value) -> Result<Value, ToolError> {
    if let Some(dialect) = &args.dialect {
        return Err(ToolError::new(
            Code::InvalidParams,
            format!("there is no dialect `{dialect}`"),
        )
        .hint("leave --dialect out for the canonical names"));
    }
    on(&args.workspace, &args.tool, params, args.yes)
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
