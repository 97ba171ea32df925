//! `tandem call`

use std::io::{IsTerminal, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use live::{CallOutcome, ConnectError, Connection, ToolsGreeting, Via};
use serde_json::Value;
use tools::{Caller, Code, HeadlessWorkspace, ToolCall, ToolError};
use workspace::Headless;

use crate::cli::CallArgs;
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

/// How long a server may take to accept the connection.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);
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
    let Some(dialect) = &args.dialect else { return call_tool(args, &args.tool, params) };
    let dialect = tools::dialect(dialect).map_err(|error| error.data())?;
    let call = dialect.translate(&args.tool, params).map_err(|error| error.value)?;
    let outcome = call_tool(args, call.tool(), call.arguments().into());
    call.outcome(outcome).map_err(|error| error.value)
}

fn call_tool(args: &CallArgs, tool: &str, params: Value) -> Result<Value, Value> {
    let target = Target { folder: &args.workspace, yes: args.yes, headless: args.headless };
    let (tool, params) = tools::resolve(tool.to_owned(), params);
    let debug_tool = tools::find(&tool).filter(|entry| entry.name.starts_with("debug_"));
    match debug_tool {
        Some(entry) => call_debug_tool(target, entry.name, params),
        None => call_in_workspace(target, &tool, params),
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
    let find = || {
        let editor = workspace::connect_to_server_at(target.folder).ok().flatten();
        editor.or_else(|| workspace::connect_to_headless_server(target.folder).ok().flatten())
    };
    block_on(async {
        match call_live_server(find, target, tool, &params).await {
            Some(done) => done,
            None => call_in_process(target, tool, params).await.map_err(|error| error.data()),
        }
    })
}

/// Whether a server has exactly this folder open.
pub(crate) fn is_served(folder: &Path) -> bool {
    let has = |found: std::io::Result<Option<UnixStream>>| found.ok().flatten().is_some();
    has(workspace::connect_to_server_at(folder))
        || has(workspace::connect_to_headless_server(folder))
}

/// Calls a debug tool in the live server of the workspace, where sessions outlive the call. Without one,
/// only tools that need no running session work.
fn call_debug_tool(target: Target<'_>, tool: &str, params: Value) -> Result<Value, Value> {
    let shown = target.folder.display();
    let find = || {
        let editor = workspace::connect_to_server(target.folder).ok().flatten();
        editor.or_else(|| workspace::connect_to_headless_server(target.folder).ok().flatten())
    };
    block_on(call_debug_tool_in(find, target, tool, params, &shown.to_string()))
}

async fn call_debug_tool_in(
    find: impl Fn() -> Option<UnixStream>,
    target: Target<'_>,
    tool: &str,
    params: Value,
    shown: &str,
) -> Result<Value, Value> {
    if let Some(done) = call_live_server(find, target, tool, &params).await {
        return done;
    }
    let hint = "open the folder in an editor with tandem, or use `tandem debug PROGRAM`";
    if !SESSIONLESS_DEBUG_TOOLS.contains(&tool) {
        let why = format!("{tool}: no server runs for {shown}, so there are no debug sessions");
        return Err(ToolError::new(Code::Unavailable, why).hint(hint).data());
    }
    let done = call_in_process(target, tool, params).await.map_err(|error| error.data())?;
    if done["session"].is_u64() && done["state"] != "exited" {
        anstream::eprintln!(
            "tandem call: no server runs for {shown}, so the debug session has ended with this call; \
             {hint}"
        );
    }
    Ok(done)
}

/// Runs `call` on a runtime of its own.
fn block_on(call: impl Future<Output = Result<Value, Value>>) -> Result<Value, Value> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        ToolError::new(Code::Unavailable, format!("cannot start: {error}")).data()
    })?;
    let done = runtime.block_on(call);
    // Does not wait for threads that are blocked.
    runtime.shutdown_background();
    done
}

/// Calls a tool in the live server that `find` connects to. `None` if there is none.
async fn call_live_server(
    find: impl Fn() -> Option<UnixStream>,
    target: Target<'_>,
    tool: &str,
    params: &Value,
) -> Option<Result<Value, Value>> {
    if target.headless {
        return None;
    }
    let (via, approved) = (Via::Cli, target.yes);
    let greeting = ToolsGreeting { via, approved, ..ToolsGreeting::default() };
    let shown = target.folder.display();
    let unavailable = |why: String| {
        let message = format!("{tool}: the server for {shown}: {why}");
        Err(ToolError::new(Code::Unavailable, message)
            .hint("--headless works on the files on disk instead")
            .data())
    };
    let start = Instant::now();
    loop {
        let why = match Connection::start(find()?, &greeting, GREETING_TIMEOUT).await {
            Ok(server) => match server.call(&Caller::default(), tool, params, ()).await {
                CallOutcome::Answered(Ok(mut result)) => {
                    let editor = server.client().unwrap_or("an editor");
                    let name = if server.has_editor() { editor } else { ANSWERED_FROM_DISK };
                    set_answered_by(&mut result, name);
                    return Some(Ok(result));
                }
                CallOutcome::Answered(Err(error)) => return Some(Err(error)),
                CallOutcome::NotMade => "it is shutting down".to_owned(),
            },
            Err(ConnectError::Retryable(why)) => why,
            Err(ConnectError::Rejected(why)) => return Some(unavailable(why)),
        };
        // Usually its socket disappears soon, which ends the loop.
        if start.elapsed() > RETRY_TIMEOUT {
            return Some(unavailable(why));
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}

/// Records in a result who answered.
fn set_answered_by(result: &mut Value, name: &str) {
    if let Value::Object(fields) = result {
        fields.insert(ANSWERED_BY.to_owned(), name.into());
    }
}

/// Calls a tool in this process, on the files on disk.
async fn call_in_process(
    target: Target<'_>,
    tool: &str,
    params: Value,
) -> Result<Value, ToolError> {
    let headless = HeadlessWorkspace::open(target.folder, "cli")
        .map_err(|error| error.hint("set the folder with --workspace"))?;
    let call = ToolCall {
        tool: tool.to_owned(),
        arguments: params,
        caller: Caller::default(),
        gate: Arc::default(),
    };
    let editor = move |_| Headless { approve_all: target.yes };
    let mut result = Arc::new(headless).call(call, editor).await?;
    set_answered_by(&mut result, ANSWERED_FROM_DISK);
    Ok(result)
}
