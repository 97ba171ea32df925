//! `lsp_rename`: renames a symbol and all its uses in one action, or changes nothing.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use workspace::{ActionLabel, RenameReason, RenameRequest, Snapshot};

use super::name_location::NameLocation;
use super::range::Position;
use super::rename_plan::{self, RenamePlan};
use super::rename_report::{self, Output, report};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError, from_commit_error};

pub(crate) struct LspRename;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    place: NameLocation,
    /// The new name.
    new_name: String,
    /// Also change these: reasons from `needs_confirmation` of a dry run or an error.
    #[serde(default)]
    confirm: Vec<Confirm>,
    /// Rename the certain uses and list the others in `left_out`, instead of refusing.
    #[serde(default)]
    allow_unsure: bool,
    /// Report what would change, without changing it.
    #[serde(default)]
    dry_run: bool,
}

impl Params {
    /// Parameters to rename the symbol at an LSP position of a file.
    pub(crate) fn at(uri: String, place: text::Position, new_name: String) -> Self {
        let position = Position { line: place.line, character: place.character };
        let place = NameLocation { uri, position: Some(position), line: None, name: None };
        Self { place, new_name, confirm: Vec::new(), allow_unsure: false, dry_run: false }
    }

    pub(crate) fn allow_unsure(mut self, allow_unsure: bool) -> Self {
        self.allow_unsure = allow_unsure;
        self
    }

    pub(crate) fn confirm(mut self, confirm: Vec<Confirm>) -> Self {
        self.confirm = confirm;
        self
    }

    pub(crate) fn dry_run(mut self, dry_run: bool) -> Self {
        self.dry_run = dry_run;
        self
    }
}

/// What changes only if confirmed.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Confirm {
    /// Code that may refer to the symbol, when nothing else has its name.
    Unsure,
    /// Words in comments.
    Comment,
    /// Words in strings.
    String,
}

impl Tool for LspRename {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lsp_rename";
    const DESCRIPTION: &'static str = "Rename a symbol in all files, as one action that \
        `undo_action` reverts. Refused, with places and reasons, if a use is uncertain or names \
        would clash; `allow_unsure` renames the certain uses. Comments and strings change only \
        with `confirm`; `mentions` counts them.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Write, EffectKind::Delete];
    const EDITS: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("path", "uri"),
        ("file", "uri"),
        ("file_path", "uri"),
        ("symbol", "name"),
        ("newName", "new_name"),
    ];
    const VERBOSE_FIELDS: &'static [&'static str] =
        &["needs_confirmation[].uri", "needs_confirmation[].new_text"];

    fn text(result: &Value) -> Option<String> {
        Some(rename_report::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let mut effects = params.place.effects(context)?;
        let planned = plan(context, params, &context.snapshot)?;
        match params.dry_run {
            true => effects.extend(planned.read_effects()),
            false => effects.extend(planned.effects(context)?),
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let encoding = context.editor.encoding();
        if params.dry_run {
            let planned = plan(context, &params, &context.snapshot)?;
            let output = report(context, &planned, encoding)?;
            if context.wants_diagnostics() {
                context.record_dry_run(&planned.changes());
            }
            return Ok(output);
        }
        let cancelled = || {
            ToolError::new(Code::Cancelled, format!("{}: cancelled; nothing changed", Self::NAME))
        };
        let take_turn = || context.workspace.write_lock(context.interrupt).ok_or_else(cancelled);
        let reviews = context.editor.wants_review();
        // The write lock is not held while a person reviews.
        let mut turn = if reviews { None } else { Some(take_turn()?) };
        let snapshot = latest_snapshot(context, &params);
        let mut planned = plan(context, &params, &snapshot)?;
        if planned.effects(context)?.iter().any(|effect| !context.is_granted(effect)) {
            let message = format!("{}: what it is about has changed meanwhile", Self::NAME);
            return Err(ToolError::new(Code::Conflict, message).hint("call again"));
        }
        let mut left_out = None;
        if reviews && !planned.files.is_empty() {
            left_out = planned.review(context, Self::NAME)?;
            turn = Some(take_turn()?);
        }
        let output = report(context, &planned, encoding)?.reviewed(left_out);
        let Some(turn) = turn.filter(|_| output.changed) else { return Ok(output) };
        context.check_interrupt(Self::NAME)?;
        let changes = planned.changes();
        let renamed = Some((output.old_name.as_str(), params.new_name.as_str()));
        let label = ActionLabel { tool: Self::NAME, renamed, group: None };
        let committed = context.commit(&turn, label, &snapshot, &changes);
        Ok(output.committed(committed.map_err(|error| from_commit_error(&error))?))
    }
}

/// The snapshot to work on once the write lock is held: the newest one in which the document at
/// the position is still the one that the caller saw.
fn latest_snapshot(context: &Context<'_>, params: &Params) -> Snapshot {
    let now = context.workspace.snapshot();
    let revision = |snapshot: &Snapshot| {
        let path = snapshot.locate(&params.place.uri).ok()?;
        Some(snapshot.open_document(&path)?.revision())
    };
    let same = revision(&now) == revision(&context.snapshot);
    if same { now } else { context.snapshot.clone() }
}

fn plan(context: &Context<'_>, params: &Params, now: &Snapshot) -> Result<RenamePlan, ToolError> {
    let encoding = context.editor.encoding();
    let at = params.place.resolve(LspRename::NAME, now, encoding)?;
    let reason = |confirm: &Confirm| match confirm {
        Confirm::Unsure => RenameReason::Unsure,
        Confirm::Comment => RenameReason::Comment,
        Confirm::String => RenameReason::String,
    };
    let confirmed: BTreeSet<_> = params.confirm.iter().map(reason).collect();
    let request = RenameRequest { new: &params.new_name, allow_unsure: params.allow_unsure };
    let planned = rename_plan::plan(context, LspRename::NAME, now, &at, request, &confirmed)?;
    let mut waiting = planned.waiting.iter().flat_map(|w| w.edits.iter().map(move |e| (w, e)));
    // A use must not be left out: it would refer to nothing.
    let Some((place, edit)) = waiting.find(|(_, edit)| edit.2 == RenameReason::Unsure) else {
        return Ok(planned);
    };
    let line = place.text.line_of(edit.0.start) + 1;
    let message =
        format!("`{}` is not renamed: {}:{line} may use it or not", planned.old, place.path);
    let places = rename_report::waiting(&planned, encoding);
    Err(ToolError::new(Code::Ambiguous, message)
        .hint(
            "look at details.needs_confirmation: `confirm: [\"unsure\"]` changes those places, too, \
             `allow_unsure: true` leaves them as they are",
        )
        .details(json!({ "needs_confirmation": places })))
}
