//! `textDocument/signatureHelp`

use std::ops::Range;

use text::{PositionEncoding, Text};
use tower_lsp_server::ls_types::{
    ParameterInformation, ParameterLabel, SignatureHelp, SignatureHelpParams, SignatureInformation,
};
use workspace::{QueryError, Signature};

use crate::convert::documentation_to_lsp;
use crate::request_context::RequestContext;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: SignatureHelpParams,
) -> Result<Option<SignatureHelp>, QueryError> {
    let position = params.text_document_position_params;
    let Some((document, offset)) = context.document_at(&position) else { return Ok(None) };
    let found = context.snapshot.signatures(&document, offset, context.interrupt)?;
    let Some(found) = found else { return Ok(None) };
    // Keep the user's choice among overloads while it fits.
    let before = params.context.filter(|c| c.is_retrigger).and_then(|c| c.active_signature_help);
    let before = before.and_then(|help| {
        let active = usize::try_from(help.active_signature?).ok()?;
        Some(help.signatures.into_iter().nth(active)?.label)
    });
    let kept = found
        .all
        .iter()
        .position(|s| s.accepts_argument_count && Some(&s.label) == before.as_ref());
    let active = kept.unwrap_or(found.active_signature);
    let signatures: Vec<_> = found.all.iter().map(|s| signature(s, context)).collect();
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Ok(Some(SignatureHelp {
        active_parameter: Some(number(active_parameter(&found.all[active]))),
        active_signature: Some(number(active)),
        signatures,
    }))
}

/// LSP expresses "no active parameter" as an index past the last one.
fn active_parameter(signature: &Signature) -> usize {
    signature.active_parameter.unwrap_or(signature.parameters.len())
}

fn signature(signature: &Signature, context: &RequestContext<'_>) -> SignatureInformation {
    let features = &context.session.features;
    let label = Text::new(&signature.label);
    let parameters = signature.parameters.iter().map(|span| ParameterInformation {
        label: match features.label_offsets {
            true => ParameterLabel::LabelOffsets(offsets(&label, span)),
            false => ParameterLabel::Simple(signature.label[span.clone()].to_owned()),
        },
        documentation: None,
    });
    let documentation = signature.documentation.as_ref();
    let documentation = documentation.map(|found| documentation_to_lsp(found, features.markdown));
    let active = u32::try_from(active_parameter(signature)).unwrap_or(u32::MAX);
    SignatureInformation {
        label: signature.label.clone(),
        documentation,
        parameters: Some(parameters.collect()),
        active_parameter: features.active_parameter.then_some(active),
    }
}

/// Label offsets are always UTF-16.
fn offsets(label: &Text, span: &Range<usize>) -> [u32; 2] {
    [span.start, span.end].map(|at| label.position(at, PositionEncoding::Utf16).character)
}
