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

use client::{Client, PendingResponse};
use serde_json::{Value, json};
use tests::{Home, Questions, ToolError, start_with_person, user_config};

/// The rule that lets tests reach their own server without being asked.
pub(crate) const ALLOW_LOOPBACK: &str = "[policy.allow]\nnetwork = [\"127.0.0.1 (loopback)\"]\n";

/// A server whose person answers what is asked.
pub(crate) struct Session {
    pub(crate) home: Home,
    pub(crate) client: Client,
    questions: Questions,
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
        let (client, questions) = start_with_person(&home, &mut command, answer);
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
