//! Infrastructure as code: `iac_plan` shows what Terraform or OpenTofu would change, `iac_apply` applies exactly that.
//!
//! Start reading with [`iac_plan`]. [`program`] runs the program in the sandbox of `run_command`, [`changes`] reads a
//! plan, [`store`] keeps it under its hash, and [`fingerprint`] notices that its configuration has changed since. This
//! crate does not know LSP, MCP or languages, and never prints a state.

mod attributes;
mod changes;
mod events;
mod fingerprint;
mod iac_apply;
mod iac_plan;
mod limits;
mod plan_file;
mod program;
mod store;
mod summary;

use tools::{Entry, Family, FamilyStates};
use workspace::Snapshot;

/// The family, for the binary.
#[must_use]
pub fn family() -> Family {
    Family { feature: Some("infrastructure"), tools, states }
}

fn tools() -> Vec<Entry> {
    vec![Entry::new::<iac_plan::IacPlan>(), Entry::new::<iac_apply::IacApply>()]
}

fn states(_: &Snapshot, _: &mut FamilyStates) {}
