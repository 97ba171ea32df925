//! The end of definitions, bindings and calls: what follows from their children.

use tree_sitter::Node;

use super::{As, Bind, Frame, Walk};
use crate::expression::{Expression, Value};
use crate::facts::{Extension, NONE, Role};
use crate::rules::{Derive, Rule};
use crate::vocabulary::{DefinitionKind, Flags, Hint};

impl Walk<'_> {
    pub(super) fn end_define(&mut self, rule: &Rule, as_: As, frame: &mut Frame) -> Value {
        let scope = self.scope;
        let kind = rule.act.kind.unwrap_or(DefinitionKind::Variable);
        if kind == DefinitionKind::Namespace && frame.count > 0 {
            self.unnamed -= u32::from(frame.count == 2);
            return Value::NONE;
        }
        let anonymous = frame.definition == NONE;
        if kind.is_callable()
            && frame.ty.is_none()
            && let Some(comment) = frame.comment
        {
            frame.ty = self.documented_return(comment);
            if anonymous && frame.ty.is_some() {
                self.returns_typed(frame.ty);
            }
        }
        if anonymous && rule.scope.is_some() && kind.is_type() {
            return self.express(Expression::Object(scope));
        }
        if anonymous {
            let function = kind.is_callable();
            return if function { self.express(Expression::Lambda(scope)) } else { Value::NONE };
        }
        let mut value = if kind.is_callable() {
            if frame.ty.is_some() { self.express(Expression::Typed(frame.ty)) } else { Value::NONE }
        } else if kind == DefinitionKind::TypeAlias {
            frame.ty.or(frame.value)
        } else if frame.ty.is_some() && !kind.is_type() {
            self.express(Expression::Typed(frame.ty))
        } else {
            frame.value
        };
        let mut supers = std::mem::take(&mut frame.list);
        let mut body = if rule.scope.is_some() { scope } else { NONE };
        if kind == DefinitionKind::TypeAlias
            && let Some(object) = value.as_expression()
            && let Expression::Object(members) = self.expressions[object as usize]
        {
            body = members;
            value = Value::NONE;
            self.definitions[frame.definition as usize].kind = DefinitionKind::Struct;
        }
        let embeds = &mut self.embeds;
        if body != NONE && !embeds.is_empty() {
            supers.extend(embeds.extract_if(.., |e| e.0 == body).map(|e| e.1));
        }
        let supers = self.keep(&supers);
        let definition = &mut self.definitions[frame.definition as usize];
        if value.is_some() {
            definition.value = value;
        }
        if supers != NONE {
            definition.supers = supers;
        }
        if body != NONE {
            definition.body = body;
            if self.scopes[body as usize].owner == NONE {
                self.scopes[body as usize].owner = frame.definition;
            }
        }
        if kind == DefinitionKind::Namespace {
            // `namespace a::b` makes several definitions with one body.
            let start = self.definitions[frame.definition as usize].start;
            for other in &mut self.definitions[frame.definition as usize + 1..] {
                if other.kind != kind || other.start != start {
                    break;
                }
                other.body = body;
            }
        }
        match as_ {
            As::Value if kind.is_callable() && rule.flags.has(Flags::OWN_SCOPE) => {
                self.express(Expression::Lambda(scope))
            }
            As::Value | As::Type => self.express(Expression::Defined(frame.definition)),
            _ => Value::NONE,
        }
    }

    pub(super) fn end_bind(&mut self, rule: &Rule, node: Node<'_>, frame: &mut Frame) -> Value {
        if frame.ty.is_none() && frame.count == 1 {
            frame.ty = self.type_comment(rule, node);
            if let Some(hole) = self.bind.source.as_expression()
                && frame.ty.is_some()
                && self.expressions[hole as usize] == Expression::Same(Value::NONE)
            {
                self.expressions[hole as usize] = Expression::Typed(frame.ty);
            }
        }
        self.bind_record(frame);
        if let Some(hole) = self.bind.source.as_expression()
            && frame.ty.is_none()
            && frame.value.is_some()
        {
            let known = matches!(self.expressions[hole as usize], Expression::Same(v)
                if v.as_expression().is_none_or(|e| e == NONE
                    || matches!(self.expressions[e as usize], Expression::Same(Value::NONE))));
            if known {
                self.expressions[hole as usize] = match rule.derive {
                    Derive::Element => Expression::Element(frame.value),
                    Derive::Enter => Expression::Enter(frame.value),
                    Derive::Instance => Expression::Typed(frame.value),
                    Derive::Same | Derive::Position => Expression::Same(frame.value),
                };
            }
        }
        if frame.count == 0
            && self.bind.kind == DefinitionKind::Parameter
            && self.rules.preprocessor.is_some()
        {
            self.nameless_parameter();
        }
        if frame.count == 0
            && self.bind.kind == DefinitionKind::Field
            && let Some(e) = frame.ty.as_expression()
            && let Expression::Object(_) = self.expressions[e as usize]
        {
            // An anonymous struct or union lends its fields to the type around it.
            let scope = self.scope;
            self.embeds.push((scope, frame.ty));
        }
        if frame.count == 0
            && rule.flags.has(Flags::SIGNATURE)
            && self.bind.kind == DefinitionKind::Parameter
        {
            // An unnamed parameter still has a position.
            let bind = self.bind;
            self.define((bind.start, bind.start), &bind);
        }
        if frame.count == 0
            && rule.flags.has(Flags::EMBEDDED)
            && let Some((start, end)) = frame.last
        {
            // An embedded field is named after its type, whose members it lends.
            let bind = Bind { flags: self.bind.flags | Flags::EMBEDDED, ..self.bind };
            self.define((start, end), &bind);
            let scope = self.scope;
            self.embeds.push((scope, frame.ty));
        }
        frame.value
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
        let bind = Bind { flags, ..self.bind };
        self.define((start, start), &bind);
    }

    pub(super) fn end_call(&mut self, rule: &Rule, frame: &Frame) -> Value {
        if rule.has_hint(Hint::TEST) {
            self.test_call(rule, frame);
        } else if let Some(r) = frame.object.as_reference()
            && !rule.words.is_empty()
            && frame.list.len() == 1
        {
            let callee = self.references[r as usize];
            let word = self.slice(callee.start, callee.end);
            let text = frame.list[0].as_expression();
            if callee.receiver.is_none()
                && rule.words.iter().any(|(w, _)| &**w == word)
                && text.is_some_and(|t| self.expressions[t as usize] == Expression::Text)
            {
                let (start, end) = self.string;
                let path = self.name(start, end);
                let module = self.express(Expression::Module(path, 0));
                self.refer((start, end), As::Path, module, Role::Root);
                return module;
            }
        }
        if let Some(record) = self.record(rule, frame) {
            return record;
        }
        let list = self.keep(&frame.list);
        let call = self.express(Expression::Call(frame.ty.or(frame.object), list));
        if let Some(r) = frame.object.as_reference() {
            self.references[r as usize].call = call.0;
        }
        self.lambdas_given_to(call, frame);
        self.component_given_to(frame);
        call
    }

    /// Records the call in the scopes of lambdas that are passed to it.
    pub(super) fn lambdas_given_to(&mut self, call: Value, frame: &Frame) {
        for &argument in &frame.list {
            if let Some(e) = argument.as_expression()
                && let Some(Expression::Lambda(scope)) = self.expressions.get(e as usize)
            {
                self.scopes[*scope as usize].subject = call;
            }
        }
    }

    /// A class body after `new T(…)`: an anonymous subclass of `T`.
    pub(super) fn anonymous_class(&mut self, frame: &Frame) -> Option<Value> {
        let scope = frame.body.as_expression()?;
        let Expression::Object(scope) = self.expressions[scope as usize] else { return None };
        self.scopes[scope as usize].subject = frame.ty;
        Some(frame.body)
    }

    pub(super) fn end_extend(&mut self, frame: &Frame) {
        let scope = self.scope;
        self.scopes[scope as usize].subject = frame.ty;
        // A tuple or slice has no name.
        let name = self.type_name(frame.ty).unwrap_or_else(|| self.names.number(""));
        self.extensions.push(Extension { scope, name, target: frame.ty, interface: frame.trait_ });
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
    pub(super) fn end_where(&mut self, frame: &Frame) {
        let Some(r) = frame.object.as_reference() else { return };
        let name = self.references[r as usize].name;
        let parameter = self
            .definitions
            .iter()
            .rposition(|d| d.kind == DefinitionKind::TypeParameter && d.name == name);
        if let Some(d) = parameter {
            let typed = self.express(Expression::Typed(frame.ty));
            let bounds = [self.definitions[d].value, typed];
            let list = if self.is_bounded(bounds[0]) { self.keep(&bounds) } else { NONE };
            let both = if list == NONE { typed } else { self.express(Expression::Union(list)) };
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
