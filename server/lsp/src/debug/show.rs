//! The line of a stop, shown by the client where the person wants that.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tower_lsp_server::ls_types::ShowDocumentParams;
use tower_lsp_server::ls_types::request::ShowDocument;

use super::stop::Place;
use crate::convert::uri_to_lsp;
use crate::session::Session;
use crate::taken_back;

/// How long a client may take to show a line.
const SHOWN: Duration = Duration::from_secs(10);

/// Shows one place at a time, the newest; what has been passed meanwhile is not shown.
pub(super) struct Shower(watch::Sender<Option<ShowDocumentParams>>);

impl Shower {
    pub(super) fn start(session: &Arc<Session>) -> Self {
        let (sender, mut wanted) = watch::channel(None);
        let weak: Weak<Session> = Arc::downgrade(session);
        session.runtime.spawn(async move {
            while wanted.changed().await.is_ok() {
                let Some(session) = weak.upgrade() else { return };
                let Some(params) = wanted.borrow_and_update().clone() else { continue };
                let too_long = tokio::time::sleep(SHOWN);
                // Whether it did or not: nobody waits for it.
                let _ = taken_back::ask::<ShowDocument>(&session.client, params, too_long).await;
            }
        });
        Self(sender)
    }

    /// Has a place shown, where that is possible and wanted.
    pub(super) fn show(&self, session: &Session, place: &Place) {
        if !session.features.show_document || !session.debug.options.shows_stops() {
            return;
        }
        let Some(uri) = uri_to_lsp(&place.uri) else { return };
        let _ = self.0.send(Some(ShowDocumentParams {
            uri,
            external: Some(false),
            take_focus: Some(false),
            selection: Some(place.range),
        }));
    }
}
