//! Elements of JSX: tags that name components, and attributes that name what components take.

use tree_sitter::Node;

use super::{As, Frame, Walk, span};
use crate::expression::{Expression, Value};
use crate::facts::{Def, Role};
use crate::vocabulary::DefinitionKind;

impl Walk<'_> {
    /// The name in a tag. An element of HTML or SVG has no definition, so its name refers to nothing.
    pub(super) fn tag(&mut self, child: Node<'_>, frame: &mut Frame) {
        (self.callee, self.construct) = (Value::NONE, Value::NONE);
        let (start, end) = span(child);
        if child.child_count() > 0 || is_component(self.slice(start, end)) {
            frame.object = self.visit(As::Value);
            self.callee = frame.object;
        }
    }

    /// The name of an attribute: what the component takes under that name, which also says of what
    /// type the value is.
    pub(super) fn element_attribute(&mut self, child: Node<'_>) {
        let component = self.callee;
        self.construct = Value::NONE;
        if component.is_some() {
            self.construct = self.refer(span(child), As::Value, component, Role::Keyword);
        }
    }

    /// A component without a name takes what the last type argument says of the call that it is given
    /// to: `forwardRef<Element, Props>((props, ref) => …)`.
    pub(super) fn component_given_to(&mut self, frame: &Frame) {
        let first = frame.list.first().and_then(|v| v.as_expression());
        let first = first.and_then(|e| self.expressions.get(e as usize));
        let (true, Some(Expression::Lambda(scope))) = (frame.body.is_some(), first) else { return };
        let own = |d: &Def| d.scope == *scope && d.kind == DefinitionKind::Parameter;
        let Some(parameter) = self.definitions.iter().position(own) else { return };
        let value = self.definitions[parameter].value;
        let Some(mut e) = value.as_expression() else { return };
        if let Expression::Union(list) = self.expressions[e as usize]
            && let Some(part) = self.lists.get(list as usize + 1).and_then(|v| v.as_expression())
        {
            e = part;
        }
        if let Expression::Field(whole, _) = self.expressions[e as usize] {
            e = whole.as_expression().unwrap_or(e);
        }
        if matches!(
            self.expressions[e as usize],
            Expression::Same(Value::NONE) | Expression::LambdaParameter(..)
        ) {
            self.expressions[e as usize] = Expression::Typed(frame.body);
        }
    }
}

/// Whether a tag's name, which is no path, is that of a component: it is one unless it starts with a
/// small letter or has a dash.
fn is_component(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.contains('-')
}
