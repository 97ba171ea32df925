//! What the person's own git settings say that is only data: their name, what they ignore.
//!
//! Nothing else of them is heeded, and nothing of the environment or the system. What is taken is
//! written into a file of ours, which is the only one of its kind that libgit2 is shown.

use std::path::{Path, PathBuf};
use std::sync::Once;

use parking_lot::Mutex;
use workspace::{private_cache_folder, read_home_file, user_file_stamp};

use crate::settings::{Setting, settings, written};

/// Longest settings file, in bytes.
const LONGEST: u64 = 1 << 20;
/// How deep files may include others.
const DEEPEST: usize = 5;
/// Most files that are read.
const MOST_FILES: usize = 50;
/// Where in our cache the file is.
const FOLDER: &str = "git";

/// The settings that are taken: (section, name).
const TAKEN: &[(&str, &str)] = &[
    ("user", "name"),
    ("user", "email"),
    ("init", "defaultbranch"),
    ("core", "excludesfile"),
    ("core", "autocrlf"),
    ("core", "eol"),
    ("safe", "directory"),
];

type Seen = Vec<(PathBuf, Option<workspace::Stamp>)>;

/// What was taken over.
#[derive(Debug, Clone, Default)]
pub(crate) struct TakenOver {
    /// The files that libgit2 may read: ours, and the person's own list of what to ignore.
    pub(crate) read: Vec<PathBuf>,
    /// Whether the person has hooks, or signs: programs, which only git itself runs.
    pub(crate) wants_programs: bool,
}

/// Takes the person's settings over, if they have changed, and has libgit2 look at nothing else.
pub(crate) fn take_over() -> TakenOver {
    static TAKEN_OVER: Mutex<Option<(Seen, TakenOver)>> = Mutex::new(None);
    let mut taken = TAKEN_OVER.lock();
    if let Some((seen, over)) = taken.as_ref()
        && seen.iter().all(|(path, stamp)| user_file_stamp(path) == *stamp)
    {
        return over.clone();
    }
    let mut taking = Taking::default();
    let mut text = String::new();
    for path in homes() {
        taking.take(&path, 0, &mut text);
    }
    let mut files = vec![(".gitconfig".to_owned(), text.into_bytes())];
    files.append(&mut taking.conditional);
    let folder = private_cache_folder(FOLDER, &files);
    let mut read = taking.ignores;
    match &folder {
        Ok(folder) => read.push(folder.clone()),
        Err(error) => tracing::warn!("git: the person's settings are not heeded: {error}"),
    }
    confine(folder.as_deref().ok());
    let over = TakenOver { read, wants_programs: taking.wants_programs };
    *taken = Some((taking.seen, over.clone()));
    over
}

/// Has libgit2 look for settings of the person, the system and programs in this folder only.
fn confine(folder: Option<&Path>) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| crate::library::look_only_in(folder));
}

/// Where the person's settings are, the weakest first.
fn homes() -> Vec<PathBuf> {
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
struct Taking {
    seen: Seen,
    ignores: Vec<PathBuf>,
    conditional: Vec<(String, Vec<u8>)>,
    wants_programs: bool,
}

impl Taking {
    /// Adds what is taken of the file at `path` to `text`.
    fn take(&mut self, path: &Path, depth: usize, text: &mut String) {
        if depth > DEEPEST || self.seen.len() >= MOST_FILES {
            return;
        }
        self.seen.push((path.to_owned(), user_file_stamp(path)));
        let bytes = match read_home_file(path, LONGEST) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return,
            Err(error) => {
                tracing::warn!("git: {error}");
                return;
            }
        };
        for mut setting in settings(&bytes) {
            self.wants_programs |= setting.is("core", "hookspath")
                || (setting.is("commit", "gpgsign") && setting.is_true());
            if setting.is("include", "path") && setting.subsection.is_none() {
                if let Some(included) = place(path, setting.value.as_deref()) {
                    self.take(&included, depth + 1, text);
                }
            } else if setting.is("includeif", "path") {
                self.take_if(path, depth, &setting, text);
            } else if TAKEN.contains(&(setting.section.as_str(), setting.name.as_str()))
                && setting.subsection.is_none()
            {
                if setting.name == "excludesfile" {
                    let Some(ignores) = place(path, setting.value.as_deref()) else { continue };
                    setting.value = ignores.to_str().map(str::to_owned);
                    self.ignores.push(ignores);
                }
                text.push_str(&written(&setting));
            }
        }
    }

    /// What is included in some repositories only goes into a file of its own.
    fn take_if(&mut self, path: &Path, depth: usize, setting: &Setting, text: &mut String) {
        let Some(included) = place(path, setting.value.as_deref()) else { return };
        let Some(condition) = &setting.subsection else { return };
        let condition = match condition.split_once(":~/") {
            Some((kind, rest)) => match std::env::var("HOME") {
                Ok(home) => format!("{kind}:{home}/{rest}"),
                Err(_) => return,
            },
            None => condition.clone(),
        };
        let mut inner = String::new();
        self.take(&included, depth + 1, &mut inner);
        let name = format!("included-{}", self.conditional.len());
        self.conditional.push((name.clone(), inner.into_bytes()));
        text.push_str(&written(&Setting {
            section: "includeIf".to_owned(),
            subsection: Some(condition),
            name: "path".to_owned(),
            // Relative to the file that it stands in.
            value: Some(name),
        }));
    }
}

/// The place that a setting's value names, in a file at `path`.
fn place(path: &Path, value: Option<&str>) -> Option<PathBuf> {
    let value = value.filter(|value| !value.is_empty())?;
    if let Some(below) = value.strip_prefix("~/") {
        return Some(PathBuf::from(std::env::var_os("HOME")?).join(below));
    }
    Some(path.parent()?.join(value))
}
