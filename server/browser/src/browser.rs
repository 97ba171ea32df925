//! A running browser, and what a session keeps of it.

use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cdp::{Connection, Stop, Transport, Waiting, get_json};
use parking_lot::Mutex;
use process::Child;
use serde_json::{Value, json};
use tools::{Code, Context, FamilyState, ToolError};
use web::{HostName, Target};

use crate::events::Pages;
use crate::failure;
use crate::gate::Gate;
use crate::launch::{self, Launched};
use crate::limits::{SHORT_TIMEOUT, START_TIMEOUT};
use crate::snapshots::Snapshots;
use crate::socks::SocksServer;

/// The browser of a session.
#[derive(Default)]
pub(crate) struct BrowserState {
    browser: Mutex<Option<Arc<Browser>>>,
}

impl FamilyState for BrowserState {
    fn stop(&self) {
        if let Some(browser) = self.browser.lock().take() {
            browser.stop();
        }
    }
}

/// A running browser.
pub(crate) struct Browser {
    pub(crate) connection: Connection,
    pub(crate) pages: Arc<Pages>,
    pub(crate) gate: Arc<Gate>,
    pub(crate) snapshots: Snapshots,
    /// Where it was joined; `None` if it was started here.
    pub(crate) joined: Option<String>,
    /// The time of calls that set none.
    pub(crate) default_timeout: Option<Duration>,
    /// The largest reference that was given out.
    last_reference: AtomicU64,
    child: Mutex<Option<Child>>,
    network: Mutex<Option<SocksServer>>,
}

impl BrowserState {
    /// The running browser.
    pub(crate) fn running(&self, tool: &str) -> Result<Arc<Browser>, ToolError> {
        let browser = self.browser.lock();
        if browser.as_ref().is_some_and(|browser| browser.pages.has_ended()) {
            return Err(ToolError::new(
                Code::Unavailable,
                format!("{tool}: the browser has ended"),
            )
            .hint("`navigate` starts another"));
        }
        browser.clone().ok_or_else(|| {
            ToolError::new(Code::Unavailable, format!("{tool}: no browser is open"))
                .hint("open a page with `navigate` first")
        })
    }

    /// The running browser, or a new one.
    pub(crate) fn running_or_started(
        &self,
        context: &Context<'_>,
        tool: &'static str,
        default_timeout: Option<Duration>,
    ) -> Result<Arc<Browser>, ToolError> {
        // The lock is held: two calls must not start two browsers.
        let mut browser = self.browser.lock();
        if let Some(running) = browser.as_ref().filter(|browser| !browser.pages.has_ended()) {
            return Ok(running.clone());
        }
        *browser = None;
        let mut started = Browser::start(context, tool)?;
        started.default_timeout = default_timeout;
        let started = Arc::new(started);
        *browser = Some(started.clone());
        Ok(started)
    }

    /// Joins a browser that listens for debuggers, instead of the one before.
    pub(crate) fn join(
        &self,
        context: &Context<'_>,
        tool: &'static str,
        target: &Target,
        default_timeout: Option<Duration>,
    ) -> Result<Arc<Browser>, ToolError> {
        let mut browser = self.browser.lock();
        if let Some(before) = browser.take() {
            before.stop();
        }
        let mut joined = Browser::join(context, tool, target)?;
        joined.default_timeout = default_timeout;
        let joined = Arc::new(joined);
        *browser = Some(joined.clone());
        Ok(joined)
    }

    /// Ends the browser, or leaves the one that was joined. False if there is none.
    pub(crate) fn close(&self) -> bool {
        let browser = self.browser.lock().take();
        browser.inspect(|browser| browser.stop()).is_some()
    }
}

impl Browser {
    fn start(context: &Context<'_>, tool: &'static str) -> Result<Self, ToolError> {
        let gate = Arc::<Gate>::default();
        let Launched { child, transport, network } = launch::launch(context, tool, &gate)?;
        let browser = Self::connect(tool, transport, gate, None)?;
        *browser.child.lock() = Some(child);
        *browser.network.lock() = Some(network);
        browser.begin(context, tool).map_err(|error| {
            let log = browser.child.lock().as_ref().map(launch::log).unwrap_or_default();
            if log.is_empty() { error } else { error.details(json!({ "log": log })) }
        })?;
        Ok(browser)
    }

    fn join(context: &Context<'_>, tool: &'static str, target: &Target) -> Result<Self, ToolError> {
        let failed = |why: &dyn std::fmt::Display| {
            let message = format!("{tool}: {}: no browser could be joined: {why}", target.url);
            ToolError::new(Code::Unavailable, message)
                .hint("start it with `--remote-debugging-port=9222`, or leave `debug_url` out")
        };
        let path = version(target).map_err(|why| failed(&why))?;
        let stream = dial(target).map_err(|error| failed(&error))?;
        let url = format!("ws://{}{path}", target.endpoint);
        let transport = Transport::web_socket(&url, stream).map_err(|error| failed(&error))?;
        let browser =
            Self::connect(tool, transport, Arc::default(), Some(target.endpoint.to_string()))?;
        browser.begin(context, tool)?;
        Ok(browser)
    }

    fn connect(
        tool: &str,
        transport: Transport,
        gate: Arc<Gate>,
        joined: Option<String>,
    ) -> Result<Self, ToolError> {
        let pages = Arc::<Pages>::default();
        let of_events = pages.clone();
        let handle = move |connection: &Connection, event| of_events.handle(connection, event);
        let connection = Connection::start(transport, handle).map_err(|error| {
            ToolError::new(Code::Io, format!("{tool}: no thread for the browser: {error}"))
        })?;
        Ok(Self {
            connection,
            pages,
            gate,
            snapshots: Snapshots::default(),
            joined,
            default_timeout: None,
            last_reference: AtomicU64::new(0),
            child: Mutex::new(None),
            network: Mutex::new(None),
        })
    }

    /// Attaches to its pages and waits until one can be used.
    fn begin(&self, context: &Context<'_>, tool: &str) -> Result<(), ToolError> {
        let until = Until { context, end: Instant::now() + START_TIMEOUT };
        let call = |method: &str, params: Value| {
            let called = self.connection.call::<Value>(None, method, params, &until);
            called.map_err(|error| failure::of(tool, &error))
        };
        if let Some(child) = self.child.lock().as_ref() {
            let folder = child.temporary_folder().join("downloads");
            let params = json!({ "behavior": "allowAndName", "downloadPath": folder, "eventsEnabled": true });
            call("Browser.setDownloadBehavior", params)?;
        }
        let filter = json!([{ "type": "page" }, { "exclude": true }]);
        let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": filter });
        call("Target.setDiscoverTargets", json!({ "discover": true, "filter": filter }))?;
        call("Target.setAutoAttach", attach)?;
        if self.pages.with(|pages| pages.list.is_empty()) {
            call("Target.createTarget", json!({ "url": "about:blank" }))?;
        }
        loop {
            if self.pages.with(|pages| pages.current().is_some_and(|page| page.is_ready())) {
                self.pages.with(|pages| pages.has_begun = true);
                return Ok(());
            }
            if let Err(stop) = until.check() {
                let error =
                    cdp::CdpError::Stopped { method: "Target.setAutoAttach".to_owned(), stop };
                return Err(failure::of(tool, &error));
            }
            self.pages.wait(Duration::from_millis(20));
        }
    }

    pub(crate) fn last_reference(&self) -> u64 {
        self.last_reference.load(Ordering::Relaxed)
    }

    pub(crate) fn gave_references_up_to(&self, last: u64) {
        self.last_reference.fetch_max(last, Ordering::Relaxed);
    }

    /// The file of a finished download.
    pub(crate) fn download_file(&self, id: &str) -> Option<std::path::PathBuf> {
        // The browser names files by these ids, which are its own.
        let is_plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let child = self.child.lock();
        child
            .as_ref()
            .filter(|_| is_plain)
            .map(|child| child.temporary_folder().join("downloads").join(id))
    }

    fn stop(&self) {
        self.connection.close();
        *self.network.lock() = None;
        // Kills it, and everything that it started.
        *self.child.lock() = None;
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Waits until a time, or until the call is cancelled.
struct Until<'a> {
    context: &'a Context<'a>,
    end: Instant,
}

impl Waiting for Until<'_> {
    fn check(&self) -> Result<(), Stop> {
        if self.context.interrupt.load(Ordering::Relaxed) {
            return Err(Stop::Cancelled);
        }
        if Instant::now() < self.end { Ok(()) } else { Err(Stop::Timeout) }
    }
}

/// Connects to a browser that listens for debuggers. It must be on this machine: the protocol is not encrypted, and a
/// program that speaks it controls the browser.
fn dial(target: &Target) -> std::io::Result<TcpStream> {
    let HostName::Address(address) = &target.endpoint.host else {
        return TcpStream::connect(("localhost", target.endpoint.port));
    };
    TcpStream::connect_timeout(&(*address, target.endpoint.port).into(), SHORT_TIMEOUT)
}

/// The path of the browser's WebSocket, by its `/json/version`.
fn version(target: &Target) -> Result<String, String> {
    if target.url.path().starts_with("/devtools/") {
        return Ok(target.url.path().to_owned());
    }
    let stream = dial(target).map_err(|error| error.to_string())?;
    // Chromium answers other names than these with an error.
    let host = format!("localhost:{}", target.endpoint.port);
    let version = get_json(stream, &host, "/json/version")
        .map_err(|error| format!("it does not speak the DevTools protocol: {error}"))?;
    let url = version["webSocketDebuggerUrl"].as_str().unwrap_or_default();
    let path =
        url.split_once("://").and_then(|(_, rest)| rest.find('/').map(|at| rest[at..].to_owned()));
    path.ok_or_else(|| "it names no WebSocket".to_owned())
}
