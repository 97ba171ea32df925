//! The one list of tools.

use std::sync::OnceLock;

use crate::Entry;
use crate::{editing, files};

/// Every tool, in the order in which they are listed.
pub fn registry() -> &'static [Entry] {
    static REGISTRY: OnceLock<Vec<Entry>> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        vec![
            Entry::of::<files::ReadFile>(),
            Entry::of::<editing::ApplyEdit>(),
            Entry::of::<editing::EditFile>(),
        ]
    })
}

/// The tool called `name`, by its canonical name or an alias.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    registry().iter().find(|tool| tool.name == name || tool.aliases.contains(&name))
}
