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

use crate::question::{Question, ingress_snapshot};
use crate::session::Session;
use crate::{diagnostics, error};

const METHOD: &str = "textDocument/diagnostic";

/// How long an answer about a state that is gone may still take.
const GRACE: Duration = Duration::from_secs(1);

/// Answered where no other question waits for it, and given up where it takes long and the document
/// is another by then: who changed it asks again, and would wait behind it.
pub(crate) async fn ask(
    session: &Arc<Session>,
    params: DocumentDiagnosticParams,
) -> Result<DocumentDiagnosticReportResult> {
    diagnostics::pulled(session);
    let snapshot = ingress_snapshot(session);
    let open = snapshot.document(params.text_document.uri.as_str()).cloned();
    let gone = async {
        match &open {
            Some(document) => {
                diagnostics::moved_on(session, document).await;
                tokio::time::sleep(GRACE).await;
            }
            None => std::future::pending().await,
        }
    };
    let own = session.clone();
    let answer = session.pool.diagnose(move |interrupt| {
        answer(&Question { session: &own, snapshot, interrupt }, params)
    });
    tokio::select! {
        answer = answer => match answer.map_err(|_| error::panicked(METHOD))? {
            Err(QueryError::Moved) => Err(given_up()),
            answer => answer.map_err(error::of_query),
        },
        () = gone => Err(given_up()),
    }
}

/// What the protocol has for this: nothing was found out, so what is shown stays.
fn given_up() -> Error {
    let mut error = error::of_tool(&ToolError::new(
        Code::Cancelled,
        format!("{METHOD}: the document has changed meanwhile"),
    ));
    error.code = ErrorCode::ServerError(SERVER_CANCELLED);
    if let Some(Value::Object(data)) = &mut error.data {
        data.insert("retriggerRequest".to_owned(), json!(false));
    }
    error
}

/// `ServerCancelled` of the protocol.
const SERVER_CANCELLED: i64 = -32802;

fn answer(
    question: &Question<'_>,
    params: DocumentDiagnosticParams,
) -> std::result::Result<DocumentDiagnosticReportResult, QueryError> {
    let document = question.snapshot.document_or_file(params.text_document.uri.as_str());
    let items = match &document {
        Some(document) => {
            let (session, snapshot) = (question.session, &question.snapshot);
            diagnostics::of(session, snapshot, document, question.interrupt)?
        }
        None => Vec::new(),
    };
    let id = diagnostics::id(&items);
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
