//! `textDocument/inlineValue`: values of variables in a stopped function.
//!
//! If the client's frame belongs to one of our sessions, the values come from it. Otherwise the client has
//! a debugger of its own and gets variable lookups.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ::debug::{Session as Debugged, SessionPhase, WaitLimits};
use tower_lsp_server::ls_types::{
    InlineValue, InlineValueParams, InlineValueText, InlineValueVariableLookup, Range,
};
use workspace::{QueryError, path_of_uri};

use crate::convert::{range_from_lsp, range_to_lsp};
use crate::request_context::RequestContext;
use crate::session::Session;

/// Most values in one document.
const MAX_VALUES: usize = 500;
/// Longest value, in characters, since it is shown at the end of a line.
const MAX_VALUE_CHARS: usize = 100;
/// Frames of a stack that are searched.
const MAX_FRAMES: usize = 50;
/// How long the debugger may take.
const DEBUGGER_TIMEOUT: Duration = Duration::from_secs(5);

/// Variables: the first occurrence of each name on a line.
pub(crate) type NamedVariables = Vec<(Range, String)>;

/// The variables of a function, up to the line where it is stopped.
pub(crate) fn named_variables(
    context: &RequestContext<'_>,
    params: InlineValueParams,
) -> Result<NamedVariables, QueryError> {
    let uri = params.text_document.uri;
    let encoding = context.session.encoding;
    let Some(document) = context.snapshot.document_or_file(uri.as_str()) else {
        return Ok(Vec::new());
    };
    let text = document.text();
    let line = params.context.stopped_location.start.line as usize;
    if line >= text.line_count() {
        return Ok(Vec::new());
    }
    let mut stop = text.line_span(line);
    // The indentation may belong to an outer node.
    stop.start += text.line(line).len() - text.line(line).trim_start().len();
    let wanted = text.span(range_from_lsp(params.range), encoding);
    let mut named: NamedVariables = Vec::new();
    for span in document.locals_up_to(&stop, context.interrupt) {
        if span.start < wanted.start || span.end > wanted.end || named.len() >= MAX_VALUES {
            continue;
        }
        let (range, name) = (range_to_lsp(text, span.clone(), encoding), text.slice(span));
        let is_there = |(other, known): &(Range, String)| {
            other.start.line == range.start.line && *known == name
        };
        if !named.iter().rev().any(is_there) {
            named.push((range, name.into_owned()));
        }
    }
    Ok(named)
}

/// The values of the variables. Blocks on the debugger.
pub(crate) fn variable_values(
    session: &Arc<Session>,
    params: &InlineValueParams,
    named: NamedVariables,
    interrupt: &AtomicBool,
) -> Vec<InlineValue> {
    let patience = WaitLimits { timeout: DEBUGGER_TIMEOUT, interrupt };
    let variables = stopped_session(session, params, patience)
        .map(|(session, frame)| frame_variables(&session, frame, patience));
    let shown = |(range, name): (Range, String)| match &variables {
        Some(variables) => {
            let value = variables.get(&name)?.as_deref()?;
            let text = format!("{name} = {value}");
            Some(InlineValue::Text(InlineValueText { range, text }))
        }
        None => Some(InlineValue::VariableLookup(InlineValueVariableLookup {
            range,
            variable_name: Some(name),
            case_sensitive_lookup: true,
        })),
    };
    named.into_iter().filter_map(shown).collect()
}

/// The session that is stopped in the client's frame, and the frame id.
fn stopped_session(
    session: &Session,
    params: &InlineValueParams,
    patience: WaitLimits<'_>,
) -> Option<(Arc<Debugged>, i64)> {
    let file: PathBuf = path_of_uri(params.text_document.uri.as_str()).ok()?;
    let line = i64::from(params.context.stopped_location.start.line) + 1;
    let wanted = i64::from(params.context.frame_id);
    let stopped = session.debugger()?.sessions().into_iter();
    let mut stopped = stopped.filter(|one| matches!(one.phase(), SessionPhase::Stopped(_)));
    stopped.find_map(|one| {
        let (frames, _) = one.stack(None, 0, MAX_FRAMES, patience).ok()?;
        let is_client_frame = |frame: &&::debug::StackFrame| {
            let path = frame.source.as_ref().and_then(|source| source.path.as_deref());
            frame.id == wanted && frame.line == line && path.is_some_and(|path| file == *path)
        };
        frames.iter().find(is_client_frame)?;
        Some((one, wanted))
    })
}

/// The variables of a frame by name. `None` for a shadowed name, whose occurrences are ambiguous.
fn frame_variables(
    session: &Debugged,
    frame: i64,
    patience: WaitLimits<'_>,
) -> HashMap<String, Option<String>> {
    let mut found: HashMap<String, Option<String>> = HashMap::new();
    let scopes = session.scopes(frame, patience).unwrap_or_default();
    for scope in scopes.iter().filter(|scope| scope.is_local() && !scope.expensive) {
        let variables = session.variables(scope.variables_reference, None, patience);
        for variable in variables.unwrap_or_default() {
            let value = debug_tools::shown_value(&variable.name, &variable.value, MAX_VALUE_CHARS);
            found
                .entry(variable.name)
                .and_modify(|known| {
                    if known.as_ref() != Some(&value) {
                        *known = None;
                    }
                })
                .or_insert(Some(value));
        }
    }
    found
}
