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
pub struct ProfileSettings {
    /// Profiles whose tools come first.
    pub extends: Vec<String>,
    /// Tools in listing order; `*` is all.
    pub tools: Vec<ListedToolSettings>,
    /// Tools left out.
    pub except: Vec<String>,
    /// Whether the schemas of results are listed.
    pub output_schemas: bool,
}

/// A tool of a profile, as written.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "a tool is a name, or {name, parameters}")]
pub enum ListedToolSettings {
    /// With all its parameters.
    Name(String),
    /// With some of them.
    Some(SomeParameters),
}

/// A tool with the parameters that are listed.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SomeParameters {
    /// The tool.
    pub name: String,
    /// The listed parameters.
    pub parameters: Vec<String>,
}
