//! Keeps the pages up to date from the browser's events. Runs on the thread that reads, and never waits.

use std::sync::atomic::{AtomicBool, Ordering};

use cdp::{Connection, Event, SessionId};
use parking_lot::{Condvar, Mutex};
use serde_json::{Value, json};

use crate::limits::{MAX_ALERTS, MAX_MESSAGE_BYTES, MAX_PAGES, MAX_URL_BYTES};
use crate::page::{Dialog, Message, Page, Request, World, clip, full_speed};

/// The name of our execution contexts.
pub(crate) const OWN_WORLD: &str = "tandem";
/// What runs in them.
pub(crate) const SCRIPT: &str = include_str!("script.js");

/// The pages of a browser, as its events describe them.
#[derive(Default)]
pub(crate) struct Pages {
    state: Mutex<PagesState>,
    changed: Condvar,
    ended: AtomicBool,
}

#[derive(Default)]
pub(crate) struct PagesState {
    pub(crate) list: Vec<Page>,
    /// The page that calls act on.
    pub(crate) current: Option<SessionId>,
    /// Pages so far.
    numbers: u32,
    /// Windows that scripts have opened less those that are attached: either may be known first.
    pub(crate) expected: i64,
    /// Pages that calls are opening, and that are not attached yet.
    pub(crate) creating: usize,
    /// Whether the pages that were there at first are attached.
    pub(crate) has_begun: bool,
    /// Numbers of pages that were opened by pages since the last report.
    pub(crate) opened: Vec<u32>,
    /// Downloads by their id.
    pub(crate) downloads: Vec<Download>,
}

/// A download.
#[derive(Clone)]
pub(crate) struct Download {
    pub(crate) id: String,
    pub(crate) url: String,
    pub(crate) name: String,
    pub(crate) received: u64,
    pub(crate) state: String,
    pub(crate) is_reported: bool,
}

impl PagesState {
    pub(crate) fn current(&mut self) -> Option<&mut Page> {
        let session = self.current.clone()?;
        self.page(&session)
    }

    pub(crate) fn page(&mut self, session: &str) -> Option<&mut Page> {
        self.list.iter_mut().find(|page| &*page.session == session)
    }
}

impl Pages {
    /// Runs `read` on the state.
    pub(crate) fn with<R>(&self, read: impl FnOnce(&mut PagesState) -> R) -> R {
        read(&mut self.state.lock())
    }

    /// Waits a moment for an event.
    pub(crate) fn wait(&self, longest: std::time::Duration) {
        let mut state = self.state.lock();
        self.changed.wait_for(&mut state, longest);
    }

    /// Whether the browser has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Handles an event.
    pub(crate) fn handle(&self, connection: &Connection, event: Option<Event>) {
        match event {
            None => self.ended.store(true, Ordering::Relaxed),
            Some(Event { session: None, method, params }) => {
                self.of_browser(connection, &method, &params)
            }
            Some(Event { session: Some(session), method, params }) => {
                // Popups and dialogs of a page arrive in its session.
                if method.starts_with("Target.") {
                    self.of_browser(connection, &method, &params);
                } else {
                    self.of_page(connection, &session, &method, &params);
                }
            }
        }
        let state = self.state.lock();
        self.changed.notify_all();
        drop(state);
    }

    fn of_browser(&self, connection: &Connection, method: &str, params: &Value) {
        match method {
            "Target.attachedToTarget" => self.attached(connection, params),
            "Target.detachedFromTarget" => {
                let session = params["sessionId"].as_str().unwrap_or_default();
                let mut state = self.state.lock();
                state.list.retain(|page| &*page.session != session);
                if state.current.as_deref() == Some(session) {
                    state.current = state.list.last().map(|page| page.session.clone());
                }
            }
            "Target.targetInfoChanged" => {
                let info = &params["targetInfo"];
                let mut state = self.state.lock();
                let page = state.list.iter_mut().find(|page| info["targetId"] == *page.target);
                if let Some(page) = page {
                    page.title =
                        clip(info["title"].as_str().unwrap_or_default().to_owned(), MAX_URL_BYTES);
                    page.url =
                        clip(info["url"].as_str().unwrap_or_default().to_owned(), MAX_URL_BYTES);
                }
            }
            "Browser.downloadWillBegin" => {
                let text = |name: &str| params[name].as_str().unwrap_or_default().to_owned();
                self.state.lock().downloads.push(Download {
                    id: text("guid"),
                    url: clip(text("url"), MAX_URL_BYTES),
                    name: text("suggestedFilename"),
                    received: 0,
                    state: "inProgress".to_owned(),
                    is_reported: false,
                });
            }
            "Browser.downloadProgress" => self.download_progress(connection, params),
            _ => {}
        }
    }

    fn attached(&self, connection: &Connection, params: &Value) {
        let session: SessionId = params["sessionId"].as_str().unwrap_or_default().into();
        let info = &params["targetInfo"];
        let mut state = self.state.lock();
        let resume = |connection: &Connection| {
            connection.notify(Some(&session), "Runtime.runIfWaitingForDebugger", json!({}));
        };
        if info["type"] != "page" {
            return resume(connection);
        }
        if state.list.len() >= MAX_PAGES {
            tracing::warn!("a page was closed: {MAX_PAGES} are open");
            return connection.notify(
                None,
                "Target.closeTarget",
                json!({ "targetId": info["targetId"] }),
            );
        }
        // Before a caller knows of the page: what it sends comes after these.
        let script = json!({ "source": SCRIPT, "worldName": OWN_WORLD, "runImmediately": true });
        for (method, params) in [
            ("Page.enable", json!({})),
            ("Page.setLifecycleEventsEnabled", json!({ "enabled": true })),
            ("Runtime.enable", json!({})),
            ("Page.addScriptToEvaluateOnNewDocument", script),
            ("Network.enable", json!({})),
            ("Network.emulateNetworkConditions", full_speed()),
            ("Log.enable", json!({})),
            ("Inspector.enable", json!({})),
        ] {
            connection.notify(Some(&session), method, params);
        }
        resume(connection);
        state.numbers += 1;
        let number = state.numbers;
        if state.creating > 0 {
            state.creating -= 1;
        } else if state.has_begun {
            state.opened.push(number);
            state.expected -= 1;
        }
        state.list.push(Page::new(session.clone(), number, info));
        // What a caller opens becomes its page; what a page opens does not.
        if state.current.is_none() {
            state.current = Some(session);
        }
    }

    fn download_progress(&self, connection: &Connection, params: &Value) {
        let mut state = self.state.lock();
        let download = state.downloads.iter_mut().find(|download| params["guid"] == *download.id);
        let Some(download) = download else { return };
        download.received = params["receivedBytes"].as_f64().map_or(0, |bytes| bytes as u64);
        // What was cancelled here is reported once more, as cancelled.
        if download.state != "too large" {
            download.state = params["state"].as_str().unwrap_or_default().to_owned();
        }
        let total = params["totalBytes"].as_f64().map_or(0, |bytes| bytes as u64);
        let is_large = download.received.max(total) > crate::limits::MAX_DOWNLOAD_BYTES;
        if is_large && download.state == "inProgress" {
            download.state = "too large".to_owned();
            connection.notify(None, "Browser.cancelDownload", json!({ "guid": params["guid"] }));
        }
    }

    fn of_page(&self, connection: &Connection, session: &str, method: &str, params: &Value) {
        let mut state = self.state.lock();
        if method == "Page.windowOpen" {
            state.expected += 1;
        }
        let Some(page) = state.page(session) else { return };
        let is_main = |name: &str| params[name] == *page.frames.main;
        match method {
            "Runtime.executionContextCreated" => {
                let context = &params["context"];
                let frame = context["auxData"]["frameId"].as_str().unwrap_or_default();
                let world = if context["auxData"]["isDefault"] == true {
                    World::Page
                } else if context["name"] == OWN_WORLD {
                    World::Own
                } else {
                    return;
                };
                page.frames.add_context(frame, world, context["id"].as_i64().unwrap_or_default());
            }
            "Runtime.executionContextDestroyed" => {
                page.frames
                    .remove_context(params["executionContextId"].as_i64().unwrap_or_default());
            }
            "Runtime.executionContextsCleared" => page.frames.clear(),
            "Page.frameDetached" if params["reason"] != "swap" => {
                page.frames.remove(params["frameId"].as_str().unwrap_or_default());
            }
            "Page.frameNavigated" if params["frame"]["parentId"].is_null() => {
                // A new process for the page starts without them.
                let conditions = page.network_conditions.clone();
                connection.notify(Some(session), "Network.emulateNetworkConditions", conditions);
                let url = params["frame"]["url"].as_str().unwrap_or_default();
                page.url = clip(url.to_owned(), MAX_URL_BYTES);
            }
            "Page.navigatedWithinDocument" if is_main("frameId") => {
                page.url =
                    clip(params["url"].as_str().unwrap_or_default().to_owned(), MAX_URL_BYTES);
                page.load.is_navigating = false;
            }
            "Page.frameRequestedNavigation"
                if is_main("frameId") && params["disposition"] == "currentTab" =>
            {
                page.load.is_navigating = true;
                page.load.navigations += 1;
            }
            "Page.frameStartedNavigating" | "Page.frameStartedLoading" if is_main("frameId") => {
                page.load.is_navigating = true;
                page.load.navigations += 1;
            }
            "Page.frameStoppedLoading" if is_main("frameId") => page.load.is_navigating = false,
            "Page.lifecycleEvent" if is_main("frameId") => {
                let loader = params["loaderId"].as_str().unwrap_or_default();
                let name = params["name"].as_str().unwrap_or_default();
                if name == "init" {
                    page.load.begin(loader);
                } else if page.load.loaders.back().is_none_or(|newest| newest == loader) {
                    page.load.reached.insert(name.to_owned());
                }
            }
            "Page.javascriptDialogOpening" => open_dialog(page, connection, params),
            "Page.javascriptDialogClosed" => page.dialogs.open = None,
            "Inspector.targetCrashed" => page.crashed = true,
            "Runtime.consoleAPICalled" => page.console.push(Message::of_console(params)),
            "Runtime.exceptionThrown" => page.console.push(Message::of_exception(params)),
            "Log.entryAdded" => page.console.push(Message::of_log(params)),
            _ if method.starts_with("Network.") => of_network(page, method, params),
            _ => {}
        }
    }
}

fn open_dialog(page: &mut Page, connection: &Connection, params: &Value) {
    let text = |name: &str| params[name].as_str().unwrap_or_default().to_owned();
    let dialog = Dialog {
        kind: text("type"),
        message: clip(text("message"), MAX_MESSAGE_BYTES),
        default: clip(text("defaultPrompt"), MAX_MESSAGE_BYTES),
    };
    let dialogs = &mut page.dialogs;
    let is_alert = dialog.kind == "alert" && dialogs.alerts < MAX_ALERTS;
    let is_leaving = dialog.kind == "beforeunload";
    if dialogs.dismisses_all || is_alert || is_leaving {
        dialogs.alerts += usize::from(is_alert);
        if dialogs.answered.len() < MAX_ALERTS {
            dialogs.answered.push(dialog);
        }
        let accept = json!({ "accept": is_alert || is_leaving });
        connection.notify(Some(&page.session), "Page.handleJavaScriptDialog", accept);
    } else {
        dialogs.open = Some(dialog);
    }
}

fn of_network(page: &mut Page, method: &str, params: &Value) {
    let id = params["requestId"].as_str().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let status = |response: &Value| {
        response["status"].as_u64().and_then(|status| u16::try_from(status).ok())
    };
    let mut requests = page.requests.entries.iter_mut().rev();
    let known = requests.find(|request| request.id == id && request.ended.is_none());
    let time = params["timestamp"].as_f64().unwrap_or_default();
    match (method, known) {
        ("Network.requestWillBeSent", known) => {
            // A redirect has the id of the request that it answers.
            if let Some(known) = known {
                known.status = status(&params["redirectResponse"]);
                known.ended = Some(time);
            }
            let request = &params["request"];
            page.requests.push(Request {
                id: id.to_owned(),
                method: text(&request["method"]),
                url: clip(text(&request["url"]), MAX_URL_BYTES),
                kind: text(&params["type"]),
                status: None,
                mime_type: String::new(),
                size: None,
                started: time,
                ended: None,
                failure: None,
            });
        }
        ("Network.webSocketCreated", _) => page.requests.push(Request {
            id: id.to_owned(),
            method: "GET".to_owned(),
            url: clip(text(&params["url"]), MAX_URL_BYTES),
            kind: "WebSocket".to_owned(),
            status: None,
            mime_type: String::new(),
            size: None,
            started: time,
            ended: None,
            failure: None,
        }),
        ("Network.responseReceived", Some(known)) => {
            known.status = status(&params["response"]);
            known.mime_type = text(&params["response"]["mimeType"]);
            if params["type"] == "Document" && params["frameId"] == *page.frames.main {
                page.load.status = known.status;
            }
        }
        ("Network.webSocketHandshakeResponseReceived", Some(known)) => {
            known.status = status(&params["response"])
        }
        ("Network.loadingFinished", Some(known)) => {
            known.ended = Some(time);
            known.size = params["encodedDataLength"].as_f64().map(|bytes| bytes as u64);
        }
        ("Network.loadingFailed", Some(known)) => {
            known.ended = Some(time);
            known.failure = Some(text(&params["errorText"]));
        }
        ("Network.webSocketFrameError", Some(known)) => {
            known.failure = Some(text(&params["errorMessage"]))
        }
        ("Network.webSocketClosed", Some(known)) => known.ended = Some(time),
        _ => {}
    }
}
