//! What agents record about their work: events, notes, thoughts and memories.

mod daily_log;
mod memory;
mod metrics_query;
mod metrics_record;
mod note;
mod notes;
mod percentiles;
mod think;

pub use self::daily_log::{DailyLog, LogPage};

use crate::Entry;
use crate::session::FamilyStates;

/// Adds the states of this family of tools.
pub(crate) fn states(states: &mut FamilyStates) {
    memory::states(states);
}

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    let mut tools = vec![
        Entry::new::<note::Note>(),
        Entry::new::<think::Think>(),
        Entry::new::<notes::Notes>(),
        Entry::new::<metrics_record::MetricsRecord>(),
        Entry::new::<metrics_query::MetricsQuery>(),
    ];
    tools.extend(memory::tools());
    tools
}
