//! Tools that read, write and undo files, and that answer from and change code by its names and structure.

mod actions;
mod editing;
mod editor;
mod files;
mod format;
mod history;
mod languages;
mod names;
mod review;
#[cfg(feature = "rewrite")]
mod rewriting;
mod symbols;

use tools::{Entry, Family, session::FamilyStates};
use workspace::Snapshot;

#[cfg(feature = "rewrite")]
pub use rewriting::family as rewrite_family;

/// The family.
#[must_use]
pub fn family() -> Family {
    Family { feature: None, tools, states }
}

fn tools() -> Vec<Entry> {
    let modules: &[fn() -> Vec<Entry>] = &[
        files::tools,
        history::tools,
        editing::tools,
        editor::tools,
        format::tools,
        languages::tools,
        names::tools,
        symbols::tools,
        actions::tools,
    ];
    modules.iter().flat_map(|tools| tools()).collect()
}

fn states(_: &Snapshot, states: &mut FamilyStates) {
    editing::states(states);
}
