//! What a command makes where editors and tools look for what they run: kept with leave only.
//!
//! The sandbox keeps a command from changing such places where they exist, but a name that is
//! missing cannot be mounted over. So they are looked for before and after; what has come goes to
//! the trash, as an action that can be undone, unless the rules or the person let it stay.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::Serialize;
use workspace::{
    Change, CommitError, Committed, Entry, EntryKind, FileKind, FilePath, Folder, GuardedEntries,
    Headless,
};

use super::overlap::Known;
use super::overlap::Overlap;
use crate::policy::Standing;
use crate::{Code, Command, Context, Effect, ToolError};

/// Most places that a sandbox protects; the search for them ends there.
const MOST_PROTECTED: usize = 10_000;
/// Most files that are looked at one by one below what was made.
const MOST_FILES: usize = 1_000;
/// Longest file that a person is shown, in bytes.
const LONGEST_SHOWN: u64 = 4_000;
/// Most places that a result lists.
const MOST_LISTED: usize = 100;

/// A place that editors or tools run or trust, and that came while a command ran.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Created {
    /// Where, relative to the workspace.
    path: String,
    /// Whether it is still there: with leave, or because it could not be taken away.
    kept: bool,
    /// The number of the action that took it away: `undo_action` brings it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    /// Whether it was there before, and only moved with the folder that it is in.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    moved: bool,
    /// Why it could not be taken away.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

/// What came, and how far it was looked for.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    pub(crate) created: Vec<Created>,
    /// Whether the workspace was too large to be looked through whole.
    pub(crate) is_partial: bool,
}

/// The guarded places, and the rules, before a command.
pub(crate) struct Before {
    tool: &'static str,
    /// What stood there.
    places: Vec<Entry>,
    is_complete: bool,
    known: Arc<Known>,
    standing: Standing,
}

impl Before {
    pub(crate) fn look(context: &Context<'_>, tool: &'static str) -> Self {
        let mut is_complete = false;
        let (known, places) = context.session.family::<Overlap>().start(|| {
            let found = Places::find(context);
            is_complete = found.is_complete;
            found.entries
        });
        let standing = context.session.policy.standing();
        Self { tool, places, is_complete, known, standing }
    }

    /// What the sandbox keeps as it is: the guarded places, and what those that are links lead to.
    ///
    /// # Errors
    /// `E_TOO_LARGE` where they are too many to be protected.
    pub(crate) fn protected(&self) -> Result<Vec<PathBuf>, ToolError> {
        if self.places.len() >= MOST_PROTECTED {
            let message = format!(
                "{}: {MOST_PROTECTED} places or more are called .git, .vscode, .idea, .tandem or \
                 *.code-workspace, too many to protect them all",
                self.tool
            );
            let hint = "run it in a smaller workspace; `sandbox: false` runs it with the user's own \
                        rights, which a person has to allow";
            return Err(ToolError::new(Code::TooLarge, message).hint(hint));
        }
        let is_there = |entry: &&Entry| entry.kind != FileKind::Link;
        Ok(self.places.iter().filter(is_there).map(|entry| entry.path.absolute()).collect())
    }

    /// Finds what has come since, and settles what becomes of it. Whoever gave up the call is not
    /// asked: then nothing stays.
    pub(crate) fn settle(&self, context: &Context<'_>, command: &Command) -> Settled {
        let overlap = context.session.family::<Overlap>();
        let known = overlap.end(&self.known);
        let after = Places::find(context);
        context.session.policy.links_found(&context.snapshot, &after.entries);
        let is_partial = !self.is_complete || !after.is_complete;
        let by_path: HashMap<PathBuf, &Entry> =
            self.places.iter().map(|entry| (entry.path.absolute(), entry)).collect();
        let (mut created, mut new) = (Vec::new(), Vec::new());
        for entry in after.entries {
            let is_known = known.contains(&entry.identity());
            match by_path.get(&entry.path.absolute()) {
                Some(before) if is_known && before.identity() == entry.identity() => {}
                _ if entry.kind != FileKind::Link && is_known => {
                    created.push(Created { moved: true, ..Created::kept(&entry.path) });
                }
                _ => new.push(entry),
            }
        }
        if new.is_empty() {
            return Settled { created, is_partial };
        }
        let files: Vec<Vec<FilePath>> = new
            .iter()
            .map(|entry| files(entry).unwrap_or_else(|| vec![entry.path.clone()]))
            .collect();
        let effects: Vec<Effect> = files.iter().flatten().map(|path| told(context, path)).collect();
        let policy = &context.session.policy;
        let stays = policy.may_stay(context, &self.standing, self.tool, command, &effects);
        let mut stays = stays.into_iter();
        let mut goes = Vec::new();
        for (entry, files) in new.iter().zip(files) {
            let judged: Vec<(FilePath, bool)> = files.into_iter().zip(stays.by_ref()).collect();
            if judged.iter().all(|(_, stays)| *stays) {
                overlap.keep(entry);
                created.push(Created::kept(&entry.path));
            } else if judged.iter().all(|(_, stays)| !*stays) {
                goes.push(entry.path.clone());
            } else {
                let (kept, gone): (Vec<_>, Vec<_>) = judged.into_iter().partition(|(_, s)| *s);
                created.extend(kept.iter().map(|(path, _)| Created::kept(path)));
                goes.extend(gone.into_iter().map(|(path, _)| path));
            }
        }
        created.extend(take_away(context, self.tool, &goes));
        created.truncate(MOST_LISTED);
        Settled { created, is_partial }
    }
}

/// The guarded places, and what the links among them lead to, as far as it is there.
struct Places {
    entries: Vec<Entry>,
    is_complete: bool,
}

impl Places {
    fn find(context: &Context<'_>) -> Self {
        let GuardedEntries { mut entries, is_complete } = context.snapshot.guarded_entries();
        let links = entries.iter().filter(|entry| entry.kind == FileKind::Link);
        let target = |link: &Entry| {
            let target = context.snapshot.locate_absolute(&link.path.absolute()).ok()?;
            context.snapshot.entry(&target).ok()
        };
        let known: HashSet<PathBuf> = entries.iter().map(|entry| entry.path.absolute()).collect();
        let mut targets: Vec<Entry> = links.filter_map(target).collect();
        targets.retain(|target| !known.contains(&target.path.absolute()));
        entries.extend(targets);
        Self { entries, is_complete }
    }
}

impl Created {
    fn kept(path: &FilePath) -> Self {
        Self { path: path.display_path(), kept: true, action: None, moved: false, problem: None }
    }
}

/// The files of what was made, and its folders that hold none; `None` where they are too many to
/// be judged one by one.
fn files(entry: &Entry) -> Option<Vec<FilePath>> {
    if entry.kind != FileKind::Directory {
        return Some(vec![entry.path.clone()]);
    }
    let (mut files, mut todo) = (Vec::new(), vec![entry.path.clone()]);
    let mut left = MOST_FILES;
    while let Some(path) = todo.pop() {
        let entries = Folder::open(&path).and_then(|folder| Ok((folder.entries()?, folder)));
        let Ok((entries, folder)) = entries else {
            files.push(path);
            continue;
        };
        if entries.is_empty() {
            files.push(path);
        }
        for entry in entries {
            left = left.checked_sub(1)?;
            let path = folder.entry(&entry.name);
            let into = if entry.kind == FileKind::Directory { &mut todo } else { &mut files };
            into.push(path);
        }
    }
    files.sort_by_key(FilePath::absolute);
    Some(files)
}

/// The making of `path`, with what a person should see of it.
fn told(context: &Context<'_>, path: &FilePath) -> Effect {
    let mut effect = Effect::write(path);
    let Ok(found) = context.snapshot.metadata(path) else { return effect };
    effect.detail = Some(match found.kind {
        EntryKind::File if found.size <= LONGEST_SHOWN => match context.snapshot.read_bytes(path) {
            Ok(file) => String::from_utf8_lossy(&file.bytes).into_owned(),
            Err(error) => error.to_string(),
        },
        EntryKind::File => format!("a file of {} bytes", found.size),
        EntryKind::Link => format!("a link to {}", found.link_target.unwrap_or_default()),
        kind => kind.as_str().to_owned(),
    });
    effect
}

/// Moves all of it to the trash: as one action, or each by itself where one of them stays.
fn take_away(context: &Context<'_>, tool: &'static str, goes: &[FilePath]) -> Vec<Created> {
    if goes.is_empty() {
        return Vec::new();
    }
    let number = |committed: Committed| committed.action.map(|id| id.to_string());
    if let Ok(committed) = remove(context, tool, goes) {
        let action = number(committed);
        let gone = |path| Created { kept: false, action: action.clone(), ..Created::kept(path) };
        return goes.iter().map(gone).collect();
    }
    let one = |path| match remove(context, tool, std::slice::from_ref(path)) {
        Ok(committed) => Created { kept: false, action: number(committed), ..Created::kept(path) },
        Err(error) => Created { problem: Some(error.to_string()), ..Created::kept(path) },
    };
    goes.iter().map(one).collect()
}

fn remove(
    context: &Context<'_>,
    tool: &'static str,
    goes: &[FilePath],
) -> Result<Committed, CommitError> {
    // It is taken away also when nobody wants the call's result any more.
    let never = AtomicBool::new(false);
    let cancelled = CommitError::Cancelled;
    let turn = context.workspace.write_lock(&never).ok_or(cancelled)?;
    let seen = context.workspace.snapshot();
    let mut changes = Vec::new();
    for path in goes {
        seen.restore_folder_permissions(path);
        changes.push(Change::Remove { entry: seen.entry(path)? });
    }
    context.workspace.commit(&turn, tool, &seen, &changes, &Headless::default())
}
