//! Plans a rename on one snapshot.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use text::Text;
use workspace::{
    Change, Entry, FileKind, FilePath, FileText, Rename, RenameReason, RenameRequest, RenamedFile,
    Snapshot, UnsureUse,
};

use super::failure::from_rename_failure;
use super::name_location::NamePosition;
use crate::review::{Kind, Proposed, Review, Taken, review};
use tools::{
    Code, Context, Effect, ToolError,
    results::{create_effects, delete_effects, diff},
};

/// An edit of a rename.
pub(crate) type Edit = (Range<usize>, String, RenameReason);

/// A planned rename.
pub(crate) struct RenamePlan {
    pub(super) old: String,
    pub(crate) files: Vec<PlannedFile>,
    /// Places that change only if confirmed.
    pub(super) waiting: Vec<Waiting>,
    /// Uncertain uses, which keep their name.
    pub(crate) left_out: Vec<UnsureUse>,
    /// Files and folders to move after the edits.
    pub(super) moves: Vec<EntryMove>,
    /// Entries that go to the trash to make room for a file that is edited and moved.
    pub(super) replaced: Vec<Entry>,
    /// Whether no other file can refer to the symbol.
    pub(super) is_local: bool,
}

/// A file or folder to move.
#[derive(Clone)]
pub(crate) struct EntryMove {
    pub(crate) entry: Entry,
    pub(crate) to: FilePath,
    /// The existing entry at the destination, which goes to the trash.
    pub(crate) over: Option<Entry>,
}

pub(crate) struct PlannedFile {
    pub(super) uri: Arc<str>,
    pub(crate) file: FileText,
    pub(crate) edits: Vec<Edit>,
    pub(super) after: String,
    /// The new path, if the file is named after the symbol.
    pub(super) to: Option<FilePath>,
}

pub(crate) struct Waiting {
    pub(super) uri: Arc<str>,
    pub(super) path: String,
    pub(super) text: Text,
    pub(super) edits: Vec<Edit>,
}

/// # Errors
/// Why the rename is refused.
pub(super) fn plan(
    context: &Context<'_>,
    tool: &str,
    snapshot: &Snapshot,
    at: &NamePosition,
    request: RenameRequest<'_>,
    confirmed: &BTreeSet<RenameReason>,
) -> Result<RenamePlan, ToolError> {
    let rename = snapshot
        .rename(&at.document, at.offset, request, context.interrupt)
        .map_err(|failure| from_rename_failure(tool, failure))?;
    plan_rename_edits(context, tool, snapshot, rename, confirmed, request.allow_unsure)
}

/// Plans the rename, with places that need confirmation kept apart.
pub(crate) fn plan_rename_edits(
    context: &Context<'_>,
    tool: &str,
    snapshot: &Snapshot,
    rename: Rename,
    confirmed: &BTreeSet<RenameReason>,
    allow_unsure: bool,
) -> Result<RenamePlan, ToolError> {
    let mut planned = RenamePlan {
        old: rename.old,
        files: Vec::new(),
        waiting: Vec::new(),
        left_out: rename.left_out,
        moves: Vec::new(),
        replaced: Vec::new(),
        is_local: rename.is_local,
    };
    for RenamedFile { uri, text, edits, .. } in rename.files {
        let path = snapshot.locate(&uri)?;
        let (made, mut waiting): (Vec<_>, Vec<_>) =
            edits.into_iter().partition(|e| !e.2.needs_confirmation() || confirmed.contains(&e.2));
        if allow_unsure {
            let unsure = waiting.extract_if(.., |edit| edit.2 == RenameReason::Unsure);
            planned.left_out.extend(unsure.map(|(span, new, _)| UnsureUse {
                uri: uri.clone(),
                text: text.clone(),
                why: match text.slice(span.clone()) == new {
                    true => "is imported from where it is no more".to_owned(),
                    false => format!("may have to become `{new}`"),
                },
                span,
            }));
        }
        let (uri_of, text_of) = (uri.clone(), text.clone());
        if !waiting.is_empty() && context.may_read(&path) {
            let path = path.display_path();
            planned.waiting.push(Waiting { uri: uri_of, path, text: text_of, edits: waiting });
        }
        if !made.is_empty() {
            let file = read_unchanged(tool, snapshot, &path, Some(&text))?;
            let after = apply_edits(&text, &made);
            planned.files.push(PlannedFile { uri, file, edits: made, after, to: None });
        }
    }
    for (uri, to) in rename.moves {
        if let Some(file) = planned.files.iter_mut().find(|f| f.uri == uri) {
            file.to = Some(to);
            continue;
        }
        let entry = snapshot.entry(&snapshot.locate_entry(&uri)?)?;
        if entry.kind == FileKind::Directory {
            planned.moves.push(EntryMove { entry, to, over: None });
            continue;
        }
        let file = read_unchanged(tool, snapshot, &entry.path, None)?;
        let after = file.text.to_string();
        planned.files.push(PlannedFile { uri, file, edits: Vec::new(), after, to: Some(to) });
    }
    Ok(planned)
}

/// Reads the file and checks that it has not changed.
fn read_unchanged(
    tool: &str,
    snapshot: &Snapshot,
    path: &FilePath,
    text: Option<&Text>,
) -> Result<FileText, ToolError> {
    let file = snapshot.read(path)?;
    if text.is_none_or(|text| file.text == *text) {
        return Ok(file);
    }
    let message = format!("{tool}: {}: has changed meanwhile", path.display_path());
    Err(ToolError::new(Code::Conflict, message).hint("ask again"))
}

fn apply_edits(text: &Text, edits: &[Edit]) -> String {
    let mut after = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for (span, new, _) in edits {
        after.push_str(&text.slice(at..span.start));
        after.push_str(new);
        at = span.end;
    }
    after.push_str(&text.slice(at..text.len()));
    after
}

impl PlannedFile {
    pub(super) fn diff(&self) -> String {
        let from = self.file.path.display_path();
        let to = self.to.as_ref().map_or_else(|| from.clone(), FilePath::display_path);
        diff(&from, &to, &self.file.text.to_string(), &self.after)
    }

    fn effects(&self) -> Vec<Effect> {
        let path = &self.file.path;
        match &self.to {
            None => vec![Effect::read(path), Effect::write(path)],
            Some(to) => vec![Effect::read(path), Effect::delete(path), Effect::write(to)],
        }
    }

    fn proposed(&self) -> Proposed<'_> {
        Proposed {
            path: &self.file.path,
            file: Some(&self.file),
            old: self.file.text.to_string(),
            new: self.after.clone(),
            kind: self.to.as_ref().map_or(Kind::Edited, Kind::Moved),
        }
    }

    fn change(self) -> Change {
        match self.to {
            Some(to) => Change::Move { file: self.file, to, after: self.after },
            None => {
                let edits = self.edits.into_iter().map(|(span, new, _)| (span, new)).collect();
                Change::Edit { file: self.file, edits, after: self.after }
            }
        }
    }
}

impl EntryMove {
    fn effects(&self, context: &Context<'_>) -> Result<Vec<Effect>, ToolError> {
        let mut effects = delete_effects(context, &self.entry)?;
        effects.extend(create_effects(context, &self.entry, &self.to)?);
        if let Some(over) = &self.over {
            effects.extend(delete_effects(context, over)?);
        }
        Ok(effects)
    }

    fn change(self) -> Change {
        Change::Rename { entry: self.entry, to: self.to, over: self.over }
    }
}

impl RenamePlan {
    /// Adds a move.
    pub(crate) fn with_move(mut self, moved: EntryMove) -> Self {
        let own = self.files.iter_mut().find(|file| file.file.path == moved.entry.path);
        match own {
            // The file is edited, too: the edited one goes to the new path.
            Some(file) => {
                file.to = Some(moved.to);
                self.replaced.extend(moved.over);
            }
            None => self.moves.push(moved),
        }
        self
    }

    /// Its effects; with diffs if approval may be needed.
    pub(crate) fn effects(&self, context: &Context<'_>) -> Result<Vec<Effect>, ToolError> {
        let mut all = Vec::new();
        for moved in &self.moves {
            all.extend(moved.effects(context)?);
        }
        for replaced in &self.replaced {
            all.extend(delete_effects(context, replaced)?);
        }
        for file in &self.files {
            let mut effects = file.effects();
            let paths = std::iter::once(&file.file.path).chain(&file.to);
            if paths.into_iter().any(|path| context.asks_about(path)) {
                let diff = file.diff();
                effects.iter_mut().skip(1).for_each(|e| e.detail = Some(diff.clone()));
            }
            all.extend(effects);
        }
        Ok(all)
    }

    /// Whether files or folders move.
    pub(crate) fn has_moves(&self) -> bool {
        !self.moves.is_empty() || self.files.iter().any(|file| file.to.is_some())
    }

    /// The effects of a dry run: reading only.
    pub(super) fn read_effects(&self) -> Vec<Effect> {
        let files = self.files.iter().map(|file| &file.file.path);
        files.chain(self.moves.iter().map(|moved| &moved.entry.path)).map(Effect::read).collect()
    }

    /// Lets the person review it; keeps the accepted hunks and returns what was left out.
    pub(crate) fn review(
        &mut self,
        context: &Context<'_>,
        tool: &'static str,
    ) -> Result<Option<Review>, ToolError> {
        let proposed: Vec<_> = self.files.iter().map(PlannedFile::proposed).collect();
        let (taken, left_out) = review(context, tool, &proposed)?;
        let mut taken = taken.into_iter();
        self.files.retain_mut(|file| {
            let taken = taken.next().unwrap_or(Taken::Nothing);
            file.edits.retain(|(span, _, _)| taken.includes(span));
            if let Taken::Some { after, .. } = &taken {
                file.after.clone_from(after);
            }
            !matches!(taken, Taken::Nothing)
        });
        Ok(left_out)
    }

    pub(crate) fn changes(self) -> Vec<Change> {
        let replaced = self.replaced.into_iter().map(|entry| Change::Remove { entry });
        let edits = self.files.into_iter().map(PlannedFile::change);
        replaced.chain(edits).chain(self.moves.into_iter().map(EntryMove::change)).collect()
    }
}
