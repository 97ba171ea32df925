//! One client with one Node process.
//!
//! The thread of a session gets everything in one queue: the client's requests, the inspector's events, the
//! program's end. `start` launches and attaches, `stops` decides what a pause is, `breakpoints` binds, `stack`
//! and `values` show what a paused thread holds.

mod breakpoints;
mod display;
mod requests;
mod stack;
mod start;
mod stops;
mod values;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::breakpoints::Breakpoints;
use self::stack::{PausedThread, Script, Texts};
use self::start::Config;
use self::values::Values;
use crate::Options;
use crate::inspector::Inspector;
use crate::launch::{Launched, ProcessPipe};
use crate::maps::{MapRoots, ScriptMap};
use crate::wire::{Client, ClientMessage};
use crate::work::Work;

/// The thread of the process itself; workers have the next numbers.
pub(crate) const MAIN_THREAD: i64 = 1;
/// How long a thread that waits for work may take to pause by itself.
const IDLE_PAUSE_TIMEOUT: Duration = Duration::from_millis(150);

/// A thread of the program.
pub(crate) struct Thread {
    pub(crate) name: String,
    pub(crate) worker: Option<String>,
    pub(crate) scripts: HashMap<String, Script>,
    pub(crate) paused: Option<PausedThread>,
    /// The step that runs, to go on with it where nothing should be shown.
    pub(crate) step: Option<Step>,
    /// Breakpoints that stand for a step.
    pub(crate) step_places: Vec<Value>,
    pub(crate) is_pause_requested: bool,
}

/// A step, and how often it was repeated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) method: &'static str,
    pub(crate) repeats: u32,
}

impl Thread {
    fn new(name: String, worker: Option<String>) -> Self {
        Self {
            name,
            worker,
            scripts: HashMap::new(),
            paused: None,
            step: None,
            step_places: Vec::new(),
            is_pause_requested: false,
        }
    }
}

pub(crate) struct Session {
    pub(crate) client: Arc<Client>,
    pub(crate) options: Options,
    work: Receiver<Work>,
    pub(crate) sender: Sender<Work>,
    /// Work that came while something else was waited for.
    backlog: VecDeque<Work>,
    pub(crate) interrupt: Arc<AtomicBool>,
    pub(crate) config: Config,
    pub(crate) client_features: ClientFeatures,
    pub(crate) roots: MapRoots,
    pub(crate) pipe: Option<ProcessPipe>,
    pub(crate) launched: Option<Launched>,
    /// The process of this session, if it was launched; 0 otherwise.
    pub(crate) main_pid: u32,
    pub(crate) main_url: String,
    pub(crate) inspector: Option<Inspector>,
    pub(crate) threads: BTreeMap<i64, Thread>,
    last_thread: i64,
    pub(crate) breakpoints: Breakpoints,
    pub(crate) exception_state: &'static str,
    /// Maps by the URL of their scripts.
    pub(crate) maps: HashMap<String, Arc<ScriptMap>>,
    pub(crate) values: Values,
    /// Texts that clients may ask for, by reference.
    pub(crate) texts: Texts,
    idle_pause: Option<(i64, Instant)>,
    is_terminated: bool,
    is_over: bool,
}

/// What the client can do.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ClientFeatures {
    pub(crate) runs_in_terminal: bool,
    pub(crate) starts_debugging: bool,
}

/// Serves one client until it has gone or has disconnected.
pub(crate) fn run(
    input: impl BufRead + Send + 'static,
    output: Box<dyn Write + Send>,
    options: &Options,
) {
    let (sender, work) = channel();
    let interrupt = Arc::new(AtomicBool::new(false));
    let (to_session, stops) = (sender.clone(), interrupt.clone());
    let reader = std::thread::Builder::new()
        .name("dap-reader".to_owned())
        .spawn(move || read_client(input, &to_session, &stops));
    if let Err(error) = reader {
        tracing::error!("no thread for the client: {error}");
        return;
    }
    let mut session = Session {
        client: Arc::new(Client::new(output)),
        options: options.clone(),
        work,
        sender,
        backlog: VecDeque::new(),
        interrupt,
        config: Config::default(),
        client_features: ClientFeatures::default(),
        roots: MapRoots::default(),
        pipe: None,
        launched: None,
        main_pid: 0,
        main_url: String::new(),
        inspector: None,
        threads: BTreeMap::new(),
        last_thread: MAIN_THREAD,
        breakpoints: Breakpoints::default(),
        exception_state: "none",
        maps: HashMap::new(),
        values: Values::default(),
        texts: Texts::default(),
        idle_pause: None,
        is_terminated: false,
        is_over: false,
    };
    session.serve();
}

fn read_client(mut input: impl BufRead, work: &Sender<Work>, interrupt: &AtomicBool) {
    loop {
        let body = match framing::read(&mut input) {
            Ok(Some(body)) => body,
            Ok(None) => break,
            Err(error) => {
                tracing::warn!("the client: {error}");
                break;
            }
        };
        let item = match serde_json::from_slice(&body) {
            Ok(ClientMessage::Request(request)) => {
                if matches!(request.command.as_str(), "disconnect" | "terminate") {
                    interrupt.store(true, Ordering::Relaxed);
                }
                Work::Request(request)
            }
            Ok(ClientMessage::Response(response)) => Work::Response(response),
            Err(error) => {
                tracing::warn!("the client sent a message that is none: {error}");
                continue;
            }
        };
        if work.send(item).is_err() {
            return;
        }
    }
    interrupt.store(true, Ordering::Relaxed);
    let _ = work.send(Work::ClientGone);
}

impl Session {
    fn serve(&mut self) {
        while !self.is_over {
            let item = match self.backlog.pop_front() {
                Some(item) => item,
                None => match self.next_item() {
                    Some(item) => item,
                    None => continue,
                },
            };
            self.handle(item);
        }
    }

    fn next_item(&mut self) -> Option<Work> {
        let Some((thread, deadline)) = self.idle_pause else {
            return self.work.recv().ok();
        };
        match self.work.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(item) => Some(item),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                self.idle_pause = None;
                self.wake_idle_thread(thread);
                None
            }
        }
    }

    fn handle(&mut self, item: Work) {
        match item {
            Work::Request(request) => self.request(&request),
            Work::Response(response) => {
                if !response.success {
                    tracing::debug!("the client refused: {:?}", response.message);
                }
            }
            Work::ClientGone => self.end(true),
            Work::Event { worker, method, params } => self.event(worker, &method, params),
            Work::Disconnected => {
                self.inspector = None;
                if self.launched.is_none() {
                    self.terminated();
                }
            }
            Work::Process(process) => self.child_process(&process),
            Work::Exited => {
                if let Some(mut launched) = self.launched.take() {
                    let code = launched.finish();
                    self.client.event("exited", json!({ "exitCode": code }));
                }
                self.terminated();
            }
        }
    }

    /// Waits for something else than the rest of the work. `Err` if the session must end instead.
    pub(crate) fn wait_for<T>(
        &mut self,
        limit: Duration,
        wanted: impl Fn(&Work) -> Option<T>,
    ) -> Result<T, String> {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let item = self
                .work
                .recv_timeout(left)
                .map_err(|_| format!("it did not happen within {} s", limit.as_secs()))?;
            if let Some(found) = wanted(&item) {
                return Ok(found);
            }
            let ends = match &item {
                Work::ClientGone | Work::Exited => true,
                Work::Request(request) => {
                    matches!(request.command.as_str(), "disconnect" | "terminate")
                }
                _ => false,
            };
            self.backlog.push_back(item);
            if ends {
                return Err("the program, or its debugger, has ended".to_owned());
            }
        }
    }

    pub(crate) fn terminated(&mut self) {
        if !std::mem::replace(&mut self.is_terminated, true) {
            self.threads.clear();
            self.client.event("terminated", json!({}));
        }
    }

    /// Ends the session. A launched program ends with it; one that was attached to goes on.
    pub(crate) fn end(&mut self, ends_program: bool) {
        self.interrupt.store(false, Ordering::Relaxed);
        if self.launched.is_none() && !self.is_terminated {
            self.detach();
        }
        if let Some(inspector) = self.inspector.take() {
            inspector.close();
        }
        if let Some(mut launched) = self.launched.take()
            && ends_program
        {
            launched.terminate(false);
        } else if ends_program && !self.is_terminated {
            self.kill_in_terminal();
        }
        self.is_over = true;
    }

    /// Ends a program that the client has started in its terminal.
    fn kill_in_terminal(&self) {
        let pid = i32::try_from(self.main_pid).ok().and_then(rustix::process::Pid::from_raw);
        if let Some(pid) = pid {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }

    /// Has a thread pause that runs nothing: it would pause only at its next event.
    fn wake_idle_thread(&mut self, thread: i64) {
        let Some(known) = self.threads.get(&thread).filter(|one| one.is_pause_requested) else {
            return;
        };
        if let Some(inspector) = &self.inspector {
            let params = json!({ "expression": "void 0\n//# sourceURL=idle" });
            inspector.notify(known.worker.as_deref(), "Runtime.evaluate", params);
        }
    }

    pub(crate) fn watch_for_idle(&mut self, thread: i64) {
        self.idle_pause = Some((thread, Instant::now() + IDLE_PAUSE_TIMEOUT));
    }

    pub(crate) fn add_thread(&mut self, worker: Option<String>, name: String) -> i64 {
        let id = if worker.is_none() {
            MAIN_THREAD
        } else {
            self.last_thread += 1;
            self.last_thread
        };
        self.threads.insert(id, Thread::new(name, worker));
        id
    }

    pub(crate) fn thread_of(&self, worker: Option<&str>) -> Option<i64> {
        self.threads
            .iter()
            .find(|(_, thread)| thread.worker.as_deref() == worker)
            .map(|(id, _)| *id)
    }

    /// Sends a command to a thread.
    pub(crate) fn call(&self, thread: i64, method: &str, params: Value) -> Result<Value, String> {
        let inspector = self.inspector.as_ref().ok_or("the program is not connected")?;
        let thread = self.threads.get(&thread).ok_or("there is no such thread")?;
        inspector.call(thread.worker.as_deref(), method, params)
    }

    fn event(&mut self, worker: Option<String>, method: &str, mut params: Value) {
        match method {
            "NodeWorker.attachedToWorker" => return self.worker_started(&params),
            "NodeWorker.detachedFromWorker" => {
                let ended = params["sessionId"].as_str().and_then(|it| self.thread_of(Some(it)));
                if let Some(thread) = ended {
                    self.threads.remove(&thread);
                    if let Some(inspector) = &self.inspector {
                        inspector.forget_workers();
                    }
                    self.client.event("thread", json!({ "reason": "exited", "threadId": thread }));
                }
                return;
            }
            "NodeRuntime.waitingForDisconnect" => {
                // It ends once nobody is connected.
                if let Some(inspector) = self.inspector.take() {
                    inspector.close();
                }
                return;
            }
            _ => {}
        }
        let Some(thread) = self.thread_of(worker.as_deref()) else { return };
        match method {
            "Debugger.scriptParsed" => self.script_parsed(thread, &params),
            "Debugger.paused" => self.paused(thread, params.take()),
            "Debugger.resumed" => self.resumed(thread),
            "Debugger.breakpointResolved" => self.breakpoint_resolved(thread, &params),
            "Runtime.bindingCalled" if params["name"] == crate::hits::LOG_BINDING => {
                let text = params["payload"].as_str().unwrap_or_default();
                self.client.output("console", &format!("{text}\n"));
            }
            "Runtime.consoleAPICalled" if self.config.shows_console => {
                self.console_output(thread, &params);
            }
            _ => {}
        }
    }
}
