//! `workspace/diagnostic`: diagnostics of all files, streamed if the client supports partial results.
//!
//! Clients poll, so results are cached by file. Open documents are always recomputed. A change may affect
//! any file, but recomputing all of them per keystroke is too expensive, so the rest of the cache stays
//! valid for [`MAX_AGE`].

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::sync::oneshot;
use tower_lsp_server::jsonrpc::{Error, Request, Result};
use tower_lsp_server::ls_types::{
    FullDocumentDiagnosticReport, ProgressToken, UnchangedDocumentDiagnosticReport,
    WorkspaceDiagnosticParams, WorkspaceDiagnosticReport, WorkspaceDiagnosticReportResult,
    WorkspaceDocumentDiagnosticReport, WorkspaceFullDocumentDiagnosticReport,
    WorkspaceUnchangedDocumentDiagnosticReport,
};
use workspace::{Document, QueryError, Snapshot, diagnosable_files, uri_of_path};

use crate::convert::uri_to_lsp;
use crate::session::Session;
use crate::session_threads::Interrupt;
use crate::{diagnostics, error};

const METHOD: &str = "workspace/diagnostic";
/// Most files checked, open ones first.
const MAX_FILES: usize = 10_000;
/// Largest unopened file checked, in bytes.
const MAX_FILE_BYTES: usize = 1 << 20;
/// Time limit of one request. The remaining files are left to the next one.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// How long results for unopened files stay valid after other files change.
const MAX_AGE: Duration = Duration::from_secs(30);
/// Reports per partial result.
const BATCH: usize = 50;

/// Cached results.
#[derive(Default)]
pub(crate) struct WorkspaceDiagnosticCache {
    /// The change counter when the cache was last reset, and the time of that.
    generation: u64,
    since: Option<Instant>,
    /// How many checks had reported then.
    checks: u64,
    /// The files to check, once listed.
    files: Option<Arc<[String]>>,
    ids: HashMap<String, String>,
}

/// The report for one file.
type Report = WorkspaceDocumentDiagnosticReport;

pub(crate) async fn answer(
    session: &Arc<Session>,
    params: WorkspaceDiagnosticParams,
) -> Result<WorkspaceDiagnosticReportResult> {
    // One request at a time: the next one finds the cached results.
    let mut cache = session.diagnostics.workspace.clone().lock_owned().await;
    let interrupt = Interrupt::new();
    let (flag, task_session) = (interrupt.flag(), session.clone());
    let (sender, answer) = oneshot::channel();
    let work = move || {
        let answer = WorkspaceCheck::new(&task_session, &mut cache, params, &flag).run();
        drop(cache);
        // The receiver is gone if the request was cancelled.
        let _ = sender.send(answer);
    };
    session.threads.spawn_thread("diagnosing", work).map_err(|e| {
        tracing::error!("no thread for {METHOD}: {e}");
        Error::internal_error()
    })?;
    let items =
        answer.await.map_err(|_| error::panicked(METHOD))?.map_err(error::from_query_error)?;
    Ok(WorkspaceDiagnosticReport { items }.into())
}

/// One run over the workspace.
struct WorkspaceCheck<'a> {
    session: &'a Session,
    snapshot: Snapshot,
    cache: &'a mut WorkspaceDiagnosticCache,
    /// The client's result ids, by URI.
    before: HashMap<String, String>,
    token: Option<ProgressToken>,
    interrupt: &'a AtomicBool,
    reports: Vec<Report>,
}

impl<'a> WorkspaceCheck<'a> {
    fn new(
        session: &'a Session,
        cache: &'a mut WorkspaceDiagnosticCache,
        params: WorkspaceDiagnosticParams,
        interrupt: &'a AtomicBool,
    ) -> Self {
        let before = params.previous_result_ids.into_iter();
        Self {
            session,
            snapshot: session.workspace.snapshot(),
            cache,
            before: before.map(|id| (id.uri.as_str().to_owned(), id.value)).collect(),
            token: params.partial_result_params.partial_result_token,
            interrupt,
            reports: Vec::new(),
        }
    }

    fn run(mut self) -> std::result::Result<Vec<Report>, QueryError> {
        // With an incomplete index, names of unread files would be reported as missing.
        self.snapshot.wait_for_index(self.interrupt)?;
        let started = Instant::now();
        let now = self.session.diagnostics.generation();
        let checks = self.session.workspace.check_diagnostics().reports();
        let old = self.cache.since.is_none_or(|since| since.elapsed() >= MAX_AGE)
            || self.cache.checks != checks;
        // Until then, results for unopened files are kept although something has changed.
        if self.cache.generation != now && old {
            *self.cache = WorkspaceDiagnosticCache {
                generation: now,
                since: Some(started),
                checks,
                ..WorkspaceDiagnosticCache::default()
            };
        }
        let open: Vec<Arc<Document>> = self.snapshot.documents().cloned().collect();
        let mut seen: HashSet<String> = HashSet::new();
        for document in &open {
            let uri = document.uri().to_string();
            self.cache.ids.remove(&uri);
            let is_new = seen.insert(uri.clone());
            if is_new {
                self.check(&uri, Some(document))?;
            }
        }
        let files = match &self.cache.files {
            Some(files) => files.clone(),
            None => {
                let files: Arc<[String]> = self.unopened_files().into();
                // An interrupted listing is incomplete.
                self.check_cancelled()?;
                self.cache.files = Some(files.clone());
                files
            }
        };
        let mut all = true;
        for uri in files.iter() {
            if !seen.insert(uri.clone()) {
                continue;
            }
            if started.elapsed() > TIME_LIMIT || self.session.is_stopping.load(Ordering::Relaxed) {
                all = false;
                break;
            }
            self.check(uri, None)?;
        }
        if all {
            // Files that no longer exist have no diagnostics.
            let gone = self.before.keys().filter(|uri| !seen.contains(*uri));
            for uri in gone.cloned().collect::<Vec<_>>() {
                self.report(&uri, None, empty_result_id(), Some(Vec::new()));
            }
        }
        self.send_partial(0);
        Ok(self.reports)
    }

    /// The unopened files to check.
    fn unopened_files(&self) -> Vec<String> {
        let mut files = Vec::new();
        for root in self.snapshot.roots() {
            for path in diagnosable_files(root, self.interrupt) {
                if self.snapshot.open_document(&path).is_none() {
                    files.push(uri_of_path(&path.absolute()));
                }
                if files.len() >= MAX_FILES {
                    return files;
                }
            }
        }
        files
    }

    /// An error once the request is cancelled.
    fn check_cancelled(&self) -> std::result::Result<(), QueryError> {
        if self.interrupt.load(Ordering::Relaxed) { Err(QueryError::Interrupted) } else { Ok(()) }
    }

    /// Checks a file, unless the client has the cached result.
    fn check(
        &mut self,
        uri: &str,
        open: Option<&Arc<Document>>,
    ) -> std::result::Result<(), QueryError> {
        self.check_cancelled()?;
        let before = self.before.get(uri);
        if let Some(cache) = self.cache.ids.get(uri)
            && before.map_or(*cache == empty_result_id(), |before| before == cache)
        {
            let id = cache.clone();
            self.report(uri, None, id, None);
            return Ok(());
        }
        let document = match open {
            Some(document) => Some(document.clone()),
            None => self.snapshot.document_or_file(uri),
        };
        let short = |d: &Arc<Document>| open.is_some() || d.text().len() <= MAX_FILE_BYTES;
        let found = match document.filter(short) {
            Some(document) => {
                let (session, snapshot) = (self.session, &self.snapshot);
                match diagnostics::compute(session, snapshot, &document, self.interrupt) {
                    // It is changing. The next request covers it.
                    Err(QueryError::DocumentChanged) => return Ok(()),
                    found => found?,
                }
            }
            None => Vec::new(),
        };
        let id = diagnostics::result_id(&found);
        self.cache.ids.insert(uri.to_owned(), id.clone());
        let same = before == Some(&id);
        self.report(uri, open, id, (!same).then_some(found));
        Ok(())
    }

    /// Adds the report for a file: full or unchanged. A file that never had diagnostics gets none.
    fn report(
        &mut self,
        uri: &str,
        open: Option<&Arc<Document>>,
        id: String,
        found: Option<Vec<tower_lsp_server::ls_types::Diagnostic>>,
    ) {
        if !self.before.contains_key(uri) && id == empty_result_id() {
            return;
        }
        let Some(lsp) = uri_to_lsp(uri) else { return };
        let version = open.map(|document| i64::from(document.version()));
        self.reports.push(match found {
            Some(items) => Report::Full(WorkspaceFullDocumentDiagnosticReport {
                uri: lsp,
                version,
                full_document_diagnostic_report: FullDocumentDiagnosticReport {
                    result_id: Some(id),
                    items,
                },
            }),
            None => Report::Unchanged(WorkspaceUnchangedDocumentDiagnosticReport {
                uri: lsp,
                version,
                unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport {
                    result_id: id,
                },
            }),
        });
        self.send_partial(BATCH);
    }

    /// Sends the reports as a partial result once there are more than `most`, if the client supports that.
    fn send_partial(&mut self, most: usize) {
        let Some(token) = self.token.as_ref().filter(|_| self.reports.len() > most) else { return };
        let items = std::mem::take(&mut self.reports);
        let params = json!({ "token": token, "value": { "items": items } });
        self.session.outbox.post(&Request::build("$/progress").params(params).finish());
    }
}

/// The result id of an empty list.
fn empty_result_id() -> String {
    diagnostics::result_id(&[])
}
