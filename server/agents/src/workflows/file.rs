//! Reads the TOML file of a workflow, and keeps the place of everything in it.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};
use tools::line_at;

/// Most mistakes that are reported of one file.
const MAX_MISTAKES: usize = 30;

/// A mistake in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct Mistake {
    /// Its line, 1-based.
    pub(crate) line: usize,
    /// What is wrong.
    pub(crate) message: String,
}

/// The mistakes found so far.
pub(super) struct Mistakes<'t> {
    pub(super) text: &'t str,
    found: Vec<Mistake>,
}

impl<'t> Mistakes<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, found: Vec::new() }
    }

    /// Adds a mistake at a byte of the file.
    pub(super) fn at(&mut self, span: &Range<usize>, message: impl Into<String>) {
        self.at_line(line_at(self.text, span.start), message);
    }

    pub(super) fn at_line(&mut self, line: usize, message: impl Into<String>) {
        if self.found.len() < MAX_MISTAKES {
            self.found.push(Mistake { line, message: message.into() });
        }
    }

    /// All of them, in the order of lines.
    pub(super) fn finish(mut self) -> Vec<Mistake> {
        self.found.sort();
        self.found.dedup();
        self.found
    }
}

/// A table of the file, whose keys are taken one by one: those that are left are unknown.
pub(super) struct Fields<'t> {
    /// What it describes, for messages: `step `tests``.
    pub(super) what: String,
    pub(super) span: Range<usize>,
    fields: Vec<(Spanned<Cow<'t, str>>, Spanned<DeValue<'t>>)>,
}

impl<'t> Fields<'t> {
    pub(super) fn new(what: impl Into<String>, span: Range<usize>, table: DeTable<'t>) -> Self {
        Self { what: what.into(), span, fields: table.into_iter().collect() }
    }

    pub(super) fn take(&mut self, key: &str) -> Option<Spanned<DeValue<'t>>> {
        let at = self.fields.iter().position(|(own, _)| own.get_ref() == key)?;
        Some(self.fields.swap_remove(at).1)
    }

    /// The text of an optional key.
    pub(super) fn text(
        &mut self,
        key: &str,
        mistakes: &mut Mistakes<'_>,
    ) -> Option<Spanned<String>> {
        let value = self.take(key)?;
        let span = value.span();
        match value.into_inner() {
            DeValue::String(text) => Some(Spanned::new(span, text.into_owned())),
            other => {
                self.wrong_type(&span, key, "a string", &other, mistakes);
                None
            }
        }
    }

    /// A whole number that is not negative.
    pub(super) fn count(
        &mut self,
        key: &str,
        max: u64,
        mistakes: &mut Mistakes<'_>,
    ) -> Option<u64> {
        let value = self.take(key)?;
        let number = json(value.get_ref()).as_u64().filter(|number| *number <= max);
        if number.is_none() {
            let message = format!("{}: `{key}` must be a whole number from 0 to {max}", self.what);
            mistakes.at(&value.span(), message);
        }
        number
    }

    /// A number of seconds.
    pub(super) fn seconds(
        &mut self,
        key: &str,
        max: f64,
        mistakes: &mut Mistakes<'_>,
    ) -> Option<f64> {
        let value = self.take(key)?;
        let number = json(value.get_ref()).as_f64().filter(|number| (0.0..=max).contains(number));
        if number.is_none() {
            let message = format!("{}: `{key}` must be seconds from 0 to {max}", self.what);
            mistakes.at(&value.span(), message);
        }
        number
    }

    pub(super) fn flag(&mut self, key: &str, mistakes: &mut Mistakes<'_>) -> bool {
        match self.take(key) {
            None => false,
            Some(value) => value.get_ref().as_bool().unwrap_or_else(|| {
                self.wrong_type(&value.span(), key, "true or false", value.get_ref(), mistakes);
                false
            }),
        }
    }

    pub(super) fn table(
        &mut self,
        key: &str,
        mistakes: &mut Mistakes<'_>,
    ) -> Option<Spanned<DeTable<'t>>> {
        let value = self.take(key)?;
        let span = value.span();
        match value.into_inner() {
            DeValue::Table(table) => Some(Spanned::new(span, table)),
            other => {
                self.wrong_type(&span, key, "a table", &other, mistakes);
                None
            }
        }
    }

    pub(super) fn array(
        &mut self,
        key: &str,
        mistakes: &mut Mistakes<'_>,
    ) -> Option<Spanned<DeArray<'t>>> {
        let value = self.take(key)?;
        let span = value.span();
        match value.into_inner() {
            DeValue::Array(array) => Some(Spanned::new(span, array)),
            other => {
                self.wrong_type(&span, key, "an array", &other, mistakes);
                None
            }
        }
    }

    fn wrong_type(
        &self,
        span: &Range<usize>,
        key: &str,
        expected: &str,
        found: &DeValue<'_>,
        mistakes: &mut Mistakes<'_>,
    ) {
        let found = found.type_str();
        mistakes.at(span, format!("{}: `{key}` must be {expected}, not {found}", self.what));
    }

    /// Reports the keys that nothing took.
    pub(super) fn finish(self, known: &[&str], mistakes: &mut Mistakes<'_>) {
        for (key, _) in self.fields {
            let name: String = key.get_ref().chars().take(60).collect();
            let hint = match name.as_str() {
                "policy" | "allow" | "permissions" | "approve" | "sandbox" => {
                    "a workflow cannot change the rules".to_owned()
                }
                _ => format!("there are {}", known.join(", ")),
            };
            mistakes.at(&key.span(), format!("{}: unknown key `{name}`; {hint}", self.what));
        }
    }
}

/// The keys of a table with their places, in the order of the file.
pub(super) fn in_order<'t>(
    table: DeTable<'t>,
) -> Vec<(Spanned<Cow<'t, str>>, Spanned<DeValue<'t>>)> {
    let mut fields: Vec<_> = table.into_iter().collect();
    fields.sort_by_key(|(key, _)| key.span().start);
    fields
}

/// A TOML value as JSON.
pub(super) fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::from(&**text),
        DeValue::Integer(number) => {
            let number = i64::from_str_radix(number.as_str(), number.radix());
            number.map_or(Value::Null, Value::from)
        }
        DeValue::Float(number) => {
            let number = number.as_str().parse().ok().and_then(Number::from_f64);
            number.map_or(Value::Null, Value::Number)
        }
        DeValue::Boolean(value) => Value::from(*value),
        DeValue::Datetime(time) => Value::from(time.to_string()),
        DeValue::Array(items) => items.iter().map(|item| json(item.get_ref())).collect(),
        DeValue::Table(table) => {
            let fields =
                table.iter().map(|(key, value)| (key.get_ref().to_string(), json(value.get_ref())));
            Value::Object(fields.collect::<Map<_, _>>())
        }
    }
}
