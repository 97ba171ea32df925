//! `tandem setup`: adds to the configuration of AI clients the entry that starts `tandem mcp`.
//!
//! `clients` is the table of clients; `config` and the modules of the formats change a text; `file`
//! and `record` know the disk.

mod clients;
mod config;
mod diff;
mod entry;
mod file;
mod json;
mod record;
mod toml_file;
mod yaml;

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use self::clients::{CLIENTS, Client};
use self::entry::{Existing, Fields};
use self::file::ConfigFile;
use self::record::Record;
use crate::cli::SetupArgs;
use crate::stdout::print_line;

pub(crate) fn run(args: &SetupArgs) -> ExitCode {
    let project = match args.project.then(|| args.workspace.canonicalize()).transpose() {
        Ok(project) => project,
        Err(error) => {
            anstream::eprintln!("tandem setup: {}: {error}", args.workspace.display());
            return ExitCode::from(2);
        }
    };
    let project = project.as_deref();
    if args.list {
        list(project);
        return ExitCode::SUCCESS;
    }
    let clients: Vec<_> = if args.clients.is_empty() {
        CLIENTS
            .iter()
            .filter(|client| args.undo || !client.is_optional && client.is_installed())
            .collect()
    } else {
        args.clients.iter().filter_map(|name| Client::named(name)).collect()
    };
    if clients.is_empty() {
        let names: Vec<_> = CLIENTS.iter().map(|client| client.name).collect();
        anstream::eprintln!(
            "tandem setup: no client is installed. Name one to set it up anyway: {}",
            names.join(", ")
        );
        return ExitCode::FAILURE;
    }
    let mut failed = false;
    let mut changes = Vec::new();
    for client in clients {
        match plan(client, project, args.undo) {
            Ok(Plan::Change(change)) => changes.push(change),
            Ok(Plan::Nothing(_)) if args.undo && args.clients.is_empty() => {}
            Ok(Plan::Nothing(why)) => print_line!("{}: {why}", client.title),
            Err(error) => {
                failed = true;
                anstream::eprintln!("{}: {error}", client.title);
            }
        }
    }
    if changes.is_empty() {
        if !failed {
            print_line!("Nothing to change.");
        }
        return exit_code(failed);
    }
    if !args.yes {
        changes.iter().for_each(Change::print);
        if args.dry_run {
            return exit_code(failed);
        }
        if !confirm(changes.len()) {
            return ExitCode::FAILURE;
        }
    }
    // All before the first line is printed: printing ends the program if nobody reads (`| head`).
    let results: Vec<_> = changes.iter().map(Change::apply).collect();
    for (change, result) in changes.iter().zip(results) {
        if args.yes {
            change.print();
        }
        match result {
            Ok(()) => print_line!("{}: {}.", change.client.title, change.done()),
            Err(error) => {
                failed = true;
                let path = change.file.path.display();
                anstream::eprintln!("{}: {path} {error}", change.client.title);
            }
        }
    }
    exit_code(failed)
}

fn exit_code(failed: bool) -> ExitCode {
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Asks on the terminal; without one, the answer is no.
fn confirm(count: usize) -> bool {
    let files = if count == 1 { "this file".to_owned() } else { format!("these {count} files") };
    if !std::io::stdin().is_terminal() {
        anstream::eprintln!("tandem setup: nothing was changed. Pass --yes to change {files}.");
        return false;
    }
    let mut out = anstream::stdout();
    let _ = write!(out, "Change {files}? [y/N] ");
    let _ = out.flush();
    let mut answer = String::new();
    let is_yes = std::io::stdin().read_line(&mut answer).is_ok()
        && ["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str());
    if !is_yes {
        print_line!("Nothing was changed.");
    }
    is_yes
}

/// What is to be done for a client.
enum Plan {
    Change(Change),
    /// Nothing, and why.
    Nothing(String),
}

/// A change of one file.
struct Change {
    client: &'static Client,
    file: ConfigFile,
    /// `None`: the file is deleted.
    text: Option<String>,
    /// What undoes the change; `None` if it is an undo.
    record: Option<Record>,
    /// Folders that are deleted if they are empty.
    folders: Vec<PathBuf>,
}

impl Change {
    fn print(&self) {
        let path = self.file.path.display();
        let what = match (&self.record, &self.file.text, &self.text) {
            (None, _, None) => "delete",
            (None, _, Some(_)) => "remove from",
            (Some(_), None, _) => "create",
            (Some(_), Some(_), _) => "add to",
        };
        print_line!("{}: {what} {path}", self.client.title);
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        diff::print(&text(&self.file.text), &text(&self.text));
    }

    fn done(&self) -> &'static str {
        match self.record {
            Some(_) => "set up. Restart it to use the tools",
            None => "removed",
        }
    }

    fn apply(&self) -> Result<(), String> {
        let Some(record) = &self.record else {
            self.file.replace(self.text.as_deref())?;
            Record::delete(&self.file.path);
            for folder in &self.folders {
                // Not empty: it has become somebody else's.
                let _ = std::fs::remove_dir(folder);
            }
            return Ok(());
        };
        // Before the change: without the record, an undo could not restore the bytes.
        record.save(&self.file.path)?;
        self.file.replace(self.text.as_deref())
    }
}

/// A client's configuration file.
fn config_path(client: &Client, project: Option<&Path>) -> Result<PathBuf, String> {
    match project {
        Some(project) => {
            let name = client.project.ok_or("has no configuration in a project")?;
            Ok(project.join(name))
        }
        None => client.user_file().ok_or_else(|| "HOME is not set".to_owned()),
    }
}

/// What a client's configuration has under our name, and what it should have.
struct State {
    file: ConfigFile,
    wanted: Fields,
    existing: Existing,
    /// The entry that is there.
    entry: Option<serde_json::Value>,
    has_table: bool,
}

fn state(client: &'static Client, project: Option<&Path>) -> Result<State, String> {
    let path = config_path(client, project)?;
    let file = ConfigFile::read(&path, project)
        .map_err(|error| format!("{} {error}; nothing was changed", path.display()))?;
    let text = file.text.as_deref().unwrap_or_default();
    let value = config::parse(client.format, text).map_err(|error| {
        let (path, line) = (file.path.display(), error.line);
        format!("{path}:{line}: {}. Repair the file and run this again", error.message)
    })?;
    let wanted = entry::fields(client, &entry::program(client)?);
    let entry = config::get(&value, &entry_path(client)).cloned();
    let existing = entry::compare(entry.as_ref(), &wanted);
    let has_table = config::get(&value, client.servers).is_some();
    Ok(State { file, wanted, existing, entry, has_table })
}

fn entry_path(client: &Client) -> Vec<&'static str> {
    client.servers.iter().copied().chain([entry::NAME]).collect()
}

fn plan(client: &'static Client, project: Option<&Path>, undo: bool) -> Result<Plan, String> {
    if project.is_some() && client.project.is_none() {
        return Ok(Plan::Nothing("has no configuration in a project".to_owned()));
    }
    let State { file, wanted, existing, entry, has_table } = state(client, project)?;
    let shown = file.path.display().to_string();
    let key = entry_path(client).join(".");
    match (existing, undo) {
        (Existing::Current, false) => Ok(Plan::Nothing(format!("is set up in {shown}"))),
        (Existing::Nothing, true) => Ok(Plan::Nothing(format!("is not set up in {shown}"))),
        (Existing::Foreign(_), true) => {
            Ok(Plan::Nothing(format!("`{key}` in {shown} is not this program's")))
        }
        (Existing::Foreign(command), false) => Err(format!(
            "`{key}` in {shown} starts something else, {command}. Rename or remove it and run this \
             again"
        )),
        (Existing::Current | Existing::Outdated, true) => undo_plan(client, file).map(Plan::Change),
        (Existing::Nothing | Existing::Outdated, false) => {
            let is_new = entry.is_none();
            let fields = match &entry {
                Some(entry) => entry::merge(entry, wanted),
                None => wanted,
            };
            let text = file.text.as_deref().unwrap_or(client.new_file);
            let changed = config::with_entry(client.format, text, &entry_path(client), &fields)
                .map_err(|error| by_hand(client, &shown, &error, &fields))?;
            let record = if is_new {
                Record::new(&file, &changed, !has_table)
            } else {
                Record::without_edit(&changed, Record::load(&file.path))
            };
            let record = Some(record);
            Ok(Plan::Change(Change { client, file, text: Some(changed), record, folders: vec![] }))
        }
    }
}

/// Asks the person to make a change that is not certain to keep everything else.
fn by_hand(client: &Client, path: &str, error: &str, fields: &Fields) -> String {
    let entry = config::with_entry(client.format, client.new_file, &entry_path(client), fields);
    format!(
        "{path} cannot be changed safely: {error}. Add this by hand ({}):\n{}",
        client.source,
        entry.unwrap_or_default()
    )
}

/// Restores the bytes if only we changed the file, else removes our entry from it.
fn undo_plan(client: &'static Client, file: ConfigFile) -> Result<Change, String> {
    let text = file.text.as_deref().unwrap_or_default();
    let record = Record::load(&file.path);
    let reverted = record.as_ref().and_then(|record| record.revert(text));
    let text = match reverted {
        Some(reverted) => reverted,
        None => {
            let created_table = record.as_ref().is_some_and(|record| record.created_table);
            let changed = remove_entry(client, text, created_table).map_err(|error| {
                let (path, key) = (file.path.display(), entry_path(client).join("."));
                format!("{path} cannot be changed safely: {error}. Remove `{key}` by hand")
            })?;
            Some(changed)
        }
    };
    let folders = record.map(|record| record.folders).unwrap_or_default();
    let folders = if text.is_none() { folders } else { Vec::new() };
    Ok(Change { client, file, text, record: None, folders })
}

fn remove_entry(client: &Client, text: &str, created_table: bool) -> Result<String, String> {
    let changed = config::without(client.format, text, &entry_path(client))?;
    let value = config::parse(client.format, &changed).map_err(|error| error.message)?;
    let table = config::get(&value, client.servers).and_then(|table| table.as_object());
    if created_table && table.is_some_and(serde_json::Map::is_empty) {
        return config::without(client.format, &changed, client.servers);
    }
    Ok(changed)
}

/// Prints the clients, whether they are installed, and whether they are set up.
fn list(project: Option<&Path>) {
    for client in CLIENTS {
        let installed = if client.is_installed() { "installed" } else { "not found" };
        let state = match state(client, project) {
            Ok(State { existing, file, .. }) => {
                let state = match existing {
                    Existing::Nothing => "not set up",
                    Existing::Current => "set up",
                    Existing::Outdated => "set up for another binary",
                    Existing::Foreign(_) => "`tandem` is something else",
                };
                format!("{state:<26} {}", file.path.display())
            }
            Err(error) => error,
        };
        print_line!("{:<15} {installed:<10} {state}", client.name);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_names_every_client() {
        let names: Vec<_> = super::CLIENTS.iter().map(|client| client.name).collect();
        assert_eq!(names, crate::cli::SETUP_CLIENTS);
    }
}
