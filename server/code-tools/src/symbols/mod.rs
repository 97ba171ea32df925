//! Tools that find, read, replace and add symbols by name, without reading whole files.
//!
//! A symbol is named by its name path: `Class/method`, or `/Class` for top-level only. Its body is
//! the whole definition with decorators and attributes, without the comments above it. Lines are
//! 1-based. Results carry the file's hash, which edits take as `expected_hash`. Edits run through
//! the patch engine and can be undone.

mod find_implementations;
mod find_referencing_symbols;
mod find_symbol;
mod get_diagnostics;
mod impact;
mod insert;
mod insert_after_symbol;
mod insert_before_symbol;
mod layout;
mod rename_symbol;
mod replace_symbol_body;
mod repository_map;
mod safe_delete_symbol;
mod search;
mod suggestions;
mod symbol_edit;
mod symbol_output;
mod symbols_overview;
mod test_code;
mod uses;

use tools::Entry;

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<find_symbol::FindSymbol>(),
        Entry::new::<symbols_overview::SymbolsOverview>(),
        Entry::new::<replace_symbol_body::ReplaceSymbolBody>(),
        Entry::new::<insert_before_symbol::InsertBeforeSymbol>(),
        Entry::new::<insert_after_symbol::InsertAfterSymbol>(),
        Entry::new::<find_referencing_symbols::FindReferencingSymbols>(),
        Entry::new::<find_implementations::FindImplementations>(),
        Entry::new::<impact::Impact>(),
        Entry::new::<safe_delete_symbol::SafeDeleteSymbol>(),
        Entry::new::<rename_symbol::RenameSymbol>(),
        Entry::new::<repository_map::RepositoryMap>(),
        Entry::new::<get_diagnostics::GetDiagnostics>(),
    ]
}

/// Aliases of the parameters that name a symbol.
const SYMBOL_ALIASES: &[(&str, &str)] = &[
    ("name", "name_path"),
    ("symbol", "name_path"),
    ("name_path_pattern", "name_path"),
    ("relative_path", "path"),
    ("file", "path"),
    ("file_path", "path"),
    ("uri", "path"),
];
