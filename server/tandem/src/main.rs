//! The `tandem` program: the language server, and its tools for the shell.
//!
//! This crate holds the command line and nothing else: what a command does is in the crates below,
//! but for the tour and the doctor, which only look at them from outside.

mod adapters;
mod audit;
mod call;
mod cli;
mod dap;
mod debug;
mod doctor;
mod features;
mod highlight;
mod index;
mod input;
mod languages;
mod live;
mod mcp_stdio;
mod out;
mod patch_files;
#[cfg(feature = "scip")]
mod scip;
mod serve;
mod tools_list;
mod tour;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tracing_subscriber::EnvFilter;

use crate::cli::{Cli, Command};

fn main() -> ExitCode {
    // First of all: whoever confines a command has one thread and nothing open.
    if let Some(code) = process::launcher_main(std::env::args_os().skip(1)) {
        return code;
    }
    let cli = Cli::parse();
    // Logs go to stderr; stdout belongs to the protocol and to results.
    tracing_subscriber::fmt()
        .with_env_filter(
            EnvFilter::try_from_env("TANDEM_LOG").unwrap_or_else(|_| EnvFilter::new("off")),
        )
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .init();
    raise_file_limit();
    for problem in workspace::take_user_queries() {
        anstream::eprintln!("tandem: {problem}");
    }
    match cli.command {
        Command::Lsp(args) => serve::run(&args),
        Command::Debug(args) => debug::run(&args),
        Command::Dap(args) => dap::run(&args),
        Command::Call(args) => call::run(&args),
        Command::Mcp(args) => mcp_stdio::run(args),
        Command::Patch(args) => patch_files::run(&args),
        Command::Tools(args) => tools_list::run(&args),
        Command::Highlight(args) => highlight::run(&args),
        Command::Languages(args) => languages::run(&args),
        Command::Index(args) => index::run(&args),
        Command::Tour { dir } => tour::run(&dir),
        Command::Audit(args) => audit::run(&args),
        Command::Doctor { adapters: true } => adapters::run(),
        Command::Doctor { adapters: false } => doctor::run(),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "tandem", &mut script);
            out::write(format_args!("{}", String::from_utf8_lossy(&script)));
            ExitCode::SUCCESS
        }
    }
}

/// A transaction keeps its files open until all are ready: more of them than the soft limit that
/// many systems start with.
fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    // Where it is refused, very large transactions are refused too, with an error.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}
