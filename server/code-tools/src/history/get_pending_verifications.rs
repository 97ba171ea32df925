//! `get_pending_verifications`: calls that wait for approval.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tools::{Context, Effect, EffectKind, Target, Tool, ToolError};

pub(crate) struct GetPendingVerifications;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The pending approvals, oldest first.
    pending: Vec<PendingOutput>,
}

#[derive(Serialize, JsonSchema)]
struct PendingOutput {
    /// Its id, unique in this server.
    id: String,
    /// The tool.
    tool: String,
    /// The text displayed to the person.
    question: String,
    /// Since when (RFC 3339).
    asked_at: String,
    /// The possible answers: `once`, `session`, `always`, `deny`.
    answers: Vec<&'static str>,
}

impl Tool for GetPendingVerifications {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "get_pending_verifications";
    const DESCRIPTION: &'static str = "List the calls of this server that wait for a person's \
        approval, with the displayed text. Only the person can answer.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        let target = Target::Named("the open questions".to_owned());
        Ok(vec![Effect { kind: EffectKind::Read, target, detail: None }])
    }

    fn run(context: &Context<'_>, _: Params) -> Result<Output, ToolError> {
        let pending = context.session.policy.pending();
        let outputs = pending.into_iter().map(|one| PendingOutput {
            id: one.id.to_string(),
            tool: one.tool,
            question: one.question,
            asked_at: one.asked_at.to_string(),
            answers: one.answers.iter().map(|answer| answer.name()).collect(),
        });
        Ok(Output { pending: outputs.collect() })
    }
}
