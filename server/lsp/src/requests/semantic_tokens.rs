//! `textDocument/semanticTokens/full`, `full/delta` and `range`

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use syntax::{Highlight, HighlightClass};
use tower_lsp_server::ls_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensDelta,
    SemanticTokensDeltaParams, SemanticTokensEdit, SemanticTokensFullDeltaResult,
    SemanticTokensFullOptions, SemanticTokensLegend, SemanticTokensOptions, SemanticTokensParams,
    SemanticTokensRangeParams, SemanticTokensRangeResult, SemanticTokensResult,
    WorkDoneProgressOptions,
};
use workspace::{Document, MissingHighlights, QueryError};

use crate::background_parse::{self, HIGHLIGHT_PARSE_TIMEOUT, INJECTION_TIMEOUT};
use crate::convert::range_from_lsp;
use crate::request_context::RequestContext;
use crate::syntax_limits;
use crate::token_encoder::TokenEncoder;

/// The tokens sent to the client, by document.
pub(crate) struct SentTokens {
    /// Distinguishes this session's result ids from an earlier one's, which a client may still have.
    session: u64,
    /// The last id. Ids are never reused: a document may be closed and opened again.
    last: AtomicU64,
    by_uri: Mutex<HashMap<Arc<str>, SentDocument>>,
}

struct SentDocument {
    id: String,
    tokens: Arc<[SemanticToken]>,
}

impl Default for SentTokens {
    fn default() -> Self {
        let session = RandomState::new().hash_one(0);
        Self { session, last: AtomicU64::default(), by_uri: Mutex::default() }
    }
}

impl SentTokens {
    /// Forgets a closed document.
    pub(crate) fn forget(&self, uri: &str) {
        self.by_uri.lock().remove(uri);
    }
}

pub(crate) fn options() -> SemanticTokensOptions {
    let (types, modifiers) = legend();
    SemanticTokensOptions {
        legend: SemanticTokensLegend {
            token_types: types.into_iter().map(SemanticTokenType::new).collect(),
            token_modifiers: modifiers.into_iter().map(SemanticTokenModifier::new).collect(),
        },
        range: Some(true),
        full: Some(SemanticTokensFullOptions::Delta { delta: Some(true) }),
        work_done_progress_options: WorkDoneProgressOptions::default(),
    }
}

/// All token types and modifiers, sorted.
fn legend() -> (Vec<&'static str>, Vec<&'static str>) {
    let (mut types, mut modifiers) = (Vec::new(), Vec::new());
    for (kind, with) in HighlightClass::all().filter_map(HighlightClass::token) {
        types.push(kind);
        modifiers.extend(with);
    }
    for names in [&mut types, &mut modifiers] {
        names.sort_unstable();
        names.dedup();
    }
    (types, modifiers)
}

pub(crate) fn full(
    context: &RequestContext<'_>,
    params: SemanticTokensParams,
) -> Result<Option<SemanticTokensResult>, QueryError> {
    let uri = params.text_document.uri;
    let Some((document, tokens)) = all_tokens(context, uri.as_str()) else { return Ok(None) };
    let id = remember(context, &document, &tokens);
    let tokens = SemanticTokens { result_id: Some(id), data: tokens.to_vec() };
    Ok(Some(tokens.into()))
}

pub(crate) fn delta(
    context: &RequestContext<'_>,
    params: SemanticTokensDeltaParams,
) -> Result<Option<SemanticTokensFullDeltaResult>, QueryError> {
    let uri = params.text_document.uri;
    let Some((document, tokens)) = all_tokens(context, uri.as_str()) else { return Ok(None) };
    let before = {
        let sent = context.session.sent_tokens.by_uri.lock();
        let sent = sent.get(document.uri());
        sent.filter(|s| s.id == params.previous_result_id).map(|s| s.tokens.clone())
    };
    let id = Some(remember(context, &document, &tokens));
    Ok(Some(match before {
        Some(before) => {
            let edits = difference(&before, &tokens).into_iter().collect();
            SemanticTokensDelta { result_id: id, edits }.into()
        }
        None => SemanticTokens { result_id: id, data: tokens.to_vec() }.into(),
    }))
}

pub(crate) fn range(
    context: &RequestContext<'_>,
    params: SemanticTokensRangeParams,
) -> Result<Option<SemanticTokensRangeResult>, QueryError> {
    let document = context.snapshot.document_or_file(params.text_document.uri.as_str());
    let Some(document) = document else { return Ok(None) };
    let span = document.text().span(range_from_lsp(params.range), context.session.encoding);
    let Some(tokens) = tokens(context, &document, span) else { return Ok(None) };
    Ok(Some(SemanticTokens { result_id: None, data: tokens }.into()))
}

/// All tokens of a document. `None` if it is too large or has no syntax.
fn all_tokens(
    context: &RequestContext<'_>,
    uri: &str,
) -> Option<(Arc<Document>, Arc<[SemanticToken]>)> {
    let document = context.snapshot.document_or_file(uri)?;
    let length = document.text().len();
    if length > context.session.syntax_limits.current().injections {
        // It may have grown since it was opened.
        syntax_limits::notify_reduced_features(context.session, &document);
    }
    if length > context.session.syntax_limits.current().tokens {
        return None;
    }
    let tokens = tokens(context, &document, 0..length)?;
    Some((document, tokens.into()))
}

fn tokens(
    context: &RequestContext<'_>,
    document: &Document,
    span: Range<usize>,
) -> Option<Vec<SemanticToken>> {
    let injections = document.text().len() <= context.session.syntax_limits.current().injections;
    let (session, interrupt) = (context.session, context.interrupt);
    let highlights = if session.features.token_refresh {
        let is_whole = span == (0..document.text().len());
        let (highlights, missing) = document.highlights_within(
            HIGHLIGHT_PARSE_TIMEOUT,
            INJECTION_TIMEOUT,
            span,
            injections,
            interrupt,
        )?;
        match missing {
            MissingHighlights::Nothing => {}
            MissingHighlights::EmbeddedLanguages if is_whole => {
                background_parse::spawn_with_highlights(session, document.uri())
            }
            MissingHighlights::EmbeddedLanguages | MissingHighlights::LatestChanges => {
                background_parse::spawn(session, document.uri())
            }
        }
        highlights
    } else {
        document.highlights(span, injections, interrupt)?
    };
    Some(encode(context, document, &highlights))
}

fn encode(
    context: &RequestContext<'_>,
    document: &Document,
    highlights: &[Highlight],
) -> Vec<SemanticToken> {
    let (types, modifiers) = legend();
    let index = |names: &[&str], name| {
        let at = names.binary_search(&name).unwrap_or_default();
        u32::try_from(at).unwrap_or_default()
    };
    let kinds: Vec<Option<(u32, u32)>> = HighlightClass::all()
        .map(|class| {
            let (kind, with) = class.token()?;
            let bits = with.iter().fold(0, |bits, m| bits | 1 << index(&modifiers, m));
            Some((index(&types, kind), bits))
        })
        .collect();
    let session = context.session;
    let (Some(first), Some(last)) = (highlights.first(), highlights.last()) else {
        return Vec::new();
    };
    let (encoding, multiline) = (session.encoding, session.features.multiline_tokens);
    let covered = first.span.start..last.span.end;
    let mut writer = TokenEncoder::new(document.text(), covered, encoding, multiline);
    for highlight in highlights {
        if let Some(Some((kind, bits))) = kinds.get(highlight.class.index()) {
            writer.put(highlight.span.clone(), *kind, *bits);
        }
    }
    writer.tokens
}

/// Remembers sent tokens of an open document, for later deltas. Returns the result id.
fn remember(
    context: &RequestContext<'_>,
    document: &Document,
    tokens: &Arc<[SemanticToken]>,
) -> String {
    let uri = document.uri();
    let SentTokens { session, last, by_uri } = &context.session.sent_tokens;
    let id = format!("{session:x}-{}", last.fetch_add(1, Ordering::Relaxed));
    let mut sent = by_uri.lock();
    if context.session.workspace.snapshot().document(uri).is_some() {
        sent.insert(uri.clone(), SentDocument { id: id.clone(), tokens: tokens.clone() });
    }
    id
}

/// The single edit that turns one list of tokens into another.
fn difference(before: &[SemanticToken], after: &[SemanticToken]) -> Option<SemanticTokensEdit> {
    let same = before.iter().zip(after).take_while(|(b, a)| b == a).count();
    let (old, new) = (&before[same..], &after[same..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(b, a)| b == a).count();
    let (gone, come) = (old.len() - tail, &new[..new.len() - tail]);
    // LSP counts integers here, five per token.
    let numbers = |tokens: usize| u32::try_from(tokens * 5).unwrap_or(u32::MAX);
    (gone > 0 || !come.is_empty()).then(|| SemanticTokensEdit {
        start: numbers(same),
        delete_count: numbers(gone),
        data: (!come.is_empty()).then(|| come.to_vec()),
    })
}
