//! All paths of chosen files, including hard links and link targets: hiding a file requires all of
//! them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::visit_all::{Visit, visit_all};
use crate::platform::Stat;
use crate::{EntryKind, FilePath, Snapshot};

/// Maximum number of entries that are visited.
const MAX_ENTRIES: usize = 2_000_000;
/// Maximum number of paths that are returned.
const MAX_PATHS: usize = 20_000;

impl Snapshot {
    /// The absolute paths of all entries whose absolute path is `chosen`, the targets of links
    /// among them, and all other hard links of the files among them. The contents of a chosen
    /// folder are not listed separately. `None` if there are too many entries. O(entries), doubled
    /// if a chosen file has several hard links.
    #[must_use]
    pub fn paths_with_aliases(&self, chosen: &dyn Fn(&Path) -> bool) -> Option<Vec<PathBuf>> {
        let mut found: Vec<PathBuf> = Vec::new();
        let mut linked = HashSet::new();
        let mut left = MAX_ENTRIES;
        let mut inside: HashSet<PathBuf> = HashSet::new();
        let mut record_hard_links = |stat: &Stat| {
            if stat.kind() == EntryKind::File && stat.hard_links() > 1 {
                linked.insert((stat.device(), stat.inode()));
            }
        };
        for root in self.roots() {
            let is_complete = visit_all(root, &mut left, &mut |listed| {
                let relative = listed.path();
                let absolute = root.path().join(&relative);
                let is_inside = listed.folder != Path::new("")
                    && inside.contains(&root.path().join(listed.folder));
                if !is_inside && !chosen(&absolute) {
                    return Visit::Descend;
                }
                if let Ok(stat) = root.stat(&relative) {
                    record_hard_links(&stat);
                }
                if listed.kind == Some(EntryKind::Directory) {
                    inside.insert(absolute.clone());
                }
                if listed.kind == Some(EntryKind::Link) {
                    found.extend(self.link_target_path(&absolute, &mut record_hard_links));
                }
                if !is_inside {
                    found.push(absolute);
                }
                if found.len() > MAX_PATHS || inside.len() > MAX_ENTRIES / 10 {
                    return Visit::Stop;
                }
                Visit::Descend
            });
            if !is_complete {
                return None;
            }
        }
        if linked.is_empty() {
            return Some(found);
        }
        left = MAX_ENTRIES;
        for root in self.roots() {
            visit_all(root, &mut left, &mut |listed| {
                let is_linked = |relative: &Path| {
                    let stat = root.stat(relative);
                    stat.is_ok_and(|stat| linked.contains(&(stat.device(), stat.inode())))
                };
                if linked.iter().any(|(_, inode)| *inode == listed.inode) {
                    let relative = listed.path();
                    if is_linked(&relative) {
                        found.push(root.path().join(relative));
                    }
                }
                Visit::Descend
            });
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }

    /// The target of a link, inside or outside the roots.
    fn link_target_path(
        &self,
        link: &Path,
        record_hard_links: &mut dyn FnMut(&Stat),
    ) -> Option<PathBuf> {
        match self.locate_absolute(link) {
            Ok(target) => {
                let FilePath { root, relative, .. } = &target;
                root.stat(relative).inspect(|stat| record_hard_links(stat)).ok()?;
                Some(target.absolute())
            }
            Err(_) => std::fs::canonicalize(link).ok(),
        }
    }
}
