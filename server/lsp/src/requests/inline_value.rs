//! `textDocument/inlineValue`: the variables that a stopped function names, with their values.
//!
//! Where one of our own sessions is stopped in the frame that the client asks about, the values
//! are its. Else the client has a debugger of its own: it is told the names to look up in that.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ::debug::{Patience, Phase, Session as Debugged};
use tower_lsp_server::ls_types::{
    InlineValue, InlineValueParams, InlineValueText, InlineValueVariableLookup, Range,
};
use workspace::{QueryError, path_of_uri};

use crate::convert::{range_from_lsp, range_to_lsp};
use crate::question::Question;
use crate::session::Session;

/// Most values of one document.
const MOST: usize = 500;
/// Longest value, in characters: it stands behind a line.
const LONGEST: usize = 100;
/// How many frames of a stack the one that is meant may be among.
const FRAMES: usize = 50;
/// How long the debugger is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// The places of names, each with its name; of one name in one line, the first.
pub(crate) type Named = Vec<(Range, String)>;

/// Where the variables of the function are named, up to the line where it is stopped.
pub(crate) fn named(
    question: &Question<'_>,
    params: InlineValueParams,
) -> Result<Named, QueryError> {
    let uri = params.text_document.uri;
    let encoding = question.session.encoding;
    let Some(document) = question.snapshot.document_or_file(uri.as_str()) else {
        return Ok(Vec::new());
    };
    let text = document.text();
    let line = params.context.stopped_location.start.line as usize;
    if line >= text.line_count() {
        return Ok(Vec::new());
    }
    let mut stop = text.line_span(line);
    // The line's indentation may be outside of what the line is in.
    stop.start += text.line(line).len() - text.line(line).trim_start().len();
    let wanted = text.span(range_from_lsp(params.range), encoding);
    let mut named: Named = Vec::new();
    for span in document.locals_up_to(&stop, question.interrupt) {
        if span.start < wanted.start || span.end > wanted.end || named.len() >= MOST {
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

/// The values of what is named. Asks the debugger, and waits for it.
pub(crate) fn valued(
    session: &Arc<Session>,
    params: &InlineValueParams,
    named: Named,
    interrupt: &AtomicBool,
) -> Vec<InlineValue> {
    let patience = Patience { longest: PATIENCE, interrupt };
    let held = stopped_there(session, params, patience)
        .map(|(session, frame)| values(&session, frame, patience));
    let shown = |(range, name): (Range, String)| match &held {
        Some(held) => {
            let value = held.get(&name)?.as_deref()?;
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

/// The session that is stopped in the frame that the client means, and the frame.
fn stopped_there(
    session: &Session,
    params: &InlineValueParams,
    patience: Patience<'_>,
) -> Option<(Arc<Debugged>, i64)> {
    let file: PathBuf = path_of_uri(params.text_document.uri.as_str()).ok()?;
    let line = i64::from(params.context.stopped_location.start.line) + 1;
    let wanted = i64::from(params.context.frame_id);
    let stopped = session.debugger()?.sessions().into_iter();
    let mut stopped = stopped.filter(|one| matches!(one.phase(), Phase::Stopped(_)));
    stopped.find_map(|one| {
        let (frames, _) = one.stack(None, 0, FRAMES, patience).ok()?;
        let is_meant = |frame: &&::debug::Frame| {
            let path = frame.source.as_ref().and_then(|source| source.path.as_deref());
            frame.id == wanted && frame.line == line && path.is_some_and(|path| file == *path)
        };
        frames.iter().find(is_meant)?;
        Some((one, wanted))
    })
}

/// The variables of a frame by name. `None` for a name that several have: which one is meant where
/// is not known.
fn values(
    session: &Debugged,
    frame: i64,
    patience: Patience<'_>,
) -> HashMap<String, Option<String>> {
    let mut found: HashMap<String, Option<String>> = HashMap::new();
    let scopes = session.scopes(frame, patience).unwrap_or_default();
    for scope in scopes.iter().filter(|scope| scope.is_local() && !scope.expensive) {
        let held = session.variables(scope.variables_reference, None, patience);
        for variable in held.unwrap_or_default() {
            let value = tools::shown_value(&variable.name, &variable.value, LONGEST);
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
