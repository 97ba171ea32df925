//! One file a request.

pub(crate) mod activity;
pub(crate) mod call_hierarchy;
pub(crate) mod code_action;
pub(crate) mod code_lens;
pub(crate) mod completion;
pub(crate) mod completion_resolve;
pub(crate) mod declaration;
pub(crate) mod definition;
pub(crate) mod diagnostic;
pub(crate) mod document_highlight;
pub(crate) mod document_link;
pub(crate) mod document_symbol;
pub(crate) mod execute_command;
pub(crate) mod git;
pub(crate) mod hover;
pub(crate) mod implementation;
pub(crate) mod inlay_hint;
pub(crate) mod prepare_rename;
pub(crate) mod references;
pub(crate) mod rename;
pub(crate) mod signature_help;
pub(crate) mod type_definition;
pub(crate) mod type_hierarchy;
pub(crate) mod will_rename_files;
pub(crate) mod workspace_symbol;
