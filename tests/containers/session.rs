//! A server with a daemon, and a person who answers its questions.

use std::path::Path;

use client::Client;
use serde_json::{Value, json};
use tests::{ContainerDaemon, Home, Questions, ToolError, start_with_person, user_config};

pub(crate) struct Session {
    pub(crate) home: Home,
    pub(crate) client: Client,
    questions: Questions,
}

impl Session {
    /// A server that uses the daemon at `host`, with settings, in which `answer` decides on each question.
    pub(crate) fn start(
        host: &str,
        settings: &str,
        answer: impl Fn(&str) -> &'static str + Send + Sync + 'static,
    ) -> Self {
        let home = Home::new();
        user_config(&home, settings);
        let mut command = home.command();
        command.env("DOCKER_HOST", host);
        let (client, questions) = start_with_person(&home, &mut command, answer);
        Self { home, client, questions }
    }

    /// A server in which a person allows everything, once; with the image `base`.
    pub(crate) fn with_base(daemon: &ContainerDaemon) -> Self {
        let session = Self::start(&daemon.host(), "", |_| "Allow once");
        session.write("base/Dockerfile", "FROM scratch\nCOPY busybox /bin/\nRUN [\"/bin/busybox\", \"--install\", \"-s\", \"/bin\"]\n");
        std::fs::copy(&daemon.busybox, session.home.root().join("base/busybox")).unwrap();
        let built = session.call("docker_build", json!({ "context": "base", "tag": "base" }));
        assert_eq!(built["success"], true, "{built}");
        session.questions();
        session
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.home.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: impl AsRef<Path>) -> String {
        std::fs::read_to_string(self.home.root().join(path)).unwrap()
    }

    pub(crate) fn try_call(&self, tool: &str, params: Value) -> Result<Value, ToolError> {
        let answer = self.client.execute_command(&format!("tandem.{tool}"), json!([params]));
        answer.map_err(|error| ToolError::from_client(&error))
    }

    pub(crate) fn call(&self, tool: &str, params: Value) -> Value {
        self.try_call(tool, params.clone())
            .unwrap_or_else(|error| panic!("{tool} {params}: {error:?}"))
    }

    pub(crate) fn refused(&self, tool: &str, params: Value, code: &str) -> ToolError {
        let error = self.try_call(tool, params.clone()).expect_err(&format!("{tool} {params}"));
        assert_eq!(error.code, code, "{tool} {params}: {error:?}");
        error
    }

    /// The questions since the last call.
    pub(crate) fn questions(&self) -> Vec<String> {
        std::mem::take(&mut self.questions.lock().unwrap())
    }

    /// Runs a line in a container of `base`.
    pub(crate) fn shell(&self, line: &str) -> Value {
        self.call("docker_run", json!({ "image": "base", "command": ["sh", "-c", line] }))
    }
}

/// Starts the daemon, or reports that a test is left out.
pub(crate) fn daemon(test: &str) -> Option<ContainerDaemon> {
    let daemon = ContainerDaemon::start();
    if daemon.is_none() {
        tests::skip(test, "containers (root's rights and a Docker daemon)");
    }
    daemon
}
