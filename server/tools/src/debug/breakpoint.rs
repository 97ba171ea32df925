//! A breakpoint in results.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use ::debug::{Breakpoint, BreakpointBinding, Session, SessionPhase};
use schemars::JsonSchema;
use serde::Serialize;
use syntax::Language;

use super::running::{at_once, debugging};
use super::shown;
use crate::Context;

/// A breakpoint, as requested and as set.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Shown {
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
pub(super) struct Told(Vec<(Arc<Session>, HashMap<u64, BreakpointBinding>)>);

impl Told {
    pub(super) fn by(context: &Context<'_>, wanted: Option<u64>) -> Self {
        let sessions = running(context).into_iter();
        let sessions = sessions.filter(|session| wanted.is_none_or(|id| id == session.id()));
        Self(sessions.map(|session| (session.clone(), session.breakpoint_bindings())).collect())
    }

    pub(super) fn shown(&self, context: &Context<'_>, one: &Breakpoint) -> Shown {
        let language = language_of(&one.file);
        let told = self
            .0
            .iter()
            .filter(|(session, _)| session.runs(language))
            .filter_map(|(session, bound)| Some((session, bound.get(&one.id)?)))
            .max_by_key(|(_, bound)| bound.verified);
        let mut shown = Shown {
            id: one.id,
            file: shown::path(context, &one.file.to_string_lossy()),
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
        if let Some((session, bound)) = told.filter(|_| one.lost_reason.is_none()) {
            shown.session = Some(session.id());
            shown.verified = bound.verified;
            let texts = &debugging(context).texts;
            let lines = texts.of_session(context, session.root(), &one.file);
            let of_text = |line| lines.as_ref().map_or(line, |lines| (lines.to_text)(line));
            shown.line = bound.line.map_or(one.line, of_text);
            let moved = (shown.line != one.line)
                .then(|| format!("requested line {}, bound to line {}", one.line, shown.line));
            let unbound =
                || format!("{} has not bound it, or the line has no code", session.adapter());
            let silent = moved.or_else(|| (!bound.verified).then(unbound));
            shown.message = bound.message.clone().or(silent);
        }
        shown
    }
}

/// Sends the breakpoints of these files to the running sessions. Errors of an adapter are reported
/// with each breakpoint.
pub(super) fn tell(context: &Context<'_>, files: &[&Path]) {
    for session in running(context) {
        for file in files.iter().filter(|file| session.runs(language_of(file))) {
            let texts = &debugging(context).texts;
            session.set_line_map(file, texts.of_session(context, session.root(), file));
            if let Err(error) = session.send_breakpoints(file, at_once(context)) {
                tracing::debug!("breakpoints of {}: {error}", file.display());
            }
        }
    }
}

/// The running sessions.
pub(super) fn running(context: &Context<'_>) -> Vec<Arc<Session>> {
    let sessions = debugging(context).debugger.sessions().into_iter();
    sessions.filter(|session| !matches!(session.phase(), SessionPhase::Ended(_))).collect()
}

pub(super) fn language_of(file: &Path) -> Option<&'static str> {
    Language::detect(&file.file_name()?.to_string_lossy(), "").map(Language::id)
}
