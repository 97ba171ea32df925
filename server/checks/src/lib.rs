//! Builds, tests and checks projects, and returns what is wrong as structure.
//!
//! A project [`kind`](kinds) is data: how a project is recognised, and which programs build, test, lint,
//! type-check and format it. [`project`] finds the project of a call, [`choice`] the runner, [`run`]
//! runs its commands in the sandbox of `run_command`, after approval, and [`readers`] read what they
//! print into [`findings`]. [`history`] keeps the runs. This crate does not know LSP or MCP, and starts
//! no program by itself.

mod affected;
mod checks;
mod choice;
mod details;
mod editor_results;
mod findings;
mod history;
mod kinds;
mod packages;
mod paths;
mod project;
mod readers;
mod recording;
mod result;
mod run;
mod runs;

use std::any::TypeId;

use tools::{Entry, Family, FamilyStates};
use workspace::Snapshot;

use crate::affected::SourceCache;
use crate::history::RunFigures;
use crate::kinds::Kinds;

/// The family, for the binary.
#[must_use]
pub fn family() -> Family {
    Family { feature: Some("checks"), tools, states }
}

fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<checks::Build>(),
        Entry::new::<checks::Test>(),
        Entry::new::<checks::Lint>(),
        Entry::new::<checks::Typecheck>(),
        Entry::new::<checks::Format>(),
        Entry::new::<runs::BuildList>(),
        Entry::new::<runs::BuildStatus>(),
        Entry::new::<runs::BuildLogs>(),
    ]
}

fn states(_: &Snapshot, states: &mut FamilyStates) {
    states.insert(TypeId::of::<Kinds>(), Box::new(Kinds::read()));
    states.insert(TypeId::of::<RunFigures>(), Box::new(RunFigures));
    states.insert(TypeId::of::<SourceCache>(), Box::<SourceCache>::default());
}
