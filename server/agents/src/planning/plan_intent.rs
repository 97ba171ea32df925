//! `plan_intent`: what a request asks for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};
use workspace::FilePath;

use super::entities::Entities;
use super::intent::likely_intents;
use super::look_up::{Found, look_up};

pub(crate) struct PlanIntent;

/// Other intents that are returned.
const MAX_ALTERNATIVES: usize = 3;
/// Least confidence of another intent that is returned.
const MIN_CONFIDENCE: f64 = 0.1;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The request, in a person's words.
    input: String,
    /// What is known already: `file`, `symbol`, `line` and other entities of the result.
    #[serde(default)]
    context: Option<Map<String, Value>>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// For instance `fix_bug`.
    intent: &'static str,
    /// What it means.
    about: &'static str,
    /// What the request names. Files and symbols exist.
    entities: Entities,
    /// From 0 to 1; .8 is right eight times of ten.
    confidence: f64,
    /// What else it may mean.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<Alternative>,
    /// Where the entities are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    found: Vec<Found>,
    /// Names in the request that the workspace does not have.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_found: Vec<String>,
    /// Entities that have to be known, and are not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Alternative {
    /// The intent.
    intent: &'static str,
    /// Its confidence.
    confidence: f64,
}

impl Tool for PlanIntent {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "plan_intent";
    const DESCRIPTION: &'static str = "Turn a request in words into an intent with a confidence and the \
        files, symbols and errors that it names, looked up in the workspace. Pass the result to \
        `plan_route` for the calls to make.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("request", "input"), ("text", "input"), ("query", "input"), ("prompt", "input")];
    const EXAMPLES: &'static [&'static str] = &[
        r#"{"input": "fix the crash in app.py"}"#,
        r#"{"input": "rename `greet` to `welcome`", "context": {"file": "app.py"}}"#,
    ];

    fn text(result: &Value) -> Option<String> {
        let mut lines = vec![format!(
            "{} ({}): {}",
            result["intent"].as_str()?,
            result["confidence"],
            result["about"].as_str()?
        )];
        let entities = result["entities"].as_object()?;
        lines.extend(entities.iter().map(|(name, value)| format!("{name}: {}", plain(value))));
        for name in ["alternatives", "not_found", "missing"] {
            if !result[name].is_null() {
                lines.push(format!("{name}: {}", result[name]));
            }
        }
        Some(lines.join("\n"))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.input.trim().is_empty() {
            let message = format!("{}: `input` is empty", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message).hint("write the request"));
        }
        let roots = context.snapshot.roots().iter().map(FilePath::from_root);
        Ok(roots.map(|root| Effect::read_tree(&root)).collect())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let likely = likely_intents(&params.input);
        let Some(best) = likely.first() else {
            return Err(ToolError::new(Code::Internal, "plan_intent: there are no intents"));
        };
        let intent = best.intent;
        let mut lookups = look_up(context, Self::NAME, &intent.name, &params.input)?;
        if let Some(known) = &params.context {
            merge(context, &mut lookups.entities, known);
        }
        let missing = intent.requires.iter().filter(|name| !lookups.entities.has(name));
        Ok(Output {
            intent: &intent.name,
            about: &intent.about,
            missing: missing.cloned().collect(),
            entities: lookups.entities,
            confidence: rounded(best.confidence),
            alternatives: likely[1..]
                .iter()
                .take(MAX_ALTERNATIVES)
                .filter(|other| other.confidence >= MIN_CONFIDENCE)
                .map(|other| Alternative {
                    intent: &other.intent.name,
                    confidence: rounded(other.confidence),
                })
                .collect(),
            found: lookups.found,
            not_found: lookups.not_found,
        })
    }
}

/// Fills in what the request does not name. A file that does not exist is left out.
fn merge(context: &Context<'_>, entities: &mut Entities, known: &Map<String, Value>) {
    let text = |name: &str| known.get(name).and_then(Value::as_str).map(str::to_owned);
    if entities.file.is_none() {
        let path = text("file").or_else(|| text("path")).or_else(|| text("activeFile"));
        let path = path.and_then(|path| context.snapshot.locate(&path).ok());
        let exists =
            |path: &FilePath| context.may_read(path) && context.snapshot.entry(path).is_ok();
        entities.file = path.filter(exists).map(|path| path.display_path());
    }
    let line = known.get("line").and_then(Value::as_u64);
    entities.line = entities.line.or(line.and_then(|line| usize::try_from(line).ok()));
    let fields = [
        ("symbol", &mut entities.symbol),
        ("new_name", &mut entities.new_name),
        ("destination", &mut entities.destination),
        ("error", &mut entities.error),
        ("package", &mut entities.package),
        ("version", &mut entities.version),
    ];
    for (name, field) in fields {
        if field.is_none() {
            *field = text(name);
        }
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn rounded(confidence: f64) -> f64 {
    (confidence * 100.0).round() / 100.0
}
