//! Resolves name paths to symbols.

use std::sync::Arc;

use serde_json::json;
use workspace::{
    Document, FileKind, FilePath, FileSymbol, FileSymbols, FileText, NamePath, PlainTextReason,
    Snapshot, SymbolSearch,
};

use super::suggestions::not_found;
use tools::{Code, Context, ToolError, from_query_error};

/// Limit for the places listed in an ambiguity error.
const MAX_LISTED: usize = 20;

/// Parses a name path parameter.
pub(super) fn name_path(tool: &str, written: &str, substring: bool) -> Result<NamePath, ToolError> {
    NamePath::parse(written, substring).ok_or_else(|| {
        let message = format!("{tool}: `name_path` is no name path");
        ToolError::new(Code::InvalidParams, message)
            .hint("give a name, or names from the outside in: `Class/method`")
    })
}

/// The matching definitions at or below a path, and whether there are more.
pub(super) fn find(
    context: &Context<'_>,
    tool: &str,
    snapshot: &Snapshot,
    search: &SymbolSearch<'_>,
) -> Result<(Vec<FileSymbols>, bool), ToolError> {
    let kind = snapshot.entry(search.below)?.kind;
    if kind == FileKind::Directory {
        let found = snapshot.find_symbols(search, context.interrupt);
        return found.map_err(|error| from_query_error(tool, error));
    }
    let (file, document) = document(tool, snapshot, search.below)?;
    let mut symbols = document_symbols(context, tool, &document)?;
    symbols.retain(|symbol| search.path.matches(&symbol.path) && (search.wanted)(symbol));
    symbols.drain(..search.skip.min(symbols.len()));
    let more = symbols.len() > search.limit;
    symbols.truncate(search.limit);
    Ok((vec![FileSymbols { file, document, symbols }], more))
}

/// A file and its document, if its language is known.
pub(super) fn document(
    tool: &str,
    snapshot: &Snapshot,
    path: &FilePath,
) -> Result<(FileText, Arc<Document>), ToolError> {
    let file = snapshot.read(path)?;
    let document = snapshot.document_of(&file);
    if document.language().is_none() {
        let message =
            format!("{tool}: {}: is in no language that is known here", path.display_path());
        return Err(ToolError::new(Code::Unsupported, message)
            .hint("`grep_search` finds words in any text; `tandem doctor` lists the languages"));
    }
    Ok((file, document))
}

pub(super) fn document_symbols(
    context: &Context<'_>,
    tool: &str,
    document: &Document,
) -> Result<Vec<FileSymbol>, ToolError> {
    let symbols = document.symbols(context.interrupt);
    context.check_interrupt(tool)?;
    if document.plain_text_reason() == Some(PlainTextReason::ParseTimeout) {
        let message = format!("{tool}: takes too long to parse: what it defines is not known");
        return Err(ToolError::new(Code::Timeout, message)
            .hint("`grep_search` finds words in it; it is parsed again once it changes"));
    }
    Ok(symbols.unwrap_or_default())
}

/// The single definition in a file that matches.
///
/// # Errors
/// `E_NO_MATCH` with similar names, `E_AMBIGUOUS` with the places.
pub(super) fn unique_definition(
    context: &Context<'_>,
    tool: &str,
    path: &FilePath,
    document: &Document,
    written: &str,
    line: Option<usize>,
) -> Result<FileSymbol, ToolError> {
    let mut found = definitions(context, tool, path, document, written, line)?;
    match found.len() {
        1 => Ok(found.swap_remove(0)),
        _ => Err(ambiguous(tool, path, document, written, &found)),
    }
}

/// The definitions of the single symbol in a file that matches, at least one: a function with its
/// overload signatures, an interface with its merged declarations. A top-level symbol takes
/// precedence over members of the same name.
///
/// # Errors
/// As [`unique_definition`].
pub(super) fn unique_symbol(
    context: &Context<'_>,
    tool: &str,
    path: &FilePath,
    document: &Document,
    written: &str,
    line: Option<usize>,
) -> Result<Vec<FileSymbol>, ToolError> {
    let mut found = definitions(context, tool, path, document, written, line)?;
    let wanted = name_path(tool, written, false)?;
    if found.iter().any(|s| wanted.matches_top_level(&s.path)) {
        found.retain(|s| wanted.matches_top_level(&s.path));
    }
    let names: Vec<usize> = found.iter().map(|s| s.name_span.start).collect();
    if found.len() == 1 || document.are_one_symbol(&names, context.interrupt) {
        return Ok(found);
    }
    Err(ambiguous(tool, path, document, written, &found))
}

/// The matching definitions in a file, at least one.
fn definitions(
    context: &Context<'_>,
    tool: &str,
    path: &FilePath,
    document: &Document,
    written: &str,
    line: Option<usize>,
) -> Result<Vec<FileSymbol>, ToolError> {
    let wanted = name_path(tool, written, false)?;
    let symbols = document_symbols(context, tool, document)?;
    let text = document.text();
    let line_of = |symbol: &FileSymbol| text.line_of(symbol.name_span.start) + 1;
    let named: Vec<_> = symbols.iter().filter(|s| wanted.matches(&s.path)).collect();
    let (shown, quoted) = (path.display_path(), quoted(written));
    if named.is_empty() {
        let message = format!("{tool}: {shown}: defines no `{quoted}`");
        return Err(not_found(context, message, &wanted, Some((path, text, &symbols))));
    }
    let at_line = named.iter().filter(|s| line.is_none_or(|line| line_of(s) == line));
    let found: Vec<FileSymbol> = at_line.map(|s| (*s).clone()).collect();
    match line {
        Some(line) if found.is_empty() => {
            let message = format!("{tool}: {shown}: defines no `{quoted}` on line {line}");
            let named: Vec<FileSymbol> = named.into_iter().cloned().collect();
            Err(several_matches_error(Code::NoMatch, message, path, document, &named))
        }
        _ => Ok(found),
    }
}

fn quoted(written: &str) -> String {
    written.chars().take(80).collect()
}

fn ambiguous(
    tool: &str,
    path: &FilePath,
    document: &Document,
    written: &str,
    found: &[FileSymbol],
) -> ToolError {
    let quoted = quoted(written);
    let message = format!("{tool}: {}: `{quoted}` may mean several symbols", path.display_path());
    several_matches_error(Code::Ambiguous, message, path, document, found)
}

/// The error for an ambiguous name path.
fn several_matches_error(
    code: Code,
    message: String,
    path: &FilePath,
    document: &Document,
    named: &[FileSymbol],
) -> ToolError {
    let line_of = |symbol: &FileSymbol| document.text().line_of(symbol.name_span.start) + 1;
    let places = named.iter().take(MAX_LISTED).map(
        |s| json!({ "name_path": s.path.join("/"), "kind": s.kind.as_str(), "line": line_of(s) }),
    );
    let places: Vec<_> = places.collect();
    ToolError::new(code, message)
        .hint("give `line`, or a longer name path; `/name` has nothing around it")
        .details(json!({ "path": path.display_path(), "symbols": places }))
}
