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
mod launch_variables;
mod other_breakpoints;
mod parameter_defaults;
pub(crate) mod process;
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

use workspace::Snapshot;

use crate::session::{FamilyState, FamilyStates};
use crate::{Entry, Session};
pub use redaction::{shown_text, shown_value};
pub(crate) use sessions::Debugging;
pub use take_over::take_over_session;

/// Adds the family's state.
pub(crate) fn states(snapshot: &Snapshot, states: &mut FamilyStates) {
    states.insert(TypeId::of::<Debugging>(), Box::new(Debugging::new(snapshot)));
}

impl FamilyState for Debugging {
    fn stop(&self) {
        self.debugger.stop();
    }
}

impl Session {
    /// The debugger: sessions, breakpoints and events.
    #[must_use]
    pub fn debugger(&self) -> &::debug::Debugger {
        &self.family::<Debugging>().debugger
    }
}

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
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
