//! Starts kept processes, and finds those that were started before.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::wire::{Ended, KeepPlan, KeepReport, KeeperRequest};
use super::{KEEPER_ARGUMENT, Keep, KeeperLink, follow, output_log, record};
use crate::supervisor::ProcessStatus;
use crate::supervisor::supervised::{Shared, SupervisedProcess};
use crate::{Command, ProcessError, channel};

/// How long a keeper may take to start the command.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// Ended ones that are kept for their output.
const MAX_ENDED: usize = 32;

/// Starts a process with a keeper.
pub(in crate::supervisor) fn start(
    keep: Keep,
    name: Option<String>,
    command: Command,
) -> Result<Arc<SupervisedProcess>, ProcessError> {
    let failed = |e: io::Error| ProcessError::failed("keeping the process", e);
    let (id, folder) = make_folder(&keep.folder).map_err(failed)?;
    let started = start_keeper(&id, &folder, keep.note, name, command);
    let opened = started.and_then(|()| open(&folder).map_err(failed));
    if opened.is_err() {
        // Nothing runs, so nothing is left.
        let _ = fs::remove_dir_all(&folder);
    }
    opened
}

/// A new folder, and the id that it is named by.
fn make_folder(parent: &Path) -> io::Result<(String, std::path::PathBuf)> {
    let mut random = [0; 4];
    io::Read::read_exact(&mut fs::File::open("/dev/urandom")?, &mut random)?;
    let id = format!("k{:08x}", u32::from_ne_bytes(random));
    let folder = parent.join(&id);
    DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
    DirBuilder::new().mode(0o700).create(&folder)?;
    Ok((id, folder))
}

fn start_keeper(
    id: &str,
    folder: &Path,
    note: String,
    name: Option<String>,
    command: Command,
) -> Result<(), ProcessError> {
    let failed = |e: io::Error| ProcessError::failed("starting the keeper", e);
    let (plan, handles) = KeepPlan::new(id.to_owned(), name, note, folder.to_owned(), command);
    let (control, theirs) = UnixStream::pair().map_err(failed)?;
    let mut child = std::process::Command::new("/proc/self/exe")
        .arg0("tandem")
        .arg(KEEPER_ARGUMENT)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    control.set_read_timeout(Some(START_TIMEOUT)).map_err(failed)?;
    control.set_write_timeout(Some(START_TIMEOUT)).map_err(failed)?;
    let handles: Vec<_> = handles.iter().map(AsFd::as_fd).collect();
    let sent = channel::send(&control, &plan, &handles);
    // It has forked.
    child.wait().map_err(failed)?;
    sent.map_err(failed)?;
    match channel::receive::<KeepReport>(&control).map_err(failed)? {
        Some((KeepReport::Started, _)) => Ok(()),
        Some((KeepReport::Refused(refusal), _)) => Err(refusal.into()),
        None => Err(ProcessError::failed("starting the keeper", "it ended without a report")),
    }
}

/// A kept process, from its folder.
fn open(folder: &Path) -> io::Result<Arc<SupervisedProcess>> {
    let about = record::about(folder)?;
    let shared = Arc::new(Shared::default());
    let follow = || {
        let stream = record::connect(folder)?;
        channel::send(&stream, &KeeperRequest::Follow, &[])?;
        let link = stream.try_clone()?;
        follow::receive(stream, shared.clone())?;
        io::Result::Ok(link)
    };
    let known = record::ended(folder);
    let link = if known.is_some() { None } else { follow().ok() };
    if link.is_none() {
        // Its keeper was killed before it could say how it ended, or the machine was restarted.
        let unknown = || Ended { status: ProcessStatus::Killed, at: SystemTime::now() };
        let ended = known.or_else(|| record::ended(folder)).unwrap_or_else(unknown);
        output_log::read(folder).iter().for_each(|(at, bytes)| shared.push_at(*at, bytes));
        shared.end(ended.status, ended.at);
    }
    Ok(SupervisedProcess::kept(
        about.id,
        about.name,
        about.note,
        (about.started, about.pid, about.is_terminal),
        about.confinement,
        KeeperLink::new(folder, link),
        shared,
    ))
}

/// The kept processes in `parent` whose ids are not known yet. The oldest of those that have ended are
/// removed, if there are many.
pub(in crate::supervisor) fn adopt(
    parent: &Path,
    is_known: impl Fn(&str) -> bool,
) -> Vec<Arc<SupervisedProcess>> {
    let mut adopted = Vec::new();
    for folder in record::folders(parent) {
        let id = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if is_known(id) {
            continue;
        }
        match open(&folder) {
            Ok(process) if process.id() == id => adopted.push(process),
            Ok(_) => tracing::warn!("{}: this is not the folder of its process", folder.display()),
            Err(error) => tracing::warn!("{}: {error}", folder.display()),
        }
    }
    adopted.sort_by_key(|process| process.started());
    let ended = adopted.iter().filter(|process| !process.is_running());
    let excess = ended.clone().count().saturating_sub(MAX_ENDED);
    let old: Vec<_> = ended.take(excess).map(|process| process.id().to_owned()).collect();
    for id in &old {
        let _ = fs::remove_dir_all(parent.join(id));
    }
    adopted.retain(|process| !old.iter().any(|id| id == process.id()));
    adopted
}
