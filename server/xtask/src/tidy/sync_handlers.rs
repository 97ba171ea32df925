//! Document notifications are applied in wire order, so their handlers never wait.

use super::Finding;
use super::rust_source::named_paths;
use super::tree::Tree;

const HANDLERS: &str = "server/lsp/src/notifications/";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .filter(|(file, _)| file.path.starts_with(HANDLERS))
        .flat_map(|(file, rust)| {
            let paths = named_paths(&rust.production).into_iter();
            paths.filter(|path| path.segments == ["await"]).map(|path| {
                let what = "`.await` in a notification's handler: a change behind it on the wire \
                            could overtake it";
                Finding::error(&file.path, path.line, what)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiting_handler_is_found() {
        let text = "// no .await here\nasync fn did_change() {\n    apply()\n        .await;\n}\n";
        let found = check(&Tree::from_files(&[
            ("server/lsp/src/notifications/did_change.rs", text),
            ("server/lsp/src/requests/hover.rs", text),
        ]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].line, 4);
    }
}
