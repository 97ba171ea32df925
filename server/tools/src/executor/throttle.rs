//! Bounds how often the progress of a call is reported.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Least time between two reports.
const MIN_INTERVAL: Duration = Duration::from_millis(100);

/// Admits a report at most every 100 ms.
#[derive(Debug, Default)]
pub struct Throttle(Mutex<Option<Instant>>);

impl Throttle {
    /// Calls `report`, unless the last report was too recent. `report` says whether it was sent.
    pub fn admit(&self, report: impl FnOnce() -> bool) {
        let mut last = self.0.lock();
        if last.is_some_and(|last| last.elapsed() < MIN_INTERVAL) {
            return;
        }
        if report() {
            *last = Some(Instant::now());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sent_reports_count() {
        let throttle = Throttle::default();
        let mut sent = 0;
        throttle.admit(|| false);
        for _ in 0..100 {
            throttle.admit(|| {
                sent += 1;
                true
            });
        }
        assert_eq!(sent, 1);
        std::thread::sleep(MIN_INTERVAL);
        throttle.admit(|| {
            sent += 1;
            true
        });
        assert_eq!(sent, 2);
    }
}
