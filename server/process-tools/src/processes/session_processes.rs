//! The processes of a session, and what their calls asked for.

use std::sync::Arc;

use parking_lot::Mutex;
use process::{SupervisedProcess, Supervisor};

use super::kept::{Note, kept_folder};
use tools::{
    Code, Command, Context, ToolError,
    command::guarded::{Before, Created},
};

/// The processes of a session.
#[derive(Default)]
pub(crate) struct Processes {
    pub(super) supervisor: Arc<Supervisor>,
    started: Mutex<Vec<Started>>,
}

/// How a process was started.
struct Started {
    id: String,
    command: Command,
    argv: Vec<String>,
    /// The guarded places before the start, until its changes are settled.
    before: Option<Before>,
}

impl Processes {
    /// Remembers how a process was started; `before` if it runs in the sandbox.
    pub(super) fn record_start(
        &self,
        id: &str,
        argv: Vec<String>,
        command: Command,
        before: Option<Before>,
    ) {
        let mut started = self.started.lock();
        let known = self.supervisor.processes();
        started.retain(|one| {
            one.before.is_some() || known.iter().any(|process| process.id() == one.id)
        });
        started.push(Started { id: id.to_owned(), command, argv, before });
    }

    /// The command of a process.
    pub(super) fn command(&self, process: &SupervisedProcess) -> Option<Note> {
        let started = self.started.lock();
        let found = started.iter().find(|one| one.id == process.id());
        let ours = found.map(|one| Note {
            line: one.command.line.clone(),
            argv: one.argv.clone(),
            cwd: one.command.cwd.display_path(),
            workspace: None,
        });
        ours.or_else(|| Note::of(process))
    }

    /// Judges what processes created in guarded places: all of those that have ended, and what has
    /// come since the start of the one that runs longest.
    pub(super) fn settle(&self, context: &Context<'_>) -> Vec<Created> {
        let processes = self.supervisor.processes();
        let runs = |id: &str| processes.iter().any(|one| one.id() == id && one.is_running());
        let mut taken = Vec::new();
        let mut has_running = false;
        for started in self.started.lock().iter_mut() {
            let is_running = runs(&started.id);
            if is_running && std::mem::replace(&mut has_running, true) {
                continue;
            }
            let before = started.before.take();
            taken.extend(
                before.map(|before| {
                    (started.id.clone(), started.command.clone(), before, is_running)
                }),
            );
        }
        let mut created = Vec::new();
        for (id, command, before, is_running) in taken {
            if is_running {
                created.extend(before.settle_meanwhile(context, &command).created);
                let mut all = self.started.lock();
                if let Some(started) = all.iter_mut().find(|one| one.id == id) {
                    started.before = Some(before);
                }
            } else {
                created.extend(before.settle(context, &command).created);
            }
        }
        created
    }
}

/// The supervisor of the session's processes, and of those that are kept.
#[must_use]
pub fn supervisor(context: &Context<'_>) -> Arc<Supervisor> {
    adopt(context, "supervisor");
    processes(context).supervisor.clone()
}

/// Finds the kept processes that other servers have started.
pub(super) fn adopt(context: &Context<'_>, tool: &str) {
    // Without a state folder, none can be kept.
    if let Ok(folder) = kept_folder(context, tool) {
        processes(context).supervisor.adopt(&folder);
    }
}

/// The session's processes.
pub(super) fn processes<'c>(context: &'c Context<'_>) -> &'c Processes {
    context.session.family()
}

/// The process that a call names.
pub(super) fn find(
    context: &Context<'_>,
    tool: &str,
    id: &str,
) -> Result<Arc<SupervisedProcess>, ToolError> {
    let known = || processes(context).supervisor.find(id);
    let found = known().or_else(|| {
        adopt(context, tool);
        known()
    });
    found.ok_or_else(|| {
        let message = format!("{tool}: there is no process `{id:.100}`");
        ToolError::new(Code::NoMatch, message).hint("`process_list` lists them")
    })
}
