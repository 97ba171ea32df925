//! The actions of node rules: what a node yields once its children are lowered.

use tree_sitter::Node;

use super::{Lowerer, LoweringContext, MAX_RETURN_VALUES, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::{NONE, ReferenceRole};
use crate::node_rules::NodeRule;
use crate::vocabulary::{
    ActionDetail, ActionKind, DefinitionKind, Flags, Namespace, RuleHint, ScopeKind,
};

impl Lowerer<'_> {
    /// Applies a rule to the node under the cursor.
    pub(super) fn apply_rule(
        &mut self,
        rule: &'static NodeRule,
        node: Node<'_>,
        used_as: UsedAs,
    ) -> Value {
        match rule.action.kind {
            ActionKind::Skip => {
                self.define_comment_types(span(node));
                Value::NONE
            }
            ActionKind::Name => self.lower_name(rule, node, used_as),
            ActionKind::Pass
                if rule.is_hint(self.slice(span(node).0, span(node).1), RuleHint::THIS) =>
            {
                self.lower_this(ActionKind::This, used_as, node)
            }
            ActionKind::Pass | ActionKind::List => self.lower_children(used_as),
            ActionKind::Literal => self.lower_literal(rule, used_as),
            ActionKind::String => self.lower_string(rule, node, used_as),
            ActionKind::This
                if rule.is_hint(self.slice(span(node).0, span(node).1), RuleHint::SUPER) =>
            {
                self.lower_this(ActionKind::Super, used_as, node)
            }
            ActionKind::This if rule.scope == Some(ScopeKind::Lambda) => {
                self.lower_this_of_scope(node)
            }
            ActionKind::This | ActionKind::Super => {
                self.lower_this(rule.action.kind, used_as, node)
            }
            ActionKind::Modifier => self.lower_modifier(rule, node),
            ActionKind::Tuple => self.lower_tuple(used_as),
            ActionKind::Parts if used_as == UsedAs::Pattern => {
                let bind = self.bind;
                self.bind.source = self.push_expression(Expression::Element(bind.source));
                self.lower_children(used_as);
                self.bind = bind;
                Value::NONE
            }
            ActionKind::Parts => self.lower_children(used_as),
            ActionKind::Rest => {
                let flags = self.bind.flags;
                // The rest of an object pattern is an object, the rest of a list pattern is a list.
                let parent = self.parent().and_then(|p| self.rules.rule(p.kind_id()));
                if parent.is_none_or(|p| p.action.kind != ActionKind::Pass) {
                    self.bind.flags |= rule.flags;
                }
                let value = self.lower_children(used_as);
                self.bind.flags = flags;
                value
            }
            ActionKind::Attribute => self.lower_rust_attribute(node),
            ActionKind::Negation => self.lower_negation(node),
            ActionKind::Conditional => self.lower_conditional(rule, node),
            ActionKind::ShorthandName => self.lower_shorthand_name(node, used_as),
            ActionKind::CastLast
            | ActionKind::IndexFirst
            | ActionKind::Infix
            | ActionKind::ScopedType
            | ActionKind::ReferencePair => self.lower_ordered_children(rule, used_as),
            ActionKind::Tokens => match self.lower_arguments_as_code() {
                Some(value) => value,
                None => self.lower_tokens(),
            },
            ActionKind::CaseLabel => self.lower_case_label(used_as),
            ActionKind::Redirect => self.lower_redirect(rule),
            ActionKind::Path => match rule.action.detail {
                Some(ActionDetail::File) => self.push_expression(Expression::Root),
                Some(ActionDetail::Parent)
                    if self.import_module.is_some() && used_as == UsedAs::Path =>
                {
                    let module = self.import_module;
                    self.push_reference(span(node), used_as, module, ReferenceRole::Member)
                }
                Some(ActionDetail::Parent) => {
                    let scope = self.scope;
                    self.push_expression(Expression::Parent(scope))
                }
                _ => self.lower_children(used_as),
            },
            ActionKind::Member if used_as == UsedAs::Pattern => self.lower_assigned_member(rule),
            ActionKind::Pattern if used_as == UsedAs::Pattern => {
                self.lower_match_pattern(rule, node)
            }
            ActionKind::Pattern => self.lower_children(used_as),
            ActionKind::Bind if used_as == UsedAs::Pattern && self.holds_pattern(node) => {
                self.lower_match_pattern(rule, node)
            }
            ActionKind::Generic
                if used_as == UsedAs::Pattern && self.bind.kind == DefinitionKind::TypeAlias =>
            {
                self.lower_generic_alias()
            }
            _ => self.lower_by_roles(rule, node, used_as),
        }
    }

    /// Lowers a node whose children have roles: opens what its action needs, lowers each child by
    /// its role, and closes.
    fn lower_by_roles(
        &mut self,
        rule: &'static NodeRule,
        node: Node<'_>,
        used_as: UsedAs,
    ) -> Value {
        if rule.flags.has(Flags::NEEDS_BODY) && node.child_by_field_name("body").is_none() {
            // A tag that is used, not defined: `struct s x;`.
            let value = self.lower_children(UsedAs::Type);
            if let Some(r) = value.as_reference() {
                self.references[r as usize].namespace = rule.namespace.unwrap_or(Namespace::TYPE);
            }
            return value;
        }
        // Children change these fields for their own subtrees only.
        let saved = (
            (self.scope, self.bind, self.pending_flags, self.import_module),
            (self.expected_type, self.callee, self.is_var_declaration),
            (self.match_subject, self.match_name),
        );
        let mut ctx = LoweringContext {
            outer_scope: self.scope,
            definition: NONE,
            object: Value::NONE,
            ty: Value::NONE,
            value: Value::NONE,
            body: Value::NONE,
            list: Vec::new(),
            result: Value::NONE,
            count: 0,
            last_span: None,
            alias: None,
            interface: Value::NONE,
            receiver: NONE,
            leaves: false,
            has_alternative: false,
            placeholder: Value::NONE,
            tests: (0, 0),
            comment: None,
            holds: None,
            has_first: false,
        };
        self.open_node(rule, node, used_as, &mut ctx);
        if self.cursor.goto_first_child() {
            // The last token since the named child before.
            let mut token = 0;
            loop {
                let child = self.cursor.node();
                if Self::skip_unnamed_part(rule, child, &mut ctx) {
                } else if child.is_named() {
                    let field = self.cursor.field_id().map(std::num::NonZero::get);
                    match rule.child_role(field, child.kind_id(), token) {
                        Some(role) => self.lower_child(role, rule, child, used_as, &mut ctx),
                        None => self.lower_other_child(rule, used_as, &mut ctx),
                    }
                    token = if child.is_extra() { token } else { 0 };
                } else {
                    token = child.kind_id();
                    self.note_token(rule, child, &mut ctx);
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
            self.cursor.goto_parent();
        }
        let value = self.finish_node(rule, node, used_as, &mut ctx);
        (
            (self.scope, self.bind, self.pending_flags, self.import_module),
            (self.expected_type, self.callee, self.is_var_declaration),
            (self.match_subject, self.match_name),
        ) = saved;
        value
    }

    /// The type of an operator's result: concatenation is a string, comparison a boolean.
    fn operator_result(&mut self, node: Node<'_>, ctx: &LoweringContext) -> Value {
        let text = |v: &Value| {
            let e = v.as_expression().and_then(|e| self.expressions.get(e as usize));
            e == Some(&Expression::Text)
        };
        match node.child_by_field_name("operator").map_or("", |o| o.kind()) {
            "?:" => {
                let list = self.push_list(&ctx.list);
                self.push_expression(Expression::Union(list))
            }
            "+" if ctx.list.iter().any(text) => self.push_expression(Expression::Text),
            "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" => {
                let list = self.push_list(&ctx.list);
                self.push_expression(Expression::Arithmetic(list))
            }
            "<<" | ">>" | ">>>" => {
                let list = self.push_list(&ctx.list[..ctx.list.len().min(1)]);
                self.push_expression(Expression::Arithmetic(list))
            }
            _ => self.push_expression(Expression::Boolean),
        }
    }

    /// Combines what the children returned into the value of the node.
    fn finish_node(
        &mut self,
        rule: &NodeRule,
        node: Node<'_>,
        used_as: UsedAs,
        ctx: &mut LoweringContext,
    ) -> Value {
        if !rule.hint_words.is_empty() {
            self.record_exported_names(rule, node);
        }
        match rule.action.kind {
            ActionKind::Scope => self.finish_scope(rule, used_as, ctx),
            ActionKind::Define => self.finish_definition(rule, used_as, ctx),
            ActionKind::Bind | ActionKind::Assign => {
                let value = self.finish_binding(rule, node, ctx);
                self.bound_name_count = ctx.count.max(1);
                if used_as == UsedAs::Type { ctx.ty } else { value }
            }
            ActionKind::Member => ctx.result.or(ctx.object),
            ActionKind::Call => self.finish_call(rule, ctx),
            // A supertype with the arguments of its constructor.
            ActionKind::New if used_as == UsedAs::Type => ctx.ty,
            ActionKind::New => {
                let list = self.push_list(&ctx.list);
                let ty = ctx.ty.or(ctx.value);
                let named = self.last_reference(ty);
                let ty = self.anonymous_class(ctx).unwrap_or(ty);
                let new = self.push_expression(Expression::New(ty, list));
                if let Some(r) = named {
                    self.references[r as usize].call = new.0;
                }
                self.record_call_of_lambdas(new, ctx);
                new
            }
            ActionKind::Construct => self.push_expression(Expression::New(ctx.ty, NONE)),
            ActionKind::Index if used_as == UsedAs::Type && ctx.list.is_empty() => ctx.object,
            ActionKind::Index if used_as == UsedAs::Type || !ctx.list.is_empty() => {
                let list = self.push_list(&ctx.list);
                self.push_expression(Expression::Generic(ctx.object, list))
            }
            // What is left of a sequence is a sequence.
            ActionKind::Index if ctx.count > 0 => {
                self.push_expression(Expression::Slice(ctx.object))
            }
            ActionKind::Index => self.push_expression(Expression::Index(ctx.object.or(ctx.value))),
            ActionKind::Slice => self.push_expression(Expression::Slice(ctx.object.or(ctx.value))),
            ActionKind::Generic => {
                let list = self.push_list(&ctx.list);
                let base = ctx.ty.or(ctx.object).or(ctx.value);
                if list == NONE {
                    base
                } else {
                    self.push_expression(Expression::Generic(base, list))
                }
            }
            ActionKind::Choice if self.record_type_test_operator(node, ctx) => Value::NONE,
            ActionKind::Branch => {
                self.finish_branch(node, ctx);
                self.choice_of(ctx)
            }
            ActionKind::Delegate => self.push_expression(Expression::Enter(ctx.value)),
            ActionKind::TypeTest => self.finish_type_test(ctx),
            ActionKind::Assert => {
                self.finish_assertion(node, ctx);
                Value::NONE
            }
            ActionKind::Union | ActionKind::Choice => {
                self.reduce_choice(node, used_as, ctx);
                self.choice_of(ctx)
            }
            ActionKind::Array => {
                let ty = ctx.ty.or(ctx.value);
                self.push_expression(Expression::Array(ty))
            }
            ActionKind::MapType => {
                // A channel has no keys.
                let all = [ctx.ty, ctx.value];
                let list = self.push_list(if ctx.value.is_some() { &all } else { &all[..1] });
                self.push_expression(Expression::Map(list))
            }
            ActionKind::Receive if node.child(0).is_some_and(|n| n.kind() == "<-") => {
                self.push_expression(Expression::Await(ctx.value))
            }
            ActionKind::Receive => ctx.value,
            ActionKind::Pointer => ctx.ty.or(ctx.object).or(ctx.value),
            ActionKind::FunctionType => {
                let list = self.push_list(&ctx.list);
                self.push_expression(Expression::Function(ctx.ty, list))
            }
            ActionKind::Object => {
                let scope = self.scope;
                self.set_spread_members(scope, node);
                self.push_expression(Expression::Object(scope))
            }
            ActionKind::Lambda => {
                let scope = self.scope;
                if ctx.ty.is_none()
                    && let Some(comment) = ctx.comment
                {
                    ctx.ty = self.comment_return_type(comment);
                }
                if ctx.ty.is_some() {
                    self.set_return_type(ctx.ty);
                } else if ctx.body.is_some() {
                    self.returns.push((scope, ctx.body));
                }
                self.push_expression(Expression::Lambda(scope))
            }
            ActionKind::Return => {
                self.record_return(ctx.value);
                Value::NONE
            }
            ActionKind::Yield => {
                let from = node.child(1).is_some_and(|c| c.kind() == "from");
                let given = if from {
                    ctx.value
                } else {
                    self.push_expression(Expression::Array(ctx.value))
                };
                self.record_return(given);
                Value::NONE
            }
            ActionKind::Await => self.push_expression(Expression::Await(ctx.value)),
            ActionKind::Conversion if self.is_generic(ctx.ty) => {
                // A call of a generic function with type arguments parses like a conversion.
                ctx.list = vec![ctx.value];
                let list = self.push_list(&ctx.list);
                let call = self.push_expression(Expression::Call(ctx.ty, list));
                self.record_call_of_lambdas(call, ctx);
                call
            }
            ActionKind::Cast | ActionKind::Conversion => {
                if ctx.ty.is_none() {
                    return ctx.value;
                }
                self.push_expression(Expression::Typed(ctx.ty))
            }
            ActionKind::Import
            | ActionKind::ImportItem
            | ActionKind::ImportName
            | ActionKind::ImportAll => self.finish_import(rule, node, ctx),
            ActionKind::Export | ActionKind::Reexport => {
                self.finish_export(rule, node, ctx);
                Value::NONE
            }
            ActionKind::Extend => {
                self.finish_extension(ctx);
                Value::NONE
            }
            ActionKind::Embed => {
                let scope = self.scope;
                let all = std::mem::take(&mut ctx.list);
                self.embedded_types.extend(all.into_iter().map(|ty| (scope, ty)));
                ctx.value
            }
            ActionKind::Package => {
                // A text with blanks is not the name of the package.
                if let Some((start, end)) = ctx.last_span
                    && !self.slice(start, end).contains(char::is_whitespace)
                {
                    self.package = self.intern(start, end);
                    if rule.flags.has(Flags::EXPORTED) {
                        self.set_package_clause(node, (start, end));
                    }
                }
                Value::NONE
            }
            ActionKind::Opaque | ActionKind::Element | ActionKind::ElementAttribute => Value::NONE,
            ActionKind::Sum => {
                self.drop_uncertain_tests(node);
                self.mend_compared_call(node);
                self.operator_result(node, ctx)
            }
            ActionKind::Query => ctx.value,
            ActionKind::Try => self.push_expression(Expression::Await(ctx.value)),
            ActionKind::Where => {
                self.finish_where_clause(ctx);
                Value::NONE
            }
            ActionKind::Binding => {
                let Some((start, end)) = ctx.last_span else { return Value::NONE };
                let name = self.intern(start, end);
                self.push_expression(Expression::Binding(name, ctx.ty))
            }
            ActionKind::Include => {
                let module = self.import_module;
                self.globs.push(crate::facts::Glob {
                    scope: ctx.outer_scope,
                    module,
                    exported: true,
                });
                Value::NONE
            }
            ActionKind::ImportPath | ActionKind::Using => {
                self.finish_import_path(rule, node, ctx);
                Value::NONE
            }
            ActionKind::Block => ctx.value,
            ActionKind::Group => {
                let value = ctx.result.or(ctx.value).or(ctx.body);
                self.comment_cast(span(node).0, value)
            }
            ActionKind::MacroCall => ctx.value,
            ActionKind::Initializer => Value::NONE,
            ActionKind::Pair => {
                if let Some(field) = self.definitions.get_mut(ctx.definition as usize)
                    && field.value.is_none()
                {
                    field.value = ctx.value;
                }
                ctx.value
            }
            ActionKind::Keyword => ctx.value,
            ActionKind::Shorthand => ctx.result,
            ActionKind::Variant => ctx.object,
            _ => ctx.result.or(ctx.value).or(ctx.body),
        }
    }

    /// Sets the declared return type of the enclosing function; it replaces the types of its
    /// `return`s.
    pub(super) fn set_return_type(&mut self, ty: Value) {
        let scope = self.scope;
        let typed = self.push_expression(Expression::Typed(ty));
        self.returns.retain(|r| r.0 != scope);
        self.returns.push((scope, typed));
    }

    /// Records a return value of the enclosing function.
    fn record_return(&mut self, value: Value) {
        if let Some(function) =
            self.nearest_scope(|k| matches!(k, ScopeKind::Function | ScopeKind::Lambda))
            && value.is_some()
            && self.returns.iter().rev().take_while(|r| r.0 == function).count() < MAX_RETURN_VALUES
        {
            self.returns.push((function, value));
        }
    }

    fn finish_scope(&mut self, rule: &NodeRule, used_as: UsedAs, ctx: &LoweringContext) -> Value {
        if rule.action.scope == Some(ScopeKind::Comprehension) {
            // The condition of a comprehension holds for the values it yields.
            let at = self.scopes[self.scope as usize];
            self.narrow_by_tests((at.start, at.end), ctx.tests.0);
            self.type_tests.truncate(ctx.tests.0);
        }
        let members = rule.action.scope == Some(ScopeKind::Members);
        if members && used_as == UsedAs::Type {
            let scope = self.scope;
            return self.push_expression(Expression::Object(scope));
        }
        ctx.body
    }

    /// Lowers a child without a role.
    pub(super) fn lower_other_child(
        &mut self,
        rule: &NodeRule,
        used_as: UsedAs,
        ctx: &mut LoweringContext,
    ) {
        let inherit = match rule.action.kind {
            ActionKind::Generic
            | ActionKind::Union
            | ActionKind::FunctionType
            | ActionKind::Array
            | ActionKind::Pointer
            | ActionKind::Embed => UsedAs::Type,
            ActionKind::ImportAll => UsedAs::Path,
            ActionKind::Variant | ActionKind::Group | ActionKind::Choice
                if used_as != UsedAs::Callee =>
            {
                used_as
            }
            ActionKind::Import | ActionKind::Export | ActionKind::Reexport => used_as,
            _ => UsedAs::Value,
        };
        if rule.action.kind == ActionKind::Variant && used_as == UsedAs::Pattern {
            let bind = self.bind;
            let pair = self
                .rules
                .rule(self.cursor.node().kind_id())
                .is_some_and(|r| r.action.kind == ActionKind::Pair);
            self.bind.source = if pair {
                let variant = ctx.object;
                self.push_expression(Expression::Typed(variant))
            } else {
                let position = ctx.count;
                ctx.count += 1;
                self.push_expression(Expression::Case(ctx.object, bind.source, position))
            };
            self.lower_node(UsedAs::Pattern);
            self.bind = bind;
            return;
        }
        if rule.action.kind == ActionKind::Initializer {
            let construct = self.expected_type;
            let pair = self
                .rules
                .rule(self.cursor.node().kind_id())
                .is_some_and(|r| r.action.kind == ActionKind::Pair);
            if construct.is_some() && !pair {
                self.expected_type = self.push_expression(Expression::Index(construct));
            }
            self.lower_node(UsedAs::Value);
            self.expected_type = construct;
            return;
        }
        let unread = self.branch.unread;
        self.branch.unread |= rule.action.kind == ActionKind::Branch && ctx.holds == Some(true);
        let value = self.lower_node(inherit);
        self.branch.unread = unread;
        match rule.action.kind {
            ActionKind::Union | ActionKind::Choice => ctx.list.push(value),
            ActionKind::Embed => {
                ctx.list.push(value);
                ctx.value = value;
            }
            ActionKind::Block => ctx.value = value,
            ActionKind::Define | ActionKind::Bind | ActionKind::Assign | ActionKind::Scope => {}
            _ if value.is_some() => ctx.value = value,
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
            Some(rule) => rule.action.kind == ActionKind::Name,
            None => node.child_count() == 0,
        }
    }
}
