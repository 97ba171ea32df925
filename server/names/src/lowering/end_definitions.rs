//! The end of definitions, bindings and calls: what follows from their children.

use tree_sitter::Node;

use super::{Binding, Lowerer, LoweringContext, UsedAs};
use crate::expression::{Expression, Value};
use crate::facts::{Extension, NONE, ReferenceRole};
use crate::node_rules::{Derivation, NodeRule};
use crate::vocabulary::{DefinitionKind, Flags, RuleHint, ScopeKind};

impl Lowerer<'_> {
    /// Gives a definition its value, supertypes and body. Returns the value of the node: anonymous
    /// functions and types are values themselves.
    pub(super) fn finish_definition(
        &mut self,
        rule: &NodeRule,
        used_as: UsedAs,
        ctx: &mut LoweringContext,
    ) -> Value {
        let scope = self.scope;
        let kind = rule.action.definition.unwrap_or(DefinitionKind::Variable);
        if kind == DefinitionKind::Namespace && ctx.count > 0 {
            self.unnamed_namespaces -= u32::from(ctx.count == 2);
            return Value::NONE;
        }
        let anonymous = ctx.definition == NONE;
        if kind.is_callable()
            && ctx.ty.is_none()
            && let Some(comment) = ctx.comment
        {
            ctx.ty = self.comment_return_type(comment);
            if anonymous && ctx.ty.is_some() {
                self.set_return_type(ctx.ty);
            }
        }
        if anonymous && rule.scope.is_some() && kind.is_type() {
            if self.scopes[scope as usize].kind == ScopeKind::Open {
                self.scopes[scope as usize].subject = ctx.interface;
            }
            return self.push_expression(Expression::Object(scope));
        }
        if anonymous {
            let function = kind.is_callable();
            if function && rule.flags.has(Flags::PROPERTY) && ctx.ty.is_some() {
                self.set_return_type(ctx.ty);
            }
            if function && rule.flags.has(Flags::PROPERTY) {
                // Reading the property calls it.
                let accessor = self.push_expression(Expression::Lambda(scope));
                return self.push_expression(Expression::Call(accessor, NONE));
            }
            return if function {
                self.push_expression(Expression::Lambda(scope))
            } else {
                Value::NONE
            };
        }
        let mut value = if kind.is_callable() {
            if ctx.ty.is_some() {
                self.push_expression(Expression::Typed(ctx.ty))
            } else {
                Value::NONE
            }
        } else if kind == DefinitionKind::TypeAlias {
            ctx.ty.or(ctx.value)
        } else if ctx.ty.is_some() && !kind.is_type() {
            self.push_expression(Expression::Typed(ctx.ty))
        } else {
            ctx.value
        };
        let mut supers = std::mem::take(&mut ctx.list);
        let mut body = if rule.scope.is_some() { scope } else { NONE };
        if kind == DefinitionKind::TypeAlias
            && let Some(object) = value.as_expression()
            && let Expression::Object(members) = self.expressions[object as usize]
        {
            body = members;
            value = Value::NONE;
            self.definitions[ctx.definition as usize].kind = DefinitionKind::Struct;
        }
        let embeds = &mut self.embedded_types;
        if body != NONE && !embeds.is_empty() {
            supers.extend(embeds.extract_if(.., |e| e.0 == body).map(|e| e.1));
        }
        let supers = self.push_list(&supers);
        let definition = &mut self.definitions[ctx.definition as usize];
        if value.is_some() {
            definition.value = value;
        }
        if supers != NONE {
            definition.supertypes = supers;
        }
        if body != NONE {
            definition.body = body;
            if self.scopes[body as usize].owner == NONE {
                self.scopes[body as usize].owner = ctx.definition;
            }
        }
        if kind == DefinitionKind::Namespace {
            // `namespace a::b` makes several definitions with one body.
            let start = self.definitions[ctx.definition as usize].start;
            for other in &mut self.definitions[ctx.definition as usize + 1..] {
                if other.kind != kind || other.start != start {
                    break;
                }
                other.body = body;
            }
        }
        match used_as {
            UsedAs::Value if kind.is_callable() && rule.flags.has(Flags::OWN_SCOPE) => {
                self.push_expression(Expression::Lambda(scope))
            }
            UsedAs::Value | UsedAs::Type => {
                self.push_expression(Expression::Defined(ctx.definition))
            }
            _ => Value::NONE,
        }
    }

    /// Fills in the placeholder that the bound names share, and defines unnamed parameters and
    /// fields.
    pub(super) fn finish_binding(
        &mut self,
        rule: &NodeRule,
        node: Node<'_>,
        ctx: &mut LoweringContext,
    ) -> Value {
        if ctx.ty.is_none() && ctx.count == 1 {
            ctx.ty = self.type_comment(rule, node);
            if let Some(placeholder) = self.bind.source.as_expression()
                && ctx.ty.is_some()
                && self.expressions[placeholder as usize] == Expression::Same(Value::NONE)
            {
                self.expressions[placeholder as usize] = Expression::Typed(ctx.ty);
            }
        }
        self.bind_record_type(ctx);
        if let Some(placeholder) = self.bind.source.as_expression()
            && ctx.ty.is_none()
            && ctx.value.is_some()
        {
            let known = matches!(self.expressions[placeholder as usize], Expression::Same(v)
                if v.as_expression().is_none_or(|e| e == NONE
                    || matches!(self.expressions[e as usize], Expression::Same(Value::NONE))));
            if known {
                self.expressions[placeholder as usize] = match rule.derive {
                    Derivation::Element => Expression::Element(ctx.value),
                    Derivation::Enter => Expression::Enter(ctx.value),
                    Derivation::Instance => Expression::Typed(ctx.value),
                    Derivation::Same | Derivation::Position => Expression::Same(ctx.value),
                };
            }
        }
        if ctx.count == 0
            && self.bind.kind == DefinitionKind::Parameter
            && self.rules.preprocessor.is_some()
        {
            self.nameless_parameter();
        }
        if ctx.count == 0
            && self.bind.kind == DefinitionKind::Field
            && let Some(e) = ctx.ty.as_expression()
            && let Expression::Object(_) = self.expressions[e as usize]
        {
            // An anonymous struct or union lends its fields to the type around it.
            let scope = self.scope;
            self.embedded_types.push((scope, ctx.ty));
        }
        if ctx.count == 0
            && rule.flags.has(Flags::SIGNATURE)
            && self.bind.kind == DefinitionKind::Parameter
        {
            // An unnamed parameter still has a position.
            let bind = self.bind;
            self.push_definition((bind.start, bind.start), &bind);
        }
        if ctx.count == 0
            && rule.flags.has(Flags::EMBEDDED)
            && let Some((start, end)) = ctx.last_span
        {
            // An embedded field is named after its type, whose members it lends.
            let bind = Binding { flags: self.bind.flags | Flags::EMBEDDED, ..self.bind };
            self.push_definition((start, end), &bind);
            let scope = self.scope;
            self.embedded_types.push((scope, ctx.ty));
        }
        ctx.value
    }

    /// An unnamed parameter still has a position.
    fn nameless_parameter(&mut self) {
        let (start, end) = (self.bind.start, self.bind.end);
        let text = self.slice(start, end);
        if text == "void" {
            return;
        }
        let mut flags = self.bind.flags | Flags::HIDDEN;
        if text.contains('*') || text.contains('[') {
            flags |= Flags::POINTER;
        }
        let bind = Binding { flags, ..self.bind };
        self.push_definition((start, start), &bind);
    }

    /// Ends a call: a type test, a `require`, a record type, or a plain call.
    pub(super) fn finish_call(&mut self, rule: &NodeRule, ctx: &mut LoweringContext) -> Value {
        if rule.has_hint(RuleHint::TEST) {
            self.record_type_test_call(rule, ctx);
        } else if let Some(r) = ctx.object.as_reference()
            && !rule.flag_words.is_empty()
            && ctx.list.len() == 1
        {
            let callee = self.references[r as usize];
            let word = self.slice(callee.start, callee.end);
            let text = ctx.list[0].as_expression();
            if callee.receiver.is_none()
                && rule.flag_words.iter().any(|(w, _)| &**w == word)
                && text.is_some_and(|t| self.expressions[t as usize] == Expression::Text)
            {
                let (start, end) = self.last_string;
                let path = self.intern(start, end);
                let module = self.push_expression(Expression::Module(path, 0));
                self.push_reference((start, end), UsedAs::Path, module, ReferenceRole::Root);
                return module;
            }
        }
        if rule.trailing_lambda
            && let Some(whole) = self.add_trailing_lambda(ctx)
        {
            return whole;
        }
        if let Some(record) = self.record_type(rule, ctx) {
            return record;
        }
        let list = self.push_list(&ctx.list);
        let call = self.push_expression(Expression::Call(ctx.ty.or(ctx.object), list));
        if let Some(r) = ctx.object.as_reference() {
            self.references[r as usize].call = call.0;
        }
        self.record_call_of_lambdas(call, ctx);
        self.type_component_parameter(ctx);
        call
    }

    /// Records the call in the scopes of lambdas that are passed to it.
    pub(super) fn record_call_of_lambdas(&mut self, call: Value, ctx: &LoweringContext) {
        for &argument in &ctx.list {
            if let Some(e) = argument.as_expression()
                && let Some(Expression::Lambda(scope)) = self.expressions.get(e as usize)
            {
                self.scopes[*scope as usize].subject = call;
            }
        }
    }

    /// A class body after `new T(…)`: an anonymous subclass of `T`.
    pub(super) fn anonymous_class(&mut self, ctx: &LoweringContext) -> Option<Value> {
        let scope = ctx.body.as_expression()?;
        let Expression::Object(scope) = self.expressions[scope as usize] else { return None };
        self.scopes[scope as usize].subject = ctx.ty;
        Some(ctx.body)
    }

    pub(super) fn finish_extension(&mut self, ctx: &LoweringContext) {
        let scope = self.scope;
        self.scopes[scope as usize].subject = ctx.ty;
        // A tuple or slice has no name.
        let name = self.type_name(ctx.ty).unwrap_or_else(|| self.names.number(""));
        self.extensions.push(Extension { scope, name, target: ctx.ty, interface: ctx.interface });
    }

    /// The name of a type, without arguments, path or pointers.
    pub(super) fn type_name(&self, ty: Value) -> Option<u32> {
        if let Some(r) = ty.as_reference() {
            return Some(self.references[r as usize].name);
        }
        match *self.expressions.get(ty.as_expression()? as usize)? {
            Expression::Generic(base, _) | Expression::Same(base) | Expression::Typed(base) => {
                self.type_name(base)
            }
            _ => None,
        }
    }

    /// A `where` clause: bounds of a type parameter, apart from it.
    pub(super) fn finish_where_clause(&mut self, ctx: &LoweringContext) {
        let Some(r) = ctx.object.as_reference() else { return };
        let name = self.references[r as usize].name;
        let parameter = self
            .definitions
            .iter()
            .rposition(|d| d.kind == DefinitionKind::TypeParameter && d.name == name);
        if let Some(d) = parameter {
            let typed = self.push_expression(Expression::Typed(ctx.ty));
            let bounds = [self.definitions[d].value, typed];
            let list = if self.is_bounded(bounds[0]) { self.push_list(&bounds) } else { NONE };
            let both =
                if list == NONE { typed } else { self.push_expression(Expression::Union(list)) };
            self.definitions[d].value = both;
        }
    }

    /// Whether a type parameter has a bound.
    fn is_bounded(&self, mut value: Value) -> bool {
        for _ in 0..3 {
            match value.as_expression().and_then(|e| self.expressions.get(e as usize)) {
                Some(Expression::Same(inner)) => value = *inner,
                Some(Expression::Typed(_) | Expression::Union(_)) => return true,
                _ => return false,
            }
        }
        false
    }
}
