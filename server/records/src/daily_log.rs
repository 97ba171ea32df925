//! Append-only records of a workspace: a file of JSON lines for each day, in the state folder.

use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;

use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;
use serde::de::DeserializeOwned;
use workspace::state_folder;

use tools::{Code, Context, ToolError};

/// Limit for a record, in bytes.
const MAX_RECORD_BYTES: usize = 256 << 10;
/// Limit for the file of a day, in bytes.
const MAX_DAY_BYTES: u64 = 16 << 20;
/// Limit for what one query reads, in bytes.
const MAX_READ_BYTES: u64 = 64 << 20;

/// The records of one kind.
pub struct DailyLog {
    tool: &'static str,
    folder: PathBuf,
}

/// Records that were read.
pub struct LogPage<T> {
    /// The records, newest first.
    pub records: Vec<T>,
    /// Whether older ones were left out, because there is too much.
    pub is_partial: bool,
}

impl DailyLog {
    /// Opens the log `name`; creates its folder if it is missing.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn open(context: &Context<'_>, tool: &'static str, name: &str) -> Result<Self, ToolError> {
        let folder = state_folder(context.snapshot.roots()).map(|folder| folder.join(name));
        let folder = folder.and_then(|folder| {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
            Ok(folder)
        });
        let folder = folder.map_err(|error| failed(tool, &error))?;
        Ok(Self { tool, folder })
    }

    /// Appends a record to the file of the day of `time`.
    ///
    /// # Errors
    /// If the record or the day is too large, or the file cannot be written.
    pub fn append(&self, time: Timestamp, record: &impl Serialize) -> Result<(), ToolError> {
        let too_large =
            |why: String| ToolError::new(Code::TooLarge, format!("{}: {why}", self.tool));
        let mut line = serde_json::to_vec(record)
            .map_err(|error| ToolError::new(Code::Internal, format!("{}: {error}", self.tool)))?;
        if line.len() > MAX_RECORD_BYTES {
            return Err(too_large(format!("the record exceeds {MAX_RECORD_BYTES} bytes")));
        }
        line.push(b'\n');
        let path = self.folder.join(format!("{}.jsonl", time.strftime("%Y-%m-%d")));
        let appended = || -> io::Result<bool> {
            let options = OpenOptions::new().append(true).create(true).mode(0o600).to_owned();
            let mut file = options.open(&path)?;
            if file.metadata()?.len() > MAX_DAY_BYTES {
                return Ok(false);
            }
            // One write: records of several servers do not mix.
            file.write_all(&line)?;
            Ok(true)
        };
        match appended() {
            Ok(true) => Ok(()),
            Ok(false) => Err(too_large(format!(
                "{} MB were recorded today, which is the limit",
                MAX_DAY_BYTES >> 20
            ))),
            Err(error) => Err(failed(self.tool, &error)),
        }
    }

    /// The records since `since` that `is_wanted` accepts, at most `most`. Lines that are no records
    /// are skipped: a crash may have cut one.
    ///
    /// # Errors
    /// If the files cannot be read.
    pub fn read<T: DeserializeOwned>(
        &self,
        since: Timestamp,
        most: usize,
        is_wanted: impl Fn(&T) -> bool,
    ) -> Result<LogPage<T>, ToolError> {
        let read = || -> io::Result<LogPage<T>> {
            let first = since.strftime("%Y-%m-%d").to_string();
            let mut days: Vec<String> = fs::read_dir(&self.folder)?
                .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
                .filter_map(|name| name.strip_suffix(".jsonl").map(str::to_owned))
                .filter(|day| day.parse::<Date>().is_ok() && *day >= first)
                .collect();
            days.sort_unstable();
            let mut page = LogPage { records: Vec::new(), is_partial: false };
            let mut left = MAX_READ_BYTES;
            for day in days.iter().rev() {
                let mut text = Vec::new();
                let file = fs::File::open(self.folder.join(format!("{day}.jsonl")))?;
                left -= file.take(left).read_to_end(&mut text)? as u64;
                let lines = text.split(|byte| *byte == b'\n').rev();
                let records = lines.filter_map(|line| serde_json::from_slice(line).ok());
                for record in records.filter(&is_wanted) {
                    if page.records.len() == most {
                        page.is_partial = true;
                        return Ok(page);
                    }
                    page.records.push(record);
                }
                if left == 0 {
                    page.is_partial = true;
                    break;
                }
            }
            Ok(page)
        };
        read().map_err(|error| failed(self.tool, &error))
    }
}

fn failed(tool: &str, error: &io::Error) -> ToolError {
    ToolError::new(Code::Io, format!("{tool}: the records in the state folder: {error}"))
}
