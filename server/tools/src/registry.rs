//! The list of tools.

use std::sync::OnceLock;

use crate::Entry;
use crate::{
    actions, audit, command, debug, editing, editor, files, format, git, history, languages, names,
    search, symbols, system,
};

/// All tools, in listing order.
pub fn registry() -> &'static [Entry] {
    static REGISTRY: OnceLock<Vec<Entry>> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        let families = [
            files::tools,
            history::tools,
            editing::tools,
            editor::tools,
            command::tools,
            debug::tools,
            audit::tools,
            format::tools,
            languages::tools,
            search::tools,
            names::tools,
            symbols::tools,
            actions::tools,
            git::tools,
            system::tools,
        ];
        families.into_iter().flat_map(|tools| tools()).collect()
    })
}

/// The tool with this canonical name or alias.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    registry().iter().find(|tool| tool.name == name || tool.aliases.contains(&name))
}
