//! The list of tools.

use std::sync::OnceLock;

use workspace::Snapshot;

use crate::session::FamilyStates;
use crate::tool_names::ToolNames;
use crate::{Entry, Session, command, discovery, family};

/// All tools, in listing order.
pub fn registry() -> &'static [Entry] {
    static REGISTRY: OnceLock<Vec<Entry>> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let families = family::added().iter().map(|family| family.tools);
        let own: [fn() -> Vec<Entry>; 2] = [command::tools, discovery::tools];
        families.chain(own).flat_map(|tools| tools()).collect()
    })
}

/// The tool with this canonical name or alias.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    registry().iter().find(|tool| tool.name == name || tool.aliases.contains(&name))
}

/// The names of all tools.
pub(crate) fn tool_names() -> ToolNames {
    ToolNames::new(registry().iter().map(|tool| (tool.name, tool.aliases)).collect())
}

impl Session {
    /// A session with the user's settings, tightened by those of the workspace of `snapshot`.
    #[must_use]
    pub fn new(snapshot: &Snapshot) -> Self {
        let mut states = FamilyStates::new();
        command::states(&mut states);
        discovery::states(registry(), &mut states);
        family::added().iter().for_each(|family| (family.states)(snapshot, &mut states));
        Self::with_families(snapshot, tool_names(), states)
    }
}
