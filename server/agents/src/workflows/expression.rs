//! The jq filters of a workflow: conditions, lists, arguments, the result.
//!
//! A filter reads inputs and results by variables of their names. Only the inputs and earlier steps are in
//! scope where it is compiled, so an unknown name and a forward reference are mistakes with a line.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::DeValue;
use tools::{Code, Filter, ToolError, line_of_mistake};

use super::file::{Mistakes, in_order, json};

/// The key of a table that stands for the result of a filter.
const FILTER_KEY: &str = "jq";
/// The item that a step with `for_each` works on, and its number from 0.
pub(super) const ITEM: &str = "item";
pub(super) const INDEX: &str = "index";

/// What filters may read, while a file is checked.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    pub(super) inputs: Vec<String>,
    /// The steps before.
    pub(super) steps: Vec<String>,
    /// Whether `$item` and `$index` are there.
    pub(super) in_loop: bool,
    /// The steps after, for messages only.
    pub(super) later: Vec<String>,
}

/// The values that filters read.
#[derive(Debug, Default)]
pub(super) struct Scope {
    pub(super) inputs: Map<String, Value>,
    /// The results of steps that have ended.
    pub(super) steps: BTreeMap<String, Value>,
}

/// The item of a loop, with its number.
pub(super) type Item<'v> = Option<(usize, &'v Value)>;

/// A compiled filter.
pub(super) struct Expression {
    filter: Filter,
    pub(super) text: String,
    line: usize,
    what: String,
    variables: Vec<String>,
    /// The steps whose results it reads.
    pub(super) reads: Vec<String>,
}

impl Expression {
    /// Compiles `written`; `what` names it in messages.
    pub(super) fn compile(
        written: &Spanned<String>,
        what: String,
        names: &Names,
        mistakes: &mut Mistakes<'_>,
    ) -> Option<Self> {
        let text = written.get_ref();
        let used = variables_in(text);
        let own: &[&str] = if names.in_loop { &[ITEM, INDEX] } else { &[] };
        let known = names.inputs.iter().chain(&names.steps).map(String::as_str);
        let variables: Vec<String> = known
            .chain(own.iter().copied())
            .filter(|name| used.contains(name))
            .map(str::to_owned)
            .collect();
        let reads = names.steps.iter().filter(|step| variables.contains(step)).cloned().collect();
        let dollars: Vec<String> = variables.iter().map(|name| format!("${name}")).collect();
        let dollars: Vec<&str> = dollars.iter().map(String::as_str).collect();
        let line = line_of_mistake(mistakes.text, written, 0);
        match Filter::compile(text, &dollars) {
            Ok(filter) => Some(Self { filter, text: text.clone(), line, what, variables, reads }),
            Err(mistake) => {
                let line = line_of_mistake(mistakes.text, written, mistake.offset);
                let named = used.iter().find(|name| {
                    mistake.message.ends_with(&format!("`${name}`"))
                        && !variables.contains(&(**name).to_owned())
                });
                let hint = match named {
                    Some(name) if names.later.iter().any(|later| later == name) => {
                        ": that step comes later"
                    }
                    Some(name) if matches!(*name, ITEM | INDEX) => ": this is not in a `for_each`",
                    _ => "",
                };
                mistakes.at_line(line, format!("{what}: {}{hint}", mistake.message));
                None
            }
        }
    }

    /// Runs it on `input`.
    pub(super) fn run(
        &self,
        input: Value,
        scope: &Scope,
        item: Item<'_>,
    ) -> Result<Value, ToolError> {
        let value = |name: &String| match (name.as_str(), item) {
            (ITEM, Some((_, value))) => value.clone(),
            (INDEX, Some((index, _))) => index.into(),
            (name, _) => {
                let value = scope.steps.get(name).or_else(|| scope.inputs.get(name));
                value.cloned().unwrap_or_default()
            }
        };
        self.filter.run(input, self.variables.iter().map(value)).map_err(|message| {
            let message =
                format!("line {}: {}: {message}, in `{:.80}`", self.line, self.what, self.text);
            ToolError::new(Code::InvalidParams, message)
        })
    }

    /// Whether all that it reads is known.
    pub(super) fn is_known(&self, scope: &Scope) -> bool {
        self.reads.iter().all(|step| scope.steps.contains_key(step))
    }
}

/// The names after `$` in a filter; those in texts count, too.
fn variables_in(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.split('$')
        .skip(1)
        .map(|rest| &rest[..rest.find(|c: char| !is_part(c)).unwrap_or(rest.len())])
        .collect()
}

/// A value with filters in it.
pub(super) enum Template {
    Value(Value),
    Filter(Expression),
    List(Vec<Template>),
    Object(Vec<(String, Template)>),
    /// A filter with a mistake, which has been reported.
    Mistake,
}

impl Template {
    pub(super) fn new(
        value: Spanned<DeValue<'_>>,
        what: &str,
        names: &Names,
        mistakes: &mut Mistakes<'_>,
    ) -> Self {
        let span = value.span();
        match value.into_inner() {
            DeValue::Table(table) if table.len() == 1 && table.contains_key(FILTER_KEY) => {
                let filter = table.into_iter().next().map(|(_, filter)| filter);
                let written = filter.as_ref().and_then(|filter| filter.get_ref().as_str());
                let Some(written) = written else {
                    mistakes.at(&span, format!("{what}: `{FILTER_KEY}` must be a string"));
                    return Self::Mistake;
                };
                let span = filter.as_ref().map_or(span, Spanned::span);
                let written = Spanned::new(span, written.to_owned());
                match Expression::compile(&written, what.to_owned(), names, mistakes) {
                    Some(filter) => Self::Filter(filter),
                    None => Self::Mistake,
                }
            }
            DeValue::Table(table) => {
                let fields = in_order(table).into_iter().map(|(key, value)| {
                    (key.into_inner().into_owned(), Self::new(value, what, names, mistakes))
                });
                Self::of_fields(fields.collect())
            }
            DeValue::Array(items) => {
                let items: Vec<_> =
                    items.into_iter().map(|item| Self::new(item, what, names, mistakes)).collect();
                if items.iter().all(|item| matches!(item, Self::Value(_))) {
                    return Self::Value(items.into_iter().map(Self::into_value).collect());
                }
                Self::List(items)
            }
            plain => Self::Value(json(&plain)),
        }
    }

    /// An object; a plain value if it has no filters.
    pub(super) fn of_fields(fields: Vec<(String, Self)>) -> Self {
        if fields.iter().all(|(_, value)| matches!(value, Self::Value(_))) {
            let fields = fields.into_iter().map(|(name, value)| (name, value.into_value()));
            return Self::Value(Value::Object(fields.collect()));
        }
        Self::Object(fields)
    }

    fn into_value(self) -> Value {
        match self {
            Self::Value(value) => value,
            _ => Value::Null,
        }
    }

    /// The value, with the results of its filters.
    pub(super) fn run(&self, scope: &Scope, item: Item<'_>) -> Result<Value, ToolError> {
        match self {
            Self::Value(value) => Ok(value.clone()),
            Self::Mistake => Ok(Value::Null),
            Self::Filter(filter) => filter.run(Value::Null, scope, item),
            Self::List(items) => items.iter().map(|one| one.run(scope, item)).collect(),
            Self::Object(fields) => {
                let fields =
                    fields.iter().map(|(name, value)| Ok((name.clone(), value.run(scope, item)?)));
                fields.collect::<Result<Map<_, _>, ToolError>>().map(Value::Object)
            }
        }
    }

    /// The value as far as it is known: the rest are the filters as they are written.
    pub(super) fn display(&self, scope: &Scope, item: Item<'_>) -> Value {
        match self {
            Self::Value(value) => value.clone(),
            Self::Mistake => Value::Null,
            Self::Filter(filter) => {
                let known = filter.is_known(scope).then(|| filter.run(Value::Null, scope, item));
                match known {
                    Some(Ok(value)) => value,
                    _ => serde_json::json!({ FILTER_KEY: filter.text }),
                }
            }
            Self::List(items) => items.iter().map(|one| one.display(scope, item)).collect(),
            Self::Object(fields) => {
                let fields =
                    fields.iter().map(|(name, value)| (name.clone(), value.display(scope, item)));
                Value::Object(fields.collect())
            }
        }
    }

    /// Calls `visit` for every filter.
    pub(super) fn filters<'s>(&'s self, visit: &mut dyn FnMut(&'s Expression)) {
        match self {
            Self::Value(_) | Self::Mistake => {}
            Self::Filter(filter) => visit(filter),
            Self::List(items) => items.iter().for_each(|item| item.filters(visit)),
            Self::Object(fields) => fields.iter().for_each(|(_, value)| value.filters(visit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_in_filters() {
        assert_eq!(variables_in("$a + $b_2.c | \"\\($d)\""), ["a", "b_2", "d"]);
        assert_eq!(variables_in("$ | \u{e9}$\u{e9}"), ["", ""]);
    }
}
