//! The client's requests.

use serde_json::{Value, json};

use super::{ClientFeatures, MAIN_THREAD, Session};
use crate::wire::Request;

impl Session {
    pub(crate) fn request(&mut self, request: &Request) {
        let arguments = &request.arguments;
        let thread = arguments["threadId"].as_i64().unwrap_or(MAIN_THREAD);
        let nothing = |done: Result<(), String>| done.map(|()| Value::Null);
        let result = match request.command.as_str() {
            "initialize" => Ok(self.initialize(arguments)),
            "launch" | "attach" => {
                let done = if request.command == "launch" {
                    self.launch(arguments)
                } else {
                    self.attach(arguments)
                };
                let is_connected = done.is_ok();
                self.client.respond(request, nothing(done));
                if is_connected {
                    self.client.event("initialized", json!({}));
                }
                return;
            }
            "configurationDone" => nothing(self.configuration_done()),
            "setBreakpoints" => self.set_breakpoints(arguments),
            "setExceptionBreakpoints" => Ok(self.set_exception_breakpoints(arguments)),
            "breakpointLocations" => self.breakpoint_locations(arguments),
            "threads" => Ok(self.list_threads()),
            "stackTrace" => self.stack_trace(thread, arguments),
            "scopes" => self.scopes(arguments),
            "variables" => self.variables(arguments),
            "evaluate" => self.evaluate(arguments),
            "setVariable" => self.set_variable(arguments),
            "continue" => self
                .resume(thread, "Debugger.resume")
                .map(|()| json!({ "allThreadsContinued": false })),
            "next" => nothing(self.resume(thread, "Debugger.stepOver")),
            "stepIn" => nothing(self.resume(thread, "Debugger.stepInto")),
            "stepOut" => nothing(self.resume(thread, "Debugger.stepOut")),
            "pause" => nothing(self.pause(thread)),
            "exceptionInfo" => self.exception_info(thread),
            "source" => self.source_text(arguments),
            "loadedSources" => Ok(self.loaded_sources()),
            "terminate" => {
                self.client.respond(request, Ok(Value::Null));
                return self.terminate();
            }
            "disconnect" => {
                let ends_program = arguments["terminateDebuggee"].as_bool().unwrap_or(true);
                self.end(ends_program);
                self.client.respond(request, Ok(Value::Null));
                return;
            }
            other => Err(format!("`{other:.100}` is not supported")),
        };
        self.client.respond(request, result);
    }

    fn initialize(&mut self, arguments: &Value) -> Value {
        let can = |name: &str| arguments[name].as_bool().unwrap_or(false);
        self.client_features = ClientFeatures {
            runs_in_terminal: can("supportsRunInTerminalRequest"),
            starts_debugging: can("supportsStartDebuggingRequest"),
        };
        json!({
            "supportsConfigurationDoneRequest": true,
            "supportsConditionalBreakpoints": true,
            "supportsHitConditionalBreakpoints": true,
            "supportsLogPoints": true,
            "supportsBreakpointLocationsRequest": true,
            "supportsEvaluateForHovers": true,
            "supportsSetVariable": true,
            "supportsExceptionInfoRequest": true,
            "supportsLoadedSourcesRequest": true,
            "supportsDelayedStackTraceLoading": true,
            "supportsTerminateRequest": true,
            "supportTerminateDebuggee": true,
            "exceptionBreakpointFilters": [
                { "filter": "all", "label": "Caught exceptions", "default": false },
                { "filter": "uncaught", "label": "Uncaught exceptions", "default": true },
            ],
        })
    }

    fn list_threads(&self) -> Value {
        let all: Vec<_> = self
            .threads
            .iter()
            .map(|(id, thread)| json!({ "id": id, "name": thread.name }))
            .collect();
        json!({ "threads": all })
    }

    fn terminate(&mut self) {
        self.interrupt.store(false, std::sync::atomic::Ordering::Relaxed);
        if let Some(mut launched) = self.launched.take() {
            // A paused program handles no signal.
            if let Some(inspector) = self.inspector.take() {
                inspector.close();
            }
            launched.terminate(true);
        }
        self.terminated();
    }
}
