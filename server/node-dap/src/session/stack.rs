//! Scripts, and what a paused thread stands in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::Session;
use super::breakpoints::position;
use crate::maps::{Position, ScriptMap};
use crate::paths;

/// How many scripts of one thread are remembered: a program may evaluate strings for ever.
const MAX_SCRIPTS: usize = 100_000;
/// Limit of texts that have a reference.
const MAX_TEXTS: usize = 10_000;
/// The name of the bootloader's file.
const BOOTLOADER: &str = "/boot.cjs";

/// A script that the engine has loaded.
pub(crate) struct Script {
    pub(crate) url: String,
    pub(crate) path: Option<PathBuf>,
    pub(crate) map: Option<Arc<ScriptMap>>,
    map_url: String,
}

impl Script {
    /// Whether it is Node's own code, or the adapter's.
    pub(crate) fn is_internal(&self) -> bool {
        self.url.starts_with("node:")
            || (self.url.contains("/tandem-node-") && self.url.ends_with(BOOTLOADER))
    }
}

/// A thread's pause.
pub(crate) struct PausedThread {
    params: Value,
    /// The body of its `stopped` event.
    pub(crate) stopped: Value,
}

/// Where the top frame is.
pub(crate) struct TopPlace {
    /// Whether a client can show it.
    pub(crate) is_visible: bool,
    /// Whether it is in code that steps do not enter.
    pub(crate) is_skipped: bool,
}

/// A text that is no file.
pub(crate) enum Text {
    /// A script's, by its thread and id.
    Script(i64, String),
    /// A source's, from its map.
    Source(Arc<ScriptMap>, usize),
}

/// Texts by reference.
#[derive(Default)]
pub(crate) struct Texts {
    all: Vec<(String, Text)>,
}

impl Texts {
    fn reference(&mut self, key: String, text: Text) -> i64 {
        let known = self.all.iter().position(|(own, _)| *own == key);
        let index = known.unwrap_or_else(|| {
            if self.all.len() < MAX_TEXTS {
                self.all.push((key, text));
            }
            self.all.len() - 1
        });
        i64::try_from(index).unwrap_or(0) + 1
    }

    fn get(&self, reference: i64) -> Option<&Text> {
        let index = usize::try_from(reference).ok()?.checked_sub(1)?;
        self.all.get(index).map(|(_, text)| text)
    }
}

impl PausedThread {
    pub(crate) fn new(params: Value) -> Self {
        Self { params, stopped: Value::Null }
    }

    fn frames(&self) -> &[Value] {
        self.params["callFrames"].as_array().map_or(&[], Vec::as_slice)
    }

    pub(crate) fn frame(&self, index: usize) -> Option<&Value> {
        self.frames().get(index)
    }

    pub(crate) fn call_frame_id(&self, index: usize) -> Value {
        self.frames().get(index).map_or(Value::Null, |frame| frame["callFrameId"].clone())
    }

    /// The first line of the exception.
    pub(crate) fn exception_text(&self) -> String {
        let data = &self.params["data"];
        let text = data["description"].as_str().and_then(|text| text.lines().next());
        let value =
            || data["value"].as_str().map_or_else(|| data["value"].to_string(), str::to_owned);
        text.map_or_else(value, str::to_owned)
    }

    pub(crate) fn exception_info(&self) -> Value {
        let data = &self.params["data"];
        let mode = if data["uncaught"] == false { "always" } else { "unhandled" };
        json!({
            "exceptionId": data["className"].as_str().unwrap_or("exception"),
            "description": self.exception_text(), "breakMode": mode,
            "details": {
                "message": self.exception_text(), "typeName": data["className"],
                "stackTrace": data["description"],
            },
        })
    }
}

impl Session {
    pub(crate) fn script(&self, thread: i64, id: &str) -> Option<&Script> {
        self.threads.get(&thread)?.scripts.get(id)
    }

    pub(crate) fn script_parsed(&mut self, thread: i64, params: &Value) {
        let text = |name: &str| params[name].as_str().unwrap_or_default().to_owned();
        let (id, url, map_url) = (text("scriptId"), text("url"), text("sourceMapURL"));
        let path = paths::script_path(&url);
        let Some(one) = self.threads.get_mut(&thread) else { return };
        if one.scripts.len() >= MAX_SCRIPTS {
            return;
        }
        let has_map = !map_url.is_empty() && !url.contains("/node_modules/") && !url.is_empty();
        let map = self.maps.get(&url).filter(|_| has_map).cloned();
        let needs_map = has_map && map.is_none();
        one.scripts.insert(id.clone(), Script { url, path, map, map_url });
        if needs_map {
            self.load_map_of_script(thread, &id);
        }
    }

    /// Loads the map of a script, unless it is known, and sets the breakpoints of its sources.
    pub(crate) fn load_map_of_script(&mut self, thread: i64, id: &str) {
        let Some(script) = self.script(thread, id) else { return };
        if script.map.is_some()
            || script.map_url.is_empty()
            || script.url.contains("/node_modules/")
        {
            return;
        }
        let (url, map_url) = (script.url.clone(), script.map_url.clone());
        let map = self.load_map(thread, &url, &map_url);
        if let Some(script) = self.threads.get_mut(&thread).and_then(|one| one.scripts.get_mut(id))
        {
            script.map = map;
            // Not tried again: the pause before the script follows.
            script.map_url = String::new();
        }
    }

    pub(crate) fn load_map(
        &mut self,
        thread: i64,
        url: &str,
        map_url: &str,
    ) -> Option<Arc<ScriptMap>> {
        let path = paths::script_path(url);
        match ScriptMap::load(path.as_deref(), map_url, &self.roots) {
            Ok(map) => {
                let map = Arc::new(map);
                self.maps.insert(url.to_owned(), map.clone());
                self.bind_mapped_script(thread, url, &map);
                Some(map)
            }
            Err(error) => {
                let name = path.map_or_else(|| url.to_owned(), |path| path.display().to_string());
                let text = format!("The source map of {name} is not used: {error}\n");
                self.client.output("console", &text);
                None
            }
        }
    }

    pub(crate) fn place_of_top(&self, thread: i64, paused: &PausedThread) -> TopPlace {
        let Some(frame) = paused.frames().first() else {
            return TopPlace { is_visible: true, is_skipped: false };
        };
        let id = frame["location"]["scriptId"].as_str().unwrap_or_default();
        let Some(script) = self.script(thread, id) else {
            return TopPlace { is_visible: true, is_skipped: false };
        };
        let is_skipped = script.is_internal();
        let at = position(&frame["location"]);
        let is_mapped = script.map.as_ref().is_none_or(|map| map.original(at).is_some());
        TopPlace { is_visible: is_mapped && !is_skipped, is_skipped }
    }

    /// `stackTrace`.
    pub(crate) fn stack_trace(&mut self, thread: i64, arguments: &Value) -> Result<Value, String> {
        let one = self.threads.get(&thread).ok_or("there is no such thread")?;
        let paused = one.paused.as_ref().ok_or("the thread is not paused")?;
        let mut listed: Vec<(Option<usize>, Value)> = paused
            .frames()
            .iter()
            .enumerate()
            .map(|(index, frame)| (Some(index), frame.clone()))
            .collect();
        let mut parent = &paused.params["asyncStackTrace"];
        while parent.is_object() {
            let name = parent["description"].as_str().unwrap_or("async");
            listed.push((None, json!({ "label": name })));
            for frame in parent["callFrames"].as_array().into_iter().flatten() {
                let location = json!({
                    "scriptId": frame["scriptId"], "lineNumber": frame["lineNumber"],
                    "columnNumber": frame["columnNumber"],
                });
                let name = &frame["functionName"];
                listed.push((None, json!({ "functionName": name, "location": location })));
            }
            parent = &parent["parent"];
        }
        let mut frames = Vec::new();
        for (index, frame) in listed {
            if let Some(label) = frame["label"].as_str() {
                let id = self.values.add_frame(thread, None);
                frames.push(json!({
                    "id": id, "name": label, "line": 0, "column": 0, "presentationHint": "label",
                }));
                continue;
            }
            let location = &frame["location"];
            let script_id = location["scriptId"].as_str().unwrap_or_default();
            let script = self.script(thread, script_id);
            if script.is_some_and(|script| script.is_internal() && !script.url.starts_with("node:"))
            {
                continue;
            }
            let is_internal = script.is_some_and(Script::is_internal);
            let (source, at) = self.source_at(thread, script_id, position(location));
            let name = frame["functionName"].as_str().filter(|name| !name.is_empty());
            let mut body = json!({
                "id": self.values.add_frame(thread, index), "name": name.unwrap_or("(anonymous)"),
                "source": source, "line": at.line + 1, "column": at.column + 1,
            });
            if is_internal {
                body["presentationHint"] = "subtle".into();
            }
            frames.push(body);
        }
        // A label at the end leads nowhere, and neither does one before nothing but Node's own code.
        while frames.last().is_some_and(|frame| frame["presentationHint"] == "label") {
            frames.pop();
        }
        let total = frames.len();
        let first = arguments["startFrame"].as_u64().unwrap_or(0) as usize;
        let levels = arguments["levels"].as_u64().unwrap_or(0) as usize;
        let levels = if levels == 0 { total } else { levels };
        let page: Vec<_> = frames.into_iter().skip(first).take(levels).collect();
        Ok(json!({ "stackFrames": page, "totalFrames": total }))
    }

    /// The source of a script's position, and the position there.
    fn source_at(&mut self, thread: i64, script_id: &str, at: Position) -> (Value, Position) {
        let Some(script) = self.threads.get(&thread).and_then(|one| one.scripts.get(script_id))
        else {
            return (Value::Null, at);
        };
        if let Some(map) = script.map.clone()
            && let Some((index, original)) = map.original(at)
        {
            return (self.mapped_source(&map, index), original);
        }
        let script = self.script(thread, script_id);
        let (url, path) =
            script.map_or((String::new(), None), |it| (it.url.clone(), it.path.clone()));
        (self.script_source(thread, script_id, &url, path.as_deref()), at)
    }

    fn mapped_source(&mut self, map: &Arc<ScriptMap>, index: usize) -> Value {
        let source = &map.sources[index];
        let shown = source
            .path
            .as_ref()
            .map_or_else(|| source.name.clone(), |path| path.to_string_lossy().into_owned());
        let name = shown.rsplit('/').next().unwrap_or(&shown).to_owned();
        let is_file = source.path.as_ref().is_some_and(|path| path.is_file());
        if is_file || source.text.is_none() {
            return json!({ "name": name, "path": shown });
        }
        let reference = self.texts.reference(shown.clone(), Text::Source(map.clone(), index));
        json!({ "name": name, "path": shown, "sourceReference": reference, "origin": "source map" })
    }

    fn script_source(&mut self, thread: i64, id: &str, url: &str, path: Option<&Path>) -> Value {
        if let Some(path) = path.filter(|path| path.is_file()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            return json!({ "name": name, "path": path });
        }
        let name = if url.is_empty() { format!("VM{id}") } else { url.to_owned() };
        let text = Text::Script(thread, id.to_owned());
        let reference = self.texts.reference(format!("{thread}:{id}"), text);
        let hint = if url.starts_with("node:") { "deemphasize" } else { "normal" };
        json!({ "name": name, "sourceReference": reference, "presentationHint": hint })
    }

    /// `source`.
    pub(crate) fn source_text(&self, arguments: &Value) -> Result<Value, String> {
        let reference = arguments["source"]["sourceReference"]
            .as_i64()
            .or_else(|| arguments["sourceReference"].as_i64())
            .unwrap_or(0);
        let content = match self.texts.get(reference).ok_or("there is no such source")? {
            Text::Source(map, index) => {
                map.sources.get(*index).and_then(|source| source.text.clone()).unwrap_or_default()
            }
            Text::Script(thread, id) => {
                let params = json!({ "scriptId": id });
                let found = self.call(*thread, "Debugger.getScriptSource", params)?;
                found["scriptSource"].as_str().unwrap_or_default().to_owned()
            }
        };
        Ok(json!({ "content": content, "mimeType": "text/javascript" }))
    }

    /// `loadedSources`.
    pub(crate) fn loaded_sources(&mut self) -> Value {
        let mut scripts = Vec::new();
        for (thread, one) in &self.threads {
            for (id, script) in &one.scripts {
                if !script.is_internal() {
                    let (url, path) = (script.url.clone(), script.path.clone());
                    scripts.push((*thread, id.clone(), url, path, script.map.clone()));
                }
            }
        }
        let mut sources = Vec::new();
        for (thread, id, url, path, map) in scripts {
            sources.push(self.script_source(thread, &id, &url, path.as_deref()));
            for index in 0..map.as_ref().map_or(0, |map| map.sources.len()) {
                if let Some(map) = &map {
                    sources.push(self.mapped_source(map, index));
                }
            }
        }
        json!({ "sources": sources })
    }
}

/// A number of a message; 0 for none.
pub(crate) fn u32_of(value: &Value) -> u32 {
    value.as_i64().map_or(0, |number| u32::try_from(number.max(0)).unwrap_or(u32::MAX))
}
