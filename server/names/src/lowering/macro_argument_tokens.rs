//! Macro arguments that the grammar leaves as tokens.

use super::{Binding, Lowerer, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::{NONE, ReferenceRole};
use crate::vocabulary::{ActionKind, DefinitionKind, ScopeKind};

impl Lowerer<'_> {
    /// Lowers names among tokens; those after a dot or double colon are members.
    pub(super) fn lower_tokens(&mut self) -> Value {
        let (start, _) = span(self.cursor.node());
        let listed = self.slice(start, start + 1) == "[";
        if !self.cursor.goto_first_child() {
            return Value::NONE;
        }
        let (mut last, mut pending, mut item) = (Value::NONE, "", None);
        let (mut owner, mut supers) = (NONE, Vec::new());
        let outer = self.nearest_scope(|_| true).unwrap_or(0);
        let items = matches!(
            self.scopes[outer as usize].kind,
            ScopeKind::File | ScopeKind::Module | ScopeKind::Members
        ) && !listed;
        loop {
            let node = self.cursor.node();
            let rule = self.rules.rule(node.kind_id());
            match rule.map(|r| r.action.kind) {
                Some(ActionKind::Name) if items && item.is_some() => {
                    if let Some(kind) = item.take() {
                        let at = span(node);
                        let bind = Binding::new(kind, outer, at);
                        owner = self.push_definition(at, &bind);
                        supers.clear();
                    }
                    (last, pending) = (Value::NONE, "");
                }
                Some(ActionKind::Name) => {
                    let at = span(node);
                    last = match pending {
                        "." | "::" if last.is_some() => {
                            self.push_reference(at, UsedAs::Import, last, ReferenceRole::Member)
                        }
                        "." | "::" => {
                            let unknown = self.push_expression(Expression::Nothing);
                            self.push_reference(at, UsedAs::Import, unknown, ReferenceRole::Member)
                        }
                        _ => self.push_reference(
                            at,
                            UsedAs::Import,
                            Value::NONE,
                            ReferenceRole::Plain,
                        ),
                    };
                    pending = "";
                    if owner != NONE {
                        // Supertraits come before the body.
                        supers.push(last);
                    }
                }
                Some(ActionKind::This | ActionKind::Super | ActionKind::Path) => {
                    last = self.lower_node(UsedAs::Value);
                    pending = "";
                }
                Some(_) if node.is_named() => {
                    let call = self.slice(span(node).0, span(node).0 + 1) == "(";
                    let callee = last;
                    let (start, end) = span(node);
                    let body = self.slice(start, start + 1) == "{" && owner != NONE;
                    if body || call && owner != NONE {
                        let kind = if body && self.definitions[owner as usize].kind.is_type() {
                            ScopeKind::Members
                        } else {
                            ScopeKind::Function
                        };
                        self.scope = self.push_scope(kind, start, end);
                        if body {
                            let above = std::mem::take(&mut supers);
                            if self.definitions[owner as usize].kind == DefinitionKind::Trait {
                                self.definitions[owner as usize].supertypes =
                                    self.push_list(&above);
                            }
                            self.definitions[owner as usize].body = self.scope;
                            self.scopes[self.scope as usize].owner = owner;
                            owner = NONE;
                        }
                    }
                    self.lower_node(UsedAs::Value);
                    self.scope = outer;
                    last = Value::NONE;
                    if call && callee.is_some() {
                        last = self.push_expression(Expression::Call(callee, crate::facts::NONE));
                    }
                    pending = "";
                }
                None if !node.is_named() => match node.kind() {
                    "." => pending = ".",
                    "::" => pending = "::",
                    "trait" => item = Some(DefinitionKind::Trait),
                    "struct" => item = Some(DefinitionKind::Struct),
                    "enum" => item = Some(DefinitionKind::Enum),
                    "fn" => item = Some(DefinitionKind::Function),
                    "const" | "static" => item = Some(DefinitionKind::Constant),
                    "type" => item = Some(DefinitionKind::TypeAlias),
                    ";" => (owner, last, pending) = (NONE, Value::NONE, ""),
                    "!" if last.as_reference().is_some() => {
                        let r = self.references.len() - 1;
                        self.references[r].namespace = crate::vocabulary::Namespace::MACRO;
                        last = Value::NONE;
                    }
                    _ => (last, pending) = (Value::NONE, ""),
                },
                _ => {
                    self.lower_node(UsedAs::Value);
                    (last, pending) = (Value::NONE, "");
                }
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
        Value::NONE
    }
}
