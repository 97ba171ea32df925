//! `tandem tour`: shows the server's features on the user's own code.
//!
//! It talks to a real server over a real connection, as an editor does, and writes nothing.

mod connect;
mod definition;
mod dry_run;
mod screen;
mod server;
mod survey;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use client::ClientError;
use serde_json::{Value, json};
use workspace::Root;

use self::screen::Screen;
use self::server::Server;
use self::survey::Survey;

pub(crate) fn run(dir: &Path) -> ExitCode {
    match tour(dir) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            anstream::eprintln!("tandem tour: {message}");
            ExitCode::FAILURE
        }
    }
}

fn tour(dir: &Path) -> Result<(), String> {
    let root =
        Root::open(dir).map_err(|e| format!("{e}\nChoose a readable folder: tandem tour DIR"))?;
    let path = root.path().to_owned();
    let mut screen = Screen::new();
    screen.title(&format!("tandem {} on {}", env!("CARGO_PKG_VERSION"), path.display()));

    let survey = Survey::new(root);
    if survey.files.is_empty() {
        return Err(format!(
            "{}: no source files found\nThe tour needs a folder with code ({}); files ignored by \
             .gitignore do not count.",
            path.display(),
            syntax::Language::all().map(syntax::Language::name).collect::<Vec<_>>().join(", "),
        ));
    }
    survey.show(&mut screen);

    let failed = |error: ClientError| format!("the server failed: {error}");
    let server = Server::start(&path, &mut screen).map_err(failed)?;
    server.wait_for_index(&mut screen).map_err(failed)?;

    let file = survey.sample();
    server.open(file).map_err(failed)?;
    let symbols = outline(&server, &file.shown, &file.uri, &mut screen).map_err(failed)?;
    definition::show(&server, &survey, &mut screen).map_err(failed)?;
    dry_run::show(&server, file, &symbols, &mut screen).map_err(failed)?;
    server.shutdown();

    screen.timings();
    connect::show(&path, &file.shown, &mut screen);
    Ok(())
}

/// Most outline lines shown.
const MAX_OUTLINE_LINES: usize = 14;

fn outline(
    server: &Server,
    shown: &str,
    uri: &str,
    screen: &mut Screen,
) -> Result<Vec<Value>, ClientError> {
    let started = Instant::now();
    let params = json!({ "textDocument": { "uri": uri } });
    let symbols = server.client.request("textDocument/documentSymbol", params)?;
    screen.timed("outline of a file", started);
    let symbols = symbols.as_array().cloned().unwrap_or_default();
    screen.section(&format!("Outline of {shown}"));
    let mut lines = Vec::new();
    flatten(&symbols, 0, &mut lines);
    let more = lines.len().saturating_sub(MAX_OUTLINE_LINES);
    for (depth, name, detail) in lines.into_iter().take(MAX_OUTLINE_LINES) {
        screen.item(depth, &name, &detail);
    }
    if more > 0 {
        screen.dim(&format!("… and {more} more"));
    }
    Ok(symbols)
}

fn flatten(symbols: &[Value], depth: usize, lines: &mut Vec<(usize, String, String)>) {
    for symbol in symbols {
        let text = |key: &str| symbol[key].as_str().unwrap_or_default().to_owned();
        lines.push((depth, text("name"), text("detail")));
        if let Some(children) = symbol["children"].as_array() {
            flatten(children, depth + 1, lines);
        }
    }
}
