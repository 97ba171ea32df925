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
use workspace::{FilesystemSandbox, Headless, Root, Workspace};

use crate::cli::CallArgs;
use crate::live_server::{CALL_GREETING_TIMEOUT, CallOutcome, ConnectError, LiveConnection};
use crate::stdout::print_line;

/// Debug tools that work without a running session.
const SESSIONLESS_DEBUG_TOOLS: &[&str] =
    &["debug_attach", "debug_breakpoint", "debug_configurations", "debug_launch", "debug_sessions"];
/// Most bytes of parameters read from stdin.
const MAX_INPUT_BYTES: u64 = 64 << 20;
/// The result field that names who answered, as that decides whether unsaved text counts.
const ANSWERED_BY: &str = "answered_by";
/// The value of [`ANSWERED_BY`] without a live server.
const ANSWERED_FROM_DISK: &str = "files on disk";

/// How long, and how often, to retry a server that is stopping or has too many connections.
const RETRY_TIMEOUT: Duration = Duration::from_secs(5);
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// Where and how to run a call.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    /// The workspace folder.
    pub(crate) folder: &'a Path,
    /// Whether the user approves everything that the call asks for.
    pub(crate) yes: bool,
    /// Whether to work on the files on disk even if a live server exists.
    pub(crate) headless: bool,
}

pub(crate) fn run(args: &CallArgs) -> ExitCode {
    let params = match parse_params(&args.params) {
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
    // Indented for people; one line for programs.
    if std::io::stdout().is_terminal() {
        print_line!("{value:#}");
    } else {
        print_line!("{value}");
    }
    code
}

fn parse_params(written: &str) -> Result<Value, String> {
    let mut input = String::new();
    let text = if written == "-" {
        let read = std::io::stdin().take(MAX_INPUT_BYTES).read_to_string(&mut input);
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

/// Returns the result, or the contract's error object.
fn call(args: &CallArgs, params: Value) -> Result<Value, Value> {
    if let Some(dialect) = &args.dialect {
        let message = format!("unknown dialect `{dialect}`");
        return Err(ToolError::new(Code::InvalidParams, message)
            .hint("omit --dialect for the canonical names")
            .data());
    }
    let target = Target { folder: &args.workspace, yes: args.yes, headless: args.headless };
    let debug_tool = tools::find(&args.tool).filter(|entry| entry.name.starts_with("debug_"));
    match debug_tool {
        Some(entry) => call_debug_tool(target, entry.name, params),
        None => call_in_workspace(target, &args.tool, params),
    }
}

/// Calls a tool in the live server that has exactly this folder open, which sees unsaved text and edits
/// with undo. Without one, calls it in this process, on the files on disk.
///
/// A server of a parent folder is not used: it could reach more than `--workspace` allows.
pub(crate) fn call_in_workspace(
    target: Target<'_>,
    tool: &str,
    params: Value,
) -> Result<Value, Value> {
    let find = || workspace::connect_to_server_at(target.folder).ok().flatten();
    match call_live_server(find, target, tool, &params) {
        Some(done) => done,
        None => call_in_process(target, tool, params).map_err(|error| error.data()),
    }
}

/// Calls a debug tool in the live server of the workspace, where sessions outlive the call. Without one,
/// only tools that need no running session work.
fn call_debug_tool(target: Target<'_>, tool: &str, params: Value) -> Result<Value, Value> {
    let shown = target.folder.display();
    let find = || workspace::connect_to_server(target.folder).ok().flatten();
    if let Some(done) = call_live_server(find, target, tool, &params) {
        return done;
    }
    let hint = "open the folder in an editor with tandem, or use `tandem debug PROGRAM`";
    if !SESSIONLESS_DEBUG_TOOLS.contains(&tool) {
        let why = format!("{tool}: no server runs for {shown}, so there are no debug sessions");
        return Err(ToolError::new(Code::Unavailable, why).hint(hint).data());
    }
    let done = call_in_process(target, tool, params).map_err(|error| error.data())?;
    if done["session"].is_u64() && done["state"] != "exited" {
        anstream::eprintln!(
            "tandem call: no server runs for {shown}, so the debug session has ended with this call; \
             {hint}"
        );
    }
    Ok(done)
}

/// Calls a tool in the live server that `find` connects to. `None` if there is none.
fn call_live_server(
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
        let message = format!("{tool}: the server for {shown}: {why}");
        Err(ToolError::new(Code::Unavailable, message)
            .hint("--headless works on the files on disk instead")
            .data())
    };
    let start = Instant::now();
    loop {
        let why = match LiveConnection::open(find()?, &greeting, CALL_GREETING_TIMEOUT) {
            Ok(server) => {
                let client = server.client.clone().unwrap_or_else(|| "an editor".to_owned());
                match server.call(tool, params) {
                    Ok(CallOutcome::Result(mut result)) => {
                        set_answered_by(&mut result, client);
                        return Some(Ok(result));
                    }
                    Ok(CallOutcome::Error(error)) => return Some(Err(error)),
                    Ok(CallOutcome::NotMade) => "it is shutting down".to_owned(),
                    Err(why) => return Some(unavailable(why)),
                }
            }
            Err(ConnectError::Retryable(why)) => why,
            Err(ConnectError::Rejected(why)) => return Some(unavailable(why)),
        };
        // Usually its socket disappears soon, which ends the loop.
        if start.elapsed() > RETRY_TIMEOUT {
            return Some(unavailable(why));
        }
        std::thread::sleep(RETRY_INTERVAL);
    }
}

/// Records in a result who answered.
fn set_answered_by(result: &mut Value, name: String) {
    if let Value::Object(fields) = result {
        fields.insert(ANSWERED_BY.to_owned(), name.into());
    }
}

/// Calls a tool in this process, on the files on disk.
fn call_in_process(target: Target<'_>, tool: &str, params: Value) -> Result<Value, ToolError> {
    let root = Root::open(target.folder).map_err(|e| {
        ToolError { code: Code::DirNotFound, ..ToolError::from(e) }
            .hint("set the folder with --workspace")
    })?;
    // A thread confined by Landlock cannot set up a sandbox or another ruleset.
    let runs_unconfined = tools::find(tool).is_some_and(Entry::runs_unsandboxed);
    let workspace = Workspace::new(vec![root]);
    let snapshot = workspace.snapshot();
    if !runs_unconfined {
        // Without Landlock (see `tandem doctor`), only the root's handle confines access.
        let roots = snapshot.roots().iter().map(Arc::as_ref);
        let _ = FilesystemSandbox::for_roots(roots).and_then(|ruleset| ruleset.restrict_thread());
    }
    snapshot.index_on_demand();
    let session = Session::new(&snapshot);
    session.audit.set_front_end("cli");
    let (editor, interrupt) = (Headless { approve_all: target.yes }, AtomicBool::new(false));
    let context = Context::new(&workspace, snapshot, &editor, &interrupt, &session);
    let mut result = tools::call(&context, tool, params)?;
    set_answered_by(&mut result, ANSWERED_FROM_DISK.to_owned());
    Ok(result)
}
