//! How to connect an editor or agent.

use std::path::Path;

use super::screen::Screen;

/// This page's first Lua block is tested in a real Neovim.
const NEOVIM: &str = include_str!("../../../../editors/neovim/README.md");

pub(super) fn show(root: &Path, file: &str, screen: &mut Screen) {
    screen.section("Connect");
    screen.line("Neovim 0.11, in init.lua:");
    for line in first_block(NEOVIM, "lua") {
        screen.dim(line);
    }
    screen.line("VS Code and others: any LSP client that runs `tandem lsp` (see editors/)");
    screen.line("An agent, or you in a shell:");
    let quoted = file.replace('\'', "'\\''");
    screen.dim(&format!(
        "tandem call read_file '{{\"path\": \"{quoted}\"}}' --workspace {}",
        root.display()
    ));
    screen.dim("tandem tools");
}

/// The lines of the page's first code block in `language`.
fn first_block<'a>(page: &'a str, language: &str) -> impl Iterator<Item = &'a str> {
    let fence = format!("```{language}");
    page.lines().skip_while(move |l| *l != fence).skip(1).take_while(|l| *l != "```")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_page_has_a_lua_block() {
        assert!(super::first_block(super::NEOVIM, "lua").any(|l| l.contains("vim.lsp.enable")));
    }
}
