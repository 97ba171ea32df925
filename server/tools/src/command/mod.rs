//! Running programs, in walls of their own.

pub(crate) mod guarded;
mod output;
pub(crate) mod overlap;
mod run_command;
pub(crate) mod sandbox;
mod teller;

use crate::Entry;
pub(crate) use output::Output as Said;
pub(crate) use sandbox::refused;
pub(crate) use teller::Teller;

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![Entry::new::<run_command::RunCommand>()]
}
