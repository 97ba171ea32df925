//! DAP requests and their responses.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ::debug::{ClientRequest, Session as Debugged, WaitLimits};
use serde_json::{Map, Value, json};

use super::{DapConnection, Flow, find_session, tool_call};

/// How long the adapter may take for a read-only request.
const ADAPTER_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest expression, in bytes.
const MAX_EXPRESSION_BYTES: usize = 20_000;
/// Launch arguments: the name in the tool `debug_launch`, and in DAP.
const LAUNCH_ARGUMENTS: &[(&str, &str)] = &[
    ("program", "program"),
    ("module", "module"),
    ("test", "test"),
    ("args", "args"),
    ("cwd", "cwd"),
    ("env", "env"),
    ("debugger", "debugger"),
    ("network", "network"),
    ("sandbox", "sandbox"),
    ("stop_on_entry", "stopOnEntry"),
    ("just_my_code", "justMyCode"),
];

const READ_ONLY: &str =
    "this session is read-only: `tandem dap --session ID --full` controls it after approval";

impl DapConnection {
    pub(super) async fn handle_request(&mut self, request: ClientRequest) -> Flow {
        let arguments = &request.arguments;
        match request.command.as_str() {
            "initialize" => {
                let counts = |name: &str| arguments[name].as_bool().unwrap_or(true);
                if !counts("linesStartAt1") || !counts("columnsStartAt1") {
                    let why = "only 1-based lines and columns are supported";
                    return self.respond(&request, Err(why.to_owned()));
                }
                self.respond(&request, Ok(self.capabilities()))
            }
            "attach" if self.debugged.is_none() => self.attach(&request).await,
            "launch" | "attach" if self.debugged.is_some() => {
                let _ = self.respond(&request, Ok(Value::Null));
                self.send_event("initialized", Value::Null)
            }
            "launch" => {
                self.launch = Some(request);
                self.send_event("initialized", Value::Null)
            }
            "setBreakpoints" => {
                let result = self.set_breakpoints(&request).await;
                self.respond(&request, result)
            }
            "setFunctionBreakpoints" | "setDataBreakpoints" | "setExceptionBreakpoints" => {
                self.respond(&request, Ok(json!({ "breakpoints": [] })))
            }
            "configurationDone" => self.configuration_done(&request).await,
            "cancel" => self.respond(&request, Ok(Value::Null)),
            "continue" => self.step(&request, "continue").await,
            "next" => self.step(&request, "over").await,
            "stepIn" => self.step(&request, "into").await,
            "stepOut" => self.step(&request, "out").await,
            "pause" => self.run_tool(request, "debug_pause", json!({}), |_| Value::Null),
            "terminate" => self.run_tool(request, "debug_stop", json!({}), |_| Value::Null),
            "setVariable" => {
                let params = json!({
                    "reference": arguments["variablesReference"], "name": arguments["name"],
                    "value": arguments["value"],
                });
                self.run_tool(
                    request,
                    "debug_set_variable",
                    params,
                    |done| json!({ "value": done["value"], "type": done["type"] }),
                )
            }
            "evaluate" => self.evaluate(request),
            "disconnect" => {
                let ends = arguments["terminateDebuggee"].as_bool();
                if let (Some(session), true) = (&self.debugged, self.may_control)
                    && ends.unwrap_or(self.owns_session)
                {
                    let params = json!({ "session": session.id() });
                    let _ = tool_call::call(&self.client, "debug_stop", params).await;
                }
                // With `terminateDebuggee: false` the program outlives this connection.
                self.owns_session &= ends != Some(false);
                let _ = self.respond(&request, Ok(Value::Null));
                Flow::Stop
            }
            "threads" if self.debugged.is_none() => {
                self.respond(&request, Ok(json!({ "threads": [] })))
            }
            _ => self.forward(request),
        }
    }

    fn capabilities(&self) -> Value {
        let mut can = json!({
            "supportsConfigurationDoneRequest": true,
            "supportsConditionalBreakpoints": true,
            "supportsHitConditionalBreakpoints": true,
            "supportsLogPoints": true,
            "supportsEvaluateForHovers": true,
            "supportsDelayedStackTraceLoading": true,
            "supportsCancelRequest": true,
            "supportTerminateDebuggee": self.may_control,
            "supportsTerminateRequest": self.may_control,
            "supportsSetVariable": self.may_control,
        });
        if let Some(session) = &self.debugged {
            let adapter = session.capabilities();
            can["supportsSetVariable"] = (self.may_control && adapter.supports_set_variable).into();
            can["supportsExceptionInfoRequest"] = adapter.supports_exception_info_request.into();
            can["supportsEvaluateForHovers"] = adapter.supports_evaluate_for_hovers.into();
        }
        can
    }

    /// Joins a session by its id, or attaches to a process.
    async fn attach(&mut self, request: &ClientRequest) -> Flow {
        let arguments = &request.arguments;
        let found = match (arguments["session"].as_u64(), arguments["processId"].as_u64()) {
            (Some(id), _) => {
                let greeting = super::DapGreeting {
                    session: Some(id),
                    full: arguments["full"].as_bool().unwrap_or(false),
                };
                let access = super::check_access(&self.client, &greeting).await;
                self.may_control = greeting.full;
                access.map(|()| id)
            }
            (None, Some(process)) => {
                let params = json!({ "pid": process, "debugger": arguments["debugger"] });
                let done =
                    tool_call::call(&self.client, "debug_attach", without_nulls(params)).await;
                self.owns_session = done.is_ok();
                done.map(|report| report["session"].as_u64().unwrap_or_default())
            }
            (None, None) => {
                Err("specify a `session` to join or a `processId` to attach to".to_owned())
            }
        };
        match found.map(|id| find_session(&self.client, id)) {
            Ok(Some(session)) => {
                self.debugged = Some(session);
                let _ = self.respond(request, Ok(Value::Null));
                self.send_event("initialized", Value::Null)
            }
            Ok(None) => self.respond(request, Err("the session no longer exists".to_owned())),
            Err(why) => self.respond(request, Err(why)),
        }
    }

    /// Handles `configurationDone`: starts the pending launch.
    async fn configuration_done(&mut self, request: &ClientRequest) -> Flow {
        if let Some(launch) = self.launch.take() {
            let mut params = Map::from_iter([("wait_ms".to_owned(), json!(0))]);
            for (name, own) in LAUNCH_ARGUMENTS {
                let value = &launch.arguments[*own];
                if !value.is_null() {
                    params.insert((*name).to_owned(), value.clone());
                }
            }
            let started = tool_call::call(&self.client, "debug_launch", params.into()).await;
            let id = started.as_ref().ok().and_then(|report| report["session"].as_u64());
            self.debugged = id.and_then(|id| find_session(&self.client, id));
            self.owns_session = self.debugged.is_some();
            let _ = self.respond(request, Ok(Value::Null));
            let is_over = self.debugged.is_none();
            let _ = self.respond(&launch, started.map(|_| Value::Null));
            if is_over {
                return self.send_event("terminated", json!({}));
            }
        } else {
            let _ = self.respond(request, Ok(Value::Null));
        }
        self.is_attached = true;
        self.send_state()
    }

    fn tool_params(&self, params: Value) -> Result<Value, String> {
        let session = self.debugged.as_ref().ok_or("no program is being debugged")?;
        if !self.may_control {
            return Err(READ_ONLY.to_owned());
        }
        let mut params = params;
        params["session"] = session.id().into();
        Ok(without_nulls(params))
    }

    /// Resumes the program. Events follow the response.
    async fn step(&mut self, request: &ClientRequest, action: &str) -> Flow {
        let thread = &request.arguments["threadId"];
        let params = json!({ "action": action, "thread": thread, "wait_ms": 0 });
        let result = match self.tool_params(params) {
            Ok(params) => tool_call::call(&self.client, "debug_step", params).await,
            Err(why) => Err(why),
        };
        self.respond(request, result.map(|_| json!({ "allThreadsContinued": true })))
    }

    /// Runs a tool in the background and responds with its result, converted by `convert`.
    fn run_tool(
        &self,
        request: ClientRequest,
        tool: &'static str,
        params: Value,
        convert: fn(&Value) -> Value,
    ) -> Flow {
        let params = match self.tool_params(params) {
            Ok(params) => params,
            Err(why) => return self.respond(&request, Err(why)),
        };
        let (client, outgoing) = (self.client.clone(), self.outgoing.clone());
        tokio::spawn(async move {
            let done = tool_call::call(&client, tool, params).await;
            let _ = outgoing.respond(&request, done.map(|done| convert(&done)));
        });
        Flow::Continue
    }

    /// Evaluates an expression: by the adapter if it has no side effects, else by the tool, with approval.
    fn evaluate(&self, request: ClientRequest) -> Flow {
        let arguments = &request.arguments;
        let expression = arguments["expression"].as_str().unwrap_or_default();
        if expression.len() > MAX_EXPRESSION_BYTES {
            return self.respond(
                &request,
                Err(format!("the expression exceeds {MAX_EXPRESSION_BYTES} bytes")),
            );
        }
        let is_read_only =
            self.debugged.as_ref().is_none_or(|session| session.is_side_effect_free(expression));
        if is_read_only {
            let mut request = request;
            // In `repl`, some adapters would interpret names as their own commands.
            if request.arguments["context"] == "repl" {
                request.arguments["context"] = "watch".into();
            }
            return self.forward(request);
        }
        let params = json!({
            "expression": expression, "frame": arguments["frameId"],
            "context": if arguments["context"] == "repl" { "repl" } else { "watch" },
        });
        self.run_tool(request, "debug_evaluate", params, |done| {
            json!({
                "result": done["result"], "type": done["type"],
                "variablesReference": done["reference"].as_i64().unwrap_or(0),
            })
        })
    }

    /// Forwards a read-only request to the session's adapter.
    fn forward(&self, request: ClientRequest) -> Flow {
        let Some(session) = self.debugged.clone() else {
            return self.respond(&request, Err("no program is being debugged".to_owned()));
        };
        let Ok(permit) = self.adapter_permits.clone().try_acquire_owned() else {
            return self.respond(&request, Err("too many concurrent requests".to_owned()));
        };
        let outgoing = self.outgoing.clone();
        tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let result = forward_to_adapter(&session, &request);
            let _ = outgoing.respond(&request, result);
        });
        Flow::Continue
    }
}

fn forward_to_adapter(session: &Arc<Debugged>, request: &ClientRequest) -> Result<Value, String> {
    let never = AtomicBool::new(false);
    let patience = WaitLimits { timeout: ADAPTER_TIMEOUT, interrupt: &never };
    let result = session.forward(&request.command, &request.arguments, patience);
    result.map_err(|error| error.to_string())
}

fn without_nulls(mut params: Value) -> Value {
    if let Some(fields) = params.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    params
}
