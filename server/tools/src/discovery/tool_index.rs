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
