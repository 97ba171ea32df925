//! `workspace_overview`: figures of the workspace: what runs, and what builds and sessions did.

use std::collections::BTreeSet;

use git::{RepoLayout, Trust};
use jiff::{Timestamp, ToSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::FilePath;

use crate::processes;
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    overview::{Overview, OverviewPeriod},
};

pub(crate) struct WorkspaceOverview;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// How far back builds, sessions and messages are counted.
    #[serde(default)]
    period: Period,
}

/// A period that ends now.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
enum Period {
    #[serde(rename = "1h")]
    Hour,
    #[default]
    #[serde(rename = "24h")]
    Day,
    #[serde(rename = "7d")]
    Week,
}

impl Period {
    fn hours(self) -> i64 {
        match self {
            Self::Hour => 1,
            Self::Day => 24,
            Self::Week => 7 * 24,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The git repositories that the workspace's folders are in.
    repositories: usize,
    /// Processes of `process_start` that run.
    processes: usize,
    /// Conversations with agents whose agent works now.
    active_sessions: u64,
    /// Those that were created in the period.
    sessions: u64,
    /// Messages to and from their agents in the period.
    messages: u64,
    builds: Builds,
}

/// Kept runs of `build` and `test` in the period, without those that were cancelled.
#[derive(Serialize, JsonSchema)]
struct Builds {
    /// Number of runs.
    total: u64,
    /// Those that passed.
    passed: u64,
    /// Those that failed or took too long.
    failed: u64,
    /// How long one took on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    average_ms: Option<u64>,
    /// The part that passed, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    success_rate: Option<f64>,
}

impl Tool for WorkspaceOverview {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "workspace_overview";
    const DESCRIPTION: &'static str = "Count what runs in the workspace (processes, sessions with agents), \
        and the builds, tests and messages of a period. `metrics_query` counts events of your own.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    // The state folder is outside the workspace.
    const OWN_SANDBOX: bool = true;
    const EXAMPLES: &'static [&'static str] = &["{}", r#"{"period": "7d"}"#];

    fn text(result: &Value) -> Option<String> {
        let builds = &result["builds"];
        let mut text = format!(
            "{} repositories, {} processes, {} active sessions\n{} sessions created, {} messages, {} builds and tests: {} passed, {} failed",
            result["repositories"],
            result["processes"],
            result["active_sessions"],
            result["sessions"],
            result["messages"],
            builds["total"],
            builds["passed"],
            builds["failed"]
        );
        if let Some(average) = builds["average_ms"].as_u64() {
            text.push_str(&format!(", {average} ms on average"));
        }
        Some(text)
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let now = Timestamp::now();
        let since = now.checked_sub(params.period.hours().hours()).unwrap_or(Timestamp::MIN);
        let mut overview = Overview::default();
        let period = OverviewPeriod { tool: Self::NAME, since };
        context.session.add_figures(&context.snapshot, period, &mut overview)?;
        let builds = overview.builds;
        let total = builds.passed + builds.failed;
        Ok(Output {
            repositories: repositories(context),
            processes: processes::running(context),
            active_sessions: overview.active_sessions,
            sessions: overview.sessions,
            messages: overview.messages,
            builds: Builds {
                total,
                passed: builds.passed,
                failed: builds.failed,
                average_ms: builds.duration_ms.checked_div(total),
                #[allow(clippy::cast_precision_loss, reason = "a hundred runs are kept")]
                success_rate: (total > 0).then(|| builds.passed as f64 / total as f64),
            },
        })
    }
}

/// The repositories that hold the roots.
fn repositories(context: &Context<'_>) -> usize {
    let seen = &context.snapshot;
    let roots = seen.roots().iter().map(FilePath::from_root);
    let found = roots.filter_map(|root| RepoLayout::find(seen, &root, Trust::Untrusted).ok());
    found.map(|layout| layout.display_path()).collect::<BTreeSet<_>>().len()
}
