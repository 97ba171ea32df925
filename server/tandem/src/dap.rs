//! `tandem dap`: the debug adapter that an editor starts. It forwards to the live server.

use std::process::ExitCode;
use std::time::Duration;

use live::Greeted;
use serde_json::{Value, json};
use tokio::io::{self, AsyncWriteExt};
use workspace::connect_to_server;

use crate::cli::DapArgs;

/// How long a server may take to accept a debugger, since it may prompt the user.
const GREETING_TIMEOUT: Duration = Duration::from_secs(180);

pub(crate) fn run(args: &DapArgs) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let forwarded = match &runtime {
        Ok(runtime) => runtime.block_on(forward(args)),
        Err(error) => Err(error.to_string()),
    };
    let code = match forwarded {
        Ok(()) => 0,
        Err(why) => {
            anstream::eprintln!("tandem dap: {why}");
            1
        }
    };
    // Exits explicitly: a thread may be blocked on input.
    std::process::exit(code)
}

/// Forwards between the standard streams and the server until the server ends.
async fn forward(args: &DapArgs) -> Result<(), String> {
    let mut greeting = json!({ "face": "dap", "full": args.full });
    if let Some(session) = args.session {
        greeting["session"] = session.into();
    }
    let Greeted { mut reader, mut writer, .. } = connect(args, &greeting).await?;
    tokio::spawn(async move {
        let _ = io::copy(&mut io::stdin(), &mut writer).await;
        // The editor is gone; the server's last messages are still forwarded.
        let _ = writer.shutdown().await;
    });
    let mut stdout = io::stdout();
    io::copy_buf(&mut reader, &mut stdout).await.map_err(|error| error.to_string())?;
    stdout.flush().await.map_err(|error| error.to_string())
}

/// Connects to the live server of the workspace around the folder.
async fn connect(args: &DapArgs, greeting: &Value) -> Result<Greeted, String> {
    let shown = args.workspace.display();
    let found = connect_to_server(&args.workspace).map_err(|error| format!("{shown}: {error}"))?;
    let stream = found.ok_or_else(|| {
        format!(
            "no server runs for {shown}; open the folder in an editor with tandem, or set its workspace \
             with --workspace"
        )
    })?;
    live::greet(stream, greeting, GREETING_TIMEOUT)
        .await
        .map_err(|why| format!("the server for {shown}: {why}"))
}
