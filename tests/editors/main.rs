//! Real editors, driven headless against the real server.
//!
//! Each scenario is a script in the editor's own language under `neovim/` or `emacs/`; this program only finds
//! the editor, gives it a home and a workspace of its own, bounds its time and shows what it said
//! when it fails. It knows nothing of the protocol: the editor speaks it.

mod compat;
mod editor;
mod emacs;
mod isolated;
mod snippet;
mod terminal;

use editor::neovim;
use std::path::Path;

/// Declares a test for each scenario, so that each is reported by its name.
macro_rules! scenarios {
    ($($name:ident),* $(,)?) => {
        const SCENARIOS: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                neovim(stringify!($name), None);
            }
        )*
    };
}

scenarios! {
    apply_edit_across_files,
    apply_edit_and_undo,
    apply_edit_refused,
    apply_edit_while_typing,
    apply_edit_while_typing_first,
    apply_edit_while_typing_two,
    ask,
    attach,
    crlf,
    definition,
    diagnostics,
    document_symbols,
    editor_state,
    fast_typing,
    hunks,
    multi_byte,
    open_file,
    plugin_approvals,
    plugin_attach,
    plugin_calls,
    plugin_checks,
    plugin_completion,
    plugin_crash,
    plugin_debug,
    plugin_diagnostics,
    plugin_edits,
    plugin_enabled,
    plugin_example,
    plugin_extract,
    plugin_folders,
    plugin_help,
    plugin_large_file,
    plugin_lifecycle,
    plugin_missing,
    plugin_neotest,
    plugin_odd_places,
    plugin_package,
    plugin_pages,
    plugin_processes,
    plugin_protocol,
    plugin_restart_shows,
    plugin_review,
    plugin_settings,
    plugin_tools,
    plugin_two_editors,
    plugin_two_servers,
    plugin_typing,
    plugin_write_conflict,
    read_file,
    restart,
}

/// Scenarios that are run by tests below, with something more.
const OTHERS: &[&str] = &["snippet"];

/// The settings that a reader copies from a document are the ones that this editor is started with.
#[test]
fn the_snippet_of_the_neovim_readme_attaches() {
    neovim("snippet", Some(&snippet::lua("editors/neovim/README.md")));
}

#[test]
fn snippet_of_the_readme_attaches() {
    neovim("snippet", Some(&snippet::lua("README.md")));
}

#[test]
fn emacs_with_eglot() {
    emacs::emacs("eglot");
}

#[test]
fn emacs_with_lsp_mode() {
    emacs::emacs("lsp_mode");
}

#[test]
fn every_script_is_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("editors/neovim");
    let mut scripts: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "lua"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    scripts.sort();
    let mut run: Vec<_> = SCENARIOS.iter().chain(OTHERS).copied().collect();
    run.sort_unstable();
    assert_eq!(scripts, run);
}
