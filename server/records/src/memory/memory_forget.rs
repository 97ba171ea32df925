//! `memory_forget`: deletes a memory.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fact::is_id;
use super::store::{Scope, Store};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct MemoryForget;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The id of the memory, as `memory_recall` returns it.
    id: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether there was such a memory.
    forgotten: bool,
    /// What it was, to remember it again.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
}

impl Tool for MemoryForget {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "memory_forget";
    const DESCRIPTION: &'static str =
        "Delete a memory that is wrong or outdated. Returns what it was.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin];
    const IDEMPOTENT: bool = true;
    // The state folder is outside the workspace.
    const OWN_SANDBOX: bool = true;
    const EXAMPLES: &'static [&'static str] = &[r#"{"id": "0123456789abcdef"}"#];

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if is_id(&params.id) {
            return Ok(Vec::new());
        }
        let message = format!("{}: `{:.60}` is no id of a memory", Self::NAME, params.id);
        Err(ToolError::new(Code::InvalidParams, message)
            .hint("ids have 16 hexadecimal digits; `memory_recall` lists them"))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let mut output = Output { forgotten: false, content: None };
        for scope in Scope::ALL {
            let store = Store::open(context, Self::NAME, scope)?;
            let fact = store.read(&params.id).ok().flatten();
            if store.forget(&params.id)? {
                output.forgotten = true;
                output.content = output.content.or(fact.map(|fact| fact.content));
            }
        }
        Ok(output)
    }
}
