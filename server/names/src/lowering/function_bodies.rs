//! Bodies of functions and types, and the declared results and supertypes before them.

use tree_sitter::Node;

use super::{Lowerer, LoweringContext, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::{Def, NONE};
use crate::node_rules::NodeRule;
use crate::vocabulary::{ActionKind, DefinitionKind, Flags, ScopeKind};

impl Lowerer<'_> {
    /// The declared type of a function's results, as the expected type of object literals in it.
    pub(super) fn expected_result(
        &mut self,
        rule: &NodeRule,
        body: Node<'_>,
        ctx: &mut LoweringContext,
    ) -> Value {
        let callable = rule.action.kind == ActionKind::Lambda
            || rule.action.definition.is_some_and(DefinitionKind::is_callable);
        if !callable || !self.rules.starts_with_code {
            return Value::NONE;
        }
        if ctx.ty.is_none()
            && let Some(comment) = ctx.comment
        {
            ctx.ty = self.comment_return_type(comment);
        }
        if ctx.ty.is_none() {
            return Value::NONE;
        }
        let ty = self.push_expression(Expression::Typed(ctx.ty));
        let start = self.parent().map_or(0, |p| span(p).0);
        let head = self.slice(start, span(body).0);
        let head = head.split('(').next().unwrap_or(head);
        let later = head.split_whitespace().any(|w| w == "async");
        if later { self.push_expression(Expression::Await(ty)) } else { ty }
    }

    pub(super) fn lower_return_type(&mut self) -> Value {
        // Several results in parentheses parse as parameters.
        let bind = self.bind;
        let before = self.definitions.len();
        self.bind.source = Value::NONE;
        let value = self.lower_node(UsedAs::Type);
        self.bind = bind;
        self.hide_from_signature(before);
        value
    }

    /// Lowers the body of a definition, without the flags and expectations of its head.
    pub(super) fn lower_body(
        &mut self,
        rule: &NodeRule,
        child: Node<'_>,
        ctx: &LoweringContext,
    ) -> Value {
        let type_like = rule.action.kind == ActionKind::Define
            && rule.action.definition.is_some_and(DefinitionKind::is_type);
        if rule.action.kind == ActionKind::New {
            let (start, end) = span(child);
            let outer = self.scope;
            self.scope = self.push_scope(ScopeKind::Open, start, end);
            self.lower_node(UsedAs::Value);
            let scope = std::mem::replace(&mut self.scope, outer);
            return self.push_expression(Expression::Object(scope));
        }
        self.pending_flags = (Flags::default(), NONE);
        self.is_var_declaration = false;
        if type_like {
            self.lower_node(UsedAs::Value);
            return Value::NONE;
        }
        if rule.action.kind == ActionKind::Construct {
            self.expected_type = ctx.ty;
        }
        self.lower_node(UsedAs::Value)
    }

    /// Moves the references of a supertype list to the enclosing scope: of the inner scope they see
    /// only type parameters.
    pub(super) fn move_supertypes_out(&mut self, before: usize, ctx: &LoweringContext) {
        let Some(own) = self.definitions.get(ctx.definition as usize..) else { return };
        let inner = self.scope;
        for reference in &mut self.references[before..] {
            let parameter = |d: &Def| d.scope == inner && d.name == reference.name;
            if reference.scope == inner && !own.iter().any(parameter) {
                reference.scope = ctx.outer_scope;
            }
        }
    }
}
