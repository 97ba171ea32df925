//! The audit log: every call with its arguments, decision and outcome.
//!
//! A call with effects beyond reading is recorded before it runs, and every call when it ends. The
//! log is stored outside the workspace, readable by its owner only, with recognisable secrets
//! removed. It is evidence, not a gate: if it cannot be written, calls continue (except those that
//! run programs), and the failure is logged, reported by `tandem doctor` and recorded later.

mod activity;
mod condense;
mod feed;
mod log;
mod record;
mod redact;
mod store;
mod verify;
mod writer;

use std::sync::Arc;
use std::sync::OnceLock;

use serde_json::Value;
use workspace::{Root, Snapshot};

pub use self::activity::{Activity, Progress, recent};
pub use self::feed::{Feed, Follower};
pub use self::log::{AuditLog, Call, Filter as AuditFilter};
pub(crate) use self::record::{Digested, Record};
pub use self::redact::{REDACTED, is_secret_name, redact};
pub use self::store::AuditError;
pub use self::verify::Verified;
use self::writer::Writer;
use crate::tool_names::ToolNames;

/// The audit log of one workspace, opened for writing by this process.
pub struct Audit {
    roots: Arc<[Arc<Root>]>,
    names: Arc<ToolNames>,
    front_end: OnceLock<&'static str>,
    writer: OnceLock<Writer>,
    activities: Arc<Feed<Activity>>,
    entries: Arc<Feed<Value>>,
}

impl Audit {
    /// The audit log for the workspace of `snapshot`. Opened at the first call.
    pub(crate) fn new(snapshot: &Snapshot, names: Arc<ToolNames>) -> Self {
        let roots = snapshot.roots().into();
        Self {
            roots,
            names,
            front_end: OnceLock::new(),
            writer: OnceLock::new(),
            activities: Arc::default(),
            entries: Arc::default(),
        }
    }

    /// Sets the front end of this process; only the first call counts.
    pub fn set_front_end(&self, name: &'static str) {
        let _ = self.front_end.set(name);
    }

    /// The front end of the session's own calls; empty if none was set.
    #[must_use]
    pub fn front_end(&self) -> &'static str {
        self.front_end.get().copied().unwrap_or_default()
    }

    /// Every call, when its effects are known and when it ends.
    #[must_use]
    pub fn activities(&self) -> &Arc<Feed<Activity>> {
        &self.activities
    }

    /// The entries of the audit log as they are made: a [`Call`] each, with the id of its activity,
    /// because it has none in the log yet.
    #[must_use]
    pub fn entries(&self) -> &Arc<Feed<Value>> {
        &self.entries
    }

    /// Waits a few seconds at most until all calls so far are recorded, or cannot be.
    pub fn flush(&self) {
        if let Some(writer) = self.writer.get() {
            let _ = writer.flush();
        }
    }

    /// Number of calls that could not be recorded.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.writer.get().map_or(0, Writer::lost)
    }

    fn writer(&self) -> &Writer {
        self.writer.get_or_init(|| Writer::new(self.roots.clone()))
    }
}
