//! Tools for programs that run longer than a call, one file a tool; and for the machine's processes.

mod display;
mod kept;
mod keys;
mod kill_process;
mod list_processes;
mod process_input;
mod process_kill;
mod process_list;
mod process_output;
mod process_start;
mod process_stop;
mod readiness;
mod session_processes;
mod signals;
mod status;

use std::any::TypeId;

pub use display::Page as OutputPage;
pub use kept::{KEPT_FOLDER, Note as KeptNote};
use session_processes::Processes;
pub use session_processes::supervisor;
pub use status::Status as ProcessState;
use tools::{
    Context, Entry,
    session::{FamilyState, FamilyStates},
};

/// Adds the family's state.
pub(crate) fn states(states: &mut FamilyStates) {
    states.insert(TypeId::of::<Processes>(), Box::<Processes>::default());
}

impl FamilyState for Processes {
    fn stop(&self) {
        self.supervisor.stop();
    }
}

/// The number of processes that run.
pub(crate) fn running(context: &Context<'_>) -> usize {
    let processes = session_processes::processes(context).supervisor.processes();
    processes.into_iter().filter(|process| process.is_running()).count()
}

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<process_start::ProcessStart>(),
        Entry::new::<process_output::ProcessOutput>(),
        Entry::new::<process_input::ProcessInput>(),
        Entry::new::<process_stop::ProcessStop>(),
        Entry::new::<process_kill::ProcessKill>(),
        Entry::new::<process_list::ProcessList>(),
        Entry::new::<list_processes::ListProcesses>(),
        Entry::new::<kill_process::KillProcess>(),
    ]
}
