//! The names of all tools, for policy and audit, which do not know the registry.

/// Canonical names and aliases of all tools.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolNames(Vec<(&'static str, &'static [&'static str])>);

impl ToolNames {
    pub(crate) fn new(names: Vec<(&'static str, &'static [&'static str])>) -> Self {
        Self(names)
    }

    /// The canonical name of the tool that is called `name`.
    pub(crate) fn canonical(&self, name: &str) -> Option<&'static str> {
        let mut names = self.0.iter();
        let tool = names.find(|(tool, aliases)| *tool == name || aliases.contains(&name));
        tool.map(|(tool, _)| *tool)
    }

    /// All canonical names.
    pub(crate) fn canonical_names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|(tool, _)| *tool)
    }

    /// The canonical name that is spelled most like `name`.
    pub(crate) fn nearest(&self, name: &str) -> Option<&'static str> {
        self.canonical_names().min_by_key(|tool| strsim::damerau_levenshtein(tool, name))
    }
}
