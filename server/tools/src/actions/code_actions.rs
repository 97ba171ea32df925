//! `code_actions`: what can be done at a place.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::{ActionTime, OfferedAction};

use super::place::{Place, hash_of};
use crate::names::of_query;
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct CodeActions;

/// Most actions of one result.
const MOST: usize = 100;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    place: Place,
    /// Only actions of this kind, or below it: `quickfix`, `refactor.extract`.
    #[serde(default)]
    kind: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// What can be done, the most likely first within each kind.
    actions: Vec<ActionOutput>,
    /// How many more there are than are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    actions_left_out: Option<usize>,
    /// The hash of the file, for `expected_hash`.
    hash: String,
}

#[derive(Serialize, JsonSchema)]
struct ActionOutput {
    /// What `apply_code_action` takes as `action`.
    action: String,
    /// What it does.
    title: String,
    /// Its kind, as LSP has it.
    kind: &'static str,
    /// Whether it is what most would want here.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    preferred: bool,
    /// Why it cannot be had here.
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled: Option<String>,
    /// What kind of reason that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

impl Tool for CodeActions {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "code_actions";
    const DESCRIPTION: &'static str = "What can be done to a stretch of code, without a mistake: \
        extract a variable or function, inline, move to another file, add what is missing. \
        `apply_code_action` does it. What is not certain is listed as disabled, saying why.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::PLACE_ALIASES;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&context.snapshot.locate(&params.place.path)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (snapshot, encoding) = (&context.snapshot, context.editor.encoding());
        let (document, range) = params.place.find(Self::NAME, snapshot, encoding)?;
        let wanted = |kind: &str| {
            let below = |of: &str| {
                kind.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            params.kind.as_deref().is_none_or(|of| of.is_empty() || below(of))
        };
        let found = snapshot
            .actions(&document, range, &wanted, ActionTime::List, context.interrupt)
            .map_err(|error| of_query(Self::NAME, error))?;
        let left_out = found.len().checked_sub(MOST).filter(|n| *n > 0);
        let actions =
            found.into_iter().take(MOST).map(|OfferedAction { offer, refused }| ActionOutput {
                action: match offer.choice.is_empty() {
                    true => offer.id.to_owned(),
                    false => format!("{}:{}", offer.id, offer.choice),
                },
                title: offer.title,
                kind: offer.kind,
                preferred: offer.preferred,
                reason: refused.as_ref().map(|r| r.reason.as_str()),
                disabled: refused.map(|r| r.why),
            });
        let actions = actions.collect();
        Ok(Output { actions, actions_left_out: left_out, hash: hash_of(snapshot, &document) })
    }
}
