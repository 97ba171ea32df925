//! All tools, ranked by what they do.

use crate::Entry;
use crate::guesses::other_names;
use crate::meaning::{Described, ranked};
use crate::session::FamilyState;

/// All tools with the words that describe them.
pub(crate) struct ToolIndex {
    tools: &'static [Entry],
    described: Vec<Described>,
}

impl FamilyState for ToolIndex {}

impl ToolIndex {
    pub(crate) fn new(tools: &'static [Entry]) -> Self {
        Self { tools, described: tools.iter().map(described).collect() }
    }

    /// The tools that have to do with `query`, best first, with their scores.
    pub(crate) fn ranked(&self, query: &str) -> Vec<(&'static Entry, f64)> {
        let ranked = ranked(query, &self.described).into_iter();
        ranked.map(|(index, score)| (&self.tools[index], score)).collect()
    }
}

fn described(tool: &Entry) -> Described {
    let parameters = tool.input_schema["properties"].as_object().into_iter().flatten();
    let parameters: Vec<&str> = parameters.map(|(name, _)| name.as_str()).collect();
    let names: Vec<&str> = tool.aliases.iter().copied().chain(other_names(tool.name)).collect();
    Described::default()
        .with(tool.name, 3.0)
        .with(&names.join(" "), 2.5)
        .with(tool.summary(), 1.0)
        .with(tool.description, 0.7)
        .with(&parameters.join(" "), 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::registry;

    fn best(query: &str) -> &'static str {
        let index = ToolIndex::new(registry());
        index.ranked(query).first().map_or("", |(tool, _)| tool.name)
    }

    #[test]
    fn tools_are_found_by_meaning() {
        let mut wrong = Vec::new();
        for (query, tools) in [
            ("undo an edit", &["undo_action"] as &[_]),
            ("revert my last change", &["undo_action", "git_discard"]),
            ("who wrote this line", &["git_blame"]),
            ("commit staged changes", &["git_commit"]),
            ("show uncommitted changes", &["git_diff", "git_status"]),
            ("compiler errors in a file", &["get_diagnostics", "lsp_diagnostics"]),
            ("set a breakpoint", &["debug_breakpoint"]),
            ("remove a file", &["delete_file"]),
            ("directory tree", &["get_workspace_structure", "list_directory"]),
            ("directory_tree", &["get_workspace_structure", "list_directory"]),
            ("extract function quick fix", &["code_actions", "apply_code_action"]),
            ("current time", &["get_datetime"]),
            ("what time is it", &["get_datetime"]),
            ("callers of a function", &["find_referencing_symbols", "lsp_references"]),
            ("rename a variable", &["rename_symbol", "lsp_rename"]),
            ("subclasses", &["find_implementations", "lsp_implementation"]),
            ("stack trace", &["debug_stack"]),
            ("prettify code", &["format_file"]),
            ("duplicate a file", &["copy_file"]),
            ("what is selected in the editor", &["get_selection", "replace_selection"]),
        ] {
            if !tools.contains(&best(query)) {
                wrong.push((query, best(query)));
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!(best("zzz qqq"), "");
    }
}
