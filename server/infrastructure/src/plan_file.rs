//! A plan file: a zip archive with the plan, the state that it is for, and the configuration.
//!
//! Of the state only its version is read: serial and lineage.

use std::io::{Cursor, Read};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use zip::ZipArchive;

use crate::limits::{MAX_FILES, MAX_JSON_BYTES};

/// The version of a state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StateVersion {
    /// Grows with every change.
    pub(crate) serial: u64,
    /// Names the state, from its first change on.
    pub(crate) lineage: String,
}

impl StateVersion {
    /// Reads it from a state; an empty one has none yet.
    pub(crate) fn of_state(bytes: &[u8]) -> Option<Self> {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Some(Self::default());
        }
        #[derive(Deserialize)]
        struct State {
            serial: u64,
            #[serde(default)]
            lineage: String,
        }
        let State { serial, lineage } = serde_json::from_slice(bytes).ok()?;
        Some(Self { serial, lineage })
    }
}

/// What a plan file says besides its changes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PlanFile {
    /// The state that it is for.
    pub(crate) state: StateVersion,
    /// The folders of the local modules, from the configuration's folder.
    pub(crate) module_folders: Vec<String>,
}

impl PlanFile {
    /// Reads a plan file; says why it cannot be read.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut archive = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| format!("the plan file is no archive ({error}); is it encrypted?"))?;
        let state = entry(&mut archive, "tfstate")?;
        let state = StateVersion::of_state(&state).ok_or("the plan's state has no serial")?;
        let modules = entry(&mut archive, "tfconfig/modules.json")?;
        let modules: Value = serde_json::from_slice(&modules)
            .map_err(|error| format!("the plan's list of modules: {error}"))?;
        let folders = modules.as_array().into_iter().flatten().take(MAX_FILES);
        let module_folders =
            folders.filter_map(|one| one["Dir"].as_str().map(str::to_owned)).collect();
        Ok(Self { state, module_folders })
    }
}

fn entry(archive: &mut ZipArchive<Cursor<&[u8]>>, name: &str) -> Result<Vec<u8>, String> {
    let file = archive.by_name(name).map_err(|error| format!("the plan's `{name}`: {error}"))?;
    let mut bytes = Vec::new();
    let limit = MAX_JSON_BYTES as u64;
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("the plan's `{name}`: {error}"))?;
    if bytes.len() > MAX_JSON_BYTES {
        return Err(format!("the plan's `{name}` has more than {MAX_JSON_BYTES} bytes"));
    }
    Ok(bytes)
}
