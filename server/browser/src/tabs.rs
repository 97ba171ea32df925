//! `browser_tabs`: the open pages, and what they have downloaded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{
    Code, Context, Effect, EffectKind, StoredFile, Tool, ToolError, storage_effect, storage_path,
    store_bytes,
};
use web::{push, push_page};

use crate::call::Call;
use crate::limits::ACTION_TIMEOUT;

pub(crate) struct BrowserTabs;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(default)]
    action: Action,
    /// For `select` and `close`: the number of the page.
    #[serde(default)]
    page: Option<u32>,
    /// For `save`: the id of the download.
    #[serde(default)]
    download: Option<String>,
    /// For `save`: where in the workspace.
    #[serde(default)]
    path: Option<String>,
    /// For `save`: replace that file if it exists.
    #[serde(default)]
    overwrite: bool,
}

/// What is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    /// List the pages.
    #[default]
    List,
    /// Open an empty page and use it.
    New,
    /// Use another page.
    Select,
    /// Close a page, the used one by default.
    Close,
    /// Store a download as a file.
    Save,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The open pages.
    pages: Vec<Tab>,
    /// The stored download.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<StoredFile>,
    /// Id of the action in the history, for `undo_action`.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Tab {
    /// Its number.
    page: u32,
    /// Its URL.
    url: String,
    /// Its title: text of the page.
    #[serde(skip_serializing_if = "String::is_empty")]
    title: String,
    /// Whether calls act on it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    used: bool,
    /// Whether it has crashed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    crashed: bool,
}

impl Tool for BrowserTabs {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "browser_tabs";
    const DESCRIPTION: &'static str = "List, open, select or close pages of the browser; pages that others opened are among \
        them. `save` stores a download in the workspace.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network, EffectKind::Write];
    const OWN_SANDBOX: bool = true;
    const LOCKS_LATE: bool = true;

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        if let Some(path) = result["saved"]["path"].as_str() {
            push(&mut text, format_args!("stored {} bytes in {path}", result["saved"]["size"]));
        }
        let mut pages = String::new();
        for page in result["pages"].as_array().into_iter().flatten() {
            let used = if page["used"] == true { " (used)" } else { "" };
            let crashed = if page["crashed"] == true { " (crashed)" } else { "" };
            let field =
                |name: &str| page[name].as_str().unwrap_or_default().replace(['\n', '\r'], " ");
            push(
                &mut pages,
                format_args!(
                    "{}{used}{crashed} {} {:?}",
                    page["page"],
                    field("url"),
                    field("title")
                ),
            );
        }
        push_page(&mut text, &pages);
        text.truncate(text.trim_end().len());
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let missing = |name: &str| {
            Err(ToolError::new(
                Code::InvalidParams,
                format!("{}: this action needs `{name}`", Self::NAME),
            ))
        };
        let mut effects = crate::effects::of_action(context, Self::NAME);
        match params.action {
            Action::Select if params.page.is_none() => return missing("page"),
            Action::Save if params.download.is_none() => return missing("download"),
            Action::Save => {
                let Some(path) = params.path.as_deref() else { return missing("path") };
                let stored = storage_effect(context, Self::NAME, Some(path), params.overwrite)?;
                effects.extend(stored);
            }
            _ => {}
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let mut call = Call::on_page(context, Self::NAME, None, ACTION_TIMEOUT)?;
        let gate = call.browser.gate.clone();
        let _attended = gate.attend();
        call.ignores_dialogs(true);
        let mut saved = None;
        match params.action {
            Action::List => {}
            Action::New => call.open_page()?,
            Action::Select => {
                let page = params.page.unwrap_or_default();
                let (session, _) = find(&call, page)?;
                call.browser.pages.with(|pages| pages.current = Some(session.clone()));
                call.browser.connection.notify(Some(&session), "Page.bringToFront", json!({}));
            }
            Action::Close => close(&call, params.page)?,
            Action::Save => {
                let download = params.download.as_deref().unwrap_or_default();
                saved = Some(save(
                    &call,
                    download,
                    params.path.as_deref().unwrap_or_default(),
                    params.overwrite,
                )?);
            }
        }
        let pages = call.browser.pages.with(|pages| {
            let current = pages.current.clone();
            let tab = |page: &crate::page::Page| Tab {
                page: page.number,
                url: page.url.clone(),
                title: page.title.clone(),
                used: current.as_ref() == Some(&page.session),
                crashed: page.crashed,
            };
            pages.list.iter().map(tab).collect()
        });
        let action = saved.as_ref().and_then(|saved: &StoredFile| saved.action.clone());
        Ok(Output { pages, saved, action })
    }
}

fn find(call: &Call<'_>, number: u32) -> Result<(cdp::SessionId, String), ToolError> {
    let found = call.browser.pages.with(|pages| {
        let page = pages.list.iter().find(|page| page.number == number)?;
        Some((page.session.clone(), page.target.clone()))
    });
    found.ok_or_else(|| {
        ToolError::new(Code::NoMatch, format!("{}: no page {number} is open", call.tool))
            .hint("`action: \"list\"` lists the pages")
    })
}

fn close(call: &Call<'_>, number: Option<u32>) -> Result<(), ToolError> {
    let number = match number {
        Some(number) => number,
        None => call.browser.pages.with(|pages| pages.current().map_or(0, |page| page.number)),
    };
    let (session, target) = find(call, number)?;
    let closed = call.send_to_browser("Target.closeTarget", json!({ "targetId": target }));
    closed.map_err(|error| call.failed(&error))?;
    call.wait_until(|| call.browser.pages.with(|pages| pages.page(&session).is_none()))?;
    Ok(())
}

fn save(call: &Call<'_>, id: &str, path: &str, overwrite: bool) -> Result<StoredFile, ToolError> {
    let is_done = || {
        call.browser.pages.with(|pages| {
            pages
                .downloads
                .iter()
                .find(|download| download.id == id)
                .is_none_or(|download| download.state != "inProgress")
        })
    };
    call.wait_until(is_done)?;
    let download = call
        .browser
        .pages
        .with(|pages| pages.downloads.iter().find(|download| download.id == id).cloned());
    let Some(download) = download else {
        let message = format!("{}: there is no download `{id:.60}`", call.tool);
        return Err(
            ToolError::new(Code::NoMatch, message).hint("results list downloads with their ids")
        );
    };
    let refused =
        |code, why: &str| ToolError::new(code, format!("{}: {}: {why}", call.tool, download.url));
    match download.state.as_str() {
        "completed" => {}
        "too large" => {
            let why = format!(
                "has more than {} bytes, and was cancelled",
                crate::limits::MAX_DOWNLOAD_BYTES
            );
            return Err(refused(Code::TooLarge, &why));
        }
        "inProgress" => return Err(refused(Code::Timeout, "has not ended yet").hint("try again")),
        other => return Err(refused(Code::Unavailable, &format!("the download ended: {other}"))),
    }
    let file = call.browser.download_file(id).ok_or_else(|| {
        refused(Code::Unsupported, "a joined browser stores its downloads itself")
    })?;
    let bytes = std::fs::read(&file).map_err(|error| refused(Code::Io, &error.to_string()))?;
    let path = storage_path(call.context, call.tool, path, overwrite)?;
    store_bytes(call.context, call.tool, &path, bytes, overwrite)
}
