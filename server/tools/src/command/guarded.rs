//! Files that a command creates in guarded places: kept only with approval.
//!
//! The sandbox protects existing guarded places, but nothing can be mounted over a missing name. So
//! the places are listed before and after the command; new ones are moved to the trash, as an
//! action that can be undone, unless the rules or the person let them stay.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::Serialize;
use workspace::{
    Change, CommitError, Committed, Entry, EntryIdentity, EntryKind, FileKind, FilePath, Folder,
    GuardedEntries, Headless,
};

use super::running_commands::KnownPlaces;
use super::running_commands::RunningCommands;
use crate::policy::RulesBefore;
use crate::{Code, Command, Context, Effect, ToolError};

/// Limit for the places that a sandbox protects.
const MAX_PROTECTED_PLACES: usize = 10_000;
/// Limit for the created files that are judged one by one.
const MAX_FILES: usize = 1_000;
/// Limit for a created file whose text the person sees, in bytes.
const MAX_SHOWN_BYTES: u64 = 4_000;
/// Limit for the places listed in a result.
const MAX_LISTED: usize = 100;

/// A place that editors or tools run or trust, and that came while a command ran.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Created {
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

/// The created places of a finished command.
#[derive(Debug, Default)]
pub struct Settled {
    /// The places.
    pub created: Vec<Created>,
    /// Whether the workspace was too large to be searched completely.
    pub is_partial: bool,
}

/// The guarded places and the rules before a command, or before anything else that may write to the workspace.
pub struct Before {
    tool: &'static str,
    /// The guarded places that existed.
    places: Vec<Entry>,
    is_complete: bool,
    known: Arc<KnownPlaces>,
    rules: RulesBefore,
}

impl Before {
    /// Finds the guarded places.
    #[must_use]
    pub fn look(context: &Context<'_>, tool: &'static str) -> Self {
        let mut is_complete = false;
        let (known, places) = context.session.family::<RunningCommands>().start(|| {
            let found = GuardedPlaces::find(context);
            is_complete = found.is_complete;
            found.entries
        });
        let rules = context.session.policy.rules_before();
        Self { tool, places, is_complete, known, rules }
    }

    /// The paths that the sandbox protects: the guarded places, and the targets of links among
    /// them.
    ///
    /// # Errors
    /// `E_TOO_LARGE` if they are too many.
    pub fn protected(&self) -> Result<Vec<PathBuf>, ToolError> {
        if self.places.len() >= MAX_PROTECTED_PLACES {
            let message = format!(
                "{}: {MAX_PROTECTED_PLACES} places or more are called .git, .vscode, .idea, .tandem or \
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

    /// Finds the places created since, and keeps or removes each. A cancelled call requests no
    /// approval: nothing is kept.
    pub fn settle(&self, context: &Context<'_>, command: &Command) -> Settled {
        let known = context.session.family::<RunningCommands>().end(&self.known);
        self.judge(context, command, &known)
    }

    /// The same for a command that runs on.
    pub fn settle_meanwhile(&self, context: &Context<'_>, command: &Command) -> Settled {
        let mut settled = self.judge(context, command, &self.known.places());
        // Those that it was allowed to create are among them.
        settled.created.retain(|created| !created.moved);
        settled
    }

    /// As for a command that has ended, for tools of other crates. `command` describes what ran.
    pub fn settle_all(&self, context: &Context<'_>, command: &Command) -> Vec<Created> {
        self.settle(context, command).created
    }

    /// The same for what runs on.
    pub fn settle_so_far(&self, context: &Context<'_>, command: &Command) -> Vec<Created> {
        self.settle_meanwhile(context, command).created
    }

    /// Judges the places that are not among the `known` ones.
    fn judge(
        &self,
        context: &Context<'_>,
        command: &Command,
        known: &HashSet<EntryIdentity>,
    ) -> Settled {
        let running = context.session.family::<RunningCommands>();
        let after = GuardedPlaces::find(context);
        context.session.policy.replace_links(&context.snapshot, &after.entries);
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
        let effects: Vec<Effect> =
            files.iter().flatten().map(|path| creation_effect(context, path)).collect();
        let policy = &context.session.policy;
        let approved = policy.approve_created(context, &self.rules, self.tool, command, &effects);
        let mut approved = approved.into_iter();
        let mut rejected = Vec::new();
        for (entry, files) in new.iter().zip(files) {
            let judged: Vec<(FilePath, bool)> = files.into_iter().zip(approved.by_ref()).collect();
            if judged.iter().all(|(_, approved)| *approved) {
                running.keep(entry);
                created.push(Created::kept(&entry.path));
            } else if judged.iter().all(|(_, approved)| !*approved) {
                rejected.push(entry.path.clone());
            } else {
                let (kept, gone): (Vec<_>, Vec<_>) = judged.into_iter().partition(|(_, s)| *s);
                created.extend(kept.iter().map(|(path, _)| Created::kept(path)));
                rejected.extend(gone.into_iter().map(|(path, _)| path));
            }
        }
        created.extend(move_to_trash(context, self.tool, &rejected));
        created.truncate(MAX_LISTED);
        Settled { created, is_partial }
    }
}

/// The guarded places, and the existing targets of links among them.
struct GuardedPlaces {
    entries: Vec<Entry>,
    is_complete: bool,
}

impl GuardedPlaces {
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

/// The files below a created entry, and its empty folders; `None` if they are too many to be judged
/// one by one.
fn files(entry: &Entry) -> Option<Vec<FilePath>> {
    if entry.kind != FileKind::Directory {
        return Some(vec![entry.path.clone()]);
    }
    let (mut files, mut todo) = (Vec::new(), vec![entry.path.clone()]);
    let mut left = MAX_FILES;
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

/// The effect of creating `path`, with what a person should see of it.
fn creation_effect(context: &Context<'_>, path: &FilePath) -> Effect {
    let mut effect = Effect::write(path);
    let Ok(found) = context.snapshot.metadata(path) else { return effect };
    effect.detail = Some(match found.kind {
        EntryKind::File if found.size <= MAX_SHOWN_BYTES => match context.snapshot.read_bytes(path)
        {
            Ok(file) => String::from_utf8_lossy(&file.bytes).into_owned(),
            Err(error) => error.to_string(),
        },
        EntryKind::File => format!("a file of {} bytes", found.size),
        EntryKind::Link => format!("a link to {}", found.link_target.unwrap_or_default()),
        kind => kind.as_str().to_owned(),
    });
    effect
}

/// Moves the paths to the trash: as one action, or one by one if that fails.
fn move_to_trash(context: &Context<'_>, tool: &'static str, rejected: &[FilePath]) -> Vec<Created> {
    if rejected.is_empty() {
        return Vec::new();
    }
    let number = |committed: Committed| committed.action.map(|id| id.to_string());
    if let Ok(committed) = remove(context, tool, rejected) {
        let action = number(committed);
        let gone = |path| Created { kept: false, action: action.clone(), ..Created::kept(path) };
        return rejected.iter().map(gone).collect();
    }
    let one = |path| match remove(context, tool, std::slice::from_ref(path)) {
        Ok(committed) => Created { kept: false, action: number(committed), ..Created::kept(path) },
        Err(error) => Created { problem: Some(error.to_string()), ..Created::kept(path) },
    };
    rejected.iter().map(one).collect()
}

fn remove(
    context: &Context<'_>,
    tool: &'static str,
    rejected: &[FilePath],
) -> Result<Committed, CommitError> {
    // Removal does not stop when the call is cancelled.
    let never = AtomicBool::new(false);
    let cancelled = CommitError::Cancelled;
    let write_lock = context.workspace.write_lock(&never).ok_or(cancelled)?;
    let seen = context.workspace.snapshot();
    let mut changes = Vec::new();
    for path in rejected {
        seen.restore_folder_permissions(path);
        changes.push(Change::Remove { entry: seen.entry(path)? });
    }
    context.workspace.commit(&write_lock, tool, &seen, &changes, &Headless::default())
}
