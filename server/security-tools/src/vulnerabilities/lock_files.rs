//! The lock files of a workspace, read with unsaved text.

use schemars::JsonSchema;
use serde::Serialize;
use vulnerabilities::{LockedPackage, MAX_LOCK_BYTES, lock_file_names, read_lock};
use workspace::FilePath;

use super::REGEX;
use search_tools::{FilePattern, FileSelection, Pattern, matching_files};
use tools::{Context, ToolError};

/// Lock files of a workspace, at most.
const MAX_LOCK_FILES: usize = 500;
/// A lock file and its packages.
pub(super) struct LockFile {
    pub(super) path: FilePath,
    pub(super) packages: Vec<LockedPackage>,
}

/// What was found.
#[derive(Default)]
pub(super) struct LockFiles {
    /// Sorted by path.
    pub(super) files: Vec<LockFile>,
    pub(super) skipped: Vec<SkippedFile>,
    /// Whether there are more than are read.
    pub(super) incomplete: bool,
}

/// A lock file that was not read.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SkippedFile {
    /// Its path.
    path: String,
    /// Why.
    reason: String,
}

/// The lock files at `path`: a file or a folder; every root by default.
pub(super) fn lock_files(
    context: &Context<'_>,
    tool: &'static str,
    path: Option<&str>,
) -> Result<LockFiles, ToolError> {
    let names = lock_file_names().collect::<Vec<_>>().join(",");
    let selection = FileSelection {
        paths: path.into_iter().collect(),
        include: Some(FilePattern::new(tool, &names)?),
    };
    // Any file that is not empty.
    let anything = Pattern::new(tool, r"\S", REGEX)?;
    let found = matching_files(context, tool, &anything, &selection, MAX_LOCK_FILES)?;
    let mut result =
        LockFiles { incomplete: found.has_more || found.incomplete, ..LockFiles::default() };
    for path in found.files {
        context.check_interrupt(tool)?;
        match read(context, &path) {
            Ok(packages) => result.files.push(LockFile { path, packages }),
            Err(reason) => {
                result.skipped.push(SkippedFile { path: path.display_path(), reason });
            }
        }
    }
    Ok(result)
}

fn read(context: &Context<'_>, path: &FilePath) -> Result<Vec<LockedPackage>, String> {
    let file = context.snapshot.read(path).map_err(|error| error.to_string())?;
    if file.text.len() as u64 > MAX_LOCK_BYTES {
        return Err(format!("is larger than {} MB", MAX_LOCK_BYTES >> 20));
    }
    let name = path.file_name().to_string_lossy().into_owned();
    read_lock(&name, &file.text.to_string()).map_err(|error| error.to_string())
}
