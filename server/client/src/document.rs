//! The opening handshake, the end, and documents: what every session does.

use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::error::ClientError;
use crate::uri::file_uri;

impl Client {
    /// Sends `initialize` for the one workspace folder `root`, then `initialized`; the server's
    /// answer (`capabilities`, `serverInfo`) is the result.
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

    /// Asks the server to shut down and exit, and waits until it has. `None` for a server that is
    /// no child of this process.
    ///
    /// # Errors
    /// As [`request`](Self::request), and a timeout when the process stays.
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

    /// Changes an open document by `changes`, an array of LSP's content changes.
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

    /// Runs a server's command, an answer or an error coming back as for any request.
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
