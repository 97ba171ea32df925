//! How a runner reports which lines its tests run.

use std::collections::BTreeMap;

use serde::Deserialize;

/// What records which functions each test runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Recorder {
    /// A plugin of pytest.
    Pytest,
}

/// What differs in a run with coverage. The words for it are `words.coverage`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CoverageSettings {
    /// The command, if it is another one.
    pub(crate) command: Option<Vec<String>>,
    /// Programs that must be there, too.
    #[serde(default)]
    pub(crate) needs: Vec<String>,
    /// Environment variables.
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// The plugin that records which functions each test runs.
    #[serde(default)]
    pub(crate) recorder: Option<Recorder>,
    /// A text of the output that says that something is not installed.
    #[serde(default)]
    pub(crate) missing: Option<String>,
    /// How it is installed.
    pub(crate) install: String,
}
