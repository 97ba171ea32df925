//! What a call reports beside its own result: where the page is now, and what happened meanwhile.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use web::push;

use crate::call::Call;
use crate::limits::MAX_BLOCKED_LISTED;

/// What happened on the page.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct PageReport {
    /// The page's URL, if it is another than before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) url: Option<String>,
    /// The page's title, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) title: Option<String>,
    /// Whether the page is still loading.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) loading: bool,
    /// The dialog that the page waits for; `browser_dialog` answers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dialog: Option<DialogReport>,
    /// Alerts that were accepted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) alerts: Vec<String>,
    /// Numbers of pages that this page has opened; `browser_tabs` selects one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) opened: Vec<u32>,
    /// Files that the page has downloaded; `browser_tabs` stores them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) downloads: Vec<DownloadReport>,
    /// Connections that were refused or failed, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) blocked: Vec<String>,
    /// Errors in the console since the call began; `browser_console` has them.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) console_errors: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct DialogReport {
    /// `confirm`, `prompt`, `alert` or `beforeunload`.
    #[serde(rename = "type")]
    kind: String,
    /// What it says: text of the page.
    message: String,
    /// What a prompt proposes.
    #[serde(skip_serializing_if = "String::is_empty")]
    default: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct DownloadReport {
    /// Its id.
    id: String,
    /// The name that the page gives it.
    name: String,
    /// `completed`, `inProgress`, `canceled` or `too large`.
    state: String,
    /// Bytes received.
    size: u64,
}

/// The state of the page before a call acts.
pub(crate) struct Before {
    url: String,
    messages: u64,
}

impl Before {
    /// Reports the page's URL in any case.
    pub(crate) fn forget_url(&mut self) {
        self.url.clear();
    }
}

impl Call<'_> {
    pub(crate) fn before(&self) -> Before {
        self.browser.pages.with(|pages| {
            let page = pages.page(&self.session);
            page.map_or(Before { url: String::new(), messages: 0 }, |page| Before {
                url: page.url.clone(),
                messages: page.console.count(),
            })
        })
    }

    /// What happened since.
    pub(crate) fn report(&self, before: &Before) -> PageReport {
        let blocked = self.browser.gate.take_blocked();
        let more = blocked.len().saturating_sub(MAX_BLOCKED_LISTED);
        let mut blocked: Vec<String> = blocked
            .into_iter()
            .take(MAX_BLOCKED_LISTED)
            .map(|(host, why)| format!("{host}: {why}"))
            .collect();
        if more > 0 {
            blocked.push(format!("{more} more"));
        }
        let title = self.title();
        self.browser.pages.with(|pages| {
            let mut report = PageReport { blocked, ..PageReport::default() };
            report.opened = std::mem::take(&mut pages.opened);
            for download in pages.downloads.iter_mut().filter(|download| !download.is_reported) {
                download.is_reported = download.state != "inProgress";
                report.downloads.push(DownloadReport {
                    id: download.id.clone(),
                    name: download.name.clone(),
                    state: download.state.clone(),
                    size: download.received,
                });
            }
            let Some(page) = pages.page(&self.session) else { return report };
            if page.url != before.url {
                report.url = Some(page.url.clone());
                report.title = title;
            }
            report.alerts = page.dialogs.answered.drain(..).map(|dialog| dialog.message).collect();
            report.dialog = page.dialogs.open.as_ref().map(|dialog| DialogReport {
                kind: dialog.kind.clone(),
                message: dialog.message.clone(),
                default: dialog.default.clone(),
            });
            let skipped = usize::try_from(before.messages.saturating_sub(page.console.dropped))
                .unwrap_or(usize::MAX);
            let new = page.console.entries.iter().skip(skipped);
            report.console_errors = new.filter(|message| message.level == "error").count();
            report
        })
    }

    /// The title of the page, unless it cannot be asked now.
    pub(crate) fn title(&self) -> Option<String> {
        if self.open_dialog().is_some() {
            return None;
        }
        self.extend(std::time::Duration::from_millis(500));
        let evaluate = serde_json::json!({ "expression": "document.title", "returnByValue": true });
        let result = self.send("Runtime.evaluate", evaluate).ok()?;
        let title = result["result"]["value"]
            .as_str()
            .map(|title| crate::page::clip(title.to_owned(), 300));
        title.filter(|title| !title.is_empty())
    }
}

/// The lines of a report.
pub(crate) fn push_report(text: &mut String, result: &Value) {
    for field in ["url", "title"] {
        if let Some(value) = result[field].as_str() {
            push(text, format_args!("{field}: {}", value.replace(['\n', '\r'], " ")));
        }
    }
    if result["loading"] == true {
        push(text, "still loading");
    }
    let dialog = &result["dialog"];
    if let (Some(kind), Some(message)) = (dialog["type"].as_str(), dialog["message"].as_str()) {
        push(
            text,
            format_args!("a {kind} dialog of the page waits for `browser_dialog`: {message:?}"),
        );
    }
    let list = |name: &str| result[name].as_array().cloned().unwrap_or_default();
    for alert in list("alerts") {
        push(
            text,
            format_args!("the page showed an alert: {:?}", alert.as_str().unwrap_or_default()),
        );
    }
    for page in list("opened") {
        push(text, format_args!("the page opened page {page}; `browser_tabs` selects it"));
    }
    for download in list("downloads") {
        let field = |name: &str| download[name].as_str().unwrap_or_default().to_owned();
        push(
            text,
            format_args!(
                "download {} {:?}: {}, {} bytes",
                field("id"),
                field("name"),
                field("state"),
                download["size"]
            ),
        );
    }
    for blocked in list("blocked") {
        push(text, format_args!("not reached: {}", blocked.as_str().unwrap_or_default()));
    }
    if let Some(errors) = result["console_errors"].as_u64() {
        push(text, format_args!("{errors} errors in the console (`browser_console`)"));
    }
}

/// The lines of a result that is only a report.
pub(crate) fn text_of(result: &Value, otherwise: &str) -> String {
    let mut text = String::new();
    push_report(&mut text, result);
    web::push_rest(&mut text, result);
    text.truncate(text.trim_end().len());
    if text.is_empty() { otherwise.to_owned() } else { text }
}
