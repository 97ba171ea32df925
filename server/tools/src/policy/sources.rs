//! The settings files. They are read again when they change.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use workspace::{EntryKind, FileError, FilePath, Metadata, SettingsFile, Snapshot};

use super::profile_settings::McpSettings;
use super::rules::Rules;
use super::settings::{MAX_SETTINGS_BYTES, Settings, expand_home};
use super::worktree_settings::WorktreeSettings;
use crate::tool_names::ToolNames;

/// The user's settings, in the settings folder.
pub(super) const USER_FILE: &str = "config.toml";
/// A workspace's own settings, below each of its roots.
const WORKSPACE_FILE: &str = ".tandem/config.toml";

/// The settings files and their current rules.
pub(super) struct SettingsFiles {
    user: SettingsFile,
    names: Arc<ToolNames>,
    current: Mutex<(FilesState, Arc<Rules>)>,
}

/// The metadata by which changes of the workspace's settings files are noticed.
pub(super) type FilesState = Vec<(PathBuf, Result<Metadata, FileError>)>;

impl SettingsFiles {
    /// Reads the settings of the user and of the roots of `snapshot`.
    pub(super) fn new(snapshot: &Snapshot, names: Arc<ToolNames>) -> Self {
        let user = SettingsFile::read(USER_FILE, MAX_SETTINGS_BYTES, snapshot);
        let state = files_state(snapshot);
        let rules = Arc::new(load_rules(&user, snapshot, &names));
        Self { user, names, current: Mutex::new((state, rules)) }
    }

    /// The rules, after reading changed files that count.
    pub(super) fn current(&self, snapshot: &Snapshot) -> Arc<Rules> {
        let state = files_state(snapshot);
        let was_behind = self.user.needs_restart();
        let is_new = self.user.refresh(snapshot) || was_behind != self.user.needs_restart();
        let mut current = self.current.lock();
        if is_new || current.0 != state {
            *current = (state, Arc::new(load_rules(&self.user, snapshot, &self.names)));
        }
        current.1.clone()
    }

    /// The rules as last read.
    pub(super) fn latest(&self) -> Arc<Rules> {
        self.current.lock().1.clone()
    }

    /// The user's settings file, for messages.
    pub(super) fn user_file(&self) -> String {
        let shown = self.user.path().map(|path| path.display().to_string());
        shown.unwrap_or_else(|| "~/.config/tandem/config.toml".to_owned())
    }
}

pub(super) fn files_state(snapshot: &Snapshot) -> FilesState {
    let roots = snapshot.roots().iter().map(|root| {
        let path = root.path().to_owned();
        let found = workspace_file(snapshot, &path).and_then(|file| snapshot.metadata(&file));
        (path, found)
    });
    roots.collect()
}

fn workspace_file(snapshot: &Snapshot, root: &std::path::Path) -> Result<FilePath, FileError> {
    let path = root.join(WORKSPACE_FILE);
    let Some(path) = path.to_str() else {
        // A request cannot name such a root either.
        return Err(FileError::NotFound { path: path.display().to_string() });
    };
    snapshot.locate(path)
}

/// The codes of the diagnostics that any settings file turns off. Unusable files are ignored.
pub(super) fn disabled_codes(user: &SettingsFile, snapshot: &Snapshot) -> BTreeSet<String> {
    let of_user = user.content(snapshot).ok().flatten();
    let of_roots = snapshot.roots().iter();
    let of_roots = of_roots.filter_map(|r| read_workspace_file(snapshot, r.path()).ok()?);
    let all = of_user.into_iter().chain(of_roots);
    all.filter_map(|bytes| Settings::parse(&bytes).ok()).flat_map(|s| s.diagnostics.off).collect()
}

/// The profile of tools that the user chose for agents, and their own profiles. A workspace's settings have no
/// say: they could only make an agent see more.
pub(crate) fn mcp_settings(snapshot: &Snapshot) -> McpSettings {
    let user = SettingsFile::read(USER_FILE, MAX_SETTINGS_BYTES, snapshot);
    let content = user.content(snapshot).ok().flatten();
    // Policy reports an unusable file.
    let settings = content.and_then(|bytes| Settings::parse(&bytes).ok()).unwrap_or_default();
    McpSettings {
        profile: settings.mcp.profile,
        roots: settings.mcp.roots.iter().filter_map(|written| expand_home(written)).collect(),
        profiles: settings.profiles,
    }
}

/// The backend of inline completion in the user's settings. Needs no session of tools, so that the capabilities
/// of a server can depend on it.
#[must_use]
pub fn inline_completion_backend(snapshot: &Snapshot) -> Option<String> {
    let user = SettingsFile::read(USER_FILE, MAX_SETTINGS_BYTES, snapshot);
    // Policy reports an unusable file.
    let settings = Settings::parse(&user.content(snapshot).ok().flatten()?).ok()?;
    settings.models.inline_completion
}

/// The folders whose contents MCP clients may choose as their workspace, by the person's settings.
#[must_use]
pub fn allowed_mcp_roots(snapshot: &Snapshot) -> Vec<PathBuf> {
    mcp_settings(snapshot).roots
}

/// The tables `worktrees` of the user's and the workspace's settings. Unusable files are ignored.
pub fn worktree_settings(snapshot: &Snapshot) -> Vec<WorktreeSettings> {
    let user = SettingsFile::read(USER_FILE, MAX_SETTINGS_BYTES, snapshot);
    let of_user = user.content(snapshot).ok().flatten();
    let of_roots = snapshot.roots().iter();
    let of_roots = of_roots.filter_map(|r| read_workspace_file(snapshot, r.path()).ok()?);
    let all = of_user.into_iter().chain(of_roots);
    all.filter_map(|bytes| Some(Settings::parse(&bytes).ok()?.worktrees)).collect()
}

/// Compiles the rules of all settings files. Unusable files are noted in the rules.
fn load_rules(user: &SettingsFile, snapshot: &Snapshot, names: &Arc<ToolNames>) -> Rules {
    let roots = snapshot.roots().iter().map(|root| root.path().to_owned()).collect();
    let mut rules = Rules::new(roots, names.clone());
    if let Some(path) = user.path() {
        let shown = path.display().to_string();
        let added = match user.content(snapshot) {
            Ok(None) => Ok(()),
            Ok(Some(bytes)) => {
                let settings = Settings::parse(&bytes);
                settings
                    .and_then(|settings| rules.add_user_settings(&shown, &settings))
                    .map_err(|error| format!("{shown}: {error}"))
            }
            Err(error) => Err(error.to_string()),
        };
        rules.broken.extend(added.err());
        if user.needs_restart() {
            rules.warnings.push(format!(
                "{shown}: can be changed through the workspace, so its changes count from the next start"
            ));
        }
    }
    for root in snapshot.roots() {
        let added = match read_workspace_file(snapshot, root.path()) {
            Ok(None) => Ok(()),
            Ok(Some(bytes)) => Settings::parse(&bytes).and_then(|settings| {
                rules.add_workspace_settings(WORKSPACE_FILE, root.path(), &settings)
            }),
            Err(error) => Err(error),
        };
        rules.broken.extend(added.err().map(|error| format!("{WORKSPACE_FILE}: {error}")));
    }
    for message in rules.broken.iter().chain(&rules.warnings) {
        tracing::warn!("settings: {message}");
    }
    rules
}

fn read_workspace_file(
    snapshot: &Snapshot,
    root: &std::path::Path,
) -> Result<Option<Vec<u8>>, String> {
    let read = || -> Result<Result<Vec<u8>, String>, FileError> {
        let file = workspace_file(snapshot, root)?;
        let found = snapshot.metadata(&file)?;
        if found.kind != EntryKind::File {
            return Ok(Err("is not a regular file".to_owned()));
        }
        if found.size > MAX_SETTINGS_BYTES {
            return Ok(Err(format!(
                "{} bytes, more than the {MAX_SETTINGS_BYTES} that are read",
                found.size
            )));
        }
        Ok(Ok(snapshot.read_bytes(&file)?.bytes))
    };
    match read() {
        Ok(read) => read.map(Some),
        Err(FileError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}
