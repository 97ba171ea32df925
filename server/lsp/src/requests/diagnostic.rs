//! `textDocument/diagnostic`

use tower_lsp_server::ls_types::{
    DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportResult,
    FullDocumentDiagnosticReport, RelatedFullDocumentDiagnosticReport,
    RelatedUnchangedDocumentDiagnosticReport, UnchangedDocumentDiagnosticReport,
};
use workspace::QueryError;

use crate::diagnostics;
use crate::question::Question;

pub(crate) fn answer(
    question: &Question<'_>,
    params: DocumentDiagnosticParams,
) -> Result<DocumentDiagnosticReportResult, QueryError> {
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
