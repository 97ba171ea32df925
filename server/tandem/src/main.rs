//! The `tandem` program: the language server, and its tools for the shell.
//!
//! This crate holds the command line only; the crates below do the work. The tour and the doctor
//! check them from outside. Start reading from `cli::Command` and `main`.

mod adapter_table;
mod audit;
mod call;
mod cli;
mod dap;
mod dashboard;
mod debug;
mod doctor;
mod features;
mod highlight;
mod index;
mod languages;
mod mcp_server;
mod node_dap;
mod patch;
mod read_file;
#[cfg(feature = "scip")]
mod scip;
mod serve;
mod setup;
mod stdout;
mod tools_list;
mod tour;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tracing_subscriber::EnvFilter;

use crate::cli::{Cli, Command};

fn main() -> ExitCode {
    // Must run first: the process that confines a command needs a single thread and no open files.
    if let Some(code) = process::launcher_main(std::env::args_os().skip(1)) {
        return code;
    }
    // Likewise, for the process that keeps a process.
    if let Some(code) = process::keeper_main(std::env::args_os().skip(1)) {
        return code;
    }
    let cli = Cli::parse();
    // Logs go to stderr; stdout carries the protocol or results.
    tracing_subscriber::fmt()
        .with_env_filter(
            EnvFilter::try_from_env("TANDEM_LOG").unwrap_or_else(|_| EnvFilter::new("off")),
        )
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .init();
    raise_file_limit();
    tools::add_families(features::families());
    for problem in workspace::load_user_queries() {
        anstream::eprintln!("tandem: {problem}");
    }
    match cli.command {
        Command::Lsp(args) => serve::run(&args),
        Command::Debug(args) => debug::run(&args),
        Command::Dap(args) => dap::run(&args),
        Command::NodeDap(args) => node_dap::run(args),
        Command::Call(args) => call::run(&args),
        Command::Mcp(args) => mcp_server::run(args),
        Command::Dashboard(args) => dashboard::run(&args),
        Command::Setup(args) => setup::run(&args),
        Command::Patch(args) => patch::run(&args),
        Command::Tools(args) => tools_list::run(&args),
        Command::Highlight(args) => highlight::run(&args),
        Command::Languages(args) => languages::run(&args),
        Command::Index(args) => index::run(&args),
        Command::Tour { dir } => tour::run(&dir),
        Command::Audit(args) => audit::run(&args),
        Command::Doctor { adapters: true } => adapter_table::run(),
        Command::Doctor { adapters: false } => doctor::run(),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "tandem", &mut script);
            stdout::write(format_args!("{}", String::from_utf8_lossy(&script)));
            ExitCode::SUCCESS
        }
    }
}

/// Raises the soft limit of open files: a transaction keeps all its files open until it commits, which
/// may exceed the default of many systems.
fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    // If this fails, very large transactions fail with an error.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}
