//! `query_selector`: elements of the page.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Context, Effect, EffectKind, Tool, ToolError};
use web::{push, push_page, push_rest};

use crate::call::Call;
use crate::limits::{ACTION_TIMEOUT, MAX_ELEMENT_TEXT, MAX_ELEMENTS};
use crate::target::Selector;

pub(crate) struct QuerySelector;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// CSS, `text=Save`, `role=button[name="Save"]`, or a reference of `browser_snapshot` (`e12`).
    selector: String,
    /// Return all matches, at most 200; otherwise the first.
    #[serde(default)]
    all: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The elements.
    elements: Vec<FoundElement>,
    /// How many elements match.
    count: u64,
    /// Whether some matches are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct FoundElement {
    /// Reference of the element, for other tools.
    #[serde(rename = "ref")]
    reference: Reference,
    /// A CSS selector that matches only it, in its frame.
    selector: String,
    /// Its tag, in lower case.
    tag: String,
    /// Its text.
    text: String,
    /// Its attributes.
    attributes: BTreeMap<String, String>,
    /// Whether it is visible.
    visible: bool,
    /// Its role, if it has one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    role: String,
    /// Its name for assistive technology.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    /// The value of a field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// Its place in the window of its frame, in CSS pixels.
    #[serde(rename = "box")]
    place: Box,
}

/// `e12`.
#[derive(JsonSchema)]
#[schemars(with = "String")]
struct Reference(u64);

impl Serialize for Reference {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("e{}", self.0))
    }
}

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(Self)
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Box {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
}

#[derive(Deserialize)]
struct Found {
    count: u64,
    elements: Vec<FoundElement>,
}

impl Tool for QuerySelector {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "query_selector";
    const DESCRIPTION: &'static str = "Find elements of the open page, in all frames and open shadow roots: tag, text, \
        attributes, visibility, place and reference of each. No match is a result. Prefer `browser_snapshot` to see \
        what is on the page.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const IDEMPOTENT: bool = true;
    const VERBOSE_FIELDS: &'static [&'static str] = &["elements[].box"];

    fn text(result: &Value) -> Option<String> {
        let mut found = String::new();
        for element in result["elements"].as_array().into_iter().flatten() {
            let field = |name: &str| element[name].as_str().unwrap_or_default().to_owned();
            let mut line = format!("{} <{}", field("ref"), field("tag"));
            for (name, value) in element["attributes"].as_object().into_iter().flatten() {
                line.push_str(&format!(" {name}={value}"));
            }
            line.push('>');
            if !field("text").is_empty() {
                line.push_str(&format!(" {:?}", field("text")));
            }
            if let Some(value) = element["value"].as_str() {
                line.push_str(&format!(" value {value:?}"));
            }
            if element["visible"] == false {
                line.push_str(" (not visible)");
            }
            push(&mut found, line);
        }
        let mut text = String::new();
        let count = result["count"].as_u64().unwrap_or_default();
        if found.is_empty() {
            push(&mut text, "no element matches");
        } else {
            if count > 1 {
                push(&mut text, format_args!("{count} match"));
            }
            push_page(&mut text, &found);
        }
        push_rest(&mut text, result);
        text.truncate(text.trim_end().len());
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Selector::parse(Self::NAME, &params.selector)?;
        Ok(crate::effects::of_action(context, Self::NAME))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let call = Call::on_page(context, Self::NAME, None, ACTION_TIMEOUT)?;
        let _attended = call.browser.gate.attend();
        call.refuse_if_dialog()?;
        let selector = Selector::parse(Self::NAME, &params.selector)?;
        let most = if params.all { MAX_ELEMENTS } else { 1 };
        let mut output = Output { elements: Vec::new(), count: 0, truncated: false };
        for frame in call.frames() {
            let most = most.saturating_sub(output.elements.len());
            let argument =
                json!({ "target": selector.to_json(), "most": most, "text": MAX_ELEMENT_TEXT });
            let found: Found = match call.run(&frame, "query", &argument) {
                Ok(found) => found,
                Err(error) if error.is_stale() => continue,
                Err(error) => return Err(call.selector_failed(&selector, &error)),
            };
            output.count += found.count;
            output.elements.extend(found.elements);
        }
        output.truncated =
            params.all && output.count > u64::try_from(output.elements.len()).unwrap_or(u64::MAX);
        Ok(output)
    }
}
