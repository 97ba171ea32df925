//! Child roles: how a child is lowered by its role in its node.

use tree_sitter::Node;

use super::{Binding, Lowerer, LoweringContext, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::{NONE, ReferenceRole};
use crate::node_rules::{Derivation, NodeRule};
use crate::vocabulary::{
    ActionDetail, ActionKind, ChildRole, DefinitionKind, Flags, Namespace, RuleHint, ScopeKind,
};

impl Lowerer<'_> {
    /// Lowers the child under the cursor by its role and adds the result to `ctx`.
    pub(super) fn lower_child(
        &mut self,
        role: ChildRole,
        rule: &'static NodeRule,
        child: Node<'_>,
        used_as: UsedAs,
        ctx: &mut LoweringContext,
    ) {
        match role {
            ChildRole::Skip | ChildRole::Alternative => {}
            ChildRole::Condition => {
                ctx.holds = self.static_outcome(child);
                self.lower_node(UsedAs::Value);
            }
            ChildRole::Narrowed => self.lower_consequence(child, ctx),
            ChildRole::MacroBody => self.lower_macro_body(child, ctx),
            ChildRole::Name => self.lower_name_child(rule, child, used_as, ctx),
            ChildRole::Declarator => self.lower_declarator(ctx),
            // `infer A extends B`
            ChildRole::Pattern
                if self.bind.kind == DefinitionKind::TypeParameter
                    && child.prev_sibling().is_some_and(|before| before.kind() == "extends") =>
            {
                self.lower_type(rule, ctx);
            }
            ChildRole::Pattern => self.lower_pattern(rule, ctx),
            ChildRole::Value
                if rule.action.kind == ActionKind::Keyword && self.is_type_argument(rule, ctx) =>
            {
                ctx.value = self.lower_node(UsedAs::Type);
            }
            ChildRole::Value if rule.evaluates_head_outside => {
                let before = self.mark_head();
                self.lower_value(rule, ctx);
                self.move_first_iterable_out(before);
            }
            ChildRole::Value
                if rule.action.kind == ActionKind::Call
                    && self.is_hinted(rule, ctx.object, RuleHint::TYPED) =>
            {
                let mut list = Vec::new();
                self.collect_children(UsedAs::Type, &mut list);
                ctx.ty = Value::NONE;
                ctx.body = list.last().copied().unwrap_or(Value::NONE);
            }
            ChildRole::Value => {
                if rule.action.kind == ActionKind::Group && used_as == UsedAs::Pattern {
                    self.mark_default(child);
                }
                self.lower_value(rule, ctx);
            }
            ChildRole::Item => {
                if matches!(rule.action.kind, ActionKind::Choice | ActionKind::Sum)
                    && !ctx.list.is_empty()
                {
                    self.lower_right_operand(child, ctx);
                }
                let used_as = if used_as == UsedAs::Type { used_as } else { UsedAs::Value };
                let value = self.lower_node(used_as);
                ctx.list.push(value);
            }
            ChildRole::Modifiers if rule.action.kind == ActionKind::Declarator => {
                let constant = self.lower_modifiers(child).has(Flags::CONST);
                if let Some(method) = self.definitions.get_mut(ctx.definition as usize)
                    && constant
                {
                    method.flags |= Flags::CONST_METHOD;
                }
            }
            ChildRole::Modifiers => {
                // An annotation is outside of the scope that it annotates.
                let inner = std::mem::replace(&mut self.scope, ctx.outer_scope);
                let flags = self.lower_modifiers(child);
                self.scope = inner;
                self.bind.flags |= flags;
                if matches!(rule.action.kind, ActionKind::Import | ActionKind::Group) {
                    self.pending_flags = (flags, self.scope);
                }
            }
            ChildRole::ItemName => self.lower_import_item(child),
            ChildRole::Module => self.lower_dotted_module(child),
            ChildRole::DefaultName => self.lower_default_import(child),
            ChildRole::MemberParameter => self.bind.flags |= Flags::MEMBER,
            ChildRole::Declared => self.lower_function_declarator(child, ctx),
            ChildRole::Tree => {
                self.lower_node(UsedAs::Import);
            }
            ChildRole::Positional => self.define_tuple_field(child, ctx),
            ChildRole::Left => ctx.object = self.lower_node(UsedAs::Type),
            ChildRole::Bounds => ctx.ty = self.lower_node(UsedAs::Type),
            ChildRole::ParameterTypes => {
                let mut list = std::mem::take(&mut ctx.list);
                self.collect_children(UsedAs::Type, &mut list);
                ctx.list = list;
            }
            ChildRole::Subject => self.lower_choice_subject(),
            ChildRole::Variant => ctx.object = self.lower_node(UsedAs::Value),
            ChildRole::Position => {
                let (start, end) = span(child);
                let name = self.intern(start, end);
                ctx.result = self.push_expression(Expression::Field(ctx.object, name));
            }
            ChildRole::Method => {
                let (object, role) = (
                    ctx.object,
                    if ctx.object.is_some() { ReferenceRole::Member } else { ReferenceRole::Plain },
                );
                let method = self.push_reference(span(child), UsedAs::Callee, object, role);
                if let Some(last) = self.references.last_mut() {
                    last.namespace = crate::vocabulary::Namespace::FUNCTION;
                }
                ctx.object = method;
                self.callee = method;
            }
            ChildRole::Fields => {
                self.bind.flags |= Flags::MEMBER;
                self.lower_parameters(rule, child, ctx);
            }
            // The value that is iterated, then what each element is bound to.
            ChildRole::First if rule.action.kind == ActionKind::Bind && !ctx.has_first => {
                ctx.has_first = true;
                self.lower_value(rule, ctx);
            }
            ChildRole::First if rule.action.kind == ActionKind::Bind => {
                self.lower_pattern(rule, ctx);
            }
            ChildRole::First => {
                if rule.action.kind == ActionKind::Index {
                    ctx.count = 1;
                }
                let value = self.lower_node(UsedAs::Value);
                ctx.value = ctx.value.or(value);
            }
            ChildRole::Type if rule.action.kind == ActionKind::TypeCase => {
                self.lower_type_case(ctx)
            }
            ChildRole::Type => self.lower_type(rule, ctx),
            ChildRole::Returns => {
                let before = self.mark_head();
                ctx.ty = self.lower_return_type();
                self.move_head_out(rule, before, ctx);
            }
            ChildRole::TypeParameters => self.define_type_parameters(child),
            ChildRole::Body => {
                let result = self.declared_return;
                if matches!(rule.action.kind, ActionKind::Define | ActionKind::Lambda) {
                    self.declared_return = self.expected_result(rule, child, ctx);
                    if rule.action.kind == ActionKind::Lambda {
                        self.expected_type = self.declared_return;
                    }
                }
                let body = self.lower_body(rule, child, ctx);
                if !child.is_extra() {
                    ctx.body = body;
                }
                self.declared_return = result;
            }
            ChildRole::Parameters if ctx.count == super::open_actions::INITIALISED => {
                let before = self.references.len();
                self.lower_node(UsedAs::Type);
                for reference in &mut self.references[before..] {
                    reference.namespace |= Namespace::VALUE;
                }
            }
            ChildRole::Parameters => {
                let before = self.mark_head();
                self.lower_parameters(rule, child, ctx);
                self.move_head_out(rule, before, ctx);
            }
            ChildRole::Supers => {
                let mut list = std::mem::take(&mut ctx.list);
                let rule = self.rules.rule(child.kind_id());
                let before = self.references.len();
                if rule.is_some_and(|r| r.action.kind == ActionKind::List) {
                    self.collect_children(UsedAs::Type, &mut list);
                } else {
                    list.push(self.lower_node(UsedAs::Type));
                }
                ctx.interface = ctx.interface.or(list.first().copied().unwrap_or(Value::NONE));
                ctx.list = list;
                self.move_supertypes_out(before, ctx);
            }
            ChildRole::Object => {
                let used_as = if matches!(used_as, UsedAs::Import | UsedAs::Path) {
                    UsedAs::Path
                } else {
                    UsedAs::Value
                };
                ctx.object = self.lower_node(used_as);
            }
            ChildRole::TypeObject => {
                let import = matches!(used_as, UsedAs::Import | UsedAs::Path);
                ctx.object = self.lower_node(if import { UsedAs::Path } else { UsedAs::Type });
                if import {
                    self.mark_path_prefix(ctx.object);
                }
            }
            ChildRole::Referred => {
                if ctx.object.is_some() {
                    if let Some(r) = ctx.object.as_reference() {
                        self.references[r as usize].namespace |= Namespace::TYPE;
                    }
                    self.lower_member(child, UsedAs::Value, ctx);
                } else {
                    let plain = ReferenceRole::Plain;
                    ctx.result =
                        self.push_reference(span(child), UsedAs::Value, Value::NONE, plain);
                }
                self.refer_to_any(ctx.result);
            }
            ChildRole::Member => {
                // A path that can only be a type's, whatever its position: `f<a.T>()`.
                let is_type =
                    rule.action.detail == Some(ActionDetail::TypePath) && used_as == UsedAs::Value;
                self.lower_member(child, if is_type { UsedAs::Type } else { used_as }, ctx);
            }
            ChildRole::Callee if rule.action.kind == ActionKind::Element => {
                self.lower_jsx_tag(child, ctx)
            }
            ChildRole::Callee => {
                ctx.object = self.lower_node(UsedAs::Callee);
                self.callee = ctx.object;
            }
            ChildRole::Macro => ctx.object = self.lower_node(UsedAs::Macro),
            ChildRole::Arguments => {
                let mut list = std::mem::take(&mut ctx.list);
                self.callee = ctx.object.or(ctx.ty);
                let construct = std::mem::replace(&mut self.expected_type, Value::NONE);
                self.lower_arguments(&mut list);
                self.expected_type = construct;
                ctx.list = list;
            }
            ChildRole::TypeArguments
                if self.is_hinted(rule, ctx.object.or(ctx.ty), RuleHint::TEXT) =>
            {
                self.lower_node(UsedAs::Value);
            }
            ChildRole::TypeArguments
                if rule.action.kind == ActionKind::Index
                    && used_as != UsedAs::Type
                    && self.is_hinted(rule, ctx.object, RuleHint::TYPED) =>
            {
                let mut list = std::mem::take(&mut ctx.list);
                list.push(self.lower_node(UsedAs::Type));
                ctx.list = list;
            }
            ChildRole::TypeArguments
                if rule.action.kind == ActionKind::Index && used_as != UsedAs::Type =>
            {
                self.lower_node(UsedAs::Value);
            }
            ChildRole::TypeArguments if rule.action.kind == ActionKind::Call => {
                let mut list = Vec::new();
                self.collect_children(UsedAs::Type, &mut list);
                let list = self.push_list(&list);
                if list != NONE && ctx.object.is_some() {
                    ctx.ty = self.push_expression(Expression::Generic(ctx.object, list));
                }
            }
            ChildRole::TypeArguments if rule.action.kind == ActionKind::New => {
                let mut list = Vec::new();
                self.collect_children(UsedAs::Type, &mut list);
                let list = self.push_list(&list);
                let base = ctx.ty.or(ctx.value);
                if list != NONE && base.is_some() {
                    ctx.ty = self.push_expression(Expression::Generic(base, list));
                }
            }
            ChildRole::TypeArguments => {
                let mut list = std::mem::take(&mut ctx.list);
                let base = ctx.ty.or(ctx.object).or(ctx.value);
                let generic = std::mem::replace(&mut self.generic_base, base);
                if self
                    .rules
                    .rule(child.kind_id())
                    .is_some_and(|r| r.action.kind == ActionKind::List)
                {
                    self.collect_children(UsedAs::Type, &mut list);
                } else {
                    list.push(self.lower_node(UsedAs::Type));
                }
                self.generic_base = generic;
                ctx.list = list;
            }
            ChildRole::Target => {
                ctx.ty = self.lower_node(UsedAs::Type);
                if rule.action.kind == ActionKind::Construct {
                    self.expected_type = ctx.ty;
                }
            }
            ChildRole::Trait => ctx.interface = self.lower_node(UsedAs::Type),
            ChildRole::Receiver if rule.action.kind == ActionKind::FunctionType => {
                self.lower_receiver_type(ctx);
            }
            ChildRole::Receiver
                if self.scopes[self.bind.scope as usize].kind != ScopeKind::Extension =>
            {
                self.lower_extended_type(child, ctx);
            }
            ChildRole::Receiver => self.lower_receiver(),
            ChildRole::Key if rule.action.kind == ActionKind::ElementAttribute => {
                self.lower_jsx_attribute(child)
            }
            ChildRole::Key => self.lower_key(rule, child, used_as, ctx),
            ChildRole::Same => {
                let value = self.lower_node(used_as);
                if !matches!(rule.action.kind, ActionKind::Bind | ActionKind::Define) {
                    ctx.value = value;
                }
                if rule.action.kind == ActionKind::Group {
                    self.pending_flags = (Flags::default(), NONE);
                }
            }
            ChildRole::Path => {
                self.lower_path(child, ctx);
                if rule.action.kind == ActionKind::Import {
                    self.mark_path_prefix(ctx.object);
                }
            }
            ChildRole::Alias => ctx.alias = Some(span(child)),
            ChildRole::All => self.lower_glob_import(ctx),
            ChildRole::Export | ChildRole::Default => self.lower_default_export(role, child),
        }
    }

    /// Lowers the arguments of a call; an object literal among them is expected to have the
    /// parameter's type.
    fn lower_arguments(&mut self, list: &mut Vec<Value>) {
        if !self.cursor.goto_first_child() {
            return;
        }
        loop {
            let node = self.cursor.node();
            let action = self.rules.rule(node.kind_id()).map(|r| r.action.kind);
            if node.is_named() && action != Some(ActionKind::Skip) {
                if action == Some(ActionKind::Object) && self.callee.is_some() {
                    let callee = self.callee;
                    self.expected_type =
                        self.push_expression(Expression::Argument(callee, list.len() as u32));
                }
                let callee = self.callee;
                let value = self.lower_node(UsedAs::Value);
                self.callee = callee;
                self.expected_type = Value::NONE;
                list.push(value);
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
    }

    /// Lowers the name of a definition, an import or a keyword argument.
    fn lower_name_child(
        &mut self,
        rule: &NodeRule,
        child: Node<'_>,
        used_as: UsedAs,
        ctx: &mut LoweringContext,
    ) {
        ctx.last_span = Some(span(child));
        match rule.action.kind {
            ActionKind::Define => {
                if child.start_byte() == child.end_byte() {
                    return;
                }
                let (start, end) = span(child);
                let quoted = self.slice(start, end).starts_with(['"', '\'']) && end - start > 2;
                if self.is_name(child) {
                    let bind = self.bind;
                    ctx.definition = self.push_definition(span(child), &bind);
                } else if quoted && self.bind.kind == DefinitionKind::Namespace {
                    // An ambient module: `declare module 'x'`.
                    let flags = self.bind.flags | Flags::WHOLE;
                    let bind = Binding { flags, ..self.bind };
                    ctx.definition = self.push_definition((start + 1, end - 1), &bind);
                } else {
                    self.define_by_path(child, ctx);
                }
            }
            ActionKind::ImportItem
            | ActionKind::ImportName
            | ActionKind::Reexport
            | ActionKind::Package => {}
            ActionKind::Binding => {
                let generic = self.generic_base;
                if generic.is_some() {
                    self.push_reference(span(child), UsedAs::Type, generic, ReferenceRole::Member);
                }
            }
            ActionKind::Keyword if self.is_sole_argument() => {
                ctx.value = self.lower_node(used_as);
            }
            ActionKind::Keyword => {
                let receiver = self.callee;
                self.push_reference(span(child), used_as, receiver, ReferenceRole::Keyword);
            }
            _ => ctx.value = self.lower_node(used_as),
        }
    }

    /// Lowers a name that is a path: `A::b` defines a member of `A` and is inside of it.
    fn define_by_path(&mut self, child: Node<'_>, ctx: &mut LoweringContext) {
        let before = self.definitions.len();
        let scope = std::mem::replace(&mut self.scope, ctx.outer_scope);
        self.lower_node(UsedAs::Pattern);
        self.scope = scope;
        if self.definitions.len() > before {
            ctx.definition = before as u32;
            let at = self.definitions[before].scope;
            if at != ctx.outer_scope && scope != ctx.outer_scope {
                self.scopes[scope as usize].parent = at;
            }
        } else {
            ctx.last_span = Some(span(child));
        }
    }

    /// Lowers a pattern, with its part of the value if several patterns share one.
    fn lower_pattern(&mut self, rule: &NodeRule, ctx: &mut LoweringContext) {
        let position = ctx.count;
        ctx.count += 1;
        let typed =
            |walk: &Self| walk.parent().is_some_and(|p| p.child_by_field_name("type").is_some());
        if rule.derive == Derivation::Position && position > 0 && !typed(self)
            || self.has_several_names(rule)
        {
            let bind = self.bind;
            self.bind.source = self.push_expression(Expression::Part(bind.source, position));
            self.lower_node(UsedAs::Pattern);
            self.bind = bind;
            return;
        }
        let before = self.definitions.len();
        self.lower_node(UsedAs::Pattern);
        if ctx.receiver != NONE
            && let Some(def) = self.definitions.get_mut(before)
        {
            def.body = ctx.receiver;
        }
        if rule.action.kind == ActionKind::Assign
            && let Some(def) = self.definitions.get(before)
            && self.scopes[def.scope as usize].kind == ScopeKind::Extension
        {
            // In a function that is assigned to a type's member, `this` is the type.
            self.scope = def.scope;
        }
    }

    /// Lowers a value; the declared type is expected of it.
    fn lower_value(&mut self, rule: &NodeRule, ctx: &mut LoweringContext) {
        let construct = self.expected_type;
        if matches!(rule.action.kind, ActionKind::Bind | ActionKind::Assign) {
            let placeholder = self.bind.source;
            let typed = placeholder.as_expression().is_some_and(|e| self.is_typed(e, 3));
            self.expected_type = if typed { placeholder } else { Value::NONE };
        }
        let value = self.lower_node(UsedAs::Value);
        self.expected_type = construct;
        if rule.has_hint(RuleHint::INFERRED) {
            self.infer_from_value(rule, value);
        }
        if let Some(placeholder) = ctx.placeholder.as_expression() {
            self.expressions[placeholder as usize] = Expression::Same(value);
        }
        if rule.action.kind == ActionKind::Bind && rule.scope.is_some() {
            // The value does not see the names that the statement binds.
            let (scope, end) = (self.bind.scope, self.cursor.node().end_byte() as u32);
            let start = self.bind.start;
            let own = self.definitions.iter_mut().rev().take_while(|d| d.start >= start);
            for def in own.filter(|d| d.scope == scope && d.start == start) {
                def.visible_from = end;
            }
        }
        ctx.value = value;
    }

    /// Whether a value's name is one of the rule's words of a kind.
    fn is_hinted(&self, rule: &NodeRule, value: Value, kind: RuleHint) -> bool {
        let Some(r) = value.as_reference().filter(|_| rule.has_hint(kind)) else { return false };
        let named = self.references[r as usize];
        rule.is_hint(self.slice(named.start, named.end), kind)
    }

    /// Whether a keyword argument takes a type.
    fn is_type_argument(&self, rule: &NodeRule, ctx: &LoweringContext) -> bool {
        ctx.last_span
            .is_some_and(|(start, end)| rule.is_hint(self.slice(start, end), RuleHint::TYPED))
    }

    /// `x: Final = value` takes its type from the value.
    fn infer_from_value(&mut self, rule: &NodeRule, value: Value) {
        let Some(placeholder) = self.bind.source.as_expression() else { return };
        let Expression::Typed(ty) = self.expressions[placeholder as usize] else { return };
        let Some(r) = ty.as_reference() else { return };
        let named = self.references[r as usize];
        let word = self.slice(named.start, named.end);
        if rule.is_hint(word, RuleHint::INFERRED) {
            self.expressions[placeholder as usize] = Expression::Same(value);
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
    fn has_several_names(&self, rule: &NodeRule) -> bool {
        rule.derive == Derivation::Position
            && self.parent().is_some_and(|p| {
                p.child_by_field_name("type").is_none()
                    && p.children_by_field_name("name", &mut p.walk())
                        .filter(Node::is_named)
                        .count()
                        > 1
            })
    }

    fn lower_type(&mut self, rule: &NodeRule, ctx: &mut LoweringContext) {
        let ty = self.lower_node(UsedAs::Type);
        ctx.ty = ty;
        if let Some(r) = self.last_reference(ty) {
            let r = &self.references[r as usize];
            ctx.last_span = Some((r.start, r.end));
        }
        if rule.action.kind == ActionKind::Bind {
            self.set_bound_type(ty);
            if let Some(own) = ctx.interface.as_expression()
                && ty.is_some()
            {
                // A type inside of a pattern, which holds for its part.
                self.expressions[own as usize] = Expression::Typed(ty);
            }
        }
    }

    /// Applies the type that a comment gives the binding.
    pub(super) fn apply_comment_type(&mut self, start: u32, ctx: &mut LoweringContext) {
        if matches!(self.bind.kind, DefinitionKind::Parameter | DefinitionKind::TypeParameter) {
            return;
        }
        ctx.ty = self.comment_type(start);
        self.set_bound_type(ctx.ty);
    }

    /// Sets the type of the bound value.
    fn set_bound_type(&mut self, ty: Value) {
        if ty.is_some()
            && let Some(placeholder) = self.bind.source.as_expression()
            && let Some(Expression::Same(Value::NONE)) = self.expressions.get(placeholder as usize)
        {
            let alias = self.bind.kind == DefinitionKind::TypeAlias;
            self.expressions[placeholder as usize] =
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
}
