//! One call of a tool: its time, its page, what it may wait for.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use cdp::{CdpError, SessionId, Stop, Waiting};
use serde::Deserialize;
use serde_json::{Value, json};
use tools::{Code, Context, ToolError};

use crate::browser::{Browser, BrowserState};
use crate::events::OWN_WORLD;
use crate::failure;
use crate::limits::{DEFAULT_TIMEOUT, MAX_TIMEOUT, SHORT_TIMEOUT, WINDOW_TIMEOUT};
use crate::page::World;

/// A call that acts on a page.
pub(crate) struct Call<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) tool: &'static str,
    pub(crate) browser: Arc<Browser>,
    pub(crate) session: SessionId,
    end: Cell<Instant>,
    /// An error that ended waiting.
    error: RefCell<Option<ToolError>>,
    /// Whether an open dialog ends waiting.
    stops_at_dialog: Cell<bool>,
}

/// The time of a call, from its parameter.
pub(crate) fn timeout(
    tool: &str,
    given: Option<u64>,
    default: Duration,
) -> Result<Duration, ToolError> {
    let time = given.map_or(default, Duration::from_millis);
    if time > MAX_TIMEOUT {
        let message = format!("{tool}: `timeout_ms` is more than {}", MAX_TIMEOUT.as_millis());
        return Err(ToolError::new(Code::InvalidParams, message));
    }
    Ok(time)
}

impl<'a> Call<'a> {
    /// A call on the current page of the running browser.
    pub(crate) fn on_page(
        context: &'a Context<'a>,
        tool: &'static str,
        timeout_ms: Option<u64>,
        default: Duration,
    ) -> Result<Self, ToolError> {
        let browser = context.session.family::<BrowserState>().running(tool)?;
        Self::new(context, tool, browser, timeout_ms, default)
    }

    /// A call on the current page of `browser`.
    pub(crate) fn new(
        context: &'a Context<'a>,
        tool: &'static str,
        browser: Arc<Browser>,
        timeout_ms: Option<u64>,
        default: Duration,
    ) -> Result<Self, ToolError> {
        let time = timeout(tool, timeout_ms, browser.default_timeout.unwrap_or(default))?;
        let session = browser.pages.with(|pages| {
            let page = pages.current()?;
            page.dialogs.alerts = 0;
            Some((page.session.clone(), page.crashed))
        });
        let Some((session, crashed)) = session else {
            return Err(ToolError::new(Code::Unavailable, format!("{tool}: no page is open"))
                .hint("open one with `navigate`"));
        };
        if crashed && tool != "navigate" && tool != "browser_tabs" {
            return Err(ToolError::new(Code::Unavailable, format!("{tool}: the page has crashed"))
                .hint("`navigate` opens another"));
        }
        let end = Cell::new(Instant::now() + time);
        let error = RefCell::new(None);
        let stops_at_dialog = Cell::new(true);
        Ok(Self { context, tool, browser, session, end, error, stops_at_dialog })
    }

    /// Refuses to act on a page that waits for an answer to a dialog.
    pub(crate) fn refuse_if_dialog(&self) -> Result<(), ToolError> {
        match self.open_dialog() {
            None => Ok(()),
            Some(what) => {
                Err(ToolError::new(Code::Conflict, format!("{}: {what} is open", self.tool))
                    .hint("answer it with `browser_dialog` first"))
            }
        }
    }

    /// The dialog that the page waits for, in words.
    pub(crate) fn open_dialog(&self) -> Option<String> {
        self.browser.pages.with(|pages| {
            let dialog = pages.page(&self.session)?.dialogs.open.as_ref()?;
            Some(format!("a dialog ({}: {:?})", dialog.kind, dialog.message))
        })
    }

    /// Time that is left.
    pub(crate) fn left(&self) -> Duration {
        self.end.get().saturating_duration_since(Instant::now())
    }

    /// Sends a command to the page and waits for its response.
    pub(crate) fn send(&self, method: &str, params: Value) -> Result<Value, CdpError> {
        self.browser.connection.call(Some(&self.session), method, params, self)
    }

    /// Sends a command to the browser.
    pub(crate) fn send_to_browser(&self, method: &str, params: Value) -> Result<Value, CdpError> {
        self.browser.connection.call(None, method, params, self)
    }

    /// The error of a failed command.
    pub(crate) fn failed(&self, error: &CdpError) -> ToolError {
        self.error.borrow_mut().take().unwrap_or_else(|| failure::of(self.tool, error))
    }

    /// Like [`Self::send`], with the tool's error.
    pub(crate) fn command(&self, method: &str, params: Value) -> Result<Value, ToolError> {
        self.send(method, params).map_err(|error| self.failed(&error))
    }

    /// Sends a command whose response a dialog may hold back: an event handler has opened it.
    pub(crate) fn input(&self, method: &str, params: Value) -> Result<(), ToolError> {
        match self.send(method, params) {
            Ok(_) => Ok(()),
            Err(CdpError::Stopped { stop: Stop::Cancelled, .. })
                if self.open_dialog().is_some() =>
            {
                Ok(())
            }
            Err(error) => Err(self.failed(&error)),
        }
    }

    /// Waits until `is_done`, at most until the end of the call; false if it ended first.
    pub(crate) fn wait_until(&self, mut is_done: impl FnMut() -> bool) -> Result<bool, ToolError> {
        const STEP: Duration = Duration::from_millis(20);
        loop {
            if is_done() {
                return Ok(true);
            }
            match self.check() {
                Ok(()) => self.browser.pages.wait(STEP),
                Err(Stop::Timeout) => return Ok(false),
                Err(stop) => {
                    if self.open_dialog().is_some() {
                        return Ok(false);
                    }
                    let method = String::new();
                    return Err(self.failed(&CdpError::Stopped { method, stop }));
                }
            }
        }
    }

    /// Lets another time begin, for what must be done after the call's own.
    pub(crate) fn extend(&self, time: Duration) {
        self.end.set(self.end.get().max(Instant::now() + time));
    }

    /// Whether open dialogs do not end waiting.
    pub(crate) fn ignores_dialogs(&self, ignores: bool) {
        self.stops_at_dialog.set(!ignores);
    }

    /// Runs one of our functions in a frame of the page.
    pub(crate) fn run<R: for<'de> Deserialize<'de>>(
        &self,
        frame: &str,
        function: &str,
        argument: &Value,
    ) -> Result<R, CdpError> {
        #[derive(Deserialize)]
        struct Returned<R> {
            value: R,
            last: u64,
        }
        let context = self.own_context(frame)?;
        let base = self.browser.last_reference();
        let arguments = json!([{ "value": base }, { "value": function }, { "value": argument }]);
        let result = self.send(
            "Runtime.callFunctionOn",
            json!({
                "functionDeclaration": "function (base, which, argument) { return tandem.run(base, which, argument); }",
                "executionContextId": context,
                "arguments": arguments,
                "awaitPromise": true,
                "returnByValue": true,
            }),
        )?;
        let unexpected = |why: String| CdpError::Unexpected { method: function.to_owned(), why };
        if result.get("exceptionDetails").is_some() {
            return Err(unexpected(crate::page::exception_text(&result["exceptionDetails"])));
        }
        let returned: Returned<R> = serde_json::from_value(result["result"]["value"].clone())
            .map_err(|error| unexpected(error.to_string()))?;
        self.browser.gave_references_up_to(returned.last);
        Ok(returned.value)
    }

    /// Our execution context in a frame.
    pub(crate) fn own_context(&self, frame: &str) -> Result<i64, CdpError> {
        let known = |pages: &mut crate::events::PagesState| {
            pages.page(&self.session)?.frames.context(frame, World::Own)
        };
        if let Some(context) = self.browser.pages.with(known) {
            return Ok(context);
        }
        // The frame was there before this browser was joined, or its document is just being replaced.
        let params = json!({ "frameId": frame, "worldName": OWN_WORLD });
        let made = self.send("Page.createIsolatedWorld", params)?;
        let context = made["executionContextId"].as_i64().unwrap_or_default();
        self.send(
            "Runtime.evaluate",
            json!({ "expression": crate::events::SCRIPT, "contextId": context }),
        )?;
        Ok(context)
    }

    /// The handle of an element, by its reference.
    pub(crate) fn object(&self, frame: &str, reference: u64) -> Result<String, ToolError> {
        let context = self.own_context(frame).map_err(|error| self.failed(&error))?;
        let result = self.command(
            "Runtime.callFunctionOn",
            json!({
                "functionDeclaration": "function (ref) { return tandem.element(ref); }",
                "executionContextId": context,
                "arguments": [{ "value": reference }],
            }),
        )?;
        result["result"]["objectId"].as_str().map(str::to_owned).ok_or_else(|| self.gone())
    }

    /// The error for an element that is no longer on the page.
    pub(crate) fn gone(&self) -> ToolError {
        ToolError::new(
            Code::Conflict,
            format!("{}: the element is no longer on the page", self.tool),
        )
        .hint("take a new `browser_snapshot`, then retry")
    }

    /// The frames of the page.
    pub(crate) fn frames(&self) -> Vec<String> {
        self.browser
            .pages
            .with(|pages| pages.page(&self.session).map(|page| page.frames.all()))
            .unwrap_or_default()
    }

    /// Counts the documents that the page was sent to.
    pub(crate) fn navigations(&self) -> u64 {
        self.browser
            .pages
            .with(|pages| pages.page(&self.session).map_or(0, |page| page.load.navigations))
    }

    /// Waits until what an action has set off is done: its event handlers, and a new document if it leads to one.
    /// False if that is still loading.
    pub(crate) fn settle(&self, navigations_before: u64) -> Result<bool, ToolError> {
        if self.open_dialog().is_some() {
            return Ok(true);
        }
        // Its response comes after the handlers, and after the events that they caused.
        match self.send("Runtime.evaluate", json!({ "expression": "0" })) {
            Ok(_) => {}
            Err(error) if error.is_stale() => {}
            Err(CdpError::Stopped { stop: Stop::Cancelled, .. })
                if self.open_dialog().is_some() =>
            {
                return Ok(true);
            }
            // The page may have closed itself.
            Err(CdpError::Refused { .. }) => return Ok(true),
            Err(error) => return Err(self.failed(&error)),
        }
        self.wait_for_windows()?;
        if self.navigations() == navigations_before {
            return Ok(true);
        }
        self.extend(DEFAULT_TIMEOUT);
        self.wait_until(|| {
            self.browser.pages.with(|pages| {
                pages
                    .page(&self.session)
                    .is_none_or(|page| !page.load.is_navigating || page.crashed)
            })
        })
    }

    /// Waits until the windows that scripts have opened are known.
    fn wait_for_windows(&self) -> Result<(), ToolError> {
        let end = Instant::now() + WINDOW_TIMEOUT;
        self.wait_until(|| {
            self.browser.pages.with(|pages| {
                let is_over = pages.expected <= 0 || Instant::now() >= end;
                if is_over {
                    pages.expected = 0;
                }
                is_over
            })
        })
        .map(drop)
    }

    /// Closes this page, which may hang, and opens an empty one in its place.
    pub(crate) fn replace_page(&mut self) -> Result<(), ToolError> {
        self.extend(SHORT_TIMEOUT);
        self.ignores_dialogs(true);
        let target = self
            .browser
            .pages
            .with(|pages| pages.page(&self.session).map(|page| page.target.clone()));
        self.open_page()?;
        if let Some(target) = target {
            self.browser.connection.notify(
                None,
                "Target.closeTarget",
                json!({ "targetId": target }),
            );
        }
        self.ignores_dialogs(false);
        Ok(())
    }

    /// Opens an empty page, which this call and later ones act on.
    pub(crate) fn open_page(&mut self) -> Result<(), ToolError> {
        self.browser.pages.with(|pages| pages.creating += 1);
        let created = self.send_to_browser("Target.createTarget", json!({ "url": "about:blank" }));
        let created = created.map_err(|error| self.failed(&error))?;
        let find = |pages: &mut crate::events::PagesState| {
            let page = pages
                .list
                .iter()
                .find(|page| created["targetId"] == *page.target && page.is_ready())?;
            pages.current = Some(page.session.clone());
            pages.current.clone()
        };
        let mut session = None;
        self.wait_until(|| {
            session = self.browser.pages.with(find);
            session.is_some()
        })?;
        self.session = session.ok_or_else(|| {
            ToolError::new(Code::Timeout, format!("{}: the browser opens no other page", self.tool))
        })?;
        Ok(())
    }
}

impl Waiting for Call<'_> {
    fn check(&self) -> Result<(), Stop> {
        if self.context.interrupt.load(Ordering::Relaxed) {
            return Err(Stop::Cancelled);
        }
        let begun = Instant::now();
        if let Err(error) = self.browser.gate.decide(self.context, self.tool) {
            *self.error.borrow_mut() = Some(error);
            return Err(Stop::Cancelled);
        }
        // Time that a person takes does not count.
        let asked = begun.elapsed();
        self.end.set(self.end.get() + asked);
        if self.browser.pages.has_ended() {
            return Ok(());
        }
        if self.stops_at_dialog.get() && self.open_dialog().is_some() {
            return Err(Stop::Cancelled);
        }
        if Instant::now() < self.end.get() { Ok(()) } else { Err(Stop::Timeout) }
    }
}
