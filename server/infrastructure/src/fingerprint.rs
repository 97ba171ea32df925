//! The files of a configuration by their hashes, so that a change after a plan is noticed.
//!
//! All files below the configuration's folder and the folders of its local modules count, since templates and scripts
//! have any name. What the program itself writes does not.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use tools::{Code, Context, ToolError};
use workspace::{FileKind, FilePath, Folder};

use crate::limits::{MAX_DEPTH, MAX_FILE_BYTES, MAX_FILES};

/// Files by their paths in the workspace, with the hashes of their contents.
pub(crate) type Fingerprint = BTreeMap<String, String>;

/// What the program, git and package managers keep beside a configuration.
const OWN_FOLDERS: &[&str] = &[".terraform", ".git", "node_modules"];

/// The files of `folder` and of `modules`, which are paths from it.
pub(crate) fn fingerprint(
    context: &Context<'_>,
    tool: &str,
    folder: &FilePath,
    modules: &[String],
) -> Result<Fingerprint, ToolError> {
    let mut walk = Walk { context, tool, files: Fingerprint::new(), bytes: 0 };
    walk.add(&Folder::open(folder)?, 0)?;
    for module in modules {
        let path = folder.absolute().join(module);
        let path = path.to_string_lossy();
        // A module outside of the workspace is a downloaded one, which the lock of versions covers.
        let Ok(path) = context.snapshot.locate(&path) else { continue };
        if !path.absolute().starts_with(folder.absolute()) {
            walk.add(&Folder::open(&path)?, 0)?;
        }
    }
    Ok(walk.files)
}

/// The paths that differ.
pub(crate) fn differences(before: &Fingerprint, now: &Fingerprint) -> Vec<String> {
    let names = before.keys().chain(now.keys().filter(|name| !before.contains_key(*name)));
    names.filter(|name| before.get(*name) != now.get(*name)).cloned().collect()
}

struct Walk<'w> {
    context: &'w Context<'w>,
    tool: &'w str,
    files: Fingerprint,
    bytes: u64,
}

impl Walk<'_> {
    fn add(&mut self, folder: &Folder, depth: usize) -> Result<(), ToolError> {
        self.context.check_interrupt(self.tool)?;
        for entry in folder.entries()? {
            match entry.kind {
                FileKind::Directory if is_own_folder(&entry.name) => {}
                FileKind::Directory if depth >= MAX_DEPTH => {
                    return Err(self.too_large("its folders nest too deep"));
                }
                FileKind::Directory => self.add(&folder.folder(&entry.name)?, depth + 1)?,
                FileKind::File if is_state(&entry.name) => {}
                FileKind::File | FileKind::Link => self.add_file(&folder.entry(&entry.name))?,
                FileKind::Special => {}
            }
        }
        Ok(())
    }

    fn add_file(&mut self, path: &FilePath) -> Result<(), ToolError> {
        let name = path.display_path();
        // A link is followed where one may be read through; what it leads to outside is not read.
        let Ok(path) = self.context.snapshot.locate(&path.absolute().to_string_lossy()) else {
            return Ok(());
        };
        let Ok(file) = self.context.snapshot.read_bytes(&path) else {
            self.files.insert(name, "unreadable".to_owned());
            return Ok(());
        };
        self.bytes += file.bytes.len() as u64;
        if self.files.len() >= MAX_FILES || self.bytes > MAX_FILE_BYTES {
            return Err(self.too_large("it has too many files to compare them"));
        }
        self.files.insert(name, file.hash.to_string());
        Ok(())
    }

    fn too_large(&self, why: &str) -> ToolError {
        let message = format!("{}: the configuration's folder: {why}", self.tool);
        ToolError::new(Code::TooLarge, message)
            .hint("keep the configuration in a folder of its own, and name that as `path`")
    }
}

fn is_own_folder(name: &OsStr) -> bool {
    OWN_FOLDERS.iter().any(|own| name == *own) || name == "terraform.tfstate.d"
}

/// A state of the folder itself: the serial stands for it.
fn is_state(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.contains(".tfstate") || name == "crash.log"
}
