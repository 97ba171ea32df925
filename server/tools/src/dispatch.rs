//! The entry point of tool calls, for every front end.

use serde_json::Value;

use crate::audit::Record;
use crate::execute::{end, execute};
use crate::registry::find;
use crate::tool::Prepared;
use crate::{Caller, Code, Context, Session, ToolError};

/// Calls the tool `name`: checks its parameters, lets policy decide on its effects, runs it, and
/// records all of it.
///
/// # Errors
/// As the contract defines them.
pub fn call(context: &Context<'_>, name: &str, params: Value) -> Result<Value, ToolError> {
    let mut record = Record::new(&context.session.audit, &context.caller, name, &params);
    let result = prepare(context.session, name, params)
        .and_then(|(name, prepared)| execute(context, name, prepared, &mut record));
    end(record, result)
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

fn prepare(
    session: &Session,
    name: &str,
    params: Value,
) -> Result<(&'static str, Box<dyn Prepared>), ToolError> {
    let tool = find(name).ok_or_else(|| unknown(session, name))?;
    Ok((tool.name, tool.prepare(params)?))
}

fn unknown(session: &Session, name: &str) -> ToolError {
    let shown: String = name.chars().take(60).collect();
    let error = ToolError::new(Code::ToolNotFound, format!("unknown tool `{shown}`"));
    match session.names().nearest(&shown) {
        Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
        None => error,
    }
}
