//! Where a workspace's package managers keep what they fetch.
//!
//! The caches of the home folder are read-only in the sandbox: what a project fetches there, other
//! projects would build. So a run with network access gets a folder that is the workspace's own, and
//! later runs use it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tools::{Code, Context, ToolError};
use workspace::{packages_path, read_home_file};

/// Longest file that is copied, in bytes.
const MAX_COPIED_BYTES: u64 = 256 << 10;

/// How a kind's package manager is given another folder.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PackageFolder {
    /// Environment variables; `{}` is the folder.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Environment variables of every run, for what builds keep: `{}` is another folder, which is
    /// there without network access, too.
    #[serde(default)]
    builds: BTreeMap<String, String>,
    /// Environment variables without network access.
    #[serde(default)]
    offline: BTreeMap<String, String>,
    /// Files of the home folder that belong in it: its settings, no secrets. Each keeps its own name.
    #[serde(default)]
    copies: Vec<String>,
}

/// What a run is given.
#[derive(Debug, Default)]
pub(crate) struct Packages<'k> {
    pub(crate) env: BTreeMap<String, String>,
    /// Folders outside the workspace that it may write.
    pub(crate) writable: Vec<PathBuf>,
    fetches: Option<&'k PackageFolder>,
    /// The folder for what builds keep.
    builds: Option<PathBuf>,
}

impl<'k> Packages<'k> {
    /// For a run of a kind. Creates nothing.
    pub(crate) fn new(
        context: &Context<'_>,
        kind: &str,
        settings: Option<&'k PackageFolder>,
        network: bool,
    ) -> Self {
        let Some(settings) = settings else { return Self::default() };
        let mut packages = Self::default();
        let folder = packages_path(context.snapshot.roots()).map(|folder| folder.join(kind));
        if let Some(folder) = folder.filter(|folder| network || folder.is_dir()) {
            let shown = folder.to_string_lossy();
            let env = settings.env.iter();
            packages
                .env
                .extend(env.map(|(name, value)| (name.clone(), value.replace("{}", &shown))));
            packages.writable.push(folder);
        }
        let builds =
            packages_path(context.snapshot.roots()).map(|f| f.join(format!("{kind}-builds")));
        if let Some(folder) = builds.filter(|_| !settings.builds.is_empty()) {
            let shown = folder.to_string_lossy();
            let env = settings.builds.iter();
            packages
                .env
                .extend(env.map(|(name, value)| (name.clone(), value.replace("{}", &shown))));
            packages.writable.push(folder.clone());
            packages.builds = Some(folder);
        }
        if network {
            packages.fetches = Some(settings);
        } else {
            packages.env.extend(settings.offline.clone());
        }
        packages
    }

    /// Creates the folders of a run.
    ///
    /// # Errors
    /// If it cannot be created.
    pub(crate) fn create(&self, tool: &str) -> Result<(), ToolError> {
        let failed = |path: &Path, error: &std::io::Error| {
            ToolError::new(Code::Io, format!("{tool}: {}: {error}", path.display()))
        };
        if let Some(folder) = &self.builds {
            fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
        }
        let (Some(settings), Some(folder)) = (self.fetches, self.writable.first()) else {
            return Ok(());
        };
        fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
        let home = std::env::home_dir().unwrap_or_default();
        for file in &settings.copies {
            let to = folder.join(Path::new(file).file_name().unwrap_or_default());
            let Ok(Some(bytes)) = read_home_file(&home.join(file), MAX_COPIED_BYTES) else {
                continue;
            };
            // What is there may be a link that an earlier run has made.
            let _ = fs::remove_file(&to);
            let file = fs::OpenOptions::new().write(true).create_new(true).open(&to);
            file.and_then(|mut file| file.write_all(&bytes))
                .map_err(|error| failed(&to, &error))?;
        }
        Ok(())
    }
}
