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

use tools::{Entry, Family, session::FamilyStates};
use workspace::Snapshot;

fn states(_: &Snapshot, states: &mut FamilyStates) {
    memory::states(states);
}

/// The family.
#[must_use]
pub fn family() -> Family {
    Family { feature: None, tools, states }
}

/// The family's tools, in listing order.
fn tools() -> Vec<Entry> {
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
