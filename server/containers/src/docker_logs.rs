//! `docker_logs`: what a container has written.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, CreatedGuarded, Effect, EffectKind, Tool, ToolError};

use crate::access::{NamedContainer, check_granted};
use crate::client::Client;
use crate::limits::{MAX_WAIT_MS, QUERY_TIMEOUT, READY_TIMEOUT_MS};
use crate::logs::{LineSearch, LogCursor, LogPage};
use crate::ready::{Waited, wait, wait_for_line, wait_for_output};
use crate::result_text::{push_created, push_output, waited_text};
use crate::started::StartedContainers;

pub(crate) struct DockerLogs;

/// Lines without a cursor.
const DEFAULT_LINES: usize = 100;
const MAX_LINES: usize = 2_000;
/// Time for a page: the daemon may have to read much before it.
const PAGE_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Its name or id.
    container: String,
    /// `next_cursor` of an earlier result; without it, the last lines are returned.
    #[serde(default)]
    cursor: Option<String>,
    /// Number of lines without a cursor, at most 2,000; 100 by default.
    #[serde(default)]
    tail_lines: Option<usize>,
    /// Wait for a line that matches this regular expression: from the cursor on, or in the whole output.
    #[serde(default)]
    wait_for: Option<String>,
    /// How long to wait for that, or for any output after the cursor, in milliseconds; 30,000 with `wait_for`,
    /// otherwise 0.
    #[serde(default)]
    wait_ms: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    page: LogPage,
    /// `running`, `exited`, or another state of the daemon.
    status: String,
    /// The exit code of its command.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i64>,
    /// Why the wait ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    waited: Option<Waited>,
    /// Files that containers created in guarded places; those not approved were removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    created_guarded: Vec<CreatedGuarded>,
}

impl Tool for DockerLogs {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "docker_logs";
    const DESCRIPTION: &'static str = "The output of a container: its last lines, or all from a cursor on. `wait_for` \
        waits for a line. Needs approval for containers that this workspace has not started.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network, EffectKind::Admin];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("id", "container"),
        ("name", "container"),
        ("lines", "tail_lines"),
        ("tail", "tail_lines"),
        ("pattern", "wait_for"),
        ("timeout_ms", "wait_ms"),
    ];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        push_output(&mut text, result["output"].as_str()?);
        let mut parts = vec![match result["exit_code"].as_i64() {
            Some(code) => format!("exit code {code}"),
            None => result["status"].as_str()?.to_owned(),
        }];
        parts.extend(waited_text(&result["waited"]));
        if let Some(cursor) = result["next_cursor"].as_str() {
            let more = if result["more"] == true { "more from " } else { "" };
            parts.push(format!("{more}cursor {cursor}"));
        }
        parts.extend(result["skipped"].as_u64().map(|bytes| format!("{bytes} bytes are left out")));
        web::push(&mut text, format_args!("[{}]", parts.join("; ")));
        push_created(&mut text, result);
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.check()?;
        let named = NamedContainer::find(context, Self::NAME, &params.container)?;
        Ok(named.effects_if_foreign(context, "logs"))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let cursor = params.check()?;
        let named = NamedContainer::find(context, tool, &params.container)?;
        check_granted(context, tool, &named.effects_if_foreign(context, "logs"))?;
        let dial = named.daemon.dial(context, tool)?;
        let client = Client::new(context.interrupt).map_err(|failure| failure.of(tool))?;
        let container = named.now(&client, &dial, tool)?;
        let created_guarded = context.session.family::<StartedContainers>().settle(context);
        let limit = Duration::from_millis(params.wait_ms.unwrap_or(READY_TIMEOUT_MS));
        let waited = match &params.wait_for {
            Some(pattern) => {
                let search = LineSearch::new(tool, "wait_for", pattern)?;
                let line = wait_for_line(&dial, &container, cursor, search);
                Some(wait(&client, tool, limit, line)?)
            }
            None if params.wait_ms.is_some_and(|time| time > 0) => {
                Some(wait(&client, tool, limit, wait_for_output(&dial, &container, cursor))?)
            }
            None => None,
        };
        // First: a page of a container that has ended is complete.
        let container = client.run(QUERY_TIMEOUT, crate::container::inspect(&dial, &container.id));
        let container = container.map_err(|failure| failure.of(tool))?;
        let lines = params.tail_lines.unwrap_or(DEFAULT_LINES);
        let has_terminal = container.config.tty;
        let page = client.run(PAGE_TIMEOUT, async {
            match cursor {
                Some(cursor) => {
                    LogPage::from_cursor(&dial, &container.id, has_terminal, cursor).await
                }
                None => LogPage::last_lines(&dial, &container.id, has_terminal, lines).await,
            }
        });
        let page = page.map_err(|failure| failure.of(tool))?;
        let state = container.state;
        let exit_code = (!state.running).then_some(state.exit_code);
        Ok(Output {
            page,
            status: crate::failure::printable(&state.status),
            exit_code,
            waited,
            created_guarded,
        })
    }
}

impl Params {
    fn check(&self) -> Result<Option<LogCursor>, ToolError> {
        let tool = DockerLogs::NAME;
        let invalid = |why: String| ToolError::new(Code::InvalidParams, format!("{tool}: {why}"));
        if self.tail_lines.is_some_and(|lines| lines == 0 || lines > MAX_LINES) {
            return Err(invalid(format!("`tail_lines` must be from 1 to {MAX_LINES}")));
        }
        if self.wait_ms.is_some_and(|time| time > MAX_WAIT_MS) {
            return Err(invalid(format!("`wait_ms` must be {MAX_WAIT_MS} at most")));
        }
        if let Some(pattern) = &self.wait_for {
            LineSearch::new(tool, "wait_for", pattern)?;
        }
        self.cursor.as_deref().map(|cursor| LogCursor::parse(tool, cursor)).transpose()
    }
}
