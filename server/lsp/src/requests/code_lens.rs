//! `textDocument/codeLens` and `codeLens/resolve`: tests and programs to run, counts of references and
//! implementations.

use serde_json::{Value, json};
use tower_lsp_server::ls_types::{CodeLens, CodeLensParams, Command};
use workspace::{DefinitionKind, FileSymbol, QueryError};

use crate::convert::{range_to_lsp, uri_to_lsp};
use crate::request_context::RequestContext;
use crate::requests::run_lens;

/// Client commands that show locations, in order of preference.
const SHOW_COMMANDS: [&str; 3] =
    ["tandem.showReferences", "editor.action.showReferences", "rust-analyzer.showReferences"];
/// Most lenses for one document.
const MAX_LENSES: usize = 5_000;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: CodeLensParams,
) -> Result<Option<Vec<CodeLens>>, QueryError> {
    let uri = params.text_document.uri;
    let document = context.snapshot.document_or_file(uri.as_str());
    let Some((document, symbols)) =
        document.and_then(|d| Some((d.clone(), d.symbols(context.interrupt)?)))
    else {
        return Ok(None);
    };
    let text = document.text();
    let mut lenses = run_lens::lenses(context, &document, &symbols);
    let all = context.session.settings.unused_lenses();
    let named = context.snapshot.named_elsewhere(&document, &symbols, context.interrupt);
    for (symbol, named) in symbols.iter().zip(named) {
        if !(symbol.kind.is_type() || symbol.kind.is_callable()) {
            continue;
        }
        let range = range_to_lsp(text, symbol.name_span.clone(), context.session.encoding);
        let mut add = |what: &str| {
            let data = json!({
                "uri": uri.as_str(), "start": symbol.name_span.start, "name": symbol.name,
                // Clients may filter lenses by this field: docs/protocol.md.
                "counts": what,
            });
            lenses.push(CodeLens { range, command: None, data: Some(data) });
        };
        // A name that occurs nowhere else has no references; no search is needed.
        if all || named {
            add("references");
        }
        if is_implementable(symbol, &symbols) {
            add("implementations");
        }
        if lenses.len() >= MAX_LENSES {
            break;
        }
    }
    Ok(Some(lenses))
}

/// Whether a symbol can be implemented: an interface, a trait, or a member of one.
fn is_implementable(symbol: &FileSymbol, all: &[FileSymbol]) -> bool {
    let is_abstract =
        |kind: DefinitionKind| matches!(kind, DefinitionKind::Interface | DefinitionKind::Trait);
    let around = symbol.path.split_last().map_or(&[][..], |(_, around)| around);
    is_abstract(symbol.kind)
        || symbol.kind.is_callable()
            && all.iter().any(|o| {
                let inside = o.span.start <= symbol.span.start && symbol.span.end <= o.span.end;
                is_abstract(o.kind) && inside && o.path == around
            })
}

/// Counts, and adds the client's command to show the locations.
pub(crate) fn resolve(
    context: &RequestContext<'_>,
    mut lens: CodeLens,
) -> Result<CodeLens, QueryError> {
    let field = |name: &str| lens.data.as_ref().and_then(|d: &Value| d.get(name));
    let word = |name: &str| field(name).and_then(Value::as_str);
    let start = field("start").and_then(|n| usize::try_from(n.as_u64()?).ok());
    let (Some(uri), Some(name), Some(what), Some(start)) =
        (word("uri"), word("name"), word("counts"), start)
    else {
        return Ok(lens);
    };
    let without_action = |title: String| Command { title, command: String::new(), arguments: None };
    let current = context.snapshot.document_or_file(uri).filter(|document| {
        let end = start.checked_add(name.len());
        let inside = end.filter(|end| *end <= document.text().len() && !name.is_empty());
        inside.is_some_and(|end| document.text().slice(start..end) == name)
    });
    let Some(document) = current else {
        // The document has changed. The client will request new lenses.
        lens.command = Some(without_action(String::from("…")));
        return Ok(lens);
    };
    let (found, one) = match what {
        "references" => {
            let found = context.snapshot.references(&document, start, false, context.interrupt)?;
            (found, "reference")
        }
        _ => {
            let mut found = context.snapshot.implementation(&document, start, context.interrupt)?;
            found.retain(|f| f.name_span.start != start || *f.uri != **document.uri());
            (found, "implementation")
        }
    };
    let count = found.len();
    let title = if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") };
    // A lens cannot be removed once offered, but it can be empty.
    let title = match count {
        0 if !context.session.settings.unused_lenses() => String::new(),
        _ => title,
    };
    let known = &context.session.commands;
    let command = SHOW_COMMANDS.iter().find(|c| known.iter().any(|k| k == *c));
    lens.command = Some(match command.filter(|_| count > 0) {
        Some(command) => {
            let encoding = context.session.encoding;
            let locations = found.iter().filter_map(|f| {
                let range = range_to_lsp(&f.text, f.name_span.clone(), encoding);
                Some(json!({ "uri": uri_to_lsp(&f.uri)?, "range": range }))
            });
            let locations: Vec<_> = locations.collect();
            let arguments = vec![json!(uri), json!(lens.range.start), json!(locations)];
            Command { title, command: (*command).to_owned(), arguments: Some(arguments) }
        }
        None => without_action(title),
    });
    Ok(lens)
}
