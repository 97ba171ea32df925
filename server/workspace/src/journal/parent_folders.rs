//! The parent folders of the paths of steps, held open from the first use on.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::StepPath;
use crate::entries::open_below;
use crate::path::FilePath;
use crate::platform::{Errno, Handle, Opening};
use crate::trash::Trash;

/// Limit of open handles; folders beyond it are opened by their path each time.
const MAX_HELD_FOLDERS: usize = 256;

/// Opens the parent folders of steps. Another process may move or exchange a folder between a step
/// and its clean-up; hidden files are then still found in the folder that the step used.
pub(crate) struct ParentFolders<'t> {
    trash: Option<&'t Trash>,
    held: RefCell<Vec<HeldFolder>>,
}

/// A folder by its path in the workspace.
struct HeldFolder {
    path: FilePath,
    dir: Rc<Handle>,
}

impl<'t> ParentFolders<'t> {
    pub(crate) fn new(trash: Option<&'t Trash>) -> Self {
        Self { trash, held: RefCell::default() }
    }

    /// The parent folder of a path, and its name in it.
    pub(super) fn parent(&self, step_path: &StepPath) -> Result<(Rc<Handle>, OsString), Errno> {
        match step_path {
            StepPath::Workspace(path) => {
                let parent = parent_of(path);
                let mut held = self.held.borrow_mut();
                let dir = match held.iter().find(|folder| folder.path == parent) {
                    Some(folder) => Rc::clone(&folder.dir),
                    None => {
                        let dir = Rc::new(parent.root.open_at(&parent.relative, Opening::Folder)?);
                        if held.len() < MAX_HELD_FOLDERS {
                            held.push(HeldFolder { path: parent, dir: Rc::clone(&dir) });
                        }
                        dir
                    }
                };
                Ok((dir, path.file_name().to_owned()))
            }
            StepPath::Trash(name) => {
                let trash = self.trash.ok_or(Errno::NOENT)?;
                let dir = open_below(trash.dir(), Path::new(""), Opening::Folder)?;
                Ok((Rc::new(dir), name.into()))
            }
        }
    }

    /// Uses `dir` as the parent folder of a path from now on.
    pub(super) fn hold(&self, step_path: &StepPath, dir: Handle) {
        let StepPath::Workspace(path) = step_path else { return };
        let parent = parent_of(path);
        let mut held = self.held.borrow_mut();
        held.retain(|folder| folder.path != parent);
        held.push(HeldFolder { path: parent, dir: Rc::new(dir) });
    }

    /// Forgets the folders at and below two paths that a step has renamed or exchanged.
    pub(super) fn renamed(&self, from: &StepPath, to: &StepPath) {
        let is_below = |folder: &FilePath, step_path: &StepPath| match step_path {
            StepPath::Workspace(path) => {
                path.root.path() == folder.root.path()
                    && folder.relative.starts_with(&path.relative)
            }
            StepPath::Trash(_) => false,
        };
        self.held
            .borrow_mut()
            .retain(|folder| !is_below(&folder.path, from) && !is_below(&folder.path, to));
    }
}

fn parent_of(path: &FilePath) -> FilePath {
    let parent: PathBuf = path.relative.parent().unwrap_or(Path::new("")).to_owned();
    FilePath::new(&path.root, parent)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::super::revert::inode_at;
    use super::super::{PreparedStep, Step, Steps};
    use super::*;
    use crate::Root;

    /// Replaces `folder/file`, moves the folder away with a link in its place, and runs `end`.
    fn swapped_after_replacing(end: impl Fn(&Steps, &ParentFolders<'_>)) -> tempfile::TempDir {
        let temporary = tempfile::tempdir().unwrap();
        let at = |name: &str| temporary.path().join(name);
        fs::create_dir(at("folder")).unwrap();
        fs::write(at("folder/file"), "before").unwrap();
        fs::write(at("folder/hidden"), "after").unwrap();
        let root = Arc::new(Root::open(temporary.path()).unwrap());
        let step_path = |name: &str| StepPath::Workspace(FilePath::new(&root, PathBuf::from(name)));
        let folders = ParentFolders::new(None);
        let node = |name: &str| {
            let (dir, name) = ParentFolders::new(None).parent(&step_path(name)).unwrap();
            inode_at(&dir, &name).map(|(node, _)| node)
        };
        let step = Step::Rename {
            from: step_path("folder/hidden"),
            to: step_path("folder/file"),
            node: node("folder/hidden"),
            over: node("folder/file"),
            made: true,
        };
        let mut prepared = PreparedStep::without_content(step.clone());
        prepared.perform(&folders, &AtomicBool::new(false), false).unwrap();
        let leftovers = vec![step_path("folder/hidden")];
        let steps = Steps { steps: vec![step], leftovers, empty_folders: Vec::new() };
        fs::rename(at("folder"), at("moved")).unwrap();
        symlink("moved", at("folder")).unwrap();
        end(&steps, &folders);
        temporary
    }

    #[test]
    fn a_replaced_file_is_removed_from_a_folder_that_was_moved() {
        let folder = swapped_after_replacing(|steps, folders| steps.clean_up(folders));
        assert_eq!(fs::read_to_string(folder.path().join("moved/file")).unwrap(), "after");
        assert!(!folder.path().join("moved/hidden").exists());
    }

    #[test]
    fn a_step_is_reverted_in_a_folder_that_was_moved() {
        let folder = swapped_after_replacing(|steps, folders| {
            steps.revert(1, folders, &mut Vec::new()).unwrap();
        });
        assert_eq!(fs::read_to_string(folder.path().join("moved/file")).unwrap(), "before");
        assert!(!folder.path().join("moved/hidden").exists());
    }
}
