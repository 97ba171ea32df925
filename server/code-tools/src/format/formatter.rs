//! Finds and runs the project's formatter.

use std::sync::OnceLock;
use std::time::Duration;

use process::{
    ExitStatus, Filesystem, Folder, Input, Isolation, KillReason, Launcher, Limits, Network,
    Program, Protected, clean_environment,
};
use serde::Deserialize;
use serde_json::json;
use workspace::{FileError, FilePath, Snapshot};

use tools::{Code, Command, Context, ToolError, command::refused};

/// Time limit for a formatter.
const FORMATTER_TIMEOUT: Duration = Duration::from_secs(20);
/// Longest text to format, and longest output, in bytes.
const MAX_TEXT_BYTES: usize = 8 << 20;
/// How much of a formatter's error output is returned, in bytes.
const MAX_STDERR_BYTES: usize = 2_000;

#[derive(Deserialize)]
struct Table {
    formatter: Vec<Formatter>,
}

/// A formatter of the table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Formatter {
    pub(super) name: String,
    languages: Vec<String>,
    configured: Vec<String>,
    command: Vec<String>,
    #[serde(default)]
    near: Vec<String>,
    install: String,
}

fn table() -> &'static [Formatter] {
    static TABLE: OnceLock<Vec<Formatter>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let table: Table = toml::from_str(include_str!("formatters.toml"))
            .expect("the embedded table is checked by this crate's tests");
        table.formatter
    })
}

impl Formatter {
    /// The error if the project is configured for it and it is not installed.
    fn missing(&self, tool: &str) -> ToolError {
        let Self { name, install, .. } = self;
        let message =
            format!("{tool}: this project is formatted by {name}, which is not installed");
        ToolError::new(Code::Unavailable, message)
            .hint(format!("install it: {install}"))
            .details(json!({ "formatter": name, "install": install }))
    }
}

/// A formatter chosen for one file.
pub(super) struct ChosenFormatter {
    pub(super) formatter: &'static Formatter,
    arguments: Vec<String>,
    cwd: FilePath,
}

impl ChosenFormatter {
    /// The formatter that the project is configured for.
    ///
    /// # Errors
    /// If it is configured for none that is known.
    pub(super) fn for_file(
        tool: &str,
        snapshot: &Snapshot,
        path: &FilePath,
        language: &str,
    ) -> Result<Self, ToolError> {
        let mut known = table().iter().filter(|f| f.languages.iter().any(|l| l == language));
        let folders: Vec<FilePath> = folders_above(snapshot, path);
        let set_up = |formatter: &&Formatter| {
            formatter
                .configured
                .iter()
                .any(|file| folders.iter().any(|f| configures(snapshot, f, file)))
        };
        let Some(formatter) = known.clone().find(set_up) else {
            let message = match known.next() {
                Some(first) => format!(
                    "{tool}: {}: the project is set up for no formatter of {language} ({} would be \
                     by {})",
                    path.display_path(),
                    first.name,
                    first.configured.join(" or "),
                ),
                None => {
                    format!("{tool}: {}: no formatter of {language} is known", path.display_path())
                }
            };
            return Err(ToolError::new(Code::Unsupported, message)
                .hint("`reindent` puts lines where their syntax says"));
        };
        let edition = || edition(snapshot, &folders).unwrap_or_else(|| "2021".to_owned());
        let file = path.absolute().to_string_lossy().into_owned();
        let fill = |word: &String| {
            let word = word.replace("{file}", &file);
            if word.contains("{edition}") { word.replace("{edition}", &edition()) } else { word }
        };
        let mut arguments: Vec<String> = formatter.command.iter().map(fill).collect();
        if let Some(program) = arguments.first_mut() {
            if let Some(own) = project_program(snapshot, &folders, &formatter.near, program) {
                *program = own;
            } else if !process::has_program(program) {
                // Report it before anyone is asked for approval.
                return Err(formatter.missing(tool));
            }
        }
        let cwd = folders.into_iter().next();
        let cwd = cwd.ok_or_else(|| {
            ToolError::new(
                Code::DirNotFound,
                format!("{tool}: {}: has no folder", path.display_path()),
            )
        })?;
        Ok(Self { formatter, arguments, cwd })
    }

    /// The command, as policy and the person see it.
    pub(super) fn command(&self) -> Command {
        Command {
            line: shlex::try_join(self.arguments.iter().map(String::as_str)).unwrap_or_default(),
            cwd: self.cwd.clone(),
            env: Vec::new(),
            input: None,
            network: false,
            sandbox: true,
        }
    }

    /// Formats `text`. The formatter can write only to its own temporary folder and has no
    /// network.
    pub(super) fn run(
        &self,
        context: &Context<'_>,
        tool: &str,
        text: &str,
    ) -> Result<String, ToolError> {
        if text.len() > MAX_TEXT_BYTES {
            let message = format!("{tool}: {} bytes; {MAX_TEXT_BYTES} are the most", text.len());
            return Err(ToolError::new(Code::TooLarge, message));
        }
        let name = &self.formatter.name;
        let command = process::Command {
            program: Program::Arguments(self.arguments.clone()),
            cwd: Folder { handle: self.cwd.open_folder()?, path: self.cwd.absolute() },
            environment: clean_environment(),
            temporary_folders: Vec::new(),
            input: Input::Bytes(text.as_bytes().to_vec()),
            isolation: Isolation {
                filesystem: Filesystem::Confined {
                    writable: Vec::new(),
                    protected: Protected {
                        hidden: context.session.policy.hidden(tool, &context.snapshot)?,
                        ..Protected::default()
                    },
                },
                network: Network::None,
                may_trace: false,
                may_attach_anywhere: false,
            },
            limits: Limits::default(),
            has_sandbox_proxy: false,
        };
        context.check_interrupt(tool)?;
        let child = Launcher::current().start(command).map_err(|error| match error {
            process::ProcessError::NoProgram { .. } => self.formatter.missing(tool),
            error => refused(tool, &error),
        })?;
        let outcome = child.collect(
            MAX_TEXT_BYTES,
            Some(FORMATTER_TIMEOUT),
            context.interrupt,
            &mut |_, _| {},
        );
        let failed = |code, why: String| {
            Err(ToolError::new(code, format!("{tool}: {name} {why}; nothing was changed")))
        };
        match (outcome.stop, outcome.status) {
            (Some(KillReason::Interrupt), _) => failed(Code::Cancelled, "was cancelled".to_owned()),
            (Some(KillReason::Timeout), _) => failed(Code::Timeout, "took too long".to_owned()),
            (None, ExitStatus::Code(0)) => {
                let out = &outcome.stdout;
                let whole = [&out.head[..], &out.tail[..]].concat();
                match String::from_utf8(whole) {
                    _ if out.left_out > 0 => {
                        failed(Code::TooLarge, "gave too much back".to_owned())
                    }
                    Err(_) => failed(Code::Encoding, "gave back what is no UTF-8".to_owned()),
                    Ok(formatted) if formatted.is_empty() && !text.trim().is_empty() => {
                        failed(Code::Io, "gave nothing back".to_owned())
                    }
                    Ok(formatted) => Ok(formatted),
                }
            }
            _ => {
                let stderr = String::from_utf8_lossy(&outcome.stderr.head).into_owned();
                let stderr: String = stderr.trim().chars().take(MAX_STDERR_BYTES).collect();
                failed(Code::Unsupported, format!("does not take this text: {stderr}"))
            }
        }
    }
}

/// The folders from that of `path` up to its root.
fn folders_above(snapshot: &Snapshot, path: &FilePath) -> Vec<FilePath> {
    let absolute = path.absolute();
    let root = path.root().path();
    absolute
        .ancestors()
        .skip(1)
        .take_while(|folder| folder.starts_with(root))
        .filter_map(|folder| snapshot.locate(folder.to_str()?).ok())
        .collect()
}

/// Whether a folder has the file `configured` names; the text after `#` must occur in it.
fn configures(snapshot: &Snapshot, folder: &FilePath, configured: &str) -> bool {
    let (name, word) = configured.split_once('#').unwrap_or((configured, ""));
    let absolute = folder.absolute();
    let file = absolute.join(name);
    let Some(Ok(file)) = file.to_str().map(|file| snapshot.locate(file)) else { return false };
    match snapshot.read(&file) {
        Ok(found) => word.is_empty() || found.text.to_string().contains(word),
        Err(FileError::NotFound { .. }) => false,
        Err(_) => word.is_empty(),
    }
}

/// Path of a program that the project ships: in the file's folder or the nearest one above.
fn project_program(
    snapshot: &Snapshot,
    folders: &[FilePath],
    places: &[String],
    program: &str,
) -> Option<String> {
    let places = folders.iter().flat_map(|folder| places.iter().map(move |place| (folder, place)));
    places.map(|(folder, place)| folder.absolute().join(place).join(program)).find_map(|path| {
        let path = path.to_str()?;
        let found = snapshot.locate(path).ok()?;
        snapshot.entry(&found).is_ok().then(|| path.to_owned())
    })
}

/// The edition of the Rust package that the folders belong to, possibly inherited from its
/// workspace.
fn edition(snapshot: &Snapshot, folders: &[FilePath]) -> Option<String> {
    folders.iter().find_map(|folder| {
        let manifest = folder.absolute().join("Cargo.toml");
        let manifest = snapshot.locate(manifest.to_str()?).ok()?;
        let manifest = snapshot.read(&manifest).ok()?.text.to_string();
        let manifest: toml::Table = toml::from_str(&manifest).ok()?;
        let package = manifest.get("package").and_then(|p| p.get("edition")?.as_str());
        let shared = || manifest.get("workspace")?.get("package")?.get("edition")?.as_str();
        Some(package.or_else(shared)?.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_languages_that_are_known() {
        for formatter in table() {
            for language in &formatter.languages {
                let known = syntax::Language::by_id(language).is_some();
                assert!(known, "{}: {language}", formatter.name);
            }
            assert!(!formatter.command.is_empty() && !formatter.configured.is_empty());
        }
    }
}
