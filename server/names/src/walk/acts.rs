//! The actions of node rules: what a node yields once its children are lowered.

use tree_sitter::Node;

use super::{As, Frame, RETURNS, Walk, span};
use crate::expression::{Expression, Value};
use crate::facts::{NONE, Role};
use crate::rules::Rule;
use crate::vocabulary::{ActName, DefinitionKind, Flags, Namespace, ScopeKind, Word};

impl Walk<'_> {
    /// Applies a rule to the node under the cursor.
    pub(super) fn act(&mut self, rule: &'static Rule, node: Node<'_>, as_: As) -> Value {
        match rule.act.name {
            ActName::Skip => {
                self.comment(span(node));
                Value::NONE
            }
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
            ActName::Rest => {
                let flags = self.bind.flags;
                // The rest of an object pattern is an object, the rest of a list pattern is a list.
                let parent = self.parent().and_then(|p| self.rules.rule(p.kind_id()));
                if parent.is_none_or(|p| p.act.name != ActName::Pass) {
                    self.bind.flags |= rule.flags;
                }
                let value = self.plain(as_);
                self.bind.flags = flags;
                value
            }
            ActName::Attribute => self.attribute(node),
            ActName::Negation => self.negation(node),
            ActName::Conditional => self.conditional(rule, node),
            ActName::ShorthandName => self.shorthand_name(node, as_),
            ActName::CastLast
            | ActName::IndexFirst
            | ActName::ScopedType
            | ActName::ReferencePair => self.ordered(rule, as_),
            ActName::Tokens => match self.code() {
                Some(value) => value,
                None => self.tokens(),
            },
            ActName::CaseLabel => self.case_label(as_),
            ActName::Redirect => self.redirect(rule),
            ActName::Path => match rule.act.word {
                Some(Word::File) => self.express(Expression::Root),
                Some(Word::Parent) if self.module.is_some() && as_ == As::Path => {
                    let module = self.module;
                    self.refer(span(node), as_, module, Role::Member)
                }
                Some(Word::Parent) => {
                    let scope = self.scope;
                    self.express(Expression::Parent(scope))
                }
                _ => self.plain(as_),
            },
            ActName::Member if as_ == As::Bind => self.bound_member(rule),
            ActName::Pattern if as_ == As::Bind => self.match_pattern(rule, node),
            ActName::Pattern => self.plain(as_),
            ActName::Bind if as_ == As::Bind && self.holds_pattern(node) => {
                self.match_pattern(rule, node)
            }
            ActName::Generic if as_ == As::Bind && self.bind.kind == DefinitionKind::TypeAlias => {
                self.generic_alias()
            }
            _ => self.compound(rule, node, as_),
        }
    }

    /// Lowers a node whose children have roles: opens what its action needs, lowers each child by
    /// its role, and closes.
    fn compound(&mut self, rule: &'static Rule, node: Node<'_>, as_: As) -> Value {
        if rule.flags.has(Flags::NEEDS_BODY) && node.child_by_field_name("body").is_none() {
            // A tag that is used, not defined: `struct s x;`.
            let value = self.plain(As::Type);
            if let Some(r) = value.as_reference() {
                self.references[r as usize].namespace = rule.namespace.unwrap_or(Namespace::TYPE);
            }
            return value;
        }
        // Children change these fields for their own subtrees only.
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
            hole: Value::NONE,
            tests: (0, 0),
            comment: None,
            holds: None,
        };
        self.begin(rule, node, as_, &mut frame);
        if self.cursor.goto_first_child() {
            loop {
                let child = self.cursor.node();
                if Self::unnamed_part(rule, child, &mut frame) {
                } else if child.is_named() {
                    let field = self.cursor.field_id().map(std::num::NonZero::get);
                    match rule.slot(field, child.kind_id()) {
                        Some(slot) => self.slot(slot, rule, child, as_, &mut frame),
                        None => self.unslotted(rule, as_, &mut frame),
                    }
                } else if child.kind() == "default"
                    && matches!(rule.act.name, ActName::ImportItem | ActName::Reexport)
                {
                    frame.last = Some(span(child));
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
            self.cursor.goto_parent();
        }
        let value = self.end(rule, node, as_, &mut frame);
        (
            (self.scope, self.bind, self.ambient, self.module),
            (self.construct, self.callee, self.hoist, self.subject),
        ) = saved;
        value
    }

    /// The type of an operator's result: concatenation is a string, comparison a boolean.
    fn sum(&mut self, node: Node<'_>, frame: &Frame) -> Value {
        let text = |v: &Value| {
            let e = v.as_expression().and_then(|e| self.expressions.get(e as usize));
            e == Some(&Expression::Text)
        };
        match node.child_by_field_name("operator").map_or("", |o| o.kind()) {
            "+" if frame.list.iter().any(text) => self.express(Expression::Text),
            "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" => {
                let list = self.keep(&frame.list);
                self.express(Expression::Arithmetic(list))
            }
            "<<" | ">>" | ">>>" => {
                let list = self.keep(&frame.list[..frame.list.len().min(1)]);
                self.express(Expression::Arithmetic(list))
            }
            _ => self.express(Expression::Boolean),
        }
    }

    /// Combines what the children returned into the value of the node.
    fn end(&mut self, rule: &Rule, node: Node<'_>, as_: As, frame: &mut Frame) -> Value {
        if !rule.hints.is_empty() {
            self.list_names(rule, node);
        }
        match rule.act.name {
            ActName::Scope => self.end_scope(rule, as_, frame),
            ActName::Define => self.end_define(rule, as_, frame),
            ActName::Bind | ActName::Assign => {
                let value = self.end_bind(rule, node, frame);
                self.repeat = frame.count.max(1);
                if as_ == As::Type { frame.ty } else { value }
            }
            ActName::Member => frame.result.or(frame.object),
            ActName::Call => self.end_call(rule, frame),
            ActName::New => {
                let list = self.keep(&frame.list);
                let ty = frame.ty.or(frame.value);
                let named = self.last_reference(ty);
                let ty = self.anonymous_class(frame).unwrap_or(ty);
                let new = self.express(Expression::New(ty, list));
                if let Some(r) = named {
                    self.references[r as usize].call = new.0;
                }
                self.lambdas_given_to(new, frame);
                new
            }
            ActName::Construct => self.express(Expression::New(frame.ty, NONE)),
            ActName::Index if as_ == As::Type && frame.list.is_empty() => frame.object,
            ActName::Index if as_ == As::Type || !frame.list.is_empty() => {
                let list = self.keep(&frame.list);
                self.express(Expression::Generic(frame.object, list))
            }
            // What is left of a sequence is a sequence.
            ActName::Index if frame.count > 0 => self.express(Expression::Slice(frame.object)),
            ActName::Index => self.express(Expression::Index(frame.object.or(frame.value))),
            ActName::Slice => self.express(Expression::Slice(frame.object.or(frame.value))),
            ActName::Generic => {
                let list = self.keep(&frame.list);
                let base = frame.ty.or(frame.object).or(frame.value);
                if list == NONE { base } else { self.express(Expression::Generic(base, list)) }
            }
            ActName::Choice if self.is_test(node, frame) => Value::NONE,
            ActName::Branch => {
                self.end_branch(node, frame);
                Value::NONE
            }
            ActName::Assert => {
                self.end_assert(node, frame);
                Value::NONE
            }
            ActName::Union | ActName::Choice => {
                self.end_choice(node, as_, frame);
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
            ActName::MapType => {
                // A channel has no keys.
                let all = [frame.ty, frame.value];
                let list = self.keep(if frame.value.is_some() { &all } else { &all[..1] });
                self.express(Expression::Map(list))
            }
            ActName::Receive if node.child(0).is_some_and(|n| n.kind() == "<-") => {
                self.express(Expression::Await(frame.value))
            }
            ActName::Receive => frame.value,
            ActName::Pointer => frame.ty.or(frame.object).or(frame.value),
            ActName::FunctionType => {
                let list = self.keep(&frame.list);
                self.express(Expression::Function(frame.ty, list))
            }
            ActName::Object => {
                let scope = self.scope;
                self.spread_into(scope, node);
                self.express(Expression::Object(scope))
            }
            ActName::Lambda => {
                let scope = self.scope;
                if frame.ty.is_none()
                    && let Some(comment) = frame.comment
                {
                    frame.ty = self.documented_return(comment);
                }
                if frame.ty.is_some() {
                    self.returns_typed(frame.ty);
                } else if frame.body.is_some() {
                    self.returns.push((scope, frame.body));
                }
                self.express(Expression::Lambda(scope))
            }
            ActName::Return => {
                self.returned(frame.value);
                Value::NONE
            }
            ActName::Yield => {
                let from = node.child(1).is_some_and(|c| c.kind() == "from");
                let given =
                    if from { frame.value } else { self.express(Expression::Array(frame.value)) };
                self.returned(given);
                Value::NONE
            }
            ActName::Await => self.express(Expression::Await(frame.value)),
            ActName::Conversion if self.is_generic(frame.ty) => {
                // A call of a generic function with type arguments parses like a conversion.
                frame.list = vec![frame.value];
                let list = self.keep(&frame.list);
                let call = self.express(Expression::Call(frame.ty, list));
                self.lambdas_given_to(call, frame);
                call
            }
            ActName::Cast | ActName::Conversion => {
                if frame.ty.is_none() {
                    return frame.value;
                }
                self.express(Expression::Typed(frame.ty))
            }
            ActName::Import | ActName::ImportItem | ActName::ImportName | ActName::ImportAll => {
                self.end_import(rule, node, frame)
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
                // A text with blanks is not the name of the package.
                if let Some((start, end)) = frame.last
                    && !self.slice(start, end).contains(char::is_whitespace)
                {
                    self.package = self.name(start, end);
                    if rule.flags.has(Flags::EXPORTED) {
                        self.names_file(node, (start, end));
                    }
                }
                Value::NONE
            }
            ActName::Opaque | ActName::Element | ActName::ElementAttribute => Value::NONE,
            ActName::Sum => self.sum(node, frame),
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
            ActName::Group => {
                let value = frame.result.or(frame.value).or(frame.body);
                self.documented_cast(span(node).0, value)
            }
            ActName::MacroCall => frame.value,
            ActName::Initializer => Value::NONE,
            ActName::Pair => {
                if let Some(field) = self.definitions.get_mut(frame.definition as usize)
                    && field.value.is_none()
                {
                    field.value = frame.value;
                }
                frame.value
            }
            ActName::Keyword => frame.value,
            ActName::Shorthand => frame.result,
            ActName::Variant => frame.object,
            _ => frame.result.or(frame.value).or(frame.body),
        }
    }

    /// Sets the declared return type of the enclosing function; it replaces the types of its
    /// `return`s.
    pub(super) fn returns_typed(&mut self, ty: Value) {
        let scope = self.scope;
        let typed = self.express(Expression::Typed(ty));
        self.returns.retain(|r| r.0 != scope);
        self.returns.push((scope, typed));
    }

    /// Records a return value of the enclosing function.
    fn returned(&mut self, value: Value) {
        if let Some(function) =
            self.nearest(|k| matches!(k, ScopeKind::Function | ScopeKind::Lambda))
            && value.is_some()
            && self.returns.iter().rev().take_while(|r| r.0 == function).count() < RETURNS
        {
            self.returns.push((function, value));
        }
    }

    fn end_scope(&mut self, rule: &Rule, as_: As, frame: &Frame) -> Value {
        if rule.act.scope == Some(ScopeKind::Comprehension) {
            // The condition of a comprehension holds for the values it yields.
            let at = self.scopes[self.scope as usize];
            self.hold((at.start, at.end), frame.tests.0);
            self.tests.truncate(frame.tests.0);
        }
        let members = rule.act.scope == Some(ScopeKind::Members);
        if members && as_ == As::Type {
            let scope = self.scope;
            return self.express(Expression::Object(scope));
        }
        frame.body
    }

    /// Lowers a child without a role.
    pub(super) fn unslotted(&mut self, rule: &Rule, as_: As, frame: &mut Frame) {
        let inherit = match rule.act.name {
            ActName::Generic
            | ActName::Union
            | ActName::FunctionType
            | ActName::Array
            | ActName::Pointer
            | ActName::Embed => As::Type,
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
        let unread = self.branch.unread;
        self.branch.unread |= rule.act.name == ActName::Branch && frame.holds == Some(true);
        let value = self.visit(inherit);
        self.branch.unread = unread;
        match rule.act.name {
            ActName::Union | ActName::Choice => frame.list.push(value),
            ActName::Block => frame.value = value,
            ActName::Define | ActName::Bind | ActName::Assign | ActName::Scope => {}
            _ if value.is_some() => frame.value = value,
            _ => {}
        }
    }

    fn is_generic(&self, ty: Value) -> bool {
        let expression = ty.as_expression().and_then(|e| self.expressions.get(e as usize));
        matches!(expression, Some(Expression::Generic(..)))
    }

    /// Whether a child is a name by itself.
    pub(super) fn is_name(&self, node: Node<'_>) -> bool {
        match self.rules.rule(node.kind_id()) {
            Some(rule) => rule.act.name == ActName::Name,
            None => node.child_count() == 0,
        }
    }
}
