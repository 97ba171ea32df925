//! Programs of agents on the search path.

use std::collections::BTreeMap;

use process::find_program;
use serde::Deserialize;

use super::{CatalogEntry, Category};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    program: String,
    about: String,
    #[serde(default)]
    acp: Vec<String>,
}

fn programs() -> BTreeMap<String, Program> {
    toml::from_str(include_str!("agents.toml"))
        .inspect_err(|error| tracing::error!("agents.toml: {error}"))
        .unwrap_or_default()
}

/// The known agents whose program is installed. Does not start them.
pub(super) fn installed_agents() -> Vec<CatalogEntry> {
    let agents = programs().into_iter().filter_map(|(name, agent)| {
        is_installed(&agent.program).then(|| {
            let speaks = match agent.acp.first() {
                Some(program) if is_installed(program) => {
                    format!("over the Agent Client Protocol: {}", agent.acp.join(" "))
                }
                Some(program) => {
                    format!("in a terminal; `{program}` would make it an agent server")
                }
                None => "in a terminal".to_owned(),
            };
            CatalogEntry {
                category: Category::Agents,
                name,
                description: format!("{} is installed on this machine.", agent.about),
                usage: speaks,
            }
        })
    });
    agents.collect()
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    find_program(&path, program).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        assert!(programs().contains_key("claude"));
        assert!(is_installed("sh") && !is_installed("no-such-program-here"));
    }
}
