//! Families of tools, which live in crates of their own.
//!
//! Those that pull in heavy crates are cargo features of the binary. This crate knows only the names of
//! their tools (`optional_tools.toml`), so that calls of those that are not built in say how to get them.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use workspace::Snapshot;

use crate::session::FamilyStates;
use crate::{Code, Entry, ToolError};

/// The command that installs a binary with all features.
pub const INSTALL: &str = "cargo install --path server/tandem --features full";

/// A family of tools of another crate.
pub struct Family {
    /// The feature of the binary that builds it in; `None` if it always is.
    pub feature: Option<&'static str>,
    /// Its tools, in listing order.
    pub tools: fn() -> Vec<Entry>,
    /// Adds its states to those of a session; see [`FamilyState`](crate::FamilyState).
    pub states: fn(&Snapshot, &mut FamilyStates),
}

static ADDED: OnceLock<Vec<Family>> = OnceLock::new();

/// Adds the families that are built in. Must run before the first call, once; later calls are ignored.
pub fn add_families(families: Vec<Family>) {
    // A second caller would have to name the same families: there is one binary.
    let _ = ADDED.set(families);
}

/// The families that are built in.
pub(crate) fn added() -> &'static [Family] {
    ADDED.get().map_or(&[], Vec::as_slice)
}

/// Tools of families, by their feature.
#[must_use]
pub fn optional_tools() -> &'static BTreeMap<String, Vec<String>> {
    static TOOLS: OnceLock<BTreeMap<String, Vec<String>>> = OnceLock::new();
    TOOLS.get_or_init(|| {
        toml::from_str(include_str!("optional_tools.toml"))
            .inspect_err(|error| tracing::error!("optional_tools.toml: {error}"))
            .unwrap_or_default()
    })
}

/// The error for a tool that belongs to a family which is not built in; `None` for all others.
pub(crate) fn not_built_in(name: &str) -> Option<ToolError> {
    let mut features = optional_tools().iter();
    let (feature, _) = features.find(|(_, tools)| tools.iter().any(|tool| tool == name))?;
    if added().iter().any(|family| family.feature == Some(feature)) {
        return None;
    }
    let message = format!("{name}: this tandem was built without the feature `{feature}`");
    Some(ToolError::new(Code::Unavailable, message).hint(format!("install it with `{INSTALL}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_is_not_built_in_says_how_to_get_it() {
        let error = not_built_in("http_request").unwrap().data();
        assert_eq!(error["code"], "E_UNAVAILABLE");
        assert!(error["hint"].as_str().unwrap().contains(INSTALL), "{error}");
        assert!(not_built_in("read_file").is_none() && not_built_in("nonsense").is_none());
    }
}
