//! `textDocument/signatureHelp`

use std::ops::Range;

use text::{PositionEncoding, Text};
use tower_lsp_server::ls_types::{
    ParameterInformation, ParameterLabel, SignatureHelp, SignatureHelpParams, SignatureInformation,
};
use workspace::{QueryError, Signature};

use crate::convert::documentation_to_lsp;
use crate::question::Question;

pub(crate) fn answer(
    question: &Question<'_>,
    params: SignatureHelpParams,
) -> Result<Option<SignatureHelp>, QueryError> {
    let place = params.text_document_position_params;
    let Some((document, offset)) = question.document_at(&place) else { return Ok(None) };
    let found = question.snapshot.signatures(&document, offset, question.interrupt)?;
    let Some(found) = found else { return Ok(None) };
    // What somebody has chosen among overloads stays chosen while it fits.
    let before = params.context.filter(|c| c.is_retrigger).and_then(|c| c.active_signature_help);
    let before = before.and_then(|help| {
        let active = usize::try_from(help.active_signature?).ok()?;
        Some(help.signatures.into_iter().nth(active)?.label)
    });
    let kept = found.all.iter().position(|s| s.fits && Some(&s.label) == before.as_ref());
    let active = kept.unwrap_or(found.active);
    let signatures: Vec<_> = found.all.iter().map(|s| signature(s, question)).collect();
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Ok(Some(SignatureHelp {
        active_parameter: Some(number(active_parameter(&found.all[active]))),
        active_signature: Some(number(active)),
        signatures,
    }))
}

/// The protocol's way to say that no parameter is active is a number past the last one.
fn active_parameter(signature: &Signature) -> usize {
    signature.active.unwrap_or(signature.parameters.len())
}

fn signature(signature: &Signature, question: &Question<'_>) -> SignatureInformation {
    let features = &question.session.features;
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

/// Offsets into a label are of UTF-16, whatever positions are.
fn offsets(label: &Text, span: &Range<usize>) -> [u32; 2] {
    [span.start, span.end].map(|at| label.position(at, PositionEncoding::Utf16).character)
}
