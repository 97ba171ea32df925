//! `textDocument/diagnostic`

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tools::{Code, ToolError};
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::{
    DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportResult,
    FullDocumentDiagnosticReport, RelatedFullDocumentDiagnosticReport,
    RelatedUnchangedDocumentDiagnosticReport, UnchangedDocumentDiagnosticReport,
};
use workspace::QueryError;

use crate::request_context::{RequestContext, ingress_snapshot};
use crate::session::Session;
use crate::{diagnostics, error};

const METHOD: &str = "textDocument/diagnostic";

/// How long an answer for an outdated document may still take.
const GRACE: Duration = Duration::from_secs(1);

/// Runs on the diagnostics thread. If the document changes, the answer is given up after [`GRACE`]: the
/// client requests the new state, which would wait behind it.
pub(crate) async fn answer(
    session: &Arc<Session>,
    params: DocumentDiagnosticParams,
) -> Result<DocumentDiagnosticReportResult> {
    diagnostics::switch_to_pull(session);
    let snapshot = ingress_snapshot(session);
    let open = snapshot.document(params.text_document.uri.as_str()).cloned();
    let outdated = async {
        match &open {
            Some(document) => {
                diagnostics::document_changed(session, document).await;
                tokio::time::sleep(GRACE).await;
            }
            None => std::future::pending().await,
        }
    };
    let task_session = session.clone();
    let answer = session.threads.run_diagnostics(move |interrupt| {
        compute(&RequestContext { session: &task_session, snapshot, interrupt }, params)
    });
    tokio::select! {
        answer = answer => match answer.map_err(|_| error::panicked(METHOD))? {
            Err(QueryError::DocumentChanged) => Err(server_cancelled()),
            answer => answer.map_err(error::from_query_error),
        },
        () = outdated => Err(server_cancelled()),
    }
}

/// `ServerCancelled` without retrigger, so that the client keeps the diagnostics it shows.
fn server_cancelled() -> Error {
    let mut error = error::from_tool_error(&ToolError::new(
        Code::Cancelled,
        format!("{METHOD}: the document has changed"),
    ));
    error.code = ErrorCode::ServerError(SERVER_CANCELLED);
    if let Some(Value::Object(data)) = &mut error.data {
        data.insert("retriggerRequest".to_owned(), json!(false));
    }
    error
}

/// LSP error code `ServerCancelled`.
const SERVER_CANCELLED: i64 = -32802;

fn compute(
    context: &RequestContext<'_>,
    params: DocumentDiagnosticParams,
) -> std::result::Result<DocumentDiagnosticReportResult, QueryError> {
    let document = context.snapshot.document_or_file(params.text_document.uri.as_str());
    let items = match &document {
        Some(document) => {
            let (session, snapshot) = (context.session, &context.snapshot);
            diagnostics::compute(session, snapshot, document, context.interrupt)?
        }
        None => Vec::new(),
    };
    let id = diagnostics::result_id(&items);
    let report = if params.previous_result_id.as_ref() == Some(&id) {
        DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
            related_documents: None,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport {
                result_id: id,
            },
        })
    } else {
        DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: FullDocumentDiagnosticReport {
                result_id: Some(id),
                items,
            },
        })
    };
    Ok(DocumentDiagnosticReportResult::Report(report))
}
