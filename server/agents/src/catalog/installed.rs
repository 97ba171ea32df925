//! Programs of agents on the search path.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

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
    std::env::split_paths(&path).filter(|folder| folder.is_absolute()).any(|folder| {
        std::fs::metadata(folder.join(program))
            .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    })
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
