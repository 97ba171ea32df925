//! Profiles of tools, as written in settings.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

/// What a person's settings have for MCP.
pub(crate) struct McpSettings {
    /// The profile of agents that choose none.
    pub(crate) profile: Option<String>,
    /// The folders in which clients may choose their workspace by their roots.
    pub(crate) roots: Vec<PathBuf>,
    /// The person's own profiles, by name.
    pub(crate) profiles: BTreeMap<String, ProfileSettings>,
}

/// A profile as written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ProfileSettings {
    /// Profiles whose tools come first.
    pub(crate) extends: Vec<String>,
    /// Tools in listing order; `*` is all.
    pub(crate) tools: Vec<ListedToolSettings>,
    /// Tools left out.
    pub(crate) except: Vec<String>,
    /// Whether the schemas of results are listed.
    pub(crate) output_schemas: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "a tool is a name, or {name, parameters}")]
pub(crate) enum ListedToolSettings {
    Name(String),
    Some(SomeParameters),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SomeParameters {
    pub(crate) name: String,
    /// The listed parameters.
    pub(crate) parameters: Vec<String>,
}
