//! `workspace/diagnostic`: what is wrong in all files, in pieces where the client takes them.
//!
//! Clients ask again and again, so what is known is kept by file. After a change, what is open is
//! looked at at once, and all else when the last look is a while ago: a change may matter anywhere,
//! and a person types faster than a workspace can be looked through.

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
use workspace::{Document, QueryError, Snapshot, checked_files, uri_of_path};

use crate::convert::uri_to_lsp;
use crate::pool::Interrupt;
use crate::session::Session;
use crate::{diagnostics, error};

const METHOD: &str = "workspace/diagnostic";
/// Most files that are looked at, open ones first.
const FILES: usize = 10_000;
/// Longest file that is looked at without being open, in bytes.
const LONGEST: usize = 1 << 20;
/// How long one request may look; what is left is looked at for the next.
const TIME: Duration = Duration::from_secs(10);
/// How long what was said of files that are not open stands, whatever is changed in others.
const STANDS: Duration = Duration::from_secs(30);
/// Reports of one piece.
const PIECE: usize = 50;

/// What has been found out.
#[derive(Default)]
pub(crate) struct Known {
    /// The number of the change that all of it is as of, and when that was.
    at: u64,
    since: Option<Instant>,
    /// The files, once they have been looked for; what is found of each is of this round.
    files: Option<Arc<[String]>>,
    ids: HashMap<String, String>,
}

/// What is to be told of a file.
type Report = WorkspaceDocumentDiagnosticReport;

pub(crate) async fn ask(
    session: &Arc<Session>,
    params: WorkspaceDiagnosticParams,
) -> Result<WorkspaceDiagnosticReportResult> {
    // One at a time: the next finds what this one found.
    let mut known = session.published.workspace.clone().lock_owned().await;
    let interrupt = Interrupt::new();
    let (flag, own) = (interrupt.flag(), session.clone());
    let (sender, answer) = oneshot::channel();
    let work = move || {
        let answer = Look::new(&own, &mut known, params, &flag).run();
        drop(known);
        // Nobody may be waiting any more.
        let _ = sender.send(answer);
    };
    session.pool.thread("diagnosing", work).map_err(|e| {
        tracing::error!("no thread for {METHOD}: {e}");
        Error::internal_error()
    })?;
    let items = answer.await.map_err(|_| error::panicked(METHOD))?.map_err(error::of_query)?;
    Ok(WorkspaceDiagnosticReport { items }.into())
}

/// One look through the workspace.
struct Look<'a> {
    session: &'a Session,
    snapshot: Snapshot,
    known: &'a mut Known,
    /// What the client has, by URI.
    before: HashMap<String, String>,
    token: Option<ProgressToken>,
    interrupt: &'a AtomicBool,
    reports: Vec<Report>,
}

impl<'a> Look<'a> {
    fn new(
        session: &'a Session,
        known: &'a mut Known,
        params: WorkspaceDiagnosticParams,
        interrupt: &'a AtomicBool,
    ) -> Self {
        let before = params.previous_result_ids.into_iter();
        Self {
            session,
            snapshot: session.workspace.snapshot(),
            known,
            before: before.map(|id| (id.uri.as_str().to_owned(), id.value)).collect(),
            token: params.partial_result_params.partial_result_token,
            interrupt,
            reports: Vec::new(),
        }
    }

    fn run(mut self) -> std::result::Result<Vec<Report>, QueryError> {
        // What has not been read yet is not missing.
        self.snapshot.wait_for_index(self.interrupt)?;
        let started = Instant::now();
        let now = self.session.published.changes();
        let old = self.known.since.is_none_or(|since| since.elapsed() >= STANDS);
        if self.known.at != now && old {
            *self.known = Known { at: now, since: Some(started), ..Known::default() };
        }
        let open: Vec<Arc<Document>> = self.snapshot.documents().cloned().collect();
        let mut seen: HashSet<String> = HashSet::new();
        for document in &open {
            let uri = document.uri().to_string();
            self.known.ids.remove(&uri);
            let is_new = seen.insert(uri.clone());
            if is_new {
                self.look(&uri, Some(document))?;
            }
        }
        let files = match &self.known.files {
            Some(files) => files.clone(),
            None => {
                let files: Arc<[String]> = self.files().into();
                // A list given up half way is not all there is.
                self.wanted()?;
                self.known.files = Some(files.clone());
                files
            }
        };
        let mut all = true;
        for uri in files.iter() {
            if !seen.insert(uri.clone()) {
                continue;
            }
            if started.elapsed() > TIME || self.session.stop.load(Ordering::Relaxed) {
                all = false;
                break;
            }
            self.look(uri, None)?;
        }
        if all {
            // What is not there any more has nothing wrong.
            let gone = self.before.keys().filter(|uri| !seen.contains(*uri));
            for uri in gone.cloned().collect::<Vec<_>>() {
                self.tell(&uri, None, empty_id(), Some(Vec::new()));
            }
        }
        self.send(0);
        Ok(self.reports)
    }

    /// The files that are looked at, but for those that are open.
    fn files(&self) -> Vec<String> {
        let mut files = Vec::new();
        for root in self.snapshot.roots() {
            for path in checked_files(root, self.interrupt) {
                if self.snapshot.open_document(&path).is_none() {
                    files.push(uri_of_path(&path.absolute()));
                }
                if files.len() >= FILES {
                    return files;
                }
            }
        }
        files
    }

    /// An error once nobody waits for this any more.
    fn wanted(&self) -> std::result::Result<(), QueryError> {
        if self.interrupt.load(Ordering::Relaxed) { Err(QueryError::Interrupted) } else { Ok(()) }
    }

    /// Looks at a file, unless it is known to be as the client has it.
    fn look(
        &mut self,
        uri: &str,
        open: Option<&Arc<Document>>,
    ) -> std::result::Result<(), QueryError> {
        self.wanted()?;
        let before = self.before.get(uri);
        if let Some(known) = self.known.ids.get(uri)
            && before.map_or(*known == empty_id(), |before| before == known)
        {
            let id = known.clone();
            self.tell(uri, None, id, None);
            return Ok(());
        }
        let document = match open {
            Some(document) => Some(document.clone()),
            None => self.snapshot.document_or_file(uri),
        };
        let short = |d: &Arc<Document>| open.is_some() || d.text().len() <= LONGEST;
        let found = match document.filter(short) {
            Some(document) => {
                let (session, snapshot) = (self.session, &self.snapshot);
                match diagnostics::of(session, snapshot, &document, self.interrupt) {
                    // It is being changed: the next look finds it.
                    Err(QueryError::Moved) => return Ok(()),
                    found => found?,
                }
            }
            None => Vec::new(),
        };
        let id = diagnostics::id(&found);
        self.known.ids.insert(uri.to_owned(), id.clone());
        let same = before == Some(&id);
        self.tell(uri, open, id, (!same).then_some(found));
        Ok(())
    }

    /// Tells of a file: what is wrong, or that nothing has changed. Of what nothing was ever wrong
    /// with, nothing is told.
    fn tell(
        &mut self,
        uri: &str,
        open: Option<&Arc<Document>>,
        id: String,
        found: Option<Vec<tower_lsp_server::ls_types::Diagnostic>>,
    ) {
        if !self.before.contains_key(uri) && id == empty_id() {
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
        self.send(PIECE);
    }

    /// Sends what there is, once that is more than `most`, to who takes it in pieces.
    fn send(&mut self, most: usize) {
        let Some(token) = self.token.as_ref().filter(|_| self.reports.len() > most) else { return };
        let items = std::mem::take(&mut self.reports);
        let params = json!({ "token": token, "value": { "items": items } });
        self.session.outbox.post(&Request::build("$/progress").params(params).finish());
    }
}

/// The id of nothing.
fn empty_id() -> String {
    diagnostics::id(&[])
}
