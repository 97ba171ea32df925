//! Documents whose last state is being parsed, and coloured, with nobody waiting for it.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::session::Session;

/// How long what colours the text waits for its tree while a person types. Where the client can be
/// told to ask again, what an earlier tree says is answered then. What was parsed until then is
/// lost, so this is longer than a keystroke in 100,000 lines takes.
pub(crate) const GLANCE: Duration = Duration::from_millis(40);
/// How long code of other languages inside, which was not seen before, is looked at meanwhile.
pub(crate) const INSIDE: Duration = Duration::from_millis(20);
/// How long an outline waits: nobody can be told to ask for that again.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);

/// The documents that somebody is parsing.
#[derive(Default)]
pub(crate) struct CatchingUp(Mutex<HashSet<Arc<str>>>);

/// Takes a document off the list, whatever happens.
struct Listed<'a>(&'a Session, Arc<str>);

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        self.0.catching_up.0.lock().remove(&self.1);
    }
}

/// Has the last state of a document parsed to the end, and the client asked to look again then.
pub(crate) fn start(session: &Arc<Session>, uri: &Arc<str>) {
    begin(session, uri, false);
}

/// The same; all of the document is coloured before the client is asked.
pub(crate) fn colour(session: &Arc<Session>, uri: &Arc<str>) {
    begin(session, uri, true);
}

fn begin(session: &Arc<Session>, uri: &Arc<str>, colours: bool) {
    if !session.catching_up.0.lock().insert(uri.clone()) {
        return;
    }
    let (own, uri) = (session.clone(), uri.clone());
    let failed = (session.clone(), uri.clone());
    let work = move || {
        parse(&own, uri, colours);
        if own.features.token_refresh {
            let client = own.client.clone();
            own.runtime.spawn(async move {
                let _ = client.semantic_tokens_refresh().await;
            });
        }
    };
    if let Err(error) = session.pool.thread("parse", work) {
        tracing::error!("no thread to parse on: {error}");
        drop(Listed(&failed.0, failed.1));
    }
}

fn parse(session: &Session, uri: Arc<str>, colours: bool) {
    let listed = Listed(session, uri);
    loop {
        let snapshot = session.workspace.snapshot();
        let Some(document) = snapshot.document(&listed.1) else { return };
        if document.syntax(&session.stop).is_none() {
            return;
        }
        let (length, limits) = (document.text().len(), session.limits.current());
        if colours && length <= limits.tokens {
            // What there was no time for: code of other languages that was not seen before.
            let injections = length <= limits.injections;
            if document.highlights(0..length, injections, &session.stop).is_none() {
                return;
            }
        }
        // While this is held nobody finds the document listed who has a later state of it.
        let mut list = session.catching_up.0.lock();
        let now = session.workspace.snapshot();
        if now.document(&listed.1).is_none_or(|now| now.revision() == document.revision()) {
            list.remove(&listed.1);
            return;
        }
    }
}
