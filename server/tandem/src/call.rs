//! `tandem call`

use std::io::{IsTerminal, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tools::{Code, Context, Entry, Session, ToolError};
use workspace::{Headless, Root, Wall, Workspace};

use crate::cli::CallArgs;
use crate::live::{ACCEPT_CALLS, JoinError, Joined, Outcome};
use crate::out::say;

/// The tools of debugging that need no session that runs.
const ALONE: &[&str] =
    &["debug_attach", "debug_breakpoint", "debug_configurations", "debug_launch", "debug_sessions"];
/// Most parameters read from stdin, in bytes.
const MOST_INPUT: u64 = 64 << 20;
/// Says in a result who has answered: an agent has to know whether unsaved text counts.
const ANSWERED_BY: &str = "answered_by";
/// The value of [`ANSWERED_BY`] without a server.
const DISK: &str = "files on disk";

/// How long a server is tried again that is ending, or has too many connections, and how often.
const AGAIN: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(50);

/// What a call works on, and how.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    /// The workspace folder.
    pub(crate) folder: &'a Path,
    /// Whether the person approves whatever the call would ask about.
    pub(crate) yes: bool,
    /// Whether to work on the disk's files even where a server runs.
    pub(crate) headless: bool,
}

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

/// The result, or the contract's error object.
fn call(args: &CallArgs, params: Value) -> Result<Value, Value> {
    if let Some(dialect) = &args.dialect {
        let message = format!("there is no dialect `{dialect}`");
        return Err(ToolError::new(Code::InvalidParams, message)
            .hint("leave --dialect out for the canonical names")
            .data());
    }
    let target = Target { folder: &args.workspace, yes: args.yes, headless: args.headless };
    let debug_tool = tools::find(&args.tool).filter(|entry| entry.name.starts_with("debug_"));
    match debug_tool {
        Some(entry) => debug(target, entry.name, params),
        None => on(target, &args.tool, params),
    }
}

/// Calls a tool in the server that has just this folder open in an editor, which sees the unsaved text and
/// changes it with undo; without one, here, on the files of the disk.
///
/// A server of a folder around it is not joined: it would reach further than `--workspace` says.
pub(crate) fn on(target: Target<'_>, tool: &str, params: Value) -> Result<Value, Value> {
    let find = || workspace::connect_live_at(target.folder).ok().flatten();
    match joined(find, target, tool, &params) {
        Some(done) => done,
        None => alone(target, tool, params).map_err(|error| error.data()),
    }
}

/// Calls a tool of debugging in the server that runs for the workspace, whose sessions outlive the
/// call; without one, what needs no session that runs is done here.
fn debug(target: Target<'_>, tool: &str, params: Value) -> Result<Value, Value> {
    let shown = target.folder.display();
    let find = || workspace::connect_live(target.folder).ok().flatten();
    if let Some(done) = joined(find, target, tool, &params) {
        return done;
    }
    let hint = "open the folder in an editor that uses `tandem lsp`, or use `tandem debug PROGRAM`";
    if !ALONE.contains(&tool) {
        let why = format!(
            "{tool}: no server runs for {shown} whose debug sessions could be looked at; a session \
             ends with the call that has started it"
        );
        return Err(ToolError::new(Code::Unavailable, why).hint(hint).data());
    }
    let done = alone(target, tool, params).map_err(|error| error.data())?;
    if done["session"].is_u64() && done["state"] != "exited" {
        anstream::eprintln!(
            "tandem call: no server runs for {shown} that would go on: the debug session has ended \
             with this call; {hint}"
        );
    }
    Ok(done)
}

/// Has the running server that `find` connects to make the call; `None` where there is none.
fn joined(
    find: impl Fn() -> Option<UnixStream>,
    target: Target<'_>,
    tool: &str,
    params: &Value,
) -> Option<Result<Value, Value>> {
    if target.headless {
        return None;
    }
    let mut greeting = json!({ "face": "tools", "via": "cli" });
    if target.yes {
        greeting["approved"] = true.into();
    }
    let shown = target.folder.display();
    let unavailable = |why: String| {
        let message = format!("{tool}: the server of {shown}: {why}");
        Err(ToolError::new(Code::Unavailable, message)
            .hint("--headless works on the files of the disk instead")
            .data())
    };
    let start = Instant::now();
    loop {
        let why = match Joined::new(find()?, &greeting, ACCEPT_CALLS) {
            Ok(server) => {
                let client = server.client.clone().unwrap_or_else(|| "an editor".to_owned());
                match server.call(tool, params) {
                    Ok(Outcome::Result(mut result)) => {
                        name_answerer(&mut result, client);
                        return Some(Ok(result));
                    }
                    Ok(Outcome::Error(error)) => return Some(Err(error)),
                    Ok(Outcome::NotMade) => "it is ending".to_owned(),
                    Err(why) => return Some(unavailable(why)),
                }
            }
            Err(JoinError::Gone(why)) => why,
            Err(JoinError::Refused(why)) => return Some(unavailable(why)),
        };
        // Soon its socket is gone, and with it the reason to wait.
        if start.elapsed() > AGAIN {
            return Some(unavailable(why));
        }
        std::thread::sleep(PAUSE);
    }
}

/// Says in a result who has made the call.
fn name_answerer(result: &mut Value, name: String) {
    if let Value::Object(fields) = result {
        fields.insert(ANSWERED_BY.to_owned(), name.into());
    }
}

/// Makes the call here, on the files of the disk.
fn alone(target: Target<'_>, tool: &str, params: Value) -> Result<Value, ToolError> {
    let root = Root::open(target.folder).map_err(|e| {
        ToolError { code: Code::DirNotFound, ..ToolError::from(e) }
            .hint("--workspace names the folder to work in")
    })?;
    // No thread behind the wall could set up a sandbox, or a wall around other places.
    let runs_unsandboxed = tools::find(tool).is_some_and(Entry::runs_unsandboxed);
    let workspace = Workspace::new(vec![root]);
    let snapshot = workspace.snapshot();
    if !runs_unsandboxed {
        // Where there is none (`tandem doctor` says so), the root's handle confines.
        let roots = snapshot.roots().iter().map(Arc::as_ref);
        let _ = Wall::around(roots).and_then(|wall| wall.enter());
    }
    snapshot.index_on_demand();
    let session = Session::new(&snapshot);
    session.audit.set_front_end("cli");
    let (editor, interrupt) = (Headless { yes: target.yes }, AtomicBool::new(false));
    let context = Context::new(&workspace, snapshot, &editor, &interrupt, &session);
    let mut result = tools::call(&context, tool, params)?;
    name_answerer(&mut result, DISK.to_owned());
    Ok(result)
}
