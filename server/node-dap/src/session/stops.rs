//! Decides what a pause is: the client's, or one of the adapter's own.

use serde_json::{Value, json};

use super::stack::PausedThread;
use super::{Session, Step};

/// How often a step goes on by itself through code without a source.
const MAX_REPEATS: u32 = 200;
/// At how many places a step that was interrupted may end.
const MAX_PLACES: usize = 100;
/// The function of the bootloader that stops before a script with a source map.
const BEFORE_SCRIPT: &str = "tandemBeforeScript";

impl Session {
    pub(crate) fn paused(&mut self, thread: i64, params: Value) {
        let reason = params["reason"].as_str().unwrap_or_default().to_owned();
        let hit_ids = params["hitBreakpoints"].as_array().cloned().unwrap_or_default();
        let is_instrumentation =
            reason == "instrumentation" && params["data"]["scriptId"].is_string();
        if is_instrumentation {
            let id = params["data"]["scriptId"].as_str().unwrap_or_default().to_owned();
            self.load_map_of_script(thread, &id);
            self.keep_step(thread, &params["callFrames"]);
            return self.go_on(thread);
        }
        if params["callFrames"][0]["functionName"] == BEFORE_SCRIPT {
            self.before_module(thread, &params["callFrames"][0]);
            self.keep_step(thread, &params["callFrames"]);
            return self.go_on(thread);
        }
        let paused = PausedThread::new(params);
        let top = self.place_of_top(thread, &paused);
        let hit = self.hit_breakpoints(thread, &hit_ids);
        let step = self.threads.get(&thread).and_then(|one| one.step);
        let is_requested = self.threads.get(&thread).is_some_and(|one| one.is_pause_requested);
        for log in &hit.logs {
            let frame = paused.call_frame_id(0);
            let params = json!({ "callFrameId": frame, "expression": log, "silent": true });
            let _ = self.call(thread, "Debugger.evaluateOnCallFrame", params);
        }
        let was_kept = self.end_kept_step(thread, &hit_ids);
        let is_exception = matches!(reason.as_str(), "exception" | "promiseRejection");
        let (kind, description) = if reason == "Break on start" {
            if !self.config.stop_on_entry {
                return self.go_on(thread);
            }
            ("entry", "Paused on entry")
        } else if is_exception {
            ("exception", "Paused on exception")
        } else if !hit.stopping.is_empty() {
            ("breakpoint", "Paused on breakpoint")
        } else if let Some(step) =
            step.filter(|_| matches!(reason.as_str(), "step" | "other" | "ambiguous"))
        {
            // A step ends where the person can see it.
            if !top.is_visible && step.repeats < MAX_REPEATS {
                return self.repeat_step(thread, step, top.is_skipped);
            }
            ("step", "Paused after step")
        } else if was_kept {
            ("step", "Paused after step")
        } else if hit.are_ours {
            return self.go_on(thread);
        } else if is_requested {
            ("pause", "Paused")
        } else {
            ("breakpoint", "Paused on debugger statement")
        };
        let mut body = json!({
            "reason": kind, "description": description, "threadId": thread,
            "allThreadsStopped": self.threads.len() == 1, "hitBreakpointIds": hit.stopping,
        });
        if is_exception {
            body["text"] = paused.exception_text().into();
        }
        if let Some(one) = self.threads.get_mut(&thread) {
            (one.step, one.is_pause_requested) = (None, false);
            one.paused = Some(paused);
            one.paused.iter_mut().for_each(|it| it.stopped = body.clone());
        }
        self.client.event("stopped", body);
    }

    /// Reads the source map of a module that is about to be compiled.
    fn before_module(&mut self, thread: i64, frame: &Value) {
        let params = json!({
            "callFrameId": frame["callFrameId"], "expression": "[filename, url]",
            "returnByValue": true, "silent": true,
        });
        let arguments = match self.call(thread, "Debugger.evaluateOnCallFrame", params) {
            Ok(done) => done["result"]["value"].clone(),
            Err(why) => return tracing::debug!("a module's map: {why}"),
        };
        if let (Some(file), Some(map)) = (arguments[0].as_str(), arguments[1].as_str()) {
            let url = crate::paths::file_url(std::path::Path::new(file));
            self.load_map(thread, &url, map);
        }
    }

    /// Replaces a step, which one of the adapter's own pauses has ended, by breakpoints at all places of the
    /// stepping function that it may come to next.
    fn keep_step(&mut self, thread: i64, frames: &Value) {
        let Some(step) = self.threads.get_mut(&thread).and_then(|one| one.step.take()) else {
            return;
        };
        let frames = frames.as_array().map_or(&[][..], Vec::as_slice);
        let mut own = frames.iter().skip(1).filter(|frame| {
            let id = frame["location"]["scriptId"].as_str().unwrap_or_default();
            self.script(thread, id).is_some_and(|script| !script.is_internal())
        });
        let frame = if step.method == "Debugger.stepOut" { own.nth(1) } else { own.next() };
        let Some(frame) = frame else { return };
        let mut start = frame["location"].clone();
        start["columnNumber"] = (start["columnNumber"].as_i64().unwrap_or(0) + 1).into();
        let params = json!({ "start": start, "restrictToFunction": true });
        let places = match self.call(thread, "Debugger.getPossibleBreakpoints", params) {
            Ok(found) => found["locations"].as_array().cloned().unwrap_or_default(),
            Err(why) => return tracing::debug!("a step: {why}"),
        };
        for place in places.into_iter().take(MAX_PLACES) {
            let location = json!({
                "scriptId": place["scriptId"], "lineNumber": place["lineNumber"],
                "columnNumber": place["columnNumber"],
            });
            // One that is a breakpoint already is refused, and stops all the same.
            let set = self.call(thread, "Debugger.setBreakpoint", json!({ "location": location }));
            if let (Ok(set), Some(one)) = (set, self.threads.get_mut(&thread)) {
                one.step_places.push(set["breakpointId"].clone());
            }
        }
    }

    /// Removes the breakpoints of [`Self::keep_step`]; whether one of them was hit.
    fn end_kept_step(&mut self, thread: i64, hit_ids: &[Value]) -> bool {
        let Some(one) = self.threads.get_mut(&thread) else { return false };
        let places = std::mem::take(&mut one.step_places);
        for id in &places {
            let _ = self.call(thread, "Debugger.removeBreakpoint", json!({ "breakpointId": id }));
        }
        places.iter().any(|id| hit_ids.contains(id))
    }

    fn go_on(&mut self, thread: i64) {
        if let Err(why) = self.call(thread, "Debugger.resume", json!({})) {
            tracing::debug!("{why}");
        }
    }

    fn repeat_step(&mut self, thread: i64, step: Step, is_skipped: bool) {
        let method = if is_skipped { "Debugger.stepOut" } else { step.method };
        if let Some(one) = self.threads.get_mut(&thread) {
            one.step = Some(Step { repeats: step.repeats + 1, ..step });
        }
        let _ = self.call(thread, method, json!({}));
    }

    pub(crate) fn resumed(&mut self, thread: i64) {
        let Some(one) = self.threads.get_mut(&thread) else { return };
        if one.paused.take().is_none() {
            return;
        }
        self.values.forget(thread);
        let body = json!({ "threadId": thread, "allThreadsContinued": false });
        self.client.event("continued", body);
        // Clients that follow one stop at a time learn of the others.
        let others = self.threads.values().filter_map(|one| one.paused.as_ref());
        if let Some(other) = others.map(|paused| paused.stopped.clone()).next() {
            self.client.event("stopped", other);
        }
    }

    /// `continue` and the steps.
    pub(crate) fn resume(&mut self, thread: i64, method: &'static str) -> Result<(), String> {
        let one = self.threads.get_mut(&thread).ok_or("there is no such thread")?;
        if one.paused.is_none() {
            return Err("the thread is not paused".to_owned());
        }
        one.step = (method != "Debugger.resume").then_some(Step { method, repeats: 0 });
        self.call(thread, method, json!({})).map(drop)
    }

    pub(crate) fn pause(&mut self, thread: i64) -> Result<(), String> {
        let one = self.threads.get_mut(&thread).ok_or("there is no such thread")?;
        one.is_pause_requested = true;
        self.call(thread, "Debugger.pause", json!({}))?;
        self.watch_for_idle(thread);
        Ok(())
    }

    /// `exceptionInfo`.
    pub(crate) fn exception_info(&self, thread: i64) -> Result<Value, String> {
        let paused = self.threads.get(&thread).and_then(|one| one.paused.as_ref());
        let paused = paused.ok_or("the thread is not paused")?;
        Ok(paused.exception_info())
    }
}
