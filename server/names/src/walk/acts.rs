//! What each act does before and after its node's children are walked.

use tree_sitter::Node;

use super::{As, Bind, Frame, RETURNS, Walk, span};
use crate::expression::{Expression, Value};
use crate::facts::{Extension, NONE, Role};
use crate::rules::{Derive, Rule, Visible};
use crate::vocabulary::{ActName, DefinitionKind, Flags, Namespace, ScopeKind, Word};

impl Walk<'_> {
    pub(super) fn act(&mut self, rule: &'static Rule, node: Node<'_>, as_: As) -> Value {
        match rule.act.name {
            ActName::Skip => Value::NONE,
            ActName::Name => self.plain_name(rule, node, as_),
            ActName::Pass | ActName::List => self.plain(as_),
            ActName::Literal => self.literal(rule, as_),
            ActName::String => self.string(rule, node, as_),
            ActName::This | ActName::Super => self.this(rule.act.name, as_, node),
            ActName::Modifier => self.modifier(rule, node),
            ActName::Tuple => self.tuple(as_),
            ActName::Parts if as_ == As::Bind => {
                let bind = self.bind;
                self.bind.source = self.express(Expression::Element(bind.source));
                self.plain(as_);
                self.bind = bind;
                Value::NONE
            }
            ActName::Parts => self.plain(as_),
            ActName::ShorthandName => self.shorthand_name(node, as_),
            ActName::CastLast | ActName::IndexFirst | ActName::ScopedType
            | ActName::ReferencePair => self.ordered(rule, as_),
            ActName::Tokens => self.tokens(),
            ActName::Redirect => self.redirect(rule),
            ActName::Path => match rule.act.word {
                Some(Word::File) => self.express(Expression::Root),
                Some(Word::Parent) => {
                    let scope = self.scope;
                    self.express(Expression::Parent(scope))
                }
                _ => self.plain(as_),
            },
            ActName::Member if as_ == As::Bind => self.bound_member(rule, node),
            _ => self.compound(rule, node, as_),
        }
    }

    fn compound(&mut self, rule: &'static Rule, node: Node<'_>, as_: As) -> Value {
        if rule.flags.has(Flags::NEEDS_BODY) && node.child_by_field_name("body").is_none() {
            // A tag that is named, not defined.
            let value = self.plain(As::Type);
            if let Some(r) = value.as_reference() {
                self.references[r as usize].namespace = Namespace::TAG | Namespace::TYPE;
            }
            return value;
        }
        let saved = (
            (self.scope, self.bind, self.ambient, self.module),
            (self.construct, self.callee, self.hoist, self.subject),
        );
        let mut frame = Frame {
            outer: self.scope,
            definition: NONE,
            object: Value::NONE,
            ty: Value::NONE,
            value: Value::NONE,
            body: Value::NONE,
            list: Vec::new(),
            result: Value::NONE,
            count: 0,
            last: None,
            alias: None,
            trait_: Value::NONE,
        };
        self.begin(rule, node, as_, &mut frame);
        if self.cursor.goto_first_child() {
            loop {
                let child = self.cursor.node();
                if child.is_named() {
                    let field = self.cursor.field_id().map(std::num::NonZero::get);
                    match rule.slot(field, child.kind_id()) {
                        Some(slot) => self.slot(slot, rule, child, as_, &mut frame),
                        None => self.unslotted(rule, as_, &mut frame),
                    }
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
            self.cursor.goto_parent();
        }
        let value = self.end(rule, node, as_, &mut frame);
        ((self.scope, self.bind, self.ambient, self.module), (self.construct, self.callee, self.hoist, self.subject)) =
            saved;
        value
    }

    fn begin(&mut self, rule: &Rule, node: Node<'_>, as_: As, frame: &mut Frame) {
        let (start, end) = span(node);
        let kind = rule.act.kind.unwrap_or(DefinitionKind::Variable);
        match rule.act.name {
            ActName::Scope => {
                self.construct = Value::NONE;
                let scope = rule.act.scope.unwrap_or(ScopeKind::Block);
                if scope != ScopeKind::File {
                    self.scope = self.open(scope, start, end);
                }
            }
            ActName::Define => {
                let mut bind = self.binding(rule, node, kind, Value::NONE);
                if matches!(
                    self.scopes[frame.outer as usize].kind,
                    ScopeKind::Body | ScopeKind::Open | ScopeKind::Members | ScopeKind::Extension
                ) && kind == DefinitionKind::Function
                {
                    bind.kind = DefinitionKind::Method;
                }
                bind.from = if bind.from == end { NONE } else { bind.from };
                let has_receiver = node.child_by_field_name("receiver").is_some();
                if has_receiver {
                    self.scope = self.open(ScopeKind::Extension, start, end);
                    bind.scope = self.scope;
                }
                if let Some(scope) = rule.scope {
                    self.scope = self.open(scope, start, end);
                    if rule.flags.has(Flags::OWN_SCOPE) {
                        bind.scope = self.scope;
                    }
                }
                self.bind = bind;
            }
            ActName::Lambda | ActName::FunctionType => {
                self.construct = Value::NONE;
                self.scope = self.open(ScopeKind::Function, start, end);
            }
            ActName::Object => self.scope = self.open(ScopeKind::Members, start, end),
            ActName::Extend => self.scope = self.open(ScopeKind::Extension, start, end),
            ActName::Bind | ActName::Assign => {
                if let Some(scope) = rule.scope {
                    self.scope = self.open(scope, start, end);
                    frame.outer = self.scope;
                }
                if as_ == As::Bind && kind == DefinitionKind::Variable && !self.bind.assign {
                    // A declarator inside a declaration: what it binds is the outer's to say.
                    let source = self.bind.source;
                    let hole = self.express(Expression::Same(source));
                    self.bind.source = hole;
                    (self.bind.start, self.bind.end) = (start, end);
                } else {
                    let hole = self.express(Expression::Same(Value::NONE));
                    let mut bind = self.binding(rule, node, kind, hole);
                    bind.assign = rule.act.name == ActName::Assign;
                    self.bind = bind;
                }
            }
            ActName::Declarator => {
                if !std::mem::take(&mut self.defining) {
                    self.scope = self.open(ScopeKind::Function, start, end);
                    self.bind.flags |= Flags::DECLARED;
                }
                if as_ == As::Bind
                    && !self.slice(start, end).starts_with("(*")
                    && matches!(
                        self.bind.kind,
                        DefinitionKind::Variable | DefinitionKind::Field | DefinitionKind::Function
                    )
                {
                    self.bind.kind = match self.scopes[self.bind.scope as usize].kind {
                        ScopeKind::Open | ScopeKind::Members => DefinitionKind::Method,
                        _ => DefinitionKind::Function,
                    };
                }
            }
            ActName::Arm => {
                if let Some(scope) = rule.scope {
                    self.scope = self.open(scope, start, end);
                }
                let subject = self.subject;
                self.bind = self.binding(rule, node, DefinitionKind::Variable, subject);
            }
            ActName::Block => self.scope = self.open(ScopeKind::Block, start, end),
            ActName::Group => {
                if let Some(scope) = rule.scope {
                    self.scope = self.open(scope, start, end);
                }
                self.hoist = rule.visible == Visible::Function;
            }
            ActName::Choice => {
                if let Some(scope) = rule.scope {
                    self.scope = self.open(scope, start, end);
                }
            }
            ActName::Export => {
                let mut flags = Flags::EXPORTED;
                if node.child(1).is_some_and(|c| c.kind() == "default") {
                    flags |= Flags::DEFAULT;
                }
                self.ambient = (self.ambient.0 | flags, self.scope);
                self.find_module(rule, node);
            }
            ActName::Import => {
                if as_ != As::Import {
                    self.module = Value::NONE;
                }
                self.find_module(rule, node);
            }
            ActName::Include => self.find_module(rule, node),
            _ => {}
        }
    }

    fn end(&mut self, rule: &Rule, node: Node<'_>, as_: As, frame: &mut Frame) -> Value {
        match rule.act.name {
            ActName::Scope => self.end_scope(rule, as_, frame),
            ActName::Define => self.end_define(rule, as_, frame),
            ActName::Bind | ActName::Assign => self.end_bind(rule, node, frame),
            ActName::Member => frame.result.or(frame.object),
            ActName::Call => self.end_call(rule, frame),
            ActName::New => {
                let list = self.keep(&frame.list);
                let ty = frame.ty.or(frame.value);
                let Some(class) = self.anonymous_class(frame) else {
                    return self.express(Expression::New(ty, list));
                };
                self.express(Expression::New(class, list))
            }
            ActName::Construct => self.express(Expression::New(frame.ty, NONE)),
            ActName::Index if as_ == As::Type && frame.list.is_empty() => frame.object,
            ActName::Index => self.express(Expression::Index(frame.object.or(frame.value))),
            ActName::Slice => self.express(Expression::Slice(frame.object.or(frame.value))),
            ActName::Generic => {
                let list = self.keep(&frame.list);
                let base = frame.ty.or(frame.object).or(frame.value);
                if list == NONE { base } else { self.express(Expression::Generic(base, list)) }
            }
            ActName::Union | ActName::Choice => {
                let list: Vec<_> = frame.list.iter().copied().filter(|v| v.is_some()).collect();
                match list[..] {
                    [] => Value::NONE,
                    [one] => one,
                    _ => {
                        let list = self.keep(&list);
                        self.express(Expression::Union(list))
                    }
                }
            }
            ActName::Array => {
                let ty = frame.ty.or(frame.value);
                self.express(Expression::Array(ty))
            }
            ActName::Pointer => frame.ty.or(frame.object).or(frame.value),
            ActName::FunctionType => {
                let list = self.keep(&frame.list);
                self.express(Expression::Function(frame.ty, list))
            }
            ActName::Object => {
                let scope = self.scope;
                self.express(Expression::Object(scope))
            }
            ActName::Lambda => {
                let scope = self.scope;
                if frame.ty.is_some() {
                    let typed = self.express(Expression::Typed(frame.ty));
                    self.returns.insert(0, (scope, typed));
                } else if frame.body.is_some() {
                    self.returns.push((scope, frame.body));
                }
                self.express(Expression::Lambda(scope))
            }
            ActName::Return => {
                if let Some(function) = self.nearest(|k| k == ScopeKind::Function)
                    && frame.value.is_some()
                    && self.returns.iter().rev().take_while(|r| r.0 == function).count() < RETURNS
                {
                    self.returns.push((function, frame.value));
                }
                Value::NONE
            }
            ActName::Await => self.express(Expression::Await(frame.value)),
            ActName::Cast => {
                if frame.ty.is_none() {
                    return frame.value;
                }
                self.express(Expression::Typed(frame.ty))
            }
            ActName::Import | ActName::ImportItem | ActName::ImportName | ActName::ImportAll => {
                self.end_import(rule, node, as_, frame)
            }
            ActName::Export | ActName::Reexport => {
                self.end_export(rule, node, frame);
                Value::NONE
            }
            ActName::Extend => {
                self.end_extend(frame);
                Value::NONE
            }
            ActName::Embed => {
                let scope = self.scope;
                self.embeds.push((scope, frame.ty.or(frame.value)));
                frame.value
            }
            ActName::Package => {
                if let Some((start, end)) = frame.last {
                    self.package = self.name(start, end);
                }
                Value::NONE
            }
            ActName::Opaque => Value::NONE,
            ActName::Query => frame.value,
            ActName::Try => self.express(Expression::Await(frame.value)),
            ActName::Where => {
                self.end_where(frame);
                Value::NONE
            }
            ActName::Binding => {
                let Some((start, end)) = frame.last else { return Value::NONE };
                let name = self.name(start, end);
                self.express(Expression::Binding(name, frame.ty))
            }
            ActName::Include => {
                let module = self.module;
                self.globs.push(crate::facts::Glob { scope: frame.outer, module, exported: true });
                Value::NONE
            }
            ActName::ImportPath | ActName::Using => {
                self.end_import_path(rule, node, frame);
                Value::NONE
            }
            ActName::Block => frame.value,
            ActName::MacroCall | ActName::Initializer => Value::NONE,
            ActName::Keyword | ActName::Pair => frame.value,
            ActName::Shorthand => frame.result,
            ActName::Variant => frame.object,
            _ => frame.result.or(frame.value).or(frame.body),
        }
    }

    fn end_scope(&mut self, rule: &Rule, as_: As, frame: &Frame) -> Value {
        let members = rule.act.scope == Some(ScopeKind::Members);
        if members && as_ == As::Type {
            let scope = self.scope;
            return self.express(Expression::Object(scope));
        }
        frame.body
    }

    fn end_define(&mut self, rule: &Rule, as_: As, frame: &mut Frame) -> Value {
        let scope = self.scope;
        let kind = rule.act.kind.unwrap_or(DefinitionKind::Variable);
        let anonymous = frame.definition == NONE;
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
            let interface = rule.flags.has(Flags::ABSTRACT);
            let _ = interface;
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
        match as_ {
            As::Value if kind.is_callable() && rule.flags.has(Flags::OWN_SCOPE) => {
                self.express(Expression::Lambda(scope))
            }
            As::Value | As::Type => self.express(Expression::Defined(frame.definition)),
            _ => Value::NONE,
        }
    }

    fn end_bind(&mut self, rule: &Rule, node: Node<'_>, frame: &mut Frame) -> Value {
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
            && rule.flags.has(Flags::EMBEDDED)
            && let Some((start, end)) = frame.last
        {
            // A field without a name is named for its type, whose members it lends.
            let bind = Bind { flags: self.bind.flags | Flags::EMBEDDED, ..self.bind };
            let _ = node;
            self.define((start, end), &bind);
            let scope = self.scope;
            self.embeds.push((scope, frame.ty));
        }
        frame.value
    }

    fn end_call(&mut self, rule: &Rule, frame: &Frame) -> Value {
        if let Some(r) = frame.object.as_reference()
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
        let list = self.keep(&frame.list);
        let call = self.express(Expression::Call(frame.object, list));
        if let Some(r) = frame.object.as_reference() {
            self.references[r as usize].call = call.0;
        }
        for &argument in &frame.list {
            if let Some(e) = argument.as_expression()
                && let Some(Expression::Lambda(scope)) = self.expressions.get(e as usize)
            {
                self.scopes[*scope as usize].subject = call;
            }
        }
        call
    }

    /// A class body after `new T(…)`: a class without a name that inherits from `T`.
    fn anonymous_class(&mut self, frame: &Frame) -> Option<Value> {
        let scope = frame.body.as_expression()?;
        let Expression::Object(scope) = self.expressions[scope as usize] else { return None };
        self.scopes[scope as usize].subject = frame.ty;
        Some(frame.body)
    }

    fn end_extend(&mut self, frame: &Frame) {
        let scope = self.scope;
        self.scopes[scope as usize].subject = frame.ty;
        let Some(name) = self.type_name(frame.ty) else { return };
        self.extensions.push(Extension { scope, name, target: frame.ty, interface: frame.trait_ });
    }

    /// The name by which a type is written, without arguments, path or pointers.
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

    /// Bounds of a type parameter that stand apart from it.
    fn end_where(&mut self, frame: &Frame) {
        let Some(r) = frame.object.as_reference() else { return };
        let name = self.references[r as usize].name;
        let parameter = self
            .definitions
            .iter()
            .rposition(|d| d.kind == DefinitionKind::TypeParameter && d.name == name);
        if let Some(d) = parameter {
            let typed = self.express(Expression::Typed(frame.ty));
            self.definitions[d].value = typed;
        }
    }

    pub(super) fn unslotted(&mut self, rule: &Rule, as_: As, frame: &mut Frame) {
        let inherit = match rule.act.name {
            ActName::Generic | ActName::Union | ActName::FunctionType | ActName::Array
            | ActName::Pointer | ActName::Embed => As::Type,
            ActName::ImportAll => As::Path,
            ActName::Variant | ActName::Group | ActName::Choice if as_ != As::Callee => as_,
            ActName::Import | ActName::Export | ActName::Reexport => as_,
            _ => As::Value,
        };
        if rule.act.name == ActName::Variant && as_ == As::Bind {
            let bind = self.bind;
            let pair = self
                .rules
                .rule(self.cursor.node().kind_id())
                .is_some_and(|r| r.act.name == ActName::Pair);
            self.bind.source = if pair {
                let variant = frame.object;
                self.express(Expression::Typed(variant))
            } else {
                let position = frame.count;
                frame.count += 1;
                self.express(Expression::Case(frame.object, bind.source, position))
            };
            self.visit(As::Bind);
            self.bind = bind;
            return;
        }
        if rule.act.name == ActName::Initializer {
            let construct = self.construct;
            let pair = self
                .rules
                .rule(self.cursor.node().kind_id())
                .is_some_and(|r| r.act.name == ActName::Pair);
            if construct.is_some() && !pair {
                self.construct = self.express(Expression::Index(construct));
            }
            self.visit(As::Value);
            self.construct = construct;
            return;
        }
        let value = self.visit(inherit);
        match rule.act.name {
            ActName::Union | ActName::Choice => frame.list.push(value),
            ActName::Block => frame.value = value,
            ActName::Define | ActName::Bind | ActName::Assign | ActName::Scope => {}
            _ if value.is_some() => frame.value = value,
            _ => {}
        }
    }

    /// Whether a child in a slot is a name of its own.
    pub(super) fn is_name(&self, node: Node<'_>) -> bool {
        match self.rules.rule(node.kind_id()) {
            Some(rule) => rule.act.name == ActName::Name,
            None => node.child_count() == 0,
        }
    }
}
