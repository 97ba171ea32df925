//! A server, and a person who answers its questions.

use std::path::Path;

use client::Client;
use serde_json::{Value, json};
use tests::{Home, KubeServer, Questions, ToolError, start_with_person, user_config};

/// Rules that let tests read a cluster of this machine without approval.
pub(crate) const READ_CLUSTERS: &str = "[policy.allow]\nnetwork = [\"* (loopback)\", \"127.0.0.1 (loopback)\"]\nadmin = [\"cluster/read/*\"]\n";

pub(crate) struct Session {
    pub(crate) home: Home,
    pub(crate) client: Client,
    questions: Questions,
}

impl Session {
    /// A server with these settings, in which `answer` decides on each question.
    pub(crate) fn start(
        settings: &str,
        answer: impl Fn(&str) -> &'static str + Send + Sync + 'static,
    ) -> Self {
        let home = Home::new();
        user_config(&home, settings);
        let mut command = home.command();
        command.env("KUBECONFIG", home.outside().join("kubeconfig"));
        let (client, questions) = start_with_person(&home, &mut command, answer);
        Self { home, client, questions }
    }

    /// The same with a cluster, which needs no approval to be read.
    pub(crate) fn with_cluster(
        cluster: &KubeServer,
        answer: impl Fn(&str) -> &'static str + Send + Sync + 'static,
    ) -> Self {
        let session = Self::start(READ_CLUSTERS, answer);
        session.kubeconfig(&cluster.kubeconfig());
        session
    }

    pub(crate) fn kubeconfig(&self, text: &str) {
        std::fs::write(self.home.outside().join("kubeconfig"), text).unwrap();
    }

    /// Writes a file of the workspace.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.home.root().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
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

    /// The only question since the last call.
    pub(crate) fn question(&self) -> String {
        let mut questions = self.questions();
        assert_eq!(questions.len(), 1, "{questions:#?}");
        questions.remove(0)
    }

    /// Files of the state folder that hold a text, without those whose names end so.
    pub(crate) fn state_files_with(&self, text: &str, except: &str) -> Vec<String> {
        let mut found = Vec::new();
        search(&self.home.outside().join("state"), &mut |path, bytes| {
            let name = path.display().to_string();
            if !name.ends_with(except)
                && bytes.windows(text.len()).any(|window| window == text.as_bytes())
            {
                found.push(name);
            }
        });
        found
    }
}

fn search(folder: &Path, check: &mut dyn FnMut(&Path, &[u8])) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            search(&path, check);
        } else if let Ok(bytes) = std::fs::read(&path) {
            check(&path, &bytes);
        }
    }
}
