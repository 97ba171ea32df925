//! `textDocument/codeLens` and `codeLens/resolve`: how much a definition is used.

use serde_json::{Value, json};
use tower_lsp_server::ls_types::{CodeLens, CodeLensParams, Command};
use workspace::{DefinitionKind, FileSymbol, QueryError};

use crate::convert::{range_to_lsp, uri_to_lsp};
use crate::question::Question;
use crate::requests::debug_lens;

/// The commands by which a client may show places, the best first.
const COMMANDS: [&str; 3] =
    ["tandem.showReferences", "editor.action.showReferences", "rust-analyzer.showReferences"];
/// Most lenses of one document.
const MOST: usize = 5_000;

pub(crate) fn answer(
    question: &Question<'_>,
    params: CodeLensParams,
) -> Result<Option<Vec<CodeLens>>, QueryError> {
    let uri = params.text_document.uri;
    let document = question.snapshot.document_or_file(uri.as_str());
    let Some((document, symbols)) =
        document.and_then(|d| Some((d.clone(), d.symbols(question.interrupt)?)))
    else {
        return Ok(None);
    };
    let text = document.text();
    let mut lenses = debug_lens::lenses(question, &document, &symbols);
    let all = question.session.settings.unused_lenses();
    let named = question.snapshot.named_elsewhere(&document, &symbols, question.interrupt);
    for (symbol, named) in symbols.iter().zip(named) {
        if !(symbol.kind.is_type() || symbol.kind.is_callable()) {
            continue;
        }
        let range = range_to_lsp(text, symbol.name_span.clone(), question.session.encoding);
        let mut add = |what: &str| {
            let data = json!({
                "uri": uri.as_str(), "start": symbol.name_span.start, "name": symbol.name,
                // Clients may leave lenses that count out by this field: docs/protocol.md.
                "counts": what,
            });
            lenses.push(CodeLens { range, command: None, data: Some(data) });
        };
        // What is named nowhere else has no use, which is known without looking for any.
        if all || named {
            add("references");
        }
        if asks_for_implementations(symbol, &symbols) {
            add("implementations");
        }
        if lenses.len() >= MOST {
            break;
        }
    }
    Ok(Some(lenses))
}

/// Whether something is there to be implemented: an interface, a trait, what they ask for.
fn asks_for_implementations(symbol: &FileSymbol, all: &[FileSymbol]) -> bool {
    let asks =
        |kind: DefinitionKind| matches!(kind, DefinitionKind::Interface | DefinitionKind::Trait);
    let around = symbol.path.split_last().map_or(&[][..], |(_, around)| around);
    asks(symbol.kind)
        || symbol.kind.is_callable()
            && all.iter().any(|o| {
                let inside = o.span.start <= symbol.span.start && symbol.span.end <= o.span.end;
                asks(o.kind) && inside && o.path == around
            })
}

/// Counts, and says how the client can show what was counted.
pub(crate) fn resolve(question: &Question<'_>, mut lens: CodeLens) -> Result<CodeLens, QueryError> {
    let field = |name: &str| lens.data.as_ref().and_then(|d: &Value| d.get(name));
    let word = |name: &str| field(name).and_then(Value::as_str);
    let start = field("start").and_then(|n| usize::try_from(n.as_u64()?).ok());
    let (Some(uri), Some(name), Some(what), Some(start)) =
        (word("uri"), word("name"), word("counts"), start)
    else {
        return Ok(lens);
    };
    let plain = |title: String| Command { title, command: String::new(), arguments: None };
    let there = question.snapshot.document_or_file(uri).filter(|document| {
        let end = start.checked_add(name.len());
        let inside = end.filter(|end| *end <= document.text().len() && !name.is_empty());
        inside.is_some_and(|end| document.text().slice(start..end) == name)
    });
    let Some(document) = there else {
        // The next question for lenses brings the right ones.
        lens.command = Some(plain(String::from("…")));
        return Ok(lens);
    };
    let (found, one) = match what {
        "references" => {
            let found =
                question.snapshot.references(&document, start, false, question.interrupt)?;
            (found, "reference")
        }
        _ => {
            let mut found =
                question.snapshot.implementation(&document, start, question.interrupt)?;
            found.retain(|f| f.name_span.start != start || *f.uri != **document.uri());
            (found, "implementation")
        }
    };
    let count = found.len();
    let title = if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") };
    // A lens that was promised cannot be taken back, but it need not say that there is nothing.
    let title = match count {
        0 if !question.session.settings.unused_lenses() => String::new(),
        _ => title,
    };
    let known = &question.session.commands;
    let command = COMMANDS.iter().find(|c| known.iter().any(|k| k == *c));
    lens.command = Some(match command.filter(|_| count > 0) {
        Some(command) => {
            let encoding = question.session.encoding;
            let places = found.iter().filter_map(|f| {
                let range = range_to_lsp(&f.text, f.name_span.clone(), encoding);
                Some(json!({ "uri": uri_to_lsp(&f.uri)?, "range": range }))
            });
            let places: Vec<_> = places.collect();
            let arguments = vec![json!(uri), json!(lens.range.start), json!(places)];
            Command { title, command: (*command).to_owned(), arguments: Some(arguments) }
        }
        None => plain(title),
    });
    Ok(lens)
}
