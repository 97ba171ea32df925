//! `tandem/didChangeDiagnostics`: what other language servers of the editor found in a version of a
//! document.
//!
//! An invalid message is logged and never fatal.

use std::sync::Arc;

use serde_json::Value;
use workspace::{DiagnosticsReport, EditorProblem};

use crate::session::Session;

/// Longest URI and source, and longest text of a problem, in bytes.
const MAX_NAME_BYTES: usize = 8 << 10;
const MAX_MESSAGE_BYTES: usize = 2_000;
/// Limit for the problems of one report.
const MAX_PROBLEMS: usize = 500;
const METHOD: &str = "tandem/didChangeDiagnostics";

pub(crate) fn apply(session: &Arc<Session>, params: &Value) {
    match report(params) {
        Some((uri, source, report)) => {
            session.workspace.editor_diagnostics().report(uri, source, report)
        }
        None => session
            .warn(format!("{METHOD}: not {{uri, source, version, exact?, diagnostics}}: ignored")),
    }
}

fn report(params: &Value) -> Option<(&str, &str, DiagnosticsReport)> {
    let name = |field: &str| params[field].as_str().filter(|text| text.len() <= MAX_NAME_BYTES);
    let version = i32::try_from(params["version"].as_i64()?).ok()?;
    let diagnostics = params["diagnostics"].as_array()?;
    let problems = diagnostics.iter().take(MAX_PROBLEMS).map(problem).collect::<Option<_>>()?;
    let is_exact = params["exact"] == true;
    Some((name("uri")?, name("source")?, DiagnosticsReport { version, is_exact, problems }))
}

/// An LSP diagnostic.
fn problem(diagnostic: &Value) -> Option<EditorProblem> {
    let start = &diagnostic["range"]["start"];
    let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
    let mut message = diagnostic["message"].as_str()?.to_owned();
    message.truncate(message.floor_char_boundary(MAX_MESSAGE_BYTES));
    let code = match &diagnostic["code"] {
        Value::String(code) => code.chars().take(100).collect(),
        Value::Number(code) => code.to_string(),
        _ => String::new(),
    };
    Some(EditorProblem {
        line: number(&start["line"])?,
        column: number(&start["character"])?,
        severity: diagnostic["severity"].as_u64().and_then(|s| u8::try_from(s).ok()).unwrap_or(1),
        code,
        message,
    })
}
