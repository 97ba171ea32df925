//! A definition, found from a place that uses it.

use std::time::{Duration, Instant};

use client::ClientError;
use serde_json::{Value, json};
use text::{Position, PositionEncoding};

use super::screen::Screen;
use super::server::Server;
use super::survey::{File, Survey};

/// How long a good example is looked for.
const PATIENCE: Duration = Duration::from_secs(3);
/// Names tried in one file.
const TRIES: usize = 60;
/// Files tried.
const FILES: usize = 8;

struct Found<'a> {
    file: &'a File,
    place: Position,
    name: String,
    uri: String,
    target: Position,
    took: Duration,
}

/// Shows a name whose definition is in another file, or else one in the same file.
pub(super) fn show(
    server: &Server,
    survey: &Survey,
    screen: &mut Screen,
) -> Result<(), ClientError> {
    let deadline = Instant::now() + PATIENCE;
    let sample = survey.sample();
    let others =
        survey.files.iter().filter(|f| f.language == sample.language && f.uri != sample.uri);
    let mut near: Option<Found<'_>> = None;
    for file in std::iter::once(sample).chain(others).take(FILES) {
        if file.uri != sample.uri {
            server.open(file)?;
        }
        for (name, place) in names(file).into_iter().take(TRIES) {
            if Instant::now() > deadline {
                break;
            }
            let Some(found) = ask(server, file, name, place)? else { continue };
            if found.uri != file.uri {
                tell(&found, survey, screen);
                return Ok(());
            }
            if near.is_none() && found.target.line.abs_diff(place.line) > 3 {
                near = Some(found);
            }
        }
    }
    match near {
        Some(found) => tell(&found, survey, screen),
        None => screen.dim("(no name was found whose definition is certain)"),
    }
    Ok(())
}

fn ask<'a>(
    server: &Server,
    file: &'a File,
    name: String,
    place: Position,
) -> Result<Option<Found<'a>>, ClientError> {
    let started = Instant::now();
    let answer = server.client.request(
        "textDocument/definition",
        json!({
            "textDocument": { "uri": file.uri },
            "position": { "line": place.line, "character": place.character },
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
    if uri == file.uri && target.line == place.line {
        return Ok(None);
    }
    Ok(Some(Found { file, place, name, uri: uri.to_owned(), target, took }))
}

fn tell(found: &Found<'_>, survey: &Survey, screen: &mut Screen) {
    let name = &found.name;
    screen.section(&format!("Where is `{name}` defined?"));
    screen.line(&format!("asked in {}:{}", found.file.shown, found.place.line + 1));
    let line = found.file.text.line(found.place.line as usize);
    screen.code(
        found.place.line as usize + 1,
        &line,
        columns(&line, found.place.character),
        name.chars().count(),
    );
    let known = survey.files.iter().find(|f| f.uri == found.uri);
    let shown = survey.shown(&found.uri);
    screen.line(&format!("found in {shown}:{}", found.target.line + 1));
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

/// The column of a UTF-8 offset, counted in characters.
fn columns(line: &str, character: u32) -> usize {
    line.char_indices().take_while(|(at, _)| *at < character as usize).count()
}

/// Names that a file uses, each once, longest first: long names say most.
fn names(file: &File) -> Vec<(String, Position)> {
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
