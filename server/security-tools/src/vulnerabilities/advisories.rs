//! Advisories: files in the OSV format, in the folders of the person's settings or in the workspace.

use std::collections::HashSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use jiff::Timestamp;
use vulnerabilities::{Advisory, Ecosystem, Index, LockedPackage, MAX_ADVISORY_BYTES};

use super::REGEX;
use search_tools::{FilePattern, FileSelection, Pattern, matching_files};
use tools::{Code, Context, ToolError};

/// Files of the folders, at most. All of OSV's advisories for the ecosystems that are known are 300,000.
const MAX_FILES: usize = 1_000_000;
/// Nesting of the folders.
const MAX_DEPTH: usize = 8;
/// Advisories of the workspace itself, at most.
const MAX_WORKSPACE_FILES: usize = 10_000;
/// Threads that parse.
const THREADS: usize = 4;

/// Advisories that may matter.
#[derive(Default)]
pub(super) struct Advisories {
    /// Those that name one of the packages.
    pub(super) index: Index,
    /// Number of files.
    pub(super) files: usize,
    /// Files that are no advisories.
    pub(super) unreadable: usize,
    /// When the newest file was written.
    pub(super) newest: Option<Timestamp>,
}

/// The names that matter, as advisories write them.
type PackageNames = HashSet<(Ecosystem, String)>;

/// The advisories that name one of `packages`: from the folder `path` of the workspace, or without it from the
/// folders in the settings.
pub(super) fn advisories(
    context: &Context<'_>,
    tool: &'static str,
    path: Option<&str>,
    packages: &[&LockedPackage],
) -> Result<Advisories, ToolError> {
    let wanted: PackageNames = packages
        .iter()
        .map(|found| (found.ecosystem, found.ecosystem.normalized(&found.name).into_owned()))
        .collect();
    match path {
        Some(path) => in_workspace(context, tool, path, &wanted),
        None => in_settings(context, tool, &wanted),
    }
}

fn in_workspace(
    context: &Context<'_>,
    tool: &'static str,
    path: &str,
    wanted: &PackageNames,
) -> Result<Advisories, ToolError> {
    let selection =
        FileSelection { paths: vec![path], include: Some(FilePattern::new(tool, "*.json")?) };
    let anything = Pattern::new(tool, r"\S", REGEX)?;
    let found = matching_files(context, tool, &anything, &selection, MAX_WORKSPACE_FILES)?;
    let mut result = Advisories { files: found.files.len(), ..Advisories::default() };
    for path in found.files {
        context.check_interrupt(tool)?;
        let parsed = context.snapshot.read(&path).ok();
        let parsed = parsed.and_then(|file| Advisory::parse(file.text.to_string().as_bytes()).ok());
        match parsed {
            Some(advisory) => result.add(advisory, wanted),
            None => result.unreadable += 1,
        }
    }
    Ok(result)
}

fn in_settings(
    context: &Context<'_>,
    tool: &'static str,
    wanted: &PackageNames,
) -> Result<Advisories, ToolError> {
    let folders = context.session.policy.advisory_folders();
    let missing = |why: String| {
        ToolError::new(Code::Unavailable, format!("{tool}: {why}")).hint(
            "unpack advisories in the OSV format, such as all.zip of an ecosystem from \
             https://osv.dev, into a folder, and name it in config.toml: `[vulnerabilities]` \
             `advisories = [\"~/osv\"]`",
        )
    };
    if folders.is_empty() {
        return Err(missing("no advisories are known".to_owned()));
    }
    let mut files = Vec::new();
    for folder in &folders {
        list(folder, 0, &mut files)
            .map_err(|error| missing(format!("{}: {error}", folder.display())))?;
    }
    let share = files.len().div_ceil(THREADS).max(1);
    let parts: Vec<Result<Advisories, ToolError>> = std::thread::scope(|scope| {
        let running: Vec<_> = files
            .chunks(share)
            .map(|files| scope.spawn(move || read_files(context, tool, files, wanted)))
            .collect();
        let failed = || ToolError::new(Code::Internal, format!("{tool}: a thread ended"));
        running.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(failed()))).collect()
    });
    let mut result = Advisories::default();
    for part in parts {
        result.join(part?);
    }
    if result.files == result.unreadable {
        return Err(missing("the folders of the settings hold no advisories".to_owned()));
    }
    Ok(result)
}

/// The JSON files below a folder. Links are not followed.
fn list(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        if kind.is_dir() && depth < MAX_DEPTH {
            list(&path, depth + 1, files)?;
        } else if kind.is_file()
            && path.extension().is_some_and(|extension| extension == "json")
            && files.len() < MAX_FILES
        {
            files.push(path);
        }
    }
    Ok(())
}

fn read_files(
    context: &Context<'_>,
    tool: &'static str,
    files: &[PathBuf],
    wanted: &PackageNames,
) -> Result<Advisories, ToolError> {
    let mut result = Advisories { files: files.len(), ..Advisories::default() };
    let mut buffer = Vec::new();
    for path in files {
        context.check_interrupt(tool)?;
        buffer.clear();
        let read = fs::File::open(path).and_then(|file| {
            let changed = file.metadata()?.modified()?;
            file.take(MAX_ADVISORY_BYTES).read_to_end(&mut buffer)?;
            Ok(changed)
        });
        let parsed = read.ok().and_then(|changed| Some((changed, Advisory::parse(&buffer).ok()?)));
        match parsed {
            Some((changed, advisory)) => {
                result.newest = result.newest.max(timestamp(changed));
                result.add(advisory, wanted);
            }
            None => result.unreadable += 1,
        }
    }
    Ok(result)
}

fn timestamp(time: SystemTime) -> Option<Timestamp> {
    Timestamp::try_from(time).ok()
}

impl Advisories {
    fn add(&mut self, advisory: Advisory, wanted: &PackageNames) {
        if advisory.packages().any(|package| wanted.contains(&package)) {
            self.index.add(advisory);
        }
    }

    fn join(&mut self, other: Self) {
        self.files += other.files;
        self.unreadable += other.unreadable;
        self.newest = self.newest.max(other.newest);
        other.index.into_iter().for_each(|advisory| self.index.add(advisory));
    }
}
