//! `symbols_overview`: what a file or folder defines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::{FileKind, FilePath, Plain, source_files};

use super::search;
use super::shown::Symbol;
use crate::{Context, Effect, EffectKind, Tool, ToolError, budget};

pub(crate) struct SymbolsOverview;

/// Most files of one result.
const MOST_FILES: usize = 50;
/// Most symbols of one file.
const MOST: usize = 1_000;
/// Deepest level that is listed.
const DEEPEST: usize = 8;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file or folder.
    path: String,
    /// How many levels below the outermost symbols are listed; 0 by default.
    #[serde(default)]
    depth: usize,
    /// Where to go on: the `next_cursor` of the result before.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The files, in order of their paths.
    files: Vec<FileOutput>,
    /// True where there is more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct FileOutput {
    /// The file, relative to the workspace.
    path: String,
    /// The hash of the file, for `expected_hash` of an edit.
    hash: String,
    /// Its language.
    language: &'static str,
    /// What it defines that stands in nothing else, in order of place.
    symbols: Vec<Symbol>,
    /// True where it takes too long to parse: what it defines is not known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    not_parsed: bool,
    /// How many symbols more it has than are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbols_left_out: Option<usize>,
}

impl Tool for SymbolsOverview {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "symbols_overview";
    const ALIASES: &'static [&'static str] = &["get_symbols_overview"];
    const DESCRIPTION: &'static str = "What a file, or each file below a folder, defines: its \
        outermost symbols with kind, line and signature, and as many levels below them as are \
        asked for.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("relative_path", "path"), ("file", "path"), ("file_path", "path"), ("uri", "path")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read_tree(&context.snapshot.locate(&params.path)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let place = context.snapshot.locate(&params.path)?;
        let skip = search::cursor(Self::NAME, params.cursor.as_deref())?;
        let depth = params.depth.min(DEEPEST);
        if context.snapshot.entry(&place)?.kind != FileKind::Directory {
            let files = vec![of_file(context, &place, depth)?];
            return Ok(Output { files, truncated: false, next_cursor: None });
        }
        let mut paths = below(context, &place);
        paths.sort_by_cached_key(FilePath::shown);
        let (mut files, mut seen, mut room) = (Vec::new(), skip.min(paths.len()), budget::BYTES);
        for path in &paths[seen..] {
            context.check_interrupt(Self::NAME)?;
            // What has gone, or cannot be read, defines nothing.
            let Ok(file) = of_file(context, path, depth) else {
                seen += 1;
                continue;
            };
            let bytes = file.bytes();
            if !files.is_empty() && (bytes > room || files.len() == MOST_FILES) {
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

/// The files of known languages below a folder that may be looked at.
fn below(context: &Context<'_>, place: &FilePath) -> Vec<FilePath> {
    let roots = context.snapshot.roots().iter();
    let all = roots.flat_map(|root| source_files(root, context.interrupt));
    let paths = all.map(|(path, _)| path);
    paths.filter(|path| path.is_within(place) && context.may_read(path)).collect()
}

fn of_file(context: &Context<'_>, path: &FilePath, depth: usize) -> Result<FileOutput, ToolError> {
    let tool = SymbolsOverview::NAME;
    let (file, document) = search::document(tool, &context.snapshot, path)?;
    let all = match search::symbols_of(context, tool, &document) {
        // There may be others that can be parsed.
        Err(error) if document.plain() != Some(Plain::Slow) => return Err(error),
        symbols => symbols.unwrap_or_default(),
    };
    // What is added to a type of another file stands in that type, but is outermost here.
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
        .take(MOST)
        .map(|symbol| Symbol::of(&document, symbol).with_children(&document, symbol, &all, depth))
        .collect();
    Ok(FileOutput {
        path: path.shown(),
        hash: file.hash.to_string(),
        not_parsed: document.plain() == Some(Plain::Slow),
        language: document.language().map_or("", syntax::Language::id),
        symbols_left_out: outermost.len().checked_sub(MOST).filter(|n| *n > 0),
        symbols,
    })
}

impl FileOutput {
    fn bytes(&self) -> usize {
        self.symbols.iter().map(Symbol::bytes).sum::<usize>() + self.path.len() + 160
    }
}
