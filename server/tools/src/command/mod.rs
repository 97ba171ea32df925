//! Runs programs in sandboxes.

pub mod guarded;
mod output;
mod output_reporter;
mod private_files;
mod program_run;
pub mod request;
mod run_command;
pub mod running_commands;
pub mod sandbox;

use std::any::TypeId;

use crate::Entry;
use crate::session::{FamilyState, FamilyStates};
pub use guarded::{Before as GuardedBefore, Created as CreatedGuarded};
pub use output::Output as CutOutput;
pub use output_reporter::OutputReporter;
pub use private_files::{hidden_files, read_only_files};
pub use program_run::{ProgramOutcome, ProgramRun};
pub use sandbox::refused as program_refused;
pub use sandbox::refused;

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
