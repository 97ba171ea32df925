//! One server over one project, as an editor runs it: it opens each file, asks for the file's
//! diagnostics and closes it.

use super::files::SourceFile;
use super::findings::{Finding, Severity};
use crate::Failure;
use client::{Client, ClientError, PendingResponse, file_uri};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Time limit for indexing a project.
const INDEX_TIMEOUT: Duration = Duration::from_secs(300);
/// Longest time for the diagnostics of one file; a person would have closed it before.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);
/// Requests under way at a time: enough that the server never waits for this client.
const MAX_PENDING_REQUESTS: usize = 8;
/// Attempts for a request that the server cancels because of a change.
const MAX_ATTEMPTS: usize = 3;
/// LSP's `ContentModified` and `ServerCancelled`: a change made the answer obsolete.
const OBSOLETE_CODES: &[i64] = &[-32801, -32802];

/// The result of a session.
#[derive(Debug, Default)]
pub(super) struct SessionResult {
    pub(super) files: usize,
    pub(super) lines: usize,
    pub(super) findings: Vec<Finding>,
    /// Files without an answer, and a server that ended, each with the reason.
    pub(super) failures: Vec<String>,
    pub(super) reading: Duration,
    pub(super) took: Duration,
}

/// The server to run.
pub(crate) struct Server<'a> {
    pub(crate) program: &'a Path,
    /// Where it keeps indexes and records, and finds no settings.
    pub(crate) home: &'a Path,
}

/// An opened file with a pending request.
struct PendingFile<'a> {
    file: &'a SourceFile,
    uri: String,
    text: String,
    pending: PendingResponse,
}

impl Server<'_> {
    /// Has the server read the project and asks for the diagnostics of each file.
    ///
    /// # Errors
    /// A server that does not start or does not finish reading.
    pub(super) fn measure(
        &self,
        project: &str,
        root: &Path,
        files: &[SourceFile],
    ) -> Result<SessionResult, Failure> {
        let start = Instant::now();
        let mut measured = SessionResult::default();
        let mut client = self.start(root)?;
        measured.reading = start.elapsed();
        let mut asked: VecDeque<PendingFile> = VecDeque::new();
        let mut left = files.iter();
        loop {
            while asked.len() < MAX_PENDING_REQUESTS
                && let Some(file) = left.next()
            {
                // A file that is no text is none that an editor would open.
                let Ok(text) = fs::read_to_string(&file.path) else { continue };
                measured.files += 1;
                measured.lines += text.lines().count();
                let sent = open_and_request(&client, file, text);
                match sent {
                    Ok(sent) => asked.push_back(sent),
                    Err(error) => measured.failures.push(failure(project, root, file, &error)),
                }
            }
            let Some(next) = asked.pop_front() else { break };
            let (file, uri, text) = (next.file, next.uri.clone(), next.text.clone());
            match answer(&client, next) {
                Ok(items) => {
                    let path = file.path.strip_prefix(root).unwrap_or(&file.path);
                    let new = items.iter().map(|item| finding(project, path, file, &text, item));
                    measured.findings.extend(new);
                    // It fails only if the server has ended, which the next request reports.
                    let _ = client.close(&uri);
                }
                Err(error) => measured.failures.push(failure(project, root, file, &error)),
            }
            if let Some(reason) = client.close_reason() {
                let stderr = client.process().map(client::Process::stderr).unwrap_or_default();
                let last = stderr.lines().last().unwrap_or_default();
                measured.failures.push(format!("{project}: server ended: {reason}: {last}"));
                // Those under way are lost; the rest gets a server of its own.
                let lost = asked.drain(..).map(|lost| {
                    let path = lost.file.path.strip_prefix(root).unwrap_or(&lost.file.path);
                    format!("{project}/{}: server ended", path.display())
                });
                measured.failures.extend(lost);
                client = self.start(root)?;
            }
            client.take_unread();
        }
        // A server that hangs here is killed when the client is dropped.
        if let Err(error) = client.shutdown(Duration::from_secs(20)) {
            measured.failures.push(format!("{project}: shutdown: {error}"));
        }
        measured.took = start.elapsed();
        Ok(measured)
    }

    /// Starts a server on a project and waits until it has read all files.
    pub(crate) fn start(&self, root: &Path) -> Result<Client, Failure> {
        let mut command = Command::new(self.program);
        command.arg("lsp").current_dir(root);
        for (name, folder) in [
            ("XDG_CACHE_HOME", "cache"),
            ("XDG_STATE_HOME", "state"),
            ("XDG_CONFIG_HOME", "config"),
            ("XDG_RUNTIME_DIR", "run"),
        ] {
            command.env(name, self.home.join(folder));
        }
        let failed = |error: ClientError| format!("{}: {error}", root.display());
        let mut client = Client::spawn(&mut command).map_err(failed)?;
        client.set_timeout(RESPONSE_TIMEOUT);
        let capabilities = json!({
            "window": { "workDoneProgress": true },
            "textDocument": {
                "diagnostic": {},
                "publishDiagnostics": { "tagSupport": { "valueSet": [1, 2] } },
            },
            "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } },
        });
        client.initialize(root, capabilities).map_err(failed)?;
        client
            .wait_for("end of reading", INDEX_TIMEOUT, |message| {
                message["method"] == "$/progress"
                    && message["params"]["token"] == "tandem/index"
                    && message["params"]["value"]["kind"] == "end"
            })
            .map_err(failed)?;
        Ok(client)
    }
}

fn open_and_request<'a>(
    client: &Client,
    file: &'a SourceFile,
    text: String,
) -> Result<PendingFile<'a>, ClientError> {
    let uri = file_uri(&file.path);
    client.open(&uri, &file.lsp_id, 1, &text)?;
    let pending = request(client, &uri)?;
    Ok(PendingFile { file, uri, text, pending })
}

fn request(client: &Client, uri: &str) -> Result<PendingResponse, ClientError> {
    client.start_request("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }))
}

/// The diagnostics of a requested file.
fn answer(client: &Client, asked: PendingFile) -> Result<Vec<Value>, ClientError> {
    let mut pending = asked.pending;
    for _ in 1..MAX_ATTEMPTS {
        match pending.wait(RESPONSE_TIMEOUT) {
            Err(ClientError::ErrorResponse { error, .. })
                if OBSOLETE_CODES.contains(&error.code) =>
            {
                pending = request(client, &asked.uri)?;
            }
            result => return result.map(items),
        }
    }
    pending.wait(RESPONSE_TIMEOUT).map(items)
}

pub(crate) fn items(mut report: Value) -> Vec<Value> {
    match report["items"].take() {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}

fn failure(project: &str, root: &Path, file: &SourceFile, error: &ClientError) -> String {
    let path = file.path.strip_prefix(root).unwrap_or(&file.path);
    format!("{project}/{}: {error}", path.display())
}

fn finding(project: &str, path: &Path, file: &SourceFile, text: &str, item: &Value) -> Finding {
    let start = &item["range"]["start"];
    let number = |value: &Value| value.as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
    let line = number(&start["line"]);
    Finding {
        project: project.to_owned(),
        path: path.to_string_lossy().into_owned(),
        line: line + 1,
        column: number(&start["character"]) + 1,
        language: file.language.clone(),
        severity: Severity::from_number(item["severity"].as_u64()),
        code: item["code"].as_str().unwrap_or("syntax").to_owned(),
        message: item["message"].as_str().unwrap_or_default().to_owned(),
        source: text.lines().nth(line).unwrap_or_default().trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnostic_becomes_a_finding_with_its_line() {
        let file = SourceFile {
            path: "/p/src/a.py".into(),
            lsp_id: "python".into(),
            language: "python".into(),
        };
        let item = json!({
            "range": { "start": { "line": 1, "character": 4 }, "end": { "line": 1, "character": 5 } },
            "severity": 1, "code": "undefined-name", "message": "`b` is not defined",
        });
        let found = finding("p", Path::new("src/a.py"), &file, "a = 1\nx = b\n", &item);
        assert_eq!((found.line, found.column), (2, 5));
        assert_eq!(found.severity, Severity::Error);
        assert_eq!(found.code, "undefined-name");
        assert_eq!(found.source, "x = b");
        let bare = finding("p", Path::new("src/a.py"), &file, "", &json!({ "severity": 4 }));
        assert_eq!((bare.code.as_str(), bare.severity), ("syntax", Severity::Hint));
    }
}
