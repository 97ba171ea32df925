//! Shows go to definition.

use std::time::{Duration, Instant};

use client::ClientError;
use serde_json::{Value, json};
use text::{Position, PositionEncoding};

use super::screen::Screen;
use super::server::Server;
use super::survey::{File, Survey};

/// Time limit for finding a good example.
const TIME_LIMIT: Duration = Duration::from_secs(3);
/// Names tried per file.
const MAX_NAMES: usize = 60;
/// Files tried.
const MAX_FILES: usize = 8;

/// A use of a name, and its definition.
struct DefinitionExample<'a> {
    file: &'a File,
    position: Position,
    name: String,
    uri: String,
    target: Position,
    took: Duration,
}

/// Shows a name whose definition is in another file, else one in the same file.
pub(super) fn show(
    server: &Server,
    survey: &Survey,
    screen: &mut Screen,
) -> Result<(), ClientError> {
    let deadline = Instant::now() + TIME_LIMIT;
    let sample = survey.sample();
    let others =
        survey.files.iter().filter(|f| f.language == sample.language && f.uri != sample.uri);
    let mut near: Option<DefinitionExample<'_>> = None;
    for file in std::iter::once(sample).chain(others).take(MAX_FILES) {
        if file.uri != sample.uri {
            server.open(file)?;
        }
        for (name, position) in distinct_names(file).into_iter().take(MAX_NAMES) {
            if Instant::now() > deadline {
                break;
            }
            let Some(found) = query_definition(server, file, name, position)? else { continue };
            if found.uri != file.uri {
                print(&found, survey, screen);
                return Ok(());
            }
            if near.is_none() && found.target.line.abs_diff(position.line) > 3 {
                near = Some(found);
            }
        }
    }
    match near {
        Some(found) => print(&found, survey, screen),
        None => screen.dim("(found no name with a certain definition)"),
    }
    Ok(())
}

fn query_definition<'a>(
    server: &Server,
    file: &'a File,
    name: String,
    position: Position,
) -> Result<Option<DefinitionExample<'a>>, ClientError> {
    let started = Instant::now();
    let answer = server.client.request(
        "textDocument/definition",
        json!({
            "textDocument": { "uri": file.uri },
            "position": { "line": position.line, "character": position.character },
        }),
    )?;
    let took = started.elapsed();
    let target = &answer[0];
    let number = |value: &Value| value.as_u64().and_then(|n| u32::try_from(n).ok());
    let start = &target["range"]["start"];
    let (Some(uri), Some(line), Some(character)) =
        (target["uri"].as_str(), number(&start["line"]), number(&start["character"]))
    else {
        return Ok(None);
    };
    let target = Position::new(line, character);
    if uri == file.uri && target.line == position.line {
        return Ok(None);
    }
    Ok(Some(DefinitionExample { file, position, name, uri: uri.to_owned(), target, took }))
}

fn print(found: &DefinitionExample<'_>, survey: &Survey, screen: &mut Screen) {
    let name = &found.name;
    screen.section(&format!("Where is `{name}` defined?"));
    screen.line(&format!("used in {}:{}", found.file.shown, found.position.line + 1));
    let line = found.file.text.line(found.position.line as usize);
    screen.code(
        found.position.line as usize + 1,
        &line,
        columns(&line, found.position.character),
        name.chars().count(),
    );
    let known = survey.files.iter().find(|f| f.uri == found.uri);
    let shown = survey.relative_path(&found.uri);
    screen.line(&format!("defined in {shown}:{}", found.target.line + 1));
    if let Some(file) = known {
        let line = file.text.line(found.target.line as usize);
        screen.code(
            found.target.line as usize + 1,
            &line,
            columns(&line, found.target.character),
            name.chars().count(),
        );
    }
    screen.timed_for("definition of a name", found.took);
}

/// Converts a UTF-8 offset to a column in characters.
fn columns(line: &str, character: u32) -> usize {
    line.char_indices().take_while(|(at, _)| *at < character as usize).count()
}

/// The distinct names in a file, longest first, as those make better examples.
fn distinct_names(file: &File) -> Vec<(String, Position)> {
    let text = file.text.to_string();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut names: Vec<(String, usize)> = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, is_name(c)) {
            (None, true) if !c.is_numeric() => start = Some(at),
            (Some(from), false) => {
                let name = &text[from..at];
                if (5..30).contains(&name.len()) && !names.iter().any(|(n, _)| n == name) {
                    names.push((name.to_owned(), from));
                }
                start = None;
            }
            _ => {}
        }
        if names.len() > 2_000 {
            break;
        }
    }
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    names
        .into_iter()
        .map(|(name, at)| (name, file.text.position(at, PositionEncoding::Utf8)))
        .collect()
}
