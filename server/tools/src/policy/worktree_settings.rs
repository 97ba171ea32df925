//! The table `worktrees` of the settings.

use std::path::{Component, Path};

use serde::Deserialize;

/// Untracked files that new work trees get, in addition to the built-in rules. Paths are relative to the
/// repository, or to a project in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WorktreeSettings {
    /// Files that are copied.
    pub copy: Vec<String>,
    /// Files and folders that are linked.
    pub link: Vec<String>,
    /// Files of other rules that are left alone.
    pub skip: Vec<String>,
}

/// Limit for the paths of one list.
const MAX_PATHS: usize = 100;

impl WorktreeSettings {
    pub(super) fn check(&self) -> Result<(), String> {
        for (list, paths) in [("copy", &self.copy), ("link", &self.link)] {
            if paths.len() > MAX_PATHS {
                return Err(format!("worktrees.{list}: more than {MAX_PATHS} paths"));
            }
            if let Some(path) = paths.iter().find(|path| !is_plain(path)) {
                return Err(format!("worktrees.{list}: `{path:.100}` is no path in a repository"));
            }
        }
        Ok(())
    }
}

/// Whether a path stays in the repository and out of its git folder.
fn is_plain(path: &str) -> bool {
    let mut names = Path::new(path).components();
    let is_name = |name: Component<'_>| match name {
        Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
        _ => false,
    };
    !path.is_empty() && !path.contains('\0') && names.all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_repository() {
        for path in ["", "/etc/passwd", "../x", "a/../../b", ".git/hooks", "a/.GIT", "a\0b"] {
            assert!(!is_plain(path), "{path:?}");
        }
        assert!(is_plain("config/local.json") && is_plain(".env"));
    }
}
