//! Writes the audit log in a background thread, so calls do not wait for the disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use workspace::{Root, state_folder};

use super::store::{AuditError, AuditRow, Phase, Store};

enum Message {
    Row(AuditRow),
    /// Answered once everything before it has been written, or with the reason why it cannot be.
    Flush(SyncSender<Result<(), String>>),
}

/// The connection to the thread.
pub(super) struct Writer {
    sender: Option<SyncSender<Message>>,
    thread: Option<JoinHandle<()>>,
    lost: Arc<AtomicU64>,
}

/// Rows in the channel; when it is full, calls wait.
const QUEUE_ROWS: usize = 1_024;
/// How long rows are collected for one transaction: what `kill -9` can lose of reading calls.
const GATHER_TIME: Duration = Duration::from_millis(50);
/// Limit for the rows of one transaction.
const MAX_BATCH_ROWS: usize = 500;
/// Interval between attempts to write a failed log, and how many rows wait for it.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);
const MAX_WAITING_ROWS: usize = 2_000;
/// How long a call waits for its first row to be written.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);
/// Attempts when the process ends.
const FINAL_ATTEMPTS: usize = 3;
/// How many rows are written between two checks of the retention limits.
const PRUNE_INTERVAL_ROWS: usize = 2_000;

impl Writer {
    pub(super) fn new(roots: Arc<[Arc<Root>]>) -> Self {
        let (sender, receiver) = sync_channel(QUEUE_ROWS);
        let lost = Arc::new(AtomicU64::new(0));
        let mut work = WriterThread {
            roots,
            store: None,
            waiting: Vec::new(),
            lost: lost.clone(),
            last_failure: None,
            since_prune: PRUNE_INTERVAL_ROWS,
        };
        let thread = std::thread::Builder::new()
            .name("audit".to_owned())
            .spawn(move || work.run(&receiver))
            .inspect_err(|e| tracing::error!("calls are not recorded: {e}"))
            .ok();
        Self { sender: Some(sender), thread, lost }
    }

    /// Queues a row. Waits only if the queue is full.
    pub(super) fn write(&self, row: AuditRow) {
        let sent = self.sender.as_ref().is_some_and(|s| s.send(Message::Row(row)).is_ok());
        if !sent {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until all queued rows are written, or cannot be: then the reason.
    pub(super) fn flush(&self) -> Result<(), String> {
        let (done, wait) = sync_channel(1);
        let sent = self.sender.as_ref().is_some_and(|s| s.send(Message::Flush(done)).is_ok());
        if !sent {
            return Err("the thread that writes it is gone".to_owned());
        }
        wait.recv_timeout(FLUSH_TIMEOUT).unwrap_or_else(|_| {
            tracing::error!("the audit record is not written in time");
            Err("it is not written in time".to_owned())
        })
    }

    /// Number of rows that were given up.
    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct WriterThread {
    roots: Arc<[Arc<Root>]>,
    store: Option<Store>,
    waiting: Vec<AuditRow>,
    lost: Arc<AtomicU64>,
    /// Time of the last failure.
    last_failure: Option<Instant>,
    since_prune: usize,
}

impl WriterThread {
    fn run(&mut self, receiver: &Receiver<Message>) {
        loop {
            let first = if self.waiting.is_empty() {
                receiver.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                receiver.recv_timeout(RETRY_INTERVAL)
            };
            let (ended, flushes) = self.gather(receiver, first);
            let written = self.write(ended || !flushes.is_empty());
            for flush in flushes {
                let _ = flush.send(written.clone());
            }
            if ended {
                for _ in 0..FINAL_ATTEMPTS {
                    if self.waiting.is_empty() {
                        return;
                    }
                    std::thread::sleep(GATHER_TIME);
                    let _ = self.write(true);
                }
                let unwritten = self.waiting.len();
                if unwritten > 0 {
                    tracing::error!("{unwritten} calls could not be recorded");
                }
                return;
            }
        }
    }

    /// Receives until it is time to write: whether it was the last message, and the waiting
    /// flushes.
    fn gather(
        &mut self,
        receiver: &Receiver<Message>,
        first: Result<Message, RecvTimeoutError>,
    ) -> (bool, Vec<SyncSender<Result<(), String>>>) {
        let until = Instant::now() + GATHER_TIME;
        let mut flushes = Vec::new();
        let mut next = first;
        loop {
            match next {
                Ok(Message::Row(row)) => self.waiting.push(row),
                Ok(Message::Flush(done)) => flushes.push(done),
                Err(RecvTimeoutError::Timeout) => return (false, flushes),
                Err(RecvTimeoutError::Disconnected) => return (true, flushes),
            }
            // A waiting flush is not delayed to collect more.
            let timeout = match flushes.is_empty() && self.waiting.len() < MAX_BATCH_ROWS {
                true => until.saturating_duration_since(Instant::now()),
                false => return (false, flushes),
            };
            next = receiver.recv_timeout(timeout);
        }
    }

    /// Writes the queue; rows that cannot be written stay.
    fn write(&mut self, now: bool) -> Result<(), String> {
        let is_early =
            self.last_failure.is_some_and(|last_failure| last_failure.elapsed() < RETRY_INTERVAL);
        if self.waiting.is_empty() || (is_early && !now) {
            return Ok(());
        }
        match self.append() {
            Ok(()) => {
                self.last_failure = None;
                Ok(())
            }
            Err(error) => {
                if self.last_failure.replace(Instant::now()).is_none() {
                    tracing::error!("{error}; calls continue and are recorded later");
                }
                // The newest rows matter most.
                let over = self.waiting.len().saturating_sub(MAX_WAITING_ROWS);
                self.waiting.drain(..over);
                self.lost.fetch_add(over as u64, Ordering::Relaxed);
                Err(error.to_string())
            }
        }
    }

    fn append(&mut self) -> Result<(), AuditError> {
        let store = match &mut self.store {
            Some(store) => store,
            none => none.insert(Store::open(&state_folder(&self.roots)?)?),
        };
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            self.waiting.insert(0, lost_row(lost));
        }
        let written = store.append(&self.waiting);
        if let Err(error) = written {
            if lost > 0 {
                self.waiting.remove(0);
                self.lost.fetch_add(lost, Ordering::Relaxed);
            }
            // The file may have been deleted.
            self.store = None;
            return Err(error);
        }
        self.since_prune += self.waiting.len();
        self.waiting.clear();
        if self.since_prune >= PRUNE_INTERVAL_ROWS {
            self.since_prune = 0;
            if let Err(error) = store.prune(Timestamp::now().as_microsecond()) {
                tracing::warn!("{error}");
            }
        }
        Ok(())
    }
}

/// A row that records the number of lost calls.
fn lost_row(lost: u64) -> AuditRow {
    let time = Timestamp::now().as_microsecond();
    AuditRow {
        call: format!("lost-{}-{time}", std::process::id()),
        phase: Phase::Done,
        time,
        tool: "audit".to_owned(),
        outcome: "lost".to_owned(),
        body: serde_json::json!({
            "message": format!("{lost} rows could not be written and are lost"),
        })
        .to_string(),
    }
}
