//! All names of chosen files: what hides a file has to hide each of them.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::everything::{Visit, everything};
use crate::platform::Stat;
use crate::{EntryKind, FilePath, Snapshot};

/// Most entries that are looked at.
const MOST_ENTRIES: usize = 2_000_000;
/// Most paths that are given.
const MOST: usize = 20_000;

impl Snapshot {
    /// The absolute paths of all entries of the roots that are `chosen` by their absolute path; where
    /// one is a link, what it leads to as well; and every other name of the files among them. What
    /// lies in a chosen folder is not listed by itself. `None` where there are too many entries for
    /// all to be looked at. O(entries), twice where a chosen file has several names.
    #[must_use]
    pub fn all_names(&self, chosen: &dyn Fn(&Path) -> bool) -> Option<Vec<PathBuf>> {
        let mut found: Vec<PathBuf> = Vec::new();
        let mut linked = HashSet::new();
        let mut left = MOST_ENTRIES;
        let mut inside: HashSet<PathBuf> = HashSet::new();
        let mut note = |stat: &Stat| {
            if stat.kind() == EntryKind::File && stat.hard_links() > 1 {
                linked.insert((stat.device(), stat.inode()));
            }
        };
        for root in self.roots() {
            let is_complete = everything(root, &mut left, &mut |listed| {
                let relative = listed.path();
                let absolute = root.path().join(&relative);
                let is_inside = listed.folder != Path::new("")
                    && inside.contains(&root.path().join(listed.folder));
                if !is_inside && !chosen(&absolute) {
                    return Visit::Into;
                }
                if let Ok(stat) = root.stat(&relative) {
                    note(&stat);
                }
                if listed.kind == Some(EntryKind::Directory) {
                    inside.insert(absolute.clone());
                }
                if listed.kind == Some(EntryKind::Link) {
                    found.extend(self.led_to(&absolute, &mut note));
                }
                if !is_inside {
                    found.push(absolute);
                }
                if found.len() > MOST || inside.len() > MOST_ENTRIES / 10 {
                    return Visit::Stop;
                }
                Visit::Into
            });
            if !is_complete {
                return None;
            }
        }
        if linked.is_empty() {
            return Some(found);
        }
        left = MOST_ENTRIES;
        for root in self.roots() {
            everything(root, &mut left, &mut |listed| {
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
                Visit::Into
            });
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }

    /// What a link leads to, inside the roots or out of them.
    fn led_to(&self, link: &Path, note: &mut dyn FnMut(&Stat)) -> Option<PathBuf> {
        match self.locate_absolute(link) {
            Ok(target) => {
                let FilePath { root, relative, .. } = &target;
                root.stat(relative).inspect(|stat| note(stat)).ok()?;
                Some(target.absolute())
            }
            Err(_) => std::fs::canonicalize(link).ok(),
        }
    }
}
