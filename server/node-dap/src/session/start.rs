//! Launches and attaches.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{MAIN_THREAD, Session};
use crate::attach;
use crate::inspector::Inspector;
use crate::launch::{self, LaunchPlan, Launched, ProcessPipe};
use crate::paths;
use crate::work::{NodeProcess, Work};

/// How long the first Node process may take to report itself.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// How many functions up an asynchronous stack goes.
const ASYNC_DEPTH: u32 = 32;

/// The arguments of `launch` and `attach`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Config {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) program: Option<String>,
    args: Vec<String>,
    cwd: Option<PathBuf>,
    env: serde_json::Map<String, Value>,
    runtime_executable: Option<String>,
    runtime_args: Vec<String>,
    pub(crate) stop_on_entry: bool,
    pub(crate) just_my_code: bool,
    console: Option<String>,
    skip_files: Option<Vec<String>>,
    auto_attach_child_processes: Option<bool>,
    // Of `attach`.
    port: Option<u16>,
    host: Option<String>,
    process_id: Option<Value>,
    websocket: Option<String>,
    /// Whether a process waits for the debugger before its first line.
    is_waiting: bool,
    /// Whether output is taken from the console's calls: the process writes elsewhere.
    #[serde(skip)]
    pub(crate) shows_console: bool,
    /// Whether the inspector was opened for this session.
    #[serde(skip)]
    opened_inspector: bool,
}

impl Session {
    pub(crate) fn launch(&mut self, arguments: &Value) -> Result<(), String> {
        self.read_config(arguments)?;
        let config = self.config.clone();
        let cwd = self.roots.root.clone();
        let runtime = match &config.runtime_executable {
            Some(runtime) => PathBuf::from(runtime),
            None => self.options.node.clone().unwrap_or_else(|| PathBuf::from("node")),
        };
        let mut args = Vec::new();
        let is_node = runtime.file_name().is_some_and(|name| name == "node" || name == "nodejs");
        let port = if config.stop_on_entry && is_node && config.program.is_some() {
            let port = launch::free_port().map_err(|error| format!("there is no port: {error}"))?;
            args.push(format!("--inspect-brk=127.0.0.1:{port}"));
            Some(port)
        } else {
            None
        };
        args.extend(config.runtime_args.iter().cloned());
        if let Some(program) = &config.program {
            args.push(launch::absolute(&cwd, program).to_string_lossy().into_owned());
        }
        args.extend(config.args.iter().cloned());
        let pipe = ProcessPipe::new()
            .and_then(|pipe| pipe.read(self.sender.clone()).map(|()| pipe))
            .map_err(|error| format!("there is no pipe for Node processes: {error}"))?;
        let text = |value: &Value| match value {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        };
        let mut env: Vec<_> =
            config.env.iter().map(|(name, value)| (name.clone(), text(value))).collect();
        let inherited = std::env::var("NODE_OPTIONS").ok();
        let given = config.env.get("NODE_OPTIONS").and_then(Value::as_str);
        let own = pipe.environment(given.or(inherited.as_deref()));
        env.extend(own.map(|(name, value)| (name, Some(value))));
        self.pipe = Some(pipe);
        let shown = runtime.display().to_string();
        let in_terminal =
            matches!(config.console.as_deref(), Some(kind) if kind != "internalConsole");
        let process_id = if in_terminal && self.client_features.runs_in_terminal {
            self.run_in_terminal(&config, &runtime, &args, &env, &cwd)?;
            None
        } else {
            let is_contained = self.options.is_contained;
            let plan = LaunchPlan { runtime, args, cwd, env, is_contained };
            let launched = Launched::start(&plan, &self.client, self.sender.clone())
                .map_err(|error| format!("{shown} does not start: {error}"))?;
            let id = launched.id();
            self.launched = Some(launched);
            Some(id)
        };
        let process = match port {
            Some(port) => {
                let url = launch::inspector_url("127.0.0.1", port, true)
                    .map_err(|error| format!("{shown} opened no inspector: {error}"))?;
                let pid = process_id.unwrap_or(0);
                NodeProcess { pid, url, main: config.program.clone(), is_open: false }
            }
            None => self
                .wait_for(START_TIMEOUT, |item| match item {
                    Work::Process(process) => Some(process.clone()),
                    _ => None,
                })
                .map_err(|why| format!("{shown} started no Node process: {why}"))?,
        };
        self.config.is_waiting = true;
        self.connect(&process.url, &config.program.unwrap_or(shown))?;
        (self.main_pid, self.main_url) = (process.pid, process.url);
        self.client.event(
            "process",
            json!({
                "name": process.main, "systemProcessId": process.pid, "isLocalProcess": true,
                "startMethod": "launch",
            }),
        );
        Ok(())
    }

    fn run_in_terminal(
        &mut self,
        config: &Config,
        runtime: &Path,
        args: &[String],
        env: &[(String, Option<String>)],
        cwd: &Path,
    ) -> Result<(), String> {
        let mut words = vec![runtime.to_string_lossy().into_owned()];
        words.extend(args.iter().cloned());
        let kind = if config.console.as_deref() == Some("externalTerminal") {
            "external"
        } else {
            "integrated"
        };
        let env: serde_json::Map<String, Value> =
            env.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let arguments =
            json!({ "kind": kind, "title": "Node", "cwd": cwd, "args": words, "env": env });
        let seq = self.client.request("runInTerminal", arguments);
        let answer = self.wait_for(START_TIMEOUT, move |item| match item {
            Work::Response(response) if response.request_seq == seq => {
                Some((response.success, response.message.clone()))
            }
            _ => None,
        })?;
        match answer {
            (true, _) => Ok(()),
            (false, why) => Err(format!("the terminal was refused: {}", why.unwrap_or_default())),
        }
    }

    pub(crate) fn attach(&mut self, arguments: &Value) -> Result<(), String> {
        self.read_config(arguments)?;
        let config = self.config.clone();
        let pid = config.process_id.as_ref().and_then(|id| match id {
            Value::String(text) => text.parse().ok(),
            other => other.as_u64().and_then(|id| u32::try_from(id).ok()),
        });
        let url = match (&config.websocket, pid, config.port) {
            (Some(url), ..) => url.clone(),
            (None, Some(pid), _) => {
                let found = attach::inspector_of(pid)?;
                self.config.opened_inspector = found.is_opened;
                found.url
            }
            (None, None, Some(port)) => {
                let host = config.host.as_deref().unwrap_or("127.0.0.1");
                launch::inspector_url(host, port, false).map_err(|error| {
                    format!(
                        "no inspector listens on {host}:{port}: {error}; start Node with --inspect"
                    )
                })?
            }
            (None, None, None) => return Err("give `port` or `processId`".to_owned()),
        };
        // The output of a child process comes with its parent's.
        self.config.shows_console = config.websocket.is_none();
        self.connect(&url, "main")?;
        let body = json!({ "name": "node", "systemProcessId": pid, "startMethod": "attach" });
        self.client.event("process", body);
        Ok(())
    }

    fn read_config(&mut self, arguments: &Value) -> Result<(), String> {
        self.config = Config::deserialize(arguments)
            .map_err(|error| format!("the configuration is invalid: {error}"))?;
        let here = || std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        let program = self.config.program.as_ref().map(PathBuf::from);
        let beside = || program.filter(|it| it.is_absolute())?.parent().map(Path::to_owned);
        let cwd = self.config.cwd.clone().or_else(beside).unwrap_or_else(here);
        self.roots.root = paths::normalize(&here().join(cwd));
        Ok(())
    }

    fn connect(&mut self, url: &str, name: &str) -> Result<(), String> {
        let inspector = Inspector::connect(url, self.sender.clone(), self.interrupt.clone())?;
        self.inspector = Some(inspector);
        let name = Path::new(name).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let thread = self.add_thread(None, name);
        self.set_up_thread(thread)?;
        let workers = json!({ "waitForDebuggerOnStart": true });
        // Deno and Bun have neither.
        for (method, params) in [
            ("NodeWorker.enable", workers),
            ("NodeRuntime.notifyWhenWaitingForDisconnect", json!({ "enabled": true })),
        ] {
            if let Err(why) = self.call(thread, method, params) {
                tracing::debug!("{why}");
            }
        }
        Ok(())
    }

    /// Has a thread report scripts, pauses and exceptions, and sets the breakpoints.
    fn set_up_thread(&mut self, thread: i64) -> Result<(), String> {
        self.call(thread, "Runtime.enable", json!({}))?;
        self.call(thread, "Debugger.enable", json!({}))?;
        let mut skipped = self
            .config
            .skip_files
            .clone()
            .unwrap_or_else(|| vec!["<node_internals>/**".to_owned()]);
        if self.config.just_my_code {
            skipped.push("**/node_modules/**".to_owned());
        }
        let patterns: Vec<_> = skipped.iter().map(|glob| paths::skip_regex(glob)).collect();
        let optional = [
            ("Debugger.setAsyncCallStackDepth", json!({ "maxDepth": ASYNC_DEPTH })),
            ("Debugger.setBlackboxPatterns", json!({ "patterns": patterns })),
            (
                "Debugger.setInstrumentationBreakpoint",
                json!({ "instrumentation": "beforeScriptWithSourceMapExecution" }),
            ),
            ("Debugger.setPauseOnExceptions", json!({ "state": self.exception_state })),
        ];
        for (method, params) in optional {
            if let Err(why) = self.call(thread, method, params) {
                tracing::debug!("{why}");
            }
        }
        self.bind_all(thread);
        Ok(())
    }

    pub(crate) fn configuration_done(&mut self) -> Result<(), String> {
        if !self.config.is_waiting {
            return Ok(());
        }
        self.call(MAIN_THREAD, "Runtime.runIfWaitingForDebugger", json!({})).map(drop)
    }

    pub(crate) fn worker_started(&mut self, params: &Value) {
        let Some(worker) = params["sessionId"].as_str() else { return };
        let info = &params["workerInfo"];
        let title = info["title"].as_str().unwrap_or("worker").to_owned();
        let url = info["url"].as_str().unwrap_or_default();
        let file = url.rsplit('/').next().unwrap_or_default();
        let name = if file.is_empty() { title } else { format!("{title} ({file})") };
        let thread = self.add_thread(Some(worker.to_owned()), name);
        self.client.event("thread", json!({ "reason": "started", "threadId": thread }));
        let done = self.set_up_thread(thread);
        let done = done.and_then(|()| {
            self.call(thread, "Runtime.runIfWaitingForDebugger", json!({})).map(drop)
        });
        if let Err(why) = done {
            tracing::warn!("a worker: {why}");
        }
    }

    /// Has the client debug a child process too; lets it run otherwise.
    pub(crate) fn child_process(&mut self, process: &NodeProcess) {
        if process.pid == self.main_pid || process.url == self.main_url {
            return;
        }
        let wanted = self.config.auto_attach_child_processes.unwrap_or(true);
        if !wanted || !self.client_features.starts_debugging {
            return self.release(process);
        }
        let main = process.main.as_deref().unwrap_or("node");
        let file = Path::new(main).file_name().unwrap_or_default().to_string_lossy();
        let configuration = json!({
            "type": self.config.kind, "request": "attach", "name": format!("{file} [{}]", process.pid),
            "websocket": process.url, "processId": process.pid, "isWaiting": !process.is_open,
            "cwd": self.roots.root, "skipFiles": self.config.skip_files,
            "justMyCode": self.config.just_my_code,
        });
        let arguments = json!({ "request": "attach", "configuration": configuration });
        self.client.request("startDebugging", arguments);
    }

    fn release(&self, process: &NodeProcess) {
        if process.is_open {
            return;
        }
        let (sender, _events) = std::sync::mpsc::channel();
        match Inspector::connect(&process.url, sender, self.interrupt.clone()) {
            Ok(inspector) => {
                let _ = inspector.call(None, "Runtime.runIfWaitingForDebugger", json!({}));
                inspector.close();
            }
            Err(why) => tracing::debug!("a child process: {why}"),
        }
    }

    /// Leaves a process that goes on: nothing of the debugger stays behind.
    pub(crate) fn detach(&mut self) {
        self.interrupt.store(false, Ordering::Relaxed);
        self.remove_all_breakpoints();
        if self.config.is_waiting {
            let _ = self.configuration_done();
        }
        if self.config.opened_inspector {
            let expression = "setTimeout(() => { try { process.getBuiltinModule('inspector').close() } \
                              catch {} }, 50).unref()";
            let _ = self.call(MAIN_THREAD, "Runtime.evaluate", json!({ "expression": expression }));
        }
        let _ = self.call(MAIN_THREAD, "Debugger.disable", json!({}));
    }
}
