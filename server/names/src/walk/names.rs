//! Names whose meaning depends on their position: members, keys, patterns.

use tree_sitter::Node;

use super::{As, Bind, Frame, Walk, span};
use crate::expression::{Expression, Value};
use crate::facts::Role;
use crate::rules::Rule;
use crate::vocabulary::{ActName, DefinitionKind, Flags, ScopeKind, Slot, Word};

impl Walk<'_> {
    /// The name that a node consists of, or the node itself.
    pub(super) fn inner_name<'n>(&self, node: Node<'n>) -> Node<'n> {
        let pass = self.rules.rule(node.kind_id()).is_some_and(|r| r.act.name == ActName::Pass);
        match node.named_child(0) {
            Some(inner) if pass && node.named_child_count() == 1 && self.is_name(inner) => inner,
            _ => node,
        }
    }

    /// Lowers a shorthand, which is both a field and the variable of that name.
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
        if self.scopes[scope as usize].kind == ScopeKind::Object {
            let bind = Bind {
                kind: DefinitionKind::Import,
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

    /// Lowers nodes whose children are distinguished only by their order.
    pub(super) fn ordered(&mut self, rule: &Rule, as_: As) -> Value {
        if !self.cursor.goto_first_child() {
            return Value::NONE;
        }
        let (mut value, mut position) = (Value::NONE, 0);
        loop {
            let node = self.cursor.node();
            let skipped =
                self.rules.rule(node.kind_id()).is_some_and(|r| r.act.name == ActName::Skip);
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
                        let unknown =
                            if value.is_none() { self.express(Expression::Nothing) } else { value };
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

    pub(super) fn key(&mut self, rule: &Rule, child: Node<'_>, as_: As, frame: &mut Frame) {
        let child = self.inner_name(child);
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
                let object = matches!(
                    self.scopes[self.scope as usize].kind,
                    ScopeKind::Members | ScopeKind::Object
                );
                if name && receiver.is_some() {
                    let role = if object { Role::Expected } else { Role::Field };
                    frame.result = self.refer(span(child), As::Value, receiver, role);
                }
                if name && receiver.is_some() && !object {
                } else if name
                    && matches!(
                        self.scopes[self.scope as usize].kind,
                        ScopeKind::Members | ScopeKind::Object
                    )
                {
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
        if rule.act.word == Some(Word::Inner) {
            self.named_within(node, Value::NONE);
        }
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
            _ if self.slice(at.0, at.1).ends_with(')') => self.import_type(at),
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

    /// The module of the type `import('x').A`. The parser rewrites `import('x')` to one name
    /// (`syntax`, rewrites), because the grammar of TypeScript accepts it as an expression in some
    /// places only.
    fn import_type(&mut self, (start, end): (u32, u32)) -> Value {
        let text = self.slice(start, end);
        let quoted = text.find(['"', '\'']).and_then(|open| {
            let inner = text.get(open + 1..)?;
            let close = inner.find(text[open..].chars().next()?)?;
            Some((start + open as u32 + 1, start + (open + 1 + close) as u32))
        });
        let Some(inner) = quoted else { return Value::NONE };
        let path = self.name(inner.0, inner.1);
        let module = self.express(Expression::Module(path, 0));
        self.refer(inner, As::Path, module, Role::Root);
        module
    }

    /// Refers to the name inside of a name: a destructor's name contains its type's.
    pub(super) fn named_within(&mut self, node: Node<'_>, path: Value) {
        let rule = self.rules.rule(node.kind_id());
        if rule.is_none_or(|r| r.act.word != Some(Word::Inner)) {
            return;
        }
        let Some(inner) = node.named_child(0) else { return };
        match self.last_reference(path).map(|r| self.references[r as usize]) {
            Some(named)
                if self.slice(named.start, named.end)
                    == self.slice(span(inner).0, span(inner).1) =>
            {
                self.refer(span(inner), As::Type, named.receiver, named.role);
            }
            _ => {
                self.refer(span(inner), As::Type, Value::NONE, Role::Plain);
            }
        }
    }

    /// Whether a capitalised name in a pattern is a constant, which it is unless it binds a
    /// parameter.
    pub(super) fn is_constant_pattern(&self, at: (u32, u32)) -> bool {
        self.bind.kind == DefinitionKind::Variable
            && self.slice(at.0, at.1).starts_with(char::is_uppercase)
    }

    pub(super) fn member(&mut self, child: Node<'_>, as_: As, frame: &mut Frame) {
        if frame.object.is_none() && as_ != As::Import {
            let (start, end) = self.parent().map_or((0, 0), span);
            if self.slice(start, end).starts_with("::") {
                // Resolved from the outermost scope.
                let scope = std::mem::take(&mut self.scope);
                frame.result = if self.is_name(child) {
                    self.refer(span(child), as_, Value::NONE, Role::Plain)
                } else {
                    self.visit(as_)
                };
                self.scope = scope;
                return;
            }
        }
        if !self.is_name(child) && child.child_count() > 0 {
            // The member is the name of a call or a template.
            let object = frame.object;
            frame.result = self.member_of(child, as_, object);
            return;
        }
        let object = frame.object;
        if as_ == As::Import {
            frame.result = self.imported(span(child), object);
            return;
        }
        self.named_within(child, object);
        frame.result = if object.is_none() {
            let unknown = self.express(Expression::Nothing);
            self.refer(span(child), as_, unknown, Role::Member)
        } else {
            self.refer(span(child), as_, object, Role::Member)
        };
    }

    /// Lowers a member with arguments: the first name in it is the member.
    pub(super) fn member_of(&mut self, child: Node<'_>, as_: As, object: Value) -> Value {
        let (mut result, mut arguments) = (Value::NONE, Vec::new());
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
                    let field = self.cursor.field_id().map(std::num::NonZero::get);
                    let rule = self.rules.rule(child.kind_id());
                    let slot = rule.and_then(|r| r.slot(field, node.kind_id()));
                    if slot == Some(Slot::TypeArguments) {
                        self.gather(As::Type, &mut arguments);
                    } else {
                        self.visit(As::Type);
                    }
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
            self.cursor.goto_parent();
        }
        if result.is_some() && !arguments.is_empty() {
            let list = self.keep(&arguments);
            return self.express(Expression::Generic(result, list));
        }
        result
    }

    /// Lowers the values of a case: a name may be a member of the switched type.
    pub(super) fn case_label(&mut self, as_: As) -> Value {
        if !self.cursor.goto_first_child() {
            return Value::NONE;
        }
        let subject = self.subject;
        loop {
            let node = self.cursor.node();
            if node.is_named() && self.is_name(node) && subject.is_some() {
                self.refer(span(node), As::Value, subject, Role::Field);
            } else if node.is_named() {
                self.visit(as_);
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
        Value::NONE
    }
}
