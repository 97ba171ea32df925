//! `textDocument/hover`

use std::fmt::Write as _;

use tower_lsp_server::ls_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};
use workspace::{Builtin, HoverInfo, Origin, QueryError};

use crate::convert::range_to_lsp;
use crate::request_context::RequestContext;

/// Answers with a lower confidence are marked as not sure.
const MIN_CONFIDENCE: f32 = 0.85;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: HoverParams,
) -> Result<Option<Hover>, QueryError> {
    let position = params.text_document_position_params;
    let encoding = context.session.encoding;
    let Some((document, offset)) = context.document_at(&position) else { return Ok(None) };
    let text = document.text();
    let found = context.snapshot.describe(&document, offset, context.interrupt)?;
    let language = document.language().map_or("", |l| l.id());
    let Some((description, uri)) = found else {
        let found = context.snapshot.builtin(&document, offset, context.interrupt);
        return Ok(found.map(|(span, builtin)| Hover {
            contents: HoverContents::Markup(builtin_hover(
                builtin,
                language,
                context.session.features.markdown,
            )),
            range: Some(range_to_lsp(text, span, encoding)),
        }));
    };
    let elsewhere = (*uri != **document.uri()).then(|| context.snapshot.display_path_of_uri(&uri));
    let elsewhere = elsewhere.as_deref();
    let range = Some(range_to_lsp(text, description.span.clone(), encoding));
    let (kind, value) = match context.session.features.markdown {
        true => (MarkupKind::Markdown, markdown(&description, language, elsewhere)),
        false => (MarkupKind::PlainText, plain(&description, language, elsewhere)),
    };
    Ok(Some(Hover { contents: HoverContents::Markup(MarkupContent { kind, value }), range }))
}

/// The signature, kind and location, and documentation.
fn markdown(found: &HoverInfo, language: &str, file: Option<&str>) -> String {
    // A fence longer than any in the code.
    let signature = signature(found, language);
    let mut fence = "```".to_owned();
    while signature.contains(&fence) {
        fence.push('`');
    }
    let mut out = format!("{fence}{language}\n{signature}\n{fence}\n\n{}", origin(found, file));
    if let Some(documentation) = &found.documentation {
        let _ = write!(out, "\n\n---\n\n{}", documentation.markdown());
    }
    out
}

/// The hover for a built-in name.
fn builtin_hover(found: &Builtin, language: &str, markdown: bool) -> MarkupContent {
    let Builtin { signature, kind, text, .. } = found;
    let kind = kind.replace('_', " ");
    let (kind, value) = match markdown {
        true => (
            MarkupKind::Markdown,
            format!("```{language}\n{signature}\n```\n\n{kind}, built in\n\n---\n\n{text}"),
        ),
        false => (MarkupKind::PlainText, format!("{signature}\n\n{kind}, built in\n\n{text}")),
    };
    MarkupContent { kind, value }
}

fn plain(found: &HoverInfo, language: &str, file: Option<&str>) -> String {
    let mut out = format!("{}\n\n{}", signature(found, language), origin(found, file));
    if let Some(documentation) = &found.documentation {
        let _ = write!(out, "\n\n{}", documentation.text);
    }
    out
}

/// The declaration, with its inferred type as a comment if it has no annotation.
fn signature(found: &HoverInfo, language: &str) -> String {
    let written = found.signature.as_deref().unwrap_or(&found.name);
    match &found.inferred_type {
        Some(ty) if !written.contains(ty.as_str()) => {
            let mark = if language == "python" { "#" } else { "//" };
            format!("{written}  {mark} {ty}")
        }
        _ => written.to_owned(),
    }
}

/// For example `method of Box in shapes.py`, and how sure that is.
fn origin(found: &HoverInfo, file: Option<&str>) -> String {
    let mut out = found.kind.as_str().replace('_', " ");
    if let Some(container) = &found.container {
        let _ = write!(out, " of `{container}`");
    }
    if let Some(file) = file {
        let _ = write!(out, " in {file}");
    }
    if found.origin == Origin::Dependency {
        out.push_str(", a dependency");
    }
    if found.other_count > 0 {
        let _ = write!(out, "; one of {} that could be meant", found.other_count + 1);
    } else if found.confidence < MIN_CONFIDENCE {
        let _ = write!(out, "; not sure ({})", found.origin.as_str().replace('_', " "));
    }
    out
}
