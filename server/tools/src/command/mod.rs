//! Running programs, in walls of their own.

pub(crate) mod guarded;
mod output;
pub(crate) mod overlap;
mod run_command;
pub(crate) mod sandbox;
mod teller;

use std::any::TypeId;

use crate::Entry;
use crate::session::{FamilyState, FamilyStates};
pub(crate) use output::Output as Said;
pub(crate) use sandbox::refused;
pub(crate) use teller::Teller;

/// Adds the family's state.
pub(crate) fn states(states: &mut FamilyStates) {
    states.insert(TypeId::of::<overlap::Overlap>(), Box::<overlap::Overlap>::default());
}

impl FamilyState for overlap::Overlap {}

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![Entry::new::<run_command::RunCommand>()]
}
