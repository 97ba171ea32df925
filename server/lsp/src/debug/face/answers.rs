//! Requests of the user interface, and what they are answered.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ::debug::{Asked, Patience, Session as Debugged};
use serde_json::{Map, Value, json};

use super::{Next, View, find, tool};

/// How long the adapter may take for what a user interface wants to know.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest expression, in bytes.
const LONGEST: usize = 20_000;
/// What a launch may say, as the tool `debug_launch` takes it: its name there, and here.
const LAUNCH: &[(&str, &str)] = &[
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

const WATCHING: &str = "this view only watches the session: `tandem dap --session ID --full` takes it \
                        over, with the person's leave";

impl View {
    pub(super) async fn asked(&mut self, asked: Asked) -> Next {
        let arguments = &asked.arguments;
        match asked.command.as_str() {
            "initialize" => {
                let counts = |name: &str| arguments[name].as_bool().unwrap_or(true);
                if !counts("linesStartAt1") || !counts("columnsStartAt1") {
                    let why = "lines and columns are counted from 1 here";
                    return self.answer(&asked, Err(why.to_owned()));
                }
                self.answer(&asked, Ok(self.capabilities()))
            }
            "attach" if self.debugged.is_none() => self.attach(&asked).await,
            "launch" | "attach" if self.debugged.is_some() => {
                let _ = self.answer(&asked, Ok(Value::Null));
                self.tell("initialized", Value::Null)
            }
            "launch" => {
                self.launch = Some(asked);
                self.tell("initialized", Value::Null)
            }
            "setBreakpoints" => {
                let result = self.set_breakpoints(&asked).await;
                self.answer(&asked, result)
            }
            "setFunctionBreakpoints" | "setDataBreakpoints" | "setExceptionBreakpoints" => {
                self.answer(&asked, Ok(json!({ "breakpoints": [] })))
            }
            "configurationDone" => self.configured(&asked).await,
            "cancel" => self.answer(&asked, Ok(Value::Null)),
            "continue" => self.step(&asked, "continue").await,
            "next" => self.step(&asked, "over").await,
            "stepIn" => self.step(&asked, "into").await,
            "stepOut" => self.step(&asked, "out").await,
            "pause" => self.by_tool(asked, "debug_pause", json!({}), |_| Value::Null),
            "terminate" => self.by_tool(asked, "debug_stop", json!({}), |_| Value::Null),
            "setVariable" => {
                let params = json!({
                    "reference": arguments["variablesReference"], "name": arguments["name"],
                    "value": arguments["value"],
                });
                self.by_tool(
                    asked,
                    "debug_set_variable",
                    params,
                    |done| json!({ "value": done["value"], "type": done["type"] }),
                )
            }
            "evaluate" => self.evaluate(asked),
            "disconnect" => {
                let ends = arguments["terminateDebuggee"].as_bool();
                if let (Some(session), true) = (&self.debugged, self.is_full)
                    && ends.unwrap_or(self.is_own)
                {
                    let params = json!({ "session": session.id() });
                    let _ = tool::call(&self.client, "debug_stop", params).await;
                }
                // What is to go on does so without its interface.
                self.is_own &= ends != Some(false);
                let _ = self.answer(&asked, Ok(Value::Null));
                Next::Over
            }
            "threads" if self.debugged.is_none() => {
                self.answer(&asked, Ok(json!({ "threads": [] })))
            }
            _ => self.forward(asked),
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
            "supportTerminateDebuggee": self.is_full,
            "supportsTerminateRequest": self.is_full,
            "supportsSetVariable": self.is_full,
        });
        if let Some(session) = &self.debugged {
            let adapter = session.capabilities();
            can["supportsSetVariable"] = (self.is_full && adapter.supports_set_variable).into();
            can["supportsExceptionInfoRequest"] = adapter.supports_exception_info_request.into();
            can["supportsEvaluateForHovers"] = adapter.supports_evaluate_for_hovers.into();
        }
        can
    }

    /// Joins a session by what the request says: its number, a process, or the only one there is.
    async fn attach(&mut self, asked: &Asked) -> Next {
        let arguments = &asked.arguments;
        let found = match (arguments["session"].as_u64(), arguments["processId"].as_u64()) {
            (Some(id), _) => {
                let wants = super::Wanted {
                    session: Some(id),
                    full: arguments["full"].as_bool().unwrap_or(false),
                };
                let admitted = super::admitted(&self.client, &wants).await;
                self.is_full = wants.full;
                admitted.map(|()| id)
            }
            (None, Some(process)) => {
                let params = json!({ "pid": process, "debugger": arguments["debugger"] });
                let done = tool::call(&self.client, "debug_attach", without_nulls(params)).await;
                self.is_own = done.is_ok();
                done.map(|report| report["session"].as_u64().unwrap_or_default())
            }
            (None, None) => {
                Err("say which `session` to join, or the `processId` to attach to".to_owned())
            }
        };
        match found.map(|id| find(&self.client, id)) {
            Ok(Some(session)) => {
                self.debugged = Some(session);
                let _ = self.answer(asked, Ok(Value::Null));
                self.tell("initialized", Value::Null)
            }
            Ok(None) => self.answer(asked, Err("the session is gone".to_owned())),
            Err(why) => self.answer(asked, Err(why)),
        }
    }

    /// All has been said that comes first: what was to be launched starts.
    async fn configured(&mut self, asked: &Asked) -> Next {
        if let Some(launch) = self.launch.take() {
            let mut params = Map::from_iter([("wait_ms".to_owned(), json!(0))]);
            for (name, own) in LAUNCH {
                let value = &launch.arguments[*own];
                if !value.is_null() {
                    params.insert((*name).to_owned(), value.clone());
                }
            }
            let started = tool::call(&self.client, "debug_launch", params.into()).await;
            let id = started.as_ref().ok().and_then(|report| report["session"].as_u64());
            self.debugged = id.and_then(|id| find(&self.client, id));
            self.is_own = self.debugged.is_some();
            let _ = self.answer(asked, Ok(Value::Null));
            let is_over = self.debugged.is_none();
            let _ = self.answer(&launch, started.map(|_| Value::Null));
            if is_over {
                return self.tell("terminated", json!({}));
            }
        } else {
            let _ = self.answer(asked, Ok(Value::Null));
        }
        self.is_attached = true;
        self.catch_up()
    }

    fn params(&self, params: Value) -> Result<Value, String> {
        let session = self.debugged.as_ref().ok_or("nothing is being debugged")?;
        if !self.is_full {
            return Err(WATCHING.to_owned());
        }
        let mut params = params;
        params["session"] = session.id().into();
        Ok(without_nulls(params))
    }

    /// Lets the program go on. What comes about then is told after the answer.
    async fn step(&mut self, asked: &Asked, action: &str) -> Next {
        let thread = &asked.arguments["threadId"];
        let params = json!({ "action": action, "thread": thread, "wait_ms": 0 });
        let result = match self.params(params) {
            Ok(params) => tool::call(&self.client, "debug_step", params).await,
            Err(why) => Err(why),
        };
        self.answer(asked, result.map(|_| json!({ "allThreadsContinued": true })))
    }

    /// Has a tool do it, while other requests are answered.
    fn by_tool(
        &self,
        asked: Asked,
        tool: &'static str,
        params: Value,
        told: fn(&Value) -> Value,
    ) -> Next {
        let params = match self.params(params) {
            Ok(params) => params,
            Err(why) => return self.answer(&asked, Err(why)),
        };
        let (client, voice) = (self.client.clone(), self.voice.clone());
        tokio::spawn(async move {
            let done = tool::call(&client, tool, params).await;
            let _ = voice.answer(&asked, done.map(|done| told(&done)));
        });
        Next::On
    }

    /// Values of expressions that only look come from the adapter; others have leave asked for.
    fn evaluate(&self, asked: Asked) -> Next {
        let arguments = &asked.arguments;
        let expression = arguments["expression"].as_str().unwrap_or_default();
        if expression.len() > LONGEST {
            return self.answer(&asked, Err(format!("the expression exceeds {LONGEST} bytes")));
        }
        let looks = self.debugged.as_ref().is_none_or(|session| session.only_looks(expression));
        if looks {
            let mut asked = asked;
            // In `repl`, some adapters take names for commands of theirs.
            if asked.arguments["context"] == "repl" {
                asked.arguments["context"] = "watch".into();
            }
            return self.forward(asked);
        }
        let params = json!({
            "expression": expression, "frame": arguments["frameId"],
            "context": if arguments["context"] == "repl" { "repl" } else { "watch" },
        });
        self.by_tool(asked, "debug_evaluate", params, |done| {
            json!({
                "result": done["result"], "type": done["type"],
                "variablesReference": done["reference"].as_i64().unwrap_or(0),
            })
        })
    }

    /// Asks the session's own adapter.
    fn forward(&self, asked: Asked) -> Next {
        let Some(session) = self.debugged.clone() else {
            return self.answer(&asked, Err("nothing is being debugged".to_owned()));
        };
        let Ok(place) = self.questions.clone().try_acquire_owned() else {
            return self.answer(&asked, Err("too many questions at a time".to_owned()));
        };
        let voice = self.voice.clone();
        tokio::task::spawn_blocking(move || {
            let _place = place;
            let result = looked(&session, &asked);
            let _ = voice.answer(&asked, result);
        });
        Next::On
    }
}

fn looked(session: &Arc<Debugged>, asked: &Asked) -> Result<Value, String> {
    let never = AtomicBool::new(false);
    let patience = Patience { longest: PATIENCE, interrupt: &never };
    let result = session.forward(&asked.command, &asked.arguments, patience);
    result.map_err(|error| error.to_string())
}

fn without_nulls(mut params: Value) -> Value {
    if let Some(fields) = params.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    params
}
