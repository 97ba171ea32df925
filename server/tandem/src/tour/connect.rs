//! How to go on from here.

use std::path::Path;

use super::screen::Screen;

pub(super) fn show(root: &Path, file: &str, screen: &mut Screen) {
    screen.section("Connect");
    screen.line("Neovim 0.11, in init.lua:");
    screen.dim("vim.lsp.config('tandem', { cmd = { 'tandem', 'lsp' }, root_markers = { '.git' },");
    screen.dim("  filetypes = { 'c', 'cpp', 'go', 'java', 'javascript', 'python', 'rust',");
    screen.dim("                'typescript', 'typescriptreact' } })");
    screen.dim("vim.lsp.enable('tandem')");
    screen.line("VS Code and others: any LSP client that can run `tandem lsp` (see editors/)");
    screen.line("An agent, or you in a shell:");
    let quoted = file.replace('\'', "'\\''");
    screen.dim(&format!(
        "tandem call read_file '{{\"path\": \"{quoted}\"}}' --workspace {}",
        root.display()
    ));
    screen.dim("tandem tools");
}
