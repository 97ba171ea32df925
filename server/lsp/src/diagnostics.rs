//! Syntax errors and what is wrong with names, published after a pause.

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
use workspace::{Document, Finding, FindingKind, Plain, QueryError, Severity, Snapshot};

use crate::convert::{range_to_lsp, uri_to_lsp};
use crate::git::conflicts;
use crate::requests::workspace_diagnostic::Known;
use crate::session::Session;
use crate::syntax_limits::SLOW;

/// Who says it.
pub(crate) const SOURCE: &str = "tandem";
/// Most diagnostics of one document.
const MOST: usize = 200;
/// The pause after a change: while a person types, nothing flickers.
const PAUSE: Duration = Duration::from_millis(200);
/// The pause after opening, in which an editor may still send a burst.
const SHORT_PAUSE: Duration = Duration::from_millis(20);
/// The pause after which a change is looked for in the other open documents.
const LONG_PAUSE: Duration = Duration::from_millis(400);
/// A pause after which nobody is typing.
const REST: Duration = Duration::from_secs(2);
/// Most open documents that are looked at again when another file changes.
const OTHERS: usize = 64;

/// What a session has said of its documents.
#[derive(Default)]
pub(crate) struct Published {
    /// The digest of what was last published of a document.
    last: Mutex<HashMap<Arc<str>, u64>>,
    /// The client asks for diagnostics itself, and is told none.
    pulls: AtomicBool,
    /// The open documents are about to be looked at again.
    again: AtomicBool,
    /// How often something has changed that may matter.
    changes: AtomicU64,
    /// Told of each of these changes.
    moved: Notify,
    /// What is known of all files, for who asks about the workspace.
    pub(crate) workspace: Arc<tokio::sync::Mutex<Known>>,
}

impl Published {
    /// The number of the last change.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    fn changed(&self) {
        self.changes.fetch_add(1, Ordering::Relaxed);
        self.moved.notify_waiters();
    }
}

/// What is wrong with a document: its syntax, and its names once every file has been read.
///
/// # Errors
/// When interrupted, or when the document has moved on.
pub(crate) fn of(
    session: &Session,
    snapshot: &Snapshot,
    document: &Document,
    interrupt: &AtomicBool,
) -> Result<Vec<Diagnostic>, QueryError> {
    let open = conflicts::of(document);
    let mut all: Vec<_> =
        open.iter().take(MOST).map(|open| open.diagnostic(session, document)).collect();
    let Some(syntax) = document.syntax(interrupt) else {
        return match interrupt.load(Ordering::Relaxed) {
            true => Err(QueryError::Interrupted),
            false => {
                // Else nothing would say why nothing is wrong with it.
                if document.plain() == Some(Plain::Slow) {
                    all.push(Diagnostic {
                        severity: Some(DiagnosticSeverity::WARNING),
                        source: Some(SOURCE.to_owned()),
                        message: SLOW.to_owned(),
                        ..Diagnostic::default()
                    });
                }
                Ok(all)
            }
        };
    };
    let range = |span| range_to_lsp(document.text(), span, session.encoding);
    let of_syntax = |span, message, severity| Diagnostic {
        range: range(span),
        severity: Some(severity),
        source: Some(SOURCE.to_owned()),
        message,
        ..Diagnostic::default()
    };
    let errors = syntax.errors(MOST).into_iter();
    all.extend(
        errors
            .filter(|error| !conflicts::explain(&open, document.text(), &error.span))
            .map(|error| of_syntax(error.span, error.message, DiagnosticSeverity::ERROR)),
    );
    let warnings = syntax.warnings(MOST).into_iter();
    all.extend(warnings.map(|w| of_syntax(w.span, w.message, DiagnosticSeverity::WARNING)));
    snapshot.index_document(document, interrupt);
    // What has not been read yet is not missing.
    if snapshot.index_progress().complete {
        let silenced = session.silenced(snapshot);
        let found = snapshot.findings(document, interrupt)?;
        let shown = found
            .iter()
            .filter(|f| !silenced.contains(f.kind.code()) && !conflicts::holds(&open, &f.span));
        all.extend(shown.take(MOST).map(|f| finding(f, range(f.span.clone()))));
    }
    Ok(all)
}

fn finding(finding: &Finding, range: tower_lsp_server::ls_types::Range) -> Diagnostic {
    let tag = match finding.kind {
        FindingKind::Deprecated => Some(DiagnosticTag::DEPRECATED),
        FindingKind::UnusedImport | FindingKind::UnusedVariable => Some(DiagnosticTag::UNNECESSARY),
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

/// By what a client knows a list of diagnostics.
pub(crate) fn id(diagnostics: &[Diagnostic]) -> String {
    format!("{:016x}", digest(diagnostics))
}

/// Tells one list of diagnostics from another.
fn digest(diagnostics: &[Diagnostic]) -> u64 {
    let mut hasher = DefaultHasher::new();
    json!(diagnostics).to_string().hash(&mut hasher);
    hasher.finish()
}

/// Publishes what is wrong with `document` once it has stood still for a while, and takes it up in
/// the index. A newer state of the document makes this one void.
pub(crate) fn schedule(session: &Arc<Session>, document: Arc<Document>, opened: bool) {
    session.published.changed();
    let session = session.clone();
    tokio::spawn(async move {
        tokio::time::sleep(if opened { SHORT_PAUSE } else { PAUSE }).await;
        publish(&session, document.clone(), true).await;
        look_again(&session);
        tokio::time::sleep(REST).await;
        rest(&session, document);
    });
}

/// Gives memory back to the system where a document still stands as it is after a long pause.
fn rest(session: &Arc<Session>, document: Arc<Document>) {
    if still(session, &document).is_some() {
        let background = session.clone();
        session.pool.background(move || background.workspace.rests(&document));
    }
}

/// Looks at the open documents again after a pause: other files have changed.
pub(crate) fn look_again(session: &Arc<Session>) {
    session.published.changed();
    if session.published.again.swap(true, Ordering::Relaxed) {
        return;
    }
    let runtime = session.runtime.clone();
    let session = session.clone();
    runtime.spawn(async move {
        tokio::time::sleep(LONG_PAUSE).await;
        session.published.again.store(false, Ordering::Relaxed);
        if session.stop.load(Ordering::Relaxed) {
            return;
        }
        if session.published.pulls.load(Ordering::Relaxed) {
            // Who cannot be told asks again by itself.
            let _ = session.client.workspace_diagnostic_refresh().await;
            return;
        }
        let open: Vec<_> = session.workspace.snapshot().documents().cloned().collect();
        for document in open.into_iter().take(OTHERS) {
            publish(&session, document, false).await;
        }
    });
}

/// Publishes what is wrong with a document, unless it moves on, which ends the work. What was said
/// before is said again where it is `new`.
async fn publish(session: &Arc<Session>, document: Arc<Document>, new: bool) {
    let current = || still(session, &document);
    let Some(snapshot) = current() else { return };
    let (state, own) = (document.clone(), session.clone());
    let computed = session.pool.diagnose(move |interrupt| {
        if own.published.pulls.load(Ordering::Relaxed) {
            // Whoever asks finds it in the index, and finds out what is wrong by asking.
            snapshot.index_document(&state, interrupt);
            return Ok(Vec::new());
        }
        of(&own, &snapshot, &state, interrupt)
    });
    let computed = tokio::select! {
        computed = computed => computed,
        () = moved_on(session, &document) => return,
    };
    let Ok(Ok(diagnostics)) = computed else { return };
    if current().is_none() || session.published.pulls.load(Ordering::Relaxed) {
        return;
    }
    let Some(uri) = uri_to_lsp(document.uri()) else { return };
    let digest = digest(&diagnostics);
    let before = session.published.last.lock().insert(document.uri().clone(), digest);
    if new || before != Some(digest) {
        let version = Some(document.version());
        session.client.publish_diagnostics(uri, diagnostics, version).await;
    }
}

/// The workspace as it is, if the document still is as in this state.
fn still(session: &Session, document: &Document) -> Option<Snapshot> {
    let snapshot = session.workspace.snapshot();
    let now = snapshot.document(document.uri());
    now.is_some_and(|now| now.revision() == document.revision()).then_some(snapshot)
}

/// Ends once an open document is in another state than this, or closed.
pub(crate) async fn moved_on(session: &Session, document: &Document) {
    loop {
        // Made before the look, so that no change between the two is missed.
        let change = session.published.moved.notified();
        if still(session, document).is_none() {
            return;
        }
        change.await;
    }
}

/// Notes that the client asks for diagnostics itself, and takes back what it was told.
pub(crate) fn pulled(session: &Arc<Session>) {
    if session.published.pulls.swap(true, Ordering::Relaxed) {
        return;
    }
    let told: Vec<_> = session.published.last.lock().drain().map(|(uri, _)| uri).collect();
    let session = session.clone();
    tokio::spawn(async move {
        for uri in told.iter().filter_map(|uri| uri_to_lsp(uri)) {
            session.client.publish_diagnostics(uri, Vec::new(), None).await;
        }
    });
}

/// Takes back what was published for a document that was closed.
pub(crate) fn clear(session: &Arc<Session>, document: &Document) {
    session.published.changed();
    session.published.last.lock().remove(document.uri());
    let Some(uri) = uri_to_lsp(document.uri()) else { return };
    let session = session.clone();
    tokio::spawn(async move {
        session.client.publish_diagnostics(uri, Vec::new(), None).await;
    });
}
