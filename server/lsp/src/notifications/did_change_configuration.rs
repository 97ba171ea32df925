//! `workspace/didChangeConfiguration`

use std::sync::Arc;

use tower_lsp_server::ls_types::DidChangeConfigurationParams;

use crate::git::configuration;
use crate::session::Session;
use crate::settings;

pub(crate) fn apply(session: &Arc<Session>, params: &DidChangeConfigurationParams) {
    if params.settings.is_object() {
        settings::apply(session, &params.settings);
    } else {
        // A notification without settings means: request them.
        configuration::request(session);
    }
}
