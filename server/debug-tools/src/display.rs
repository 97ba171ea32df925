//! Values and source code in results.

use std::path::Path;

use ::debug::{StackFrame, Variable};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::program_texts::program_texts;
use tools::{
    Context,
    audit::{REDACTED, is_secret_name, redact},
    clip,
    results::{Lines, str_at},
};

/// Longest value, in characters.
const MAX_VALUE_CHARS: usize = 1_000;
/// Context lines around the current one.
const CONTEXT_LINES: usize = 3;
/// Longest source line, in characters.
const MAX_LINE_CHARS: usize = 300;

/// A variable, or a part of a value.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct VariableOutput {
    /// Its name.
    pub(super) name: String,
    /// Its value; hidden if it looks like a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<String>,
    /// Its type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<String>,
    /// `reference` for `debug_variables`, to list its parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reference: Option<i64>,
    /// Its number of elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) count: Option<i64>,
}

impl VariableOutput {
    pub(super) fn from_variable(variable: &Variable, max_chars: usize) -> Self {
        // The parts of a secret are secret, too.
        let holds = variable.variables_reference > 0 && !is_secret_name(&variable.name);
        Self {
            value: Some(redact_value(&variable.name, &variable.value, max_chars)),
            kind: variable.kind.clone().filter(|kind| !kind.is_empty()),
            reference: holds.then_some(variable.variables_reference),
            count: variable.indexed_variables.filter(|count| *count > 0),
            name: clip(&variable.name, 200),
        }
    }

    /// Name and type only.
    pub(super) fn name_only(variable: &Variable) -> Self {
        Self { value: None, ..Self::from_variable(variable, 0) }
    }
}

/// A value as text, without secrets.
pub(super) fn redact_value(name: &str, text: &str, max_chars: usize) -> String {
    // An empty value reveals nothing, and may be what the caller is looking for.
    let is_empty = matches!(text, "" | "''" | "\"\"" | "None" | "null" | "nil" | "0x0");
    // Names may be quoted keys.
    if is_secret_name(name) && !is_empty {
        return REDACTED.to_owned();
    }
    clip(&redact(&clip(text, 4 * MAX_VALUE_CHARS)), max_chars.min(MAX_VALUE_CHARS))
}

/// A file's path in results: relative to the workspace if inside.
pub(super) fn display_path(context: &Context<'_>, path: &str) -> String {
    let located = context.snapshot.locate_absolute(Path::new(path));
    located.map_or_else(|_| path.to_owned(), |located| located.display_path())
}

/// A frame's line in the current text, which may be newer than the program.
pub(super) fn current_line(context: &Context<'_>, session: u64, frame: &StackFrame) -> i64 {
    let path = frame.source.as_ref().and_then(|source| source.path.as_deref());
    let at = u32::try_from(frame.line).ok().filter(|line| *line > 0);
    let (Some(path), Some(at)) = (path, at) else { return frame.line };
    let texts = program_texts(context);
    let lines = texts.line_map_for(context, session, Path::new(path));
    lines.map_or(frame.line, |lines| i64::from((lines.to_text)(at)))
}

/// The source lines around a frame, numbered, the current one marked.
pub(super) fn source_excerpt(context: &Context<'_>, frame: &StackFrame) -> Option<String> {
    let path = frame.source.as_ref()?.path.as_deref()?;
    let line = usize::try_from(frame.line).ok().filter(|line| *line > 0)?;
    let located = context.snapshot.locate_to_read(path).ok()?;
    if !context.may_read(&located) {
        return None;
    }
    let file = context.snapshot.read(&located).ok()?;
    let document = context.snapshot.document_of(&file);
    let text = document.text();
    let count = text.line_count();
    if line > count {
        return None;
    }
    let (first, last) =
        (line.saturating_sub(CONTEXT_LINES).max(1), (line + CONTEXT_LINES).min(count));
    let width = last.to_string().len();
    let lines = (first..=last).map(|number| {
        let mark = if number == line { '>' } else { ' ' };
        let line = text.line(number - 1);
        let line = clip(line.trim_end_matches(['\r', '\n']), MAX_LINE_CHARS);
        format!("{mark}{number:width$} {line}").trim_end().to_owned()
    });
    Some(lines.collect::<Vec<_>>().join("\n"))
}

/// Variables as lines: `name = value`, with the reference that lists their parts.
pub(super) fn push_variables(lines: &mut Lines, variables: &[Value]) {
    for variable in variables {
        let (name, kind) = (str_at(variable, "name"), str_at(variable, "type"));
        let value = variable["value"].as_str().unwrap_or(kind);
        let parts = match variable["reference"].as_i64() {
            Some(reference) => format!(" [reference {reference}]"),
            None => String::new(),
        };
        lines.push(format_args!("{name} = {value}{parts}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redacts_secrets() {
        assert_eq!(redact_value("api_key", "'abc'", 100), REDACTED);
        assert_eq!(redact_value("'password'", "'x'", 100), REDACTED);
        assert_eq!(redact_value("password", "None", 100), "None");
        assert_eq!(redact_value("max_tokens", "5", 100), "5");
        let password = Variable {
            name: "password".to_owned(),
            value: "alloc::string::String".to_owned(),
            variables_reference: 7,
            ..Variable::default()
        };
        let shown = VariableOutput::from_variable(&password, 100);
        assert_eq!((shown.value.as_deref(), shown.reference), (Some(REDACTED), None));
        let token = format!("'ghp_{}'", "a".repeat(36));
        assert!(!redact_value("x", &token, 100).contains("aaaa"));
        assert_eq!(redact_value("x", &"é".repeat(50), 10), format!("{}…", "é".repeat(9)));
    }
}
