//! Types made by a call with their field names: `namedtuple("Point", "x y")`.

use tree_sitter::Node;

use super::{Binding, Lowerer, LoweringContext, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::{NONE, ReferenceRole};
use crate::node_rules::NodeRule;
use crate::vocabulary::{ActionKind, DefinitionKind, RuleHint, ScopeKind};

/// Limit of the fields of one record.
const MAX_FIELDS: usize = 500;

/// Limit of the names that one file exports explicitly.
const MAX_EXPORTED_NAMES: usize = 5_000;

impl Lowerer<'_> {
    /// The object with the fields, if the current call makes a record type.
    pub(super) fn record_type(&mut self, rule: &NodeRule, ctx: &LoweringContext) -> Option<Value> {
        let callee = self.references[ctx.object.as_reference()? as usize];
        let word = self.slice(callee.start, callee.end);
        if !rule.is_hint(word, RuleHint::RECORD) {
            return None;
        }
        let call = self.cursor.node();
        let arguments = call.named_child(call.named_child_count().checked_sub(1)? as u32)?;
        let fields = arguments.named_child(1)?;
        let mut names = Vec::new();
        self.collect_field_names(fields, true, &mut names);
        let (start, end) = span(call);
        let scope = self.push_scope(ScopeKind::Members, start, end);
        for at in names {
            let bind = Binding::new(DefinitionKind::Field, scope, at);
            self.push_definition(at, &bind);
        }
        Some(self.push_expression(Expression::Object(scope)))
    }

    /// Collects field names: the words of a string, or the first string of each list element.
    fn collect_field_names(&self, node: Node<'_>, outer: bool, names: &mut Vec<(u32, u32)>) {
        if self.rules.rule(node.kind_id()).is_some_and(|r| r.action.kind == ActionKind::String) {
            let (start, end) = self.string_content(node);
            let text = self.slice(start, end);
            let inside = |c: char| c.is_alphanumeric() || c == '_';
            let mut at = 0;
            while let Some(from) = text[at..].find(inside).map(|n| at + n) {
                at = text[from..].find(|c| !inside(c)).map_or(text.len(), |n| from + n);
                if names.len() < MAX_FIELDS {
                    names.push((start + from as u32, start + at as u32));
                }
            }
            return;
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            self.collect_field_names(child, false, names);
            if !outer {
                // The other elements describe the field.
                return;
            }
        }
    }

    /// Makes an object literal inherit the members of objects spread into it: `{ ...base, own: 1
    /// }`.
    pub(super) fn set_spread_members(&mut self, scope: u32, object: Node<'_>) {
        let mut spread = Vec::new();
        let mut cursor = object.walk();
        for child in object.named_children(&mut cursor) {
            let (start, end) = span(child);
            if child.kind() != "spread_element" || spread.len() == MAX_FIELDS {
                continue;
            }
            // Calls and computed values end elsewhere.
            let inside = self.references.iter().enumerate().rev();
            let mut inside = inside.take_while(|(_, r)| r.start >= start);
            if let Some((r, _)) = inside.find(|(_, r)| r.end == end) {
                spread.push(Value::reference(r as u32));
            }
        }
        if !spread.is_empty() {
            let list = self.push_list(&spread);
            self.scopes[scope as usize].subject = self.push_expression(Expression::Union(list));
        }
    }

    /// Records the names that a file exports explicitly: `__all__ = ["name"]`.
    pub(super) fn record_exported_names(&mut self, rule: &NodeRule, node: Node<'_>) {
        let (start, end) = span(node);
        let text = self.slice(start, end);
        let begins = |(word, hint): &(Box<str>, RuleHint)| {
            let rest = text.strip_prefix(&**word).filter(|_| *hint == RuleHint::LISTED);
            rest.is_some_and(|r| !r.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        if self.scope != 0 || !rule.hint_words.iter().any(begins) {
            return;
        }
        let mut nodes = vec![node];
        let value = node.child_by_field_name("right").or(node.child_by_field_name("arguments"));
        self.has_computed_exports |= value.is_some_and(|value| !is_literal_list(value));
        let mut listed = self.exported_names.take().unwrap_or_default();
        while let Some(node) = nodes.pop() {
            if self.rules.rule(node.kind_id()).is_some_and(|r| r.action.kind == ActionKind::String)
            {
                let (from, to) = self.string_content(node);
                if listed.len() < MAX_EXPORTED_NAMES {
                    listed.push(self.intern(from, to));
                    let text = self.slice(from, to);
                    if text.chars().all(|c| c.is_alphanumeric() || c == '_') && !text.is_empty() {
                        // Many modules list names that they create at run time.
                        self.push_reference(
                            (from, to),
                            UsedAs::Import,
                            Value::NONE,
                            ReferenceRole::Plain,
                        );
                    }
                }
                continue;
            }
            let mut cursor = node.walk();
            nodes.extend(node.named_children(&mut cursor));
        }
        self.exported_names = Some(listed);
    }

    /// Turns a name that is bound to a record into a class.
    pub(super) fn bind_record_type(&mut self, ctx: &LoweringContext) {
        let Some(object) = ctx.value.as_expression() else { return };
        let Expression::Object(scope) = self.expressions[object as usize] else { return };
        let at = self.scopes[scope as usize];
        if at.kind != ScopeKind::Members || at.owner != NONE || !self.rules.one_namespace {
            return;
        }
        let source = self.bind.source;
        let named = self.definitions.iter().rposition(|d| d.value == source);
        if let Some(d) = named.filter(|_| source.is_some()) {
            self.scopes[scope as usize].owner = d as u32;
            let def = &mut self.definitions[d];
            def.kind = DefinitionKind::Class;
            def.body = scope;
            def.value = Value::NONE;
        }
    }

    /// The type in a comment after a binding: `x = []  # type: list[int]`.
    pub(super) fn type_comment(&mut self, rule: &NodeRule, node: Node<'_>) -> Value {
        let Some((word, _)) = rule.hint_words.iter().find(|(_, h)| *h == RuleHint::TYPED) else {
            return Value::NONE;
        };
        let rest = self.text.get(node.end_byte()..).unwrap_or("");
        let line = rest.lines().next().unwrap_or("");
        let Some(comment) = line.trim_start().strip_prefix('#') else { return Value::NONE };
        let Some(ty) = comment.trim_start().strip_prefix(&**word) else { return Value::NONE };
        let ty = ty.trim_start();
        let start = node.end_byte() + (line.len() - ty.len());
        let ty = ty.split('#').next().unwrap_or("").trim_end();
        if ty.is_empty() || ty.starts_with("ignore") {
            return Value::NONE;
        }
        self.parse_whole_type(start as u32, (start + ty.len()) as u32)
    }
}

/// Whether a list of names is written out completely.
fn is_literal_list(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    match node.kind() {
        "string" | "concatenated_string" | "comment" => true,
        "list"
        | "tuple"
        | "argument_list"
        | "parenthesized_expression"
        | "expression_list"
        | "binary_operator" => node.named_children(&mut cursor).all(is_literal_list),
        _ => false,
    }
}
