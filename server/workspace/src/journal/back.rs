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

/// Takes back `step`, where it has been done. Where somebody has written to what it put there, that
/// stays, and what stood there before is left at the place that is returned.
pub(super) fn take_back<'s>(
    step: &'s Step,
    trash: Option<&Trash>,
) -> Result<Option<&'s Place>, Errno> {
    match step {
        Step::Folder { at } => {
            let (dir, name) = match at.parent(trash) {
                Err(Errno::NOENT) => return Ok(None),
                parent => parent?,
            };
            // Somebody may have put something into it by now.
            let _ = remove_folder(&dir, &name);
            Ok(None)
        }
        Step::Copy { to, .. } => match to.parent(trash) {
            Ok((dir, name)) => remove(&dir, &name).map(|()| None),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno),
        },
        Step::Rename { from, to, over, made, .. } => {
            let (from_dir, from_name) = match from.parent(trash) {
                Err(Errno::NOENT) => return Ok(None),
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
    fn what_somebody_has_written_to_stays_and_so_does_what_stood_there_before() {
        let folder = tempfile::tempdir().unwrap();
        let root = Arc::new(Root::open(folder.path()).unwrap());
        let (a, hidden) = (folder.path().join("a"), folder.path().join("hidden"));
        fs::write(&a, "ours").unwrap();
        fs::write(&hidden, "theirs").unwrap();
        let place = |name: &str| Place::Tree(FilePath::new(&root, PathBuf::from(name)));
        let node = |name: &str| {
            let dir = entries::open_below(
                root.open_at("".as_ref(), Opening::Folder).unwrap(),
                "".as_ref(),
                Opening::Folder,
            );
            node_at(&dir.unwrap(), name.as_ref()).map(|(node, _)| node)
        };
        let copy = Step::Copy { from: place("b"), to: place("hidden") };
        let exchange = Step::Rename {
            from: place("hidden"),
            to: place("a"),
            node: node("a"),
            over: node("hidden"),
            made: true,
        };
        let steps = Steps { steps: vec![copy, exchange], clear: Vec::new(), tidy: Vec::new() };
        fs::write(&a, "ours and theirs").unwrap();
        let mut kept = Vec::new();
        steps.take_back(2, None, &mut kept).unwrap();
        assert_eq!(kept, [place("hidden")]);
        assert_eq!(fs::read_to_string(&a).unwrap(), "ours and theirs");
        assert_eq!(fs::read_to_string(&hidden).unwrap(), "theirs");
    }
}
