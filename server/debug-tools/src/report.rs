//! A report on the state of a debugged program.

use std::sync::Arc;

use ::debug::{OutputChunk, Session, SessionPhase, StackFrame, StopInfo};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::display::{self, VariableOutput};
use super::sessions::{debugging, request_limits};
use super::{failure, sessions};
use tools::{
    Context, ToolError,
    audit::redact,
    clip,
    command::guarded::Created,
    results::{Lines, list_at, number_at, str_at, strings_at},
};

/// Limits: variables of a report, and characters of a value.
const MAX_LOCALS: usize = 40;
const MAX_VALUE_CHARS: usize = 200;
/// Limit for the output in a report, in bytes.
const MAX_OUTPUT_BYTES: usize = 8_000;

/// The state of a program.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Report {
    /// The debug session's id.
    session: u64,
    /// The session whose program started this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<u64>,
    /// `stopped`, `running` or `exited`.
    state: &'static str,
    /// Why it stopped: `breakpoint`, `step`, `exception`, `pause`, `entry`, or the adapter's own
    /// reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Details, for instance the exception.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// Ids of the breakpoints that were hit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    breakpoints: Vec<u64>,
    /// The stopped thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<i64>,
    /// Its file, relative to the workspace if inside.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Line, 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<i64>,
    /// Note if the program was built from an older text than the displayed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// The function.
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<String>,
    /// The frame's id for other tools, until the program continues.
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<i64>,
    /// Source lines around, numbered, the current one marked with `>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// The frame's variables, one level.
    #[serde(skip_serializing_if = "Option::is_none")]
    locals: Option<Vec<VariableOutput>>,
    /// Whether there are more variables.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    locals_truncated: bool,
    /// Its exit code; null if the adapter did not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<Option<i64>>,
    /// The debug adapter's failure, if that ended the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Output since the last report.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    /// Whether `output` was cut: `debug_output` with `output_cursor` continues.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    output_truncated: bool,
    /// Cursor for `debug_output`.
    output_cursor: u64,
    /// Files that programs created in guarded places; those not approved were removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    created_guarded: Vec<Created>,
}

impl Report {
    pub(super) fn is_stopped(&self) -> bool {
        self.state == "stopped"
    }

    /// A report for a session in `phase`.
    pub(super) fn from_session(
        context: &Context<'_>,
        tool: &str,
        session: &Arc<Session>,
        phase: SessionPhase,
    ) -> Result<Self, ToolError> {
        let (parent, id) = (session.parent(), session.id());
        let mut report = Self { session: id, parent, ..Self::default() };
        match phase {
            SessionPhase::Starting | SessionPhase::Running => report.state = "running",
            SessionPhase::Ended(ending) => {
                report.state = "exited";
                report.exit_code = Some(ending.exit_code);
                report.error = ending.fault;
                report.created_guarded = debugging(context).settle(context);
            }
            SessionPhase::Stopped(stop) => {
                report.state = "stopped";
                report.set_stop(context, tool, session, stop)?;
            }
        }
        let chunk = session.new_output(MAX_OUTPUT_BYTES);
        report.output_truncated = chunk.more || chunk.lost > 0;
        report.output_cursor = chunk.cursor;
        let output = output_text(&chunk);
        report.output = (report.state != "running" || !output.is_empty()).then_some(output);
        Ok(report)
    }

    fn set_stop(
        &mut self,
        context: &Context<'_>,
        tool: &str,
        session: &Session,
        stop: StopInfo,
    ) -> Result<(), ToolError> {
        let exception = (stop.reason == "exception")
            .then(|| session.exception(stop.thread, request_limits(context)))
            .flatten();
        self.reason = Some(stop.reason);
        let words = exception.or(stop.text).or(stop.description);
        self.description = words.map(|text| redact(&clip(&text, 2_000)));
        self.breakpoints = stop.breakpoints;
        self.thread = stop.thread;
        self.locals = Some(Vec::new());
        let limits = request_limits(context);
        let found = session.stack(stop.thread, 0, 1, limits);
        let frames = match found {
            Ok((frames, _)) => frames,
            // It is running again, or has no frame.
            Err(::debug::DebugError::Refused { .. } | ::debug::DebugError::Running { .. }) => {
                return Ok(());
            }
            Err(error) => return Err(failure::from_debug_error(tool, error)),
        };
        let Some(frame) = frames.first() else { return Ok(()) };
        self.set_location(context, session.root(), frame);
        let (locals, truncated) = locals(context, session, frame.id, MAX_VALUE_CHARS);
        self.locals = Some(locals);
        self.locals_truncated = truncated;
        Ok(())
    }

    fn set_location(&mut self, context: &Context<'_>, session: u64, frame: &StackFrame) {
        let mut frame = frame.clone();
        let in_program = frame.line;
        frame.line = display::current_line(context, session, &frame);
        if frame.line != in_program {
            self.note = Some(format!(
                "the text has changed since the program was started: there, this is line \
                 {in_program}"
            ));
        }
        let frame = &frame;
        self.frame = Some(frame.id);
        self.line = Some(frame.line).filter(|line| *line > 0);
        self.function = Some(clip(&frame.name, 300));
        let source = frame.source.as_ref();
        let file = source.and_then(|source| source.path.as_deref().or(source.name.as_deref()));
        self.file = file.map(|file| display::display_path(context, file));
        self.source = display::source_excerpt(context, frame);
    }
}

/// A frame's variables, one level, as far as available.
fn locals(
    context: &Context<'_>,
    session: &Session,
    frame: i64,
    max_chars: usize,
) -> (Vec<VariableOutput>, bool) {
    let limits = sessions::request_limits(context);
    let scopes = session.scopes(frame, limits).unwrap_or_default();
    let (mut found, mut truncated) = (Vec::new(), false);
    for scope in scopes.iter().filter(|scope| scope.is_local() && !scope.expensive) {
        if found.len() >= MAX_LOCALS {
            truncated = true;
            break;
        }
        let held = session.variables(scope.variables_reference, None, limits);
        let held = held.unwrap_or_default();
        let room = MAX_LOCALS - found.len();
        truncated |= held.len() > room;
        found.extend(
            held.iter()
                .take(room)
                .map(|variable| VariableOutput::from_variable(variable, max_chars)),
        );
    }
    (found, truncated)
}

/// Output as text, recognised secrets removed. Lines that streams wrote in pieces are not mixed:
/// each is placed where it ends.
pub(super) fn output_text(chunk: &OutputChunk) -> String {
    let mut whole = String::new();
    let mut begun: Vec<(&str, String)> = Vec::new();
    for piece in &chunk.pieces {
        let at = begun.iter().position(|(category, _)| *category == piece.category);
        let at = at.unwrap_or_else(|| {
            begun.push((&piece.category, String::new()));
            begun.len() - 1
        });
        let line = &mut begun[at].1;
        match piece.text.rsplit_once('\n') {
            Some((ended, rest)) => {
                whole.push_str(line);
                whole.push_str(ended);
                whole.push('\n');
                *line = rest.to_owned();
            }
            None => line.push_str(&piece.text),
        }
    }
    whole.extend(begun.into_iter().map(|(_, line)| line));
    redact(&whole)
}

/// A report as lines: the state and where, the source, the variables, the output.
pub(super) fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    push_report(&mut lines, result);
    for other in list_at(result, "others") {
        push_report(&mut lines, other);
    }
    let left_out = strings_at(result, "left_out");
    if !left_out.is_empty() {
        lines.push(format_args!("[unsupported in the configuration: {}]", left_out.join(", ")));
    }
    lines.finish("")
}

fn push_report(lines: &mut Lines, report: &Value) {
    let (state, session) = (str_at(report, "state"), number_at(report, "session"));
    let reason = report["reason"].as_str().map_or_else(String::new, |why| format!(" ({why})"));
    let place = match report["file"].as_str() {
        Some(file) => format!(" at {file}:{}", number_at(report, "line")),
        None => String::new(),
    };
    let function = report["function"].as_str().map_or_else(String::new, |f| format!(" in {f}"));
    let code = match report["exit_code"].as_i64() {
        Some(code) => format!(" with code {code}"),
        None => String::new(),
    };
    lines.push(format_args!("session {session} {state}{code}{reason}{place}{function}"));
    for field in ["description", "note", "error"] {
        lines.push_text(str_at(report, field));
    }
    lines.push_text(str_at(report, "source"));
    super::display::push_variables(lines, list_at(report, "locals"));
    if report["locals_truncated"] == true {
        lines.push("[more variables: debug_variables]");
    }
    let output = str_at(report, "output");
    if !output.is_empty() {
        lines.push("[output]");
        lines.push_text(output);
    }
    if report["output_truncated"] == true {
        let cursor = number_at(report, "output_cursor");
        lines.push(format_args!("[more output: debug_output, cursor {cursor}]"));
    }
    for created in list_at(report, "created_guarded") {
        let what = if created["kept"] == true { "created" } else { "not allowed, removed" };
        lines.push(format_args!("[guarded: {}: {what}]", str_at(created, "path")));
    }
}

#[cfg(test)]
mod tests {
    use ::debug::OutputPiece;

    use super::*;

    #[test]
    fn lines_of_two_streams_are_not_mixed() {
        let piece = |category: &str, text: &str| OutputPiece {
            category: category.to_owned(),
            text: text.to_owned(),
        };
        let pieces = vec![
            piece("stdout", "total"),
            piece("stderr", "wrong\n"),
            piece("stdout", " 6\nnext"),
            piece("stderr", "more"),
        ];
        let chunk = OutputChunk { pieces, ..OutputChunk::default() };
        assert_eq!(output_text(&chunk), "wrong\ntotal 6\nnextmore");
    }
}
