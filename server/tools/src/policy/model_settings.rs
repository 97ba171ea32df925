//! The table `models` of the user's settings.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Limit for the backends.
const MAX_BACKENDS: usize = 50;
/// Longest name of a backend, in bytes.
const MAX_NAME_BYTES: usize = 60;
/// Longest `timeout_secs`: a call holds one of the server's slots.
const MAX_TIMEOUT_SECS: u64 = 600;

/// Which language models tools may use, and how much of them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelSettings {
    /// The backend of calls that name none; the first by name if it is missing.
    pub default: Option<String>,
    /// The backend of `embed`, instead of the built-in model.
    pub embedding: Option<String>,
    /// The backend that judges responses for `ml_score`.
    pub judge: Option<String>,
    /// The backend of inline completion in editors; off without it.
    pub inline_completion: Option<String>,
    /// Time for one answer of a model, in seconds.
    pub timeout_secs: u64,
    /// Tokens that one session may spend, prompts and answers together.
    pub session_tokens: u64,
    /// The servers of models, by the names that calls use.
    pub backends: BTreeMap<String, ModelBackend>,
    /// An InfluxDB for `ml_status`.
    pub influx: Option<InfluxSettings>,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            default: None,
            embedding: None,
            judge: None,
            inline_completion: None,
            timeout_secs: 300,
            session_tokens: 2_000_000,
            backends: BTreeMap::new(),
            influx: None,
        }
    }
}

/// A server of models.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelBackend {
    /// The API that it speaks.
    pub kind: ModelApi,
    /// Its address, without the path of a request.
    pub url: String,
    /// The model of calls that name none.
    #[serde(default)]
    pub model: Option<String>,
    /// The model of `embed`.
    #[serde(default)]
    pub embedding_model: Option<String>,
    /// The model of `ml_complete` and inline completion.
    #[serde(default)]
    pub completion_model: Option<String>,
    /// The environment variable that holds its key.
    #[serde(default)]
    pub key_env: Option<String>,
}

/// An API of servers of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelApi {
    /// `/v1/chat/completions` and its kin.
    #[serde(rename = "openai")]
    OpenAi,
    /// `/api/chat` and its kin.
    Ollama,
}

/// A time series database, version 1 of its API.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InfluxSettings {
    /// Its address.
    pub url: String,
    /// The database.
    #[serde(default = "default_influx_database")]
    pub database: String,
    /// The environment variable that holds its token.
    #[serde(default)]
    pub key_env: Option<String>,
}

/// The database of calls and settings that name none.
#[must_use]
pub fn default_influx_database() -> String {
    "lem".to_owned()
}

impl ModelSettings {
    pub(super) fn check(&self) -> Result<(), String> {
        if !(1..=MAX_TIMEOUT_SECS).contains(&self.timeout_secs) {
            return Err(format!("models.timeout_secs is not between 1 and {MAX_TIMEOUT_SECS}"));
        }
        if self.backends.len() > MAX_BACKENDS {
            return Err(format!("models.backends has more than {MAX_BACKENDS} entries"));
        }
        let is_name = |name: &str| !name.is_empty() && name.len() <= MAX_NAME_BYTES;
        if let Some(name) = self.backends.keys().find(|name| !is_name(name)) {
            return Err(format!("models.backends: `{name:.60}` is no name of 1 to 60 bytes"));
        }
        let named = [
            ("default", &self.default),
            ("embedding", &self.embedding),
            ("judge", &self.judge),
            ("inline_completion", &self.inline_completion),
        ];
        for (key, name) in named {
            if let Some(name) = name.as_ref().filter(|name| !self.backends.contains_key(*name)) {
                return Err(format!(
                    "models.{key}: there is no backend `{name:.60}`; add the table \
                     `models.backends.{name:.60}`"
                ));
            }
        }
        Ok(())
    }
}
