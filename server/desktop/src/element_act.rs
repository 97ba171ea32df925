//! `element_act`: does something with an element, without a mouse.

use std::time::Instant;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::accessibility::actions::{ElementAction, chosen, refused};
use crate::accessibility::bus::AccessibilityBus;
use crate::accessibility::element::Element;
use crate::accessibility::programs::{Coordinates, WindowTree};
use crate::accessibility::resolve::resolve;
use crate::display::Display;
use crate::input::{InputTarget, input_effects};
use crate::limits::{CHANGE_TIMEOUT, MAX_SET_CHARACTERS, POLL_INTERVAL, STEP_TIMEOUT};

pub(crate) struct ElementAct;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The element, as `detect_elements` returns its id.
    element: String,
    /// One of its actions, `focus`, `select`, `set_text` or `set_value`; its first action by default.
    #[serde(default)]
    action: Option<String>,
    /// The new text of a field, for `set_text`.
    #[serde(default)]
    text: Option<String>,
    /// The new number of a slider or spin button, for `set_value`.
    #[serde(default)]
    value: Option<f64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// What was done.
    action: String,
    /// The window that it is in.
    window_id: String,
    /// The window's title after that.
    title: String,
    /// The element's value after that, if it still has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// Its states after that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    states: Vec<&'static str>,
}

impl Tool for ElementAct {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "element_act";
    const DESCRIPTION: &'static str = "Press a button, choose a menu item, set the text of a field or focus an element of \
        a window, by its id and without the mouse. Refused if the window does not have the focus (`focus_window`), \
        the element has changed since `detect_elements`, or the person is typing.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin];
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("id", "element"), ("element_id", "element")];

    fn text(result: &Value) -> Option<String> {
        let field = |name: &str| result[name].as_str().unwrap_or_default();
        let mut line =
            format!("{} in {} \"{}\"", field("action"), field("window_id"), field("title"));
        if let Some(value) = result["value"].as_str() {
            line.push_str(&format!("; now \"{value:.200}\""));
        }
        for state in result["states"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            line.push(' ');
            line.push_str(state);
        }
        Some(line)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.text.as_ref().is_some_and(|text| text.chars().count() > MAX_SET_CHARACTERS) {
            let message =
                format!("{}: `text` has {MAX_SET_CHARACTERS} characters at most", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        let display = Display::open(context, Self::NAME)?;
        let (_, found) = resolve(&display, context.interrupt, &params.element, Self::NAME)?;
        let action = action(params, &found.element)?;
        let mut what = described(&action, &found.element);
        if let ElementAction::SetText(text) = &action {
            what = format!("{what} to:\n{text}");
        }
        input_effects(&display, &found.window, &what)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let display = Display::open(context, Self::NAME)?;
        let (bus, found) = resolve(&display, context.interrupt, &params.element, Self::NAME)?;
        drop(bus);
        let input = InputTarget::open(context, &display, Some(&found.window.id), Self::NAME)?;
        // It may have changed while the call waited for the person to pause.
        let (mut bus, found) = resolve(&display, context.interrupt, &params.element, Self::NAME)?;
        let action = action(&params, &found.element)?;
        input.require_focus()?;
        bus.extend(STEP_TIMEOUT);
        let done = bus.perform(&found.element, &action).map_err(|silence| {
            bus.error(&silence).hint("it was asked, and may still do it; take a screenshot")
        })?;
        if !done {
            return Err(refused(Self::NAME, &found.element));
        }
        let tree =
            WindowTree { root: found.element.reference.clone(), coordinates: Coordinates::Screen };
        let after = changed(&display, &mut bus, &tree, &found.element)?;
        let window = display.window(input.window.handle);
        Ok(Output {
            action: described(&action, &found.element),
            title: window.map_or_else(|_| "(closed)".to_owned(), |window| window.title),
            window_id: input.window.id,
            value: after.as_ref().and_then(|element| element.value.clone()),
            states: after.map(|element| element.states.names()).unwrap_or_default(),
        })
    }
}

/// The element as it is once it has changed, or has had the time to; `None` if it has gone with its window.
fn changed(
    display: &Display<'_>,
    bus: &mut AccessibilityBus<'_>,
    tree: &WindowTree,
    before: &Element,
) -> Result<Option<Element>, ToolError> {
    let end = Instant::now() + CHANGE_TIMEOUT;
    loop {
        // A program that has opened a dialog may not answer before it is closed.
        let Ok(after) = bus.element(tree) else { return Ok(None) };
        let is_same = after.as_ref().is_some_and(|after| {
            (&after.value, after.states, &after.name)
                == (&before.value, before.states, &before.name)
        });
        if !is_same || Instant::now() >= end {
            return Ok(after);
        }
        display.pause(POLL_INTERVAL)?;
    }
}

fn action(params: &Params, element: &Element) -> Result<ElementAction, ToolError> {
    chosen(element, params.action.as_deref(), params.text.clone(), params.value).map_err(
        |(message, hint)| {
            ToolError::new(Code::InvalidParams, format!("{}: {message}", ElementAct::NAME))
                .hint(hint)
        },
    )
}

/// What is done, in words.
fn described(action: &ElementAction, element: &Element) -> String {
    let label = element.described();
    match action {
        ElementAction::Own(index) => {
            let name = element.actions.get(*index).map_or("act", String::as_str);
            format!("{name} {label}")
        }
        ElementAction::Focus => format!("focus {label}"),
        ElementAction::SetText(_) => format!("set the text of {label}"),
        ElementAction::SetValue(value) => format!("set {label} to {value}"),
        ElementAction::Select => format!("select {label}"),
    }
}
