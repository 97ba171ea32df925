//! The rules by which a new work tree gets untracked files: our table and the settings.

use std::sync::OnceLock;

use git::{Placement, PlacementRules};
use serde::Deserialize;
use workspace::Snapshot;

use tools::policy::worktree_settings;

/// `worktree_files.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    manifests: Vec<String>,
    copy: Vec<String>,
    link: Vec<String>,
}

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        toml::from_str(include_str!("worktree_files.toml"))
            .inspect_err(|error| tracing::error!("worktree_files.toml: {error}"))
            .unwrap_or_default()
    })
}

/// The rules for work trees of this workspace.
pub(super) fn placement_rules(snapshot: &Snapshot) -> PlacementRules {
    let (table, settings) = (table(), worktree_settings(snapshot));
    let mut files: Vec<(String, Placement)> = Vec::new();
    let mut add = |names: &[String], placement| {
        for name in names {
            files.retain(|(known, _)| known != name);
            files.push((name.clone(), placement));
        }
    };
    add(&table.copy, Placement::Copy);
    add(&table.link, Placement::Link);
    for settings in &settings {
        add(&settings.copy, Placement::Copy);
        add(&settings.link, Placement::Link);
    }
    files.retain(|(name, _)| !settings.iter().any(|settings| settings.skip.contains(name)));
    PlacementRules { manifests: table.manifests.clone(), files }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_complete() {
        let table = table();
        assert!(table.copy.contains(&".env".to_owned()), "{table:?}");
        assert!(table.link.contains(&"node_modules".to_owned()));
        assert!(table.manifests.contains(&"package.json".to_owned()));
    }
}
