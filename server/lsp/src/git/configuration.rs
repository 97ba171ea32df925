//! The client's settings, pushed or requested.

use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp_server::ls_types::ConfigurationItem;

use crate::session::Session;
use crate::settings;

/// The section of the client's settings that is ours.
const SECTION: &str = "tandem";

/// Requests the client's settings, if it supports that. Does not wait.
pub(crate) fn request(session: &Arc<Session>) {
    if !session.features.configuration {
        return;
    }
    let session = session.clone();
    tokio::spawn(async move {
        let item = ConfigurationItem { scope_uri: None, section: Some(SECTION.to_owned()) };
        if let Ok(answer) = session.client.configuration(vec![item]).await {
            let section = answer.into_iter().next().unwrap_or(Value::Null);
            settings::apply(&session, &json!({ SECTION: section }));
        }
    });
}

/// Applies settings, and has the client refresh what they change.
pub(crate) fn apply(session: &Arc<Session>, settings: &Value) {
    session.debug.options.update(settings);
    let before = session.git.options.current();
    if session.git.options.update(settings) {
        super::refresh_blame(session, before);
    }
}
