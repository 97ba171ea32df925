//! A workflow: its inputs and steps, checked against the tools.

use std::time::Duration;

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use tools::{Context, Entry, line_at};

use super::expression::{Expression, INDEX, ITEM, Names, Template};
use super::file::{Fields, Mistake, Mistakes, in_order};
use super::inputs::Input;

/// Longest file of a workflow, in bytes.
pub(super) const MAX_FILE_BYTES: usize = 256 << 10;
/// Most steps of a workflow.
const MAX_STEPS: usize = 100;
/// Most retries of a step, and the longest pauses and time limits, in seconds.
const MAX_RETRIES: u64 = 10;
const MAX_DELAY_SECONDS: f64 = 600.0;
const MAX_TIMEOUT_SECONDS: f64 = 3_600.0;
/// Tools that no step can call: they make calls themselves.
const NO_STEPS: &[&str] = &["workflow", "call_tool", "delegate", "session_send"];

const FILE_KEYS: &[&str] = &["title", "description", "inputs", "steps", "output"];
const STEP_KEYS: &[&str] = &[
    "id",
    "tool",
    "arguments",
    "if",
    "for_each",
    "expect",
    "retries",
    "retry_delay",
    "timeout",
    "on_error",
    "rerun",
];

/// A workflow without mistakes.
pub(crate) struct Workflow {
    pub(super) inputs: Vec<Input>,
    pub(super) steps: Vec<Step>,
    /// What a run returns; by default the result of the last step.
    pub(super) output: Option<Expression>,
}

/// A step.
pub(super) struct Step {
    pub(super) id: String,
    pub(super) line: usize,
    pub(super) tool: &'static Entry,
    pub(super) arguments: Template,
    pub(super) condition: Option<Expression>,
    pub(super) for_each: Option<ForEach>,
    /// Whether a result is what the step is for.
    pub(super) expect: Option<Expression>,
    pub(super) retries: u64,
    pub(super) retry_delay: Duration,
    pub(super) timeout: Option<Duration>,
    pub(super) goes_on: bool,
    /// Whether it may run again if it is not known whether it had an effect.
    pub(super) rerun: bool,
}

/// The list that a step is repeated for.
pub(super) enum ForEach {
    List(Vec<Value>),
    Filter(Expression),
}

impl Step {
    /// Whether it reads the result of one of these steps.
    pub(super) fn reads_any(&self, steps: &[&str]) -> bool {
        let mut found = false;
        let mut check = |filter: &Expression| {
            found |= filter.reads.iter().any(|step| steps.contains(&step.as_str()));
        };
        [self.condition.as_ref(), self.expect.as_ref()].into_iter().flatten().for_each(&mut check);
        if let Some(ForEach::Filter(filter)) = &self.for_each {
            check(filter);
        }
        self.arguments.filters(&mut |filter| check(filter));
        found
    }
}

impl Workflow {
    /// Checks the text of a file.
    ///
    /// # Errors
    /// All mistakes in it.
    pub(crate) fn parse(context: &Context<'_>, text: &str) -> Result<Self, Vec<Mistake>> {
        let mut mistakes = Mistakes::new(text);
        if text.len() > MAX_FILE_BYTES {
            mistakes.at_line(1, format!("{} bytes, more than {MAX_FILE_BYTES}", text.len()));
            return Err(mistakes.finish());
        }
        let (table, errors) = DeTable::parse_recoverable(text);
        if !errors.is_empty() {
            for error in errors {
                mistakes.at(&error.span().unwrap_or_default(), error.message());
            }
            return Err(mistakes.finish());
        }
        let span = table.span();
        let mut fields = Fields::new("the workflow", span, table.into_inner());
        // Lists read them by themselves, also of a file with mistakes.
        for key in ["title", "description"] {
            fields.text(key, &mut mistakes);
        }
        let inputs = match fields.table("inputs", &mut mistakes) {
            Some(table) => Input::parse_all(table, &mut mistakes),
            None => Vec::new(),
        };
        let steps = match fields.array("steps", &mut mistakes) {
            Some(array) => array.into_inner().into_iter().collect(),
            None => Vec::new(),
        };
        if steps.is_empty() {
            mistakes.at_line(1, "it has no steps; a step is a table `[[steps]]`");
        }
        if steps.len() > MAX_STEPS {
            mistakes.at_line(1, format!("{} steps, more than {MAX_STEPS}", steps.len()));
            return Err(mistakes.finish());
        }
        let ids = step_ids(&steps);
        let mut names = Names { inputs: names_of(&inputs), later: ids, ..Names::default() };
        let mut parsed: Vec<Step> = Vec::new();
        for step in steps {
            let span = step.span();
            let DeValue::Table(table) = step.into_inner() else {
                mistakes.at(&span, "a step must be a table");
                continue;
            };
            // A table has the place of its header, which may be far above a key.
            let Some(step) =
                Step::parse(context, Fields::new("a step", span, table), &mut names, &mut mistakes)
            else {
                continue;
            };
            parsed.push(step);
        }
        let output = fields.text("output", &mut mistakes);
        let output = output.and_then(|written| {
            Expression::compile(&written, "output".to_owned(), &names, &mut mistakes)
        });
        fields.finish(FILE_KEYS, &mut mistakes);
        let mistakes = mistakes.finish();
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        Ok(Self { inputs, steps: parsed, output })
    }
}

fn names_of(inputs: &[Input]) -> Vec<String> {
    inputs.iter().map(|input| input.name.clone()).collect()
}

/// The ids as they are written.
fn step_ids(steps: &[Spanned<DeValue<'_>>]) -> Vec<String> {
    let id = |step: &Spanned<DeValue<'_>>| {
        Some(step.get_ref().get("id")?.get_ref().as_str()?.to_owned())
    };
    steps.iter().filter_map(id).collect()
}

/// Whether filters can read a variable of this name.
pub(super) fn is_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.len() <= 60
        && !matches!(name, ITEM | INDEX | "ENV" | "__loc__")
}

impl Step {
    fn parse(
        context: &Context<'_>,
        mut fields: Fields<'_>,
        names: &mut Names,
        mistakes: &mut Mistakes<'_>,
    ) -> Option<Self> {
        let span = fields.span.clone();
        let Some(id) = fields.text("id", mistakes) else {
            mistakes.at(&span, "a step needs an `id`");
            return None;
        };
        let (id_span, id) = (id.span(), id.into_inner());
        fields.what = format!("step `{id:.60}`");
        let what = fields.what.clone();
        if !is_name(&id) {
            let message = format!(
                "{what}: an id has letters, digits and `_`, starts with a letter, and is not `item` or `index`"
            );
            mistakes.at(&id_span, message);
        }
        if names.steps.contains(&id) || names.inputs.contains(&id) {
            mistakes.at(&id_span, format!("{what}: another step or input has this name"));
        }
        let later = names.later.iter().position(|later| *later == id);
        later.map(|at| names.later.remove(at));
        let tool = fields.text("tool", mistakes);
        let entry = match &tool {
            Some(tool) => find_tool(context, tool, &what, mistakes),
            None => {
                mistakes.at(&span, format!("{what}: `tool` is missing"));
                None
            }
        };
        names.in_loop = false;
        let condition = expression(&mut fields, "if", names, mistakes);
        let for_each = for_each(&mut fields, names, mistakes);
        names.in_loop = for_each.is_some();
        let arguments = match fields.table("arguments", mistakes) {
            Some(table) => arguments(table, entry, &what, names, mistakes),
            None => {
                let none = Map::new();
                check_arguments(
                    entry,
                    &none,
                    &[],
                    &tool.as_ref().map_or(span.clone(), Spanned::span),
                    &what,
                    mistakes,
                );
                Template::Value(Value::Object(none))
            }
        };
        let expect = expression(&mut fields, "expect", names, mistakes);
        names.in_loop = false;
        let retries = fields.count("retries", MAX_RETRIES, mistakes).unwrap_or_default();
        let retry_delay = fields.seconds("retry_delay", MAX_DELAY_SECONDS, mistakes);
        let timeout = fields.seconds("timeout", MAX_TIMEOUT_SECONDS, mistakes);
        let goes_on = match fields.text("on_error", mistakes) {
            None => false,
            Some(way) if way.get_ref() == "stop" => false,
            Some(way) if way.get_ref() == "continue" => true,
            Some(way) => {
                mistakes.at(&way.span(), format!("{what}: `on_error` is `stop` or `continue`"));
                false
            }
        };
        let rerun = fields.flag("rerun", mistakes);
        fields.finish(STEP_KEYS, mistakes);
        names.steps.push(id.clone());
        Some(Self {
            id,
            line: line_at(mistakes.text, id_span.start),
            tool: entry?,
            arguments,
            condition,
            for_each,
            expect,
            retries,
            retry_delay: Duration::from_secs_f64(retry_delay.unwrap_or_default()),
            timeout: timeout.map(Duration::from_secs_f64),
            goes_on,
            rerun,
        })
    }
}

fn find_tool(
    context: &Context<'_>,
    name: &Spanned<String>,
    what: &str,
    mistakes: &mut Mistakes<'_>,
) -> Option<&'static Entry> {
    let Some(entry) = tools::find(name.get_ref()) else {
        let error = tools::unknown_tool(context.session, name.get_ref(), &Value::Null);
        let hint = error.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
        mistakes.at(&name.span(), format!("{what}: {}{hint}", error.message));
        return None;
    };
    if NO_STEPS.contains(&entry.name) {
        let message = format!("{what}: `{}` cannot be a step: it makes calls itself", entry.name);
        mistakes.at(&name.span(), message);
        return None;
    }
    Some(entry)
}

fn expression(
    fields: &mut Fields<'_>,
    key: &str,
    names: &Names,
    mistakes: &mut Mistakes<'_>,
) -> Option<Expression> {
    let written = fields.text(key, mistakes)?;
    Expression::compile(&written, format!("{}: `{key}`", fields.what), names, mistakes)
}

fn for_each(
    fields: &mut Fields<'_>,
    names: &Names,
    mistakes: &mut Mistakes<'_>,
) -> Option<ForEach> {
    let value = fields.take("for_each")?;
    let (span, what) = (value.span(), format!("{}: `for_each`", fields.what));
    match value.get_ref() {
        DeValue::Array(_) => match super::file::json(value.get_ref()) {
            Value::Array(items) => Some(ForEach::List(items)),
            _ => None,
        },
        DeValue::String(written) => {
            let written = Spanned::new(span, written.to_string());
            // The list is known to be one even if its filter has a mistake: `$item` is none.
            let filter = Expression::compile(&written, what, names, mistakes);
            Some(filter.map_or_else(|| ForEach::List(Vec::new()), ForEach::Filter))
        }
        other => {
            mistakes.at(
                &span,
                format!("{what} must be an array or a jq filter, not {}", other.type_str()),
            );
            None
        }
    }
}

fn arguments(
    table: Spanned<DeTable<'_>>,
    entry: Option<&Entry>,
    what: &str,
    names: &Names,
    mistakes: &mut Mistakes<'_>,
) -> Template {
    let table_span = table.span();
    let (mut known, mut computed) = (Map::new(), Vec::new());
    let mut spans = Vec::new();
    let mut parsed = Vec::new();
    for (key, value) in in_order(table.into_inner()) {
        let (span, key) = (key.span(), key.into_inner().into_owned());
        let of_value = value.span();
        let template = Template::new(value, &format!("{what}: `{key:.60}`"), names, mistakes);
        match &template {
            Template::Value(value) => {
                known.insert(key.clone(), value.clone());
            }
            _ => computed.push(key.clone()),
        }
        spans.push((key.clone(), span, of_value));
        parsed.push((key, template));
    }
    let Some(entry) = entry else { return Template::of_fields(parsed) };
    let computed: Vec<&str> = computed.iter().map(String::as_str).collect();
    // Each argument by itself first, to name its line.
    let mut has_mistake = false;
    for (key, span, of_value) in &spans {
        let is_unknown = |message: &str| message.contains("unknown parameter");
        let (one, of_one) = match known.get(key) {
            Some(value) => (Map::from_iter([(key.clone(), value.clone())]), vec![]),
            None => (Map::new(), vec![key.as_str()]),
        };
        if let Err(error) = entry.check_arguments(&one, &of_one) {
            let named = format!("{}: {key}", entry.name);
            if is_unknown(&error.message) || error.message.starts_with(&named) {
                has_mistake = true;
                let span = if is_unknown(&error.message) { span } else { of_value };
                mistakes.at(span, format!("{what}: {}", described(&error)));
            }
        }
    }
    if !has_mistake {
        check_arguments(Some(entry), &known, &computed, &table_span, what, mistakes);
    }
    Template::of_fields(parsed)
}

fn check_arguments(
    entry: Option<&Entry>,
    known: &Map<String, Value>,
    computed: &[&str],
    span: &std::ops::Range<usize>,
    what: &str,
    mistakes: &mut Mistakes<'_>,
) {
    if let Some(Err(error)) = entry.map(|entry| entry.check_arguments(known, computed)) {
        mistakes.at(span, format!("{what}: {}", described(&error)));
    }
}

fn described(error: &tools::ToolError) -> String {
    let hint = error.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("{}{hint}", error.message)
}
