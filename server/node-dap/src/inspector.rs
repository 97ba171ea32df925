//! Commands to a Node process and its worker threads.

use std::collections::HashMap;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use cdp::{Connection, Stop, Transport, Waiting};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::work::Work;

/// How long a command may take. Evaluated code has a limit of its own.
const CALL_TIMEOUT: Duration = Duration::from_secs(30);
/// How often a wait for a worker checks whether it should end.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// The connection to one Node process. A worker thread is reached through it.
#[derive(Clone)]
pub(crate) struct Inspector {
    connection: Connection,
    workers: Arc<WorkerCalls>,
    /// Set when the client wants to end: no call goes on then.
    interrupt: Arc<AtomicBool>,
}

#[derive(Default)]
struct WorkerCalls {
    last: AtomicU64,
    pending: Mutex<HashMap<u64, SyncSender<Result<Value, String>>>>,
}

struct Patience<'a> {
    deadline: Instant,
    interrupt: &'a AtomicBool,
}

impl Waiting for Patience<'_> {
    fn check(&self) -> Result<(), Stop> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Stop::Cancelled);
        }
        if Instant::now() > self.deadline { Err(Stop::Timeout) } else { Ok(()) }
    }
}

impl Inspector {
    /// Connects to the inspector at a `ws:` URL; its events go into the queue.
    pub(crate) fn connect(
        url: &str,
        work: Sender<Work>,
        interrupt: Arc<AtomicBool>,
    ) -> Result<Self, String> {
        let address = url.strip_prefix("ws://").and_then(|rest| rest.split('/').next());
        let address = address.ok_or_else(|| format!("`{url:.200}` is no inspector's address"))?;
        let failed = |error: &dyn std::fmt::Display| {
            format!("the inspector at {address} cannot be reached: {error}")
        };
        let stream = TcpStream::connect(address).map_err(|error| failed(&error))?;
        let transport = Transport::web_socket(url, stream).map_err(|error| failed(&error))?;
        let workers = Arc::new(WorkerCalls::default());
        let for_events = workers.clone();
        let connection = Connection::start(transport, move |_, event| {
            let item = match event {
                Some(event) if event.method == "NodeWorker.receivedMessageFromWorker" => {
                    match for_events.receive(event.params) {
                        Some(item) => item,
                        None => return,
                    }
                }
                Some(event) => {
                    Work::Event { worker: None, method: event.method, params: event.params }
                }
                None => {
                    for_events.pending.lock().clear();
                    Work::Disconnected
                }
            };
            // The session may have ended.
            let _ = work.send(item);
        });
        let connection = connection.map_err(|error| failed(&error))?;
        Ok(Self { connection, workers, interrupt })
    }

    /// Sends a command to the process, or to a worker, and waits for its result.
    pub(crate) fn call(
        &self,
        worker: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<Value, String> {
        let patience =
            Patience { deadline: Instant::now() + CALL_TIMEOUT, interrupt: &self.interrupt };
        let Some(worker) = worker else {
            return self
                .connection
                .call(None, method, params, &patience)
                .map_err(|error| error.to_string());
        };
        let (sender, result) = sync_channel(1);
        let id = self.workers.last.fetch_add(1, Ordering::Relaxed) + 1;
        self.workers.pending.lock().insert(id, sender);
        self.send_to_worker(worker, id, method, params);
        loop {
            match result.recv_timeout(CHECK_INTERVAL) {
                Ok(result) => return result.map_err(|why| format!("{method}: {why}")),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(format!("{method}: the worker has ended"));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(stop) = patience.check() {
                        self.workers.pending.lock().remove(&id);
                        return Err(format!("{method}: {stop}"));
                    }
                }
            }
        }
    }

    /// Sends a command whose result nobody needs.
    pub(crate) fn notify(&self, worker: Option<&str>, method: &str, params: Value) {
        match worker {
            None => self.connection.notify(None, method, params),
            Some(worker) => {
                let id = self.workers.last.fetch_add(1, Ordering::Relaxed) + 1;
                self.send_to_worker(worker, id, method, params);
            }
        }
    }

    fn send_to_worker(&self, worker: &str, id: u64, method: &str, params: Value) {
        let message = json!({ "id": id, "method": method, "params": params }).to_string();
        let params = json!({ "sessionId": worker, "message": message });
        self.connection.notify(None, "NodeWorker.sendMessageToWorker", params);
    }

    /// Ends the calls that wait for a worker, which has ended.
    pub(crate) fn forget_workers(&self) {
        self.workers.pending.lock().clear();
    }

    pub(crate) fn close(&self) {
        self.connection.close();
    }
}

impl WorkerCalls {
    /// A worker's message: the result of a call, or an event.
    fn receive(&self, params: Value) -> Option<Work> {
        let worker = params["sessionId"].as_str()?.to_owned();
        let mut message: Value = serde_json::from_str(params["message"].as_str()?).ok()?;
        if let Some(id) = message["id"].as_u64() {
            let sender = self.pending.lock().remove(&id)?;
            let result = match message["error"]["message"].as_str() {
                Some(why) => Err(why.to_owned()),
                None => Ok(message["result"].take()),
            };
            let _ = sender.send(result);
            return None;
        }
        let method = message["method"].as_str()?.to_owned();
        Some(Work::Event { worker: Some(worker), method, params: message["params"].take() })
    }
}
