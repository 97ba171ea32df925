//! Tools that use the network: `http_request`, `web_fetch`, `dns_lookup`, `port_check`.
//!
//! Every address that a tool connects to is checked by one policy after its name was resolved. This crate
//! does not know LSP, MCP, or the languages of the workspace.

use tools::{Entry, Family, FamilyStates};
use workspace::Snapshot;

/// The family, for the binary.
#[must_use]
pub fn family() -> Family {
    Family { feature: "web", tools, states }
}

fn tools() -> Vec<Entry> {
    Vec::new()
}

fn states(_: &Snapshot, _: &mut FamilyStates) {}
