//! What agents record about their work: events, notes and thoughts.

mod daily_log;
mod metrics_query;
mod metrics_record;
mod note;
mod notes;
mod percentiles;
mod think;

use crate::Entry;

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<note::Note>(),
        Entry::new::<think::Think>(),
        Entry::new::<notes::Notes>(),
        Entry::new::<metrics_record::MetricsRecord>(),
        Entry::new::<metrics_query::MetricsQuery>(),
    ]
}
