//! Tells by inodes which steps were done, and reverts them.

use std::ffi::OsStr;

use super::{ParentFolders, Step, StepPath};
use crate::Stamp;
use crate::entries::{InodeState, remove};
use crate::platform::{Errno, Handle, RenameMode, remove_folder, rename, stat_at};

/// The inode and the stamp of a name in a folder.
pub(super) fn inode_at(dir: &Handle, name: &OsStr) -> Option<(InodeState, Stamp)> {
    let stat = stat_at(dir, name).ok()?;
    Some((InodeState::from_stat(&stat), Stamp::from_stat(&stat)))
}

/// Whether a rename step was done, judged by the inodes at both names.
pub(super) fn is_done(step: &Step, folders: &ParentFolders<'_>) -> bool {
    let Step::Rename { from, to, node, over, made } = step else { return false };
    let at = |step_path: &StepPath| {
        folders
            .parent(step_path)
            .ok()
            .and_then(|(dir, name)| inode_at(&dir, &name))
            .map(|(node, _)| node)
    };
    // An existing file keeps its identity when it is written to. A file that we created counts as
    // ours only while its content is unchanged.
    let is_at = |step_path: &StepPath, node: &InodeState| {
        let is_it =
            |found: &InodeState| if *made { found == node } else { found.is_same_file(node) };
        at(step_path).as_ref().is_some_and(is_it)
    };
    match (node, over) {
        // A file that was created with `linkat` never had the other name.
        (Some(node), _) => is_at(to, node) && !is_at(from, node),
        (None, Some(over)) => at(from).is_some_and(|found| found.is_same_file(over)),
        (None, None) => at(from).is_none() && at(to).is_some(),
    }
}

/// Reverts `step` if it was done. If others have written to the file that it put in place, that
/// file stays, and the replaced one remains at the returned path.
pub(super) fn revert<'s>(
    step: &'s Step,
    folders: &ParentFolders<'_>,
) -> Result<Option<&'s StepPath>, Errno> {
    match step {
        Step::Folder { at } => {
            let (dir, name) = match folders.parent(at) {
                Err(Errno::NOENT) => return Ok(None),
                parent => parent?,
            };
            // Fails if others have put something into it, which then stays.
            let _ = remove_folder(&dir, &name);
            Ok(None)
        }
        Step::Copy { to, .. } => match folders.parent(to) {
            Ok((dir, name)) => remove(&dir, &name).map(|()| None),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno),
        },
        Step::Rename { from, to, over, made, .. } => {
            let (from_dir, from_name) = match folders.parent(from) {
                Err(Errno::NOENT) => return Ok(None),
                parent => parent?,
            };
            if is_done(step, folders) {
                let (to_dir, to_name) = folders.parent(to)?;
                let held = inode_at(&from_dir, &from_name).map(|(node, _)| node);
                let flags = match over {
                    Some(over) if held.is_some_and(|held| held.is_same_file(over)) => {
                        RenameMode::Exchange
                    }
                    // The replaced file is already removed: the step cannot be reverted.
                    Some(_) => return Err(Errno::NOENT),
                    None => RenameMode::NoReplace,
                };
                rename((&*to_dir, &to_name), (&*from_dir, &from_name), flags)?;
                folders.renamed(from, to);
            } else if let (Some(over), true) = (over, *made)
                && inode_at(&from_dir, &from_name).is_some_and(|(node, _)| node.is_same_file(over))
            {
                return Ok(Some(from));
            }
            if *made {
                remove(&from_dir, &from_name)?;
            }
            Ok(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::super::Steps;
    use super::*;
    use crate::path::FilePath;
    use crate::platform::Opening;
    use crate::{Root, entries};

    #[test]
    fn a_file_that_others_wrote_to_stays_and_so_does_the_one_it_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let root = Arc::new(Root::open(folder.path()).unwrap());
        let (a, hidden) = (folder.path().join("a"), folder.path().join("hidden"));
        fs::write(&a, "ours").unwrap();
        fs::write(&hidden, "theirs").unwrap();
        let step_path = |name: &str| StepPath::Workspace(FilePath::new(&root, PathBuf::from(name)));
        let node = |name: &str| {
            let dir = entries::open_below(
                root.open_at("".as_ref(), Opening::Folder).unwrap(),
                "".as_ref(),
                Opening::Folder,
            );
            inode_at(&dir.unwrap(), name.as_ref()).map(|(node, _)| node)
        };
        let copy = Step::Copy { from: step_path("b"), to: step_path("hidden") };
        let exchange = Step::Rename {
            from: step_path("hidden"),
            to: step_path("a"),
            node: node("a"),
            over: node("hidden"),
            made: true,
        };
        let steps =
            Steps { steps: vec![copy, exchange], leftovers: Vec::new(), empty_folders: Vec::new() };
        fs::write(&a, "ours and theirs").unwrap();
        let mut kept = Vec::new();
        steps.revert(2, &ParentFolders::new(None), &mut kept).unwrap();
        assert_eq!(kept, [step_path("hidden")]);
        assert_eq!(fs::read_to_string(&a).unwrap(), "ours and theirs");
        assert_eq!(fs::read_to_string(&hidden).unwrap(), "theirs");
    }
}
