//! The way of every call, whichever front end it comes from.

use serde_json::Value;

use crate::registry::{find, registry};
use crate::{Code, Context, ToolError};

/// Calls the tool `name`: checks its parameters, has policy decide on its effects, runs it.
///
/// # Errors
/// As the contract has them.
pub fn call(context: &Context<'_>, name: &str, params: Value) -> Result<Value, ToolError> {
    let tool = find(name).ok_or_else(|| unknown(name))?;
    let prepared = tool.prepare(params)?;
    let effects = prepared.effects(context)?;
    context.set_leave(context.session.policy.decide(context, tool.name, &effects)?);
    prepared.run(context)
}

fn unknown(name: &str) -> ToolError {
    let shown: String = name.chars().take(60).collect();
    let error = ToolError::new(Code::ToolNotFound, format!("there is no tool `{shown}`"));
    let nearest =
        registry().iter().map(|t| t.name).min_by_key(|n| strsim::damerau_levenshtein(n, &shown));
    match nearest {
        Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
        None => error,
    }
}
