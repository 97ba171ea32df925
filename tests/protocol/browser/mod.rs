//! The browser's tools, with the real Chromium on a site of the tests.

mod hostile;
mod hosts;
mod pages;
mod processes;
mod site;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tests::{component, skip};

use crate::network::Session;

/// A Chromium that listens for debuggers.
pub(crate) struct ListeningBrowser {
    child: Child,
    profile: tempfile::TempDir,
    pub(crate) port: u16,
}

impl ListeningBrowser {
    pub(crate) fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new(component("chromium").unwrap())
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--remote-debugging-port=0",
                "about:blank",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .env("HOME", profile.path())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let line =
            lines.find(|line| line.as_ref().unwrap().contains("ws://127.0.0.1:")).unwrap().unwrap();
        // What it writes later must not block it.
        std::thread::spawn(move || lines.for_each(drop));
        let port =
            line.split("127.0.0.1:").nth(1).unwrap().split('/').next().unwrap().parse().unwrap();
        Self { child, profile, port }
    }
}

impl Drop for ListeningBrowser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(self.profile.path());
    }
}

/// Whether Chromium is here; says that the test is left out if not.
fn has_browser(test: &str) -> bool {
    let is_here = component("chromium").is_some();
    if !is_here {
        skip(test, "chromium");
    }
    is_here
}

impl Session {
    fn open(&self, url: &str) -> Value {
        self.call("navigate", json!({ "url": url }))
            .unwrap_or_else(|error| panic!("{url}: {error:?}"))
    }

    fn click(&self, selector: &str) -> Value {
        self.call("click", json!({ "selector": selector }))
            .unwrap_or_else(|error| panic!("{selector}: {error:?}"))
    }

    fn snapshot(&self) -> String {
        let result = self.call("browser_snapshot", json!({ "full": true })).unwrap();
        result["snapshot"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned()
    }

    fn evaluate(&self, expression: &str) -> Value {
        let result = self.call("browser_evaluate", json!({ "expression": expression })).unwrap();
        assert!(result.get("error").is_none(), "{result}");
        result["value"].clone()
    }
}
