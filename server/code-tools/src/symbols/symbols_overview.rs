//! `symbols_overview`: the top-level symbols of a file or folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::{FileKind, FilePath, PlainTextReason, source_files};

use super::search;
use super::symbol_output;
use super::symbol_output::Symbol;
use tools::{
    Context, Effect, EffectKind, Tool, ToolError, budget,
    results::{Lines, items_before, list_at, str_at},
};

pub(crate) struct SymbolsOverview;

/// Limit for the files of one result.
const MAX_FILES: usize = 50;
/// Limit for the symbols of one file.
const MAX_FILE_SYMBOLS: usize = 1_000;
/// Number of symbols of a file from which on its lines are cut as text, and their length then: an
/// overview is read to find what to read.
const MANY_SYMBOLS: usize = 60;
const MAX_LINE_CHARS: usize = 80;
/// Limit for `depth`.
const MAX_DEPTH: usize = 8;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file or folder.
    path: String,
    /// Levels of members to list; 0 by default.
    #[serde(default)]
    depth: usize,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The files, sorted by path.
    files: Vec<FileOutput>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct FileOutput {
    /// The file, relative to the workspace.
    path: String,
    /// The file's hash, for `expected_hash` of an edit.
    hash: String,
    /// Its language.
    language: &'static str,
    /// Its top-level symbols, in order.
    symbols: Vec<Symbol>,
    /// True if the file takes too long to parse: its symbols are unknown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    not_parsed: bool,
    /// Number of symbols that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbols_left_out: Option<usize>,
}

impl Tool for SymbolsOverview {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "symbols_overview";
    const ALIASES: &'static [&'static str] = &["get_symbols_overview"];
    const DESCRIPTION: &'static str = "The top-level symbols of a file, or of each file below a \
        folder, with kind, line and signature, plus `depth` levels of members.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("relative_path", "path"), ("file", "path"), ("file_path", "path"), ("uri", "path")];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read_tree(&context.snapshot.locate(&params.path)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let place = context.snapshot.locate(&params.path)?;
        let skip = items_before(Self::NAME, params.cursor.as_deref())?;
        let depth = params.depth.min(MAX_DEPTH);
        if context.snapshot.entry(&place)?.kind != FileKind::Directory {
            let files = vec![file_overview(context, &place, depth)?];
            return Ok(Output { files, truncated: false, next_cursor: None });
        }
        let mut paths = below(context, &place);
        paths.sort_by_cached_key(FilePath::display_path);
        let (mut files, mut seen, mut room) = (Vec::new(), skip.min(paths.len()), budget::BYTES);
        for path in &paths[seen..] {
            context.check_interrupt(Self::NAME)?;
            // Deleted and unreadable files have no symbols.
            let Ok(file) = file_overview(context, path, depth) else {
                seen += 1;
                continue;
            };
            let bytes = file.bytes();
            if !files.is_empty() && (bytes > room || files.len() == MAX_FILES) {
                break;
            }
            room = room.saturating_sub(bytes);
            seen += 1;
            if !file.symbols.is_empty() || file.not_parsed {
                files.push(file);
            }
        }
        let truncated = seen < paths.len();
        Ok(Output { files, truncated, next_cursor: truncated.then(|| seen.to_string()) })
    }
}

/// Files of known languages below a folder, except those that rules hide.
fn below(context: &Context<'_>, place: &FilePath) -> Vec<FilePath> {
    let roots = context.snapshot.roots().iter();
    let all = roots.flat_map(|root| source_files(root, context.interrupt));
    let paths = all.map(|(path, _)| path);
    paths.filter(|path| path.is_within(place) && context.may_read(path)).collect()
}

fn file_overview(
    context: &Context<'_>,
    path: &FilePath,
    depth: usize,
) -> Result<FileOutput, ToolError> {
    let tool = SymbolsOverview::NAME;
    let (file, document) = search::document(tool, &context.snapshot, path)?;
    let all = match search::document_symbols(context, tool, &document) {
        // Skip this file: others may be parseable.
        Err(error) if document.plain_text_reason() != Some(PlainTextReason::ParseTimeout) => {
            return Err(error);
        }
        symbols => symbols.unwrap_or_default(),
    };
    // A member added to a type of another file is top-level in this one.
    let outermost: Vec<_> = all
        .iter()
        .enumerate()
        .filter(|(n, symbol)| {
            let around = &symbol.path[..symbol.path.len() - 1];
            let mut before = all[..*n].iter().chain(&all[n + 1..]);
            around.is_empty() || !before.any(|other| other.path == around)
        })
        .map(|(_, symbol)| symbol)
        .collect();
    let symbols: Vec<_> = outermost
        .iter()
        .take(MAX_FILE_SYMBOLS)
        .map(|symbol| {
            Symbol::from_symbol(&document, symbol).with_children(&document, symbol, &all, depth)
        })
        .collect();
    Ok(FileOutput {
        path: path.display_path(),
        hash: file.hash.to_string(),
        not_parsed: document.plain_text_reason() == Some(PlainTextReason::ParseTimeout),
        language: document.language().map_or("", syntax::Language::id),
        symbols_left_out: outermost.len().checked_sub(MAX_FILE_SYMBOLS).filter(|n| *n > 0),
        symbols,
    })
}

impl FileOutput {
    fn bytes(&self) -> usize {
        self.symbols.iter().map(Symbol::bytes).sum::<usize>() + self.path.len() + 160
    }
}

/// The symbols as signature lines below the path of their file.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    for file in list_at(result, "files") {
        lines.push(str_at(file, "path"));
        let symbols = list_at(file, "symbols");
        let members = symbols.iter().map(|symbol| list_at(symbol, "children").len());
        let mut of_file = Lines::default();
        for symbol in symbols {
            of_file.push(symbol_output::line(symbol));
            symbol_output::push_children(&mut of_file, symbol);
        }
        let is_long = symbols.len() + members.sum::<usize>() > MANY_SYMBOLS;
        for line in of_file.finish("").lines() {
            match line.char_indices().nth(MAX_LINE_CHARS).filter(|_| is_long) {
                Some((end, _)) => lines.push(format_args!("{}\u{2026}", &line[..end])),
                None => lines.push(line),
            }
        }
        if file["not_parsed"] == true {
            lines.push("[takes too long to parse: its symbols are unknown]");
        }
        if let Some(left_out) = file["symbols_left_out"].as_u64() {
            lines.push(format_args!("[{left_out} more symbols]"));
        }
    }
    lines.push_rest(result);
    lines.finish("no files of a known language")
}
