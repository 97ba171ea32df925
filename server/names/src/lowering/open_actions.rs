//! Scopes and bindings that actions open before the children are lowered.

use tree_sitter::Node;

use super::{Lowerer, LoweringContext, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::NONE;
use crate::node_rules::{NodeRule, Visibility};
use crate::vocabulary::{ActionKind, DefinitionKind, Flags, ScopeKind};

impl Lowerer<'_> {
    /// Whether the braces at `start` are those of `declare global`.
    fn is_global_block(&self, rule: &NodeRule, start: u32) -> bool {
        rule.flag_words.iter().any(|(word, _)| {
            let before = self.slice(0, start).trim_end().strip_suffix(&**word);
            before.is_some_and(|b| b.is_empty() || b.ends_with([' ', '\t', '\n', ';', '{', '}']))
        })
    }

    /// Whether `T x(y);` in a C++ block defines a variable with constructor arguments. The grammar
    /// takes it for a function declaration; it is one only if a parameter can only be a type.
    fn is_initialised(&self, node: Node<'_>) -> bool {
        if self.rules.preprocessor != Some(true)
            || self.is_definition_declarator
            || self.scopes[self.scope as usize].kind != ScopeKind::Block
            || self.parent().is_some_and(|p| p.kind_id() == node.kind_id())
        {
            return false;
        }
        let Some(list) = node.child_by_field_name("parameters") else { return false };
        let mut cursor = list.walk();
        let mut any = false;
        for parameter in list.named_children(&mut cursor) {
            let plain = |n: Node<'_>| {
                let (start, end) = span(n);
                let text = self.slice(start, end);
                text.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ')')
            };
            let ty = parameter.child_by_field_name("type");
            let declares = parameter.child_by_field_name("declarator").is_some_and(|d| {
                d.child_by_field_name("declarator").is_some()
                    || d.child_by_field_name("parameters").is_none()
            });
            let first = parameter.named_child(0).map(|c| c.kind_id());
            let named = ty.is_some_and(|t| t.is_named() && t.child_count() != 1)
                && ty.map(|t| t.kind_id()) == first;
            let word = ty.is_some_and(|t| {
                let rule = self.rules.rule(t.kind_id());
                rule.is_none_or(|r| r.action.kind != ActionKind::Literal)
            });
            if declares || !named || !word || !plain(parameter) {
                return false;
            }
            any = true;
        }
        any
    }

    /// Opens the scopes and bindings that a node's action needs, before its children are lowered.
    pub(super) fn open_node(
        &mut self,
        rule: &NodeRule,
        node: Node<'_>,
        used_as: UsedAs,
        ctx: &mut LoweringContext,
    ) {
        let (start, end) = span(node);
        let kind = rule.action.definition.unwrap_or(DefinitionKind::Variable);
        let kind = self.kind_by_words(rule, node).unwrap_or(kind);
        match rule.action.kind {
            ActionKind::Scope => {
                ctx.tests = (self.type_tests.len(), self.failed_tests.len());
                self.expected_type = Value::NONE;
                let scope = rule.action.scope.unwrap_or(ScopeKind::Block);
                let around = &self.scopes[self.scope as usize];
                let body = rule.visible == Visibility::Function
                    && matches!(around.kind, ScopeKind::Function | ScopeKind::Lambda)
                    && around.end == end;
                // A namespace's braces are its scope.
                let same = around.kind == ScopeKind::Namespace && around.end == end;
                if scope == ScopeKind::Block && self.is_global_block(rule, start) {
                    // `declare global` declares for all files, whatever encloses it.
                    self.scope = 0;
                    self.pending_flags = (Flags::DECLARED, 0);
                } else if scope != ScopeKind::File && !(scope == ScopeKind::Block && same) && !body
                {
                    self.scope = self.push_scope(scope, start, end);
                }
            }
            ActionKind::Define => {
                let mut bind = self.rule_binding(rule, node, kind, Value::NONE);
                if matches!(
                    self.scopes[ctx.outer_scope as usize].kind,
                    ScopeKind::Body | ScopeKind::Open | ScopeKind::Members | ScopeKind::Extension
                ) && kind == DefinitionKind::Function
                {
                    bind.kind = DefinitionKind::Method;
                }
                bind.from = if bind.from == end { NONE } else { bind.from };
                let has_receiver = node.child_by_field_name("receiver").is_some();
                if has_receiver {
                    self.scope = self.push_scope(ScopeKind::Extension, start, end);
                    bind.scope = self.scope;
                }
                if kind == DefinitionKind::Namespace && is_transparent(node) {
                    // Members of an inline or unnamed namespace are visible in the scope around it.
                    ctx.count = 1;
                    if node.child_by_field_name("name").is_none() {
                        self.unnamed_namespaces += 1;
                        ctx.count = 2;
                    }
                } else if let Some(scope) = rule.scope {
                    self.scope = self.push_scope(scope, start, end);
                    if rule.flags.has(Flags::OWN_SCOPE) {
                        bind.scope = self.scope;
                    }
                }
                self.bind = bind;
                if kind.is_callable() {
                    ctx.comment = self.comment_before(start);
                } else {
                    self.define_comment_type_parameters(start);
                }
            }
            ActionKind::Lambda | ActionKind::FunctionType => {
                ctx.comment = self.comment_before(start);
                self.expected_type = Value::NONE;
                self.scope = self.push_scope(ScopeKind::Lambda, start, end);
                self.define_implicit_parameter(rule, node);
            }
            ActionKind::Object => self.scope = self.push_scope(ScopeKind::Object, start, end),
            ActionKind::Extend => self.scope = self.push_scope(ScopeKind::Extension, start, end),
            ActionKind::Bind | ActionKind::Assign => {
                if let Some(scope) = rule.scope {
                    self.scope = self.push_scope(scope, start, end);
                    ctx.outer_scope = self.scope;
                }
                if used_as == UsedAs::Pattern
                    && kind == DefinitionKind::Variable
                    && !self.bind.is_assignment
                {
                    // A declarator inside of a declaration: the declaration decides what it binds.
                    let source = self.bind.source;
                    let placeholder = self.push_expression(Expression::Same(source));
                    self.bind.source = placeholder;
                    ctx.interface = placeholder;
                    (self.bind.start, self.bind.end) = (start, end);
                } else {
                    let placeholder = self.push_expression(Expression::Same(Value::NONE));
                    let result = used_as == UsedAs::Type && kind == DefinitionKind::Parameter;
                    let kind = if result { DefinitionKind::Variable } else { kind };
                    let mut bind = self.rule_binding(rule, node, kind, placeholder);
                    self.bind_property(rule, &mut bind);
                    bind.is_assignment = rule.action.kind == ActionKind::Assign;
                    self.bind = bind;
                    self.apply_comment_type(start, ctx);
                    if rule.flags.has(Flags::FALLBACK) {
                        // Everything that the clause defines is a fallback, too.
                        self.pending_flags = (Flags::FALLBACK, bind.scope);
                    }
                }
            }
            ActionKind::Fallback if used_as == UsedAs::Pattern => {
                let placeholder = self.push_expression(Expression::Same(Value::NONE));
                let list = self.push_list(&[self.bind.source, placeholder]);
                self.bind.source = self.push_expression(Expression::Union(list));
                ctx.placeholder = placeholder;
            }
            ActionKind::Declarator if self.is_initialised(node) => ctx.count = INITIALISED,
            ActionKind::Declarator => {
                if !std::mem::take(&mut self.is_definition_declarator) {
                    self.scope = self.push_scope(ScopeKind::Function, start, end);
                    self.bind.flags |= Flags::DECLARED;
                }
                if used_as == UsedAs::Pattern
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
            ActionKind::Arm => {
                if let Some(scope) = rule.scope {
                    self.scope = self.push_scope(scope, start, end);
                }
                let subject = self.match_subject;
                self.bind = self.rule_binding(rule, node, DefinitionKind::Variable, subject);
            }
            ActionKind::Return => self.expected_type = self.declared_return,
            ActionKind::Block => self.scope = self.push_scope(ScopeKind::Block, start, end),
            ActionKind::Group => {
                if let Some(scope) = rule.scope {
                    self.scope = self.push_scope(scope, start, end);
                }
                self.is_var_declaration = rule.visible == Visibility::Function;
            }
            ActionKind::Branch | ActionKind::Assert => {
                ctx.tests = (self.type_tests.len(), self.failed_tests.len());
            }
            ActionKind::Choice | ActionKind::Sum | ActionKind::TypeCase => {
                ctx.tests = (self.type_tests.len(), self.failed_tests.len());
                if let Some(scope) = rule.scope {
                    self.scope = self.push_scope(scope, start, end);
                }
            }
            ActionKind::Export => {
                let mut flags = Flags::EXPORTED;
                if node.child(1).is_some_and(|c| c.kind() == "default") {
                    flags |= Flags::DEFAULT;
                }
                self.pending_flags = (self.pending_flags.0 | flags, self.scope);
                self.find_module(rule, node);
            }
            ActionKind::Import => {
                if used_as != UsedAs::Import {
                    self.import_module = Value::NONE;
                }
                self.find_module(rule, node);
            }
            ActionKind::Include => self.find_module(rule, node),
            _ => {}
        }
    }
}

/// Marks a declarator that only looks like a function's.
pub(super) const INITIALISED: u32 = u32::MAX;

/// Whether a namespace is unnamed or inline.
fn is_transparent(node: Node<'_>) -> bool {
    node.child_by_field_name("name").is_none()
        || node.child(0).is_some_and(|first| first.kind() == "inline")
}
