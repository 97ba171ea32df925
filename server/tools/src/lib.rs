//! The tools that AI plugins, agents and shells call by name.
//!
//! A [`Tool`] is one file and one line in [`registry`]: name, description, typed parameters and
//! result (their schemas are derived), effects, and its work on a [`Context`]. Every front end runs
//! calls by the [`Executor`], which ends in [`call`]: parameters are checked, policy decides on the
//! effects, the tool runs, and the call is recorded. This crate does not know LSP, MCP or their clients:
//! [`workspace::Editor`] abstracts the person and how an open document changes.

mod actions;
mod approved_calls;
mod arguments;
mod audit;
mod bindings;
mod budget;
mod caller;
mod changed_texts;
mod command;
mod context;
mod debug;
mod dialects;
mod discovery;
mod dispatch;
mod edit_diagnostics;
mod editing;
mod editor;
mod effect;
mod error;
mod execute;
mod executor;
mod family;
mod files;
mod foreign_text;
mod format;
mod git;
mod guesses;
mod history;
mod jq;
mod languages;
mod meaning;
mod metric_event;
mod names;
mod overview;
mod planned_call;
mod policy;
mod processes;
mod profiles;
mod records;
mod reference;
mod registry;
mod resolve;
mod results;
mod review;
#[cfg(feature = "rewrite")]
mod rewriting;
mod schema;
mod search;
mod secret_scan;
mod session;
mod step_calls;
mod symbols;
mod system;
mod toml_lines;
mod tool;
mod tool_names;
mod tool_request;
mod verbose;
mod vulnerabilities;

pub use approved_calls::ApprovedCalls;
pub use arguments::object;
pub use audit::{
    Activity, Audit, AuditError, AuditFilter, AuditLog, Call, Feed, Follower, Progress, Verified,
    recent as recent_calls,
};
pub use bindings::{lua, typescript};
pub use caller::Caller;
pub use command::{
    CreatedGuarded, GuardedBefore, ProgramOutcome, ProgramRun, hidden_files, program_refused,
    read_only_files,
};
pub use context::Context;
pub use debug::{shown_text, shown_value, take_over_session};
pub use dialects::{Dialect, DialectCall, DialectError, DialectTool, dialect, dialects_page};
pub use discovery::CALL_TOOL;
pub use dispatch::{call, refused, unknown_tool};
pub use effect::{Command, Effect, EffectKind, Target};
pub use error::{Code, ToolError};
pub use execute::approve_more;
pub use executor::{
    AcceptedCall, CallControl, CallThreads, CancelGate, ConfineThread, Executor, HeadlessWorkspace,
    Host, Panicked, Throttle, ToolCall, answer_from, confine_to,
};
pub use family::{Family, INSTALL, add_families, optional_tools};
pub use files::{StoredFile, page_end, storage_effect, storage_path, store_bytes};
pub use foreign_text::{is_deceptive, one_line};
pub use git::{FileSince, files_since, hold_worktree, of_git};
pub use jq::{Filter, FilterMistake};
pub use meaning::{Described, ranked, stem};
pub use metric_event::{MetricEvent, numbers_by_field};
pub use overview::{BuildFigures, Overview, OverviewPeriod};
pub use planned_call::{PlannedCall, approve_together};
pub use policy::{
    Approvals, ContainerSettings, DatabaseKind, DatabaseSettings, DesktopSettings, InfluxSettings,
    InfrastructureProgram, InfrastructureSettings, MetricsSettings, ModelApi, ModelBackend,
    ModelSettings, NetworkSettings, OtlpSettings, PendingApproval, PlannedDecision, Policy,
    SearchProvider, SearchSettings, Silenced, allowed_mcp_roots, default_influx_database,
    inline_completion_backend,
};
pub use processes::{KEPT_FOLDER, KeptNote, OutputPage, ProcessState, supervisor};
pub use profiles::{ListedTool, Profile};
pub use records::{DailyLog, LogPage};
pub use reference::reference;
pub use registry::{find, registry};
pub use resolve::resolve;
#[cfg(feature = "rewrite")]
pub use rewriting::family as rewrite_family;
pub use schema::signature;
pub use session::{FamilyState, FamilyStates, Session};
pub use step_calls::{StepCall, StepCalls, Surroundings};
pub use toml_lines::{line_at, line_of_mistake};
pub use tool::{Entry, Picture, Tool};
pub use tool_request::ToolRequest;
