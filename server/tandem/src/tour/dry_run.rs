//! Shows an edit as a diff, without writing it.

use std::time::Instant;

use client::ClientError;
use serde_json::{Value, json};

use super::screen::Screen;
use super::server::Server;
use super::survey::File;

/// Renames a declaration in its line only. Quotes that line without its indentation, as a model might.
pub(super) fn show(
    server: &Server,
    file: &File,
    symbols: &[Value],
    screen: &mut Screen,
) -> Result<(), ClientError> {
    let Some((line, name)) = declaration(file, symbols) else {
        screen.dim("(found no declaration for an example edit)");
        return Ok(());
    };
    let before = file.text.line(line);
    let old_text = before.trim();
    let params = json!([{
        "path": file.shown,
        "patches": [{
            "old_text": old_text,
            "new_text": old_text.replacen(&name, &format!("{name}_renamed"), 1),
            "start_line": line + 1,
        }],
        "dry_run": true,
    }]);
    let started = Instant::now();
    let result = server.client.execute_command("tandem.apply_edit", params)?;
    screen.timed("dry run of an edit", started);
    screen.section("An edit as a diff (dry run: nothing was written)");
    screen.diff(result["files"][0]["diff"].as_str().unwrap_or_default());
    let strategy = result["files"][0]["patches"][0]["strategy"].as_str().unwrap_or_default();
    screen.dim(&format!("matched by: {strategy}"));
    Ok(())
}

/// LSP symbol kinds worth renaming: class, method, enum, interface, function, struct.
const RENAMABLE_KINDS: &[u64] = &[5, 6, 10, 11, 12, 23];

/// The line and name of a declaration, preferably a nested one.
fn declaration(file: &File, symbols: &[Value]) -> Option<(usize, String)> {
    let inner = symbols.iter().filter_map(|s| s["children"].as_array()).flatten();
    let all = inner.chain(symbols);
    let named =
        all.clone().filter(|s| s["kind"].as_u64().is_some_and(|k| RENAMABLE_KINDS.contains(&k)));
    named.chain(all).find_map(|symbol| {
        let name = symbol["name"].as_str()?;
        let line = usize::try_from(symbol["selectionRange"]["start"]["line"].as_u64()?).ok()?;
        let plain = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        (plain && file.text.line(line).contains(name)).then(|| (line, name.to_owned()))
    })
}
