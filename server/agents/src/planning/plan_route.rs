//! `plan_route`: the calls that an intent takes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use super::intent::{intent, intents};
use super::route::{RouteCall, route, usual_cost};

pub(crate) struct PlanRoute;

/// Bytes of text that a token has, about.
const BYTES_PER_TOKEN: usize = 4;
/// Most tokens that one result has: the output budget.
const MAX_COST: usize = 12_500;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The result of `plan_intent`, or `{intent, entities}`.
    intent: Map<String, Value>,
    /// Only these tools; all by default.
    #[serde(default)]
    available_tools: Option<Vec<String>>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The calls, in order. None of them has been made.
    steps: Vec<Step>,
    /// What other steps would be for, which no available tool can do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<&'static str>,
}

#[derive(Serialize, JsonSchema)]
struct Step {
    #[serde(flatten)]
    call: RouteCall,
    /// What it is for.
    why: &'static str,
    /// What it may do: `read`, `write`, `delete`, `execute`, `network`, `admin`.
    effects: Vec<&'static str>,
    /// `low` for reading, `medium` for what can be undone, else `high`.
    risk: &'static str,
    /// Tokens of its result, about.
    cost: usize,
    /// Calls that would do as well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<RouteCall>,
}

impl Tool for PlanRoute {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "plan_route";
    const DESCRIPTION: &'static str = "The calls that an intent of `plan_intent` takes: tools with arguments, \
        what to fill in, effects, risk, cost in tokens, and alternatives. Makes none of them.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const EXAMPLES: &'static [&'static str] = &[
        r#"{"intent": {"intent": "fix_bug", "entities": {"file": "app.py", "issue": "wrong greeting"}}}"#,
        r#"{"intent": {"intent": "explain"}, "available_tools": ["read_file", "repository_map"]}"#,
    ];

    fn text(result: &Value) -> Option<String> {
        let steps = result["steps"].as_array()?.iter().enumerate().map(|(index, step)| {
            let fill = match step["fill"].as_array() {
                Some(_) => format!(" + {}", step["fill"]),
                None => String::new(),
            };
            format!(
                "{}. {} {}{fill}: {} [{} risk, {} tokens]",
                index + 1,
                step["tool"].as_str().unwrap_or_default(),
                step["args"],
                step["why"].as_str().unwrap_or_default(),
                step["risk"].as_str().unwrap_or_default(),
                step["cost"],
            )
        });
        let left_out = result["left_out"].as_array();
        let left_out = left_out.map(|_| format!("no available tool can: {}", result["left_out"]));
        Some(steps.chain(left_out).collect::<Vec<_>>().join("\n"))
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        name(params)?;
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let name = name(&params)?;
        let none = Map::new();
        let entities = params.intent.get("entities").and_then(Value::as_object).unwrap_or(&none);
        let available = params.available_tools.as_ref();
        let is_available = |tool: &str| {
            tools::find(tool).is_some()
                && available.is_none_or(|names| {
                    // Under any of its names.
                    names.iter().any(|name| tools::find(name).is_some_and(|t| t.name == tool))
                })
        };
        let planned = route(name, entities, &is_available);
        let steps = planned.steps.into_iter().map(|step| {
            let effects = tools::find(step.call.tool).map(|tool| tool.effects).unwrap_or_default();
            Step {
                effects: effects.iter().map(|effect| effect.as_str()).collect(),
                risk: risk(effects),
                cost: cost(context, &step.call),
                why: step.why,
                call: step.call,
                alternatives: step.alternatives,
            }
        });
        Ok(Output { steps: steps.collect(), left_out: planned.left_out })
    }
}

/// The name of the intent.
fn name(params: &Params) -> Result<&str, ToolError> {
    let name = params.intent.get("intent").and_then(Value::as_str).unwrap_or_default();
    if intent(name).is_some() {
        return Ok(name);
    }
    let known: Vec<&str> = intents().iter().map(|intent| intent.name.as_str()).collect();
    let message = format!("plan_route: there is no intent `{name:.60}`");
    let hint = format!("pass the result of `plan_intent`; `intent` is one of {}", known.join(", "));
    Err(ToolError::new(Code::InvalidParams, message).hint(hint))
}

fn risk(effects: &[EffectKind]) -> &'static str {
    match effects.iter().max() {
        None | Some(EffectKind::Read) => "low",
        Some(EffectKind::Write | EffectKind::Delete) => "medium",
        Some(EffectKind::Execute | EffectKind::Network | EffectKind::Admin) => "high",
    }
}

/// What the result costs: a file's size, or what is usual.
fn cost(context: &Context<'_>, call: &RouteCall) -> usize {
    let usual = usual_cost(call.tool);
    if call.tool != "read_file" {
        return usual;
    }
    let path = call.args.get("path").and_then(Value::as_str);
    let path = path.and_then(|path| context.snapshot.locate(path).ok());
    let path = path.filter(|path| context.may_read(path));
    let size = path.and_then(|path| context.snapshot.read(&path).ok()).map(|file| file.size);
    size.map_or(usual, |size| (size / BYTES_PER_TOKEN).min(MAX_COST))
}
