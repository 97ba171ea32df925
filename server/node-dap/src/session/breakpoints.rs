//! Sets breakpoints in all threads, in the text that runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::stack::{Script, u32_of};
use super::{MAIN_THREAD, Session};
use crate::hits::{HitCondition, LOG_BINDING, log_expression};
use crate::maps::{Position, ScriptMap};
use crate::paths;

/// A breakpoint's message while no script has its line.
const UNBOUND: &str = "no loaded script has this line yet";

/// The client's breakpoints.
#[derive(Default)]
pub(crate) struct Breakpoints {
    last: i64,
    by_file: BTreeMap<PathBuf, Vec<Breakpoint>>,
    has_log_binding: bool,
}

struct Breakpoint {
    id: i64,
    line: u32,
    column: Option<u32>,
    condition: Option<String>,
    hits: Option<HitCondition>,
    hit_count: u64,
    log: Option<String>,
    bindings: Vec<Binding>,
    actual_line: Option<u32>,
    problem: Option<String>,
}

/// A breakpoint in one thread.
struct Binding {
    thread: i64,
    id: String,
    /// The URL of the script whose source map has it; `None` if the file itself runs.
    mapped: Option<String>,
}

/// What the breakpoints at a pause call for.
pub(crate) struct HitBreakpoints {
    /// The client's numbers of those that stop.
    pub(crate) stopping: Vec<i64>,
    /// Log expressions to evaluate.
    pub(crate) logs: Vec<String>,
    /// Whether any of the pause's breakpoints are the client's.
    pub(crate) are_ours: bool,
}

impl Breakpoint {
    fn new(id: i64, wanted: &Value) -> Self {
        let text = |name: &str| {
            wanted[name].as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
        };
        let hits = text("hitCondition");
        let parsed = hits.as_deref().and_then(HitCondition::parse);
        let problem = hits.filter(|_| parsed.is_none()).map(|hits| {
            format!(
                "`{hits:.100}` is no hit condition: a number, or one after ==, >, >=, <, <= or %"
            )
        });
        Self {
            id,
            line: u32_of(&wanted["line"]).saturating_sub(1),
            column: wanted["column"].as_u64().map(|_| u32_of(&wanted["column"]).saturating_sub(1)),
            condition: text("condition"),
            hits: parsed,
            hit_count: 0,
            log: text("logMessage"),
            bindings: Vec::new(),
            actual_line: None,
            problem,
        }
    }

    /// The condition that the engine evaluates. One that logs never stops, unless hits are counted.
    fn engine_condition(&self) -> String {
        let logs = self.log.as_deref().filter(|_| self.hits.is_none()).map(log_expression);
        match (&self.condition, logs) {
            (None, None) => String::new(),
            (Some(condition), None) => condition.clone(),
            (None, Some(log)) => log,
            (Some(condition), Some(log)) => format!("({condition}) && {log}"),
        }
    }

    fn body(&self, path: &Path) -> Value {
        let mut body = json!({
            "id": self.id, "verified": self.actual_line.is_some(), "source": { "path": path },
            "line": self.actual_line.unwrap_or(self.line) + 1,
        });
        if let Some(problem) = &self.problem {
            body["message"] = problem.clone().into();
        } else if self.actual_line.is_none() {
            body["message"] = UNBOUND.into();
        }
        body
    }
}

impl Session {
    /// `setBreakpoints`: replaces those of a file.
    pub(crate) fn set_breakpoints(&mut self, arguments: &Value) -> Result<Value, String> {
        let path = arguments["source"]["path"].as_str().ok_or("the source has no path")?;
        let path = paths::normalize(Path::new(path));
        for old in self.breakpoints.by_file.remove(&path).unwrap_or_default() {
            self.unbind(&old.bindings);
        }
        let wanted = arguments["breakpoints"].as_array().cloned().unwrap_or_default();
        let mut all = Vec::with_capacity(wanted.len());
        for one in &wanted {
            self.breakpoints.last += 1;
            all.push(Breakpoint::new(self.breakpoints.last, one));
        }
        if all.iter().any(|one| one.log.is_some()) {
            self.add_log_binding();
        }
        self.breakpoints.by_file.insert(path.clone(), all);
        let threads: Vec<_> = self.threads.keys().copied().collect();
        for thread in threads {
            self.bind_file(thread, &path);
        }
        let all = self.breakpoints.by_file.get(&path);
        let bodies: Vec<_> = all.into_iter().flatten().map(|one| one.body(&path)).collect();
        Ok(json!({ "breakpoints": bodies }))
    }

    fn add_log_binding(&mut self) {
        self.breakpoints.has_log_binding = true;
        for thread in self.threads.keys().copied().collect::<Vec<_>>() {
            let _ = self.call(thread, "Runtime.addBinding", json!({ "name": LOG_BINDING }));
        }
    }

    /// Sets all breakpoints in a new thread.
    pub(crate) fn bind_all(&mut self, thread: i64) {
        if self.breakpoints.has_log_binding {
            let _ = self.call(thread, "Runtime.addBinding", json!({ "name": LOG_BINDING }));
        }
        for path in self.breakpoints.by_file.keys().cloned().collect::<Vec<_>>() {
            self.bind_file(thread, &path);
        }
    }

    fn bind_file(&mut self, thread: i64, path: &Path) {
        let mapped: Vec<_> = self
            .maps
            .iter()
            .filter_map(|(url, map)| Some((url.clone(), map.clone(), map.source(path)?)))
            .collect();
        let is_generated_from_itself =
            mapped.iter().any(|(url, ..)| paths::script_path(url).as_deref() == Some(path));
        let Some(mut all) = self.breakpoints.by_file.remove(path) else { return };
        for one in all.iter_mut().filter(|one| one.problem.is_none()) {
            if !is_generated_from_itself {
                self.bind_in_file(thread, path, one);
            }
            for (url, map, source) in &mapped {
                self.bind_in_generated(thread, one, url, map, *source);
            }
        }
        self.breakpoints.by_file.insert(path.to_owned(), all);
    }

    /// Binds to the file itself, whether it is loaded or not.
    fn bind_in_file(&mut self, thread: i64, path: &Path, one: &mut Breakpoint) {
        let mut regex = paths::url_regex(path);
        // Node names a script by its real path.
        if let Ok(real) = path.canonicalize()
            && real != path
        {
            regex = format!("{regex}|{}", paths::url_regex(&real));
        }
        let params = json!({
            "urlRegex": regex, "lineNumber": one.line, "columnNumber": one.column.unwrap_or(0),
            "condition": one.engine_condition(),
        });
        self.set_in_engine(thread, one, params, None, None);
    }

    fn bind_in_generated(
        &mut self,
        thread: i64,
        one: &mut Breakpoint,
        url: &str,
        map: &Arc<ScriptMap>,
        source: usize,
    ) {
        let is_bound =
            |binding: &Binding| binding.thread == thread && binding.mapped.as_deref() == Some(url);
        if one.bindings.iter().any(is_bound) {
            return;
        }
        let wanted = Position { line: one.line, column: one.column.unwrap_or(0) };
        let Some(at) = map.generated(source, wanted) else { return };
        let params = json!({
            "url": url, "lineNumber": at.line, "columnNumber": at.column,
            "condition": one.engine_condition(),
        });
        self.set_in_engine(thread, one, params, Some(url.to_owned()), Some(map));
    }

    fn set_in_engine(
        &mut self,
        thread: i64,
        one: &mut Breakpoint,
        params: Value,
        mapped: Option<String>,
        map: Option<&Arc<ScriptMap>>,
    ) {
        match self.call(thread, "Debugger.setBreakpointByUrl", params) {
            Ok(set) => {
                let id = set["breakpointId"].as_str().unwrap_or_default().to_owned();
                one.bindings.push(Binding { thread, id, mapped });
                if let Some(location) = set["locations"].get(0) {
                    let at = position(location);
                    let line = match map {
                        Some(map) => map.original(at).map(|(_, at)| at.line),
                        None => Some(at.line),
                    };
                    one.actual_line = line.or(Some(one.line));
                }
            }
            Err(why) => tracing::debug!("a breakpoint: {why}"),
        }
    }

    fn unbind(&self, bindings: &[Binding]) {
        for binding in bindings {
            let params = json!({ "breakpointId": binding.id });
            let _ = self.call(binding.thread, "Debugger.removeBreakpoint", params);
        }
    }

    pub(crate) fn remove_all_breakpoints(&mut self) {
        for one in std::mem::take(&mut self.breakpoints.by_file).into_values().flatten() {
            self.unbind(&one.bindings);
        }
    }

    /// Sets the breakpoints of a script's sources, now that its map is known.
    pub(crate) fn bind_mapped_script(&mut self, thread: i64, url: &str, map: &Arc<ScriptMap>) {
        let itself = paths::script_path(url);
        for path in self.breakpoints.by_file.keys().cloned().collect::<Vec<_>>() {
            let Some(source) = map.source(&path) else { continue };
            let Some(mut all) = self.breakpoints.by_file.remove(&path) else { continue };
            for one in &mut all {
                // The text that runs is another one: its lines are not the file's.
                if itself.as_deref() == Some(&path) {
                    let (own, rest) = std::mem::take(&mut one.bindings)
                        .into_iter()
                        .partition(|binding| binding.thread == thread && binding.mapped.is_none());
                    one.bindings = rest;
                    self.unbind(&own);
                }
                if one.problem.is_none() {
                    let before = one.actual_line;
                    self.bind_in_generated(thread, one, url, map, source);
                    if one.actual_line != before {
                        self.breakpoint_changed(&path, one);
                    }
                }
            }
            self.breakpoints.by_file.insert(path, all);
        }
    }

    fn breakpoint_changed(&self, path: &Path, one: &Breakpoint) {
        let body = json!({ "reason": "changed", "breakpoint": one.body(path) });
        self.client.event("breakpoint", body);
    }

    /// The engine has found the place of a breakpoint in a script that it loaded.
    pub(crate) fn breakpoint_resolved(&mut self, thread: i64, params: &Value) {
        let id = params["breakpointId"].as_str().unwrap_or_default();
        let location = &params["location"];
        let script = self.script(thread, location["scriptId"].as_str().unwrap_or_default());
        let map = script.and_then(|script| script.map.clone());
        let mut changed = None;
        for (path, all) in &mut self.breakpoints.by_file {
            for one in all {
                let bound = one.bindings.iter().find(|it| it.thread == thread && it.id == id);
                let Some(binding) = bound else { continue };
                let at = position(location);
                let line = match (&binding.mapped, &map) {
                    (Some(_), Some(map)) => map.original(at).map(|(_, at)| at.line),
                    (Some(_), None) => None,
                    (None, _) => Some(at.line),
                };
                let line = line.unwrap_or(one.line);
                if one.actual_line != Some(line) {
                    one.actual_line = Some(line);
                    changed = Some((path.clone(), one.body(path)));
                }
            }
        }
        if let Some((_, body)) = changed {
            self.client.event("breakpoint", json!({ "reason": "changed", "breakpoint": body }));
        }
    }

    /// Counts the hits of a pause's breakpoints.
    pub(crate) fn hit_breakpoints(&mut self, thread: i64, ids: &[Value]) -> HitBreakpoints {
        let mut hit = HitBreakpoints { stopping: Vec::new(), logs: Vec::new(), are_ours: false };
        for one in self.breakpoints.by_file.values_mut().flatten() {
            let is_hit = |it: &Binding| it.thread == thread && ids.iter().any(|id| *id == *it.id);
            if !one.bindings.iter().any(is_hit) {
                continue;
            }
            hit.are_ours = true;
            one.hit_count += 1;
            match (one.hits, &one.log) {
                (Some(hits), _) if !hits.holds(one.hit_count) => {}
                (Some(_), Some(log)) => hit.logs.push(log_expression(log)),
                _ => hit.stopping.push(one.id),
            }
        }
        hit
    }

    /// `setExceptionBreakpoints`.
    pub(crate) fn set_exception_breakpoints(&mut self, arguments: &Value) -> Value {
        let filters = arguments["filters"].as_array().cloned().unwrap_or_default();
        let has = |name: &str| filters.iter().any(|filter| filter == name);
        self.exception_state = if has("all") {
            "all"
        } else if has("uncaught") {
            "uncaught"
        } else {
            "none"
        };
        for thread in self.threads.keys().copied().collect::<Vec<_>>() {
            let params = json!({ "state": self.exception_state });
            let _ = self.call(thread, "Debugger.setPauseOnExceptions", params);
        }
        json!({})
    }

    /// `breakpointLocations`: the columns of a line where the program can stop.
    pub(crate) fn breakpoint_locations(&self, arguments: &Value) -> Result<Value, String> {
        let path = arguments["source"]["path"].as_str().unwrap_or_default();
        let path = paths::normalize(Path::new(path));
        let first = u32_of(&arguments["line"]).saturating_sub(1);
        let last = arguments["endLine"]
            .as_u64()
            .map_or(first, |_| u32_of(&arguments["endLine"]).saturating_sub(1));
        let thread = self.threads.get(&MAIN_THREAD).ok_or("the program has ended")?;
        let of_file = |(_, script): &(&String, &Script)| {
            script.path.as_deref() == Some(&path) && script.map.is_none()
        };
        let Some((id, _)) = thread.scripts.iter().find(of_file) else {
            return Ok(json!({ "breakpoints": [] }));
        };
        let place = |line: u32| json!({ "scriptId": id, "lineNumber": line, "columnNumber": 0 });
        let params = json!({ "start": place(first), "end": place(last + 1) });
        let found = self.call(MAIN_THREAD, "Debugger.getPossibleBreakpoints", params)?;
        let all: Vec<_> = found["locations"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|one| {
                let at = position(one);
                json!({ "line": at.line + 1, "column": at.column + 1 })
            })
            .collect();
        Ok(json!({ "breakpoints": all }))
    }
}

/// The position of an engine's location.
pub(crate) fn position(location: &Value) -> Position {
    Position { line: u32_of(&location["lineNumber"]), column: u32_of(&location["columnNumber"]) }
}
