//! `tandem debug`: a debugger for the terminal, by lines, on the tools that agents use.

mod front;
mod shown;
mod words;

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use self::front::Front;
use self::words::{HELP, Word, parse};
use crate::cli::DebugArgs;
use crate::out::say;

/// Longest line that is read, in bytes.
const LONGEST: usize = 64 << 10;

pub(crate) fn run(args: &DebugArgs) -> ExitCode {
    let interrupted = Arc::new(AtomicBool::new(false));
    watch_for_interrupts(&interrupted);
    let mut front = match Front::new(args, interrupted.clone()) {
        Ok(front) => front,
        Err(error) => {
            anstream::eprintln!("tandem debug: {error}");
            return ExitCode::from(2);
        }
    };
    let mut input = io::stdin().lock();
    let prompts = input_is_typed();
    if prompts {
        say!(
            "{}: `break` says where to stop, `run` starts it, `help` lists the rest",
            args.program
        );
    }
    let mut again = None;
    loop {
        if prompts {
            let _ = write!(io::stdout(), "(tandem) ").and_then(|()| io::stdout().flush());
        }
        let mut line = String::new();
        match io::Read::take(&mut input, LONGEST as u64).read_line(&mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
        // One at the prompt stops nothing.
        interrupted.store(false, Ordering::Relaxed);
        let word = match (line.trim(), &again) {
            ("", Some(word)) => Ok(Word::clone(word)),
            ("", None) => continue,
            (line, _) => parse(line),
        };
        match word {
            Ok(Word::Quit) => break,
            Ok(Word::Help) => say!("{HELP}"),
            Ok(word) => {
                let goes = matches!(word, Word::Continue | Word::Next | Word::Step | Word::Finish);
                again = goes.then(|| word.clone());
                if let Err(error) = front.does(word) {
                    say!("{error}");
                }
            }
            Err(why) => say!("{why}"),
        }
    }
    front.end();
    ExitCode::SUCCESS
}

fn input_is_typed() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Ctrl-C stops the program that is debugged, and not this one.
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
