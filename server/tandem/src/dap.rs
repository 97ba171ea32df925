//! `tandem dap`: the debug adapter that an editor starts, whose other end is in the running server.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::process::ExitCode;
use std::thread;

use serde_json::json;

use crate::cli::DapArgs;
use crate::live::{Joined, join};

pub(crate) fn run(args: &DapArgs) -> ExitCode {
    let mut greeting = json!({ "face": "dap", "full": args.full });
    if let Some(session) = args.session {
        greeting["session"] = session.into();
    }
    let Joined { mut reader, writer, .. } = match join(&args.workspace, &greeting) {
        Ok(joined) => joined,
        Err(why) => {
            anstream::eprintln!("tandem dap: {why}");
            return ExitCode::FAILURE;
        }
    };
    // Ends with the process: a read of stdin cannot be called off.
    thread::spawn(move || {
        let mut to = &writer;
        let _ = passed_on(&mut io::stdin().lock(), &mut to);
        // The editor has gone; what the server says to that is still passed on.
        let _ = writer.shutdown(Shutdown::Write);
    });
    match passed_on(&mut reader, &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Passes bytes on as they come, at once.
fn passed_on(from: &mut impl Read, to: &mut impl Write) -> io::Result<()> {
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
