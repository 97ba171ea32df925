//! The probes of `ml_probe`.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde::Deserialize;
use tools::{Code, ToolError};

/// A probe: a prompt whose answer shows whether a model can do something.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Probe {
    pub(crate) id: String,
    pub(crate) category: String,
    pub(crate) prompt: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProbeFile {
    probe: Vec<Probe>,
}

/// All probes, in the order of the file.
pub(crate) fn all() -> &'static [Probe] {
    static PROBES: OnceLock<Vec<Probe>> = OnceLock::new();
    PROBES.get_or_init(|| {
        let file = toml::from_str::<ProbeFile>(include_str!("probes.toml"));
        file.inspect_err(|error| tracing::error!("probes.toml: {error}"))
            .map_or_else(|_| Vec::new(), |file| file.probe)
    })
}

/// The probes of the categories in a list with commas; all without one.
pub(crate) fn of_categories(
    tool: &str,
    categories: Option<&str>,
) -> Result<Vec<&'static Probe>, ToolError> {
    let Some(categories) = categories.filter(|list| !list.trim().is_empty()) else {
        return Ok(all().iter().collect());
    };
    let wanted: BTreeSet<String> = categories
        .split(',')
        .map(|category| category.trim().to_ascii_lowercase())
        .filter(|category| !category.is_empty())
        .collect();
    let known: BTreeSet<&str> = all().iter().map(|probe| probe.category.as_str()).collect();
    if let Some(unknown) = wanted.iter().find(|category| !known.contains(category.as_str())) {
        let known = known.into_iter().collect::<Vec<_>>().join(", ");
        let message = format!("{tool}: there is no category `{unknown:.60}`");
        return Err(ToolError::new(Code::InvalidParams, message)
            .hint(format!("the categories are {known}")));
    }
    Ok(all().iter().filter(|probe| wanted.contains(&probe.category)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_probes_with_ids_of_their_own() {
        let ids: BTreeSet<&str> = all().iter().map(|probe| probe.id.as_str()).collect();
        assert_eq!((ids.len(), all().len()), (21, 21));
        assert!(all().iter().all(|probe| probe.prompt.len() > 20));
        let some = of_categories("t", Some("Code, logic,")).unwrap();
        assert!(
            some.len() >= 6 && some.iter().all(|p| p.category == "code" || p.category == "logic")
        );
        assert_eq!(of_categories("t", Some(" ")).unwrap().len(), 21);
        let error = of_categories("t", Some("cooking")).unwrap_err();
        assert!(error.hint.unwrap().contains("arithmetic"));
    }
}
