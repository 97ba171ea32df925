//! Resolves a breakpoint's location: by line, symbol or line text.

use std::sync::Arc;

use serde_json::json;
use workspace::{Document, FilePath, FileSymbol, NamePath, SymbolSearch};

use super::failure;
use tools::{Code, Context, ToolError, from_query_error};

/// Limit for the locations listed in an ambiguity error.
const MAX_LISTED: usize = 20;

/// A line for a breakpoint.
pub(super) struct BreakpointLocation {
    pub(super) file: FilePath,
    /// 1-based.
    pub(super) line: u32,
}

/// The first line of a function's body.
///
/// # Errors
/// `E_NO_MATCH`, or `E_AMBIGUOUS` with the locations, unless exactly one function matches.
pub(super) fn from_symbol(
    context: &Context<'_>,
    tool: &str,
    symbol: &str,
    below: Option<&FilePath>,
) -> Result<BreakpointLocation, ToolError> {
    let path = NamePath::parse(symbol, false)
        .ok_or_else(|| failure::invalid(tool, "`symbol` is not a name path"))?;
    let root;
    let below = match below {
        Some(below) => below,
        None => {
            root = context.snapshot.locate(".")?;
            &root
        }
    };
    let search = SymbolSearch {
        path: &path,
        below,
        may_read: &|path| context.may_read(path),
        wanted: &|_| true,
        skip: 0,
        limit: MAX_LISTED,
    };
    let (found, _) = context
        .snapshot
        .find_symbols(&search, context.interrupt)
        .map_err(|error| from_query_error(tool, error))?;
    let mut places = Vec::new();
    for file in found {
        let located = file.file.path.clone();
        for symbol in file.symbols {
            if let Some(line) = first_line(context, &file.document, &symbol) {
                places.push((located.clone(), symbol.path.join("/"), line));
            }
        }
    }
    let quoted: String = symbol.chars().take(80).collect();
    match &places[..] {
        [(file, _, line)] => Ok(BreakpointLocation { file: file.clone(), line: *line }),
        [] => {
            let message =
                format!("{tool}: no function in {} is called `{quoted}`", below.display_path());
            Err(ToolError::new(Code::NoMatch, message)
                .hint("name a function or method with a body: `Class.method`"))
        }
        several => {
            let listed: Vec<_> = several
                .iter()
                .map(|(file, name, line)| {
                    json!({ "file": file.display_path(), "symbol": name, "line": line })
                })
                .collect();
            let message = format!("{tool}: `{quoted}` may be {} functions", several.len());
            Err(ToolError::new(Code::Ambiguous, message)
                .hint("give `file`, or a longer name: `Class.method`")
                .details(json!({ "places": listed })))
        }
    }
}

/// The line of the first statement in a function's body: a breakpoint on its head would stop at
/// the definition, in some languages. `None` without a body.
fn first_line(context: &Context<'_>, document: &Document, symbol: &FileSymbol) -> Option<u32> {
    let syntax = document.syntax(context.interrupt)?;
    let name = &symbol.name_span;
    let mut node = syntax.root().descendant_for_byte_range(name.start, name.end)?;
    let body = loop {
        if node.start_byte() < symbol.span.start || node.end_byte() > symbol.span.end {
            return None;
        }
        match node.child_by_field_name("body") {
            Some(body) => break body,
            None => node = node.parent()?,
        }
    };
    // A symbol that contains functions is not a function, unless functions nest in its language.
    let is_container = |kind: &str| {
        ["class", "struct", "enum", "trait", "impl", "interface", "module", "mod_", "namespace"]
            .iter()
            .any(|word| kind.contains(word))
    };
    if is_container(node.kind()) {
        return None;
    }
    let mut body = body;
    if body.named_child_count() == 1
        && let Some(list) =
            body.named_child(0).filter(|list| list.kind().ends_with("statement_list"))
    {
        body = list;
    }
    let mut cursor = body.walk();
    let is_code = |kind: &str| !kind.contains("comment");
    let statements: Vec<_> =
        body.named_children(&mut cursor).filter(|child| is_code(child.kind())).collect();
    let first = match &statements[..] {
        // Skip a docstring.
        [first, second, ..]
            if first.kind() == "expression_statement"
                && first.named_child_count() == 1
                && first.named_child(0).is_some_and(|child| child.kind() == "string") =>
        {
            second
        }
        [first, ..] => first,
        [] => return u32::try_from(body.start_position().row + 1).ok(),
    };
    u32::try_from(first.start_position().row + 1).ok()
}

/// The only line that contains the text.
///
/// # Errors
/// `E_NO_MATCH`, or `E_AMBIGUOUS` with the lines.
pub(super) fn line_of_statement(
    context: &Context<'_>,
    tool: &str,
    file: &FilePath,
    statement: &str,
) -> Result<u32, ToolError> {
    let document = document(context, file)?;
    let text = document.text();
    let wanted = collapse_whitespace(statement);
    if wanted.is_empty() {
        return Err(failure::invalid(tool, "`statement` is empty"));
    }
    let lines: Vec<_> =
        (0..text.line_count()).map(|line| collapse_whitespace(&text.line(line))).collect();
    let at = |fits: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let all = lines.iter().enumerate().filter(|(_, line)| fits(line));
        all.map(|(index, _)| index + 1).collect()
    };
    let whole = at(&|line| line == wanted);
    let found = if whole.is_empty() { at(&|line| line.contains(&wanted)) } else { whole };
    let displayed = file.display_path();
    match &found[..] {
        [line] => u32::try_from(*line).map_err(|_| {
            ToolError::new(Code::TooLarge, format!("{tool}: {displayed}: is too long"))
        }),
        [] => {
            let message = format!("{tool}: {displayed}: no line contains `{wanted:.80}`");
            Err(ToolError::new(Code::NoMatch, message))
        }
        several => {
            let message =
                format!("{tool}: {displayed}: {} lines contain `{wanted:.80}`", several.len());
            Err(ToolError::new(Code::Ambiguous, message)
                .hint("give `line`")
                .details(json!({ "lines": several[..several.len().min(MAX_LISTED)] })))
        }
    }
}

/// The document of a file, unsaved changes included.
pub(super) fn document(context: &Context<'_>, file: &FilePath) -> Result<Arc<Document>, ToolError> {
    let read = context.snapshot.read(file)?;
    Ok(context.snapshot.document_of(&read))
}

/// Collapses blanks, and trims.
pub(super) fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
