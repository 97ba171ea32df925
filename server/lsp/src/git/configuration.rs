//! The client's settings, said or asked for.

use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp_server::ls_types::ConfigurationItem;

use crate::session::Session;
use crate::settings;

/// The part of a client's settings that is ours.
const SECTION: &str = "tandem";

/// Asks the client for its settings, where it can be asked; without waiting.
pub(crate) fn ask(session: &Arc<Session>) {
    if !session.features.configuration {
        return;
    }
    let session = session.clone();
    tokio::spawn(async move {
        let item = ConfigurationItem { scope_uri: None, section: Some(SECTION.to_owned()) };
        if let Ok(answer) = session.client.configuration(vec![item]).await {
            let own = answer.into_iter().next().unwrap_or(Value::Null);
            settings::take_over(&session, &json!({ SECTION: own }));
        }
    });
}

/// Takes settings over, and has the client ask again for what they change.
pub(crate) fn take_over(session: &Arc<Session>, settings: &Value) {
    session.debug.options.change(settings);
    let before = session.git.options.current();
    if session.git.options.change(settings) {
        super::refresh(session, before);
    }
}
