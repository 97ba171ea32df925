//! Does something with an element, without a mouse.

use dbus::Value;
use tools::{Code, ToolError};

use crate::accessibility::bus::{
    ACCESSIBLE, AccessibilityBus, COMPONENT, Silence, method, property, set_property,
};
use crate::accessibility::element::{Element, Reference};
use crate::accessibility::tree::VALUE;

const ACTION: &str = "org.a11y.atspi.Action";
const EDITABLE_TEXT: &str = "org.a11y.atspi.EditableText";
const SELECTION: &str = "org.a11y.atspi.Selection";

/// What is done.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ElementAction {
    /// One of the element's own actions, by its number.
    Own(usize),
    Focus,
    /// Replaces a field's text.
    SetText(String),
    /// Sets a number: of a slider, a spin button.
    SetValue(f64),
    /// Selects an entry of a list, a tab.
    Select,
}

/// The action that a call asks for: by default the element's first.
///
/// # Errors
/// The reason, if the element has no such action.
pub(crate) fn chosen(
    element: &Element,
    action: Option<&str>,
    text: Option<String>,
    value: Option<f64>,
) -> Result<ElementAction, (String, String)> {
    let written = action.map(str::trim).filter(|action| !action.is_empty());
    let own = |name: &str| element.actions.iter().position(|own| own.eq_ignore_ascii_case(name));
    match (written, text, value) {
        (None | Some("set_text"), Some(text), None) => Ok(ElementAction::SetText(text)),
        (None | Some("set_value"), None, Some(value)) if value.is_finite() => {
            Ok(ElementAction::SetValue(value))
        }
        (None, None, None) if !element.actions.is_empty() => Ok(ElementAction::Own(0)),
        (None, None, None) => Err((
            format!("{} has no action of its own", element.described()),
            "`focus`, `select`, or mouse_click with `element`".to_owned(),
        )),
        (Some(name), None, None) => match (own(name), name.to_lowercase().as_str()) {
            (Some(index), _) => Ok(ElementAction::Own(index)),
            (None, "focus") => Ok(ElementAction::Focus),
            (None, "select") => Ok(ElementAction::Select),
            _ => Err((
                format!("{} has no action `{name:.40}`", element.described()),
                format!("it has: {}", list(element)),
            )),
        },
        _ => Err((
            "`text` goes with `set_text`, `value` with `set_value`, and nothing with other actions"
                .to_owned(),
            format!("it has: {}", list(element)),
        )),
    }
}

fn list(element: &Element) -> String {
    let own = element.actions.iter().map(String::as_str);
    own.chain(["focus", "select"]).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl AccessibilityBus<'_> {
    /// Does it, and returns whether the program did.
    pub(crate) fn perform(
        &mut self,
        element: &Element,
        action: &ElementAction,
    ) -> Result<bool, Silence> {
        let of = &element.reference;
        let call = match action {
            ElementAction::Own(index) => {
                method(of, ACTION, "DoAction", vec![(*index as i32).into()])
            }
            ElementAction::Focus => method(of, COMPONENT, "GrabFocus", Vec::new()),
            ElementAction::SetText(text) => {
                method(of, EDITABLE_TEXT, "SetTextContents", vec![text.as_str().into()])
            }
            ElementAction::SetValue(value) => {
                // The property has no answer but that it was taken.
                let call = set_property(of, VALUE, "CurrentValue", Value::F64(*value));
                return Ok(self.one(call)?.is_some());
            }
            ElementAction::Select => return self.select(of),
        };
        let answer = self.one(call)?;
        Ok(answer.and_then(|values| values.first()?.as_bool()).unwrap_or(false))
    }

    fn select(&mut self, of: &Reference) -> Result<bool, Silence> {
        let calls = vec![
            property(of, ACCESSIBLE, "Parent"),
            method(of, ACCESSIBLE, "GetIndexInParent", Vec::new()),
        ];
        let answers = self.query(calls)?;
        let first = |index: usize| answers.get(index)?.as_ref()?.first();
        let parent = first(0).and_then(|value| Reference::parse(value.inner()));
        let index = first(1).and_then(Value::as_i64).and_then(|index| i32::try_from(index).ok());
        let (Some(parent), Some(index)) = (parent, index) else { return Ok(false) };
        if parent.name != of.name {
            return Ok(false);
        }
        let answer = self.one(method(&parent, SELECTION, "SelectChild", vec![index.into()]))?;
        Ok(answer.and_then(|values| values.first()?.as_bool()).unwrap_or(false))
    }
}

/// The error for a program that refused.
pub(crate) fn refused(tool: &str, element: &Element) -> ToolError {
    let message = format!("{tool}: the program did not do this with {}", element.described());
    ToolError::new(Code::Conflict, message)
        .hint("mouse_click with `element`, or key_press, may do it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accessibility::element::States;
    use crate::text_block::BoundingBox;

    #[test]
    fn actions_are_found_by_name_and_parameter() {
        let element = |actions: &[&str]| Element {
            reference: Reference::root(":1.1"),
            role: "push button".to_owned(),
            name: "Save".to_owned(),
            label: None,
            value: None,
            place: BoundingBox { x: 0, y: 0, width: 1, height: 1 },
            states: States::default(),
            actions: actions.iter().map(|name| (*name).to_owned()).collect(),
        };
        let button = element(&["click", "press"]);
        let choose = |action, text: Option<&str>, value| {
            chosen(&button, action, text.map(str::to_owned), value)
        };
        assert_eq!(choose(None, None, None), Ok(ElementAction::Own(0)));
        assert_eq!(choose(Some("Press"), None, None), Ok(ElementAction::Own(1)));
        assert_eq!(choose(Some("focus"), None, None), Ok(ElementAction::Focus));
        assert_eq!(choose(None, Some("x"), None), Ok(ElementAction::SetText("x".to_owned())));
        assert_eq!(choose(Some("set_value"), None, Some(2.0)), Ok(ElementAction::SetValue(2.0)));
        assert!(choose(None, None, Some(f64::NAN)).is_err());
        assert!(choose(Some("click"), Some("x"), None).is_err());
        let (message, hint) = choose(Some("open"), None, None).unwrap_err();
        assert!(message.contains("`open`") && hint.contains("`click`"), "{message} {hint}");
        assert!(chosen(&element(&[]), None, None, None).is_err());
    }
}
