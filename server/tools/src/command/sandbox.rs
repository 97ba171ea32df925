//! The sandbox of a program, and its description in results. Files that it must not read are in
//! `policy::hidden`, those that it must not change in `guarded`.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use process::{
    Confinement, Filesystem, FilesystemIsolation, Folder, NetworkIsolation, ProcessError,
    ProcessIsolation, Protected,
};
use schemars::JsonSchema;
use serde::Serialize;
use workspace::{OwnFiles, Snapshot};

use super::guarded::Before;
use crate::{Code, Context, ToolError};

/// What was in force around a program.
#[derive(Serialize, JsonSchema)]
pub struct Sandbox {
    /// What ends everything it started: `namespace` or `reaper`.
    processes: &'static str,
    /// What keeps its writes inside the workspace: `landlock_and_mounts`, `landlock`, or `open`
    /// where nothing was to.
    filesystem: &'static str,
    /// What keeps it off the network: `namespace`, `no_sockets`, or `open` where nothing was to.
    network: &'static str,
    /// Whether dangerous system calls were refused.
    system_calls_filtered: bool,
    /// Most processes and threads at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    process_limit: Option<u32>,
    /// What was read-only inside the workspace.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    read_only: Vec<String>,
}

impl Sandbox {
    /// What a confinement allows, for a result.
    pub fn from_confinement(confinement: &Confinement, snapshot: &Snapshot) -> Self {
        Self {
            processes: match confinement.processes {
                ProcessIsolation::Namespace => "namespace",
                ProcessIsolation::Reaper => "reaper",
            },
            filesystem: match confinement.filesystem {
                FilesystemIsolation::Open => "open",
                FilesystemIsolation::Landlock => "landlock",
                FilesystemIsolation::LandlockAndMounts => "landlock_and_mounts",
            },
            network: match confinement.network {
                NetworkIsolation::Open => "open",
                NetworkIsolation::Namespace => "namespace",
                NetworkIsolation::NoSockets => "no_sockets",
            },
            system_calls_filtered: confinement.system_calls_filtered,
            process_limit: confinement.process_limit,
            read_only: display_paths(&confinement.protected, snapshot),
        }
    }
}

/// Limit for listed paths.
const MAX_PATHS: usize = 100;

/// Absolute paths as results show them.
fn display_paths(paths: &[String], snapshot: &Snapshot) -> Vec<String> {
    let shown = |path: &String| {
        snapshot.locate(path).map_or_else(|_| path.clone(), |located| located.display_path())
    };
    paths.iter().take(MAX_PATHS).map(shown).collect()
}

/// The file access of a sandboxed program: it can write to the roots and to the folders `more`, except for the guarded places
/// found `before` and Tandem's own files. Files that rules deny are hidden.
///
/// # Errors
/// If some of that cannot be enforced: then nothing may run.
pub fn filesystem(
    context: &Context<'_>,
    tool: &str,
    before: &Before,
    more: &[PathBuf],
) -> Result<Filesystem, ToolError> {
    let snapshot = &context.snapshot;
    let mut writable = Vec::new();
    for root in snapshot.roots() {
        writable.push(Folder { handle: root.open_folder()?, path: root.path().to_owned() });
    }
    for path in more {
        let failed = |error: std::io::Error| {
            ToolError::new(Code::Io, format!("{tool}: {}: {error}", path.display()))
        };
        let path = path.canonicalize().map_err(failed)?;
        let handle = std::fs::File::open(&path).map_err(failed)?.into();
        writable.push(Folder { handle, path });
    }
    let protected = Protected {
        paths: before.protected()?,
        pinned: own_files(tool, snapshot)?,
        hidden: context.session.policy.hidden(tool, snapshot)?,
    };
    Ok(Filesystem::Confined { writable, protected })
}

/// Tandem's own folders inside the workspace. Missing ones are created: only an existing folder can
/// be protected.
fn own_files(tool: &str, snapshot: &Snapshot) -> Result<Vec<PathBuf>, ToolError> {
    let own = OwnFiles::resolve(snapshot.roots());
    let is_within = |path: &Path| snapshot.roots().iter().any(|root| path.starts_with(root.path()));
    if let Some(link) = own.links().find(|link| is_within(link)) {
        let message = format!(
            "{tool}: Tandem's own files are reached by {}, a link in the workspace, which no sandbox \
             can protect",
            link.display()
        );
        let hint = "put the folder itself there, or open a workspace without it";
        return Err(ToolError::new(Code::Unavailable, message).hint(hint));
    }
    let within: Vec<PathBuf> =
        own.folders().filter(|path| is_within(path)).map(Path::to_owned).collect();
    for folder in &within {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| {
            let message = format!("{tool}: {}: {error}", folder.display());
            ToolError::new(Code::Io, message).hint("it is where Tandem keeps its own files")
        })?;
    }
    Ok(within)
}

/// The error for a program that did not run.
#[must_use]
pub fn refused(tool: &str, error: &ProcessError) -> ToolError {
    let message = format!("{tool}: {error}");
    match error {
        ProcessError::Unavailable { .. } => ToolError::new(Code::Unavailable, message).hint(
            "`tandem doctor` says what this system lacks; `sandbox: false` runs it with the \
             user's own rights, which a person has to allow",
        ),
        ProcessError::NoProgram { .. } => ToolError::new(Code::Unavailable, message),
        ProcessError::Invalid { .. } => ToolError::new(Code::InvalidParams, message),
        ProcessError::FolderChanged { .. } => {
            ToolError::new(Code::Conflict, message).hint("try again")
        }
        ProcessError::Failed { .. } => ToolError::new(Code::Io, message),
    }
}
