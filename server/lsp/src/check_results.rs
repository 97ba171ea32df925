//! What linters, type checkers and builds found, as diagnostics and quick fixes of the client.

use std::ops::Range as Span;

use tower_lsp_server::ls_types::{
    CodeAction, CodeActionKind, CodeActionParams, CodeDescription, Diagnostic,
    DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location, NumberOrString,
    Position, Range,
};
use workspace::{CheckDiagnostic, CheckFix, Document, Severity};

use crate::convert::{range_to_lsp, uri_to_lsp};
use crate::session::Session;

/// The kind of the actions.
pub(crate) const KIND: &str = "quickfix";
/// Most diagnostics for one document.
const MAX_PER_DOCUMENT: usize = 200;

/// What the last checks found in a document, as far as its lines are still the same.
fn current(session: &Session, document: &Document) -> Vec<CheckDiagnostic> {
    let files = session.workspace.check_diagnostics().of(document.uri());
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
pub(crate) fn diagnostics(session: &Session, document: &Document) -> Vec<Diagnostic> {
    let found = current(session, document);
    found.iter().map(|one| diagnostic(session, document, one)).collect()
}

fn diagnostic(session: &Session, document: &Document, found: &CheckDiagnostic) -> Diagnostic {
    let related = found.related.iter().filter_map(|place| {
        let [start, end] = place.range.map(|(line, character)| Position { line, character });
        let location = Location { uri: uri_to_lsp(&place.uri)?, range: Range { start, end } };
        Some(DiagnosticRelatedInformation { location, message: place.message.clone() })
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        range: range_to_lsp(document.text(), found.span.clone(), session.encoding),
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

/// The fixes that tools suggest for what touches `span`, each with its edits.
pub(crate) fn fixes(
    session: &Session,
    document: &Document,
    span: &Span<usize>,
    params: &CodeActionParams,
) -> Vec<(CodeAction, CheckFix)> {
    let touches = |one: &CheckDiagnostic| one.span.start <= span.end && span.start <= one.span.end;
    let mut actions: Vec<(CodeAction, CheckFix)> = Vec::new();
    for one in current(session, document).into_iter().filter(touches) {
        let own = diagnostic(session, document, &one);
        let known = params.context.diagnostics.iter();
        let known = known.filter(|known| known.range == own.range && known.message == own.message);
        let known: Vec<Diagnostic> = known.cloned().collect();
        for fix in one.fixes {
            let is_same = |(_, other): &(CodeAction, CheckFix)| {
                other.title == fix.title && other.edits == fix.edits
            };
            if actions.iter().any(is_same) {
                continue;
            }
            let action = CodeAction {
                title: fix.title.clone(),
                kind: Some(CodeActionKind::from(KIND)),
                diagnostics: (!known.is_empty()).then(|| known.clone()),
                is_preferred: fix.is_preferred.then_some(true),
                ..CodeAction::default()
            };
            actions.push((action, fix));
        }
    }
    actions
}
