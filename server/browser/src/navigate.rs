//! `navigate`: opens a page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};
use url::Url;
use web::Target;

use crate::browser::BrowserState;
use crate::call::{Call, timeout};
use crate::limits::{DEFAULT_TIMEOUT, MAX_SCRIPT_BYTES, SHORT_TIMEOUT};
use crate::report::{PageReport, text_of};

pub(crate) struct Navigate;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The URL, with http:// or https://; or `back`, `forward`, `reload`.
    url: String,
    /// What to wait for; `load` by default.
    #[serde(default)]
    wait_until: WaitUntil,
    /// Time in milliseconds, at most 300,000; 30,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

/// A state of a document.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum WaitUntil {
    /// Everything that the document names has loaded.
    #[default]
    Load,
    /// The document has been parsed.
    DomContentLoaded,
    /// No request for half a second.
    NetworkIdle,
    /// The server has answered.
    Commit,
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The HTTP status of the page.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(flatten)]
    page: PageReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Where a call leads.
enum Destination {
    Host(Target, Url),
    /// A page without a host: `about:blank`, `data:`.
    Local(String),
    History(i64),
    Reload,
}

impl Destination {
    fn parse(tool: &str, written: &str) -> Result<Self, ToolError> {
        match written.trim() {
            "back" => return Ok(Self::History(-1)),
            "forward" => return Ok(Self::History(1)),
            "reload" => return Ok(Self::Reload),
            local if local == "about:blank" || local.starts_with("data:") => {
                if local.len() > MAX_SCRIPT_BYTES {
                    let message =
                        format!("{tool}: the URL is longer than {MAX_SCRIPT_BYTES} bytes");
                    return Err(ToolError::new(Code::TooLarge, message));
                }
                return Ok(Self::Local(local.to_owned()));
            }
            _ => {}
        }
        let target = Target::parse(tool, written).map_err(|error| {
            if written.starts_with("file:") {
                return error.hint("serve the folder: `process_start` with `python3 -m http.server` and `network: true`");
            }
            error
        })?;
        // The target has no fragment, which scripts of a page read.
        let url = Url::parse(written).map_err(|error| {
            ToolError::new(Code::InvalidParams, format!("{tool}: `{written:.200}`: {error}"))
        })?;
        Ok(Self::Host(target, url))
    }
}

impl Tool for Navigate {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "navigate";
    const ALIASES: &'static [&'static str] = &["browser_navigate"];
    const DESCRIPTION: &'static str = "Open a page in the browser, which is started if none runs, and wait until it has \
        loaded. Each host needs approval. Read the page with `browser_snapshot`; prefer `web_fetch` if no script \
        must run.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("uri", "url"), ("timeout", "timeout_ms"), ("waitUntil", "wait_until")];

    fn text(result: &Value) -> Option<String> {
        let mut text = match result["status"].as_u64().filter(|status| *status != 200) {
            Some(status) => format!("HTTP {status}\n"),
            None => String::new(),
        };
        text.push_str(&text_of(result, "opened"));
        Some(text)
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        timeout(Self::NAME, params.timeout_ms, DEFAULT_TIMEOUT)?;
        Ok(match Destination::parse(Self::NAME, &params.url)? {
            Destination::Host(target, url) => {
                vec![target.endpoint.effect().with_detail(format!("open {url} in the browser"))]
            }
            _ => Vec::new(),
        })
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let destination = Destination::parse(tool, &params.url)?;
        let browser =
            context.session.family::<BrowserState>().running_or_started(context, tool, None)?;
        if let Destination::Host(target, _) = &destination {
            browser.gate.allow(&target.endpoint.effect());
        }
        let gate = browser.gate.clone();
        let _attended = gate.attend();
        let mut call = Call::new(context, tool, browser, params.timeout_ms, DEFAULT_TIMEOUT)?;
        leave_dialogs(&mut call)?;
        let mut before = call.before();
        // The new page's URL is of interest even if it is the old one's.
        before.forget_url();
        let note = open(&mut call, &destination, params.wait_until)?;
        let status = call
            .browser
            .pages
            .with(|pages| pages.page(&call.session).and_then(|page| page.load.status));
        let is_loading = call.browser.pages.with(|pages| {
            pages.page(&call.session).is_some_and(|page| !page.load.is_reached("load"))
        });
        let mut page = call.report(&before);
        page.loading =
            is_loading && params.wait_until != WaitUntil::Commit && page.dialog.is_none();
        if page.url.as_deref() == Some(params.url.as_str()) {
            page.url = None;
        }
        Ok(Output { status, page, note })
    }
}

/// Dismisses the dialogs of the page that is left. One that opens dialogs without end is closed.
fn leave_dialogs(call: &mut Call<'_>) -> Result<(), ToolError> {
    let is_broken = call.browser.pages.with(|pages| {
        pages.page(&call.session).is_some_and(|page| {
            page.dialogs.dismisses_all = true;
            page.crashed
        })
    });
    let end = |call: &Call<'_>| {
        call.browser.pages.with(|pages| {
            if let Some(page) = pages.page(&call.session) {
                page.dialogs.dismisses_all = false;
            }
        });
    };
    if is_broken {
        call.replace_page()?;
        return Ok(());
    }
    if call.open_dialog().is_some() {
        call.ignores_dialogs(true);
        let dismissed = call.send("Page.handleJavaScriptDialog", json!({ "accept": false }));
        call.extend(SHORT_TIMEOUT);
        let answers = dismissed.is_ok() && answers(call);
        if !answers {
            call.replace_page()?;
        }
        call.ignores_dialogs(false);
    }
    end(call);
    Ok(())
}

/// Whether the page runs a script within a second.
fn answers(call: &Call<'_>) -> bool {
    let params = json!({ "expression": "0", "timeout": 1_000 });
    let limited =
        Limited { call, end: std::time::Instant::now() + std::time::Duration::from_secs(1) };
    call.browser
        .connection
        .call::<Value>(Some(&call.session), "Runtime.evaluate", params, &limited)
        .is_ok()
}

struct Limited<'a> {
    call: &'a Call<'a>,
    end: std::time::Instant,
}

impl cdp::Waiting for Limited<'_> {
    fn check(&self) -> Result<(), cdp::Stop> {
        if std::time::Instant::now() >= self.end {
            return Err(cdp::Stop::Timeout);
        }
        self.call.check()
    }
}

/// Goes there and waits; returns a note.
fn open(
    call: &mut Call<'_>,
    destination: &Destination,
    wait_until: WaitUntil,
) -> Result<Option<String>, ToolError> {
    call.browser.pages.with(|pages| {
        if let Some(page) = pages.page(&call.session) {
            page.load.status = None;
        }
    });
    let loaders_before = loaders(call);
    let loader = match destination {
        Destination::Host(_, url) => begin(call, url.as_str())?,
        Destination::Local(url) => begin(call, url)?,
        Destination::Reload => {
            call.command("Page.reload", json!({}))?;
            Begun::Some
        }
        Destination::History(step) => {
            let history = call.command("Page.getNavigationHistory", json!({}))?;
            let at = history["currentIndex"].as_i64().unwrap_or_default() + step;
            let entry = usize::try_from(at).ok().and_then(|at| history["entries"].get(at));
            let Some(entry) = entry else {
                let message = format!("{}: there is no page to go to", call.tool);
                return Err(ToolError::new(Code::NoMatch, message));
            };
            call.command("Page.navigateToHistoryEntry", json!({ "entryId": entry["id"] }))?;
            Begun::Some
        }
    };
    let loader = match loader {
        Begun::Loader(loader) => Some(loader),
        Begun::Some => None,
        Begun::SameDocument => return Ok(None),
        Begun::Download => return Ok(Some("the URL is a download; no page was opened".to_owned())),
    };
    let state = |call: &Call<'_>, event: &str| {
        call.browser.pages.with(|pages| {
            let Some(page) = pages.page(&call.session) else { return Progress::Gone };
            let load = &page.load;
            let is_new = match &loader {
                Some(loader) => load.loaders.contains(loader),
                None => load.loaders.back() != loaders_before.as_ref(),
            };
            match is_new {
                _ if page.crashed => Progress::Gone,
                false => Progress::Old,
                true if event == "init" || load.is_reached(event) => Progress::Reached,
                true => Progress::New,
            }
        })
    };
    let event = match wait_until {
        WaitUntil::Load => "load",
        WaitUntil::DomContentLoaded => "DOMContentLoaded",
        WaitUntil::NetworkIdle => "networkIdle",
        WaitUntil::Commit => "init",
    };
    let is_over = || matches!(state(call, event), Progress::Reached | Progress::Gone);
    if call.wait_until(is_over)? || call.open_dialog().is_some() {
        return Ok(None);
    }
    if matches!(state(call, "DOMContentLoaded"), Progress::Reached) {
        return Ok(None);
    }
    let hint = "`timeout_ms` allows more time; `wait_until: \"commit\"` waits for less";
    let error =
        ToolError::new(Code::Timeout, format!("{}: the page did not load in time", call.tool))
            .hint(hint);
    if matches!(state(call, event), Progress::Old) && !answers_after(call) {
        call.replace_page()?;
        return Err(
            error.hint("the page before never ends its scripts, and was closed; call it again")
        );
    }
    call.browser.connection.notify(Some(&call.session), "Page.stopLoading", json!({}));
    Err(error)
}

/// How far a navigation is.
enum Progress {
    /// The document is still the one before.
    Old,
    New,
    /// The new document has reached what is waited for.
    Reached,
    /// The page has closed or crashed.
    Gone,
}

fn loaders(call: &Call<'_>) -> Option<String> {
    call.browser.pages.with(|pages| pages.page(&call.session)?.load.loaders.back().cloned())
}

enum Begun {
    Loader(String),
    /// Another document, which is not known by its id.
    Some,
    SameDocument,
    Download,
}

fn begin(call: &mut Call<'_>, url: &str) -> Result<Begun, ToolError> {
    let params = json!({ "url": url });
    let answer = match call.send("Page.navigate", params.clone()) {
        // The page's scripts never end, so it does not leave.
        Err(cdp::CdpError::Stopped { stop: cdp::Stop::Timeout, .. }) if !answers_after(call) => {
            call.replace_page()?;
            call.extend(SHORT_TIMEOUT);
            call.command("Page.navigate", params)?
        }
        other => other.map_err(|error| call.failed(&error))?,
    };
    if answer["isDownload"] == true {
        return Ok(Begun::Download);
    }
    if let Some(why) = answer["errorText"].as_str().filter(|why| !why.is_empty()) {
        if why == "net::ERR_ABORTED" {
            return Ok(Begun::Download);
        }
        return Err(not_reached(call, url, why));
    }
    Ok(answer["loaderId"]
        .as_str()
        .map_or(Begun::SameDocument, |loader| Begun::Loader(loader.to_owned())))
}

fn answers_after(call: &Call<'_>) -> bool {
    call.extend(SHORT_TIMEOUT);
    answers(call)
}

/// The error for a page that cannot be opened.
fn not_reached(call: &Call<'_>, url: &str, why: &str) -> ToolError {
    let blocked = call.browser.gate.take_blocked();
    let shown: Vec<String> = blocked.iter().map(|(host, why)| format!("{host}: {why}")).collect();
    if shown.is_empty() {
        return ToolError::new(Code::Unavailable, format!("{}: {url:.300}: {why}", call.tool))
            .hint("start the server first, for instance with `process_start`, or check the URL");
    }
    let is_denied = call.browser.gate.is_denied(blocked.keys());
    let code = if is_denied { Code::Denied } else { Code::Unavailable };
    let error = ToolError::new(code, format!("{}: {url:.300}: {}", call.tool, shown.join("; ")));
    if is_denied {
        return error.hint("the page, or a redirect of it, leads to a host that was not approved");
    }
    error.hint("check the URL; a server is started with `process_start` and its `ready.port`")
}
