//! A workspace whose programs are debugged through the server.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use client::{Answer, Client};
use serde_json::{Value, json};
use tests::{Fixture, Home, RESPONSE_TIMEOUT, ToolError};

/// Time limit for a debugger on a loaded machine.
const DEBUGGER_TIMEOUT: Duration = Duration::from_secs(90);

pub(crate) struct Debuggee {
    pub(crate) client: Client,
    pub(crate) home: Home,
    questions: Arc<Mutex<Vec<String>>>,
    shown: Arc<Mutex<Vec<Value>>>,
}

impl Debuggee {
    /// A server on a fixture, whose person allows everything.
    pub(crate) fn new(fixture: &str) -> Self {
        Self::start_with(fixture, |_, _| {})
    }

    /// The same, with more done to its command and its folders first.
    pub(crate) fn start_with(fixture: &str, prepare: impl FnOnce(&mut Command, &Home)) -> Self {
        Self::start_with_client(fixture, json!({}), prepare)
    }

    /// The same, with a client that can do more, too.
    pub(crate) fn start_with_client(
        fixture: &str,
        capabilities: Value,
        prepare: impl FnOnce(&mut Command, &Home),
    ) -> Self {
        let home = Home::new();
        for file in &Fixture::parse(fixture).files {
            let path = home.root().join(&file.path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, &file.text).unwrap();
        }
        Self::started(home, capabilities, prepare)
    }

    /// Starts another server in the folders of an earlier one.
    pub(crate) fn restart(home: Home) -> Self {
        Self::started(home, json!({}), |_, _| {})
    }

    fn started(
        home: Home,
        mut capabilities: Value,
        prepare: impl FnOnce(&mut Command, &Home),
    ) -> Self {
        let mut command = home.command();
        command.envs(tests::component("debugpy").map(|program| ("TANDEM_DEBUGPY", program)));
        prepare(&mut command, &home);
        let mut client = Client::spawn(command.arg("lsp")).unwrap();
        client.set_timeout(DEBUGGER_TIMEOUT);
        let questions = Arc::new(Mutex::new(Vec::new()));
        let shown = Arc::new(Mutex::new(Vec::new()));
        let (seen, pages) = (questions.clone(), shown.clone());
        client.on_request(move |request, _| {
            if request.method == "window/showDocument" {
                pages.lock().unwrap().push(request.params.clone());
                return Answer::Result(json!({ "success": true }));
            }
            if request.method != "window/showMessageRequest" {
                return Answer::Default;
            }
            seen.lock().unwrap().push(request.params["message"].as_str().unwrap().to_owned());
            Answer::Result(json!({ "title": "Allow once" }))
        });
        capabilities["window"]["showMessage"] = json!({});
        client.initialize(&home.root(), capabilities).unwrap();
        Self { client, home, questions, shown }
    }

    pub(crate) fn try_call(&self, tool: &str, params: Value) -> Result<Value, ToolError> {
        self.client
            .execute_command(&format!("tandem.{tool}"), json!([params]))
            .map_err(|error| ToolError::from_client(&error))
    }

    pub(crate) fn call(&self, tool: &str, params: Value) -> Value {
        self.try_call(tool, params.clone())
            .unwrap_or_else(|error| panic!("{tool} {params}: {}", error.data))
    }

    pub(crate) fn step(&self, action: &str) -> Value {
        self.call("debug_step", json!({ "action": action, "wait_ms": 60_000 }))
    }

    /// The code of the error that a call must end with, and its message.
    pub(crate) fn refused(&self, tool: &str, params: Value, code: &str) -> String {
        let error = self.try_call(tool, params.clone()).expect_err(&format!("{tool} {params}"));
        assert_eq!(error.code, code, "{tool} {params}: {}", error.data);
        error.message
    }

    /// The approval requests so far.
    pub(crate) fn approval_requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.questions.lock().unwrap())
    }

    /// The `window/showDocument` requests so far.
    pub(crate) fn show_requests(&self) -> Vec<Value> {
        std::mem::take(&mut *self.shown.lock().unwrap())
    }

    /// Waits until no process has this test's folders in its command line.
    pub(crate) fn wait_for_no_processes(&self) {
        wait_for_no_processes_in(&self.home);
    }
}

pub(crate) fn wait_for_no_processes_in(home: &Home) {
    let folder = home.outside().to_string_lossy().into_owned();
    let started = Instant::now();
    while let Some(line) = running_command(&folder) {
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "`{line}` survives");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The command line of a process that has `part` in it.
fn running_command(part: &str) -> Option<String> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = entries.filter_map(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&line).replace('\0', " "))
    });
    lines.find(|line| line.contains(part))
}

/// Whether the name of a variable is among those of a report or a page, and its value.
pub(crate) fn value<'v>(variables: &'v Value, name: &str) -> Option<&'v str> {
    let mut all = variables.as_array().unwrap().iter();
    all.find(|variable| variable["name"] == name)?["value"].as_str()
}

/// The 1-based line of a file that holds `text`.
pub(crate) fn line_of(file: &Path, text: &str) -> u64 {
    let content = std::fs::read_to_string(file).unwrap();
    let index = content.lines().position(|line| line.contains(text)).unwrap();
    index as u64 + 1
}
