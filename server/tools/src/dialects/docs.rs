//! Generates docs/dialects.md: how to use and write dialects, and what the built-in ones can do.

use super::load::{BUILT_IN, dialect};
use super::tool::{Dialect, DialectTool};
use crate::reference::line;

/// The text of `docs/dialects.md`.
#[must_use]
pub fn dialects_page() -> String {
    let mut out = String::from(include_str!("page.md"));
    let dialects: Vec<_> = BUILT_IN.iter().filter_map(|(name, _)| dialect(name).ok()).collect();
    for dialect in &dialects {
        table(dialect, &mut out);
    }
    out
}

fn table(dialect: &Dialect, out: &mut String) {
    let tools = dialect.tools();
    let served: Vec<_> = tools.iter().filter(|tool| tool.entry().is_some()).collect();
    let examples: usize = served.iter().map(|tool| tool.examples().len()).sum();
    line(out, &format!("\n### `{}`: {}\n", dialect.name(), dialect.title()));
    line(
        out,
        &format!(
            "{} of {} tools work; a test runs {examples} examples of them and checks every documented field.\n",
            served.len(),
            tools.len()
        ),
    );
    line(out, "| tool | calls | examples |\n|---|---|---|");
    for tool in served {
        let names = tool
            .aliases()
            .iter()
            .fold(format!("`{}`", tool.name()), |names, alias| format!("{names}, `{alias}`"));
        let entry = tool.entry().map(|entry| entry.name).unwrap_or_default();
        line(out, &format!("| {names} | `{entry}` | {} |", tool.examples().len()));
    }
    let missing: Vec<String> = tools
        .iter()
        .filter(|tool| tool.entry().is_none())
        .map(|tool: &DialectTool| format!("`{}`", tool.name()))
        .collect();
    if !missing.is_empty() {
        line(out, &format!("\nNot yet: {}.", missing.join(", ")));
    }
}
