//! What a child means to its node.

use tree_sitter::Node;

use super::{As, Bind, Frame, Walk, span};
use crate::expression::{Expression, Value};
use crate::facts::{NONE, Role};
use crate::rules::{Derive, Rule};
use crate::vocabulary::{ActName, DefinitionKind, Flags, ScopeKind, Slot, Word};

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
            Slot::Skip => {}
            Slot::Name => self.name_slot(rule, child, as_, frame),
            Slot::Declarator => self.declarator(child, frame),
            Slot::Pattern => self.pattern(rule, child, frame),
            Slot::Value => self.value_slot(rule, frame),
            Slot::Item => {
                let value = self.visit(As::Value);
                frame.list.push(value);
            }
            Slot::Modifiers => {
                let flags = self.modifiers(child);
                self.bind.flags |= flags;
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
                let (object, role) = (frame.object, if frame.object.is_some() { Role::Member } else { Role::Plain });
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
                let value = self.visit(As::Value);
                frame.value = frame.value.or(value);
            }
            Slot::Type => self.type_slot(rule, frame),
            Slot::Returns => frame.ty = self.returned_type(),
            Slot::Body => frame.body = self.body(rule, child, frame),
            Slot::Parameters => self.parameters(rule, child, frame),
            Slot::Supers => {
                let mut list = std::mem::take(&mut frame.list);
                let rule = self.rules.rule(child.kind_id());
                if rule.is_some_and(|r| r.act.name == ActName::List) {
                    self.gather(As::Type, &mut list);
                } else {
                    list.push(self.visit(As::Type));
                }
                frame.list = list;
            }
            Slot::Object => {
                let as_ = if matches!(as_, As::Import | As::Path) { As::Path } else { As::Value };
                frame.object = self.visit(as_);
            }
            Slot::TypeObject => {
                let import = matches!(as_, As::Import | As::Path);
                frame.object = self.visit(if import { As::Path } else { As::Type });
            }
            Slot::Member => self.member(child, as_, frame),
            Slot::Callee => {
                frame.object = self.visit(As::Callee);
                self.callee = frame.object;
            }
            Slot::Macro => frame.object = self.visit(As::Macro),
            Slot::Arguments => {
                let mut list = std::mem::take(&mut frame.list);
                self.callee = frame.object.or(frame.ty);
                let construct = std::mem::replace(&mut self.construct, Value::NONE);
                self.gather(As::Value, &mut list);
                self.construct = construct;
                frame.list = list;
            }
            Slot::TypeArguments if rule.act.name == ActName::Index && as_ != As::Type => {
                self.visit(As::Value);
            }
            Slot::TypeArguments => {
                let mut list = std::mem::take(&mut frame.list);
                if self.rules.rule(child.kind_id()).is_some_and(|r| r.act.name == ActName::List) {
                    self.gather(As::Type, &mut list);
                } else {
                    list.push(self.visit(As::Type));
                }
                frame.list = list;
            }
            Slot::Target => {
                frame.ty = self.visit(As::Type);
                if rule.act.name == ActName::Construct {
                    self.construct = frame.ty;
                }
            }
            Slot::Trait => frame.trait_ = self.visit(As::Type),
            Slot::Receiver => self.receiver(frame),
            Slot::Key => self.key(rule, child, as_, frame),
            Slot::Same => {
                let value = self.visit(as_);
                if !matches!(rule.act.name, ActName::Bind | ActName::Define) {
                    frame.value = value;
                }
            }
            Slot::Path => self.path(child, as_, frame),
            Slot::Alias => frame.alias = Some(span(child)),
            Slot::All => self.all(frame),
            Slot::Export | Slot::Default => self.default_export(slot, child),
        }
    }

    fn name_slot(&mut self, rule: &Rule, child: Node<'_>, as_: As, frame: &mut Frame) {
        frame.last = Some(span(child));
        match rule.act.name {
            ActName::Define => {
                if child.start_byte() == child.end_byte() {
                    return;
                }
                if self.is_name(child) {
                    let bind = self.bind;
                    frame.definition = self.define(span(child), &bind);
                } else {
                    self.defined_by_path(child, frame);
                }
            }
            ActName::ImportItem | ActName::ImportName | ActName::Reexport | ActName::Package => {}
            ActName::Keyword => {
                let receiver = self.callee;
                self.refer(span(child), as_, receiver, Role::Keyword);
            }
            _ => frame.value = self.visit(as_),
        }
    }

    /// A name that is a path: `A::b` defines a member of `A`, seen from inside of it.
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

    fn declarator(&mut self, child: Node<'_>, frame: &mut Frame) {
        let before = self.definitions.len();
        let hole = self.express(Expression::Same(Value::NONE));
        if frame.ty.is_some() {
            let Some(place) = hole.as_expression() else { return };
            self.expressions[place as usize] = Expression::Typed(frame.ty);
        }
        self.bind.source = hole;
        let _ = child;
        self.defining = true;
        let bind_kind = self.bind.kind;
        self.visit(As::Bind);
        self.bind.kind = bind_kind;
        self.defining = false;
        let named = (before..self.definitions.len())
            .find(|&d| self.definitions[d].kind != DefinitionKind::Parameter);
        if let Some(d) = named {
            frame.definition = d as u32;
            // A member defined out of its type's line sees what the type's members see.
            let at = self.definitions[d].scope;
            let inner = self.scope;
            if at != inner && self.scopes[at as usize].parent == inner {
                self.scopes[at as usize].parent = frame.outer;
                self.scopes[inner as usize].parent = at;
            } else if at != inner
                && self.scopes[at as usize].subject.is_some()
                && self.scopes[at as usize].parent == frame.outer
            {
                self.scopes[inner as usize].parent = at;
            }
        }
        frame.ty = Value::NONE;
    }

    fn pattern(&mut self, rule: &Rule, child: Node<'_>, frame: &mut Frame) {
        let position = frame.count;
        frame.count += 1;
        if rule.derive == Derive::Position && position > 0 || self.more_follow(rule, child) {
            let bind = self.bind;
            self.bind.source = self.express(Expression::Part(bind.source, position));
            self.visit(As::Bind);
            self.bind = bind;
            return;
        }
        self.visit(As::Bind);
    }

    /// A value; what is built there is of the declared type.
    fn value_slot(&mut self, rule: &Rule, frame: &mut Frame) {
        let construct = self.construct;
        if rule.act.name == ActName::Bind {
            let hole = self.bind.source;
            let typed = hole.as_expression().is_some_and(|e| self.is_typed(e, 3));
            self.construct = if typed { hole } else { Value::NONE };
        }
        let value = self.visit(As::Value);
        self.construct = construct;
        frame.value = value;
    }

    fn is_typed(&self, expression: u32, depth: u32) -> bool {
        match self.expressions.get(expression as usize) {
            Some(Expression::Typed(_)) => true,
            Some(Expression::Same(inner)) if depth > 0 => {
                inner.as_expression().is_some_and(|e| self.is_typed(e, depth - 1))
            }
            _ => false,
        }
    }

    /// What a function declarator declares, and its parameters' scope.
    fn declared(&mut self, child: Node<'_>, frame: &mut Frame) {
        let (start, end) = span(child);
        let text = self.slice(start, end);
        let kind = self.bind.kind;
        if text.starts_with('(') && text.contains('*') {
            self.bind.kind = DefinitionKind::Variable;
        }
        let before = self.definitions.len();
        let inner = std::mem::replace(&mut self.scope, frame.outer);
        self.visit(As::Bind);
        self.scope = inner;
        self.bind.kind = kind;
        if let Some(d) = self.definitions.get_mut(before)
            && d.kind.is_callable()
        {
            d.body = inner;
            frame.definition = before as u32;
        }
    }

    /// A field that has a place instead of a name.
    fn positional(&mut self, child: Node<'_>, frame: &mut Frame) {
        const NAMES: [&str; 12] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];
        let ty = self.visit(As::Type);
        let Some(name) = NAMES.get(frame.count as usize) else { return };
        frame.count += 1;
        let source = self.express(Expression::Typed(ty));
        let (start, end) = span(child);
        let bind = Bind {
            kind: DefinitionKind::Field,
            namespace: None,
            scope: self.scope,
            source,
            from: 0,
            flags: Flags::HIDDEN,
            start,
            end,
            assign: false,
        };
        let d = self.define((start, start), &bind);
        self.definitions[d as usize].name = self.names.number(name);
    }

    /// Whether several names share the parts of one value.
    fn more_follow(&self, rule: &Rule, child: Node<'_>) -> bool {
        rule.derive == Derive::Position
            && child.parent().is_some_and(|p| {
                p.child_by_field_name("type").is_none()
                    && p.children_by_field_name("name", &mut p.walk()).filter(Node::is_named).count() > 1
            })
    }

    fn type_slot(&mut self, rule: &Rule, frame: &mut Frame) {
        let ty = self.visit(As::Type);
        frame.ty = ty;
        if let Some(r) = self.last_reference(ty) {
            let r = &self.references[r as usize];
            frame.last = Some((r.start, r.end));
        }
        if ty.is_some()
            && rule.act.name == ActName::Bind
            && let Some(hole) = self.bind.source.as_expression()
            && let Some(Expression::Same(Value::NONE)) = self.expressions.get(hole as usize)
        {
            let alias = self.bind.kind == DefinitionKind::TypeAlias;
            self.expressions[hole as usize] =
                if alias { Expression::Same(ty) } else { Expression::Typed(ty) };
        }
    }

    fn last_reference(&self, ty: Value) -> Option<u32> {
        if let Some(r) = ty.as_reference() {
            return Some(r);
        }
        match *self.expressions.get(ty.as_expression()? as usize)? {
            Expression::Generic(base, _) | Expression::Same(base) => self.last_reference(base),
            _ => None,
        }
    }

    fn returned_type(&mut self) -> Value {
        // Several results in parentheses are parameters to the grammar.
        let bind = self.bind;
        self.bind.source = Value::NONE;
        let value = self.visit(As::Type);
        self.bind = bind;
        value
    }

    fn body(&mut self, rule: &Rule, child: Node<'_>, frame: &Frame) -> Value {
        let type_like = matches!(rule.act.name, ActName::Define)
            && rule.act.kind.is_some_and(DefinitionKind::is_type)
            || rule.act.name == ActName::New;
        if rule.act.name == ActName::New {
            let _ = frame;
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

    fn parameters(&mut self, rule: &Rule, child: Node<'_>, frame: &mut Frame) {
        if rule.act.name == ActName::FunctionType {
            self.gather_parameters(frame);
            return;
        }
        let bind = self.bind;
        let before = self.definitions.len();
        let (start, end) = span(child);
        self.bind = Bind {
            kind: DefinitionKind::Parameter,
            namespace: None,
            scope: self.scope,
            source: Value::NONE,
            from: 0,
            flags: Flags::default(),
            start,
            end,
            assign: false,
        };
        let scope = self.scope;
        self.defining = rule.act.name == ActName::Lambda;
        self.visit(As::Bind);
        self.defining = false;
        self.bind = bind;
        let lambda = rule.act.name == ActName::Lambda;
        let mut position = 0;
        for d in before..self.definitions.len() {
            let def = &mut self.definitions[d];
            if def.scope != scope || def.kind != DefinitionKind::Parameter {
                continue;
            }
            (def.start, def.end) = (def.start.max(def.name_start.min(def.start)), def.end);
            let untyped = def.value.is_none()
                || def.value.as_expression().is_some_and(|e| {
                    matches!(self.expressions[e as usize], Expression::Same(Value::NONE))
                });
            if lambda && untyped {
                let value = self.express(Expression::LambdaParameter(scope, position));
                self.definitions[d].value = value;
            } else if position == 0
                && untyped
                && rule.flags.has(Flags::SELF)
                && self.is_method_scope(frame)
            {
                self.self_parameter(d, frame);
            }
            position += 1;
        }
    }

    fn is_method_scope(&self, frame: &Frame) -> bool {
        frame.definition != NONE
            && self.scopes[frame.outer as usize].kind == ScopeKind::Body
            && !self.definitions[frame.definition as usize].flags.has(Flags::STATIC)
    }

    /// A method's first parameter is the object, or the class itself.
    fn self_parameter(&mut self, d: usize, frame: &Frame) {
        let class = self.definitions[frame.definition as usize].flags.has(Flags::CLASS_METHOD);
        let outer = frame.outer;
        let this = if class { Expression::ThisType(outer) } else { Expression::This(outer) };
        let value = self.express(this);
        self.definitions[d].value = value;
        self.definitions[d].flags |= Flags::SELF;
    }

    /// The types of a function type's parameters.
    fn gather_parameters(&mut self, frame: &mut Frame) {
        let bind = self.bind;
        self.bind = Bind {
            kind: DefinitionKind::Parameter,
            scope: self.scope,
            source: Value::NONE,
            from: 0,
            flags: Flags::HIDDEN,
            ..bind
        };
        let before = self.definitions.len();
        self.visit(As::Bind);
        let scope = self.scope;
        for def in &self.definitions[before..] {
            if def.scope == scope && def.kind == DefinitionKind::Parameter {
                frame.list.push(def.value);
            }
        }
        self.bind = bind;
    }

    fn receiver(&mut self, frame: &mut Frame) {
        let bind = self.bind;
        let before = self.definitions.len();
        self.bind = Bind {
            kind: DefinitionKind::Parameter,
            scope: self.scope,
            source: Value::NONE,
            from: 0,
            flags: Flags::SELF,
            ..bind
        };
        let references = self.references.len();
        self.visit(As::Bind);
        self.bind = bind;
        let typed = self.definitions.get(before).and_then(|d| d.value.as_expression());
        let target = match typed.map(|e| self.expressions[e as usize]) {
            Some(Expression::Typed(ty)) => ty,
            _ if self.references.len() > references => Value::reference(references as u32),
            _ => return,
        };
        let scope = bind.scope;
        let Some(name) = self.type_name(target) else { return };
        self.scopes[scope as usize].subject = target;
        self.extensions.push(crate::facts::Extension {
            scope,
            name,
            target,
            interface: Value::NONE,
        });
        let _ = frame;
    }

    fn member(&mut self, child: Node<'_>, as_: As, frame: &mut Frame) {
        if !self.is_name(child) && child.child_count() > 0 {
            // The member is itself a call's or a template's name.
            let object = frame.object;
            frame.result = self.member_of(child, as_, object);
            return;
        }
        let object = frame.object;
        if as_ == As::Import {
            frame.result = self.imported(span(child), object);
            return;
        }
        frame.result = if object.is_none() && self.rules.one_namespace {
            let unknown = self.express(Expression::Nothing);
            self.refer(span(child), as_, unknown, Role::Member)
        } else if object.is_none() {
            let unknown = self.express(Expression::Nothing);
            self.refer(span(child), as_, unknown, Role::Member)
        } else {
            self.refer(span(child), as_, object, Role::Member)
        };
    }

    /// A member written with arguments: the first name in it is the member.
    fn member_of(&mut self, child: Node<'_>, as_: As, object: Value) -> Value {
        let mut result = Value::NONE;
        let object = if object.is_none() { self.express(Expression::Nothing) } else { object };
        if child.child_count() > 0 && self.cursor.goto_first_child() {
            loop {
                let node = self.cursor.node();
                if result.is_none() && node.is_named() {
                    result = if self.is_name(node) {
                        if as_ == As::Import {
                            self.imported(span(node), object)
                        } else {
                            self.refer(span(node), as_, object, Role::Member)
                        }
                    } else {
                        self.member_of(node, as_, object)
                    };
                    if let Some(rule) = self.rules.rule(child.kind_id())
                        && rule.act.name == ActName::Member
                    {
                        // `a::b::c` nests to the right: the rest are members of this member.
                        let inner = result;
                        while self.cursor.goto_next_sibling() {
                            let rest = self.cursor.node();
                            if rest.is_named() {
                                result = if self.is_name(rest) {
                                    self.refer(span(rest), as_, inner, Role::Member)
                                } else {
                                    self.member_of(rest, as_, inner)
                                };
                            }
                        }
                        break;
                    }
                } else if node.is_named() {
                    self.visit(As::Type);
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
            self.cursor.goto_parent();
        }
        result
    }

    /// A name that stands for both a field and the variable of that name.
    pub(super) fn shorthand_name(&mut self, node: Node<'_>, as_: As) -> Value {
        let at = span(node);
        let field = self.name(at.0, at.1);
        if as_ == As::Bind {
            let source = self.bind.source;
            if source.is_some() {
                self.refer(at, As::Value, source, Role::Member);
            }
            let source = self.express(Expression::Field(source, field));
            if self.bind.assign {
                return self.refer(at, As::Value, Value::NONE, Role::Plain);
            }
            let bind = Bind { source, ..self.bind };
            self.define(at, &bind);
            return Value::NONE;
        }
        let value = self.refer(at, As::Value, Value::NONE, Role::Plain);
        let scope = self.scope;
        if self.scopes[scope as usize].kind == ScopeKind::Members {
            let bind = Bind {
                kind: DefinitionKind::Field,
                namespace: None,
                scope,
                source: value,
                from: 0,
                flags: Flags::HIDDEN,
                start: at.0,
                end: at.1,
                assign: false,
            };
            self.define(at, &bind);
        }
        value
    }

    /// Nodes whose children are told apart by their order alone.
    pub(super) fn ordered(&mut self, rule: &Rule, as_: As) -> Value {
        if !self.cursor.goto_first_child() {
            return Value::NONE;
        }
        let (mut value, mut position) = (Value::NONE, 0);
        loop {
            let node = self.cursor.node();
            let skipped = self
                .rules
                .rule(node.kind_id())
                .is_some_and(|r| r.act.name == ActName::Skip);
            if node.is_named() && !skipped {
                value = match (rule.act.name, position) {
                    (ActName::CastLast, 0) => self.visit(As::Value),
                    (ActName::CastLast, _) => {
                        let ty = self.visit(As::Type);
                        self.express(Expression::Typed(ty))
                    }
                    (ActName::IndexFirst, 0) => {
                        let object = self.visit(As::Value);
                        self.express(Expression::Index(object))
                    }
                    (ActName::IndexFirst, _) => {
                        self.visit(As::Value);
                        value
                    }
                    (ActName::ScopedType, 0) => self.visit(as_),
                    (ActName::ReferencePair, 0) => {
                        let value = self.visit(As::Value);
                        if let Some(r) = value.as_reference() {
                            self.references[r as usize].namespace |=
                                crate::vocabulary::Namespace::TYPE;
                        }
                        value
                    }
                    (ActName::ReferencePair, _) if !self.is_name(node) => self.visit(As::Type),
                    (act, _) => {
                        let as_ = if act == ActName::ScopedType { as_ } else { As::Callee };
                        let unknown = if value.is_none() {
                            self.express(Expression::Nothing)
                        } else {
                            value
                        };
                        self.refer(span(node), as_, unknown, Role::Member)
                    }
                };
                position += 1;
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
        value
    }

    fn key(&mut self, rule: &Rule, child: Node<'_>, as_: As, frame: &mut Frame) {
        let name = self.is_name(child);
        match (as_, rule.act.name) {
            (As::Bind, ActName::Pair) => {
                let source = self.bind.source;
                if name {
                    self.refer(span(child), as_, source, Role::Member);
                    let (start, end) = span(child);
                    let field = self.name(start, end);
                    self.bind.source = self.express(Expression::Field(source, field));
                } else {
                    self.visit(As::Value);
                    self.bind.source = Value::NONE;
                }
            }
            (_, ActName::Pair | ActName::Shorthand) => {
                let receiver = self.construct;
                if name && receiver.is_some() {
                    frame.result = self.refer(span(child), As::Value, receiver, Role::Field);
                } else if name && self.scopes[self.scope as usize].kind == ScopeKind::Members {
                    let mut bind = self.binding(rule, child, DefinitionKind::Field, Value::NONE);
                    bind.scope = self.scope;
                    frame.definition = self.define(span(child), &bind);
                } else {
                    self.visit(As::Value);
                    if receiver.is_some() {
                        self.construct = self.express(Expression::Index(receiver));
                    }
                }
                if rule.act.name == ActName::Shorthand {
                    frame.result = self.refer(span(child), As::Value, Value::NONE, Role::Plain);
                } else if name && receiver.is_some() {
                    let (start, end) = span(child);
                    let field = self.name(start, end);
                    self.construct = self.express(Expression::Field(receiver, field));
                }
            }
            _ => {
                self.visit(As::Value);
            }
        }
    }

    pub(super) fn plain_name(&mut self, rule: &Rule, node: Node<'_>, as_: As) -> Value {
        let at = span(node);
        if at.0 == at.1 {
            return Value::NONE;
        }
        let as_ = match rule.act.word {
            Some(Word::Type) if as_ != As::Bind && as_ != As::Import => As::Type,
            Some(Word::Macro) => As::Macro,
            _ => as_,
        };
        match as_ {
            As::Bind if self.bind.assign => self.refer(at, As::Value, Value::NONE, Role::Plain),
            As::Bind if rule.flags.has(Flags::CAPITAL) && self.is_constant_pattern(at) => {
                self.refer(at, As::Value, Value::NONE, Role::Plain)
            }
            As::Bind => {
                let bind = self.bind;
                self.define(at, &bind);
                Value::NONE
            }
            As::Import => self.imported(at, self.module),
            As::Path if self.module.is_some() => {
                let module = self.module;
                self.refer(at, as_, module, Role::Member)
            }
            _ => {
                let value = self.refer(at, as_, Value::NONE, Role::Plain);
                if rule.act.word == Some(Word::Label) {
                    let r = self.references.len() - 1;
                    self.references[r].namespace = crate::vocabulary::Namespace::LABEL;
                }
                if rule.act.word == Some(Word::Tag) {
                    let r = self.references.len() - 1;
                    self.references[r].namespace = crate::vocabulary::Namespace::TAG;
                }
                value
            }
        }
    }

    /// A capitalised name in a pattern names a constant, unless it is a parameter.
    fn is_constant_pattern(&self, at: (u32, u32)) -> bool {
        self.bind.kind == DefinitionKind::Variable
            && self.slice(at.0, at.1).starts_with(char::is_uppercase)
    }
}
