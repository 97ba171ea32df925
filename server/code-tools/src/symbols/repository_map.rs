//! `repository_map`: the most important files and symbols, within a token budget.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::{FileKind, FilePath, FileSymbol, RankedFile};

use super::symbol_output::Symbol;
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError, from_query_error,
    results::{Lines, str_at},
};

pub(crate) struct RepositoryMap;

/// Default and largest map, in tokens.
const DEFAULT_TOKENS: usize = 2_000;
const MAX_TOKENS: usize = 12_000;
/// Approximate bytes a token.
const BYTES_PER_TOKEN: usize = 4;
/// Limit for the symbols of one file.
const MAX_FILE_SYMBOLS: usize = 12;
/// Limit for the files considered.
const MAX_FILES: usize = 400;
/// Limit for given files and words.
const MAX_FOCUS_ITEMS: usize = 100;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Files and folders of the task: what they use ranks higher.
    #[serde(default)]
    paths: Vec<String>,
    /// Words of the task: names and files that contain them rank higher.
    #[serde(default)]
    words: Vec<String>,
    /// Size of the map in tokens of four bytes; 2,000 by default, up to 12,000.
    #[serde(default)]
    max_tokens: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Files with their most important symbols as `line: signature`, most important first.
    map: String,
    /// The files of the map, in its order.
    files: Vec<FileOutput>,
    /// Whether a larger map would have more files.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct FileOutput {
    /// The file, relative to the workspace.
    path: String,
    /// Its share of the total importance, up to 1.
    rank: f64,
    /// The file's hash, for `expected_hash` of an edit.
    hash: String,
}

impl Tool for RepositoryMap {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "repository_map";
    const DESCRIPTION: &'static str = "An overview of the workspace within a token budget: files \
        and symbols ranked by how much other code uses them, optionally as seen from given files \
        or words. Use it first in an unknown project.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("files", "paths"), ("mentioned", "words"), ("token_budget", "max_tokens")];
    const VERBOSE_FIELDS: &'static [&'static str] = &["files"];

    fn text(result: &Value) -> Option<String> {
        let mut lines = Lines::default();
        lines.push_text(str_at(result, "map"));
        Some(lines.finish("no files of a known language"))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        focus(context, params)?;
        Ok(vec![Effect::read_tree(&context.snapshot.locate(".")?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let focus = focus(context, &params)?;
        let room =
            params.max_tokens.unwrap_or(DEFAULT_TOKENS).clamp(64, MAX_TOKENS) * BYTES_PER_TOKEN;
        let mut output = Output { map: String::new(), files: Vec::new(), truncated: false };
        let (mut looked, words) = (0, &params.words);
        let take = |ranked: RankedFile| {
            looked += 1;
            if context.may_read(&ranked.file.path) {
                let part = file_section(context, &ranked);
                if output.map.len() + part.len() > room && !output.map.is_empty() {
                    output.truncated = true;
                    return false;
                }
                if !part.is_empty() {
                    output.map.push_str(&part);
                    output.files.push(FileOutput {
                        path: ranked.file.path.display_path(),
                        rank: (f64::from(ranked.rank) * 10_000.0).round() / 10_000.0,
                        hash: ranked.file.hash.to_string(),
                    });
                }
            }
            looked < MAX_FILES
        };
        let result =
            context.snapshot.for_each_important_file(&focus, words, context.interrupt, take);
        result.map_err(|error| from_query_error(Self::NAME, error))?;
        Ok(output)
    }
}

fn focus(context: &Context<'_>, params: &Params) -> Result<Vec<FilePath>, ToolError> {
    if params.paths.len() > MAX_FOCUS_ITEMS || params.words.len() > MAX_FOCUS_ITEMS {
        let message =
            format!("{}: more than {MAX_FOCUS_ITEMS} paths or words", RepositoryMap::NAME);
        return Err(ToolError::new(Code::InvalidParams, message));
    }
    let located = params.paths.iter().map(|path| {
        let path = context.snapshot.locate(path)?;
        let kind = context.snapshot.entry(&path)?.kind;
        if !matches!(kind, FileKind::Directory | FileKind::File) {
            // Fails if the file cannot be read.
            context.snapshot.read(&path)?;
        }
        Ok(path)
    });
    located.collect()
}

/// A file's part of the map; empty if it defines nothing that others use.
fn file_section(context: &Context<'_>, ranked: &RankedFile) -> String {
    let document = context.snapshot.document_of(&ranked.file);
    let mut best: Vec<&(FileSymbol, f32)> = ranked.symbols.iter().collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.name_span.start.cmp(&b.0.name_span.start)));
    best.truncate(MAX_FILE_SYMBOLS);
    best.sort_by_key(|(symbol, _)| symbol.name_span.start);
    if best.is_empty() {
        return String::new();
    }
    let mut part = format!("{}:\n", ranked.file.path.display_path());
    for (symbol, _) in best {
        let shown = Symbol::from_symbol(&document, symbol);
        let signature = shown.signature.unwrap_or(shown.name);
        let indent = "  ".repeat(symbol.path.len().min(4));
        part.push_str(&format!("{indent}{}: {signature}\n", shown.line));
    }
    part
}
