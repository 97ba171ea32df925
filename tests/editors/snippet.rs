//! The settings that documents tell a reader to copy.

use std::path::Path;

/// The first Lua block of a document, by its path from the root.
pub(crate) fn lua(document: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join(document)).expect("the document is readable");
    let block = text.split("```lua\n").nth(1).expect("the document has a Lua block");
    block.split("```").next().unwrap_or_default().to_owned()
}

/// The first block in a language after a line of a document.
pub(crate) fn under(document: &str, line: &str, language: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = std::fs::read_to_string(root.join(document)).expect("the document is readable");
    let (_, rest) = text.split_once(line).expect("the document has the line");
    let block = rest.split(&format!("```{language}\n")).nth(1).expect("a block follows the line");
    block.split("```").next().unwrap_or_default().to_owned()
}
