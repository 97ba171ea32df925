//! `tandem dashboard`

use std::process::ExitCode;
use std::time::Duration;

use mcp::HostedWorkspace;
use serde_json::{Value, json};
use tokio::signal::unix::{SignalKind, signal};

use crate::call::{Target, call_in_workspace, is_served};
use crate::cli::DashboardArgs;
use crate::read_file;
use crate::stdout::print_line;

/// Longest token file, in bytes.
const MAX_TOKEN_BYTES: u64 = 200;
const TOOL: &str = "dashboard_start";
/// Attempts to host the workspace, if another process is about to start or to end; and the time between.
const MAX_TRIES: u32 = 20;
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

pub(crate) fn run(args: &DashboardArgs) -> ExitCode {
    match start(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let text = |field: &str| error[field].as_str().map(str::to_owned);
            let message = text("message").unwrap_or_else(|| error.to_string());
            anstream::eprintln!("tandem dashboard: {message}");
            if let Some(hint) = text("hint") {
                anstream::eprintln!("tandem dashboard: {hint}");
            }
            ExitCode::FAILURE
        }
    }
}

/// Starts the dashboard in the server of the workspace, or in one of this process.
fn start(args: &DashboardArgs) -> Result<(), Value> {
    let arguments = args.addr.as_ref().map_or_else(|| json!({}), |addr| json!({ "addr": addr }));
    for _ in 0..MAX_TRIES {
        if is_served(&args.workspace) {
            // The person starts it.
            let target = Target { folder: &args.workspace, yes: true, headless: false };
            return show(&call_in_workspace(target, TOOL, arguments)?);
        }
        if host(args, &arguments)? {
            return Ok(());
        }
        std::thread::sleep(RETRY_INTERVAL);
    }
    Err(json!("a server of this folder is starting or ending; try again"))
}

/// Hosts the workspace until the process is asked to end. False if another process does.
fn host(args: &DashboardArgs, arguments: &Value) -> Result<bool, Value> {
    let failed = |error: std::io::Error| Value::from(error.to_string());
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(failed)?;
    let done = runtime.block_on(async {
        let opened = HostedWorkspace::open(&args.workspace, "dashboard").map_err(Value::from)?;
        let Some(hosted) = opened else { return Ok(false) };
        let started = hosted.call_approved(TOOL, arguments.clone()).await;
        let shown = started.and_then(|started| show(&started));
        if shown.is_ok() {
            anstream::eprintln!("tandem dashboard: it runs until you end it with Ctrl-C");
            let mut terminated = signal(SignalKind::terminate()).map_err(failed)?;
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminated.recv() => {}
            }
        }
        hosted.stop().await;
        shown.map(|()| true)
    });
    // Does not wait for threads that are blocked.
    runtime.shutdown_background();
    done
}

/// Prints the page's address, with the token in the fragment, which browsers send nowhere.
fn show(started: &Value) -> Result<(), Value> {
    let text = |field: &str| started[field].as_str().unwrap_or_default();
    let token = read_file::read(text("token_file").as_ref(), MAX_TOKEN_BYTES)
        .map_err(|error| Value::from(format!("{}: {error}", text("token_file"))))?;
    print_line!("http://{}/#{}", text("addr"), String::from_utf8_lossy(&token).trim_end());
    Ok(())
}
