//! What a team wrote down for its agents, and what they can use: runbooks, skills, agents, tools, plans.
//!
//! Documents are Markdown files with front matter, in folders that are named for it (`library`). An agent makes
//! the calls that a runbook lists itself; a workflow makes its own (`workflows`), by the executor, so that each
//! is checked, approved and recorded like any other. Other agents (`acp`) get one task (`delegate`), or
//! messages of a lasting conversation (`sessions`), over the Agent Client Protocol. This crate does not know LSP or MCP.

mod acp;
mod catalog;
mod delegate;
mod library;
mod markdown;
mod planning;
mod runbooks;
mod sessions;
mod shipped;
mod workflows;

use std::any::TypeId;

use tools::{Entry, Family, FamilyStates};
use workspace::Snapshot;

use crate::catalog::AgentPrograms;
use crate::delegate::Delegations;
use crate::library::PersonalDocuments;
use crate::sessions::Sessions;
use crate::workflows::CheckedWorkflows;

/// The family, for the binary.
#[must_use]
pub fn family() -> Family {
    Family { feature: Some("agents"), tools, states }
}

fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<catalog::Catalog>(),
        Entry::new::<delegate::Delegate>(),
        Entry::new::<delegate::DelegateStatus>(),
        Entry::new::<sessions::SessionCreate>(),
        Entry::new::<sessions::SessionSend>(),
        Entry::new::<sessions::SessionHistory>(),
        Entry::new::<sessions::SessionList>(),
        Entry::new::<runbooks::ListRunbooks>(),
        Entry::new::<runbooks::GetRunbook>(),
        Entry::new::<runbooks::SearchRunbooks>(),
        Entry::new::<planning::PlanIntent>(),
        Entry::new::<planning::PlanRoute>(),
        Entry::new::<workflows::WorkflowTool>(),
    ]
}

/// Personal documents are read here, because the sandboxed threads of tools cannot read the settings
/// folder.
fn states(_: &Snapshot, states: &mut FamilyStates) {
    states.insert(TypeId::of::<PersonalDocuments>(), Box::new(PersonalDocuments::read()));
    states.insert(TypeId::of::<AgentPrograms>(), Box::new(AgentPrograms::read()));
    states.insert(TypeId::of::<Delegations>(), Box::<Delegations>::default());
    states.insert(TypeId::of::<Sessions>(), Box::<Sessions>::default());
    states.insert(TypeId::of::<CheckedWorkflows>(), Box::<CheckedWorkflows>::default());
}
