//! The calls that an intent takes, by rules that are data (`routes.toml`).

use std::collections::HashMap;
use std::sync::OnceLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::words::{WordKind, words};

/// Words of a request that a search looks for.
const MAX_SEARCH_WORDS: usize = 4;
/// Shortest word that is worth a search, in characters.
const MIN_SEARCH_CHARS: usize = 4;

/// A call that can be made, apart from the arguments to fill in.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(super) struct RouteCall {
    /// The tool.
    pub(super) tool: &'static str,
    /// Its arguments, as far as they are known.
    pub(super) args: Map<String, Value>,
    /// Arguments that the caller has to find out.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) fill: &'static [String],
}

/// A step: a call, and others that would do.
#[derive(Debug)]
pub(super) struct PlannedStep {
    pub(super) why: &'static str,
    pub(super) call: RouteCall,
    pub(super) alternatives: Vec<RouteCall>,
}

/// The route of an intent.
pub(super) struct Route {
    /// The steps that can be made.
    pub(super) steps: Vec<PlannedStep>,
    /// What the other steps were for.
    pub(super) left_out: Vec<&'static str>,
}

/// The route of the intent `name`, with tools that `is_available`. `entities` are those of `plan_intent`.
pub(super) fn route(
    name: &str,
    entities: &Map<String, Value>,
    is_available: &dyn Fn(&str) -> bool,
) -> Route {
    let entities = with_derived(entities);
    let mut route = Route { steps: Vec::new(), left_out: Vec::new() };
    let rule = rules().route.iter().find(|rule| rule.intent == name);
    for step in rule.into_iter().flat_map(|rule| &rule.steps) {
        let mut calls = Vec::new();
        for call in step.calls.iter().filter(|call| is_available(&call.tool)) {
            let Some(args) = filled(&call.arguments, &entities) else { continue };
            let planned = RouteCall { tool: &call.tool, args, fill: &call.fill };
            // With a file known, the call without it is no alternative.
            if !calls.iter().any(|other: &RouteCall| other.tool == planned.tool) {
                calls.push(planned);
            }
        }
        if calls.is_empty() {
            route.left_out.push(&step.why);
            continue;
        }
        let call = calls.remove(0);
        route.steps.push(PlannedStep { why: &step.why, call, alternatives: calls });
    }
    route
}

/// Tokens that a result of `tool` has, about.
pub(super) fn usual_cost(tool: &str) -> usize {
    let cost = &rules().cost;
    cost.get(tool).or_else(|| cost.get("default")).copied().unwrap_or_default()
}

/// The entities, and what follows from them: `words`, `symbol_name`.
fn with_derived(entities: &Map<String, Value>) -> Map<String, Value> {
    let mut all = entities.clone();
    let text = |name: &str| entities.get(name).and_then(Value::as_str);
    if let Some(name) = text("symbol").and_then(|symbol| symbol.rsplit('/').next()) {
        all.insert("symbol_name".to_owned(), name.into());
    }
    if let Some(words) = text("issue").and_then(search_words) {
        all.insert("words".to_owned(), words.into());
    }
    all
}

/// A regular expression of the words that say what a request is about.
fn search_words(request: &str) -> Option<String> {
    const COMMON: &[&str] = &[
        "about", "after", "again", "always", "before", "cannot", "does", "doesn't", "every",
        "from", "into", "make", "more", "never", "should", "some", "that", "their", "there",
        "this", "when", "where", "which", "while", "with", "without", "would",
    ];
    let mut found: Vec<String> = Vec::new();
    for word in words(request) {
        let is_name = word.kind == WordKind::Name || word.kind == WordKind::Error;
        let is_long = word.kind == WordKind::Plain
            && word.text.chars().count() >= MIN_SEARCH_CHARS
            && word.text.chars().all(char::is_alphanumeric)
            && !COMMON.contains(&word.lowercase.as_str());
        let escaped = escaped(word.text.trim_end_matches("()"));
        if (is_name || is_long) && !found.contains(&escaped) {
            found.push(escaped);
        }
    }
    found.truncate(MAX_SEARCH_WORDS);
    (!found.is_empty()).then(|| found.join("|"))
}

fn escaped(text: &str) -> String {
    text.chars()
        .flat_map(|c| (c.is_ascii_punctuation() && c != '_').then_some('\\').into_iter().chain([c]))
        .collect()
}

/// The arguments with entities in place of `{entity}`; `None` if one is not known.
fn filled(
    arguments: &Map<String, Value>,
    entities: &Map<String, Value>,
) -> Option<Map<String, Value>> {
    let fill = |value: &Value| match value.as_str().and_then(placeholder) {
        Some(name) => entities.get(name).filter(|value| !value.is_null()).cloned(),
        None => Some(value.clone()),
    };
    arguments.iter().map(|(name, value)| Some((name.clone(), fill(value)?))).collect()
}

fn placeholder(text: &str) -> Option<&str> {
    let name = text.strip_prefix('{')?.strip_suffix('}')?;
    name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_').then_some(name)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    cost: HashMap<String, usize>,
    route: Vec<RouteRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RouteRule {
    intent: String,
    steps: Vec<StepRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepRule {
    why: String,
    calls: Vec<CallRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallRule {
    tool: String,
    arguments: Map<String, Value>,
    #[serde(default)]
    fill: Vec<String>,
}

fn rules() -> &'static Rules {
    static RULES: OnceLock<Rules> = OnceLock::new();
    RULES.get_or_init(|| {
        toml::from_str(include_str!("routes.toml"))
            .inspect_err(|error| tracing::error!("routes.toml: {error}"))
            .unwrap_or(Rules { cost: HashMap::new(), route: Vec::new() })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::intent::intents;
    use super::*;

    fn entities(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    /// The tools that routes call; all tests of this program may add them.
    fn add_families() {
        tools::add_families(vec![
            code_tools::family(),
            search_tools::family(),
            debug_tools::family(),
            git_tools::family(),
            records::family(),
            security_tools::family(),
        ]);
    }

    /// A misspelt parameter would only show when somebody makes the call.
    #[test]
    fn every_call_fits_its_tool() {
        add_families();
        // Of features that this crate does not see.
        let elsewhere = ["test", "lint"];
        let mut checked = 0;
        for call in rules().route.iter().flat_map(|route| &route.steps).flat_map(|step| &step.calls)
        {
            let Some(tool) = tools::find(&call.tool) else {
                assert!(elsewhere.contains(&call.tool.as_str()), "no tool {}", call.tool);
                continue;
            };
            let known = tool.input_schema["properties"].as_object().unwrap();
            for parameter in call.arguments.keys().chain(&call.fill) {
                assert!(known.contains_key(parameter), "{}: no parameter {parameter}", call.tool);
            }
            checked += 1;
        }
        assert!(checked > 50, "{checked}");
    }

    #[test]
    fn every_intent_has_a_route_that_needs_no_entities() {
        add_families();
        for intent in intents() {
            let route = route(&intent.name, &Map::new(), &|tool| tools::find(tool).is_some());
            assert!(!route.steps.is_empty(), "{}", intent.name);
        }
        assert_eq!(rules().route.len(), intents().len());
    }

    #[test]
    fn known_entities_choose_the_calls() {
        let known = entities(json!({ "file": "src/auth.rs", "issue": "authentication failure" }));
        let tools = ["read_file", "grep_search", "edit_file"];
        let planned = route("fix_bug", &known, &|tool| tools.contains(&tool));
        let calls: Vec<_> = planned.steps.iter().map(|step| step.call.tool).collect();
        assert_eq!(calls, ["read_file", "grep_search", "edit_file"]);
        assert_eq!(planned.steps[0].call.args["path"], "src/auth.rs");
        assert_eq!(planned.steps[1].call.args["pattern"], "authentication|failure");
        assert_eq!(planned.steps[2].call.fill, ["old_content", "new_content"]);
        assert_eq!(planned.left_out, ["see that it works"]);
    }

    #[test]
    fn names_are_searched_for_literally() {
        assert_eq!(
            search_words("wrong `a.b` in the C++ parser").as_deref(),
            Some("wrong|a\\.b|parser")
        );
        assert_eq!(search_words("of a"), None);
    }
}
