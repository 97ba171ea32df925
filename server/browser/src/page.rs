//! What is known of a page from the events of the browser.

use std::collections::{HashMap, HashSet, VecDeque};

use cdp::SessionId;
use serde_json::{Value, json};

use crate::limits::{MAX_MESSAGE_BYTES, MAX_MESSAGES, MAX_REQUESTS, MAX_URL_BYTES};

/// A page: a tab or a popup.
pub(crate) struct Page {
    pub(crate) session: SessionId,
    pub(crate) target: String,
    /// Number in results.
    pub(crate) number: u32,
    pub(crate) url: String,
    pub(crate) title: String,
    pub(crate) frames: Frames,
    pub(crate) load: Load,
    pub(crate) console: Log<Message>,
    pub(crate) requests: Log<Request>,
    pub(crate) dialogs: Dialogs,
    /// The parameters of `Network.emulateNetworkConditions`.
    pub(crate) network_conditions: Value,
    /// Whether it no longer works.
    pub(crate) crashed: bool,
}

impl Page {
    pub(crate) fn new(session: SessionId, number: u32, info: &Value) -> Self {
        let text = |name: &str| info[name].as_str().unwrap_or_default().to_owned();
        let target = text("targetId");
        Self {
            session,
            number,
            url: text("url"),
            title: text("title"),
            // The id of a page's main frame is that of its target.
            frames: Frames { main: target.clone(), ..Frames::default() },
            load: Load::default(),
            console: Log::new(MAX_MESSAGES),
            requests: Log::new(MAX_REQUESTS),
            dialogs: Dialogs::default(),
            network_conditions: full_speed(),
            crashed: false,
            target,
        }
    }

    /// Whether it has taken up the commands that every page gets: a navigation before that would be missed.
    pub(crate) fn is_ready(&self) -> bool {
        self.frames.context(&self.frames.main, World::Own).is_some()
    }
}

/// The frames of a page, in the order in which they appeared.
#[derive(Default)]
pub(crate) struct Frames {
    pub(crate) main: String,
    order: Vec<String>,
    /// Execution contexts by frame: that of the page, and ours.
    contexts: HashMap<String, [Option<i64>; 2]>,
}

/// Whose scripts run in an execution context.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum World {
    Page,
    Own,
}

impl Frames {
    pub(crate) fn add_context(&mut self, frame: &str, world: World, id: i64) {
        if !self.order.iter().any(|known| known == frame) {
            self.order.push(frame.to_owned());
        }
        self.contexts.entry(frame.to_owned()).or_default()[world as usize] = Some(id);
    }

    pub(crate) fn remove_context(&mut self, id: i64) {
        for context in self.contexts.values_mut().flatten() {
            if *context == Some(id) {
                *context = None;
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.order.clear();
        self.contexts.clear();
    }

    pub(crate) fn remove(&mut self, frame: &str) {
        self.order.retain(|known| known != frame);
        self.contexts.remove(frame);
    }

    pub(crate) fn context(&self, frame: &str, world: World) -> Option<i64> {
        self.contexts.get(frame)?[world as usize]
    }

    /// The main frame, then the others.
    pub(crate) fn all(&self) -> Vec<String> {
        let others = self.order.iter().filter(|frame| **frame != self.main);
        std::iter::once(&self.main).chain(others).cloned().collect()
    }
}

/// How far the document of the main frame is loaded.
#[derive(Default)]
pub(crate) struct Load {
    /// Documents that were begun, the newest last.
    pub(crate) loaders: VecDeque<String>,
    /// Names of the events that the newest has reached.
    pub(crate) reached: HashSet<String>,
    /// Whether another document was requested.
    pub(crate) is_navigating: bool,
    /// Counts requested documents.
    pub(crate) navigations: u64,
    /// The HTTP status of the document.
    pub(crate) status: Option<u16>,
}

impl Load {
    const MAX_LOADERS: usize = 16;

    pub(crate) fn begin(&mut self, loader: &str) {
        self.loaders.push_back(loader.to_owned());
        if self.loaders.len() > Self::MAX_LOADERS {
            self.loaders.pop_front();
        }
        self.reached.clear();
    }

    pub(crate) fn is_reached(&self, event: &str) -> bool {
        self.reached.contains(event)
    }
}

/// The newest entries, with numbers that go on.
pub(crate) struct Log<T> {
    pub(crate) entries: VecDeque<T>,
    /// Entries that were dropped.
    pub(crate) dropped: u64,
    most: usize,
}

impl<T> Log<T> {
    fn new(most: usize) -> Self {
        Self { entries: VecDeque::new(), dropped: 0, most }
    }

    pub(crate) fn push(&mut self, entry: T) {
        if self.entries.len() == self.most {
            self.entries.pop_front();
            self.dropped += 1;
        }
        self.entries.push_back(entry);
    }

    pub(crate) fn clear(&mut self) {
        self.dropped = 0;
        self.entries.clear();
    }

    /// Entries so far.
    pub(crate) fn count(&self) -> u64 {
        self.dropped + u64::try_from(self.entries.len()).unwrap_or(u64::MAX)
    }
}

/// A console message, or an error of a script.
#[derive(Clone)]
pub(crate) struct Message {
    /// `log`, `warning`, `error`, …
    pub(crate) level: String,
    pub(crate) text: String,
    /// Milliseconds since 1970.
    pub(crate) time: f64,
    pub(crate) url: String,
    /// 1-based.
    pub(crate) line: Option<u64>,
    /// 1-based.
    pub(crate) column: Option<u64>,
}

impl Message {
    /// The message of `Runtime.consoleAPICalled`.
    pub(crate) fn of_console(params: &Value) -> Self {
        let arguments = params["args"].as_array().into_iter().flatten().map(argument);
        let frame = &params["stackTrace"]["callFrames"][0];
        let level = match params["type"].as_str().unwrap_or("log") {
            "warning" => "warn",
            "assert" => "error",
            other => other,
        };
        Self::new(level, arguments.collect::<Vec<_>>().join(" "), &params["timestamp"], frame)
    }

    /// The message of `Runtime.exceptionThrown`.
    pub(crate) fn of_exception(params: &Value) -> Self {
        let details = &params["exceptionDetails"];
        let frame = match &details["stackTrace"]["callFrames"][0] {
            Value::Null => details,
            frame => frame,
        };
        Self::new("error", exception_text(details), &params["timestamp"], frame)
    }

    /// The message of `Log.entryAdded`.
    pub(crate) fn of_log(params: &Value) -> Self {
        let entry = &params["entry"];
        let level = match entry["level"].as_str().unwrap_or("log") {
            "warning" => "warn",
            "verbose" => "debug",
            other => other,
        };
        let mut text = entry["text"].as_str().unwrap_or_default().to_owned();
        let url = entry["url"].as_str().unwrap_or_default();
        if entry["source"] == "network" && !url.is_empty() {
            text = format!("{text} {url}");
        }
        let mut message = Self::new(level, text, &entry["timestamp"], entry);
        // The line that this event has is 0-based like the others'.
        message.column = None;
        message
    }

    fn new(level: &str, text: String, time: &Value, place: &Value) -> Self {
        Self {
            level: level.to_owned(),
            text: clip(text, MAX_MESSAGE_BYTES),
            time: time.as_f64().unwrap_or_default(),
            url: clip(place["url"].as_str().unwrap_or_default().to_owned(), MAX_URL_BYTES),
            line: place["lineNumber"].as_u64().map(|line| line + 1),
            column: place["columnNumber"].as_u64().map(|column| column + 1),
        }
    }
}

/// What an exception says, with its stack.
pub(crate) fn exception_text(details: &Value) -> String {
    let exception = &details["exception"];
    let text = exception["description"].as_str().map(str::to_owned);
    let text = text.or_else(|| exception.get("value").map(plain));
    let head = details["text"].as_str().unwrap_or("Uncaught");
    match text {
        // `Uncaught` says nothing more; `Uncaught (in promise)` does.
        Some(text) if head == "Uncaught" => text,
        Some(text) => format!("{head} {text}"),
        None => head.to_owned(),
    }
}

/// An argument of `console.log`, as a console shows it.
fn argument(remote: &Value) -> String {
    if let Some(value) = remote.get("value") {
        return plain(value);
    }
    if let Some(text) = remote["unserializableValue"].as_str() {
        return text.to_owned();
    }
    let preview = &remote["preview"];
    let is_list = preview["subtype"] == "array";
    let Some(properties) = preview["properties"]
        .as_array()
        .filter(|_| remote["type"] == "object" && remote["subtype"] != "error")
    else {
        return remote["description"]
            .as_str()
            .or(remote["type"].as_str())
            .unwrap_or_default()
            .to_owned();
    };
    let mut shown: Vec<String> = properties
        .iter()
        .map(|property| {
            let value = property["value"].as_str().unwrap_or("…");
            let value = if property["type"] == "string" {
                format!("\"{value}\"")
            } else {
                value.to_owned()
            };
            if is_list {
                value
            } else {
                format!("{}: {value}", property["name"].as_str().unwrap_or_default())
            }
        })
        .collect();
    if preview["overflow"] == true {
        shown.push("…".to_owned());
    }
    if is_list { format!("[{}]", shown.join(", ")) } else { format!("{{{}}}", shown.join(", ")) }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub(crate) fn clip(mut text: String, most: usize) -> String {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
    }
    text
}

/// A request of a page.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) id: String,
    pub(crate) method: String,
    pub(crate) url: String,
    /// `Document`, `Script`, `Fetch`, …
    pub(crate) kind: String,
    pub(crate) status: Option<u16>,
    pub(crate) mime_type: String,
    /// Bytes over the network.
    pub(crate) size: Option<u64>,
    /// Seconds of a clock that only differences matter of.
    pub(crate) started: f64,
    pub(crate) ended: Option<f64>,
    /// Why it failed.
    pub(crate) failure: Option<String>,
}

/// Dialogs that scripts have opened.
#[derive(Default)]
pub(crate) struct Dialogs {
    /// The one that the page waits for.
    pub(crate) open: Option<Dialog>,
    /// Those that were answered without asking the caller, since the last report.
    pub(crate) answered: Vec<Dialog>,
    /// Alerts that were answered in this call.
    pub(crate) alerts: usize,
    /// Whether all are dismissed: the page is being left.
    pub(crate) dismisses_all: bool,
}

/// A dialog.
#[derive(Clone)]
pub(crate) struct Dialog {
    /// `alert`, `confirm`, `prompt` or `beforeunload`.
    pub(crate) kind: String,
    pub(crate) message: String,
    pub(crate) default: String,
}

/// The network without limits. Its sandbox has no network card, which pages would take for being offline; with any
/// limit, however large, they take it for being online.
pub(crate) fn full_speed() -> Value {
    json!({ "offline": false, "latency": 0, "downloadThroughput": 1e9, "uploadThroughput": 1e9 })
}
