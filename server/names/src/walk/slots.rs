//! Child roles: how a child is lowered by its role in its node.

use tree_sitter::Node;

use super::{As, Bind, Frame, Walk, span};
use crate::expression::{Expression, Value};
use crate::facts::{Def, NONE, Role};
use crate::rules::{Derive, Rule};
use crate::vocabulary::{ActName, DefinitionKind, Flags, Hint, Namespace, ScopeKind, Slot, Word};

impl Walk<'_> {
    pub(super) fn slot(
        &mut self,
        slot: Slot,
        rule: &'static Rule,
        child: Node<'_>,
        as_: As,
        frame: &mut Frame,
    ) {
        match slot {
            Slot::Skip | Slot::Alternative => {}
            Slot::Condition => {
                frame.holds = self.outcome(child);
                self.visit(As::Value);
            }
            Slot::Narrowed => self.consequence(child, frame),
            Slot::MacroBody => self.macro_body(child, frame),
            Slot::Name => self.name_slot(rule, child, as_, frame),
            Slot::Declarator => self.declarator(frame),
            Slot::Pattern => self.pattern(rule, frame),
            Slot::Value if rule.act.name == ActName::Keyword && self.names_type(rule, frame) => {
                frame.value = self.visit(As::Type);
            }
            Slot::Value if rule.outside => {
                let before = self.head();
                self.value_slot(rule, frame);
                self.evaluate_first_outside(before);
            }
            Slot::Value
                if rule.act.name == ActName::Call
                    && self.is_hinted(rule, frame.object, Hint::TYPED) =>
            {
                let mut list = Vec::new();
                self.gather(As::Type, &mut list);
                frame.ty = Value::NONE;
                frame.body = list.last().copied().unwrap_or(Value::NONE);
            }
            Slot::Value => self.value_slot(rule, frame),
            Slot::Item => {
                if rule.act.name == ActName::Choice && !frame.list.is_empty() {
                    self.second(child, frame);
                }
                let as_ = if as_ == As::Type { as_ } else { As::Value };
                let value = self.visit(as_);
                frame.list.push(value);
            }
            Slot::Modifiers if rule.act.name == ActName::Declarator => {
                let constant = self.modifiers(child).has(Flags::CONST);
                if let Some(method) = self.definitions.get_mut(frame.definition as usize)
                    && constant
                {
                    method.flags |= Flags::CONST_METHOD;
                }
            }
            Slot::Modifiers => {
                // An annotation is outside of the scope that it annotates.
                let inner = std::mem::replace(&mut self.scope, frame.outer);
                let flags = self.modifiers(child);
                self.scope = inner;
                self.bind.flags |= flags;
                if rule.act.name == ActName::Import {
                    self.ambient = (flags, self.scope);
                }
            }
            Slot::ItemName => self.import_item(child),
            Slot::Module => self.module_name(child),
            Slot::DefaultName => self.default_name(child),
            Slot::MemberParameter => self.bind.flags |= Flags::MEMBER,
            Slot::Declared => self.declared(child, frame),
            Slot::Tree => {
                self.visit(As::Import);
            }
            Slot::Positional => self.positional(child, frame),
            Slot::Left => frame.object = self.visit(As::Type),
            Slot::Bounds => frame.ty = self.visit(As::Type),
            Slot::ParameterTypes => {
                let mut list = std::mem::take(&mut frame.list);
                self.gather(As::Type, &mut list);
                frame.list = list;
            }
            Slot::Subject => {
                self.subject = self.visit(As::Value);
            }
            Slot::Variant => frame.object = self.visit(As::Value),
            Slot::Position => {
                let (start, end) = span(child);
                let name = self.name(start, end);
                frame.result = self.express(Expression::Field(frame.object, name));
            }
            Slot::Method => {
                let (object, role) =
                    (frame.object, if frame.object.is_some() { Role::Member } else { Role::Plain });
                let method = self.refer(span(child), As::Callee, object, role);
                if let Some(last) = self.references.last_mut() {
                    last.namespace = crate::vocabulary::Namespace::FUNCTION;
                }
                frame.object = method;
                self.callee = method;
            }
            Slot::Fields => {
                self.bind.flags |= Flags::MEMBER;
                self.parameters(rule, child, frame);
            }
            Slot::First => {
                if rule.act.name == ActName::Index {
                    frame.count = 1;
                }
                let value = self.visit(As::Value);
                frame.value = frame.value.or(value);
            }
            Slot::Type if rule.act.name == ActName::TypeCase => self.type_case(frame),
            Slot::Type => self.type_slot(rule, frame),
            Slot::Returns => {
                let before = self.head();
                frame.ty = self.returned_type();
                self.evaluate_outside(rule, before, frame);
            }
            Slot::TypeParameters => self.type_parameters(child),
            Slot::Body => {
                let result = self.result;
                if matches!(rule.act.name, ActName::Define | ActName::Lambda) {
                    self.result = self.expected_result(rule, child, frame);
                    if rule.act.name == ActName::Lambda {
                        self.construct = self.result;
                    }
                }
                frame.body = self.body(rule, child, frame);
                self.result = result;
            }
            Slot::Parameters if frame.count == super::begin::INITIALISED => {
                let before = self.references.len();
                self.visit(As::Type);
                for reference in &mut self.references[before..] {
                    reference.namespace |= Namespace::VALUE;
                }
            }
            Slot::Parameters => {
                let before = self.head();
                self.parameters(rule, child, frame);
                self.evaluate_outside(rule, before, frame);
            }
            Slot::Supers => {
                let mut list = std::mem::take(&mut frame.list);
                let rule = self.rules.rule(child.kind_id());
                let before = self.references.len();
                if rule.is_some_and(|r| r.act.name == ActName::List) {
                    self.gather(As::Type, &mut list);
                } else {
                    list.push(self.visit(As::Type));
                }
                frame.list = list;
                self.lift(before, frame);
            }
            Slot::Object => {
                let as_ = if matches!(as_, As::Import | As::Path) { As::Path } else { As::Value };
                frame.object = self.visit(as_);
            }
            Slot::TypeObject => {
                let import = matches!(as_, As::Import | As::Path);
                frame.object = self.visit(if import { As::Path } else { As::Type });
                if import {
                    self.is_prefix(frame.object);
                }
            }
            Slot::Member => {
                // A path that can only be a type's, whatever its position: `f<a.T>()`.
                let is_type = rule.act.word == Some(Word::TypePath) && as_ == As::Value;
                self.member(child, if is_type { As::Type } else { as_ }, frame);
            }
            Slot::Callee if rule.act.name == ActName::Element => self.tag(child, frame),
            Slot::Callee => {
                frame.object = self.visit(As::Callee);
                self.callee = frame.object;
            }
            Slot::Macro => frame.object = self.visit(As::Macro),
            Slot::Arguments => {
                let mut list = std::mem::take(&mut frame.list);
                self.callee = frame.object.or(frame.ty);
                let construct = std::mem::replace(&mut self.construct, Value::NONE);
                self.arguments(&mut list);
                self.construct = construct;
                frame.list = list;
            }
            Slot::TypeArguments if self.is_hinted(rule, frame.object.or(frame.ty), Hint::TEXT) => {
                self.visit(As::Value);
            }
            Slot::TypeArguments
                if rule.act.name == ActName::Index
                    && as_ != As::Type
                    && self.is_hinted(rule, frame.object, Hint::TYPED) =>
            {
                let mut list = std::mem::take(&mut frame.list);
                list.push(self.visit(As::Type));
                frame.list = list;
            }
            Slot::TypeArguments if rule.act.name == ActName::Index && as_ != As::Type => {
                self.visit(As::Value);
            }
            Slot::TypeArguments if rule.act.name == ActName::Call => {
                let mut list = Vec::new();
                self.gather(As::Type, &mut list);
                let list = self.keep(&list);
                if list != NONE && frame.object.is_some() {
                    frame.ty = self.express(Expression::Generic(frame.object, list));
                }
            }
            Slot::TypeArguments if rule.act.name == ActName::New => {
                let mut list = Vec::new();
                self.gather(As::Type, &mut list);
                let list = self.keep(&list);
                let base = frame.ty.or(frame.value);
                if list != NONE && base.is_some() {
                    frame.ty = self.express(Expression::Generic(base, list));
                }
            }
            Slot::TypeArguments => {
                let mut list = std::mem::take(&mut frame.list);
                let base = frame.ty.or(frame.object).or(frame.value);
                let generic = std::mem::replace(&mut self.generic, base);
                if self.rules.rule(child.kind_id()).is_some_and(|r| r.act.name == ActName::List) {
                    self.gather(As::Type, &mut list);
                } else {
                    list.push(self.visit(As::Type));
                }
                self.generic = generic;
                frame.list = list;
            }
            Slot::Target => {
                frame.ty = self.visit(As::Type);
                if rule.act.name == ActName::Construct {
                    self.construct = frame.ty;
                }
            }
            Slot::Trait => frame.trait_ = self.visit(As::Type),
            Slot::Receiver => self.receiver(),
            Slot::Key if rule.act.name == ActName::ElementAttribute => {
                self.element_attribute(child)
            }
            Slot::Key => self.key(rule, child, as_, frame),
            Slot::Same => {
                let value = self.visit(as_);
                if !matches!(rule.act.name, ActName::Bind | ActName::Define) {
                    frame.value = value;
                }
            }
            Slot::Path => {
                self.path(child, frame);
                if rule.act.name == ActName::Import {
                    self.is_prefix(frame.object);
                }
            }
            Slot::Alias => frame.alias = Some(span(child)),
            Slot::All => self.all(frame),
            Slot::Export | Slot::Default => self.default_export(slot, child),
        }
    }

    /// Lowers the arguments of a call; an object literal among them is expected to have the
    /// parameter's type.
    fn arguments(&mut self, list: &mut Vec<Value>) {
        if !self.cursor.goto_first_child() {
            return;
        }
        loop {
            let node = self.cursor.node();
            let act = self.rules.rule(node.kind_id()).map(|r| r.act.name);
            if node.is_named() && act != Some(ActName::Skip) {
                if act == Some(ActName::Object) && self.callee.is_some() {
                    let callee = self.callee;
                    self.construct = self.express(Expression::Argument(callee, list.len() as u32));
                }
                let callee = self.callee;
                let value = self.visit(As::Value);
                self.callee = callee;
                self.construct = Value::NONE;
                list.push(value);
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
    }

    fn name_slot(&mut self, rule: &Rule, child: Node<'_>, as_: As, frame: &mut Frame) {
        frame.last = Some(span(child));
        match rule.act.name {
            ActName::Define => {
                if child.start_byte() == child.end_byte() {
                    return;
                }
                let (start, end) = span(child);
                let quoted = self.slice(start, end).starts_with(['"', '\'']) && end - start > 2;
                if self.is_name(child) {
                    let bind = self.bind;
                    frame.definition = self.define(span(child), &bind);
                } else if quoted && self.bind.kind == DefinitionKind::Namespace {
                    // An ambient module: `declare module 'x'`.
                    let flags = self.bind.flags | Flags::WHOLE;
                    let bind = Bind { flags, ..self.bind };
                    frame.definition = self.define((start + 1, end - 1), &bind);
                } else {
                    self.defined_by_path(child, frame);
                }
            }
            ActName::ImportItem | ActName::ImportName | ActName::Reexport | ActName::Package => {}
            ActName::Binding => {
                let generic = self.generic;
                if generic.is_some() {
                    self.refer(span(child), As::Type, generic, Role::Member);
                }
            }
            ActName::Keyword => {
                let receiver = self.callee;
                self.refer(span(child), as_, receiver, Role::Keyword);
            }
            _ => frame.value = self.visit(as_),
        }
    }

    /// Lowers a name that is a path: `A::b` defines a member of `A` and is inside of it.
    fn defined_by_path(&mut self, child: Node<'_>, frame: &mut Frame) {
        let before = self.definitions.len();
        let scope = std::mem::replace(&mut self.scope, frame.outer);
        self.visit(As::Bind);
        self.scope = scope;
        if self.definitions.len() > before {
            frame.definition = before as u32;
            let at = self.definitions[before].scope;
            if at != frame.outer && scope != frame.outer {
                self.scopes[scope as usize].parent = at;
            }
        } else {
            frame.last = Some(span(child));
        }
    }

    fn pattern(&mut self, rule: &Rule, frame: &mut Frame) {
        let position = frame.count;
        frame.count += 1;
        let typed =
            |walk: &Self| walk.parent().is_some_and(|p| p.child_by_field_name("type").is_some());
        if rule.derive == Derive::Position && position > 0 && !typed(self) || self.more_follow(rule)
        {
            let bind = self.bind;
            self.bind.source = self.express(Expression::Part(bind.source, position));
            self.visit(As::Bind);
            self.bind = bind;
            return;
        }
        let before = self.definitions.len();
        self.visit(As::Bind);
        if rule.act.name == ActName::Assign
            && let Some(def) = self.definitions.get(before)
            && self.scopes[def.scope as usize].kind == ScopeKind::Extension
        {
            // In a function that is assigned to a type's member, `this` is the type.
            self.scope = def.scope;
        }
    }

    /// Lowers a value; the declared type is expected of it.
    fn value_slot(&mut self, rule: &Rule, frame: &mut Frame) {
        let construct = self.construct;
        if matches!(rule.act.name, ActName::Bind | ActName::Assign) {
            let hole = self.bind.source;
            let typed = hole.as_expression().is_some_and(|e| self.is_typed(e, 3));
            self.construct = if typed { hole } else { Value::NONE };
        }
        let value = self.visit(As::Value);
        self.construct = construct;
        if rule.has_hint(Hint::INFERRED) {
            self.infer(rule, value);
        }
        if let Some(hole) = frame.hole.as_expression() {
            self.expressions[hole as usize] = Expression::Same(value);
        }
        if rule.act.name == ActName::Bind && rule.scope.is_some() {
            // The value does not see the names that the statement binds.
            let (scope, end) = (self.bind.scope, self.cursor.node().end_byte() as u32);
            let start = self.bind.start;
            let own = self.definitions.iter_mut().rev().take_while(|d| d.start >= start);
            for def in own.filter(|d| d.scope == scope && d.start == start) {
                def.from = end;
            }
        }
        frame.value = value;
    }

    /// Whether a value's name is one of the rule's words of a kind.
    fn is_hinted(&self, rule: &Rule, value: Value, kind: Hint) -> bool {
        let Some(r) = value.as_reference().filter(|_| rule.has_hint(kind)) else { return false };
        let named = self.references[r as usize];
        rule.is_hint(self.slice(named.start, named.end), kind)
    }

    /// Whether a keyword argument takes a type.
    fn names_type(&self, rule: &Rule, frame: &Frame) -> bool {
        frame.last.is_some_and(|(start, end)| rule.is_hint(self.slice(start, end), Hint::TYPED))
    }

    /// `x: Final = value` takes its type from the value.
    fn infer(&mut self, rule: &Rule, value: Value) {
        let Some(hole) = self.bind.source.as_expression() else { return };
        let Expression::Typed(ty) = self.expressions[hole as usize] else { return };
        let Some(r) = ty.as_reference() else { return };
        let named = self.references[r as usize];
        let word = self.slice(named.start, named.end);
        if rule.is_hint(word, Hint::INFERRED) {
            self.expressions[hole as usize] = Expression::Same(value);
        }
    }

    pub(super) fn is_typed(&self, expression: u32, depth: u32) -> bool {
        match self.expressions.get(expression as usize) {
            Some(Expression::Typed(_)) => true,
            Some(Expression::Same(inner)) if depth > 0 => {
                inner.as_expression().is_some_and(|e| self.is_typed(e, depth - 1))
            }
            _ => false,
        }
    }

    /// Whether several names share the parts of one value.
    fn more_follow(&self, rule: &Rule) -> bool {
        rule.derive == Derive::Position
            && self.parent().is_some_and(|p| {
                p.child_by_field_name("type").is_none()
                    && p.children_by_field_name("name", &mut p.walk())
                        .filter(Node::is_named)
                        .count()
                        > 1
            })
    }

    fn type_slot(&mut self, rule: &Rule, frame: &mut Frame) {
        let ty = self.visit(As::Type);
        frame.ty = ty;
        if let Some(r) = self.last_reference(ty) {
            let r = &self.references[r as usize];
            frame.last = Some((r.start, r.end));
        }
        if rule.act.name == ActName::Bind {
            self.fill_hole(ty);
        }
    }

    /// Applies the type that a comment gives the binding.
    pub(super) fn typed_by_comment(&mut self, start: u32, frame: &mut Frame) {
        if matches!(self.bind.kind, DefinitionKind::Parameter | DefinitionKind::TypeParameter) {
            return;
        }
        frame.ty = self.documented_type(start);
        self.fill_hole(frame.ty);
    }

    /// Sets the type of the bound value.
    fn fill_hole(&mut self, ty: Value) {
        if ty.is_some()
            && let Some(hole) = self.bind.source.as_expression()
            && let Some(Expression::Same(Value::NONE)) = self.expressions.get(hole as usize)
        {
            let alias = self.bind.kind == DefinitionKind::TypeAlias;
            self.expressions[hole as usize] =
                if alias { Expression::Same(ty) } else { Expression::Typed(ty) };
        }
    }

    pub(super) fn last_reference(&self, ty: Value) -> Option<u32> {
        if let Some(r) = ty.as_reference() {
            return Some(r);
        }
        match *self.expressions.get(ty.as_expression()? as usize)? {
            Expression::Generic(base, _) | Expression::Same(base) => self.last_reference(base),
            _ => None,
        }
    }

    /// The declared type of a function's results, as the expected type of object literals in it.
    fn expected_result(&mut self, rule: &Rule, body: Node<'_>, frame: &mut Frame) -> Value {
        let callable = rule.act.name == ActName::Lambda
            || rule.act.kind.is_some_and(DefinitionKind::is_callable);
        if !callable || !self.rules.starts_with_code {
            return Value::NONE;
        }
        if frame.ty.is_none()
            && let Some(comment) = frame.comment
        {
            frame.ty = self.documented_return(comment);
        }
        if frame.ty.is_none() {
            return Value::NONE;
        }
        let ty = self.express(Expression::Typed(frame.ty));
        let start = self.parent().map_or(0, |p| span(p).0);
        let head = self.slice(start, span(body).0);
        let head = head.split('(').next().unwrap_or(head);
        let later = head.split_whitespace().any(|w| w == "async");
        if later { self.express(Expression::Await(ty)) } else { ty }
    }

    fn returned_type(&mut self) -> Value {
        // Several results in parentheses parse as parameters.
        let bind = self.bind;
        let before = self.definitions.len();
        self.bind.source = Value::NONE;
        let value = self.visit(As::Type);
        self.bind = bind;
        self.seen_in_body(before);
        value
    }

    fn body(&mut self, rule: &Rule, child: Node<'_>, frame: &Frame) -> Value {
        let type_like =
            rule.act.name == ActName::Define && rule.act.kind.is_some_and(DefinitionKind::is_type);
        if rule.act.name == ActName::New {
            let (start, end) = span(child);
            let outer = self.scope;
            self.scope = self.open(ScopeKind::Open, start, end);
            self.visit(As::Value);
            let scope = std::mem::replace(&mut self.scope, outer);
            return self.express(Expression::Object(scope));
        }
        self.ambient = (Flags::default(), NONE);
        self.hoist = false;
        if type_like {
            self.visit(As::Value);
            return Value::NONE;
        }
        if rule.act.name == ActName::Construct {
            self.construct = frame.ty;
        }
        self.visit(As::Value)
    }

    /// Moves the references of a supertype list to the enclosing scope: of the inner scope they see
    /// only type parameters.
    fn lift(&mut self, before: usize, frame: &Frame) {
        let Some(own) = self.definitions.get(frame.definition as usize..) else { return };
        let inner = self.scope;
        for reference in &mut self.references[before..] {
            let parameter = |d: &Def| d.scope == inner && d.name == reference.name;
            if reference.scope == inner && !own.iter().any(parameter) {
                reference.scope = frame.outer;
            }
        }
    }
}
