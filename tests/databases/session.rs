//! A server, and a person who answers its questions.

use std::path::Path;

use client::Client;
use serde_json::{Value, json};
use tests::{
    DATABASE_PASSWORD, Home, Questions, ToolError, start_with_person, user_config, wait_for,
};

/// Rules that let tests read without approval.
pub(crate) const ALLOW: &str = "[policy.allow]\nnetwork = [\"* (loopback)\", \"127.0.0.1 (loopback)\", \"localhost (loopback)\", \
                                \"* (unix socket)\"]\nadmin = [\"database/read/*\"]\n";

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
        command.env("SHOP_PASSWORD", DATABASE_PASSWORD);
        let (client, questions) = start_with_person(&home, &mut command, answer);
        Self { home, client, questions }
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

    /// The rows of a query.
    pub(crate) fn rows(&self, connection: &str, query: &str) -> Vec<Value> {
        let result = self.call("db_query", json!({ "connection": connection, "query": query }));
        result["rows"].as_array().unwrap().clone()
    }

    /// The only value of a query.
    pub(crate) fn value(&self, connection: &str, query: &str) -> Value {
        let rows = self.rows(connection, query);
        let row = rows.first().unwrap_or_else(|| panic!("{query}: no row"));
        row.as_object().unwrap().values().next().unwrap().clone()
    }

    /// The questions since the last call.
    pub(crate) fn questions(&self) -> Vec<String> {
        std::mem::take(&mut self.questions.lock().unwrap())
    }

    /// Checks that no file outside the workspace holds the password, in the encodings that URLs and JSON have.
    pub(crate) fn keeps_no_password(&self) {
        let state = self.home.outside().join("state");
        let mut seen = 0;
        // Records are written a moment later.
        wait_for("the audit log", || {
            search(&state, &mut |_, _| seen += 1);
            (seen > 0).then_some(())
        });
        search(&state, &mut |path, bytes| {
            for form in [DATABASE_PASSWORD, "hunter2-Zq9%25x", "hunter2"] {
                let found = bytes.windows(form.len()).any(|window| window == form.as_bytes());
                assert!(!found, "{} holds the password", path.display());
            }
        });
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
