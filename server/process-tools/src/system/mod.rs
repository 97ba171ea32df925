//! Tools about the machine that the server runs on, and what runs in the workspace.

mod calculate;
mod get_datetime;
mod get_system_info;
mod workspace_overview;

use std::sync::OnceLock;

use jiff::tz::TimeZone;

use tools::Entry;

/// The machine's time zone, read at the first call: when a session starts, because the sandboxed threads of
/// tools cannot read `/etc/localtime`.
pub(crate) fn time_zone() -> TimeZone {
    static ZONE: OnceLock<TimeZone> = OnceLock::new();
    ZONE.get_or_init(TimeZone::system).clone()
}

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<get_datetime::GetDatetime>(),
        Entry::new::<get_system_info::GetSystemInfo>(),
        Entry::new::<calculate::Calculate>(),
        Entry::new::<workspace_overview::WorkspaceOverview>(),
    ]
}
