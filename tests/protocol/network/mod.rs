//! Tools that use the network, against servers of the tests.

pub(crate) mod dns_server;
pub(crate) mod http_server;

mod files;
mod hosts;
mod lookups;
mod metrics;
mod pages;
mod requests;
mod searches;

use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};

use client::{Answer, Client, PendingResponse};
use serde_json::{Value, json};
use tests::{Home, ToolError};

/// The rule that lets tests reach their own server without being asked.
pub(crate) const ALLOW_LOOPBACK: &str = "[policy.allow]\nnetwork = [\"127.0.0.1 (loopback)\"]\n";

/// A server whose person answers what is asked.
pub(crate) struct Session {
    pub(crate) home: Home,
    pub(crate) client: Client,
    questions: Arc<Mutex<Vec<String>>>,
}

impl Session {
    /// A session with these settings, in which `answer` decides on each question.
    pub(crate) fn start(
        settings: &str,
        answer: impl Fn(&str) -> &'static str + Send + Sync + 'static,
    ) -> Self {
        Self::start_in(Home::new(), settings, &[], answer)
    }

    /// A session of a server with these environment variables.
    pub(crate) fn start_in(
        home: Home,
        settings: &str,
        environment: &[(&str, &str)],
        answer: impl Fn(&str) -> &'static str + Send + Sync + 'static,
    ) -> Self {
        user_config(&home, settings);
        let mut command = home.command();
        command.envs(environment.iter().copied());
        let client = Client::spawn(command.arg("lsp")).unwrap();
        let questions: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = questions.clone();
        client.on_request(move |request, _| {
            if request.method != "window/showMessageRequest" {
                return Answer::Default;
            }
            let question = request.params["message"].as_str().unwrap().to_owned();
            let title = answer(&question);
            seen.lock().unwrap().push(question);
            Answer::Result(json!({ "title": title }))
        });
        let capabilities =
            json!({ "window": { "showMessage": {} }, "workspace": { "applyEdit": true } });
        client.initialize(&home.root(), capabilities).unwrap();
        Self { home, client, questions }
    }

    /// A session that reaches the tests' own server, and whose person refuses everything else.
    pub(crate) fn on_loopback() -> Self {
        Self::start(ALLOW_LOOPBACK, |_| "Deny")
    }

    pub(crate) fn call(&self, tool: &str, params: Value) -> Result<Value, ToolError> {
        let answer = self.client.execute_command(&format!("tandem.{tool}"), json!([params]));
        answer.map_err(|error| ToolError::from_client(&error))
    }

    fn request(&self, params: Value) -> Value {
        self.call("http_request", params.clone()).unwrap_or_else(|e| panic!("{params}: {e:?}"))
    }

    pub(crate) fn refused(&self, tool: &str, params: Value, code: &str) -> String {
        let error = self.call(tool, params.clone()).expect_err(&params.to_string());
        assert_eq!(error.code, code, "{params}: {error:?}");
        error.message
    }

    pub(crate) fn start_call(&self, tool: &str, params: Value) -> PendingResponse {
        let command = json!({ "command": format!("tandem.{tool}"), "arguments": [params] });
        self.client.start_request("workspace/executeCommand", command).unwrap()
    }

    pub(crate) fn questions(&self) -> Vec<String> {
        self.questions.lock().unwrap().clone()
    }
}

pub(crate) fn user_config(home: &Home, text: &str) {
    let folder = home.outside().join("config/tandem");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("config.toml");
    std::fs::write(&file, text).unwrap();
    std::fs::set_permissions(file, PermissionsExt::from_mode(0o600)).unwrap();
}
