//! The file format of a dialect.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::toml_lines::line_at;

/// A dialect file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DialectFile {
    /// What it is a dialect of, for people.
    pub(super) title: String,
    #[serde(default)]
    pub(super) envelope: Envelope,
    #[serde(default)]
    pub(super) tool: Vec<ToolFile>,
}

/// Filters for the outcome of every call.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Envelope {
    /// From a tool's translated result to what is returned.
    pub(super) result: Option<Spanned<String>>,
    /// From an error (`{code, message, recoverable, hint?, details?}`) to the dialect's.
    pub(super) error: Option<Spanned<String>>,
}

/// A tool of a dialect.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolFile {
    pub(super) name: String,
    #[serde(default)]
    pub(super) aliases: Vec<String>,
    /// The tool that does the work; none if there is none yet.
    pub(super) calls: Option<String>,
    /// One sentence for models.
    pub(super) about: String,
    /// The dialect's own permission level or tier, for people.
    pub(super) level: Option<String>,
    /// The parameters: `name = "type description"`, with `?` after the type of an optional one.
    #[serde(default)]
    pub(super) parameters: BTreeMap<String, String>,
    /// Other names of parameters: `alias = "name"`.
    #[serde(default)]
    pub(super) parameter_aliases: BTreeMap<String, String>,
    /// The filter that turns the parameters into the called tool's parameters; none if they are the same.
    pub(super) arguments: Option<Spanned<String>>,
    /// From the result of the tool that it calls; by default it is the same.
    pub(super) result: Option<Spanned<String>>,
    /// The fields of a result, as `matches[].path: string`.
    #[serde(default)]
    pub(super) returns: Vec<String>,
    /// Parameters of example calls, as JSON.
    #[serde(default)]
    pub(super) examples: Vec<String>,
}

impl DialectFile {
    /// Parses the text of a dialect file. The error has the line and the reason.
    pub(super) fn parse(text: &str) -> Result<Self, (usize, String)> {
        toml::from_str(text).map_err(|error: toml::de::Error| {
            let line = error.span().map_or(1, |span| line_at(text, span.start));
            (line, error.message().to_owned())
        })
    }
}
