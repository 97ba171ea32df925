//! Each open connection has a thread of its own. The call's thread waits for it, and ends it: when the call is
//! cancelled, when its time is up, and when the next page of a query is not fetched.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::engine::{Canceller, Engine, Rows};
use crate::failure::Failure;
use crate::limits::{CELL_BYTES, IDLE_CURSOR, POLL};
use crate::source::Source;
use crate::value::{Column, distinct_names, shortened};
use crate::wire::Stop;

/// What the call's thread wants.
pub(crate) enum Ask {
    /// Rows.
    Page(PageLimits),
    Commit,
    Rollback,
}

/// How large a page is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageLimits {
    pub(crate) rows: usize,
    pub(crate) bytes: usize,
}

/// What the connection's thread answers.
pub(crate) enum Reply<T> {
    Value(T),
    Failed(Failure),
}

/// Rows of a result.
#[derive(Debug, Clone, Default)]
pub(crate) struct Page {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Map<String, Value>>,
    /// Whether the statement has more.
    pub(crate) has_more: bool,
}

/// A connection and its thread, which answers with `T`s.
pub(crate) struct Worker<T> {
    asks: Sender<Ask>,
    replies: Receiver<Reply<T>>,
    ending: Arc<Ending>,
    timeout: Duration,
}

/// How a connection's thread is ended.
#[derive(Default)]
struct Ending {
    stop: Stop,
    canceller: Mutex<Option<Box<dyn Canceller>>>,
}

impl Ending {
    fn end(&self) {
        self.stop.set();
        if let Some(canceller) = self.canceller.lock().take() {
            canceller.cancel();
        }
    }
}

/// The connection thread's side.
pub(crate) struct Caller<T> {
    pub(crate) asks: Receiver<Ask>,
    replies: Sender<Reply<T>>,
}

impl<T> Caller<T> {
    pub(crate) fn reply(&self, value: T) {
        // Nobody waits if the call has ended.
        let _ = self.replies.send(Reply::Value(value));
    }

    /// What is wanted next; `None` if nobody wants anything any more.
    pub(crate) fn next_ask(&self, limit: Duration) -> Option<Ask> {
        self.asks.recv_timeout(limit).ok()
    }
}

impl<T: Send + 'static> Worker<T> {
    /// Opens a connection and works on it. A thread inherits the Landlock ruleset of the thread that starts it.
    pub(crate) fn start(
        source: Source,
        writes: bool,
        timeout: Duration,
        work: impl FnOnce(&mut dyn Engine, &Caller<T>) -> Result<(), Failure> + Send + 'static,
    ) -> Result<Self, Failure> {
        let (asks, wanted) = channel();
        let (sender, replies) = channel();
        let ending = Arc::new(Ending::default());
        let own = ending.clone();
        let run = move || {
            let caller = Caller { asks: wanted, replies: sender };
            let done = source.open(writes, timeout, &own.stop).and_then(|mut engine| {
                *own.canceller.lock() = Some(engine.canceller());
                if own.stop.is_set() {
                    return Err(Failure::Cancelled);
                }
                let done = work(&mut *engine, &caller);
                own.canceller.lock().take();
                done
            });
            if let Err(failure) = done {
                let _ = caller.replies.send(Reply::Failed(failure));
            }
        };
        std::thread::Builder::new()
            .name("database".to_owned())
            .spawn(run)
            .map_err(|error| Failure::Connect(format!("no thread for the connection: {error}")))?;
        Ok(Self { asks, replies, ending, timeout })
    }

    /// Wants something.
    pub(crate) fn ask(&self, ask: Ask) {
        // A thread that has ended has replied why.
        let _ = self.asks.send(ask);
    }

    /// Waits for the answer.
    pub(crate) fn wait(&self, interrupt: &AtomicBool) -> Result<T, Failure> {
        let end = Instant::now() + self.timeout;
        let timeout = || Failure::Timeout(self.timeout.as_millis());
        loop {
            match self.replies.recv_timeout(POLL) {
                Ok(Reply::Value(value)) => return Ok(value),
                // The server's own time limit.
                Ok(Reply::Failed(Failure::Cancelled)) => return Err(timeout()),
                Ok(Reply::Failed(failure)) => return Err(failure),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::Protocol("the connection has ended".to_owned()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if interrupt.load(Ordering::Relaxed) {
                self.ending.end();
                return Err(Failure::Cancelled);
            }
            if Instant::now() >= end {
                self.ending.end();
                return Err(timeout());
            }
        }
    }
}

impl<T> Drop for Worker<T> {
    fn drop(&mut self) {
        // A query whose rows nobody reads any more must not go on at the server.
        self.ending.end();
    }
}

/// Works on a connection and returns what comes of it.
pub(crate) fn with_engine<T: Send + 'static>(
    source: Source,
    timeout: Duration,
    interrupt: &AtomicBool,
    work: impl FnOnce(&mut dyn Engine) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let worker = Worker::start(source, false, timeout, move |engine, caller| {
        caller.reply(work(engine)?);
        Ok(())
    })?;
    worker.wait(interrupt)
}

/// Cuts the rows of a statement into pages, each of which waits until it is wanted.
pub(crate) struct Pager<'a> {
    caller: &'a Caller<Page>,
    limits: PageLimits,
    page: Page,
    bytes: usize,
}

impl<'a> Pager<'a> {
    /// A pager whose first page is wanted now.
    pub(crate) fn new(caller: &'a Caller<Page>, limits: PageLimits) -> Self {
        Self { caller, limits, page: Page::default(), bytes: 0 }
    }

    /// Sends the last page.
    pub(crate) fn finish(self) {
        self.caller.reply(self.page);
    }
}

impl Rows for Pager<'_> {
    fn columns(&mut self, mut columns: Vec<Column>) -> Result<(), Failure> {
        distinct_names(&mut columns);
        self.page.columns = columns;
        Ok(())
    }

    fn row(&mut self, row: Vec<Value>) -> Result<ControlFlow<()>, Failure> {
        let names = self.page.columns.iter().map(|column| column.name.clone());
        let values = row.into_iter().map(|value| shortened(value, CELL_BYTES));
        let row: Map<String, Value> = names.zip(values).collect();
        let size = serde_json::to_string(&row).map_or(0, |text| text.len());
        let is_full = self.page.rows.len() >= self.limits.rows
            || (!self.page.rows.is_empty() && self.bytes + size > self.limits.bytes);
        if is_full {
            let next = Page { columns: self.page.columns.clone(), ..Page::default() };
            let mut full = std::mem::replace(&mut self.page, next);
            full.has_more = true;
            self.caller.reply(full);
            match self.caller.next_ask(IDLE_CURSOR) {
                Some(Ask::Page(limits)) => self.limits = limits,
                _ => return Ok(ControlFlow::Break(())),
            }
            self.bytes = 0;
        }
        self.bytes += size;
        self.page.rows.push(row);
        Ok(ControlFlow::Continue(()))
    }
}
