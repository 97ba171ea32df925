//! Which steps have been done, told by the files' own numbers, and how they are taken back.

use std::ffi::OsStr;

use super::{Place, Step};
use crate::Stamp;
use crate::entries::{Node, remove};
use crate::platform::{Errno, Handle, Rename, remove_folder, rename, stat_at};
use crate::trash::Trash;

/// What stands at a name in a folder.
pub(super) fn node_at(dir: &Handle, name: &OsStr) -> Option<(Node, Stamp)> {
    let stat = stat_at(dir, name).ok()?;
    Some((Node::of(&stat), Stamp::of(&stat)))
}

pub(super) fn is_done(step: &Step, trash: Option<&Trash>) -> bool {
    let Step::Rename { from, to, node, over, made } = step else { return false };
    let at = |place: &Place| {
        place.parent(trash).ok().and_then(|(dir, name)| node_at(&dir, &name)).map(|(node, _)| node)
    };
    // What was there before stays the same file, whoever writes to it; ours is no longer ours then.
    let is_at = |place: &Place, node: &Node| {
        let is_it = |found: &Node| if *made { found == node } else { found.is_same_file(node) };
        at(place).as_ref().is_some_and(is_it)
    };
    match (node, over) {
        // What was made and linked in one go never had the other name.
        (Some(node), _) => is_at(to, node) && !is_at(from, node),
        (None, Some(over)) => at(from).is_some_and(|found| found.is_same_file(over)),
        (None, None) => at(from).is_none() && at(to).is_some(),
    }
}

/// Takes back `step`, where it has been done.
pub(super) fn take_back(step: &Step, trash: Option<&Trash>) -> Result<(), Errno> {
    match step {
        Step::Folder { at } => {
            let (dir, name) = match at.parent(trash) {
                Err(Errno::NOENT) => return Ok(()),
                parent => parent?,
            };
            // Somebody may have put something into it by now.
            let _ = remove_folder(&dir, &name);
            Ok(())
        }
        Step::Copy { to, .. } => match to.parent(trash) {
            Ok((dir, name)) => remove(&dir, &name),
            Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(errno),
        },
        Step::Rename { from, to, over, made, .. } => {
            let (from_dir, from_name) = match from.parent(trash) {
                Err(Errno::NOENT) => return Ok(()),
                parent => parent?,
            };
            if is_done(step, trash) {
                let (to_dir, to_name) = to.parent(trash)?;
                let held = node_at(&from_dir, &from_name).map(|(node, _)| node);
                let flags = match over {
                    Some(over) if held.is_some_and(|held| held.is_same_file(over)) => {
                        Rename::Exchange
                    }
                    // What was replaced has been cleared away: there is no way back.
                    Some(_) => return Err(Errno::NOENT),
                    None => Rename::New,
                };
                rename((&to_dir, &to_name), (&from_dir, &from_name), flags)?;
            } else if let (Some(over), true) = (over, *made)
                && node_at(&from_dir, &from_name).is_some_and(|(node, _)| node.is_same_file(over))
            {
                // Ours was written to by somebody: theirs stays, and so does what was there.
                return Err(Errno::BUSY);
            }
            if *made {
                remove(&from_dir, &from_name)?;
            }
            Ok(())
        }
    }
}
