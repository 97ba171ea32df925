//! Waiting until a container is ready.

use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{Code, ToolError};

use crate::client::{Client, Dial};
use crate::container::{Container, inspect};
use crate::failure::Failure;
use crate::limits::{MAX_WAIT_MS, READY_TIMEOUT_MS};
use crate::logs::{LineSearch, LogCursor, LogRange, read};

/// When a container is ready: at the first of what is given.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ready {
    /// A regular expression that a line of its output matches.
    #[serde(default)]
    pattern: Option<String>,
    /// Whether its own health check succeeds.
    #[serde(default)]
    healthy: bool,
    /// Timeout in milliseconds; 30,000 by default, at most 600,000.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

/// Why a wait ended.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Waited {
    /// `pattern`, `healthy`, `ended` (the container), or `timeout`.
    happened: &'static str,
    /// The line that matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<String>,
    /// How long it took.
    waited_ms: u64,
}

/// How often the state of a health check is looked at.
const HEALTH_POLL: Duration = Duration::from_millis(100);

impl Ready {
    /// Checks what is given.
    pub(crate) fn check(&self, tool: &str) -> Result<(), ToolError> {
        let invalid =
            |why: String| ToolError::new(Code::InvalidParams, format!("{tool}: `ready`: {why}"));
        if self.pattern.is_none() && !self.healthy {
            return Err(invalid("one of `pattern` and `healthy` is needed".to_owned()));
        }
        if self.timeout_ms.is_some_and(|time| time > MAX_WAIT_MS) {
            return Err(invalid(format!("`timeout_ms` must be {MAX_WAIT_MS} at most")));
        }
        self.search(tool).map(drop)
    }

    fn search(&self, tool: &str) -> Result<Option<LineSearch>, ToolError> {
        let pattern = self.pattern.as_deref();
        pattern.map(|pattern| LineSearch::new(tool, "ready.pattern", pattern)).transpose()
    }

    /// Waits for a container that was just started.
    pub(crate) fn wait(
        &self,
        client: &Client<'_>,
        dial: &Dial,
        tool: &str,
        container: &Container,
    ) -> Result<Waited, ToolError> {
        let limit = Duration::from_millis(self.timeout_ms.unwrap_or(READY_TIMEOUT_MS));
        let search = self.search(tool)?;
        let healthy = self.healthy;
        let work = async {
            let line = async {
                match search {
                    Some(search) => wait_for_line(dial, container, None, search).await,
                    None => std::future::pending().await,
                }
            };
            let health = async {
                if healthy {
                    wait_for_health(dial, &container.id).await
                } else {
                    std::future::pending().await
                }
            };
            tokio::select! {
                happened = line => happened,
                happened = health => happened,
            }
        };
        wait(client, tool, limit, work)
    }
}

/// Runs a wait, for which the end of its time is a result.
pub(crate) fn wait(
    client: &Client<'_>,
    tool: &str,
    limit: Duration,
    work: impl Future<Output = Result<Happened, Failure>>,
) -> Result<Waited, ToolError> {
    let begun = Instant::now();
    let (happened, line) = match client.run(limit, work) {
        Ok(Happened::Line(line)) => ("pattern", Some(line)),
        Ok(Happened::Healthy) => ("healthy", None),
        Ok(Happened::Output) => ("output", None),
        Ok(Happened::Ended) => ("ended", None),
        Err(Failure::Timeout(_)) => ("timeout", None),
        Err(failure) => return Err(failure.of(tool)),
    };
    let waited_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Waited { happened, line, waited_ms })
}

/// What a wait was for.
pub(crate) enum Happened {
    Line(String),
    Healthy,
    Output,
    Ended,
}

/// Waits for a line, from a position on.
pub(crate) async fn wait_for_line(
    dial: &Dial,
    container: &Container,
    from: Option<LogCursor>,
    mut search: LineSearch,
) -> Result<Happened, Failure> {
    let mut found = None;
    let range = LogRange { from, tail: None, follow: true };
    read(dial, &container.id, container.config.tty, range, |stream, text, _| {
        found = search.push(stream, text);
        Ok(found.is_none())
    })
    .await?;
    Ok(found.map_or(Happened::Ended, Happened::Line))
}

/// Waits for any output behind a position; without one, for the next.
pub(crate) async fn wait_for_output(
    dial: &Dial,
    container: &Container,
    from: Option<LogCursor>,
) -> Result<Happened, Failure> {
    let tail = from.is_none().then_some(0);
    let range = LogRange { from, tail, follow: true };
    let ended = read(dial, &container.id, container.config.tty, range, |_, _, _| Ok(false)).await?;
    Ok(if ended { Happened::Ended } else { Happened::Output })
}

async fn wait_for_health(dial: &Dial, id: &str) -> Result<Happened, Failure> {
    loop {
        let container = inspect(dial, id).await?;
        if container.is_healthy() {
            return Ok(Happened::Healthy);
        }
        if !container.state.running {
            return Ok(Happened::Ended);
        }
        tokio::time::sleep(HEALTH_POLL).await;
    }
}
