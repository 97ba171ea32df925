//! `tandem dap`: the debug adapter that an editor starts. It forwards to the live server.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::process::ExitCode;
use std::thread;

use serde_json::json;

use crate::cli::DapArgs;
use crate::live_server::{LiveConnection, connect};

pub(crate) fn run(args: &DapArgs) -> ExitCode {
    let mut greeting = json!({ "face": "dap", "full": args.full });
    if let Some(session) = args.session {
        greeting["session"] = session.into();
    }
    let LiveConnection { mut reader, writer, .. } = match connect(&args.workspace, &greeting) {
        Ok(connection) => connection,
        Err(why) => {
            anstream::eprintln!("tandem dap: {why}");
            return ExitCode::FAILURE;
        }
    };
    // This thread ends with the process, since a read of stdin cannot be interrupted.
    thread::spawn(move || {
        let mut to = &writer;
        let _ = copy_bytes(&mut io::stdin().lock(), &mut to);
        // The editor is gone; the server's last messages are still forwarded.
        let _ = writer.shutdown(Shutdown::Write);
    });
    match copy_bytes(&mut reader, &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Copies bytes as they arrive.
fn copy_bytes(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                to.write_all(&buffer[..count])?;
                to.flush()?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
