//! `workspace/didChangeConfiguration`

use std::sync::Arc;

use tower_lsp_server::ls_types::DidChangeConfigurationParams;

use crate::git::configuration;
use crate::session::Session;
use crate::settings;

pub(crate) fn apply(session: &Arc<Session>, params: &DidChangeConfigurationParams) {
    if params.settings.is_object() {
        settings::take_over(session, &params.settings);
    } else {
        // A client that says nothing but that there is something is asked.
        configuration::ask(session);
    }
}
