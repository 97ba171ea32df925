//! Tools for programs that run longer than a call, and about the machine that the server runs on.

mod processes;
mod system;

use tools::{Entry, Family, session::FamilyStates};
use workspace::Snapshot;

pub use processes::{KEPT_FOLDER, KeptNote, OutputPage, ProcessState, supervisor};

/// The family.
#[must_use]
pub fn family() -> Family {
    Family { feature: None, tools, states }
}

fn tools() -> Vec<Entry> {
    let mut tools = processes::tools();
    tools.extend(system::tools());
    tools
}

fn states(_: &Snapshot, states: &mut FamilyStates) {
    system::time_zone();
    processes::states(states);
}
