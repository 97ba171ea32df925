//! Parameters, receivers and declarators.

use tree_sitter::Node;

use super::{Binding, Lowerer, LoweringContext, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::NONE;
use crate::node_rules::NodeRule;
use crate::vocabulary::{ActionKind, DefinitionKind, Flags, ScopeKind};

impl Lowerer<'_> {
    /// Lowers the declarator of a definition, and moves the function's scope below the type of an
    /// out-of-line member.
    pub(super) fn lower_declarator(&mut self, ctx: &mut LoweringContext) {
        let before = self.definitions.len();
        let placeholder = self.push_expression(Expression::Same(Value::NONE));
        if ctx.ty.is_some() {
            let Some(place) = placeholder.as_expression() else { return };
            self.expressions[place as usize] = Expression::Typed(ctx.ty);
        }
        let untyped = ctx.ty.is_none();
        let references = self.references.len();
        self.bind.source = placeholder;
        self.is_definition_declarator = true;
        let bind_kind = self.bind.kind;
        self.lower_node(UsedAs::Pattern);
        self.bind.kind = bind_kind;
        self.is_definition_declarator = false;
        let named = (before..self.definitions.len())
            .find(|&d| self.definitions[d].kind != DefinitionKind::Parameter);
        if let Some(d) = named {
            ctx.definition = d as u32;
            // A member defined out of line sees what its type's members see.
            let at = self.definitions[d].scope;
            let inner = self.scope;
            if at != inner && self.scopes[at as usize].parent == inner {
                self.scopes[at as usize].parent = ctx.outer_scope;
                self.scopes[inner as usize].parent = at;
            } else if at != inner
                && self.scopes[at as usize].subject.is_some()
                && self.scopes[at as usize].parent == ctx.outer_scope
            {
                self.scopes[inner as usize].parent = at;
            }
        }
        if named.is_none() && untyped {
            self.open_test_fixture(references, ctx);
        }
        ctx.ty = Value::NONE;
    }

    /// `MACRO(Type, name) { … }`: test macros put the body into a subclass of the type.
    fn open_test_fixture(&mut self, macro_: usize, ctx: &LoweringContext) {
        let Some([called, first, ..]) = self.references.get(macro_..) else { return };
        let typed = first.namespace.has(crate::vocabulary::Namespace::TYPE)
            && called.role == crate::facts::ReferenceRole::Plain;
        let inner = self.scope;
        if !typed || self.rules.preprocessor != Some(true) || inner == ctx.outer_scope {
            return;
        }
        let (start, end) = (self.scopes[inner as usize].start, self.scopes[inner as usize].end);
        let parent = self.scopes[inner as usize].parent;
        let class = self.push_scope(ScopeKind::Open, start, end);
        self.scopes[class as usize].parent = parent;
        self.scopes[class as usize].subject = Value::reference(macro_ as u32 + 1);
        self.scopes[inner as usize].parent = class;
    }

    /// Lowers the declarator of a function and the scope of its parameters.
    pub(super) fn lower_function_declarator(&mut self, child: Node<'_>, ctx: &mut LoweringContext) {
        let (start, end) = span(child);
        let text = self.slice(start, end);
        let kind = self.bind.kind;
        if text.starts_with('(') && text.contains('*') {
            self.bind.kind = DefinitionKind::Variable;
        }
        let before = self.definitions.len();
        let inner = std::mem::replace(&mut self.scope, ctx.outer_scope);
        // A macro call in the place of a declaration defines nothing of that name.
        let is_macro = text.len() > 3
            && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
            && self.bind.source.as_expression().is_some_and(|e| !self.is_typed(e, 3));
        let assign = std::mem::replace(&mut self.bind.is_assignment, is_macro);
        self.lower_node(UsedAs::Pattern);
        self.bind.is_assignment = assign;
        self.scope = inner;
        self.bind.kind = kind;
        if let Some(d) = self.definitions.get_mut(before)
            && d.kind.is_callable()
        {
            d.body = inner;
            ctx.definition = before as u32;
        }
    }

    /// Defines a tuple field, which has a position instead of a name.
    pub(super) fn define_tuple_field(&mut self, child: Node<'_>, ctx: &mut LoweringContext) {
        const NAMES: [&str; 12] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"];
        let ty = self.lower_node(UsedAs::Type);
        let Some(name) = NAMES.get(ctx.count as usize) else { return };
        ctx.count += 1;
        let source = self.push_expression(Expression::Typed(ty));
        let (start, end) = span(child);
        let bind = Binding {
            source,
            flags: Flags::HIDDEN,
            ..Binding::new(DefinitionKind::Field, self.scope, (start, end))
        };
        let d = self.push_definition((start, start), &bind);
        self.definitions[d as usize].name = self.names.number(name);
    }

    /// Lowers a parameter list: defines the parameters, types receivers and lambda parameters, and
    /// applies doc comments.
    pub(super) fn lower_parameters(
        &mut self,
        rule: &NodeRule,
        child: Node<'_>,
        ctx: &mut LoweringContext,
    ) {
        if rule.action.kind == ActionKind::FunctionType {
            self.collect_parameter_types(ctx);
            return;
        }
        let bind = self.bind;
        let before = self.definitions.len();
        let (start, end) = span(child);
        self.bind = Binding::new(DefinitionKind::Parameter, self.scope, (start, end));
        let scope = self.scope;
        let lambda = rule.action.kind == ActionKind::Lambda;
        if lambda && self.rules.rule(child.kind_id()).is_none() && child.child_count() > 0 {
            self.lower_lambda_parameters(bind);
            return;
        }
        self.is_definition_declarator = lambda;
        self.lower_node(UsedAs::Pattern);
        self.is_definition_declarator = false;
        self.bind = bind;
        self.hide_from_signature(before);
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
                let value = self.push_expression(Expression::LambdaParameter(scope, position));
                self.definitions[d].value = value;
            } else if position == 0 && rule.flags.has(Flags::SELF) && self.is_method_scope(ctx) {
                if untyped {
                    self.type_self_parameter(rule, d, ctx);
                } else {
                    self.definitions[d].flags |= Flags::SELF;
                }
            }
            position += 1;
        }
        self.apply_comment_parameters(ctx, before);
    }

    /// Lowers the parameters of a lambda: each gets the type that the call gives it, or
    /// destructures that.
    fn lower_lambda_parameters(&mut self, outer: Binding) {
        let scope = self.scope;
        let (bind, mut position) = (self.bind, 0);
        if self.cursor.goto_first_child() {
            loop {
                let node = self.cursor.node();
                let skipped = self
                    .rules
                    .rule(node.kind_id())
                    .is_some_and(|r| r.action.kind == ActionKind::Skip);
                if node.is_named() && !skipped {
                    let given = self.push_expression(Expression::LambdaParameter(scope, position));
                    self.bind = Binding { source: given, ..bind };
                    self.is_definition_declarator = true;
                    let before = self.definitions.len();
                    self.lower_node(UsedAs::Pattern);
                    self.is_definition_declarator = false;
                    if let [def] = &mut self.definitions[before..]
                        && let Some(e) = def.value.as_expression()
                        && matches!(self.expressions[e as usize], Expression::Same(Value::NONE))
                    {
                        def.value = given;
                    }
                    position += 1;
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
            self.cursor.goto_parent();
        }
        self.bind = outer;
    }

    pub(super) fn is_method_scope(&self, ctx: &LoweringContext) -> bool {
        ctx.definition != NONE
            && self.scopes[ctx.outer_scope as usize].kind == ScopeKind::Body
            && !self.definitions[ctx.definition as usize].flags.has(Flags::STATIC)
    }

    /// Types a method's first parameter: the receiver, or the class.
    pub(super) fn type_self_parameter(&mut self, rule: &NodeRule, d: usize, ctx: &LoweringContext) {
        let function = self.definitions[ctx.definition as usize];
        let name = self.slice(function.name_start, function.name_end);
        let always =
            |(word, flag): &(Box<str>, Flags)| flag.has(Flags::CLASS_METHOD) && **word == *name;
        let class = function.flags.has(Flags::CLASS_METHOD) || rule.flag_words.iter().any(always);
        let outer = ctx.outer_scope;
        let this = if class { Expression::ThisType(outer) } else { Expression::This(outer) };
        let value = self.push_expression(this);
        self.definitions[d].value = value;
        self.definitions[d].flags |= Flags::SELF;
    }

    /// Collects the parameter types of a function type.
    pub(super) fn collect_parameter_types(&mut self, ctx: &mut LoweringContext) {
        let bind = self.bind;
        self.bind = Binding {
            kind: DefinitionKind::Parameter,
            scope: self.scope,
            source: Value::NONE,
            from: 0,
            flags: Flags::HIDDEN,
            ..bind
        };
        let before = self.definitions.len();
        self.lower_node(UsedAs::Pattern);
        let scope = self.scope;
        for def in &self.definitions[before..] {
            if def.scope == scope && def.kind == DefinitionKind::Parameter {
                ctx.list.push(def.value);
            }
        }
        self.bind = bind;
    }

    /// Lowers a Go receiver: the function becomes an extension of the receiver's type.
    pub(super) fn lower_receiver(&mut self) {
        let bind = self.bind;
        let before = self.definitions.len();
        self.bind = Binding {
            kind: DefinitionKind::Parameter,
            scope: self.scope,
            source: Value::NONE,
            from: 0,
            flags: Flags::SELF,
            ..bind
        };
        let references = self.references.len();
        self.lower_node(UsedAs::Pattern);
        self.bind = bind;
        self.hide_from_signature(before);
        let typed = self.definitions.get(before).and_then(|d| d.value.as_expression());
        let target = match typed.map(|e| self.expressions[e as usize]) {
            Some(Expression::Typed(ty)) => ty,
            _ if self.references.len() > references => Value::reference(references as u32),
            _ => return,
        };
        let scope = bind.scope;
        self.define_receiver_type_parameters(scope, target);
        let Some(name) = self.type_name(target) else { return };
        self.scopes[scope as usize].subject = target;
        self.extensions.push(crate::facts::Extension {
            scope,
            name,
            target,
            interface: Value::NONE,
        });
    }

    /// Defines the names that a receiver gives to its type's type parameters.
    fn define_receiver_type_parameters(&mut self, scope: u32, target: Value) {
        let generic = target.as_expression().map(|e| self.expressions[e as usize]);
        let Some(Expression::Generic(_, list)) = generic else { return };
        let Some(&Value(len)) = self.lists.get(list as usize) else { return };
        for n in 0..len {
            let Some(r) = self.lists[(list + 1 + n) as usize].as_reference() else { continue };
            let at = self.references[r as usize];
            let bind = Binding::new(DefinitionKind::TypeParameter, scope, (at.start, at.end));
            self.push_definition((at.start, at.end), &bind);
        }
    }

    /// Hides parameters, receivers and results from the signature: if one has a type's name, the
    /// types beside it still mean the type. The cursor is on the node that defined those from
    /// `before` on.
    pub(super) fn hide_from_signature(&mut self, before: usize) {
        if !self.definitions[before..].iter().any(|d| d.flags.has(Flags::SIGNATURE)) {
            return;
        }
        let function = self.parent();
        let Some(body) = function.and_then(|f| f.child_by_field_name("body")) else { return };
        for def in &mut self.definitions[before..] {
            if def.flags.has(Flags::SIGNATURE) {
                def.visible_from = def.visible_from.max(body.start_byte() as u32);
            }
        }
    }
}
