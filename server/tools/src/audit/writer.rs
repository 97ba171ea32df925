//! Writes the audit log on a thread of its own, so calls do not wait for the disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use workspace::{Root, state_folder};

use super::store::{AuditError, Phase, Row, Store};

enum Message {
    Row(Row),
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
const QUEUE: usize = 1_024;
/// How long rows are collected for one transaction: what `kill -9` can lose of reading calls.
const GATHER: Duration = Duration::from_millis(50);
/// Limit for the rows of one transaction.
const BATCH: usize = 500;
/// Interval between attempts to write a failed log, and how many rows wait for it.
const RETRY: Duration = Duration::from_secs(2);
const MOST_WAITING: usize = 2_000;
/// How long a call waits for its first row to be written.
const FLUSH: Duration = Duration::from_secs(3);
/// Attempts when the process ends.
const LAST_TRIES: usize = 3;
/// How many rows are written between two checks of the retention limits.
const PRUNE_AFTER: usize = 2_000;

impl Writer {
    pub(super) fn new(roots: Arc<[Arc<Root>]>) -> Self {
        let (sender, receiver) = sync_channel(QUEUE);
        let lost = Arc::new(AtomicU64::new(0));
        let mut work = Work {
            roots,
            store: None,
            waiting: Vec::new(),
            lost: lost.clone(),
            tried: None,
            since_prune: PRUNE_AFTER,
        };
        let thread = std::thread::Builder::new()
            .name("audit".to_owned())
            .spawn(move || work.run(&receiver))
            .inspect_err(|e| tracing::error!("calls are not recorded: {e}"))
            .ok();
        Self { sender: Some(sender), thread, lost }
    }

    /// Queues a row. Waits only if the queue is full.
    pub(super) fn write(&self, row: Row) {
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
        wait.recv_timeout(FLUSH).unwrap_or_else(|_| {
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

struct Work {
    roots: Arc<[Arc<Root>]>,
    store: Option<Store>,
    waiting: Vec<Row>,
    lost: Arc<AtomicU64>,
    /// Time of the last failure.
    tried: Option<Instant>,
    since_prune: usize,
}

impl Work {
    fn run(&mut self, receiver: &Receiver<Message>) {
        loop {
            let first = if self.waiting.is_empty() {
                receiver.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                receiver.recv_timeout(RETRY)
            };
            let (ended, flushes) = self.gather(receiver, first);
            let written = self.write(ended || !flushes.is_empty());
            for flush in flushes {
                let _ = flush.send(written.clone());
            }
            if ended {
                for _ in 0..LAST_TRIES {
                    if self.waiting.is_empty() {
                        return;
                    }
                    std::thread::sleep(GATHER);
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
        let until = Instant::now() + GATHER;
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
            let patience = match flushes.is_empty() && self.waiting.len() < BATCH {
                true => until.saturating_duration_since(Instant::now()),
                false => return (false, flushes),
            };
            next = receiver.recv_timeout(patience);
        }
    }

    /// Writes the queue; rows that cannot be written stay.
    fn write(&mut self, now: bool) -> Result<(), String> {
        let is_early = self.tried.is_some_and(|tried| tried.elapsed() < RETRY);
        if self.waiting.is_empty() || (is_early && !now) {
            return Ok(());
        }
        match self.append() {
            Ok(()) => {
                self.tried = None;
                Ok(())
            }
            Err(error) => {
                if self.tried.replace(Instant::now()).is_none() {
                    tracing::error!("{error}; calls continue and are recorded later");
                }
                // The newest rows matter most.
                let over = self.waiting.len().saturating_sub(MOST_WAITING);
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
            self.waiting.insert(0, gap(lost));
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
        if self.since_prune >= PRUNE_AFTER {
            self.since_prune = 0;
            if let Err(error) = store.prune(Timestamp::now().as_microsecond()) {
                tracing::warn!("{error}");
            }
        }
        Ok(())
    }
}

/// A row that records the number of lost calls.
fn gap(lost: u64) -> Row {
    let time = Timestamp::now().as_microsecond();
    Row {
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
