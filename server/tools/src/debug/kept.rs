//! The breakpoints of a workspace between two servers, in the state folder.
//!
//! What runs code that a person has to allow is not kept: leave for it was given once.

use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use ::debug::{Breakpoints, Condition};
use serde::{Deserialize, Serialize};
use workspace::{Snapshot, read_user_file, state_folder};

use super::plain::{code_of_message, is_plain};

/// The file that they are kept in.
const FILE: &str = "breakpoints.json";
/// The most that is read of it, in bytes.
const LARGEST: u64 = 16 << 20;

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    breakpoints: Vec<One>,
    functions: Vec<One>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct One {
    /// A file below the first root, or a function's name.
    name: String,
    line: u32,
    condition: Option<String>,
    hits: Option<String>,
    log: Option<String>,
}

impl One {
    fn of(name: &str, line: u32, condition: &Condition) -> Option<Self> {
        let Condition { expression, hits, log } = condition.clone();
        let one = Self { name: name.to_owned(), line, condition: expression, hits, log };
        one.is_harmless().then_some(one)
    }

    /// Whether nothing of it is code that needs leave.
    fn is_harmless(&self) -> bool {
        let in_message = self.log.iter().flat_map(|message| code_of_message(message));
        self.condition.iter().map(String::as_str).chain(in_message).all(is_plain)
    }

    fn condition(&self) -> Condition {
        let Self { condition, hits, log, .. } = self;
        Condition { expression: condition.clone(), hits: hits.clone(), log: log.clone() }
    }
}

/// Takes in those that were kept.
pub(super) fn restore(snapshot: &Snapshot, breakpoints: &Breakpoints) {
    let Some(root) = snapshot.roots().first() else { return };
    let Some(file) = file(snapshot) else { return };
    let Ok(Some(bytes)) = read_user_file(&file, LARGEST) else { return };
    let Ok(kept) = serde_json::from_slice::<Kept>(&bytes) else { return };
    let all = kept.breakpoints.iter().filter(|one| one.is_harmless()).filter_map(|one| {
        // A path that leads out is none of ours.
        let place = snapshot.locate_absolute(&root.path().join(&one.name)).ok()?;
        Some((place.absolute(), one.line.max(1), one.condition()))
    });
    let _ = breakpoints.set(all.collect());
    for one in kept.functions.iter().filter(|one| one.is_harmless()) {
        let _ = breakpoints.set_function(&one.name, one.condition());
    }
}

/// Keeps those that there are.
pub(super) fn keep(snapshot: &Snapshot, breakpoints: &Breakpoints) {
    let Some(root) = snapshot.roots().first() else { return };
    let below = |file: &Path| {
        let below = file.strip_prefix(root.path()).ok()?;
        below.to_str().map(str::to_owned)
    };
    let all = breakpoints.all();
    let all = all.iter().filter_map(|one| One::of(&below(&one.file)?, one.line, &one.condition));
    let functions = breakpoints.functions();
    let functions = functions.iter().filter_map(|one| One::of(&one.name, 0, &one.condition));
    let kept = Kept { breakpoints: all.collect(), functions: functions.collect() };
    let Some(file) = file(snapshot) else { return };
    if let Err(error) = write(&file, &kept) {
        tracing::warn!("breakpoints are not kept: {error}");
    }
}

/// Whole or not at all.
fn write(file: &Path, kept: &Kept) -> std::io::Result<()> {
    use std::io::Write;
    let new = file.with_extension(format!("{}.new", std::process::id()));
    let mut options = std::fs::OpenOptions::new();
    let mut writer = options.create(true).truncate(true).write(true).mode(0o600).open(&new)?;
    writer.write_all(&serde_json::to_vec(kept)?)?;
    std::fs::rename(&new, file)
}

fn file(snapshot: &Snapshot) -> Option<PathBuf> {
    state_folder(snapshot.roots()).ok().map(|folder| folder.join(FILE))
}
