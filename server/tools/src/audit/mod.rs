//! The record of every call: who asked for what, what was decided, and how it ended.
//!
//! A call that does more than look is on record before it runs; every call is when it is over. The
//! record lies outside the workspace, readable by its owner only, without the secrets that can be
//! told. It is evidence, not a gate: where it cannot be written, that is said in the log, by
//! `tandem doctor` and, later, in the record itself, and calls go on.

mod activity;
mod condense;
mod get_audit_log;
mod log;
mod record;
mod redact;
mod store;
mod verify;
mod writer;

use std::sync::Arc;
use std::sync::OnceLock;

use workspace::{Root, Snapshot};

pub use self::activity::{Activity, Progress, recent};
pub(crate) use self::get_audit_log::GetAuditLog;
pub use self::log::{AuditLog, Call, Filter as AuditFilter};
pub(crate) use self::record::{Digested, Record};
pub(crate) use self::redact::{REDACTED, is_secret_name, redact};
pub use self::store::AuditError;
pub use self::verify::Verified;
use self::writer::Writer;

/// The record of one workspace, as one process adds to it.
pub struct Audit {
    roots: Arc<[Arc<Root>]>,
    front_end: OnceLock<&'static str>,
    writer: OnceLock<Writer>,
    watcher: OnceLock<Watch>,
}

/// Told of every call, when it is known what it is to do and when it is over.
type Watch = Box<dyn Fn(Activity) + Send + Sync>;

impl Audit {
    /// The record of the workspace that `snapshot` is of. Nothing is opened before the first call.
    #[must_use]
    pub fn of(snapshot: &Snapshot) -> Self {
        let roots = snapshot.roots().into();
        Self {
            roots,
            front_end: OnceLock::new(),
            writer: OnceLock::new(),
            watcher: OnceLock::new(),
        }
    }

    /// Says through which front end the calls come; the first word counts.
    pub fn set_front_end(&self, name: &'static str) {
        let _ = self.front_end.set(name);
    }

    /// Has `watch` told of every call, on the call's thread; the first one counts.
    pub fn watch(&self, watch: impl Fn(Activity) + Send + Sync + 'static) {
        let _ = self.watcher.set(Box::new(watch));
    }

    /// Waits, a few seconds at most, until all calls so far are on record, or cannot be.
    pub fn flush(&self) {
        if let Some(writer) = self.writer.get() {
            let _ = writer.flush();
        }
    }

    /// Calls that could not be put on record.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.writer.get().map_or(0, Writer::lost)
    }

    fn writer(&self) -> &Writer {
        self.writer.get_or_init(|| Writer::new(self.roots.clone()))
    }
}
