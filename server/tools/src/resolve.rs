//! Which tool a call is for, before it is dispatched.
//!
//! Everything after it (effects, policy, audit log, write lock, the sandboxed thread) sees the real tool,
//! whether it was called by its name, through `call_tool`, or by the name of another agent's tool.

use serde_json::{Map, Value};

use crate::discovery::CALL_TOOL;
use crate::guesses::{self, is_parameter, named_tool, snake_case};
use crate::registry::find;

/// How many `call_tool`s may be nested.
const MAX_NESTING: usize = 3;

/// The tool that a call is for and its arguments: `call_tool` is unwrapped, names of other agents' tools
/// are mapped. Unknown tools and malformed arguments are left for dispatch to report.
#[must_use]
pub fn resolve(tool: String, arguments: Value) -> (String, Value) {
    let (mut tool, mut arguments) = (tool, arguments);
    for _ in 0..MAX_NESTING {
        if find(&tool).is_none_or(|entry| entry.name != CALL_TOOL) {
            break;
        }
        match unwrap_call(arguments) {
            Ok((name, inner)) => (tool, arguments) = (name, inner),
            Err(unchanged) => return (tool, unchanged),
        }
    }
    let named = match find(&tool) {
        Some(_) => None,
        None => of_other_agent(&tool, &mut arguments),
    };
    let tool = named.unwrap_or(tool);
    match find(&tool).and_then(|entry| guesses::other_tool(entry.name, &mut arguments)) {
        Some(other) => (other.to_owned(), arguments),
        None => (tool, arguments),
    }
}

/// The tool and arguments inside the arguments of `call_tool`; the arguments unchanged if they are
/// malformed.
fn unwrap_call(arguments: Value) -> Result<(String, Value), Value> {
    let Value::Object(mut fields) = arguments else { return Err(arguments) };
    let names = |wanted: &str| -> Vec<String> {
        fields.keys().filter(|name| is_parameter(name, wanted)).cloned().collect()
    };
    let (tools, inner) = (names("tool"), names("arguments"));
    let ([tool], [] | [_]) = (tools.as_slice(), inner.as_slice()) else {
        return Err(fields.into());
    };
    if fields.len() != 1 + inner.len() {
        return Err(fields.into());
    }
    let is_name = fields[tool].is_string();
    let given = inner.first().map(|name| match &fields[name] {
        // Some models send objects as text.
        Value::String(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        other => other.clone(),
    });
    match (fields.remove(tool), given) {
        (Some(Value::String(tool)), None) if is_name => Ok((tool, Value::Object(Map::new()))),
        (Some(Value::String(tool)), Some(given @ Value::Object(_))) => Ok((tool, given)),
        (removed, _) => {
            fields.extend(removed.map(|value| (tool.clone(), value)));
            Err(fields.into())
        }
    }
}

/// Our name of a tool that another agent calls `name`.
fn of_other_agent(name: &str, arguments: &mut Value) -> Option<String> {
    let name = snake_case(name);
    // A name may differ from ours only in its spelling: `ReadFile`.
    if find(&name).is_some() {
        return Some(name);
    }
    let known = named_tool(&name)?;
    if let Some(is) = &known.is {
        if known.pattern_anywhere {
            return Some(guesses::pattern_anywhere(is, arguments).to_owned());
        }
        return Some(is.to_owned());
    }
    let chosen = arguments.get(known.by.as_deref()?)?.as_str()?;
    let tool = known.cases.get(&snake_case(chosen))?.clone();
    if let (Value::Object(fields), Some(by)) = (arguments, &known.by) {
        fields.remove(by);
    }
    Some(tool)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn resolved(tool: &str, arguments: Value) -> (String, Value) {
        resolve(tool.to_owned(), arguments)
    }

    #[test]
    fn call_tool_is_unwrapped() {
        let read = json!({ "path": "a" });
        for arguments in [
            json!({ "tool": "read_file", "arguments": { "path": "a" } }),
            json!({ "name": "read_file", "args": { "path": "a" } }),
            json!({ "tool": "Read", "arguments": "{\"path\": \"a\"}" }),
            json!({ "tool": "call_tool", "arguments": {
                "tool": "read_file", "arguments": { "path": "a" } } }),
        ] {
            let (tool, arguments) = resolved("call_tool", arguments);
            assert_eq!((tool.as_str(), &arguments), ("read_file", &read));
        }
        let (tool, arguments) = resolved("call_tool", json!({ "tool": "git_status" }));
        assert_eq!((tool.as_str(), arguments), ("git_status", json!({})));
        for malformed in [
            json!({}),
            json!([]),
            json!({ "tool": 1, "arguments": {} }),
            json!({ "tool": "read_file", "arguments": [1] }),
            json!({ "tool": "read_file", "path": "a" }),
            json!({ "tool": "read_file", "name": "write_file" }),
        ] {
            let (tool, arguments) = resolved("call_tool", malformed.clone());
            assert_eq!((tool.as_str(), arguments), ("call_tool", malformed));
        }
    }
}
