//! Debugging tools, one file a tool, over debug adapters.

mod adapters;
mod breakpoint_location;
mod breakpoint_output;
mod build;
mod configuration;
mod debug_attach;
mod debug_breakpoint;
mod debug_configurations;
mod debug_disassemble;
mod debug_evaluate;
mod debug_launch;
mod debug_memory;
mod debug_output;
mod debug_pause;
mod debug_restart;
mod debug_sessions;
mod debug_set_variable;
mod debug_stack;
mod debug_step;
mod debug_stop;
mod debug_threads;
mod debug_variables;
mod display;
mod failure;
mod file_texts;
mod launch_variables;
mod other_breakpoints;
mod parameter_defaults;
mod program;
mod program_texts;
mod project;
mod redaction;
mod report;
mod saved_line;
mod sessions;
mod starting;
mod stored_breakpoints;
mod take_over;

use std::any::TypeId;

use ::debug::Debugger;
use workspace::Snapshot;

use adapters::UserAdapters;
use program_texts::ProgramTexts;
pub use redaction::{shown_text, shown_value};
use sessions::Debugging;
use stored_breakpoints::StoredBreakpoints;
pub use take_over::take_over_session;
use tools::{
    Entry, Family, Session,
    session::{FamilyState, FamilyStates},
};

fn states(snapshot: &Snapshot, states: &mut FamilyStates) {
    let debugging = Debugging::default();
    let stored = StoredBreakpoints::load(snapshot, debugging.breakpoints());
    states.insert(TypeId::of::<Debugging>(), Box::new(debugging));
    states.insert(TypeId::of::<StoredBreakpoints>(), Box::new(stored));
    states.insert(TypeId::of::<ProgramTexts>(), Box::<ProgramTexts>::default());
    states.insert(TypeId::of::<UserAdapters>(), Box::new(UserAdapters::read(snapshot)));
}

impl FamilyState for Debugging {
    fn stop(&self) {
        self.debugger.stop();
    }

    fn is_bound_to_process(&self) -> bool {
        self.debugger.is_debugging()
    }
}

/// The debugger of `session`: its debug sessions, breakpoints and events.
#[must_use]
pub fn debugger(session: &Session) -> &Debugger {
    &session.family::<Debugging>().debugger
}

/// The family.
#[must_use]
pub fn family() -> Family {
    Family { feature: None, tools, states }
}

/// The family's tools, in listing order.
fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<debug_launch::DebugLaunch>(),
        Entry::new::<debug_configurations::DebugConfigurations>(),
        Entry::new::<debug_attach::DebugAttach>(),
        Entry::new::<debug_breakpoint::DebugBreakpoint>(),
        Entry::new::<debug_step::DebugStep>(),
        Entry::new::<debug_pause::DebugPause>(),
        Entry::new::<debug_stack::DebugStack>(),
        Entry::new::<debug_variables::DebugVariables>(),
        Entry::new::<debug_evaluate::DebugEvaluate>(),
        Entry::new::<debug_disassemble::DebugDisassemble>(),
        Entry::new::<debug_memory::DebugMemory>(),
        Entry::new::<debug_set_variable::DebugSetVariable>(),
        Entry::new::<debug_threads::DebugThreads>(),
        Entry::new::<debug_output::DebugOutput>(),
        Entry::new::<debug_sessions::DebugSessions>(),
        Entry::new::<debug_stop::DebugStop>(),
        Entry::new::<debug_restart::DebugRestart>(),
    ]
}
