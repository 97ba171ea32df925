//! `browser_console`: what the page has written to its console, and its errors.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Tool, ToolError};
use web::{push, push_page, push_rest};

use crate::call::Call;
use crate::limits::ACTION_TIMEOUT;
use crate::page::Message;

pub(crate) struct BrowserConsole;

/// Messages of a result unless the caller sets another limit.
const DEFAULT_LIMIT: usize = 100;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Only messages of this level or above.
    #[serde(default)]
    level: Option<Level>,
    /// Return at most this many, the newest; 100 by default.
    #[serde(default)]
    limit: Option<usize>,
    /// Forget the messages afterwards.
    #[serde(default)]
    clear: bool,
}

/// A level of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Level {
    Debug,
    Log,
    Warn,
    Error,
}

impl Level {
    fn of(message: &Message) -> Self {
        match message.level.as_str() {
            "error" => Self::Error,
            "warn" => Self::Warn,
            "debug" => Self::Debug,
            _ => Self::Log,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The messages, oldest first: text of the page.
    messages: Vec<ConsoleMessage>,
    /// How many there are.
    count: usize,
    /// Whether older ones are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct ConsoleMessage {
    /// `log`, `info`, `warn`, `error`, `debug`, …
    #[serde(rename = "type")]
    kind: String,
    /// What it says; for an error with its stack.
    text: String,
    /// When, in RFC 3339.
    timestamp: String,
    /// The script that wrote it.
    #[serde(skip_serializing_if = "String::is_empty")]
    url: String,
    /// Its line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    /// Its column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u64>,
}

impl Tool for BrowserConsole {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "browser_console";
    const ALIASES: &'static [&'static str] = &["browser_console_messages"];
    const DESCRIPTION: &'static str = "Read the console of the open page: messages and uncaught errors with their places. \
        `clear` forgets them, so that the next call returns new ones only.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const VERBOSE_FIELDS: &'static [&'static str] = &["messages[].timestamp", "messages[].column"];

    fn text(result: &Value) -> Option<String> {
        let mut messages = String::new();
        for message in result["messages"].as_array().into_iter().flatten() {
            let field = |name: &str| message[name].as_str().unwrap_or_default().to_owned();
            let place = match (field("url"), message["line"].as_u64()) {
                (url, Some(line)) if !url.is_empty() => format!(" ({url}:{line})"),
                _ => String::new(),
            };
            push(&mut messages, format_args!("{}: {}{place}", field("type"), field("text")));
        }
        let mut text = String::new();
        if messages.is_empty() {
            push(&mut text, "no messages");
        } else {
            push_page(&mut text, &messages);
        }
        push_rest(&mut text, result);
        text.truncate(text.trim_end().len());
        Some(text)
    }

    fn effects(context: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(crate::effects::of_action(context, Self::NAME))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let call = Call::on_page(context, Self::NAME, None, ACTION_TIMEOUT)?;
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
        let level = params.level.unwrap_or(Level::Debug);
        let mut output = Output { messages: Vec::new(), count: 0, truncated: false };
        call.browser.pages.with(|pages| {
            let Some(page) = pages.page(&call.session) else { return };
            let log = &mut page.console;
            let found: Vec<&Message> =
                log.entries.iter().filter(|message| Level::of(message) >= level).collect();
            output.count = found.len();
            output.truncated = found.len() > limit || log.dropped > 0;
            let shown = found.iter().skip(found.len().saturating_sub(limit));
            output.messages = shown.map(|message| shown_message(message)).collect();
            if params.clear {
                log.clear();
            }
        });
        Ok(output)
    }
}

fn shown_message(message: &Message) -> ConsoleMessage {
    let time = Timestamp::from_millisecond(message.time as i64).unwrap_or_default();
    ConsoleMessage {
        kind: message.level.clone(),
        text: message.text.clone(),
        timestamp: time.to_string(),
        url: message.url.clone(),
        line: message.line,
        column: message.column,
    }
}
