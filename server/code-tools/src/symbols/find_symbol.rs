//! `find_symbol`: definitions by name path.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::{Document, FileSymbol, FileSymbols, SymbolSearch};

use super::search;
use super::suggestions::not_found;
use super::symbol_output::{self, Symbol};
use tools::{
    Context, Effect, EffectKind, Tool, ToolError, budget,
    results::{
        Lines, index_progress, items_before, line_range, list_at, number_at, str_at,
        with_index_wait,
    },
};

pub(crate) struct FindSymbol;

/// Largest and default page size.
const MAX_PAGE_SIZE: usize = 200;
const DEFAULT_PAGE_SIZE: usize = 50;
/// Limit for `depth`.
const MAX_DEPTH: usize = 8;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// `method` or `Class/method`; `/Class` is top-level only.
    name_path: String,
    /// Only in this file or folder.
    #[serde(default)]
    path: Option<String>,
    /// Match the last name as a substring.
    #[serde(default)]
    substring_matching: bool,
    /// Only these kinds, for instance `class`, `function`, `method`, `field`.
    #[serde(default)]
    kinds: Vec<String>,
    /// Return each definition's source.
    #[serde(default)]
    include_body: bool,
    /// Levels of members to list; 0 by default.
    #[serde(default)]
    depth: usize,
    /// Up to 200; 50 by default.
    #[serde(default)]
    max_results: Option<usize>,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The symbols, sorted by file and position.
    symbols: Vec<SymbolOutput>,
    /// Progress of indexing, if it is not complete: there may be more.
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<String>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct SymbolOutput {
    #[serde(flatten)]
    symbol: Symbol,
    /// Its file, relative to the workspace.
    path: String,
    /// The file's hash, for `expected_hash` of an edit.
    hash: String,
    /// The definition with decorators and attributes, without the comments above it: what
    /// `replace_symbol_body` replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// First line of the body, 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_start_line: Option<usize>,
    /// Whether the body was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    body_truncated: bool,
}

impl Tool for FindSymbol {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "find_symbol";
    const DESCRIPTION: &'static str = "Find definitions by name path (`Class/method` or a name) in \
        the workspace, a folder or a file: lines, signatures and, on request, source and members. \
        Unsaved text included.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::SYMBOL_ALIASES;

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let below = params.path.as_deref().unwrap_or(".");
        Ok(vec![Effect::read_tree(&context.snapshot.locate(below)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let path = search::name_path(Self::NAME, &params.name_path, params.substring_matching)?;
        let skip = items_before(Self::NAME, params.cursor.as_deref())?;
        let below = context.snapshot.locate(params.path.as_deref().unwrap_or("."))?;
        let wanted = |symbol: &FileSymbol| {
            params.kinds.is_empty() || params.kinds.iter().any(|k| k == symbol.kind.as_str())
        };
        let search = SymbolSearch {
            path: &path,
            below: &below,
            may_read: &|path| context.may_read(path),
            wanted: &wanted,
            skip,
            limit: params.max_results.unwrap_or(DEFAULT_PAGE_SIZE).clamp(1, MAX_PAGE_SIZE),
        };
        let is_empty = |found: &[FileSymbols]| found.iter().all(|f| f.symbols.is_empty());
        let snapshot = with_index_wait(&context.snapshot);
        let (mut found, mut more) = search::find(context, Self::NAME, &snapshot, &search)?;
        if is_empty(&found) && index_progress(&snapshot).is_some() {
            // Only the complete index can tell that a name does not exist.
            (found, more) = search::find(context, Self::NAME, &context.snapshot, &search)?;
        }
        if skip == 0 && is_empty(&found) {
            let quoted: String = params.name_path.chars().take(80).collect();
            let message =
                format!("{}: nothing in {} is `{quoted}`", Self::NAME, below.display_path());
            return Err(not_found(context, message, &path, None));
        }
        let mut symbols: Vec<SymbolOutput> = Vec::new();
        let mut room = budget::BYTES;
        'files: for file in &found {
            context.check_interrupt(Self::NAME)?;
            let all = match params.depth {
                0 => Vec::new(),
                _ => search::document_symbols(context, Self::NAME, &file.document)?,
            };
            let (path, hash) = (file.file.path.display_path(), file.file.hash.to_string());
            for symbol in &file.symbols {
                let depth = params.depth.min(MAX_DEPTH);
                let shown = Symbol::from_symbol(&file.document, symbol);
                let shown = shown.with_children(&file.document, symbol, &all, depth);
                let mut one = SymbolOutput {
                    symbol: shown,
                    path: path.clone(),
                    hash: hash.clone(),
                    body: None,
                    body_start_line: None,
                    body_truncated: false,
                };
                if params.include_body {
                    one.add_body(context, &file.document, symbol);
                }
                let bytes = one.symbol.bytes() + one.body.as_ref().map_or(0, String::len) + 160;
                if bytes > room && !symbols.is_empty() {
                    more = true;
                    break 'files;
                }
                room = room.saturating_sub(bytes);
                symbols.push(one);
            }
        }
        let next_cursor = more.then(|| (skip + symbols.len()).to_string());
        Ok(Output { symbols, reading: index_progress(&snapshot), truncated: more, next_cursor })
    }
}

impl SymbolOutput {
    fn add_body(&mut self, context: &Context<'_>, document: &Document, symbol: &FileSymbol) {
        let Some(syntax) = document.syntax(context.interrupt) else { return };
        let whole = syntax.whole_declaration(symbol.span.clone(), symbol.name_span.clone());
        let (body, cut) = symbol_output::clip_body(&document.text().slice(whole.clone()));
        self.body = Some(body);
        self.body_truncated = cut;
        self.body_start_line = Some(document.text().line_of(whole.start) + 1);
    }
}

/// The symbols as lines, each followed by its body if it was asked for.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    for symbol in list_at(result, "symbols") {
        let path = str_at(symbol, "path");
        match symbol["body"].as_str() {
            // The body has the signature.
            Some(body) => {
                let range = line_range(number_at(symbol, "line"), number_at(symbol, "end_line"));
                lines.push(format_args!("{path}:{range}: {}", str_at(symbol, "name_path")));
                lines.push_text(body);
            }
            None => lines.push(format_args!("{path}:{}", symbol_output::line(symbol))),
        }
        symbol_output::push_children(&mut lines, symbol);
    }
    lines.push_rest(result);
    lines.finish("no symbol of this name")
}
