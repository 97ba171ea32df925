//! `tandem debug`: a line-based debugger for the terminal, built on the debug tools.

mod command;
mod print;
mod terminal_debugger;

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use self::command::{DebugCommand, HELP, parse};
use self::terminal_debugger::TerminalDebugger;
use crate::cli::DebugArgs;
use crate::stdout::print_line;

/// Longest input line, in bytes.
const MAX_LINE_BYTES: usize = 64 << 10;

pub(crate) fn run(args: &DebugArgs) -> ExitCode {
    let interrupted = Arc::new(AtomicBool::new(false));
    watch_for_interrupts(&interrupted);
    let mut debugger = match TerminalDebugger::new(args, interrupted.clone()) {
        Ok(debugger) => debugger,
        Err(error) => {
            anstream::eprintln!("tandem debug: {error}");
            return ExitCode::from(2);
        }
    };
    let mut input = io::stdin().lock();
    let prompts = input_is_typed();
    if prompts {
        print_line!(
            "{}: set breakpoints with `break`, start with `run`; `help` lists all commands",
            args.program
        );
    }
    let mut repeated = None;
    loop {
        if prompts {
            let _ = write!(io::stdout(), "(tandem) ").and_then(|()| io::stdout().flush());
        }
        let mut line = String::new();
        match io::Read::take(&mut input, MAX_LINE_BYTES as u64).read_line(&mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        // Ctrl-C at the prompt has no effect.
        interrupted.store(false, Ordering::Relaxed);
        let command = match (line.trim(), &repeated) {
            ("", Some(command)) => Ok(DebugCommand::clone(command)),
            ("", None) => continue,
            (line, _) => parse(line),
        };
        match command {
            Ok(DebugCommand::Quit) => break,
            Ok(DebugCommand::Help) => print_line!("{HELP}"),
            Ok(command) => {
                let is_repeatable = matches!(
                    command,
                    DebugCommand::Continue
                        | DebugCommand::Next
                        | DebugCommand::Step
                        | DebugCommand::Finish
                );
                repeated = is_repeatable.then(|| command.clone());
                if let Err(error) = debugger.execute(command) {
                    print_line!("{error}");
                }
            }
            Err(why) => print_line!("{why}"),
        }
    }
    debugger.stop();
    ExitCode::SUCCESS
}

fn input_is_typed() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Makes Ctrl-C pause the debugged program instead of ending this one.
fn watch_for_interrupts(interrupted: &Arc<AtomicBool>) {
    let interrupted = interrupted.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Ok(runtime) = runtime else { return };
    std::thread::spawn(move || {
        runtime.block_on(async {
            while tokio::signal::ctrl_c().await.is_ok() {
                interrupted.store(true, Ordering::Relaxed);
            }
        });
    });
}
