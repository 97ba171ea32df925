//! `get_diagnostics`: what is wrong with a file, or with all that is open.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::FilePath;

use super::search;
use crate::names::place::syntax_errors;
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GetDiagnostics;

/// Most diagnostics of one result.
const MOST: usize = 200;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file; without it, every open document of the workspace.
    #[serde(default)]
    path: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The files that were looked at, in order of their paths; those of which nothing is known to
    /// be wrong have no diagnostics.
    files: Vec<FileOutput>,
    /// True where there are more diagnostics.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct FileOutput {
    /// The file, relative to the workspace.
    path: String,
    /// The hash of the file, for `expected_hash` of an edit.
    hash: String,
    /// What is wrong, in order of place.
    diagnostics: Vec<Diagnostic>,
}

#[derive(Serialize, JsonSchema)]
struct Diagnostic {
    /// The 1-based line.
    line: usize,
    /// The 1-based last line.
    end_line: usize,
    /// `error`.
    severity: &'static str,
    /// What is wrong.
    message: String,
    /// Who says so.
    source: &'static str,
}

impl Tool for GetDiagnostics {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "get_diagnostics";
    const DESCRIPTION: &'static str = "What is wrong with a file, or with every open document: \
        syntax errors, of unsaved text where it is open. No compiler is run: what only a compiler \
        would find is not among them.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("uri", "path"), ("file", "path"), ("file_path", "path"), ("relative_path", "path")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let path = context.snapshot.locate(params.path.as_deref().unwrap_or("."))?;
        Ok(vec![match params.path {
            Some(_) => Effect::read(&path),
            None => Effect::read_tree(&path),
        }])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let mut output = Output { files: Vec::new(), truncated: false };
        let mut room = MOST;
        for path in asked(context, &params)? {
            let found = search::document(Self::NAME, &context.snapshot, &path);
            let (file, document) = match found {
                // Of all that is open, only what can be parsed counts.
                Err(_) if params.path.is_none() => continue,
                found => found?,
            };
            let (errors, truncated) = syntax_errors(Self::NAME, context, &document, room)?;
            output.truncated |= truncated;
            room -= errors.len();
            let line = |at: usize| document.text().line_of(at) + 1;
            let diagnostics = errors.into_iter().map(|error| Diagnostic {
                line: line(error.span.start),
                end_line: line(error.span.end),
                severity: "error",
                message: error.message,
                source: "tandem",
            });
            output.files.push(FileOutput {
                path: path.shown(),
                hash: file.hash.to_string(),
                diagnostics: diagnostics.collect(),
            });
        }
        Ok(output)
    }
}

fn asked(context: &Context<'_>, params: &Params) -> Result<Vec<FilePath>, ToolError> {
    if let Some(path) = &params.path {
        return Ok(vec![context.snapshot.locate(path)?]);
    }
    let open = context.snapshot.documents();
    let paths = open.filter_map(|document| context.snapshot.locate(document.uri()).ok());
    let mut paths: Vec<_> = paths.filter(|path| context.may_read(path)).collect();
    paths.sort_by_cached_key(FilePath::shown);
    Ok(paths)
}
