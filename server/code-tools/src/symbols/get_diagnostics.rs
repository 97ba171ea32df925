//! `get_diagnostics`: problems in a file, a folder or all open documents.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::{FileKind, FilePath, source_files};

use super::search;
use crate::names::name_location::{syntax_errors, syntax_warnings};
use tools::{
    Context, Effect, EffectKind, Tool, ToolError, from_query_error,
    results::{Lines, items_before, list_at, number_at, str_at},
};

pub(crate) struct GetDiagnostics;

/// Limit for the diagnostics of one result.
const MAX_DIAGNOSTICS: usize = 200;
/// Limit for the files of one call.
const MAX_FILES: usize = 1_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file or folder; by default all open documents of the workspace.
    #[serde(default)]
    path: Option<String>,
    /// Lowest severity to report: `error` omits warnings and hints, `warning` omits hints.
    #[serde(default)]
    severity: Severity,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
enum Severity {
    Error,
    Warning,
    #[default]
    Hint,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The checked files, sorted by path; without problems their diagnostics are empty. For a
    /// folder, only files with diagnostics.
    files: Vec<FileOutput>,
    /// Whether there are more diagnostics.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor` to check further files.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct FileOutput {
    /// The file, relative to the workspace.
    path: String,
    /// The file's hash, for `expected_hash` of an edit.
    hash: String,
    /// The diagnostics, sorted by position.
    diagnostics: Vec<Diagnostic>,
}

#[derive(Serialize, JsonSchema)]
struct Diagnostic {
    /// First line, 1-based.
    line: usize,
    /// Last line, 1-based.
    end_line: usize,
    /// Column, 1-based, in characters.
    column: usize,
    /// `error`, `warning` or `hint`.
    severity: Severity,
    /// `syntax-error`, `duplicate-name`, `unresolved-import`, `missing-module`, `undefined-name`,
    /// `unused-import`, `unused-variable`, `deprecated`.
    code: &'static str,
    /// The message.
    message: String,
    /// What reports it.
    source: &'static str,
    /// Found from the text's `syntax` or the workspace's `names`.
    origin: &'static str,
    /// Confidence, up to 1.
    confidence: f32,
}

impl Tool for GetDiagnostics {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "get_diagnostics";
    const DESCRIPTION: &'static str = "Problems in a file, a folder or all open documents, unsaved \
        text included: syntax errors, unresolved imports, undefined names (errors), modules that \
        are not installed (warnings or hints), unused imports and variables, deprecated uses \
        (hints), duplicate JSON keys (warnings). No compiler is run and only certain problems are \
        reported, so an empty result does not mean that the code builds.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("uri", "path"), ("file", "path"), ("file_path", "path"), ("relative_path", "path")];
    const VERBOSE_FIELDS: &'static [&'static str] =
        &["files[].diagnostics[].source", "files[].diagnostics[].origin"];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let path = context.snapshot.locate(params.path.as_deref().unwrap_or("."))?;
        let kind = context.snapshot.entry(&path).map(|entry| entry.kind);
        Ok(vec![match kind {
            Ok(FileKind::Directory) => Effect::read_tree(&path),
            _ => Effect::read(&path),
        }])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let skip = items_before(Self::NAME, params.cursor.as_deref())?;
        let mut output = Output { files: Vec::new(), truncated: false, next_cursor: None };
        let mut room = MAX_DIAGNOSTICS;
        let requested_files = requested_files(context, &params)?;
        for (number, path) in requested_files.paths.iter().enumerate().skip(skip) {
            if room == 0 || number - skip >= MAX_FILES {
                output.next_cursor = Some(number.to_string());
                output.truncated |= room == 0;
                break;
            }
            let found = search::document(Self::NAME, &context.snapshot, path);
            let (file, document) = match found {
                // In a folder, files that cannot be parsed are skipped.
                Err(_) if !requested_files.one => continue,
                found => found?,
            };
            let (mut all, truncated) = document_diagnostics(context, &document, room)?;
            all.retain(|d| d.severity <= params.severity);
            output.truncated |= truncated;
            room -= all.len();
            if requested_files.folder && all.is_empty() {
                continue;
            }
            output.files.push(FileOutput {
                path: path.display_path(),
                hash: file.hash.to_string(),
                diagnostics: all,
            });
        }
        Ok(output)
    }
}

/// The diagnostics of one document, up to `room`, and whether there are more.
fn document_diagnostics(
    context: &Context<'_>,
    document: &workspace::Document,
    room: usize,
) -> Result<(Vec<Diagnostic>, bool), ToolError> {
    let tool = GetDiagnostics::NAME;
    let (errors, mut truncated) = syntax_errors(tool, context, document, room)?;
    let text = document.text();
    let line = |at: usize| text.line_of(at) + 1;
    let column = |at: usize| {
        let start = text.line_start(text.line_of(at));
        text.slice(start..at).chars().count() + 1
    };
    let of_syntax = |span: Range<usize>, message, severity, code| Diagnostic {
        line: line(span.start),
        end_line: line(span.end),
        column: column(span.start),
        severity,
        code,
        message,
        source: "tandem",
        origin: "syntax",
        confidence: 1.0,
    };
    let errors = errors.into_iter();
    let mut all: Vec<Diagnostic> = errors
        .map(|error| of_syntax(error.span, error.message, Severity::Error, "syntax-error"))
        .collect();
    // Otherwise an empty result would look like a file without problems.
    if document.plain_text_reason() == Some(workspace::PlainTextReason::ParseTimeout)
        && all.len() < room
    {
        let message = "takes too long to parse: it is plain text until it changes".to_owned();
        all.push(of_syntax(0..0, message, Severity::Warning, "not-parsed"));
    }
    let left = room - all.len();
    let mut warnings = syntax_warnings(context, document, left + 1);
    truncated |= warnings.len() > left;
    warnings.truncate(left);
    all.extend(warnings.into_iter().map(|warning| {
        of_syntax(warning.span, warning.message, Severity::Warning, "duplicate-name")
    }));
    let found = context.snapshot.findings(document, context.interrupt);
    for finding in found.map_err(|error| from_query_error(tool, error))? {
        if all.len() >= room {
            truncated = true;
            break;
        }
        all.push(Diagnostic {
            line: line(finding.span.start),
            end_line: line(finding.span.end),
            column: column(finding.span.start),
            severity: match finding.severity() {
                workspace::Severity::Error => Severity::Error,
                workspace::Severity::Warning => Severity::Warning,
                workspace::Severity::Hint => Severity::Hint,
            },
            code: finding.kind.code(),
            message: finding.message(),
            source: "tandem",
            origin: "names",
            confidence: finding.confidence(),
        });
    }
    all.sort_by_key(|d| (d.line, d.column));
    Ok((all, truncated))
}

/// The files to check.
struct RequestedFiles {
    paths: Vec<FilePath>,
    /// The parameter is a file.
    one: bool,
    /// The parameter is a folder.
    folder: bool,
}

fn requested_files(context: &Context<'_>, params: &Params) -> Result<RequestedFiles, ToolError> {
    let snapshot = &context.snapshot;
    let Some(path) = &params.path else {
        let open = snapshot.documents();
        let paths = open.filter_map(|document| snapshot.locate(document.uri()).ok());
        let mut paths: Vec<_> = paths.filter(|path| context.may_read(path)).collect();
        paths.sort_by_cached_key(FilePath::display_path);
        return Ok(RequestedFiles { paths, one: false, folder: false });
    };
    let path = snapshot.locate(path)?;
    if snapshot.entry(&path)?.kind != FileKind::Directory {
        return Ok(RequestedFiles { paths: vec![path], one: true, folder: false });
    }
    let all = snapshot.roots().iter().flat_map(|root| source_files(root, context.interrupt));
    let paths = all.map(|(path, _)| path);
    let paths = paths.filter(|p| p.is_within(&path) && context.may_read(p)).collect();
    context.check_interrupt(GetDiagnostics::NAME)?;
    Ok(RequestedFiles { paths, one: false, folder: true })
}

/// The problems as lines: `path:line: severity: message [code]`.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    for file in list_at(result, "files") {
        let entry = |one: &Value| {
            let (line, severity) = (number_at(one, "line"), str_at(one, "severity"));
            let (message, code) = (str_at(one, "message"), str_at(one, "code"));
            format!("{line}: {severity}: {message} [{code}]")
        };
        let path = str_at(file, "path");
        let entries: Vec<_> =
            list_at(file, "diagnostics").iter().map(|one| (path, entry(one))).collect();
        lines.push_by_path(&entries);
    }
    lines.push_rest(result);
    lines.finish("no problems found; the code was not compiled")
}
