//! `code_actions`: the code actions for a range.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::{ActionTimeLimit, OfferedAction};

use super::action_location::{ActionLocation, content_hash};
use tools::{Context, Effect, EffectKind, Tool, ToolError, from_query_error};

pub(crate) struct CodeActions;

/// Limit for the actions of one result.
const MAX_ACTIONS: usize = 100;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    place: ActionLocation,
    /// Only this kind and its subkinds: `quickfix`, `refactor.extract`.
    #[serde(default)]
    kind: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The actions, by kind, most likely first.
    actions: Vec<ActionOutput>,
    /// Number of actions that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    actions_left_out: Option<usize>,
    /// The file's hash, for `expected_hash`.
    hash: String,
}

#[derive(Serialize, JsonSchema)]
struct ActionOutput {
    /// Pass to `apply_code_action`.
    action: String,
    /// Its title.
    title: String,
    /// Its LSP kind.
    kind: &'static str,
    /// Whether it is the preferred one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    preferred: bool,
    /// Why it is disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    disabled: Option<String>,
    /// The reason's code.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

impl Tool for CodeActions {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "code_actions";
    const DESCRIPTION: &'static str = "List the refactorings and fixes for a range of code: \
        extract a variable or function, inline, move to another file, add what is missing. Apply \
        one with `apply_code_action`. Those that might change the code's meaning are disabled, \
        with the reason.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::PLACE_ALIASES;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&context.snapshot.locate(&params.place.path)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (snapshot, encoding) = (&context.snapshot, context.editor.encoding());
        let (document, range) = params.place.resolve(Self::NAME, snapshot, encoding)?;
        let wanted = |kind: &str| {
            let below = |of: &str| {
                kind.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            params.kind.as_deref().is_none_or(|of| of.is_empty() || below(of))
        };
        let found = snapshot
            .actions(&document, range, &wanted, ActionTimeLimit::List, context.interrupt)
            .map_err(|error| from_query_error(Self::NAME, error))?;
        let left_out = found.len().checked_sub(MAX_ACTIONS).filter(|n| *n > 0);
        let actions =
            found.into_iter().take(MAX_ACTIONS).map(|OfferedAction { offer, refusal: refused }| {
                ActionOutput {
                    action: match offer.choice.is_empty() {
                        true => offer.id.to_owned(),
                        false => format!("{}:{}", offer.id, offer.choice),
                    },
                    title: offer.title,
                    kind: offer.kind,
                    preferred: offer.is_preferred,
                    reason: refused.as_ref().map(|r| r.reason.as_str()),
                    disabled: refused.map(|r| r.why),
                }
            });
        let actions = actions.collect();
        Ok(Output { actions, actions_left_out: left_out, hash: content_hash(snapshot, &document) })
    }
}
