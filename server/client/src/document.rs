//! The initialize handshake, shutdown, and document notifications.

use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::error::ClientError;
use crate::uri::file_uri;

impl Client {
    /// Sends `initialize` with the workspace folder `root`, then `initialized`. Returns the server's
    /// `InitializeResult`.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn initialize(&self, root: &Path, capabilities: Value) -> Result<Value, ClientError> {
        self.initialize_with(root, capabilities, Value::Null)
    }

    /// [`initialize`](Self::initialize) with `initializationOptions`.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn initialize_with(
        &self,
        root: &Path,
        capabilities: Value,
        options: Value,
    ) -> Result<Value, ClientError> {
        let uri = file_uri(root);
        let name = root.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let answer = self.request(
            "initialize",
            json!({
                "processId": std::process::id(),
                "clientInfo": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
                "rootUri": uri,
                "workspaceFolders": [{ "uri": uri, "name": name }],
                "capabilities": capabilities,
                "initializationOptions": options,
            }),
        )?;
        self.notify("initialized", json!({}))?;
        Ok(answer)
    }

    /// Sends `shutdown` and `exit`, and waits for the process to end. `None` if the server is not a child
    /// process.
    ///
    /// # Errors
    /// As [`request`](Self::request), and a timeout if the process does not end.
    pub fn shutdown(&self, timeout: Duration) -> Result<Option<ExitStatus>, ClientError> {
        self.request("shutdown", Value::Null)?;
        self.notify("exit", Value::Null)?;
        self.process().map(|process| process.wait_exit(timeout)).transpose()
    }

    /// Opens a document.
    ///
    /// # Errors
    /// [`ClientError::Closed`].
    pub fn open(
        &self,
        uri: &str,
        language: &str,
        version: i32,
        text: &str,
    ) -> Result<(), ClientError> {
        let document =
            json!({ "uri": uri, "languageId": language, "version": version, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }))
    }

    /// Changes an open document; `changes` is an array of LSP content changes.
    ///
    /// # Errors
    /// [`ClientError::Closed`].
    pub fn change(&self, uri: &str, version: i32, changes: Value) -> Result<(), ClientError> {
        let document = json!({ "uri": uri, "version": version });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        )
    }

    /// Closes an open document.
    ///
    /// # Errors
    /// [`ClientError::Closed`].
    pub fn close(&self, uri: &str) -> Result<(), ClientError> {
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }))
    }

    /// Runs a server command.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn execute_command(&self, command: &str, arguments: Value) -> Result<Value, ClientError> {
        self.request(
            "workspace/executeCommand",
            json!({ "command": command, "arguments": arguments }),
        )
    }
}
