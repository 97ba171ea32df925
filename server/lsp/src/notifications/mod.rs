//! One file per notification. Handlers run inside the ingress and must not wait.

pub(crate) mod did_change;
pub(crate) mod did_change_configuration;
pub(crate) mod did_change_watched_files;
pub(crate) mod did_change_workspace_folders;
pub(crate) mod did_close;
pub(crate) mod did_open;
pub(crate) mod did_save;
pub(crate) mod editor_diagnostics;
pub(crate) mod editor_state;
