//! Names whose meaning depends on their position: members, keys, patterns.

use tree_sitter::Node;

use super::{Binding, Lowerer, LoweringContext, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::ReferenceRole;
use crate::node_rules::NodeRule;
use crate::vocabulary::{ActionDetail, ActionKind, ChildRole, DefinitionKind, Flags, ScopeKind};

impl Lowerer<'_> {
    /// The name that a node consists of, or the node itself.
    pub(super) fn sole_name<'n>(&self, node: Node<'n>) -> Node<'n> {
        let pass =
            self.rules.rule(node.kind_id()).is_some_and(|r| r.action.kind == ActionKind::Pass);
        match node.named_child(0) {
            Some(inner) if pass && node.named_child_count() == 1 && self.is_name(inner) => inner,
            _ => node,
        }
    }

    /// Lowers a shorthand, which is both a field and the variable of that name.
    pub(super) fn lower_shorthand_name(&mut self, node: Node<'_>, used_as: UsedAs) -> Value {
        let at = span(node);
        let field = self.intern(at.0, at.1);
        if used_as == UsedAs::Pattern {
            let source = self.bind.source;
            if source.is_some() {
                self.push_reference(at, UsedAs::Value, source, ReferenceRole::Member);
            }
            let source = self.push_expression(Expression::Field(source, field));
            if self.bind.is_assignment {
                return self.push_reference(at, UsedAs::Value, Value::NONE, ReferenceRole::Plain);
            }
            let bind = Binding { source, ..self.bind };
            self.push_definition(at, &bind);
            return Value::NONE;
        }
        let value = self.push_reference(at, UsedAs::Value, Value::NONE, ReferenceRole::Plain);
        let scope = self.scope;
        if self.scopes[scope as usize].kind == ScopeKind::Object {
            let bind = Binding {
                source: value,
                flags: Flags::HIDDEN,
                ..Binding::new(DefinitionKind::Import, scope, at)
            };
            self.push_definition(at, &bind);
        }
        value
    }

    /// Lowers nodes whose children are distinguished only by their order.
    pub(super) fn lower_ordered_children(&mut self, rule: &NodeRule, used_as: UsedAs) -> Value {
        if !self.cursor.goto_first_child() {
            return Value::NONE;
        }
        let (mut value, mut position) = (Value::NONE, 0_i32);
        loop {
            let node = self.cursor.node();
            let skipped =
                self.rules.rule(node.kind_id()).is_some_and(|r| r.action.kind == ActionKind::Skip);
            if node.is_named() && !skipped {
                value = match (rule.action.kind, position) {
                    (ActionKind::CastLast, 0) => self.lower_node(UsedAs::Value),
                    (ActionKind::CastLast, _) => {
                        let ty = self.lower_node(UsedAs::Type);
                        self.push_expression(Expression::Typed(ty))
                    }
                    (ActionKind::IndexFirst, 0) => {
                        let object = self.lower_node(UsedAs::Value);
                        self.push_expression(Expression::Index(object))
                    }
                    (ActionKind::IndexFirst, _) => {
                        self.lower_node(UsedAs::Value);
                        value
                    }
                    (ActionKind::Infix, 0) => self.lower_node(UsedAs::Value),
                    (ActionKind::Infix, 1) => self.push_reference(
                        span(node),
                        UsedAs::Callee,
                        value,
                        ReferenceRole::Member,
                    ),
                    (ActionKind::Infix, _) => self.lower_infix_argument(value),
                    (ActionKind::ScopedType, _) if self.is_opaque(node) => {
                        self.lower_node(UsedAs::Type);
                        position -= 1;
                        value
                    }
                    (ActionKind::ScopedType, 0) => self.lower_node(used_as),
                    (ActionKind::ScopedType, _) if self.is_list(node) => {
                        self.lower_type_arguments(value)
                    }
                    (ActionKind::ReferencePair, 0) => {
                        let value = self.lower_node(UsedAs::Value);
                        if let Some(r) = value.as_reference() {
                            self.references[r as usize].namespace |=
                                crate::vocabulary::Namespace::TYPE;
                        }
                        value
                    }
                    (ActionKind::ReferencePair, _) if !self.is_name(node) => {
                        self.lower_node(UsedAs::Type)
                    }
                    (action, _) => {
                        let used_as =
                            if action == ActionKind::ScopedType { used_as } else { UsedAs::Callee };
                        let unknown = if value.is_none() {
                            self.push_expression(Expression::Nothing)
                        } else {
                            value
                        };
                        self.push_reference(span(node), used_as, unknown, ReferenceRole::Member)
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

    /// Lowers the key of a pair: a member of the matched value in a pattern, else a field of the
    /// expected type, or a definition of a field.
    pub(super) fn lower_key(
        &mut self,
        rule: &NodeRule,
        child: Node<'_>,
        used_as: UsedAs,
        ctx: &mut LoweringContext,
    ) {
        let child = self.sole_name(child);
        let name = self.is_name(child);
        match (used_as, rule.action.kind) {
            (UsedAs::Pattern, ActionKind::Pair) => {
                let source = self.bind.source;
                if name {
                    self.push_reference(span(child), used_as, source, ReferenceRole::Member);
                    let (start, end) = span(child);
                    let field = self.intern(start, end);
                    self.bind.source = self.push_expression(Expression::Field(source, field));
                } else {
                    self.lower_node(UsedAs::Value);
                    self.bind.source = Value::NONE;
                }
            }
            (_, ActionKind::Pair | ActionKind::Shorthand) => {
                let receiver = self.expected_type;
                let object = matches!(
                    self.scopes[self.scope as usize].kind,
                    ScopeKind::Members | ScopeKind::Object
                );
                if name && receiver.is_some() {
                    let role = if object { ReferenceRole::Expected } else { ReferenceRole::Field };
                    ctx.result = self.push_reference(span(child), UsedAs::Value, receiver, role);
                }
                if name && receiver.is_some() && !object {
                } else if name
                    && matches!(
                        self.scopes[self.scope as usize].kind,
                        ScopeKind::Members | ScopeKind::Object
                    )
                {
                    let mut bind =
                        self.rule_binding(rule, child, DefinitionKind::Field, Value::NONE);
                    bind.scope = self.scope;
                    ctx.definition = self.push_definition(span(child), &bind);
                } else {
                    self.lower_node(UsedAs::Value);
                    if receiver.is_some() {
                        self.expected_type = self.push_expression(Expression::Index(receiver));
                    }
                }
                if rule.action.kind == ActionKind::Shorthand {
                    ctx.result = self.push_reference(
                        span(child),
                        UsedAs::Value,
                        Value::NONE,
                        ReferenceRole::Plain,
                    );
                } else if name && receiver.is_some() {
                    let (start, end) = span(child);
                    let field = self.intern(start, end);
                    self.expected_type = self.push_expression(Expression::Field(receiver, field));
                }
            }
            _ => {
                self.lower_node(UsedAs::Value);
            }
        }
    }

    /// Lowers a single name: a definition in a pattern, an import, or a reference in the namespace
    /// of its position.
    pub(super) fn lower_name(&mut self, rule: &NodeRule, node: Node<'_>, used_as: UsedAs) -> Value {
        let at = span(node);
        if at.0 == at.1 {
            return Value::NONE;
        }
        let used_as = match rule.action.detail {
            Some(ActionDetail::Type) if used_as != UsedAs::Pattern && used_as != UsedAs::Import => {
                UsedAs::Type
            }
            Some(ActionDetail::Macro) => UsedAs::Macro,
            _ => used_as,
        };
        if rule.action.detail == Some(ActionDetail::Inner) {
            self.reference_inner_name(node, Value::NONE);
        }
        match used_as {
            UsedAs::Pattern if self.bind.is_assignment => {
                self.push_reference(at, UsedAs::Value, Value::NONE, ReferenceRole::Plain)
            }
            UsedAs::Pattern if rule.flags.has(Flags::CAPITAL) && self.is_constant_pattern(at) => {
                self.push_reference(at, UsedAs::Value, Value::NONE, ReferenceRole::Plain)
            }
            UsedAs::Pattern => {
                let bind = self.bind;
                self.push_definition(at, &bind);
                Value::NONE
            }
            UsedAs::Import => self.lower_imported_name(at, self.import_module),
            UsedAs::Path if self.import_module.is_some() => {
                let module = self.import_module;
                self.push_reference(at, used_as, module, ReferenceRole::Member)
            }
            UsedAs::Path if self.rules.absolute_imports => {
                let root = self.names.number("\\");
                let root = self.push_expression(Expression::Module(root, 0));
                self.push_reference(at, used_as, root, ReferenceRole::Member)
            }
            _ if self.slice(at.0, at.1).ends_with(')') => self.import_type(at),
            _ => {
                let value = self.push_reference(at, used_as, Value::NONE, ReferenceRole::Plain);
                if rule.action.detail == Some(ActionDetail::Label) {
                    let r = self.references.len() - 1;
                    self.references[r].namespace = crate::vocabulary::Namespace::LABEL;
                }
                if rule.action.detail == Some(ActionDetail::Tag) {
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
        let path = self.intern(inner.0, inner.1);
        let module = self.push_expression(Expression::Module(path, 0));
        self.push_reference(inner, UsedAs::Path, module, ReferenceRole::Root);
        module
    }

    /// Refers to the name inside of a name: a destructor's name contains its type's.
    pub(super) fn reference_inner_name(&mut self, node: Node<'_>, path: Value) {
        let rule = self.rules.rule(node.kind_id());
        if rule.is_none_or(|r| r.action.detail != Some(ActionDetail::Inner)) {
            return;
        }
        let Some(inner) = node.named_child(0) else { return };
        match self.last_reference(path).map(|r| self.references[r as usize]) {
            Some(named)
                if self.slice(named.start, named.end)
                    == self.slice(span(inner).0, span(inner).1) =>
            {
                self.push_reference(span(inner), UsedAs::Type, named.receiver, named.role);
            }
            _ => {
                self.push_reference(span(inner), UsedAs::Type, Value::NONE, ReferenceRole::Plain);
            }
        }
    }

    /// Whether a capitalised name in a pattern is a constant, which it is unless it binds a
    /// parameter.
    pub(super) fn is_constant_pattern(&self, at: (u32, u32)) -> bool {
        self.bind.kind == DefinitionKind::Variable
            && self.slice(at.0, at.1).starts_with(char::is_uppercase)
    }

    /// Lowers the member of a path or access; its object is lowered already.
    pub(super) fn lower_member(
        &mut self,
        child: Node<'_>,
        used_as: UsedAs,
        ctx: &mut LoweringContext,
    ) {
        if ctx.object.is_none() && used_as != UsedAs::Import {
            let (start, end) = self.parent().map_or((0, 0), span);
            if self.slice(start, end).starts_with('\\') {
                let root = self.global_namespace(start);
                ctx.result = self.push_reference(span(child), used_as, root, ReferenceRole::Member);
                return;
            }
            if self.slice(start, end).starts_with("::") {
                // Resolved from the outermost scope.
                let scope = std::mem::take(&mut self.scope);
                ctx.result = if self.is_name(child) {
                    self.push_reference(span(child), used_as, Value::NONE, ReferenceRole::Plain)
                } else {
                    self.lower_node(used_as)
                };
                self.scope = scope;
                return;
            }
        }
        if !self.is_name(child) && child.child_count() > 0 {
            // The member is the name of a call or a template.
            let object = ctx.object;
            ctx.result = self.lower_member_name(child, used_as, object);
            return;
        }
        let object = ctx.object;
        if used_as == UsedAs::Import {
            ctx.result = self.lower_imported_name(span(child), object);
            return;
        }
        self.reference_inner_name(child, object);
        ctx.result = if object.is_none() {
            let unknown = self.push_expression(Expression::Nothing);
            self.push_reference(span(child), used_as, unknown, ReferenceRole::Member)
        } else {
            self.push_reference(span(child), used_as, object, ReferenceRole::Member)
        };
    }

    /// Lowers a member with arguments: the first name in it is the member.
    pub(super) fn lower_member_name(
        &mut self,
        child: Node<'_>,
        used_as: UsedAs,
        object: Value,
    ) -> Value {
        let (mut result, mut arguments) = (Value::NONE, Vec::new());
        let object =
            if object.is_none() { self.push_expression(Expression::Nothing) } else { object };
        if child.child_count() > 0 && self.cursor.goto_first_child() {
            loop {
                let node = self.cursor.node();
                if result.is_none() && node.is_named() {
                    result = if self.is_name(node) {
                        if used_as == UsedAs::Import {
                            self.lower_imported_name(span(node), object)
                        } else {
                            self.push_reference(span(node), used_as, object, ReferenceRole::Member)
                        }
                    } else {
                        self.lower_member_name(node, used_as, object)
                    };
                    if let Some(rule) = self.rules.rule(child.kind_id())
                        && rule.action.kind == ActionKind::Member
                    {
                        // `a::b::c` nests to the right: the rest are members of this member.
                        let inner = result;
                        while self.cursor.goto_next_sibling() {
                            let rest = self.cursor.node();
                            if rest.is_named() {
                                result = if self.is_name(rest) {
                                    self.push_reference(
                                        span(rest),
                                        used_as,
                                        inner,
                                        ReferenceRole::Member,
                                    )
                                } else {
                                    self.lower_member_name(rest, used_as, inner)
                                };
                            }
                        }
                        break;
                    }
                } else if node.is_named() {
                    let field = self.cursor.field_id().map(std::num::NonZero::get);
                    let rule = self.rules.rule(child.kind_id());
                    let role = rule.and_then(|r| r.child_role(field, node.kind_id(), 0));
                    if role == Some(ChildRole::TypeArguments) {
                        self.collect_children(UsedAs::Type, &mut arguments);
                    } else {
                        self.lower_node(UsedAs::Type);
                    }
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
            self.cursor.goto_parent();
        }
        if result.is_some() && !arguments.is_empty() {
            let list = self.push_list(&arguments);
            return self.push_expression(Expression::Generic(result, list));
        }
        result
    }

    /// Lowers the values of a case: a name may be a member of the switched type.
    pub(super) fn lower_case_label(&mut self, used_as: UsedAs) -> Value {
        if !self.cursor.goto_first_child() {
            return Value::NONE;
        }
        let subject = self.match_subject;
        loop {
            let node = self.cursor.node();
            if node.is_named() && self.is_name(node) && subject.is_some() {
                self.push_reference(span(node), UsedAs::Value, subject, ReferenceRole::Field);
            } else if node.is_named() {
                self.lower_node(used_as);
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
        Value::NONE
    }
}
