//! A run's record of which functions each test ran: a plugin of the test runner writes it.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;

use serde::Deserialize;
use tools::{Code, Context, ToolError};
use workspace::packages_path;

use crate::kinds::Recorder;

/// The plugin of pytest; it needs pytest-cov.
const PYTEST_PLUGIN: &str = include_str!("../kinds/tandem_recorder.py");
/// Longest record that is read, in bytes.
const MAX_RECORD_BYTES: u64 = 256 << 20;

/// What the plugin wrote.
#[derive(Debug, Deserialize)]
pub(crate) struct RunRecord {
    /// Tests as `FILE::NAME`, in the order in which they ran; a file, for what its tests share; and
    /// an empty text, for what all share.
    pub(crate) contexts: Vec<String>,
    /// Contexts that started other programs.
    pub(crate) unsure: Vec<usize>,
    pub(crate) files: Vec<RunFile>,
}

/// The functions of a file that ran.
#[derive(Debug, Deserialize)]
pub(crate) struct RunFile {
    /// Its absolute path.
    pub(crate) path: String,
    pub(crate) functions: Vec<RunFunction>,
}

/// A function, and the contexts in which it ran.
#[derive(Debug, Deserialize)]
pub(crate) struct RunFunction {
    pub(crate) names: Vec<String>,
    pub(crate) ran: Vec<usize>,
}

/// The folder of the plugin and of what it writes.
#[derive(Debug)]
pub(crate) struct Recording {
    folder: PathBuf,
}

impl Recording {
    /// For a run with this recorder. Creates nothing.
    pub(crate) fn new(context: &Context<'_>, recorder: Recorder) -> Option<Self> {
        let name = match recorder {
            Recorder::Pytest => "pytest-record",
        };
        Some(Self { folder: packages_path(context.snapshot.roots())?.join(name) })
    }

    /// What the run needs to find the plugin.
    pub(crate) fn environment(&self) -> [(String, String); 3] {
        let folder = self.folder.to_string_lossy().into_owned();
        let data = self.folder.join("coverage").to_string_lossy().into_owned();
        [
            ("PYTHONPATH".to_owned(), folder.clone()),
            ("TANDEM_RECORD".to_owned(), folder),
            ("COVERAGE_FILE".to_owned(), data),
        ]
    }

    /// What the run may write.
    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// Writes the plugin. What an earlier run left in the folder is deleted: it may be a link.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub(crate) fn create(&self, tool: &str) -> Result<(), ToolError> {
        let create = || -> io::Result<()> {
            match fs::remove_dir_all(&self.folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
            let path = self.folder.join("tandem_recorder.py");
            let mut options = fs::OpenOptions::new();
            let mut file = options.write(true).create_new(true).mode(0o600).open(path)?;
            file.write_all(PYTEST_PLUGIN.as_bytes())
        };
        create().map_err(|error| {
            ToolError::new(Code::Io, format!("{tool}: {}: {error}", self.folder.display()))
        })
    }

    /// What the run wrote, if it ended well enough to.
    pub(crate) fn read(&self) -> Option<RunRecord> {
        let path = self.folder.join("record.json");
        let metadata = fs::symlink_metadata(&path).ok()?;
        let is_read = metadata.is_file() && metadata.len() <= MAX_RECORD_BYTES;
        let bytes = if is_read { fs::read(&path).ok()? } else { return None };
        serde_json::from_slice(&bytes).ok()
    }
}
