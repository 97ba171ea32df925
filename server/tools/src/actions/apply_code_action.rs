//! `apply_code_action`: what `code_actions` lists is done, as one action that can be undone.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use workspace::{
    ActionEdits, ActionFailure, ActionRefusal, ActionRequest, FileError, FilePath, RefusalReason,
    Snapshot,
};

use super::place::Place;
use crate::editing::{self, Action, Output, Wanted};
use crate::names::of_query;
use crate::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct ApplyCodeAction;

#[derive(Clone, Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    place: Place,
    /// The `action` that `code_actions` gives.
    action: String,
    /// The name that what comes into being is to have; without it one is made up.
    #[serde(default)]
    name: Option<String>,
    /// For `move_to_file`: the file that it is to go to, which may not be there yet.
    #[serde(default)]
    to: Option<String>,
    /// Answer what would happen, and change nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for ApplyCodeAction {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "apply_code_action";
    const DESCRIPTION: &'static str = "Do what `code_actions` lists, in all files at once, as one \
        action that `undo_action` takes back. Refused where it is not certain that the code means \
        the same afterwards, saying why. Goes the way of `apply_edit`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read, EffectKind::Write];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::PLACE_ALIASES;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let own = Effect::read(&context.snapshot.locate(&params.place.path)?);
        let wanted = || wanted(context, params);
        let mut effects = editing::effects(context, wanted, params.dry_run)?;
        effects.push(own);
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let wanted = wanted(context, &params)?;
        for one in wanted.iter().filter(|_| !params.dry_run) {
            if !context.is_granted(&Effect::write(&one.path)) {
                let message = format!("{}: what it is about has changed meanwhile", Self::NAME);
                return Err(ToolError::new(Code::Conflict, message).hint("call again"));
            }
        }
        editing::run(context, Self::NAME, &wanted, params.dry_run)
    }
}

fn wanted(context: &Context<'_>, params: &Params) -> Result<Vec<Wanted>, ToolError> {
    let (snapshot, tool) = (&context.snapshot, ApplyCodeAction::NAME);
    let to = params.to.as_ref().map(|to| target(snapshot, to)).transpose()?;
    let (document, range) = params.place.find(tool, snapshot, context.editor.encoding())?;
    let (id, choice) = params.action.split_once(':').unwrap_or((&params.action, ""));
    let request = ActionRequest {
        id: id.to_owned(),
        choice: choice.to_owned(),
        range,
        name: params.name.clone(),
        to,
    };
    let planned = snapshot.action(&document, &request, context.interrupt);
    let ActionEdits { files, creates, .. } = planned.map_err(|failure| of_action(tool, failure))?;
    let mut all = Vec::new();
    for file in files {
        let path = snapshot.locate(&file.uri)?;
        let action = Action::unless_changed(file.text, file.edits);
        all.push(Wanted { path, action, expected_hash: None });
    }
    for (path, text) in creates {
        all.push(Wanted { path, action: Action::Create(text), expected_hash: None });
    }
    Ok(all)
}

/// The file that something is to go to: a text, or not there yet.
fn target(snapshot: &Snapshot, to: &str) -> Result<FilePath, ToolError> {
    let path = snapshot.locate(to)?;
    match snapshot.read(&path) {
        Ok(_) | Err(FileError::NotFound { .. }) => Ok(path),
        Err(error) => Err(error.into()),
    }
}

fn of_action(tool: &str, failure: ActionFailure) -> ToolError {
    match failure {
        ActionFailure::Query(error) => of_query(tool, error),
        ActionFailure::Refused(refused) => refused.into(),
    }
}

impl From<ActionRefusal> for ToolError {
    /// A refusal, with the kind of reason in `details.reason`.
    fn from(refused: ActionRefusal) -> Self {
        let code = match refused.reason {
            RefusalReason::Nothing => Code::NoMatch,
            RefusalReason::Unknown => Code::Ambiguous,
            RefusalReason::Conflict => Code::Conflict,
            RefusalReason::Interrupted => Code::Cancelled,
            _ => Code::Unsupported,
        };
        Self::new(code, format!("it is not done: {refused}"))
            .hint("`code_actions` lists what can be done at a place")
            .details(json!({ "reason": refused.reason.as_str() }))
    }
}
