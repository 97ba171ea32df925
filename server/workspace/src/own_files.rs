//! Recognizes Tandem's own settings, state, cache and sockets under any name.
//!
//! A tool that writes to them can change its own permissions. They usually lie outside every
//! workspace, but a file can have several paths: the workspace may be the home folder, the settings
//! folder may be a link into a dotfiles repository, and a bind mount or a hard link may expose the
//! settings file inside the workspace. So in addition to the configured paths this finds
//!
//! - the targets of their links, and the links themselves,
//! - the same folders in other mounts of the same file system,
//! - device and inode of existing files, which also recognizes hard links.
//!
//! It is resolved again for each call that changes something: about 40 system calls; the only file
//! that is read is the list of mounts.

use std::collections::{HashSet, VecDeque};
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::platform::{MountPoint, mount_points};
use crate::state_folders::{cache_dir, runtime_dir, state_dir, state_path};
use crate::user_file::config_folder;
use crate::{FilePath, Root};

/// Maximum number of links followed for one path, as in the kernel.
const MAX_LINKS: usize = 40;
/// Maximum number of own files that are checked for hard links.
const MAX_FILES: usize = 1_000;
/// Maximum depth of folders below the settings folder.
const MAX_DEPTH: usize = 4;

/// Device and inode.
type InodeId = (u64, u64);

/// Tandem's own files, under every path that reaches them.
#[derive(Debug, Clone, Default)]
pub struct OwnFiles {
    /// All paths (without links) of the folders. Everything below is own.
    folders: Vec<PathBuf>,
    /// All paths of links on the way to them: replacing such a link replaces the folder.
    links: Vec<PathBuf>,
    /// The inodes of the folders and the files in them.
    inodes: HashSet<InodeId>,
    /// The inodes of files with several hard links.
    linked_files: HashSet<InodeId>,
    /// The inodes of parent folders and of links on the way.
    ancestors: HashSet<InodeId>,
}

impl OwnFiles {
    /// Resolves the current folders and files. In the state folder, only files of the workspace of
    /// `roots` are checked for hard links.
    #[must_use]
    pub fn resolve(roots: &[Arc<Root>]) -> Self {
        let folders = [config_folder(), state_dir(), cache_dir(), runtime_dir()];
        let folders: Vec<PathBuf> = folders.into_iter().flatten().collect();
        Self::resolve_in(&folders, state_path(roots), &mount_points())
    }

    /// As [`OwnFiles::resolve`], for given folders and mounts.
    fn resolve_in(configured: &[PathBuf], state: Option<PathBuf>, mounts: &[MountPoint]) -> Self {
        let mut own = Self::default();
        for folder in configured {
            own.follow(folder);
        }
        let settings = own.folders.first().cloned();
        own.find_files(settings, MAX_DEPTH);
        own.find_files(state, 1);
        for paths in [&mut own.folders, &mut own.links] {
            let aliases = paths.iter().flat_map(|path| aliases(path, mounts)).collect::<Vec<_>>();
            paths.extend(aliases);
            paths.sort_unstable();
            paths.dedup();
        }
        own
    }

    /// Whether `path` is an own file or folder, or inside one.
    #[must_use]
    pub fn contains(&self, path: &FilePath) -> bool {
        if self.contains_path(&path.absolute()) {
            return true;
        }
        let prefixes = path.relative.ancestors().filter(|prefix| !prefix.as_os_str().is_empty());
        let id = |prefix: &Path| path.root.stat(prefix).ok().map(|s| (s.device(), s.inode()));
        prefixes.filter_map(id).any(|id| self.inodes.contains(&id))
    }

    /// Whether moving or replacing `path` would change how own files are reached: they are below
    /// it, or it is a link on the way to them.
    #[must_use]
    pub fn depend_on(&self, path: &FilePath) -> bool {
        let absolute = path.absolute();
        let stat = path.root.stat(&path.relative).ok();
        self.folders.iter().chain(&self.links).any(|own| own.starts_with(&absolute))
            || stat.is_some_and(|stat| self.ancestors.contains(&(stat.device(), stat.inode())))
    }

    /// As [`contains`](Self::contains), by the path alone: fast, but does not recognize hard links.
    #[must_use]
    pub fn contains_path(&self, absolute: &Path) -> bool {
        self.folders.iter().any(|folder| absolute.starts_with(folder))
            || self.links.iter().any(|link| absolute == link)
    }

    /// Whether an own file with several hard links may have this inode. The device is not compared,
    /// because a listing does not contain it.
    pub(crate) fn may_be_linked(&self, inode: u64) -> bool {
        self.linked_files.iter().any(|(_, own)| *own == inode)
    }

    /// Whether changing files below `roots` could affect own files at all.
    #[must_use]
    pub fn are_within(&self, roots: &[PathBuf]) -> bool {
        let mut paths = self.folders.iter().chain(&self.links);
        !self.linked_files.is_empty()
            || paths
                .any(|own| roots.iter().any(|root| own.starts_with(root) || root.starts_with(own)))
    }

    /// All paths (without links) of the folders, whether they exist or not.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(PathBuf::as_path)
    }

    /// All paths of links on the way to them.
    pub fn links(&self) -> impl Iterator<Item = &Path> {
        self.links.iter().map(PathBuf::as_path)
    }

    /// Resolves `path` name by name, as the kernel would.
    fn follow(&mut self, path: &Path) {
        let mut done = PathBuf::from("/");
        let mut todo: VecDeque<OsString> = names(path);
        let mut links = 0;
        while let Some(name) = todo.pop_front() {
            if name == ".." {
                done.pop();
                continue;
            }
            done.push(&name);
            // A missing folder is represented by the path that it would have.
            let Ok(found) = fs::symlink_metadata(&done) else { continue };
            if found.is_symlink() && links < MAX_LINKS {
                links += 1;
                self.links.push(done.clone());
                self.ancestors.insert(id(&found));
                let Ok(target) = fs::read_link(&done) else { continue };
                done.pop();
                if target.is_absolute() {
                    done = PathBuf::from("/");
                }
                for name in names(&target).into_iter().rev() {
                    todo.push_front(name);
                }
            } else if todo.is_empty() {
                self.inodes.insert(id(&found));
            } else {
                self.ancestors.insert(id(&found));
            }
        }
        self.folders.push(done);
    }

    /// Adds the files in a folder, `depth` folders deep. It must not be called for the trash and
    /// the journal: their files come from the workspace, where they may still have other hard
    /// links.
    fn find_files(&mut self, folder: Option<PathBuf>, depth: usize) {
        let mut left = MAX_FILES;
        let mut todo: Vec<_> = folder.map(|folder| (folder, 1)).into_iter().collect();
        while let Some((folder, level)) = todo.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let Some(rest) = left.checked_sub(1) else { return };
                left = rest;
                let Ok(found) = entry.metadata() else { continue };
                if found.is_dir() && level < depth {
                    todo.push((entry.path(), level + 1));
                } else if found.is_file() {
                    self.inodes.insert(id(&found));
                    if found.nlink() > 1 {
                        self.linked_files.insert(id(&found));
                    }
                }
            }
        }
    }
}

fn id(found: &Metadata) -> InodeId {
    (found.dev(), found.ino())
}

fn names(path: &Path) -> VecDeque<OsString> {
    let name = |component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    path.components().filter_map(name).collect()
}

/// The other paths that reach `path` (which has no links) through mounts of the same file system.
fn aliases(path: &Path, mounts: &[MountPoint]) -> Vec<PathBuf> {
    // The mount listed last covers earlier ones.
    let holds = |mount: &&MountPoint| path.starts_with(&mount.path);
    let Some(own) = mounts.iter().rev().filter(holds).max_by_key(|m| m.path.as_os_str().len())
    else {
        return Vec::new();
    };
    let Ok(below) = path.strip_prefix(&own.path) else { return Vec::new() };
    let inside = own.root.join(below);
    let same = mounts.iter().filter(|mount| mount.device == own.device && mount.path != own.path);
    same.filter_map(|mount| match inside.strip_prefix(&mount.root) {
        Ok(below) => Some(mount.path.join(below)),
        // The mount shows a part of the own folder.
        Err(_) => mount.root.starts_with(&inside).then(|| mount.path.clone()),
    })
    .filter(|alias| alias != path)
    .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn mount(device: &str, root: &str, path: &str) -> MountPoint {
        MountPoint { device: device.to_owned(), root: root.into(), path: path.into() }
    }

    #[test]
    fn own_files_are_found_in_other_mounts_of_the_same_file_system() {
        let mounts = [
            mount("8:1", "/", "/"),
            mount("8:1", "/home/u/.config", "/w/all"),
            mount("8:1", "/home/u/.config/tandem/sub", "/w/part"),
            mount("8:1", "/srv", "/w/other"),
            mount("8:2", "/home/u/.config", "/w/disk"),
        ];
        let found = aliases(Path::new("/home/u/.config/tandem"), &mounts);
        assert_eq!(found, [PathBuf::from("/w/all/tandem"), PathBuf::from("/w/part")]);
        // The home folder is a separate mount.
        let mounts =
            [mount("8:1", "/", "/"), mount("8:2", "/u", "/home/u"), mount("8:2", "/", "/w")];
        let found = aliases(Path::new("/home/u/.config/tandem"), &mounts);
        assert_eq!(found, [PathBuf::from("/w/u/.config/tandem")]);
    }

    #[test]
    fn links_on_the_way_hard_links_and_missing_folders_are_recognized() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for folder in ["ws/dot/tandem", "home", "plain"] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        symlink("../ws/dot", top.join("home/.config")).unwrap();
        fs::write(top.join("ws/dot/tandem/config.toml"), "").unwrap();
        fs::hard_link(top.join("ws/dot/tandem/config.toml"), top.join("ws/name.toml")).unwrap();
        fs::write(top.join("ws/a.toml"), "").unwrap();
        let configured = [top.join("home/.config/tandem"), top.join("ws/state/tandem")];
        let own = OwnFiles::resolve_in(&configured, None, &[]);
        let root = Arc::new(Root::open(&top.join("ws")).unwrap());
        let at = |path: &str| FilePath::new(&root, path.into());
        for (path, contains, depend) in [
            ("dot/tandem", true, true),
            ("dot/tandem/config.toml", true, false),
            ("dot/tandem/new", true, false),
            ("dot", false, true),
            ("dot/x", false, false),
            ("name.toml", true, false),
            ("a.toml", false, false),
            ("state/tandem/x", true, false),
            ("state/tandem", true, true),
            ("state", false, true),
        ] {
            assert_eq!(
                (own.contains(&at(path)), own.depend_on(&at(path))),
                (contains, depend),
                "{path}"
            );
        }
        let home = Arc::new(Root::open(&top.join("home")).unwrap());
        assert!(own.depend_on(&FilePath::new(&home, ".config".into())), "the link itself");
        assert!(own.are_within(&[top.join("ws")]));
        fs::remove_file(top.join("ws/name.toml")).unwrap();
        let own = OwnFiles::resolve_in(&configured, None, &[]);
        assert!(!own.are_within(&[top.join("plain")]));
    }
}
