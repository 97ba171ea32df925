//! A call that is checked and displayed before it is made.

use serde_json::{Map, Value, json};

use crate::policy::{PlannedDecision, PlannedEffects, effect_phrase};
use crate::tool::Prepared;
use crate::{ApprovedCalls, Code, Context, Effect, Entry, ToolError};

/// A call with checked parameters, and the effects that it would have now.
pub struct PlannedCall {
    label: String,
    tool: &'static str,
    prepared: Box<dyn Prepared>,
    effects: Result<Vec<Effect>, ToolError>,
}

impl PlannedCall {
    /// Checks the arguments of a call of `entry` and computes its effects. Nothing runs.
    ///
    /// # Errors
    /// `E_INVALID_PARAMS`.
    pub fn new(
        context: &Context<'_>,
        label: impl Into<String>,
        entry: &Entry,
        arguments: Value,
    ) -> Result<Self, ToolError> {
        let prepared = entry.prepare(arguments)?;
        let effects = prepared.effects(context);
        Ok(Self { label: label.into(), tool: entry.name, prepared, effects })
    }

    /// What people read of it first.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The tool's name.
    #[must_use]
    pub fn tool(&self) -> &'static str {
        self.tool
    }

    /// The arguments under their canonical names.
    #[must_use]
    pub fn arguments(&self) -> &Value {
        self.prepared.params()
    }

    /// The effects that the call would have had when it was planned.
    ///
    /// # Errors
    /// Why they were not known: a file that an earlier call creates does not exist yet.
    pub fn effects(&self) -> Result<&[Effect], ToolError> {
        self.effects.as_deref().map_err(Clone::clone)
    }

    /// The effects as people read them: `write a.txt`.
    ///
    /// # Errors
    /// As [`PlannedCall::effects`].
    pub fn effect_phrases(&self) -> Result<Vec<String>, ToolError> {
        Ok(self.effects()?.iter().map(effect_phrase).collect())
    }

    /// What policy would decide now. Nobody is asked.
    ///
    /// # Errors
    /// Why the effects of the call are not known now, or `E_CANCELLED`.
    pub fn decision(&self, context: &Context<'_>) -> Result<PlannedDecision, ToolError> {
        let now = || self.prepared.effects(context);
        context.session.policy.would_decide(context, &self.with_effects(self.effects()?, &now))
    }

    fn with_effects<'a>(
        &'a self,
        effects: &'a [Effect],
        now: &'a dyn Fn() -> Result<Vec<Effect>, ToolError>,
    ) -> PlannedEffects<'a> {
        PlannedEffects {
            label: &self.label,
            tool: self.tool,
            params: self.arguments(),
            effects,
            now,
        }
    }
}

/// Asks once for the approval of all `calls` that need it. Calls whose effects are not known yet, and calls
/// that cannot be displayed in full, are not covered; `rest` says in lines what else is to come.
///
/// # Errors
/// `E_DENIED` if a rule denies a call, or the person all of them.
pub fn approve_together(
    context: &Context<'_>,
    title: &str,
    calls: &[PlannedCall],
    rest: &[String],
) -> Result<ApprovedCalls, ToolError> {
    let known: Vec<_> =
        calls.iter().filter_map(|call| Some((call, call.effects.as_deref().ok()?))).collect();
    let now: Vec<_> =
        known.iter().map(|(call, _)| move || call.prepared.effects(context)).collect();
    let calls: Vec<_> = known
        .iter()
        .zip(&now)
        .map(|((call, effects), now)| call.with_effects(effects, now))
        .collect();
    context.session.policy.approve_together(context, title, &calls, rest)
}

impl Entry {
    /// Checks arguments of which only some values are known: names, required ones, and the types of known
    /// values. The values of `computed` parameters come later.
    ///
    /// # Errors
    /// `E_INVALID_PARAMS`.
    pub fn check_arguments(
        &self,
        known: &Map<String, Value>,
        computed: &[&str],
    ) -> Result<(), ToolError> {
        let mut arguments = known.clone();
        for name in computed {
            arguments.insert((*name).to_owned(), self.placeholder(name));
        }
        match self.prepare(arguments.into()) {
            // A placeholder may be wrong in ways that the real value is not.
            Err(error) if computed.iter().any(|name| is_about(self.name, &error, name)) => Ok(()),
            checked => checked.map(drop),
        }
    }

    /// A value of the parameter's type.
    fn placeholder(&self, name: &str) -> Value {
        let name =
            self.parameter_aliases.iter().find(|(alias, _)| *alias == name).map_or(name, |a| a.1);
        let schema = &self.input_schema["properties"][name];
        if let Some(choice) = schema["enum"].as_array().and_then(|choices| choices.first()) {
            return choice.clone();
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds.first().and_then(Value::as_str),
            kind => kind.as_str(),
        };
        match kind {
            Some("integer" | "number") => schema["minimum"].as_u64().unwrap_or(1).into(),
            Some("boolean") => false.into(),
            Some("array") => json!([]),
            Some("object") => json!({}),
            _ => Value::from("x"),
        }
    }
}

/// Whether an error of `prepare` is about the value of this parameter.
fn is_about(tool: &str, error: &ToolError, parameter: &str) -> bool {
    let place = error.message.strip_prefix(tool).and_then(|rest| rest.strip_prefix(": "));
    let rest = place.and_then(|place| place.strip_prefix(parameter));
    error.code == Code::InvalidParams && rest.is_some_and(|rest| rest.starts_with([':', '.', '[']))
}
