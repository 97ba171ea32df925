//! What of the machine a container sees: folders and files below the roots, volumes of the daemon, and its socket.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tools::{Code, Context, Effect, GuardedBefore, ToolError, hidden_files};
use workspace::{FileKind, FilePath};

use crate::daemon::Daemon;
use crate::effects::{daemon_socket, volume};
use crate::limits::COVERED_PLACES;

/// A mount that a call wants.
pub(crate) struct Mount {
    source: Source,
    /// Where it is in the container.
    target: String,
    read_only: bool,
}

enum Source {
    /// A file or folder below a root, as written and as found.
    Place {
        written: String,
        path: FilePath,
        is_folder: bool,
    },
    Volume(String),
    DaemonSocket(PathBuf),
}

impl Mount {
    pub(crate) fn parse(
        context: &Context<'_>,
        tool: &str,
        daemon: &Daemon,
        written: &str,
    ) -> Result<Self, ToolError> {
        let invalid = |why: &str| {
            ToolError::new(
                Code::InvalidParams,
                format!("{tool}: `volumes`: `{written:.200}`: {why}"),
            )
            .hint("write `SOURCE:TARGET`, such as `src:/src`, and `:ro` behind it for reading only")
        };
        let mut parts = written.split(':');
        let (Some(source), Some(target)) = (parts.next(), parts.next()) else {
            return Err(invalid("there is no target"));
        };
        if source.is_empty() {
            return Err(invalid("there is no source"));
        }
        let read_only = match (parts.next(), parts.next()) {
            (None | Some("rw"), None) => false,
            (Some("ro"), None) => true,
            _ => return Err(invalid("only `ro` and `rw` may follow the target")),
        };
        let is_plain = |name: &str| !name.is_empty() && name != "." && name != "..";
        let names = target.strip_prefix('/').filter(|names| names.split('/').all(is_plain));
        if names.is_none() || target.chars().any(char::is_control) {
            return Err(invalid("the target must be an absolute path without `..`, and not `/`"));
        }
        let target = target.to_owned();
        let place = Path::new(source);
        if let Some(socket) = daemon.socket_below(place) {
            if socket != place {
                let message = format!("{tool}: {source}: the daemon's socket is in there");
                return Err(ToolError::new(Code::PathForbidden, message)
                    .hint("the socket itself can be mounted, after an approval of its own"));
            }
            return Ok(Self { source: Source::DaemonSocket(socket), target, read_only });
        }
        let is_volume = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        // Something of this name that must not be mounted is an error, and not a volume.
        let path = context.snapshot.locate(source)?;
        if source.starts_with(|c: char| c.is_ascii_alphanumeric())
            && source.chars().all(is_volume)
            && context.snapshot.entry(&path).is_err()
        {
            return Ok(Self { source: Source::Volume(source.to_owned()), target, read_only });
        }
        let is_folder = match context.snapshot.entry(&path)?.kind {
            FileKind::Directory => true,
            FileKind::File => false,
            _ => {
                let message =
                    format!("{tool}: {}: is neither a file nor a folder", path.display_path());
                return Err(ToolError::new(Code::Unsupported, message));
            }
        };
        if let Some(socket) = daemon.socket_below(&path.absolute()) {
            let message = format!(
                "{tool}: {}: the daemon's socket {} is in there",
                path.display_path(),
                socket.display()
            );
            return Err(ToolError::new(Code::PathForbidden, message).hint("mount another folder"));
        }
        if !daemon.is_local() {
            let message =
                format!("{tool}: the daemon is on another machine, which has none of these files");
            return Err(ToolError::new(Code::Unsupported, message)
                .hint("copy them into an image by docker_build"));
        }
        if path.has_guarded_name() && !read_only {
            let why = "editors and tools run or trust what is there, so containers only read it";
            let message = format!("{tool}: {}: {why}", path.display_path());
            return Err(ToolError::new(Code::PathForbidden, message).hint("add `:ro`"));
        }
        let source = Source::Place { written: source.to_owned(), path, is_folder };
        Ok(Self { source, target, read_only })
    }

    /// Whether the container can write to the workspace through it.
    pub(crate) fn is_writable_place(&self) -> bool {
        matches!(self.source, Source::Place { .. }) && !self.read_only
    }

    /// The folder or file below a root.
    pub(crate) fn place(&self) -> Option<&FilePath> {
        if let Source::Place { path, .. } = &self.source { Some(path) } else { None }
    }

    pub(crate) fn effects(&self) -> Vec<Effect> {
        match &self.source {
            Source::Volume(name) => vec![volume(name)],
            Source::DaemonSocket(path) => vec![daemon_socket(&path.display().to_string())],
            Source::Place { path, is_folder, .. } => {
                let read = if *is_folder { Effect::read_tree(path) } else { Effect::read(path) };
                let write = (!self.read_only).then(|| Effect::write(path));
                std::iter::once(read).chain(write).collect()
            }
        }
    }

    pub(crate) fn text(&self) -> String {
        let access = if self.read_only { "read only" } else { "read and write" };
        match &self.source {
            Source::Volume(name) => format!("the volume {name} is {} ({access})", self.target),
            Source::DaemonSocket(path) => {
                format!("the daemon's socket {} is {} ({access})", path.display(), self.target)
            }
            Source::Place { path, is_folder: true, .. } if !self.read_only => format!(
                "{} is {} (read and write; .git and editors' folders read only)",
                path.absolute().display(),
                self.target
            ),
            Source::Place { path, .. } => {
                format!("{} is {} ({access})", path.absolute().display(), self.target)
            }
        }
    }

    /// Refuses to go on if the path leads elsewhere by now: the daemon looks it up once more.
    pub(crate) fn check_again(&self, context: &Context<'_>, tool: &str) -> Result<(), ToolError> {
        let Source::Place { written, path, .. } = &self.source else { return Ok(()) };
        let now = context.workspace.snapshot().locate(written);
        if now.is_ok_and(|now| now.absolute() == path.absolute()) {
            return Ok(());
        }
        let message =
            format!("{tool}: {written} leads elsewhere by now; the container was removed");
        Err(ToolError::new(Code::Conflict, message).hint("call it again"))
    }

    fn json(&self) -> Value {
        let (kind, source) = match &self.source {
            Source::Place { path, .. } => ("bind", path.absolute().display().to_string()),
            Source::DaemonSocket(path) => ("bind", path.display().to_string()),
            Source::Volume(name) => ("volume", name.clone()),
        };
        mount(kind, &source, &self.target, self.read_only)
    }
}

fn mount(kind: &str, source: &str, target: &str, read_only: bool) -> Value {
    let mut mount =
        json!({ "Type": kind, "Source": source, "Target": target, "ReadOnly": read_only });
    if kind == "bind" {
        // What is mounted below the folder on this machine is not a part of it.
        mount["BindOptions"] = json!({ "Propagation": "rprivate", "NonRecursive": true });
    }
    mount
}

/// The mounts for the API: the mounts of the call, and over them the ones that hide or protect places below.
pub(crate) fn mounts_json(
    context: &Context<'_>,
    tool: &str,
    mounts: &[Mount],
    before: Option<&GuardedBefore>,
) -> Result<Vec<Value>, ToolError> {
    let mut all: Vec<Value> = mounts.iter().map(Mount::json).collect();
    if !mounts.iter().any(|mount| mount.place().is_some()) {
        return Ok(all);
    }
    let hidden = hidden_files(context, tool)?;
    let guarded = before.map(GuardedBefore::protected).transpose()?.unwrap_or_default();
    let count = all.len();
    for mounted in mounts {
        let Source::Place { path, is_folder: true, .. } = &mounted.source else { continue };
        let top = path.absolute();
        let below = |place: &Path| {
            place
                .strip_prefix(&top)
                .ok()
                .filter(|rest| rest.components().next().is_some())
                .map(Path::to_owned)
        };
        let target = |rest: &Path| format!("{}/{}", mounted.target, rest.display());
        for rest in hidden.iter().filter_map(|place| below(place)) {
            let kind = path.root().kind_below(path.descendant(&rest).below_root())?;
            all.extend(match kind {
                Some(FileKind::Directory) => {
                    Some(json!({ "Type": "tmpfs", "Target": target(&rest), "ReadOnly": true,
                        "TmpfsOptions": { "SizeBytes": 4096 } }))
                }
                Some(_) => Some(mount("bind", "/dev/null", &target(&rest), true)),
                None => None,
            });
        }
        if mounted.is_writable_place() {
            let places = guarded.iter().filter(|place| !hidden.contains(place));
            let rests = places.filter_map(|place| Some((place, below(place)?)));
            all.extend(rests.map(|(place, rest)| {
                mount("bind", &place.display().to_string(), &target(&rest), true)
            }));
        }
        if all.len() - count > COVERED_PLACES {
            let message = format!(
                "{tool}: more than {COVERED_PLACES} places below the mounts must be hidden or protected"
            );
            return Err(ToolError::new(Code::TooLarge, message).hint("mount a smaller folder"));
        }
    }
    Ok(all)
}
