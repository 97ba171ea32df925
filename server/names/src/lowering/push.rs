//! Appends to the facts.

use tree_sitter::Node;

use super::{Binding, Lowerer, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::{Def, NONE, Ref, ReferenceRole, Scope};
use crate::node_rules::{NodeRule, Visibility};
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

impl<'t> Lowerer<'t> {
    pub(super) fn slice(&self, start: u32, end: u32) -> &'t str {
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    pub(super) fn intern(&mut self, start: u32, end: u32) -> u32 {
        let text = self.slice(start, end);
        self.names.number(text)
    }

    pub(super) fn push_scope(&mut self, kind: ScopeKind, start: u32, end: u32) -> u32 {
        self.scopes.push(Scope {
            kind,
            parent: self.scope,
            start,
            end,
            owner: NONE,
            subject: Value::NONE,
        });
        self.scopes.len() as u32 - 1
    }

    pub(super) fn push_expression(&mut self, expression: Expression) -> Value {
        self.expressions.push(expression);
        Value(self.expressions.len() as u32 - 1)
    }

    pub(super) fn push_list(&mut self, list: &[Value]) -> u32 {
        if list.is_empty() {
            return NONE;
        }
        self.lists.push(Value(list.len() as u32));
        self.lists.extend_from_slice(list);
        (self.lists.len() - list.len() - 1) as u32
    }

    /// Adds a reference in the current scope; its position decides the namespace.
    pub(super) fn push_reference(
        &mut self,
        span: (u32, u32),
        used_as: UsedAs,
        receiver: Value,
        role: ReferenceRole,
    ) -> Value {
        let name = self.intern(span.0, span.1);
        let namespace = match used_as {
            _ if self.rules.one_namespace && used_as != UsedAs::Import => Namespace::ANY,
            UsedAs::Value => Namespace::VALUE,
            UsedAs::Type => Namespace::TYPE,
            UsedAs::Callee => Namespace::VALUE | Namespace::FUNCTION,
            UsedAs::Macro => Namespace::MACRO,
            UsedAs::Pattern | UsedAs::Path => Namespace::ANY,
            UsedAs::Import => Namespace::ANY | Namespace::NOTE,
        };
        self.references.push(Ref {
            name,
            start: span.0,
            end: span.1,
            scope: self.scope,
            receiver,
            namespace,
            role,
            call: NONE,
        });
        Value::reference(self.references.len() as u32 - 1)
    }

    /// Marks the part of a path before the last: only modules and types have members by path.
    pub(super) fn mark_path_prefix(&mut self, path: Value) {
        if let Some(r) = path.as_reference()
            && !self.rules.one_namespace
        {
            self.references[r as usize].namespace = Namespace::TYPE;
        }
    }

    /// Adds a definition to a scope.
    pub(super) fn push_definition(&mut self, span: (u32, u32), bind: &Binding) -> u32 {
        let name = self.intern(span.0, span.1);
        let mut scope = bind.scope;
        if let Some(redirect) = self.redirects.iter().find(|r| r.0 == scope && r.1 == name) {
            scope = redirect.2;
        }
        let mut flags = bind.flags;
        if self.pending_flags.1 == bind.scope {
            flags |= self.pending_flags.0;
            if bind.kind != DefinitionKind::Import && self.pending_flags.0.has(Flags::OPTIONAL) {
                flags = Flags(flags.0 & !Flags::OPTIONAL.0) | bind.flags;
            }
        }
        if self.unnamed_namespaces > 0
            && matches!(
                self.scopes[scope as usize].kind,
                ScopeKind::File | ScopeKind::Namespace | ScopeKind::Template
            )
        {
            flags |= Flags::LOCAL_FILE;
        }
        flags |= self.attribute_flags(span.0, bind.scope);
        let path = self.module_path(bind.kind, bind.scope);
        if self.branch.unread {
            flags |= Flags::INACTIVE;
        } else if bind.kind == DefinitionKind::Macro {
            self.macros.names.insert(self.slice(span.0, span.1));
        }
        if self.slice(span.0, span.1).starts_with(char::is_uppercase) {
            flags |= Flags::CAPITAL;
        }
        self.definitions.push(Def {
            name,
            kind: bind.kind,
            namespace: bind.namespace.unwrap_or(Namespace::of(bind.kind)),
            flags,
            scope,
            name_start: span.0,
            name_end: span.1,
            start: bind.start,
            end: bind.end,
            visible_from: if bind.from == NONE { span.1 } else { bind.from },
            body: NONE,
            value: path.unwrap_or(bind.source),
            supertypes: NONE,
        });
        let definition = self.definitions.len() as u32 - 1;
        if flags.has(Flags::MEMBER)
            && let Some(class) = self.nearest_members_scope()
        {
            let mut field = self.definitions[definition as usize];
            (field.scope, field.kind) = (class, DefinitionKind::Field);
            self.definitions.push(field);
        }
        definition
    }

    /// The scope that a rule's definitions go to.
    pub(super) fn definition_scope(&self, visible: Visibility, scope: u32) -> u32 {
        let mut at = scope;
        let parent = |at: u32| self.scopes[at as usize].parent;
        let kind = |at: u32| self.scopes[at as usize].kind;
        let visible = match visible {
            Visibility::Declared if self.is_var_declaration => Visibility::Function,
            visible => visible,
        };
        match visible {
            Visibility::Scope | Visibility::After | Visibility::Here | Visibility::Declared => {}
            Visibility::Outer | Visibility::Tag => {
                if visible == Visibility::Outer && parent(at) != NONE {
                    at = parent(at);
                }
                while matches!(kind(at), ScopeKind::Members | ScopeKind::Enum) && parent(at) != NONE
                {
                    at = parent(at);
                }
            }
            Visibility::File => at = 0,
            Visibility::Function => {
                while matches!(kind(at), ScopeKind::Block | ScopeKind::Comprehension)
                    && parent(at) != NONE
                {
                    at = parent(at);
                }
            }
        }
        at
    }

    /// The binding that a rule makes at a node.
    pub(super) fn rule_binding(
        &self,
        rule: &NodeRule,
        node: Node<'_>,
        kind: DefinitionKind,
        source: Value,
    ) -> Binding {
        let (start, end) = span(node);
        let mut scope = self.definition_scope(rule.visible, self.scope);
        while self.scopes[scope as usize].kind == ScopeKind::Template
            && !matches!(kind, DefinitionKind::TypeParameter | DefinitionKind::Parameter)
        {
            scope = self.scopes[scope as usize].parent;
        }
        Binding {
            kind,
            namespace: rule.namespace,
            scope,
            source,
            from: match rule.visible {
                // A file's own names are visible in all of it.
                Visibility::After if self.scopes[scope as usize].kind == ScopeKind::File => 0,
                Visibility::After => end,
                Visibility::Here => NONE,
                _ => 0,
            },
            flags: rule.flags,
            start,
            end,
            is_assignment: false,
        }
    }

    /// The nearest enclosing scope of a kind.
    pub(super) fn nearest_scope(&self, wanted: impl Fn(ScopeKind) -> bool) -> Option<u32> {
        let mut at = self.scope;
        while let Some(scope) = self.scopes.get(at as usize) {
            if wanted(scope.kind) {
                return Some(at);
            }
            at = scope.parent;
        }
        None
    }

    /// The scope of the members of `this`. An object literal counts only inside of its methods.
    pub(super) fn nearest_members_scope(&self) -> Option<u32> {
        let method = std::cell::Cell::new(false);
        self.nearest_scope(|k| match k {
            ScopeKind::Function => {
                method.set(true);
                false
            }
            ScopeKind::Object => method.get(),
            ScopeKind::Members | ScopeKind::Body | ScopeKind::Open | ScopeKind::Extension => true,
            _ => false,
        })
    }
}
