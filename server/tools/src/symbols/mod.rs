//! Symbols by name: found, shown, replaced and added to without reading whole files.
//!
//! A symbol is spoken of by its name path: `Class/method`, or `/Class` where nothing is around it.
//! Its body is the whole definition with decorators and attributes, without the comments above it.
//! Lines are 1-based. Each result carries the hash of its file, which an edit takes as
//! `expected_hash`; edits go the way of `apply_edit` and can be undone like it.

mod edit;
mod find_implementations;
mod find_referencing_symbols;
mod find_symbol;
mod get_diagnostics;
mod insert;
mod insert_after_symbol;
mod insert_before_symbol;
mod layout;
mod nearest;
mod rename_symbol;
mod replace_symbol_body;
mod repository_map;
mod safe_delete_symbol;
mod search;
mod shown;
mod symbols_overview;
mod uses;

pub(crate) use find_implementations::FindImplementations;
pub(crate) use find_referencing_symbols::FindReferencingSymbols;
pub(crate) use find_symbol::FindSymbol;
pub(crate) use get_diagnostics::GetDiagnostics;
pub(crate) use insert_after_symbol::InsertAfterSymbol;
pub(crate) use insert_before_symbol::InsertBeforeSymbol;
pub(crate) use rename_symbol::RenameSymbol;
pub(crate) use replace_symbol_body::ReplaceSymbolBody;
pub(crate) use repository_map::RepositoryMap;
pub(crate) use safe_delete_symbol::SafeDeleteSymbol;
pub(crate) use symbols_overview::SymbolsOverview;

/// Other names of the parameters that say which symbol is meant.
const SYMBOL_ALIASES: &[(&str, &str)] = &[
    ("name", "name_path"),
    ("symbol", "name_path"),
    ("name_path_pattern", "name_path"),
    ("relative_path", "path"),
    ("file", "path"),
    ("file_path", "path"),
    ("uri", "path"),
];
