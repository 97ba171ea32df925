//! What agents remember across sessions: facts, with the code that they are about.
//!
//! A memory is a file ([`store`]), so that people can read, merge and delete it. What is served has been
//! compared with the code just before ([`recall`], [`evidence`]); the index is only a cache.

mod evidence;
mod fact;
mod index;
mod memory_context;
mod memory_forget;
mod memory_recall;
mod memory_remember;
mod recall;
mod store;

use std::any::TypeId;

use self::index::MemoryIndex;
use tools::{Entry, session::FamilyStates};

/// Adds the state of these tools.
pub(super) fn states(states: &mut FamilyStates) {
    states.insert(TypeId::of::<MemoryIndex>(), Box::<MemoryIndex>::default());
}

/// The tools, in listing order.
pub(super) fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<memory_remember::MemoryRemember>(),
        Entry::new::<memory_recall::MemoryRecall>(),
        Entry::new::<memory_context::MemoryContext>(),
        Entry::new::<memory_forget::MemoryForget>(),
    ]
}
