//! The walls around a program, and what is told of them.

use process::{
    Confinement, Filesystem, FilesystemWall, Folder, NetworkWall, ProcessError, ProcessWall,
    Protected,
};
use schemars::JsonSchema;
use serde::Serialize;
use workspace::Snapshot;

use crate::{Code, ToolError};

/// How deep in a workspace what makes editors and tools run code is looked for.
const DEPTH: usize = 4;

/// What was in force around a program.
#[derive(Serialize, JsonSchema)]
pub(super) struct Sandbox {
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
    pub(super) fn of(confinement: &Confinement, snapshot: &Snapshot) -> Self {
        Self {
            processes: match confinement.processes {
                ProcessWall::Namespace => "namespace",
                ProcessWall::Reaper => "reaper",
            },
            filesystem: match confinement.filesystem {
                FilesystemWall::Open => "open",
                FilesystemWall::Landlock => "landlock",
                FilesystemWall::LandlockAndMounts => "landlock_and_mounts",
            },
            network: match confinement.network {
                NetworkWall::Open => "open",
                NetworkWall::Namespace => "namespace",
                NetworkWall::NoSockets => "no_sockets",
            },
            system_calls_filtered: confinement.system_calls_filtered,
            process_limit: confinement.process_limit,
            read_only: shown(&confinement.protected, snapshot),
        }
    }
}

/// Most paths of a list.
const MOST_PATHS: usize = 100;

/// Absolute paths as results show them.
fn shown(paths: &[String], snapshot: &Snapshot) -> Vec<String> {
    let shown = |path: &String| {
        snapshot.locate(path).map_or_else(|_| path.clone(), |located| located.shown())
    };
    paths.iter().take(MOST_PATHS).map(shown).collect()
}

/// The roots can be written to, but for what makes editors and tools run code, the places known to
/// be `guarded`, and what this program itself trusts.
pub(crate) fn filesystem(
    snapshot: &Snapshot,
    guarded: Vec<String>,
) -> Result<Filesystem, ToolError> {
    let mut writable = Vec::new();
    for root in snapshot.roots() {
        writable.push(Folder { handle: root.open_folder()?, path: root.path().to_owned() });
    }
    let own = [
        workspace::state_folder(snapshot.roots()).ok().and_then(|p| Some(p.parent()?.to_owned())),
        workspace::config_folder(),
    ];
    let own = own.into_iter().flatten().map(|path| path.to_string_lossy().into_owned());
    let protected = Protected {
        names: [".git", ".vscode", ".idea", ".tandem"].map(str::to_owned).to_vec(),
        suffixes: vec![".code-workspace".to_owned()],
        depth: DEPTH,
        paths: own.chain(guarded).collect(),
    };
    Ok(Filesystem::Confined { writable, protected })
}

/// What to say of a program that did not run.
pub(crate) fn refused(tool: &str, error: &ProcessError) -> ToolError {
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
