//! Running programs, in walls of their own.

mod guarded;
mod output;
mod run_command;
mod sandbox;

pub(crate) use run_command::RunCommand;
