//! `format_file`: formats a file with the project's formatter.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::{FilePath, FileText};

use super::edits;
use super::formatter::ChosenFormatter;
use crate::editing::{self, Action, RequestedEdit};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct FormatFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file, unsaved text included: relative to the workspace, absolute inside it, or a file:
    /// URI.
    path: String,
    /// First line that may change, 1-based; the whole file by default.
    #[serde(default)]
    start_line: Option<usize>,
    /// Last line that may change, 1-based.
    #[serde(default)]
    end_line: Option<usize>,
    /// Report what would change, without changing it.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The formatter.
    formatter: &'static str,
    /// With `dry_run`, the edits in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    edits: Option<Vec<LineEdit>>,
    #[serde(flatten)]
    report: editing::Output,
}

/// Whole lines and their new text.
#[derive(Serialize, JsonSchema)]
struct LineEdit {
    /// Start, in bytes of the UTF-8 text.
    start: usize,
    /// End, exclusive.
    end: usize,
    /// The new text.
    new_text: String,
}

impl Tool for FormatFile {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "format_file";
    const DESCRIPTION: &'static str = "Format a file, or some of its lines, with the formatter \
        that the project is configured for: rustfmt, gofmt, ruff, black, prettier, clang-format \
        and others. It runs in a sandbox on the current text, unsaved changes included; only \
        differing lines change. Needs a person's approval.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute, EffectKind::Write];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("file_path", "path"), ("filepath", "path"), ("filename", "path")];

    fn text(result: &Value) -> Option<String> {
        Some(editing::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let (path, file) = file(context, params)?;
        let formatter = choose_formatter(context, &path, &file)?;
        let touched = if params.dry_run { Effect::read(&path) } else { Effect::write(&path) };
        Ok(vec![Effect::execute(formatter.command()), touched])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (path, file) = file(context, &params)?;
        let lines = lines(Self::NAME, params.start_line, params.end_line)?;
        let formatter = choose_formatter(context, &path, &file)?;
        let formatted = formatter.run(context, Self::NAME, &file.text.to_string())?;
        let edits = edits::line_edits(&file.text, &formatted, lines);
        let line_edits = params.dry_run.then(|| {
            let edits = edits.iter().cloned();
            edits
                .map(|(span, new_text)| LineEdit { start: span.start, end: span.end, new_text })
                .collect()
        });
        let action = Action::unless_changed(file.text, edits);
        let wanted = [RequestedEdit { path, action, expected_hash: None }];
        let report = editing::run(context, Self::NAME, &wanted, params.dry_run)?;
        Ok(Output { formatter: &formatter.formatter.name, edits: line_edits, report })
    }
}

fn file(context: &Context<'_>, params: &Params) -> Result<(FilePath, FileText), ToolError> {
    let path = context.snapshot.locate(&params.path)?;
    let file = context.snapshot.read(&path)?;
    Ok((path, file))
}

fn choose_formatter(
    context: &Context<'_>,
    path: &FilePath,
    file: &FileText,
) -> Result<ChosenFormatter, ToolError> {
    let name = FormatFile::NAME;
    let Some(language) = file.language() else {
        let message = format!("{name}: {}: its language is not known", path.display_path());
        return Err(ToolError::new(Code::Unsupported, message));
    };
    ChosenFormatter::for_file(name, &context.snapshot, path, language.id())
}

/// 0-based line range from 1-based parameters.
pub(super) fn lines(
    tool: &str,
    start: Option<usize>,
    end: Option<usize>,
) -> Result<Option<Range<usize>>, ToolError> {
    let (first, last) = (start.unwrap_or(1), end.unwrap_or(usize::MAX));
    if first == 0 || last < first {
        let message = format!("{tool}: `start_line` is at least 1, and `end_line` not before it");
        return Err(ToolError::new(Code::InvalidParams, message));
    }
    Ok((start.is_some() || end.is_some()).then_some(first - 1..last))
}
