//! Computes diagnostics and publishes them after a debounce: syntax errors, and findings about names.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::Notify;
use tower_lsp_server::ls_types::{Diagnostic, DiagnosticSeverity, DiagnosticTag, NumberOrString};
use workspace::{
    Document, NameDiagnostic, NameDiagnosticKind, PlainTextReason, QueryError, Severity, Snapshot,
};

use crate::check_results;
use crate::convert::{range_to_lsp, uri_to_lsp};
use crate::git::conflicts;
use crate::requests::workspace_diagnostic::WorkspaceDiagnosticCache;
use crate::session::Session;
use crate::syntax_limits::SLOW_PARSE_MESSAGE;

/// The `source` of our diagnostics.
pub(crate) const SOURCE: &str = "tandem";
/// Most diagnostics for one document.
const MAX_PER_DOCUMENT: usize = 200;
/// Debounce after a change, so that nothing flickers while the user types.
const CHANGE_DEBOUNCE: Duration = Duration::from_millis(200);
/// Debounce after opening. Editors may still send a burst of changes.
const OPEN_DEBOUNCE: Duration = Duration::from_millis(20);
/// Debounce before a change is checked in the other open documents.
const RECHECK_DEBOUNCE: Duration = Duration::from_millis(400);
/// After this long without a change, nobody is typing.
const IDLE_DELAY: Duration = Duration::from_secs(2);
/// Most files that are not open, with results of checks.
const MAX_CLOSED: usize = 500;
/// Most open documents that are checked again when another file changes.
const MAX_RECHECKED: usize = 64;

/// What a session has published, and what it will publish.
#[derive(Default)]
pub(crate) struct DiagnosticsState {
    /// The digest of each document's last published diagnostics.
    last: Mutex<HashMap<Arc<str>, u64>>,
    /// The same of files that are not open.
    closed: Mutex<ClosedFiles>,
    /// The client pulls diagnostics, so nothing is pushed.
    is_pull_client: AtomicBool,
    /// A recheck of the open documents is scheduled.
    is_recheck_scheduled: AtomicBool,
    /// Counts the changes that may affect diagnostics.
    generation: AtomicU64,
    /// Notified on each of these changes.
    generation_changed: Notify,
    /// The results of `workspace/diagnostic`.
    pub(crate) workspace: Arc<tokio::sync::Mutex<WorkspaceDiagnosticCache>>,
}

/// What is published of files that are not open: what checks found in them.
#[derive(Default)]
struct ClosedFiles {
    /// The digest of each file's diagnostics.
    last: HashMap<String, u64>,
    /// The reports of checks and the changes on disk that these are of.
    as_of: Option<(u64, u64)>,
}

impl DiagnosticsState {
    /// The current value of the change counter.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Relaxed)
    }

    fn bump_generation(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
        self.generation_changed.notify_waiters();
    }
}

/// Computes a document's diagnostics: ours, and what the last checks of its project found.
///
/// # Errors
/// If interrupted, or if the document has changed.
pub(crate) fn compute(
    session: &Session,
    snapshot: &Snapshot,
    document: &Document,
    interrupt: &AtomicBool,
) -> Result<Vec<Diagnostic>, QueryError> {
    let checked = check_results::diagnostics(&session.workspace, document, session.encoding);
    let mut all = compute_own(session, snapshot, document, interrupt)?;
    // Two reports of the same unused import help nobody.
    all.retain(|own| own.code.is_none() || !checked.iter().any(|one| one.range == own.range));
    all.extend(checked);
    Ok(all)
}

/// Computes a document's own diagnostics: syntax, and name findings once the index is complete.
fn compute_own(
    session: &Session,
    snapshot: &Snapshot,
    document: &Document,
    interrupt: &AtomicBool,
) -> Result<Vec<Diagnostic>, QueryError> {
    let open_conflicts = conflicts::find(document);
    let mut all: Vec<_> = open_conflicts
        .iter()
        .take(MAX_PER_DOCUMENT)
        .map(|conflict| conflict.diagnostic(session, document))
        .collect();
    let Some(syntax) = document.syntax(interrupt) else {
        return match interrupt.load(Ordering::Relaxed) {
            true => Err(QueryError::Interrupted),
            false => {
                // Without this, nothing would explain the missing diagnostics.
                if document.plain_text_reason() == Some(PlainTextReason::ParseTimeout) {
                    all.push(Diagnostic {
                        severity: Some(DiagnosticSeverity::WARNING),
                        source: Some(SOURCE.to_owned()),
                        message: SLOW_PARSE_MESSAGE.to_owned(),
                        ..Diagnostic::default()
                    });
                }
                Ok(all)
            }
        };
    };
    let range = |span| range_to_lsp(document.text(), span, session.encoding);
    let syntax_diagnostic = |span, message, severity| Diagnostic {
        range: range(span),
        severity: Some(severity),
        source: Some(SOURCE.to_owned()),
        message,
        ..Diagnostic::default()
    };
    let errors = syntax.errors(MAX_PER_DOCUMENT).into_iter();
    all.extend(
        errors
            .filter(|error| {
                !conflicts::explain_error(&open_conflicts, document.text(), &error.span)
            })
            .map(|error| syntax_diagnostic(error.span, error.message, DiagnosticSeverity::ERROR)),
    );
    let warnings = syntax.warnings(MAX_PER_DOCUMENT).into_iter();
    all.extend(warnings.map(|w| syntax_diagnostic(w.span, w.message, DiagnosticSeverity::WARNING)));
    snapshot.index_document(document, interrupt);
    // With an incomplete index, names of unread files would be reported as missing.
    if snapshot.index_progress().complete {
        let disabled = session.disabled_diagnostics(snapshot);
        let found = snapshot.findings(document, interrupt)?;
        let shown = found.iter().filter(|f| {
            !disabled.contains(f.kind.code()) && !conflicts::touch(&open_conflicts, &f.span)
        });
        all.extend(
            shown.take(MAX_PER_DOCUMENT).map(|f| finding_diagnostic(f, range(f.span.clone()))),
        );
    }
    Ok(all)
}

fn finding_diagnostic(
    finding: &NameDiagnostic,
    range: tower_lsp_server::ls_types::Range,
) -> Diagnostic {
    let tag = match finding.kind {
        NameDiagnosticKind::Deprecated => Some(DiagnosticTag::DEPRECATED),
        NameDiagnosticKind::UnusedImport | NameDiagnosticKind::UnusedVariable => {
            Some(DiagnosticTag::UNNECESSARY)
        }
        _ => None,
    };
    Diagnostic {
        range,
        severity: Some(match finding.severity() {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Hint => DiagnosticSeverity::HINT,
        }),
        code: Some(NumberOrString::String(finding.kind.code().to_owned())),
        source: Some(SOURCE.to_owned()),
        message: finding.message(),
        tags: tag.map(|tag| vec![tag]),
        data: Some(json!({ "kind": finding.kind.code(), "name": finding.name })),
        ..Diagnostic::default()
    }
}

/// The result id of a list of diagnostics.
pub(crate) fn result_id(diagnostics: &[Diagnostic]) -> String {
    format!("{:016x}", digest(diagnostics))
}

/// A hash that identifies a list of diagnostics.
fn digest(diagnostics: &[Diagnostic]) -> u64 {
    let mut hasher = DefaultHasher::new();
    json!(diagnostics).to_string().hash(&mut hasher);
    hasher.finish()
}

/// Publishes a document's diagnostics after a debounce and indexes it. A newer version of the document
/// supersedes this.
pub(crate) fn schedule(session: &Arc<Session>, document: Arc<Document>, opened: bool) {
    session.diagnostics.bump_generation();
    let session = session.clone();
    tokio::spawn(async move {
        tokio::time::sleep(if opened { OPEN_DEBOUNCE } else { CHANGE_DEBOUNCE }).await;
        publish(&session, document.clone(), true).await;
        schedule_recheck(&session);
        tokio::time::sleep(IDLE_DELAY).await;
        release_idle_memory(&session, document);
    });
}

/// Releases the memory of a document that has not changed for a while.
fn release_idle_memory(session: &Arc<Session>, document: Arc<Document>) {
    if snapshot_if_current(session, &document).is_some() {
        let background = session.clone();
        session.threads.spawn_background(move || background.workspace.trim_memory_after(&document));
    }
}

/// Schedules a recheck of the open documents, since other files have changed.
pub(crate) fn schedule_recheck(session: &Arc<Session>) {
    session.diagnostics.bump_generation();
    if session.diagnostics.is_recheck_scheduled.swap(true, Ordering::Relaxed) {
        return;
    }
    let runtime = session.runtime.clone();
    let session = session.clone();
    runtime.spawn(async move {
        tokio::time::sleep(RECHECK_DEBOUNCE).await;
        session.diagnostics.is_recheck_scheduled.store(false, Ordering::Relaxed);
        if session.is_stopping.load(Ordering::Relaxed) {
            return;
        }
        if session.diagnostics.is_pull_client.load(Ordering::Relaxed) {
            // Clients without refresh support poll.
            let _ = session.client.workspace_diagnostic_refresh().await;
            return;
        }
        let open: Vec<_> = session.workspace.snapshot().documents().cloned().collect();
        for document in open.into_iter().take(MAX_RECHECKED) {
            publish(&session, document, false).await;
        }
        publish_closed(&session).await;
    });
}

/// Publishes a document's diagnostics, unless it changes meanwhile, which cancels the work. Unchanged
/// diagnostics are sent again only if `force`.
async fn publish(session: &Arc<Session>, document: Arc<Document>, force: bool) {
    let current = || snapshot_if_current(session, &document);
    let Some(snapshot) = current() else { return };
    let (state, task_session) = (document.clone(), session.clone());
    let computed = session.threads.run_diagnostics(move |interrupt| {
        if task_session.diagnostics.is_pull_client.load(Ordering::Relaxed) {
            // Diagnostics are pulled: only index the document.
            snapshot.index_document(&state, interrupt);
            return Ok(Vec::new());
        }
        compute(&task_session, &snapshot, &state, interrupt)
    });
    let computed = tokio::select! {
        computed = computed => computed,
        () = document_changed(session, &document) => return,
    };
    let Ok(Ok(diagnostics)) = computed else { return };
    if current().is_none() || session.diagnostics.is_pull_client.load(Ordering::Relaxed) {
        return;
    }
    let Some(uri) = uri_to_lsp(document.uri()) else { return };
    let digest = digest(&diagnostics);
    let before = session.diagnostics.last.lock().insert(document.uri().clone(), digest);
    if force || before != Some(digest) {
        let version = Some(document.version());
        session.client.publish_diagnostics(uri, diagnostics, version).await;
    }
}

/// Publishes what checks found in files that are not open, if there are new reports or changes on disk.
async fn publish_closed(session: &Arc<Session>) {
    let (snapshot, checks) = (session.workspace.snapshot(), session.workspace.check_diagnostics());
    let now = (checks.reports(), snapshot.disk_changes());
    if session.diagnostics.closed.lock().as_of.replace(now) == Some(now) {
        return;
    }
    let (uris, task_snapshot, task_session) =
        (checks.uris(MAX_CLOSED), snapshot.clone(), session.clone());
    let computed = session.threads.run_diagnostics(move |_| {
        let closed = uris.into_iter().filter(|uri| task_snapshot.document(uri).is_none());
        let of = |uri: String| {
            let document = task_snapshot.document_or_file(&uri)?;
            let (workspace, encoding) = (&task_session.workspace, task_session.encoding);
            Some((uri, check_results::diagnostics(workspace, &document, encoding)))
        };
        closed.take(MAX_CLOSED).filter_map(of).collect::<Vec<_>>()
    });
    let Ok(mut found) = computed.await else {
        session.diagnostics.closed.lock().as_of = None;
        return;
    };
    {
        let mut closed = session.diagnostics.closed.lock();
        let digests = found.iter().map(|(uri, all)| (uri.clone(), digest(all))).collect();
        let before = std::mem::replace(&mut closed.last, digests);
        found.retain(|(uri, _)| before.get(uri) != closed.last.get(uri));
        let is_gone =
            |uri: &String| !closed.last.contains_key(uri) && snapshot.document(uri).is_none();
        found.extend(before.into_keys().filter(is_gone).map(|uri| (uri, Vec::new())));
    }
    for (uri, diagnostics) in found {
        if let Some(uri) = uri_to_lsp(&uri) {
            session.client.publish_diagnostics(uri, diagnostics, None).await;
        }
    }
}

/// Publishes the results of checks from now on.
pub(crate) fn start(session: &Arc<Session>) {
    let weak = Arc::downgrade(session);
    session.workspace.check_diagnostics().on_report(move || {
        if let Some(session) = weak.upgrade() {
            schedule_recheck(&session);
        }
    });
}

/// The current snapshot, if the document has not changed since `document`.
fn snapshot_if_current(session: &Session, document: &Document) -> Option<Snapshot> {
    let snapshot = session.workspace.snapshot();
    let now = snapshot.document(document.uri());
    now.is_some_and(|now| now.revision() == document.revision()).then_some(snapshot)
}

/// Waits until an open document changes or closes.
pub(crate) async fn document_changed(session: &Session, document: &Document) {
    loop {
        // Registered before the check, so that no change in between is missed.
        let change = session.diagnostics.generation_changed.notified();
        if snapshot_if_current(session, document).is_none() {
            return;
        }
        change.await;
    }
}

/// Switches to pull diagnostics and clears the published ones.
pub(crate) fn switch_to_pull(session: &Arc<Session>) {
    if session.diagnostics.is_pull_client.swap(true, Ordering::Relaxed) {
        return;
    }
    let mut published: Vec<Arc<str>> =
        session.diagnostics.last.lock().drain().map(|(uri, _)| uri).collect();
    let closed = std::mem::take(&mut *session.diagnostics.closed.lock());
    published.extend(closed.last.into_keys().map(Arc::from));
    let session = session.clone();
    tokio::spawn(async move {
        for uri in published.iter().filter_map(|uri| uri_to_lsp(uri)) {
            session.client.publish_diagnostics(uri, Vec::new(), None).await;
        }
    });
}

/// Clears the diagnostics of a document that was closed. Those of checks are published again later.
pub(crate) fn clear(session: &Arc<Session>, document: &Document) {
    session.diagnostics.bump_generation();
    session.diagnostics.last.lock().remove(document.uri());
    {
        let mut closed = session.diagnostics.closed.lock();
        closed.last.remove(&**document.uri());
        closed.as_of = None;
    }
    let Some(uri) = uri_to_lsp(document.uri()) else { return };
    let session = session.clone();
    tokio::spawn(async move {
        session.client.publish_diagnostics(uri, Vec::new(), None).await;
        schedule_recheck(&session);
    });
}
