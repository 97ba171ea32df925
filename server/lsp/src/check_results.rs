//! What linters, type checkers and builds found, as diagnostics and quick fixes of the client.

use std::ops::Range as Span;

use text::PositionEncoding;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionKind, CodeActionParams, CodeDescription, Diagnostic,
    DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location, NumberOrString,
};
use workspace::{CheckDiagnostic, CheckFix, Document, Severity, Workspace};

use crate::convert::{range_to_lsp, uri_to_lsp};

/// The kind of the actions.
pub(crate) const KIND: &str = "quickfix";
/// Most diagnostics for one document.
const MAX_PER_DOCUMENT: usize = 200;

/// What the last checks found in a document, as far as its lines are still the same.
fn current(workspace: &Workspace, document: &Document) -> Vec<CheckDiagnostic> {
    let files = workspace.check_diagnostics().of(document.uri());
    let mut found: Vec<CheckDiagnostic> = Vec::new();
    for one in files.iter().flat_map(|file| file.diagnostics_in(document.text())) {
        let is_same = |known: &CheckDiagnostic| {
            known.span == one.span && known.code == one.code && known.message == one.message
        };
        // A compiler and a linter that compiles report the same errors.
        if found.len() < MAX_PER_DOCUMENT && !found.iter().any(is_same) {
            found.push(one);
        }
    }
    found
}

/// The diagnostics of a document.
pub(crate) fn diagnostics(
    workspace: &Workspace,
    document: &Document,
    encoding: PositionEncoding,
) -> Vec<Diagnostic> {
    let found = current(workspace, document);
    found.iter().map(|one| diagnostic(document, one, encoding)).collect()
}

fn diagnostic(
    document: &Document,
    found: &CheckDiagnostic,
    encoding: PositionEncoding,
) -> Diagnostic {
    let related = found.related.iter().filter_map(|place| {
        let range = range_to_lsp(&place.text, place.span.clone(), encoding);
        let location = Location { uri: uri_to_lsp(&place.uri)?, range };
        Some(DiagnosticRelatedInformation { location, message: place.message.clone() })
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        range: range_to_lsp(document.text(), found.span.clone(), encoding),
        severity: Some(match found.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Hint => DiagnosticSeverity::INFORMATION,
        }),
        code: found.code.clone().map(NumberOrString::String),
        code_description: found
            .url
            .as_ref()
            .filter(|_| found.code.is_some())
            .and_then(|url| url.parse().ok())
            .map(|href| CodeDescription { href }),
        source: Some(found.source.clone()),
        message: found.message.clone(),
        related_information: (!related.is_empty()).then_some(related),
        tags: found.is_unnecessary.then(|| vec![DiagnosticTag::UNNECESSARY]),
        data: None,
    }
}

/// A fix that is offered.
pub(crate) struct OfferedFix {
    /// The action, still without its edit.
    pub(crate) action: CodeAction,
    pub(crate) fix: CheckFix,
    /// The bytes of its diagnostic.
    pub(crate) span: Span<usize>,
}

/// The fixes that tools suggest for what touches `span`.
pub(crate) fn fixes(
    workspace: &Workspace,
    document: &Document,
    encoding: PositionEncoding,
    span: &Span<usize>,
    params: &CodeActionParams,
) -> Vec<OfferedFix> {
    let touches = |one: &CheckDiagnostic| one.span.start <= span.end && span.start <= one.span.end;
    let mut offered: Vec<OfferedFix> = Vec::new();
    for one in current(workspace, document).into_iter().filter(touches) {
        let own = diagnostic(document, &one, encoding);
        let known = params.context.diagnostics.iter();
        let known = known.filter(|known| known.range == own.range && known.message == own.message);
        let known: Vec<Diagnostic> = known.cloned().collect();
        for fix in one.fixes {
            if offered.iter().any(|other| other.fix == fix) {
                continue;
            }
            let action = CodeAction {
                title: fix.title.clone(),
                kind: Some(CodeActionKind::from(KIND)),
                diagnostics: (!known.is_empty()).then(|| known.clone()),
                is_preferred: fix.is_preferred.then_some(true),
                ..CodeAction::default()
            };
            offered.push(OfferedFix { action, fix, span: one.span.clone() });
        }
    }
    offered
}
