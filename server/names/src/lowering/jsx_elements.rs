//! JSX elements: tags refer to components, attributes to the props of components.

use tree_sitter::Node;

use super::{Lowerer, LoweringContext, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::{Def, ReferenceRole};
use crate::vocabulary::DefinitionKind;

impl Lowerer<'_> {
    /// Lowers a tag's name. HTML and SVG elements have no definition, so their names refer to
    /// nothing.
    pub(super) fn lower_jsx_tag(&mut self, child: Node<'_>, ctx: &mut LoweringContext) {
        (self.callee, self.expected_type) = (Value::NONE, Value::NONE);
        let (start, end) = span(child);
        if child.child_count() > 0 || is_component(self.slice(start, end)) {
            ctx.object = self.lower_node(UsedAs::Value);
            self.callee = ctx.object;
        }
    }

    /// Refers to the prop that an attribute names; it also gives the expected type of the value.
    pub(super) fn lower_jsx_attribute(&mut self, child: Node<'_>) {
        let component = self.callee;
        self.expected_type = Value::NONE;
        if component.is_some() {
            self.expected_type =
                self.push_reference(span(child), UsedAs::Value, component, ReferenceRole::Keyword);
        }
    }

    /// Types the parameter of an unnamed component by the last type argument of the call that it is
    /// passed to: `forwardRef<Element, Props>((props, ref) => …)`.
    pub(super) fn type_component_parameter(&mut self, ctx: &LoweringContext) {
        let first = ctx.list.first().and_then(|v| v.as_expression());
        let first = first.and_then(|e| self.expressions.get(e as usize));
        let (true, Some(Expression::Lambda(scope))) = (ctx.body.is_some(), first) else { return };
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
            self.expressions[e as usize] = Expression::Typed(ctx.body);
        }
    }
}

/// Whether a tag's name, if it is no path, is a component's: anything but lower case or dashed.
fn is_component(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.contains('-')
}
