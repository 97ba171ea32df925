//! Copies the user's own git settings that are plain data, such as name and ignore file, into a
//! settings file of ours.
//!
//! libgit2 reads no other global settings: nothing else of the user's, nothing of the environment
//! or the system.

use std::path::{Path, PathBuf};
use std::sync::Once;

use parking_lot::Mutex;
use workspace::{private_cache_folder, read_home_file, user_file_stamp};

use crate::config_file::{Setting, format_setting, parse_config};
use crate::limits::{MAX_INCLUDE_DEPTH, MAX_SETTINGS_FILES, MAX_SETTINGS_SIZE};

/// Folder of our settings file in the private cache.
const FOLDER: &str = "git";

/// The settings that are copied: (section, name).
const COPIED: &[(&str, &str)] = &[
    ("user", "name"),
    ("user", "email"),
    ("init", "defaultbranch"),
    ("core", "excludesfile"),
    ("core", "autocrlf"),
    ("core", "eol"),
    ("safe", "directory"),
];

type Stamps = Vec<(PathBuf, Option<workspace::Stamp>)>;

/// The user's settings in the form libgit2 may read.
#[derive(Debug, Clone, Default)]
pub(crate) struct UserConfig {
    /// Files that the sandbox must allow: our settings file, and the user's ignore file.
    pub(crate) readable: Vec<PathBuf>,
    /// Whether the user configures hooks or signs commits. Only git itself runs those programs.
    pub(crate) wants_programs: bool,
}

/// Copies the user's settings if they have changed, and restricts libgit2 to the copy.
pub(crate) fn user_config() -> UserConfig {
    static CACHE: Mutex<Option<(Stamps, UserConfig)>> = Mutex::new(None);
    let mut cache = CACHE.lock();
    if let Some((stamps, config)) = cache.as_ref()
        && stamps.iter().all(|(path, stamp)| user_file_stamp(path) == *stamp)
    {
        return config.clone();
    }
    let mut copy = ConfigCopy::default();
    let mut text = String::new();
    for path in user_config_files() {
        copy.add_file(&path, 0, &mut text);
    }
    let mut files = vec![(".gitconfig".to_owned(), text.into_bytes())];
    files.append(&mut copy.conditional);
    let folder = private_cache_folder(FOLDER, &files);
    let mut readable = copy.ignore_files;
    match &folder {
        Ok(folder) => readable.push(folder.clone()),
        Err(error) => tracing::warn!("git: the user's settings are ignored: {error}"),
    }
    restrict_libgit2(folder.as_deref().ok());
    let config = UserConfig { readable, wants_programs: copy.wants_programs };
    *cache = Some((copy.stamps, config.clone()));
    config
}

/// Restricts libgit2's settings search to `folder`, once per process.
fn restrict_libgit2(folder: Option<&Path>) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| crate::libgit2::restrict_config_search(folder));
}

/// The user's settings files, lowest precedence first.
fn user_config_files() -> Vec<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let home = absolute("HOME");
    let config = absolute("XDG_CONFIG_HOME").or_else(|| Some(home.as_ref()?.join(".config")));
    let mut homes = Vec::new();
    homes.extend(config.map(|config| config.join("git/config")));
    homes.extend(home.map(|home| home.join(".gitconfig")));
    homes
}

#[derive(Default)]
struct ConfigCopy {
    stamps: Stamps,
    ignore_files: Vec<PathBuf>,
    conditional: Vec<(String, Vec<u8>)>,
    wants_programs: bool,
}

impl ConfigCopy {
    /// Appends the copied settings of the file at `path` to `text`.
    fn add_file(&mut self, path: &Path, depth: usize, text: &mut String) {
        if depth > MAX_INCLUDE_DEPTH || self.stamps.len() >= MAX_SETTINGS_FILES {
            return;
        }
        self.stamps.push((path.to_owned(), user_file_stamp(path)));
        let bytes = match read_home_file(path, MAX_SETTINGS_SIZE) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return,
            Err(error) => {
                tracing::warn!("git: {error}");
                return;
            }
        };
        for mut setting in parse_config(&bytes) {
            self.wants_programs |= setting.is_named("core", "hookspath")
                || (setting.is_named("commit", "gpgsign") && setting.is_true());
            if setting.is_named("include", "path") && setting.subsection.is_none() {
                if let Some(included) = resolve_path(path, setting.value.as_deref()) {
                    self.add_file(&included, depth + 1, text);
                }
            } else if setting.is_named("includeif", "path") {
                self.add_conditional_include(path, depth, &setting, text);
            } else if COPIED.contains(&(setting.section.as_str(), setting.name.as_str()))
                && setting.subsection.is_none()
            {
                if setting.name == "excludesfile" {
                    let Some(ignore_files) = resolve_path(path, setting.value.as_deref()) else {
                        continue;
                    };
                    setting.value = ignore_files.to_str().map(str::to_owned);
                    self.ignore_files.push(ignore_files);
                }
                text.push_str(&format_setting(&setting));
            }
        }
    }

    /// A conditional include (`includeIf`) becomes a file of its own, which libgit2 includes under
    /// the same condition.
    fn add_conditional_include(
        &mut self,
        path: &Path,
        depth: usize,
        setting: &Setting,
        text: &mut String,
    ) {
        let Some(included) = resolve_path(path, setting.value.as_deref()) else { return };
        let Some(condition) = &setting.subsection else { return };
        let condition = match condition.split_once(":~/") {
            Some((kind, rest)) => match std::env::var("HOME") {
                Ok(home) => format!("{kind}:{home}/{rest}"),
                Err(_) => return,
            },
            None => condition.clone(),
        };
        let mut inner = String::new();
        self.add_file(&included, depth + 1, &mut inner);
        let name = format!("included-{}", self.conditional.len());
        self.conditional.push((name.clone(), inner.into_bytes()));
        text.push_str(&format_setting(&Setting {
            section: "includeIf".to_owned(),
            subsection: Some(condition),
            name: "path".to_owned(),
            // Relative to the including file.
            value: Some(name),
        }));
    }
}

/// The path that a setting's value means in the settings file at `path`.
fn resolve_path(path: &Path, value: Option<&str>) -> Option<PathBuf> {
    let value = value.filter(|value| !value.is_empty())?;
    if let Some(below) = value.strip_prefix("~/") {
        return Some(PathBuf::from(std::env::var_os("HOME")?).join(below));
    }
    Some(path.parent()?.join(value))
}
