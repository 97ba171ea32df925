//! Runs a call whose tool is known: effects, policy, audit log, work, budget.

use serde_json::Value;

use crate::audit::{Digested, Record};
use crate::tool::Prepared;
use crate::{Code, Context, Effect, EffectKind, Target, ToolError, budget, edit_diagnostics};

/// Runs an operation that is not a listed tool but needs approval and a record.
pub fn with_approval(
    context: &Context<'_>,
    name: &'static str,
    prepared: Box<dyn Prepared>,
) -> Result<Value, ToolError> {
    let mut record = Record::new(&context.session.audit, &context.caller, name, prepared.params());
    let result = execute(context, name, prepared, &mut record);
    end(record, result)
}

/// Lets policy decide on effects that were found while a tool works: a redirect to another host, an
/// address that a name turned out to have. They are recorded like a call of their own, with `params`.
///
/// Must not be called on an async runtime's thread: it may wait for a person.
///
/// # Errors
/// `E_DENIED`, as before a call.
pub fn approve_more(
    context: &Context<'_>,
    name: &str,
    params: &Value,
    effects: &[Effect],
) -> Result<(), ToolError> {
    let mut record = Record::new(&context.session.audit, &context.caller, name, params);
    record.set_effects(effects);
    let now = || Ok(effects.to_vec());
    let decided = context
        .session
        .policy
        .decide(context, name, params, effects, &now)
        .inspect_err(|error| record.set_denied(error))
        .and_then(|approval| record.set_allowed(effects, approval.decision().as_str()));
    end(record, decided.map(|()| Value::Null)).map(drop)
}

/// Cuts the result to its limit and completes the record.
pub(crate) fn end(
    record: Record<'_>,
    result: Result<Value, ToolError>,
) -> Result<Value, ToolError> {
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

/// Lets policy decide on the call's effects, then runs it.
pub(crate) fn execute(
    context: &Context<'_>,
    name: &str,
    prepared: Box<dyn Prepared>,
    record: &mut Record<'_>,
) -> Result<Value, ToolError> {
    let effects = prepared.effects(context);
    let is_on_files = |effect: &Effect| !matches!(effect.target, Target::Named(_));
    if effects.as_ref().map_or(true, |effects| effects.iter().any(is_on_files)) {
        check_roots(context)?;
    }
    let effects = effects?;
    record.set_effects(&effects);
    let approval = context
        .session
        .policy
        .decide(context, name, prepared.params(), &effects, &|| prepared.effects(context))
        .inspect_err(|error| record.set_denied(error))?;
    record.set_allowed(&effects, approval.decision().as_str())?;
    if effects.iter().any(|effect| effect.kind != EffectKind::Read) {
        context.editor.begin_effects();
    }
    context.set_approval(approval, effects);
    let params = prepared.params().clone();
    let edits = prepared.edits();
    edit_diagnostics::add(context, &params, edits, || prepared.run(context))
}

/// Refuses to work in a root that is no longer the folder at its path.
fn check_roots(context: &Context<'_>) -> Result<(), ToolError> {
    let Some(root) = context.snapshot.roots().iter().find(|root| !root.is_in_place()) else {
        return Ok(());
    };
    let path = root.path().display();
    let message = format!("{path}: the workspace folder was moved, replaced or deleted");
    Err(ToolError::new(Code::Conflict, message).hint("put it back, or open the folder again"))
}

/// Cuts the result to its limit, and hashes it.
fn within_budget(result: Value) -> (Value, Digested) {
    let digest = Digested::from_value(&result);
    if digest.size <= budget::WHOLE {
        return (result, digest);
    }
    let result = budget::shrink(result);
    let digest = Digested::from_value(&result);
    (result, digest)
}
