//! Runs tool calls of every front end.

use serde_json::Value;

use crate::audit::{Digested, Record};
use crate::registry::{find, registry};
use crate::tool::Prepared;
use crate::{Caller, Code, Context, Effect, Session, Target, ToolError, budget};

/// Calls the tool `name`: checks its parameters, lets policy decide on its effects, runs it, and
/// records all of it.
///
/// # Errors
/// As the contract defines them.
pub fn call(context: &Context<'_>, name: &str, params: Value) -> Result<Value, ToolError> {
    let mut record = Record::new(&context.session.audit, &context.caller, name, &params);
    let result = found(name, params)
        .and_then(|(name, prepared)| decided(context, name, prepared, &mut record));
    ended(record, result)
}

/// The same for an operation that is not a listed tool but needs approval and a record.
pub(crate) fn with_leave(
    context: &Context<'_>,
    name: &'static str,
    prepared: Box<dyn Prepared>,
) -> Result<Value, ToolError> {
    let mut record = Record::new(&context.session.audit, &context.caller, name, prepared.params());
    let result = decided(context, name, prepared, &mut record);
    ended(record, result)
}

fn ended(record: Record<'_>, result: Result<Value, ToolError>) -> Result<Value, ToolError> {
    match result {
        Ok(result) => {
            let (result, digest) = within_budget(result);
            record.end(Ok((&result, digest)));
            Ok(result)
        }
        Err(error) => {
            record.end(Err(&error));
            Err(error)
        }
    }
}

/// Records a call that the front end could not parse.
pub fn refused(session: &Session, caller: &Caller, name: &str, error: &ToolError) {
    Record::new(&session.audit, caller, name, &Value::Null).end(Err(error));
}

/// Records a call that was cancelled while it waited.
pub fn cancelled(session: &Session, caller: &Caller, name: &str, params: &Value) {
    let message = format!("{name}: cancelled before it started; nothing changed");
    let error = ToolError::new(Code::Cancelled, message);
    Record::new(&session.audit, caller, name, params).end(Err(&error));
}

fn found(name: &str, params: Value) -> Result<(&'static str, Box<dyn Prepared>), ToolError> {
    let tool = find(name).ok_or_else(|| unknown(name))?;
    Ok((tool.name, tool.prepare(params)?))
}

fn decided(
    context: &Context<'_>,
    name: &str,
    prepared: Box<dyn Prepared>,
    record: &mut Record<'_>,
) -> Result<Value, ToolError> {
    let effects = prepared.effects(context);
    let is_on_files = |effect: &Effect| !matches!(effect.target, Target::Named(_));
    if effects.as_ref().map_or(true, |effects| effects.iter().any(is_on_files)) {
        in_place(context)?;
    }
    let effects = effects?;
    record.wants(&effects);
    let leave = context
        .session
        .policy
        .decide(context, name, &*prepared, &effects)
        .inspect_err(|error| record.refused(error))?;
    record.allowed(&effects, leave.decision().as_str())?;
    context.set_leave(leave, effects);
    prepared.run(context)
}

/// Refuses to work in a root that is no longer the folder at its path.
fn in_place(context: &Context<'_>) -> Result<(), ToolError> {
    let Some(root) = context.snapshot.roots().iter().find(|root| !root.is_in_place()) else {
        return Ok(());
    };
    let path = root.path().display();
    let message = format!("{path}: the workspace folder was moved, replaced or deleted");
    Err(ToolError::new(Code::Conflict, message).hint("put it back, or open the folder again"))
}

/// Cuts the result to its limit, and hashes it.
fn within_budget(result: Value) -> (Value, Digested) {
    let digest = Digested::of(&result);
    if digest.size <= budget::WHOLE {
        return (result, digest);
    }
    let result = budget::shrink(result);
    let digest = Digested::of(&result);
    (result, digest)
}

fn unknown(name: &str) -> ToolError {
    let shown: String = name.chars().take(60).collect();
    let error = ToolError::new(Code::ToolNotFound, format!("unknown tool `{shown}`"));
    let nearest =
        registry().iter().map(|t| t.name).min_by_key(|n| strsim::damerau_levenshtein(n, &shown));
    match nearest {
        Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
        None => error,
    }
}
