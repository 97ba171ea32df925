//! Runs programs in sandboxes.

pub(crate) mod guarded;
mod output;
mod output_reporter;
mod private_files;
mod program_run;
pub(crate) mod request;
mod run_command;
pub(crate) mod running_commands;
pub(crate) mod sandbox;

use std::any::TypeId;

use crate::Entry;
use crate::session::{FamilyState, FamilyStates};
pub use guarded::{Before as GuardedBefore, Created as CreatedGuarded};
pub(crate) use output::Output as CutOutput;
pub(crate) use output_reporter::OutputReporter;
pub use private_files::{hidden_files, read_only_files};
pub use program_run::{ProgramOutcome, ProgramRun};
pub use sandbox::refused as program_refused;
pub(crate) use sandbox::refused;

/// Adds the family's state.
pub(crate) fn states(states: &mut FamilyStates) {
    states.insert(
        TypeId::of::<running_commands::RunningCommands>(),
        Box::<running_commands::RunningCommands>::default(),
    );
}

impl FamilyState for running_commands::RunningCommands {}

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![Entry::new::<run_command::RunCommand>()]
}
