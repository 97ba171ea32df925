//! The one list of tools.

use std::sync::OnceLock;

use serde_json::Value;

use crate::apply_edit::ApplyEdit;
use crate::edit_file::EditFile;
use crate::read_file::ReadFile;
use crate::{Code, Context, Entry, ToolError};

/// Every tool, in the order in which they are listed.
pub fn registry() -> &'static [Entry] {
    static REGISTRY: OnceLock<Vec<Entry>> = OnceLock::new();
    REGISTRY.get_or_init(|| {
        vec![Entry::of::<ReadFile>(), Entry::of::<ApplyEdit>(), Entry::of::<EditFile>()]
    })
}

/// The tool called `name`, by its canonical name or an alias.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    registry().iter().find(|tool| tool.name == name || tool.aliases.contains(&name))
}

/// Calls the tool `name`. Every front end's calls come through here.
///
/// # Errors
/// As the contract has them.
pub fn call(context: &Context<'_>, name: &str, params: Value) -> Result<Value, ToolError> {
    let Some(tool) = find(name) else {
        let shown: String = name.chars().take(60).collect();
        let error = ToolError::new(Code::ToolNotFound, format!("there is no tool `{shown}`"));
        let nearest = registry()
            .iter()
            .map(|t| t.name)
            .min_by_key(|n| strsim::damerau_levenshtein(n, &shown));
        return Err(match nearest {
            Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
            None => error,
        });
    };
    tool.run(context, params)
}
