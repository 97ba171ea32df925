//! Running programs, in walls of their own.

pub(crate) mod guarded;
mod output;
pub(crate) mod overlap;
mod run_command;
pub(crate) mod sandbox;
mod teller;

pub(crate) use output::Output as Said;
pub(crate) use run_command::RunCommand;
pub(crate) use sandbox::refused;
pub(crate) use teller::Teller;
