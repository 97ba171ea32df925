//! Waiting for a process: parameters and results.

use std::sync::Arc;
use std::time::{Duration, Instant};

use process::{LocalUrl, Pattern, SupervisedProcess, WaitOutcome, WaitRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use search_tools::{Pattern as SearchPattern, PatternOptions};
use tools::{Code, Context, ToolError};

/// Longest wait, in milliseconds.
pub(super) const MAX_WAIT_MS: u64 = 600_000;
/// How long to wait by default if a call names something to wait for, in milliseconds.
const DEFAULT_WAIT_MS: u64 = 30_000;

/// When a started process is ready: at the first of what is given.
#[derive(Deserialize, JsonSchema, Clone)]
#[serde(deny_unknown_fields)]
pub(super) struct Ready {
    /// A regular expression that a line of its output matches.
    #[serde(default)]
    pattern: Option<String>,
    /// A port on which something listens.
    #[serde(default)]
    pub(super) port: Option<u16>,
    /// An `http://localhost` URL that answers, with any status below 500.
    #[serde(default)]
    url: Option<String>,
    /// Timeout in milliseconds; 30,000 by default, at most 600,000.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

/// Why a wait ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Waited {
    /// `pattern`, `port`, `url`, `output`, `ended` (the process), or `timeout`.
    happened: &'static str,
    /// The line that matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<String>,
    /// The HTTP status.
    #[serde(skip_serializing_if = "Option::is_none")]
    http_status: Option<u16>,
    /// How long it took.
    waited_ms: u64,
}

impl Ready {
    /// What to wait for, and how long.
    ///
    /// # Errors
    /// If something of it is invalid, or nothing is given.
    pub(super) fn request(&self, tool: &str) -> Result<(WaitRequest, u64), ToolError> {
        let invalid =
            |why: &str| ToolError::new(Code::InvalidParams, format!("{tool}: `ready`: {why}"));
        if self.pattern.is_none() && self.port.is_none() && self.url.is_none() {
            return Err(invalid("one of `pattern`, `port` and `url` is needed"));
        }
        if self.port == Some(0) {
            return Err(invalid("port 0 is no port"));
        }
        let pattern = self.pattern.as_deref().map(|text| pattern(tool, text)).transpose()?;
        let url = match self.url.as_deref() {
            None => None,
            Some(text) => Some(LocalUrl::parse(text).ok_or_else(|| {
                invalid("`url` must be a plain `http` URL of localhost, 127.0.0.1 or [::1]")
                    .hint("for anything else wait for the `port`")
            })?),
        };
        let request = WaitRequest {
            pattern: pattern.map(|pattern| (pattern, 0)),
            port: self.port,
            url,
            output_after: None,
        };
        Ok((request, wait_ms(tool, "ready.timeout_ms", self.timeout_ms)?))
    }

    /// The ports that have to be free before the start.
    pub(super) fn ports(&self) -> impl Iterator<Item = u16> {
        let url = self.url.as_deref().and_then(LocalUrl::parse);
        self.port.into_iter().chain(url.map(|url| url.port))
    }
}

/// The time to wait, checked against its limit.
pub(super) fn wait_ms(tool: &str, name: &str, given: Option<u64>) -> Result<u64, ToolError> {
    let wait_ms = given.unwrap_or(DEFAULT_WAIT_MS);
    if wait_ms > MAX_WAIT_MS {
        let message = format!("{tool}: `{name}` must be {MAX_WAIT_MS} at most");
        return Err(ToolError::new(Code::InvalidParams, message));
    }
    Ok(wait_ms)
}

/// Compiles a pattern for lines of output.
pub(super) fn pattern(tool: &str, text: &str) -> Result<Pattern, ToolError> {
    let options = PatternOptions {
        case_sensitive: true,
        whole_word: false,
        literal: false,
        multiline: false,
    };
    let compiled = SearchPattern::new(tool, text, options)?;
    Ok(Arc::new(move |text: &[u8]| compiled.find(text, 0)))
}

/// Waits, and reports what happened.
///
/// # Errors
/// If the call is cancelled; the process runs on.
pub(super) fn wait(
    context: &Context<'_>,
    tool: &str,
    process: &SupervisedProcess,
    request: &WaitRequest,
    wait_ms: u64,
) -> Result<Waited, ToolError> {
    let begun = Instant::now();
    let deadline = begun + Duration::from_millis(wait_ms);
    let (mut line, mut http_status) = (None, None);
    let happened = match process.wait(request, deadline, context.interrupt) {
        WaitOutcome::Pattern(found) => {
            line = Some(found.line);
            "pattern"
        }
        WaitOutcome::Port(_) => "port",
        WaitOutcome::Url(status) => {
            http_status = Some(status);
            "url"
        }
        WaitOutcome::Output => "output",
        WaitOutcome::Ended => "ended",
        WaitOutcome::Timeout => "timeout",
        WaitOutcome::Interrupted => {
            let message = format!("{tool}: cancelled; process {} runs on", process.id());
            return Err(ToolError::new(Code::Cancelled, message));
        }
    };
    let waited_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Waited { happened, line, http_status, waited_ms })
}

/// A line about a wait in a result; none without one, or if it says nothing new.
pub(super) fn waited_text(waited: &serde_json::Value) -> Option<String> {
    let milliseconds = waited["waited_ms"].as_u64().unwrap_or_default();
    Some(match waited["happened"].as_str()? {
        "pattern" => "the pattern was found".to_owned(),
        "port" => "the port is open".to_owned(),
        "url" => format!("the URL answers with status {}", waited["http_status"]),
        "timeout" => format!("nothing of that in {milliseconds} ms"),
        _ => return None,
    })
}
