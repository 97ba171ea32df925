//! `browser_connect` and `browser_close`: which browser is used.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};
use web::Target;

use crate::browser::BrowserState;
use crate::call::{Call, timeout};
use crate::limits::ACTION_TIMEOUT;

pub(crate) struct BrowserConnect;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Where it listens for debuggers: `http://localhost:9222`. Without it, a browser of its own is started.
    #[serde(default)]
    debug_url: Option<String>,
    /// The time of later calls that set none, in milliseconds, at most 300,000.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The browser and its version.
    browser: String,
    /// Pages that are open.
    pages: usize,
}

impl Tool for BrowserConnect {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "browser_connect";
    const DESCRIPTION: &'static str = "Join a running Chrome or Chromium that listens for debuggers on this machine, with \
        its pages and logins, after approval. Otherwise not needed: `navigate` starts a browser of its own.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("url", "debug_url"), ("endpoint", "debug_url"), ("timeout", "timeout_ms")];

    fn text(result: &Value) -> Option<String> {
        let browser = result["browser"].as_str().unwrap_or_default();
        Some(format!("{browser}, pages: {}", result["pages"]))
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        timeout(Self::NAME, params.timeout_ms, ACTION_TIMEOUT)?;
        let Some(url) = &params.debug_url else { return Ok(Vec::new()) };
        let target = parse(url)?;
        let detail = "control the browser that listens there, with all of its pages and logins";
        Ok(vec![target.endpoint.effect().with_detail(detail)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let state = context.session.family::<BrowserState>();
        let default = params.timeout_ms.map(Duration::from_millis);
        let browser = match &params.debug_url {
            Some(url) => state.join(context, Self::NAME, &parse(url)?, default)?,
            None => state.running_or_started(context, Self::NAME, default)?,
        };
        let call = Call::new(context, Self::NAME, browser, None, ACTION_TIMEOUT)?;
        let version = call
            .send_to_browser("Browser.getVersion", serde_json::json!({}))
            .map_err(|error| call.failed(&error))?;
        let pages = call.browser.pages.with(|pages| pages.list.len());
        Ok(Output { browser: version["product"].as_str().unwrap_or_default().to_owned(), pages })
    }
}

/// Only this machine: the protocol is not encrypted.
fn parse(url: &str) -> Result<Target, ToolError> {
    let tool = BrowserConnect::NAME;
    let plain = url.strip_prefix("ws://").map(|rest| format!("http://{rest}"));
    let target = Target::parse(tool, plain.as_deref().unwrap_or(url))?;
    let known = target.endpoint.host.known_addresses().unwrap_or_default();
    if known.is_empty() || !known.iter().all(std::net::IpAddr::is_loopback) {
        let message = format!("{tool}: `{url:.200}` is not on this machine");
        return Err(ToolError::new(Code::InvalidParams, message)
            .hint("`http://localhost:9222`; forward the port of another machine"));
    }
    Ok(target)
}

pub(crate) struct BrowserClose;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct CloseParams {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct CloseOutput {
    /// Whether a browser was open.
    closed: bool,
}

impl Tool for BrowserClose {
    type Params = CloseParams;
    type Output = CloseOutput;
    const NAME: &'static str = "browser_close";
    const DESCRIPTION: &'static str = "End the browser with all of its pages, cookies and downloads. One that was joined \
        is left running.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const IDEMPOTENT: bool = true;
    const EXAMPLES: &'static [&'static str] = &["{}"];

    fn text(result: &Value) -> Option<String> {
        Some(if result["closed"] == true { "closed" } else { "no browser was open" }.to_owned())
    }

    fn effects(_: &Context<'_>, _: &CloseParams) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, _: CloseParams) -> Result<CloseOutput, ToolError> {
        Ok(CloseOutput { closed: context.session.family::<BrowserState>().close() })
    }
}
