//! The list of tools.

use std::sync::OnceLock;

use workspace::Snapshot;

use crate::session::FamilyStates;
use crate::tool_names::ToolNames;
use crate::{Entry, Session, family};
use crate::{
    actions, command, debug, discovery, editing, editor, files, format, git, history, languages,
    names, processes, records, search, secret_scan, symbols, system, vulnerabilities,
};

/// All tools, in listing order.
pub fn registry() -> &'static [Entry] {
    static REGISTRY: OnceLock<Vec<Entry>> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let families: &[fn() -> Vec<Entry>] = &[
            files::tools,
            history::tools,
            editing::tools,
            editor::tools,
            command::tools,
            processes::tools,
            debug::tools,
            format::tools,
            languages::tools,
            search::tools,
            secret_scan::tools,
            vulnerabilities::tools,
            names::tools,
            symbols::tools,
            actions::tools,
            git::tools,
            system::tools,
            records::tools,
            discovery::tools,
        ];
        let added = family::added().iter().map(|family| family.tools);
        families.iter().copied().chain(added).flat_map(|tools| tools()).collect()
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
        system::time_zone();
        let mut states = FamilyStates::new();
        command::states(&mut states);
        processes::states(&mut states);
        debug::states(snapshot, &mut states);
        editing::states(&mut states);
        records::states(&mut states);
        discovery::states(registry(), &mut states);
        family::added().iter().for_each(|family| (family.states)(snapshot, &mut states));
        Self::with_families(snapshot, tool_names(), states)
    }
}
