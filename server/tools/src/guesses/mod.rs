//! Names and shapes of calls as agents write them who know other tools.
//!
//! The names are data, in `names.toml`; only parameters whose shape differs need code (`shapes`). Our own
//! names always win, and nothing is guessed: a name that could mean two parameters is refused.

mod calls;
mod shapes;
mod table;

use serde_json::{Map, Value};

pub(crate) use self::calls::example_call;
pub(crate) use self::shapes::{other_tool, pattern_anywhere};
use self::table::table;
pub(crate) use self::table::{NamedTool, snake_case};

/// The tool of another agent that is called `name`, in snake case.
pub(crate) fn named_tool(name: &str) -> Option<&'static NamedTool> {
    table().tool(name)
}

/// Whether `name` is another name of our parameter, or it itself.
pub(crate) fn is_parameter(name: &str, ours: &str) -> bool {
    name == ours || table().parameter(&snake_case(name), &[ours]).is_some()
}

/// The names by which other agents call our tool.
pub(crate) fn other_names(tool: &'static str) -> impl Iterator<Item = &'static str> {
    table().other_names(tool)
}

/// What became of the parameters of a call.
pub struct NamedParameters {
    /// The values under our names.
    pub parameters: Map<String, Value>,
    /// The parameters, as sent, that the tool does not have.
    pub unknown: Vec<(String, Value)>,
    /// Two names, as sent, that give one parameter different values.
    pub conflict: Option<(String, String)>,
}

/// Maps parameters to the names of `tool`, whose schema is `schema`. `own_aliases` are the tool's own.
#[must_use]
pub fn named_parameters(
    schema: &Value,
    own_aliases: &[(&str, &'static str)],
    given: Map<String, Value>,
) -> NamedParameters {
    let known: Vec<&str> =
        schema["properties"].as_object().into_iter().flatten().map(|(name, _)| &**name).collect();
    let mut given = given;
    shapes::reshape(&known, own_aliases, &mut given);
    let mut named = NamedParameters { parameters: Map::new(), unknown: Vec::new(), conflict: None };
    // The name, as sent, of each parameter.
    let mut sent = Map::new();
    for (name, value) in given {
        let canonical = match canonical(&known, own_aliases, &name) {
            Some(canonical) => canonical.to_owned(),
            None if is_empty(&value) || table().ignores(&snake_case(&name), &value) => continue,
            None => {
                named.unknown.push((name, value));
                continue;
            }
        };
        // Under our own name, a list is no string: who knows the name knows the type.
        let is_list_of_one =
            name == canonical && value.as_array().is_some_and(|all| all.len() == 1);
        let value = if is_list_of_one && canonical != "command" {
            value
        } else {
            shapes::reshape_value(&schema["properties"][&canonical], &canonical, value)
        };
        match named.parameters.get(&canonical) {
            Some(other) if *other != value => {
                let first = sent.get(&canonical).and_then(Value::as_str).unwrap_or(&canonical);
                let first = first.to_owned();
                // The hint shows the call with our own name's value.
                if name == canonical {
                    named.parameters.insert(canonical, value);
                    named.conflict.get_or_insert((name, first));
                } else {
                    named.conflict.get_or_insert((first, name));
                }
            }
            Some(_) => {}
            None => {
                sent.insert(canonical.clone(), name.into());
                named.parameters.insert(canonical, value);
            }
        }
    }
    named
}

/// Whether a value says nothing.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

/// The parameter that `name` stands for, if it is one of ours or unambiguous.
fn canonical<'n>(
    known: &[&'n str],
    own_aliases: &[(&str, &'static str)],
    name: &str,
) -> Option<&'n str> {
    let ours = |name: &str| known.iter().find(|ours| **ours == name).copied();
    let own = |name: &str| {
        let alias = own_aliases.iter().find(|(alias, _)| *alias == name);
        alias.and_then(|(_, canonical)| ours(canonical))
    };
    let snake = snake_case(name);
    ours(name)
        .or_else(|| own(name))
        .or_else(|| ours(&snake))
        .or_else(|| own(&snake))
        .or_else(|| table().parameter(&snake, known))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_mapped_only_if_unambiguous() {
        let schema =
            json!({ "properties": { "pattern": {}, "query": {}, "path": { "type": "string" } } });
        let map = |given: Value| named_parameters(&schema, &[], given.as_object().unwrap().clone());
        let named = map(json!({ "filePath": "a", "regex": "x", "nothing": null }));
        assert_eq!(named.parameters, *json!({ "path": "a" }).as_object().unwrap());
        assert_eq!(named.unknown, [("regex".to_owned(), json!("x"))]);
        let named = map(json!({ "path": "a", "file_path": "a" }));
        assert!(named.conflict.is_none() && named.unknown.is_empty());
        let named = map(json!({ "path": "a", "file_path": "b" }));
        assert!(named.conflict.is_some());
    }
}
