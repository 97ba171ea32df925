//! Tools for names: definitions, uses, descriptions and renames.
//!
//! Positions and ranges are LSP's: 0-based, in the encoding that the client negotiated (UTF-16
//! without a client). Fields called `line` are 1-based, as in all other tools. Each location has
//! the rule that found it and a confidence; below a threshold nothing is returned. Files that
//! rules hide are left out and counted.

mod failure;
mod locations;
mod lsp_completion;
mod lsp_declaration;
mod lsp_definition;
mod lsp_diagnostics;
mod lsp_document_symbols;
mod lsp_hover;
mod lsp_implementation;
mod lsp_references;
mod lsp_rename;
mod lsp_type_definition;
mod lsp_workspace_symbols;
pub(crate) mod name_location;
mod range;
mod rename_plan;
mod rename_report;

pub(crate) use lsp_rename::{Confirm, LspRename, Params as RenameParams};
pub(crate) use rename_plan::{EntryMove, PlannedFile, RenamePlan, plan_rename_edits};
pub(crate) use rename_report::Output as RenameOutput;
use tools::Entry;

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<lsp_definition::LspDefinition>(),
        Entry::new::<lsp_declaration::LspDeclaration>(),
        Entry::new::<lsp_type_definition::LspTypeDefinition>(),
        Entry::new::<lsp_implementation::LspImplementation>(),
        Entry::new::<lsp_references::LspReferences>(),
        Entry::new::<lsp_hover::LspHover>(),
        Entry::new::<lsp_document_symbols::LspDocumentSymbols>(),
        Entry::new::<lsp_workspace_symbols::LspWorkspaceSymbols>(),
        Entry::new::<lsp_diagnostics::LspDiagnostics>(),
        Entry::new::<lsp_rename::LspRename>(),
        Entry::new::<lsp_completion::LspCompletion>(),
    ]
}

/// Aliases of the parameters that name a position.
const PLACE_ALIASES: &[(&str, &str)] =
    &[("path", "uri"), ("file", "uri"), ("file_path", "uri"), ("symbol", "name")];
