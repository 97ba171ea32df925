//! Shows the line of a stop in the client, if the user enabled that.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tower_lsp_server::ls_types::ShowDocumentParams;
use tower_lsp_server::ls_types::request::ShowDocument;

use super::stop::StopLocation;
use crate::cancellable_request;
use crate::convert::uri_to_lsp;
use crate::session::Session;

/// How long a client may take to show a line.
const SHOW_TIMEOUT: Duration = Duration::from_secs(10);

/// Shows the newest location. One that arrives while another is being shown replaces those waiting.
pub(super) struct LocationViewer(watch::Sender<Option<ShowDocumentParams>>);

impl LocationViewer {
    pub(super) fn start(session: &Arc<Session>) -> Self {
        let (sender, mut receiver) = watch::channel(None);
        let weak: Weak<Session> = Arc::downgrade(session);
        session.runtime.spawn(async move {
            while receiver.changed().await.is_ok() {
                let Some(session) = weak.upgrade() else { return };
                let Some(params) = receiver.borrow_and_update().clone() else { continue };
                let too_long = tokio::time::sleep(SHOW_TIMEOUT);
                // The result does not matter.
                let _ =
                    cancellable_request::send::<ShowDocument>(&session.client, params, too_long)
                        .await;
            }
        });
        Self(sender)
    }

    /// Shows a location, if supported and enabled.
    pub(super) fn show(&self, session: &Session, location: &StopLocation) {
        if !session.features.show_document || !session.debug.options.shows_stops() {
            return;
        }
        let Some(uri) = uri_to_lsp(&location.uri) else { return };
        let _ = self.0.send(Some(ShowDocumentParams {
            uri,
            external: Some(false),
            take_focus: Some(false),
            selection: Some(location.range),
        }));
    }
}
