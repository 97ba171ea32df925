//! One file a request.

pub(crate) mod definition;
pub(crate) mod document_symbol;
pub(crate) mod execute_command;
pub(crate) mod references;
