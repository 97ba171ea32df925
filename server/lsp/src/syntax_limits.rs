//! From which size on a document gets less: no languages inside, then only what is on the screen,
//! then plain text; an outline of what stands outermost; the first of its folds. The person is told each
//! once a document.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use serde_json::Value;
use syntax::{MOST_FOLDS, Outline};
use tower_lsp_server::ls_types::MessageType;
use workspace::{Document, Plain};

use crate::session::Session;

/// Most documents of which it is kept that the person was told.
const KEPT: usize = 10_000;

/// Sizes in bytes, set by `syntax` in `initializationOptions` and the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SyntaxLimits {
    /// Up to here, code of other languages inside is highlighted.
    pub(crate) injections: usize,
    /// Up to here, all of it is; beyond, what a client asks for by range.
    pub(crate) tokens: usize,
    /// Up to here, it is parsed; beyond, it is plain text.
    pub(crate) parse: usize,
}

impl Default for SyntaxLimits {
    fn default() -> Self {
        Self { injections: 1 << 20, tokens: 8 << 20, parse: 32 << 20 }
    }
}

/// The limits of a session, and who was told of them.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    current: RwLock<SyntaxLimits>,
    told: Mutex<HashSet<(Arc<str>, Lack)>>,
}

/// What somebody may have been told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Lack {
    Size,
    /// Whether code of other languages is in it has been looked up.
    Inside,
    Outline,
    Folds,
}

impl Limits {
    /// Of `initializationOptions`.
    pub(crate) fn of(options: Option<&Value>) -> Self {
        let limits = Self::default();
        options.inspect(|options| limits.change(options));
        limits
    }

    pub(crate) fn current(&self) -> SyntaxLimits {
        *self.current.read()
    }

    /// What is not said, or cannot be read, stays as it is.
    fn change(&self, settings: &Value) {
        let own = settings.get("tandem").unwrap_or(settings);
        let said = |name: &str| usize::try_from(own.get("syntax")?.get(name)?.as_u64()?).ok();
        let mut limits = self.current.write();
        let SyntaxLimits { injections, tokens, parse } = &mut *limits;
        for (name, limit) in [("injections", injections), ("tokens", tokens), ("parse", parse)] {
            *limit = said(name).unwrap_or(*limit);
        }
    }

    /// Whether nobody has asked this before, of as many documents as are kept.
    fn is_first(&self, document: &Document, lack: Lack) -> bool {
        let mut told = self.told.lock();
        told.len() < KEPT && told.insert((document.uri().clone(), lack))
    }

    /// What is closed is told of again once it is opened.
    pub(crate) fn closed(&self, uri: &str) {
        self.told.lock().retain(|(told, _)| **told != *uri);
    }
}

/// Takes over what a client says of its settings.
pub(crate) fn take_over(session: &Session, settings: &Value) {
    session.limits.change(settings);
    session.workspace.parse_up_to(session.limits.current().parse);
}

/// Tells the person, once a document, what an open document has to do without.
pub(crate) fn tell(session: &Arc<Session>, document: &Arc<Document>) {
    let limits = session.limits.current();
    if let Some(missing) = missing(document, limits) {
        say(session, document, Lack::Size, &missing);
    } else if document.text().len() > limits.injections
        && document.language().is_some()
        && session.limits.is_first(document, Lack::Inside)
    {
        // Most texts have no code of other languages in them, and nothing to do without.
        let (own, document) = (session.clone(), document.clone());
        session.pool.background(move || {
            let syntax = document.syntax(&own.stop);
            if syntax.is_some_and(|syntax| syntax.has_other_languages(&own.stop)) {
                let what = "code of other languages in it is not highlighted";
                let over = over(what, "injections", own.limits.current().injections);
                say(&own, &document, Lack::Size, &over);
            }
        });
    }
}

/// Tells the person, once a document, that its outline is not all there is.
pub(crate) fn tell_of_outline(session: &Arc<Session>, document: &Document) {
    let most = Outline::MOST;
    let cut = format!("declares more than {most} names: its outline has the {most} outermost");
    say(session, document, Lack::Outline, &cut);
}

/// Tells the person, once a document, that not all of it folds.
pub(crate) fn tell_of_folds(session: &Arc<Session>, document: &Document) {
    let cut = format!("has more than {MOST_FOLDS} places that fold: those behind do not");
    say(session, document, Lack::Folds, &cut);
}

fn say(session: &Arc<Session>, document: &Document, lack: Lack, what: &str) {
    let uri = document.uri();
    if session.workspace.snapshot().document(uri).is_none() {
        // What nobody has open, nobody looks at.
        return;
    }
    if !session.limits.is_first(document, lack) {
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

/// Of a text whose parse was given up.
pub(crate) const SLOW: &str = "takes too long to parse: it is plain text until it changes";

fn over(what: &str, setting: &str, limit: usize) -> String {
    format!("is larger than {limit} bytes: {what} (`syntax.{setting}` in the settings)")
}

/// Which features the size or kind of a document turns off, and why; `None` if none.
fn missing(document: &Document, limits: SyntaxLimits) -> Option<String> {
    document.language()?;
    match document.plain() {
        Some(Plain::Binary) => {
            Some("has NUL bytes: it is kept as it is, and not read as code".into())
        }
        Some(Plain::Slow) => Some(SLOW.into()),
        Some(Plain::Long) => Some(over("it is plain text here", "parse", limits.parse)),
        None if document.text().len() > limits.tokens => {
            Some(over("only what is on the screen is highlighted", "tokens", limits.tokens))
        }
        None => None,
    }
}
