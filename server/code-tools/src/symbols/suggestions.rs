//! Suggestions for a name that does not exist: similar names, and renames or deletions of it.

use serde_json::{Value, json};
use text::Text;
use workspace::{FilePath, FileSymbol, NamePath, RemovedName, Snapshot, SymbolSearch};

use tools::{
    Code, Context, ToolError,
    results::{index_progress, with_index_wait, with_short_index_wait},
};

/// Limit for suggested names.
const MAX_SUGGESTIONS: usize = 5;

/// A similar name.
struct Suggestion {
    name_path: String,
    path: String,
    line: usize,
}

/// The error for a name that does not exist, with similar names in `file`, if given, and in the
/// indexed part of the workspace.
pub(super) fn not_found(
    context: &Context<'_>,
    message: String,
    wanted: &NamePath,
    file: Option<(&FilePath, &Text, &[FileSymbol])>,
) -> ToolError {
    let name = wanted.last();
    // Suggestions are not worth waiting for the index.
    let snapshot = with_short_index_wait(&context.snapshot);
    let _ = snapshot.wait_for_index(context.interrupt);
    let mut suggestions = Vec::new();
    add_places(context, &with_index_wait(&context.snapshot), name, &mut suggestions);
    if let Some((path, text, symbols)) = file {
        add_symbols(name, path, text, symbols, &mut suggestions);
    }
    for other in snapshot.similar_names(name, MAX_SUGGESTIONS, context.interrupt) {
        add_places(context, &snapshot, &other, &mut suggestions);
    }
    if suggestions.len() < MAX_SUGGESTIONS {
        let like = snapshot.symbols(name, MAX_SUGGESTIONS, context.interrupt).unwrap_or_default();
        for symbol in like {
            add_places(context, &snapshot, &symbol.name, &mut suggestions);
        }
    }
    suggestions.truncate(MAX_SUGGESTIONS);
    let gone = context.workspace.removed_name(name, context.interrupt);
    let gone = gone.and_then(|gone| removal_note(context, name, &gone));
    let error = match &gone {
        Some((words, _)) => ToolError::new(Code::NoMatch, format!("{message}; {words}")),
        None => ToolError::new(Code::NoMatch, message),
    };
    let listed: Vec<String> =
        suggestions.iter().map(|n| format!("{} ({}:{})", n.name_path, n.path, n.line)).collect();
    let mut hint = match listed.is_empty() {
        true => "`symbols_overview` lists what a file or folder defines".to_owned(),
        false => format!("near names: {}", listed.join(", ")),
    };
    let reading = index_progress(&snapshot);
    if reading.is_some() {
        hint += "; the workspace is still being read, so there may be nearer ones";
    }
    let error = error.hint(hint);
    let nearest: Vec<Value> = suggestions
        .iter()
        .map(|n| json!({ "name_path": n.name_path, "path": n.path, "line": n.line }))
        .collect();
    let mut details = json!({ "nearest": nearest });
    if let Some(reading) = reading {
        details["reading"] = json!(reading);
    }
    if let Some((_, vanished)) = gone {
        details["vanished"] = vanished;
    }
    error.details(details)
}

/// Similar names in a file.
fn add_symbols(
    name: &str,
    path: &FilePath,
    text: &Text,
    symbols: &[FileSymbol],
    suggestions: &mut Vec<Suggestion>,
) {
    let far = (name.chars().count() / 2).clamp(1, 4);
    let mut found: Vec<_> = symbols
        .iter()
        .map(|s| (strsim::damerau_levenshtein(name, &s.name), s))
        .filter(|(distance, _)| *distance <= far)
        .collect();
    found.sort_by_key(|(distance, symbol)| (*distance, symbol.name_span.start));
    for (_, symbol) in found.into_iter().take(MAX_SUGGESTIONS) {
        let line = text.line_of(symbol.name_span.start.min(text.len())) + 1;
        add_suggestion(
            suggestions,
            Suggestion { name_path: symbol.path.join("/"), path: path.display_path(), line },
        );
    }
}

/// Definitions of a name in files that rules do not hide.
fn add_places(
    context: &Context<'_>,
    snapshot: &Snapshot,
    name: &str,
    suggestions: &mut Vec<Suggestion>,
) {
    let (Some(wanted), Ok(below)) = (NamePath::parse(name, false), snapshot.locate(".")) else {
        return;
    };
    let search = SymbolSearch {
        path: &wanted,
        below: &below,
        may_read: &|path| context.may_read(path),
        wanted: &|_| true,
        skip: 0,
        limit: MAX_SUGGESTIONS,
    };
    let Ok((files, _)) = snapshot.find_symbols(&search, context.interrupt) else { return };
    for file in &files {
        for symbol in &file.symbols {
            let line = file.document.text().line_of(symbol.name_span.start) + 1;
            let (name_path, path) = (symbol.path.join("/"), file.file.path.display_path());
            add_suggestion(suggestions, Suggestion { name_path, path, line });
        }
    }
}

fn add_suggestion(suggestions: &mut Vec<Suggestion>, one: Suggestion) {
    let known = |n: &Suggestion| n.path == one.path && n.line == one.line;
    if !suggestions.iter().any(known) {
        suggestions.push(one);
    }
}

/// What happened to a name, as text and as JSON, unless rules hide its file.
fn removal_note(context: &Context<'_>, name: &str, gone: &RemovedName) -> Option<(String, Value)> {
    let by = |(action, tool): &(i64, String)| format!("action {action} of `{tool}`");
    match gone {
        RemovedName::Renamed { to, action } => {
            let words = format!("`{name}` was renamed to `{to}` by {}", by(action));
            Some((words, json!({ "renamed_to": to, "action": action.0.to_string() })))
        }
        RemovedName::Removed { path, line, action } => {
            let located = context.snapshot.locate(path).ok()?;
            if !context.may_read(&located) {
                return None;
            }
            let place = line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"));
            let mut words = format!("`{name}` was last seen in {place}");
            let mut details = json!({ "path": path, "line": line });
            if let Some(action) = action {
                words.push_str(&format!(", before {}", by(action)));
                details["action"] = json!(action.0.to_string());
            }
            Some((words, details))
        }
    }
}
