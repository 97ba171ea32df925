//! What kept runs add to an overview of the workspace.

use jiff::Timestamp;
use tools::{FamilyState, Overview, OverviewPeriod, ToolError};
use workspace::Snapshot;

use super::{History, Record, RunStatus};
use crate::kinds::Check;

/// Counts the kept builds and test runs.
pub(crate) struct RunFigures;

impl FamilyState for RunFigures {
    fn add_figures(
        &self,
        snapshot: &Snapshot,
        period: OverviewPeriod,
        overview: &mut Overview,
    ) -> Result<(), ToolError> {
        let history = History::of(snapshot, period.tool)?;
        let records = history.ids().into_iter().filter_map(|id| history.record(id));
        let is_counted = |record: &Record| {
            let began = record.started_at.parse::<Timestamp>();
            matches!(record.check, Check::Build | Check::Test)
                && record.status != RunStatus::Cancelled
                && began.is_ok_and(|began| began >= period.since)
        };
        for record in records.filter(is_counted) {
            match record.status {
                RunStatus::Passed => overview.builds.passed += 1,
                _ => overview.builds.failed += 1,
            }
            overview.builds.duration_ms += record.duration_ms;
        }
        Ok(())
    }
}
