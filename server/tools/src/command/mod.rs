//! Running programs, in walls of their own.

mod output;
mod run_command;
mod sandbox;

pub(crate) use run_command::RunCommand;
