//! Programs of agents on the search path: those of `agents.toml`, and the person's own in the file of this name
//! in their settings folder.

use std::collections::BTreeMap;

use process::find_program;
use serde::Deserialize;
use tools::{FamilyState, Session};
use workspace::{config_folder, read_user_file};

use super::{CatalogEntry, Category};

/// Limit for the person's file, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// The program of an agent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentProgram {
    /// The program that people start.
    pub(crate) program: String,
    /// The agent's full name.
    pub(crate) about: String,
    /// Starts a server of the Agent Client Protocol; empty if there is none.
    #[serde(default)]
    pub(crate) acp: Vec<String>,
    /// Environment variables that it gets.
    #[serde(default)]
    pub(crate) env: Vec<String>,
}

/// The known agents by name. The person's file is read once, because tools cannot read the settings folder.
pub(crate) struct AgentPrograms(BTreeMap<String, AgentProgram>);

impl FamilyState for AgentPrograms {}

impl AgentPrograms {
    /// Reads the table and the person's own.
    pub(crate) fn read() -> Self {
        let mut all = parse(include_str!("agents.toml"));
        let own = config_folder().map(|folder| folder.join("agents.toml"));
        match own.map(|file| read_user_file(&file, MAX_FILE_BYTES)) {
            Some(Ok(Some(bytes))) => all.extend(parse(&String::from_utf8_lossy(&bytes))),
            Some(Err(error)) => tracing::warn!("agents.toml is ignored: {error}"),
            Some(Ok(None)) | None => {}
        }
        Self(all)
    }

    /// The agents of a session.
    pub(crate) fn of(session: &Session) -> &BTreeMap<String, AgentProgram> {
        &session.family::<Self>().0
    }
}

fn parse(text: &str) -> BTreeMap<String, AgentProgram> {
    toml::from_str(text)
        .inspect_err(|error| tracing::error!("agents.toml: {error}"))
        .unwrap_or_default()
}

/// The known agents whose program is installed. Does not start them.
pub(super) fn installed_agents(session: &Session) -> Vec<CatalogEntry> {
    let programs = AgentPrograms::of(session).iter();
    let installed = programs.filter(|(_, agent)| is_installed(&agent.program));
    let entries = installed.map(|(name, agent)| {
        let speaks = match agent.acp.first() {
            Some(program) if is_installed(program) => {
                format!("delegate {{\"agent\": \"{name}\", \"task\": …}}")
            }
            Some(program) => format!("in a terminal; `{program}` would make it an agent server"),
            None => "in a terminal".to_owned(),
        };
        CatalogEntry {
            category: Category::Agents,
            name: name.clone(),
            description: format!("{} is installed on this machine.", agent.about),
            usage: speaks,
        }
    });
    entries.collect()
}

pub(crate) fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    find_program(&path, program).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read() {
        assert!(parse(include_str!("agents.toml")).contains_key("claude"));
        assert!(is_installed("sh") && !is_installed("no-such-program-here"));
    }
}
