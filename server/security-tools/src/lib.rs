//! Tools that find secrets in files and changes, and vulnerable dependencies.

mod secret_scan;
mod vulnerabilities;

use tools::{Entry, Family};

/// The family.
#[must_use]
pub fn family() -> Family {
    Family { feature: None, tools, states: |_, _| () }
}

fn tools() -> Vec<Entry> {
    let mut tools = secret_scan::tools();
    tools.extend(vulnerabilities::tools());
    tools
}
