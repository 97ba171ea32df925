//! Profiles of tools, as written in settings.

use serde::Deserialize;

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
