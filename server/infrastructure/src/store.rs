//! Plans in the state folder, each under the hash of its file.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tools::{Code, Context, ToolError};
use workspace::{ContentHash, FilePath, state_folder};

use crate::changes::Plan;
use crate::fingerprint::Fingerprint;
use crate::limits::{MAX_JSON_BYTES, MAX_PLAN_BYTES, MAX_PLANS};
use crate::plan_file::StateVersion;

/// A stored plan.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredPlan {
    /// The SHA-256 of its file.
    pub(crate) hash: String,
    /// The configuration's folder.
    pub(crate) path: String,
    /// The program that made it.
    pub(crate) program: String,
    /// The program's version.
    pub(crate) version: Option<String>,
    /// Whether it was made with the network, which its apply then has, too.
    pub(crate) network: bool,
    pub(crate) state: StateVersion,
    pub(crate) files: Fingerprint,
    /// The folders of local modules.
    pub(crate) modules: Vec<String>,
    pub(crate) made: Timestamp,
    pub(crate) plan: Plan,
}

/// The plans of a workspace.
pub(crate) struct Store {
    tool: &'static str,
    folder: PathBuf,
}

impl Store {
    /// Opens it; creates its folders if they are missing.
    pub(crate) fn open(context: &Context<'_>, tool: &'static str) -> Result<Self, ToolError> {
        let folder = state_folder(context.snapshot.roots()).and_then(|folder| {
            let folder = folder.join("infrastructure");
            DirBuilder::new().recursive(true).mode(0o700).create(folder.join("new"))?;
            Ok(folder)
        });
        let folder = folder.map_err(|error| failed(tool, &error))?;
        Ok(Self { tool, folder })
    }

    /// The folder that a program may write a new plan to.
    pub(crate) fn new_folder(&self) -> PathBuf {
        self.folder.join("new")
    }

    /// Where a plan of `folder` is written. The name is always the same, so that an approval of the command holds.
    pub(crate) fn new_file(&self, folder: &FilePath) -> PathBuf {
        let hash =
            ContentHash::digest(folder.absolute().as_os_str().as_encoded_bytes()).to_string();
        self.new_folder().join(format!("{:.12}.tfplan", hash))
    }

    /// Lets no other call plan `folder` until the result is dropped.
    pub(crate) fn lock(&self, folder: &FilePath) -> Result<File, ToolError> {
        let lock = self.new_file(folder).with_extension("lock");
        let open =
            || File::options().write(true).create(true).truncate(false).mode(0o600).open(&lock);
        let file = open().map_err(|error| failed(self.tool, &error))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(fs::TryLockError::WouldBlock) => {
                let message = format!(
                    "{}: another call plans or applies {}",
                    self.tool,
                    folder.display_path()
                );
                Err(ToolError::new(Code::Conflict, message).hint("wait for it"))
            }
            Err(fs::TryLockError::Error(error)) => Err(failed(self.tool, &error)),
        }
    }

    /// The bytes of a new plan.
    pub(crate) fn read_new(&self, file: &Path) -> Result<Vec<u8>, ToolError> {
        read(file, MAX_PLAN_BYTES).map_err(|error| failed(self.tool, &error))
    }

    /// Removes a plan that an earlier call left.
    pub(crate) fn remove_new(&self, file: &Path) {
        // There is none after most calls.
        let _ = fs::remove_file(file);
    }

    /// Stores a plan, as the last one of its folder, and removes the oldest.
    pub(crate) fn add(&self, stored: &StoredPlan, bytes: &[u8]) -> Result<(), ToolError> {
        let add = || -> io::Result<()> {
            let record = serde_json::to_vec(stored).map_err(io::Error::other)?;
            write(&self.plan_path(&stored.hash), bytes)?;
            write(&self.record_path(&stored.hash), &record)?;
            self.remove_oldest()
        };
        add().map_err(|error| failed(self.tool, &error))
    }

    /// Removes a plan that was applied.
    pub(crate) fn remove(&self, hash: &str) {
        for path in [self.record_path(hash), self.plan_path(hash)] {
            // A plan that stays is refused, because its state has changed.
            let _ = fs::remove_file(path);
        }
    }

    /// The plan with this hash, or the last one of `folder`. Its file has that hash now.
    pub(crate) fn find(
        &self,
        folder: &FilePath,
        hash: Option<&str>,
    ) -> Result<StoredPlan, ToolError> {
        let path = folder.display_path();
        let found = match hash {
            Some(hash) => self.named(hash)?,
            None => self.all().into_iter().find(|plan| plan.path == path),
        };
        let Some(plan) = found else {
            let message = match hash {
                Some(hash) => format!("{}: no plan has the hash `{hash:.70}`", self.tool),
                None => format!("{}: no plan of {path} is stored", self.tool),
            };
            return Err(ToolError::new(Code::NoMatch, message)
                .hint("call iac_plan, and pass the `plan` of its result"));
        };
        if plan.path != path {
            let message =
                format!("{}: that plan is one of {}, not of {path}", self.tool, plan.path);
            return Err(
                ToolError::new(Code::Conflict, message).hint("pass the `path` that was planned")
            );
        }
        let bytes = read(&self.plan_path(&plan.hash), MAX_PLAN_BYTES);
        if bytes.is_ok_and(|bytes| ContentHash::digest(&bytes).to_string() == plan.hash) {
            return Ok(plan);
        }
        let message =
            format!("{}: the stored plan file is not the one that was planned", self.tool);
        Err(ToolError::new(Code::Conflict, message).hint("plan again"))
    }

    /// The file of a plan.
    pub(crate) fn plan_path(&self, hash: &str) -> PathBuf {
        self.folder.join(format!("{hash}.tfplan"))
    }

    fn record_path(&self, hash: &str) -> PathBuf {
        self.folder.join(format!("{hash}.json"))
    }

    fn named(&self, hash: &str) -> Result<Option<StoredPlan>, ToolError> {
        let is_hash =
            hash.len() == 64 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_hash {
            let message = format!("{}: `plan` is no SHA-256 in hexadecimal", self.tool);
            return Err(ToolError::new(Code::InvalidParams, message)
                .hint("pass the `plan` of iac_plan's result"));
        }
        Ok(self.record(&self.record_path(hash)).filter(|plan| plan.hash == hash))
    }

    fn record(&self, path: &Path) -> Option<StoredPlan> {
        serde_json::from_slice(&read(path, MAX_JSON_BYTES as u64).ok()?).ok()
    }

    /// All plans, the newest first.
    fn all(&self) -> Vec<StoredPlan> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let records = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|end| end == "json"));
        let mut plans: Vec<_> = records.filter_map(|path| self.record(&path)).collect();
        plans.sort_by_key(|plan| std::cmp::Reverse(plan.made));
        plans
    }

    fn remove_oldest(&self) -> io::Result<()> {
        self.all().iter().skip(MAX_PLANS).for_each(|plan| self.remove(&plan.hash));
        Ok(())
    }
}

/// Writes a file that only its owner can read, whole or not at all.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    // One that an interrupted call left.
    let _ = fs::remove_file(&new);
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(&new)?;
    file.write_all(bytes)?;
    fs::rename(new, path)
}

fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!("{}: more than {limit} bytes", path.display())));
    }
    Ok(bytes)
}

fn failed(tool: &str, error: &io::Error) -> ToolError {
    ToolError::new(Code::Io, format!("{tool}: the state folder: {error}"))
}
