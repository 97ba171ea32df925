//! The server for the tour: this program, started as an editor would start it.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use client::{Client, ClientError};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::screen::Screen;
use super::survey::File;

pub(super) struct Server {
    pub(super) client: Client,
    started: Instant,
}

/// How long indexing may take before the tour goes on.
const INDEX_TIMEOUT: Duration = Duration::from_secs(120);

impl Server {
    pub(super) fn start(root: &Path, screen: &mut Screen) -> Result<Self, ClientError> {
        let started = Instant::now();
        let program = std::env::current_exe().unwrap_or_else(|_| "tandem".into());
        let client = Client::spawn(Command::new(program).args(["lsp", "--stdio"]))?;
        let capabilities = json!({
            "window": { "workDoneProgress": true },
            "general": { "positionEncodings": ["utf-8", "utf-16"] },
            "textDocument": {
                "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
            },
            "workspace": { "applyEdit": true, "workspaceEdit": { "documentChanges": true } },
        });
        client.initialize(root, capabilities)?;
        screen.timed("server start until its first answer", started);
        Ok(Self { client, started: Instant::now() })
    }

    /// Shows a progress bar until the workspace is indexed.
    pub(super) fn wait_for_index(&self, screen: &mut Screen) -> Result<(), ClientError> {
        let bar = ProgressBar::new(100);
        let style = ProgressStyle::with_template("  indexing {bar:40.green} {percent:>3} % {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let mut files = String::new();
        let deadline = Instant::now() + INDEX_TIMEOUT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let progress = self.client.wait_for_notification("$/progress", left, |_| true)?;
            let value = &progress["value"];
            if let Some(percent) = value["percentage"].as_u64() {
                bar.set_position(percent);
            }
            if let Some(message) = value["message"].as_str() {
                message.clone_into(&mut files);
                bar.set_message(files.clone());
            }
            if value["kind"] == "end" {
                break;
            }
        }
        bar.finish_and_clear();
        screen.timed(&format!("indexing the workspace ({files})"), self.started);
        Ok(())
    }

    pub(super) fn open(&self, file: &File) -> Result<(), ClientError> {
        self.client.open(&file.uri, file.language.id(), 1, &file.text.to_string())
    }

    /// Shuts the server down. It ends with the connection in any case.
    pub(super) fn shutdown(&self) {
        let _ = self.client.shutdown(Duration::from_secs(5));
    }
}
