//! The tools that AI plugins, agents and shells call by name.
//!
//! A [`Tool`] is one file and one line in [`registry`]: name, description, typed parameters and
//! result (their schemas are derived), effects, and its work on a [`Context`]. Every front end runs
//! calls by the [`Executor`], which ends in [`call`]: parameters are checked, policy decides on the
//! effects, the tool runs, and the call is recorded. This crate does not know LSP, MCP or their clients:
//! [`workspace::Editor`] abstracts the person and how an open document changes.

mod approved_calls;
mod arguments;
pub mod audit;
mod bindings;
pub mod budget;
mod caller;
mod changed_texts;
pub mod command;
mod context;
mod dialects;
mod discovery;
mod dispatch;
mod edit_diagnostics;
mod effect;
pub mod entries;
pub mod error;
pub mod execute;
mod executor;
pub mod family;
mod foreign_text;
mod guesses;
mod jq;
pub mod meaning;
pub mod metric_event;
pub mod overview;
mod planned_call;
pub mod policy;
mod profiles;
mod reference;
mod registry;
mod resolve;
pub mod results;
mod running_process;
mod schema;
pub mod session;
mod step_calls;
mod stored_bytes;
mod text_page;
mod toml_lines;
pub mod tool;
mod tool_names;
mod tool_request;
mod verbose;
mod workspace_errors;

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
pub use dialects::{
    Dialect, DialectCall, DialectError, DialectTool, dialect, dialect_names, dialects_page,
};
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
pub use foreign_text::{clip, is_deceptive, one_line};
pub use guesses::{NamedParameters, named_parameters};
pub use jq::{Filter, FilterMistake};
pub use meaning::{Described, ranked, stem};
pub use metric_event::{MetricEvent, numbers_by_field};
pub use overview::{BuildFigures, Overview, OverviewPeriod};
pub use planned_call::{PlannedCall, approve_together};
pub use policy::{
    Approvals, ContainerSettings, DatabaseKind, DatabaseSettings, DesktopSettings, InfluxSettings,
    InfrastructureProgram, InfrastructureSettings, ListedToolSettings, MetricsSettings, ModelApi,
    ModelBackend, ModelSettings, NetworkSettings, OtlpSettings, PendingApproval, PlannedDecision,
    Policy, ProfileSettings, SearchProvider, SearchSettings, Silenced, SomeParameters,
    allowed_mcp_roots, default_influx_database, inline_completion_backend,
};
pub use profiles::{ListedTool, Profile};
pub use reference::reference;
pub use registry::{find, registry};
pub use resolve::resolve;
pub use running_process::{RunningProcess, describe_process, running_process};
pub use schema::signature;
pub use session::{FamilyState, FamilyStates, Session};
pub use step_calls::{StepCall, StepCalls, Surroundings};
pub use stored_bytes::{StoredFile, storage_effect, storage_path, store_bytes};
pub use text_page::page_end;
pub use toml_lines::{line_at, line_of_mistake};
pub use tool::{Entry, Picture, Tool};
pub use tool_request::ToolRequest;
pub use workspace_errors::{from_commit_error, from_query_error};
