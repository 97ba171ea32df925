//! The entry point of tool calls, for every front end.

use serde_json::Value;

use crate::audit::Record;
use crate::discovery::ToolIndex;
use crate::execute::{end, execute};
use crate::registry::find;
use crate::tool::Prepared;
use crate::{Caller, Code, Context, Entry, Session, ToolError, family, guesses, schema};

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
pub(crate) fn cancelled(session: &Session, caller: &Caller, name: &str, params: &Value) {
    let message = format!("{name}: cancelled before it started; nothing changed");
    let error = ToolError::new(Code::Cancelled, message);
    Record::new(&session.audit, caller, name, params).end(Err(&error));
}

fn prepare(
    session: &Session,
    name: &str,
    params: Value,
) -> Result<(&'static str, Box<dyn Prepared>), ToolError> {
    let tool = find(name).ok_or_else(|| unknown_tool(session, name, &params))?;
    Ok((tool.name, tool.prepare(params)?))
}

/// The error for the name of a tool that does not exist. It names the tool that is probably meant, and how
/// to call it.
pub fn unknown_tool(session: &Session, name: &str, params: &Value) -> ToolError {
    if let Some(error) = family::not_built_in(name) {
        return error;
    }
    let shown: String = name.chars().take(60).collect();
    let error = ToolError::new(Code::ToolNotFound, format!("unknown tool `{shown}`"));
    // A slip of the keyboard keeps most letters; other names are other products' words.
    let misspelt = session.names().nearest(&shown).filter(|name| {
        strsim::normalized_damerau_levenshtein(name, &shown) >= MIN_SPELLING_SIMILARITY
    });
    let meant: Vec<&Entry> = match misspelt.and_then(find) {
        Some(tool) => vec![tool],
        None => {
            let ranked = session.family::<ToolIndex>().ranked(&shown).into_iter();
            ranked.take(MAX_CANDIDATES).map(|(tool, _)| tool).collect()
        }
    };
    let Some(first) = meant.first() else {
        return error.hint("`find_tools` finds tools by what they do");
    };
    let call = meant.iter().find_map(|tool| call_instead(tool, params));
    error.hint(call.unwrap_or_else(|| {
        let signature = schema::signature(&first.input_schema);
        format!("did you mean `{}`? It takes {signature}", first.name)
    }))
}

/// How much of a name's spelling a slip keeps, from 0 to 1.
const MIN_SPELLING_SIMILARITY: f64 = 0.8;
/// How many tools of a similar meaning are tried with the arguments of an unknown one.
const MAX_CANDIDATES: usize = 3;

/// The call of `tool` that these arguments, meant for another tool, make: `None` if it would not take
/// them all, or needs more.
fn call_instead(tool: &Entry, given: &Value) -> Option<String> {
    let named = guesses::named_parameters(
        &tool.input_schema,
        tool.parameter_aliases,
        given.as_object()?.clone(),
    );
    let required = tool.input_schema["required"].as_array().into_iter().flatten();
    let has_required =
        required.filter_map(Value::as_str).all(|name| named.parameters.contains_key(name));
    let fits = named.unknown.is_empty() && named.conflict.is_none() && has_required;
    if fits { guesses::example_call(tool.name, &named.parameters) } else { None }
}
