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
use workspace::{Document, Missing, QueryError};

use crate::catching_up::{self, GLANCE, INSIDE};
use crate::convert::range_from_lsp;
use crate::question::Question;
use crate::syntax_limits;
use crate::token_writer::TokenWriter;

/// The tokens that clients have been sent, by document.
pub(crate) struct SentTokens {
    /// What tells this session's ids from those of another, which a client may still know.
    session: u64,
    /// No id is given twice: a document may be closed and opened meanwhile.
    last: AtomicU64,
    by_uri: Mutex<HashMap<Arc<str>, Sent>>,
}

struct Sent {
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
    /// What is closed is not asked about again.
    pub(crate) fn closed(&self, uri: &str) {
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

/// The types and modifiers that classes become, each once.
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
    question: &Question<'_>,
    params: SemanticTokensParams,
) -> Result<Option<SemanticTokensResult>, QueryError> {
    let uri = params.text_document.uri;
    let Some((document, tokens)) = whole(question, uri.as_str()) else { return Ok(None) };
    let id = keep(question, &document, &tokens);
    let tokens = SemanticTokens { result_id: Some(id), data: tokens.to_vec() };
    Ok(Some(tokens.into()))
}

pub(crate) fn delta(
    question: &Question<'_>,
    params: SemanticTokensDeltaParams,
) -> Result<Option<SemanticTokensFullDeltaResult>, QueryError> {
    let uri = params.text_document.uri;
    let Some((document, tokens)) = whole(question, uri.as_str()) else { return Ok(None) };
    let before = {
        let sent = question.session.tokens.by_uri.lock();
        let sent = sent.get(document.uri());
        sent.filter(|s| s.id == params.previous_result_id).map(|s| s.tokens.clone())
    };
    let id = Some(keep(question, &document, &tokens));
    Ok(Some(match before {
        Some(before) => {
            let edits = difference(&before, &tokens).into_iter().collect();
            SemanticTokensDelta { result_id: id, edits }.into()
        }
        None => SemanticTokens { result_id: id, data: tokens.to_vec() }.into(),
    }))
}

pub(crate) fn range(
    question: &Question<'_>,
    params: SemanticTokensRangeParams,
) -> Result<Option<SemanticTokensRangeResult>, QueryError> {
    let document = question.snapshot.document_or_file(params.text_document.uri.as_str());
    let Some(document) = document else { return Ok(None) };
    let span = document.text().span(range_from_lsp(params.range), question.session.encoding);
    let Some(tokens) = tokens(question, &document, span) else { return Ok(None) };
    Ok(Some(SemanticTokens { result_id: None, data: tokens }.into()))
}

/// All tokens of a document. `None` where it is too large for that, or has no syntax.
fn whole(question: &Question<'_>, uri: &str) -> Option<(Arc<Document>, Arc<[SemanticToken]>)> {
    let document = question.snapshot.document_or_file(uri)?;
    let length = document.text().len();
    if length > question.session.limits.current().injections {
        // It may have grown since it was opened.
        syntax_limits::tell(question.session, &document);
    }
    if length > question.session.limits.current().tokens {
        return None;
    }
    let tokens = tokens(question, &document, 0..length)?;
    Some((document, tokens.into()))
}

fn tokens(
    question: &Question<'_>,
    document: &Document,
    span: Range<usize>,
) -> Option<Vec<SemanticToken>> {
    let injections = document.text().len() <= question.session.limits.current().injections;
    let (session, interrupt) = (question.session, question.interrupt);
    let highlights = if session.features.token_refresh {
        let is_whole = span == (0..document.text().len());
        let (highlights, missing) =
            document.highlights_within(GLANCE, INSIDE, span, injections, interrupt)?;
        match missing {
            Missing::Nothing => {}
            Missing::Inside if is_whole => catching_up::colour(session, document.uri()),
            Missing::Inside | Missing::Latest => catching_up::start(session, document.uri()),
        }
        highlights
    } else {
        document.highlights(span, injections, interrupt)?
    };
    Some(encode(question, document, &highlights))
}

fn encode(
    question: &Question<'_>,
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
    let session = question.session;
    let (Some(first), Some(last)) = (highlights.first(), highlights.last()) else {
        return Vec::new();
    };
    let (encoding, multiline) = (session.encoding, session.features.multiline_tokens);
    let covered = first.span.start..last.span.end;
    let mut writer = TokenWriter::new(document.text(), covered, encoding, multiline);
    for highlight in highlights {
        if let Some(Some((kind, bits))) = kinds.get(highlight.class.number()) {
            writer.put(highlight.span.clone(), *kind, *bits);
        }
    }
    writer.tokens
}

/// Keeps what is sent, for the difference to what comes after. Only of what is open.
fn keep(question: &Question<'_>, document: &Document, tokens: &Arc<[SemanticToken]>) -> String {
    let uri = document.uri();
    let SentTokens { session, last, by_uri } = &question.session.tokens;
    let id = format!("{session:x}-{}", last.fetch_add(1, Ordering::Relaxed));
    let mut sent = by_uri.lock();
    if question.session.workspace.snapshot().document(uri).is_some() {
        sent.insert(uri.clone(), Sent { id: id.clone(), tokens: tokens.clone() });
    }
    id
}

/// The one stretch in which two lists of tokens differ.
fn difference(before: &[SemanticToken], after: &[SemanticToken]) -> Option<SemanticTokensEdit> {
    let same = before.iter().zip(after).take_while(|(b, a)| b == a).count();
    let (old, new) = (&before[same..], &after[same..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(b, a)| b == a).count();
    let (gone, come) = (old.len() - tail, &new[..new.len() - tail]);
    // The protocol counts numbers, five a token.
    let numbers = |tokens: usize| u32::try_from(tokens * 5).unwrap_or(u32::MAX);
    (gone > 0 || !come.is_empty()).then(|| SemanticTokensEdit {
        start: numbers(same),
        delete_count: numbers(gone),
        data: (!come.is_empty()).then(|| come.to_vec()),
    })
}
