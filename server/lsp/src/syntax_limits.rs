//! Size limits of documents: embedded languages, full highlighting, parsing, outlines, folds. The user
//! is notified of each once per document.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use serde_json::Value;
use syntax::{MAX_FOLDS, Outline};
use tower_lsp_server::ls_types::MessageType;
use workspace::{Document, PlainTextReason};

use crate::session::Session;

/// Documents for which notifications are remembered.
const MAX_NOTIFIED_DOCUMENTS: usize = 10_000;

/// Sizes in bytes, set by `syntax` in `initializationOptions` and the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SyntaxLimits {
    /// Above this, embedded languages are not highlighted.
    pub(crate) injections: usize,
    /// Above this, only requested ranges are highlighted.
    pub(crate) tokens: usize,
    /// Above this, a document is plain text.
    pub(crate) parse: usize,
}

impl Default for SyntaxLimits {
    fn default() -> Self {
        Self { injections: 1 << 20, tokens: 8 << 20, parse: 32 << 20 }
    }
}

/// The limits of a session, and the notifications that were shown.
#[derive(Debug, Default)]
pub(crate) struct SyntaxLimitSettings {
    current: RwLock<SyntaxLimits>,
    notified: Mutex<HashSet<(Arc<str>, Notice)>>,
}

/// What a notification is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Notice {
    Size,
    /// A check for embedded languages, which runs once.
    Injections,
    Outline,
    Folds,
}

impl SyntaxLimitSettings {
    /// Reads `initializationOptions`.
    pub(crate) fn from_options(options: Option<&Value>) -> Self {
        let limits = Self::default();
        options.inspect(|options| limits.update(options));
        limits
    }

    pub(crate) fn current(&self) -> SyntaxLimits {
        *self.current.read()
    }

    /// Missing or invalid values change nothing.
    fn update(&self, settings: &Value) {
        let section = settings.get("tandem").unwrap_or(settings);
        let limit_setting =
            |name: &str| usize::try_from(section.get("syntax")?.get(name)?.as_u64()?).ok();
        let mut limits = self.current.write();
        let SyntaxLimits { injections, tokens, parse } = &mut *limits;
        for (name, limit) in [("injections", injections), ("tokens", tokens), ("parse", parse)] {
            *limit = limit_setting(name).unwrap_or(*limit);
        }
    }

    /// Whether this is the first notification of this kind for the document.
    fn is_first(&self, document: &Document, notice: Notice) -> bool {
        let mut notified = self.notified.lock();
        notified.len() < MAX_NOTIFIED_DOCUMENTS && notified.insert((document.uri().clone(), notice))
    }

    /// Forgets a closed document, so that it is notified again when opened.
    pub(crate) fn forget(&self, uri: &str) {
        self.notified.lock().retain(|(notified, _)| **notified != *uri);
    }
}

/// Applies settings from the client.
pub(crate) fn apply(session: &Session, settings: &Value) {
    session.syntax_limits.update(settings);
    session.workspace.set_max_parsed_bytes(session.syntax_limits.current().parse);
}

/// Notifies the user which features an open document loses.
pub(crate) fn notify_reduced_features(session: &Arc<Session>, document: &Arc<Document>) {
    let limits = session.syntax_limits.current();
    if let Some(missing) = reduced_features(document, limits) {
        notify_once(session, document, Notice::Size, &missing);
    } else if document.text().len() > limits.injections
        && document.language().is_some()
        && session.syntax_limits.is_first(document, Notice::Injections)
    {
        // Most documents have no embedded languages and lose nothing, so check first.
        let (task_session, document) = (session.clone(), document.clone());
        session.threads.spawn_background(move || {
            let syntax = document.syntax(&task_session.is_stopping);
            if syntax.is_some_and(|syntax| syntax.has_other_languages(&task_session.is_stopping)) {
                let what = "embedded languages in it are not highlighted";
                let message = too_large_message(
                    what,
                    "injections",
                    task_session.syntax_limits.current().injections,
                );
                notify_once(&task_session, &document, Notice::Size, &message);
            }
        });
    }
}

/// Notifies the user that a document's outline is incomplete.
pub(crate) fn notify_outline_cut(session: &Arc<Session>, document: &Document) {
    let most = Outline::MAX_ITEMS;
    let cut = format!("has more than {most} symbols: the outline shows the {most} outermost");
    notify_once(session, document, Notice::Outline, &cut);
}

/// Notifies the user that a document's folds are incomplete.
pub(crate) fn notify_folds_cut(session: &Arc<Session>, document: &Document) {
    let cut = format!("has more than {MAX_FOLDS} folding ranges: the others do not fold");
    notify_once(session, document, Notice::Folds, &cut);
}

fn notify_once(session: &Arc<Session>, document: &Document, notice: Notice, what: &str) {
    let uri = document.uri();
    if session.workspace.snapshot().document(uri).is_none() {
        // Only open documents are notified.
        return;
    }
    if !session.syntax_limits.is_first(document, notice) {
        return;
    }
    let name = uri.rsplit('/').next().unwrap_or(uri);
    let message = format!("{name} {what}");
    tracing::info!("{uri}: {message}");
    let session = session.clone();
    session.runtime.clone().spawn(async move {
        session.client.show_message(MessageType::INFO, message).await;
    });
}

/// Describes a document whose parse timed out.
pub(crate) const SLOW_PARSE_MESSAGE: &str =
    "takes too long to parse: it is plain text until it changes";

fn too_large_message(what: &str, setting: &str, limit: usize) -> String {
    format!("is larger than {limit} bytes: {what} (`syntax.{setting}` in the settings)")
}

/// The features that a document's size or kind turns off, and why. `None` if none.
fn reduced_features(document: &Document, limits: SyntaxLimits) -> Option<String> {
    document.language()?;
    match document.plain_text_reason() {
        Some(PlainTextReason::Binary) => {
            Some("has NUL bytes: it is treated as binary, not as code".into())
        }
        Some(PlainTextReason::ParseTimeout) => Some(SLOW_PARSE_MESSAGE.into()),
        Some(PlainTextReason::TooLong) => {
            Some(too_large_message("it is treated as plain text", "parse", limits.parse))
        }
        None if document.text().len() > limits.tokens => Some(too_large_message(
            "only what is on the screen is highlighted",
            "tokens",
            limits.tokens,
        )),
        None => None,
    }
}
