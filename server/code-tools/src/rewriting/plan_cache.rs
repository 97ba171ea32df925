//! The plan that a call made for its approval, kept until it runs: finding the matches is most of the
//! work.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::plan::Plan;

/// How long a plan is kept. Other programs may write files in which nothing matched before.
const MAX_AGE: Duration = Duration::from_secs(5);

/// The latest plan.
#[derive(Default)]
pub(super) struct PlanCache(Mutex<Option<Kept>>);

struct Kept {
    key: String,
    revision: u64,
    made: Instant,
    plan: Arc<Plan>,
}

impl PlanCache {
    /// Keeps the plan of a call with these parameters.
    pub(super) fn keep(&self, key: String, revision: u64, plan: &Arc<Plan>) {
        let kept = Kept { key, revision, made: Instant::now(), plan: plan.clone() };
        *self.0.lock() = Some(kept);
    }

    /// Takes the plan of a call with these parameters, if it still holds.
    pub(super) fn take(&self, key: &str, revision: u64) -> Option<Arc<Plan>> {
        let kept = self.0.lock().take()?;
        let holds = kept.key == key && kept.revision == revision && kept.made.elapsed() < MAX_AGE;
        holds.then_some(kept.plan)
    }
}
