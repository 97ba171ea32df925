//! The plugin for Neovim promises 0.10: what only a later one has is called behind a guard.

use std::fs;
use std::path::{Path, PathBuf};

/// What 0.10 does not have. Names that end in `(` are calls.
const NEWER_THAN_0_10: &[&str] = &[
    "vim.lsp.config",
    "vim.lsp.enable(",
    "vim.lsp.is_enabled(",
    "vim.lsp.completion",
    "vim.lsp.foldexpr(",
    "vim.lsp.foldtext(",
    "vim.lsp.document_color",
    "vim.lsp.linked_editing_range",
    "vim.lsp.inline_completion",
    "vim.lsp.get_configs(",
    "vim.lsp.log.get_filename",
    "vim.diagnostic.jump(",
    "vim.hl.",
    "vim.fs.abspath(",
    "vim.fs.relpath(",
    "vim.fs.rm(",
    "vim.fs.ext(",
    "vim.text.diff(",
    "vim.text.indent(",
    "vim.json.null",
    "vim.o.winborder",
    "vim.net.",
    "vim.pack.",
    "vim.str_utfindex(line, encoding",
    ":exec_cmd(",
    ":request(",
    ":request_sync(",
    ":notify(",
    ":cancel_request(",
    ":stop(",
    ":supports_method(",
    ":on_attach(",
    "nvim__",
];

/// Words of a line, or of one of the three before it, that make such a call safe.
const GUARDS: &[&str] = &["is_011", "vim.lsp.config and", "-- 0.11"];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "lua") {
            found.push(path);
        }
    }
}

#[test]
fn newer_neovim_functions_are_called_behind_a_guard() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../editors/neovim");
    let mut files = Vec::new();
    sources(&folder.join("lua"), &mut files);
    sources(&folder.join("plugin"), &mut files);
    assert!(files.len() > 15, "{files:?}");
    let mut wrong = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let is_comment = line.trim_start().starts_with("--");
            let Some(name) =
                NEWER_THAN_0_10.iter().find(|name| !is_comment && line.contains(**name))
            else {
                continue;
            };
            let near = &lines[index.saturating_sub(3)..=index];
            if !near.iter().any(|one| GUARDS.iter().any(|guard| one.contains(guard))) {
                wrong.push(format!("{}:{}: {name}", file.display(), index + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "Neovim 0.10 lacks these:\n{}", wrong.join("\n"));
}
