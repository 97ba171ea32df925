//! Types in strings: `"list[Context]"`.

use tree_sitter::Node;

use super::{Lowerer, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::ReferenceRole;
use crate::node_rules::NodeRule;

/// Length limit of a string that may be a type.
const MAX_LENGTH: usize = 200;

impl Lowerer<'_> {
    /// Lowers a string: text, or a type where Python expects one.
    pub(super) fn lower_string(
        &mut self,
        _rule: &NodeRule,
        node: Node<'_>,
        used_as: UsedAs,
    ) -> Value {
        let (from, to) = self.string_content(node);
        if from < to {
            self.last_string = (from, to);
        }
        if used_as == UsedAs::Type
            && self.rules.one_namespace
            && node.byte_range().len() <= MAX_LENGTH
        {
            return self.parse_string_type(from, to);
        }
        let kept = self.last_string;
        self.lower_children(UsedAs::Value);
        self.last_string = kept;
        self.push_expression(Expression::Text)
    }

    /// The range between a string's quotes.
    pub(super) fn string_content(&self, node: Node<'_>) -> (u32, u32) {
        let (start, end) = span(node);
        let text = self.slice(start, end);
        let prefix = text.find(['"', '\'', '`']).unwrap_or(0);
        let long = ["\"\"\"", "'''"].iter().any(|q| text[prefix..].starts_with(q));
        let quote = if text.len() - prefix >= 6 && long { 3 } else { 1 };
        let from = (start + prefix as u32 + quote).min(end);
        (from, (end - quote.min(end)).max(from))
    }

    /// Lowers a type; nothing unless the type is the whole text.
    pub(super) fn parse_whole_type(&mut self, start: u32, end: u32) -> Value {
        let before = self.references.len();
        let mut at = start;
        let value = self.type_union(&mut at, end, 0);
        if at < end {
            self.references.truncate(before);
            return Value::NONE;
        }
        value
    }

    /// Parses names, dots, brackets, commas and bars.
    fn parse_string_type(&mut self, start: u32, end: u32) -> Value {
        let text = self.slice(start, end);
        let plain = |c: char| c.is_alphanumeric() || " _.,[]|".contains(c);
        if !text.chars().all(plain) {
            return Value::NONE;
        }
        let mut at = start;
        self.type_union(&mut at, end, 0)
    }

    fn type_union(&mut self, at: &mut u32, end: u32, depth: u32) -> Value {
        let mut parts = vec![self.type_part(at, end, depth)];
        while self.eat(at, end, '|') {
            parts.push(self.type_part(at, end, depth));
        }
        if let [one] = parts[..] {
            return one;
        }
        let list = self.push_list(&parts);
        self.push_expression(Expression::Union(list))
    }

    /// Parses a dotted name with optional arguments.
    fn type_part(&mut self, at: &mut u32, end: u32, depth: u32) -> Value {
        let mut value = Value::NONE;
        loop {
            self.eat(at, end, ' ');
            let rest = self.slice(*at, end);
            let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
                as u32;
            if len == 0 {
                return value;
            }
            let name = (*at, *at + len);
            *at += len;
            let role = if value.is_some() { ReferenceRole::Member } else { ReferenceRole::Plain };
            value = self.push_reference(name, UsedAs::Type, value, role);
            if !self.eat(at, end, '.') {
                break;
            }
        }
        if depth < 8 && self.eat(at, end, '[') {
            let mut list = vec![self.type_union(at, end, depth + 1)];
            while self.eat(at, end, ',') {
                list.push(self.type_union(at, end, depth + 1));
            }
            self.eat(at, end, ']');
            let list = self.push_list(&list);
            value = self.push_expression(Expression::Generic(value, list));
        }
        value
    }

    fn eat(&self, at: &mut u32, end: u32, wanted: char) -> bool {
        let rest = self.slice(*at, end);
        let trimmed = rest.trim_start_matches(' ');
        if wanted == ' ' {
            *at += (rest.len() - trimmed.len()) as u32;
            return true;
        }
        let found = trimmed.starts_with(wanted);
        if found {
            *at += (rest.len() - trimmed.len()) as u32 + wanted.len_utf8() as u32;
        }
        found
    }
}
