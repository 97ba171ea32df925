//! Plays a transcript to a server and prints every line as it is taken.
//!
//! `cargo run -p tests --example replay -- FILE [COMMAND ARGUMENTS…]`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a failed replay ends it")]

use std::process::ExitCode;

use client::{Client, file_uri};
use tests::transcript::Transcript;
use tests::{Home, RESPONSE_TIMEOUT};

/// The most of a line that is printed.
const MAX_PRINTED_CHARS: usize = 160;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(file) = arguments.next() else {
        eprintln!("usage: replay FILE [COMMAND ARGUMENTS…]");
        return ExitCode::from(2);
    };
    let transcript = match std::fs::read_to_string(&file)
        .map_err(|error| error.to_string())
        .and_then(|source| Transcript::parse(&source))
    {
        Ok(transcript) => transcript,
        Err(why) => {
            eprintln!("{file}: {why}");
            return ExitCode::from(2);
        }
    };
    let home = Home::new();
    transcript.lay_out(&home.root());
    let mut command = match arguments.next() {
        Some(program) => std::process::Command::new(program),
        None => {
            let mut command = home.command();
            command.arg("lsp");
            command
        }
    };
    let client = match Client::spawn(command.args(arguments)) {
        Ok(client) => client,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    println!("{}", transcript.about);
    let followed =
        transcript.replay(&client, &file_uri(&home.root()), RESPONSE_TIMEOUT, |line, step| {
            let shown: String = step.to_string().chars().take(MAX_PRINTED_CHARS).collect();
            println!("{line:4} {shown}");
        });
    match followed {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{file}: {why}");
            ExitCode::FAILURE
        }
    }
}
