//! A breakpoint in results.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use ::debug::{Breakpoint, BreakpointBinding, Session, SessionPhase};
use schemars::JsonSchema;
use serde::Serialize;
use syntax::Language;

use super::display;
use super::program_texts::program_texts;
use super::sessions::{debugging, request_limits};
use tools::Context;

/// A breakpoint, as requested and as set.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct BreakpointOutput {
    /// Its id.
    id: u64,
    /// Its file, relative to the workspace.
    file: String,
    /// Requested line, 1-based.
    asked: u32,
    /// Line where the program stops; the requested one if nothing runs.
    line: u32,
    /// Whether the program will stop there.
    verified: bool,
    /// Why not, or why it moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Stop only if this is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
    /// Stop only at this hit count.
    #[serde(skip_serializing_if = "Option::is_none")]
    hit_condition: Option<String>,
    /// Logged instead of stopping.
    #[serde(skip_serializing_if = "Option::is_none")]
    log_message: Option<String>,
    /// The session that verified it.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<u64>,
}

/// Breakpoints as the running sessions have bound them.
pub(super) struct SessionBindings(Vec<(Arc<Session>, HashMap<u64, BreakpointBinding>)>);

impl SessionBindings {
    pub(super) fn for_sessions(context: &Context<'_>, session_id: Option<u64>) -> Self {
        let sessions = running_sessions(context).into_iter();
        let sessions = sessions.filter(|session| session_id.is_none_or(|id| id == session.id()));
        Self(sessions.map(|session| (session.clone(), session.breakpoint_bindings())).collect())
    }

    pub(super) fn output(&self, context: &Context<'_>, one: &Breakpoint) -> BreakpointOutput {
        let language = language_of(&one.file);
        let binding = self
            .0
            .iter()
            .filter(|(session, _)| session.runs(language))
            .filter_map(|(session, bound)| Some((session, bound.get(&one.id)?)))
            .max_by_key(|(_, bound)| bound.verified);
        let mut output = BreakpointOutput {
            id: one.id,
            file: display::display_path(context, &one.file.to_string_lossy()),
            asked: one.line,
            line: one.line,
            verified: false,
            message: Some(
                one.lost_reason
                    .clone()
                    .unwrap_or_else(|| "no program is being debugged".to_owned()),
            ),
            condition: one.condition.expression.clone(),
            hit_condition: one.condition.hits.clone(),
            log_message: one.condition.log.clone(),
            session: None,
        };
        if let Some((session, bound)) = binding.filter(|_| one.lost_reason.is_none()) {
            output.session = Some(session.id());
            output.verified = bound.verified;
            let texts = program_texts(context);
            let lines = texts.line_map_for(context, session.root(), &one.file);
            let of_text = |line| lines.as_ref().map_or(line, |lines| (lines.to_text)(line));
            output.line = bound.line.map_or(one.line, of_text);
            let moved = (output.line != one.line)
                .then(|| format!("requested line {}, bound to line {}", one.line, output.line));
            let unbound =
                || format!("{} has not bound it, or the line has no code", session.adapter());
            let silent = moved.or_else(|| (!bound.verified).then(unbound));
            output.message = bound.message.clone().or(silent);
        }
        output
    }
}

/// Sends the breakpoints of these files to the running sessions. Errors of an adapter are reported
/// with each breakpoint.
pub(super) fn send_to_sessions(context: &Context<'_>, files: &[&Path]) {
    for session in running_sessions(context) {
        for file in files.iter().filter(|file| session.runs(language_of(file))) {
            let texts = program_texts(context);
            session.set_line_map(file, texts.line_map_for(context, session.root(), file));
            if let Err(error) = session.send_breakpoints(file, request_limits(context)) {
                tracing::debug!("breakpoints of {}: {error}", file.display());
            }
        }
    }
}

/// The running sessions.
pub(super) fn running_sessions(context: &Context<'_>) -> Vec<Arc<Session>> {
    let sessions = debugging(context).debugger.sessions().into_iter();
    sessions.filter(|session| !matches!(session.phase(), SessionPhase::Ended(_))).collect()
}

pub(super) fn language_of(file: &Path) -> Option<&'static str> {
    Language::detect(&file.file_name()?.to_string_lossy(), "").map(Language::id)
}
