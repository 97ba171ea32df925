//! A parser for types in comments: TypeScript's syntax and the older one of Closure.

use super::{Binding, Lowerer, UsedAs};
use crate::expression::{Expression, Value};
use crate::facts::ReferenceRole;
use crate::node_rules::CommentTypes;
use crate::vocabulary::{DefinitionKind, ScopeKind};

/// Depth limit of a type.
const MAX_DEPTH: u32 = 12;

/// Limit of the parts of one type.
const MAX_PARTS: usize = 64;

/// A position in the text of a type.
struct TypeText {
    at: u32,
    end: u32,
}

impl Lowerer<'_> {
    /// Lowers the type in a range of a comment; unknown syntax yields nothing.
    pub(super) fn lower_comment_type(&mut self, (start, end): (u32, u32)) -> Value {
        self.read_comment_types.insert(start);
        let mut reader = TypeText { at: start, end };
        self.comment_type_union(&mut reader, 0)
    }

    /// Parses types between `|` or `&`.
    fn comment_type_union(&mut self, r: &mut TypeText, depth: u32) -> Value {
        let mut parts = Vec::new();
        self.comment_eat(r, "|");
        loop {
            let part = self.comment_type_part(r, depth);
            if part.is_some() {
                parts.push(part);
            }
            let more = self.comment_eat(r, "|") || self.comment_eat(r, "&");
            if !more || parts.len() >= MAX_PARTS {
                break;
            }
        }
        match parts[..] {
            [] => Value::NONE,
            [one] => one,
            _ => {
                let list = self.push_list(&parts);
                self.push_expression(Expression::Union(list))
            }
        }
    }

    fn comment_type_part(&mut self, r: &mut TypeText, depth: u32) -> Value {
        if depth > MAX_DEPTH {
            return Value::NONE;
        }
        while ["...", "?", "!", "*"].iter().any(|mark| self.comment_eat(r, mark)) {}
        let mut value = self.comment_type_primary(r, depth);
        loop {
            if self.comment_eat(r, "[]") {
                value = self.push_expression(Expression::Array(value));
            } else if self.comment_eat(r, "[") {
                self.comment_type_union(r, depth + 1);
                self.comment_eat(r, "]");
                value = Value::NONE;
            } else if !self.comment_rest(r).starts_with("=>") && self.comment_eat(r, "=") {
            } else {
                return value;
            }
        }
    }

    /// Parses a parenthesis, function, object, tuple, literal or name.
    fn comment_type_primary(&mut self, r: &mut TypeText, depth: u32) -> Value {
        let rest = self.comment_rest(r);
        match rest.chars().next() {
            Some('(') => {
                let arrow = matching(rest)
                    .is_some_and(|close| rest[close + 1..].trim_start().starts_with("=>"));
                self.comment_eat(r, "(");
                if arrow {
                    return self.comment_function_type(r, depth, "=>");
                }
                let inner = self.comment_type_union(r, depth + 1);
                self.comment_eat(r, ")");
                inner
            }
            Some('{') => self.comment_object_type(r, depth),
            Some('[') => {
                self.comment_eat(r, "[");
                let list = self.comment_type_list(r, depth, "]");
                let list = self.push_list(&list);
                self.push_expression(Expression::Tuple(list))
            }
            Some(quote @ ('"' | '\'' | '`')) => {
                let len = rest[1..].find(quote).map_or(rest.len(), |n| n + 2);
                r.at += len as u32;
                self.push_expression(Expression::Text)
            }
            Some('\\') if self.rules.documented == Some(CommentTypes::Words) => {
                let root = self.global_namespace(r.at);
                self.comment_eat(r, "\\");
                let (start, end) = self.comment_word(r);
                let first = if self.comment_rest(r).starts_with('\\') { Value::NONE } else { root };
                let value = self.reference_in_comment((start, end), first);
                self.comment_name_end(r, depth, value)
            }
            Some(c) if c.is_alphabetic() || c == '_' || c == '$' => {
                self.comment_type_name(r, depth)
            }
            Some(c) if c.is_ascii_digit() => {
                let len = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
                r.at += len as u32;
                self.push_expression(Expression::Number)
            }
            _ => Value::NONE,
        }
    }

    /// Parses a keyword type, or a name with members and arguments.
    fn comment_type_name(&mut self, r: &mut TypeText, depth: u32) -> Value {
        let (start, end) = self.comment_word(r);
        if self.rules.documented == Some(CommentTypes::Words) {
            let value = match self.php_type((start, end)) {
                Some(value) => value,
                None => self.reference_in_comment((start, end), Value::NONE),
            };
            return self.comment_name_end(r, depth, value);
        }
        let value = match self.slice(start, end) {
            "import" if self.comment_eat(r, "(") => {
                let rest = self.comment_rest(r);
                let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
                let Some(close) = quote.and_then(|q| rest[1..].find(q)) else {
                    return Value::NONE;
                };
                let inner = (r.at + 1, r.at + 1 + close as u32);
                let path = self.intern(inner.0, inner.1);
                let module = self.push_expression(Expression::Module(path, 0));
                self.push_reference(inner, UsedAs::Path, module, ReferenceRole::Root);
                r.at = inner.1 + 1;
                self.comment_eat(r, ")");
                module
            }
            "typeof" => {
                let (start, end) = self.comment_word(r);
                if start == end {
                    Value::NONE
                } else {
                    self.reference_in_comment((start, end), Value::NONE)
                }
            }
            "keyof" | "readonly" | "unique" | "asserts" => {
                let inner = self.comment_type_part(r, depth + 1);
                return if self.slice(start, end) == "readonly" { inner } else { Value::NONE };
            }
            "function" if self.comment_eat(r, "(") => {
                return self.comment_function_type(r, depth, ":");
            }
            "string" => return self.push_expression(Expression::Text),
            "number" | "bigint" => return self.push_expression(Expression::Number),
            "boolean" => return self.push_expression(Expression::Boolean),
            "any" | "void" | "undefined" | "null" | "object" | "unknown" | "never" | "symbol"
            | "true" | "false" => return Value::NONE,
            _ => self.reference_in_comment((start, end), Value::NONE),
        };
        self.comment_name_end(r, depth, value)
    }

    /// Parses what may follow a name: members, arguments, a test.
    fn comment_name_end(&mut self, r: &mut TypeText, depth: u32, mut value: Value) -> Value {
        let words = self.rules.documented == Some(CommentTypes::Words);
        loop {
            if words && self.comment_eat(r, "\\") {
                let (start, end) = self.comment_word(r);
                if start == end {
                    return value;
                }
                value = self.reference_in_comment((start, end), value);
                continue;
            }
            if self.comment_rest(r).starts_with(".<") {
                r.at += 1;
            }
            if self.comment_rest(r).starts_with('.') && !self.comment_rest(r).starts_with("...") {
                self.comment_eat(r, ".");
                let (start, end) = self.comment_word(r);
                if start == end {
                    return value;
                }
                value = self.reference_in_comment((start, end), value);
            } else if self.comment_eat(r, "<") {
                let list = self.comment_type_list(r, depth, ">");
                value = if words && value.is_none() {
                    // The elements of an array, a list or an iterable come last.
                    let element = list.last().copied().unwrap_or(Value::NONE);
                    self.push_expression(Expression::Array(element))
                } else {
                    let list = self.push_list(&list);
                    self.push_expression(Expression::Generic(value, list))
                };
            } else {
                break;
            }
        }
        if self.comment_rest(r).starts_with("is ") {
            // A type predicate, not a value.
            self.comment_word(r);
            self.comment_type_union(r, depth + 1);
            return Value::NONE;
        }
        value
    }

    /// A built-in type of PHP, or the type of the object itself.
    fn php_type(&mut self, (start, end): (u32, u32)) -> Option<Value> {
        Some(match self.slice(start, end) {
            "string" => self.push_expression(Expression::Text),
            "int" | "integer" | "float" | "double" | "number" => {
                self.push_expression(Expression::Number)
            }
            "bool" | "boolean" | "true" | "false" => self.push_expression(Expression::Boolean),
            "$this" | "static" | "self" => match self.nearest_members_scope() {
                Some(scope) => self.push_expression(Expression::ThisType(scope)),
                None => Value::NONE,
            },
            "array" | "list" | "iterable" | "null" | "mixed" | "void" | "never" | "object"
            | "callable" | "resource" | "scalar" | "numeric" => Value::NONE,
            name if name.contains('-') => Value::NONE,
            _ => return None,
        })
    }

    /// The global namespace, where a name after the `\` at an offset is looked up.
    pub(super) fn global_namespace(&mut self, at: u32) -> Value {
        let name = self.intern(at, at + 1);
        self.push_expression(Expression::Module(name, 0))
    }

    /// The parameters and result of a function type, after the opening parenthesis.
    fn comment_function_type(
        &mut self,
        r: &mut TypeText,
        depth: u32,
        before_result: &str,
    ) -> Value {
        let mut list = Vec::new();
        while !self.comment_eat(r, ")") && r.at < r.end && list.len() < MAX_PARTS {
            self.comment_eat(r, "...");
            let named = {
                let rest = self.comment_rest(r);
                let len = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
                let after = rest[len.unwrap_or(rest.len())..].trim_start();
                let after = after.strip_prefix('?').unwrap_or(after);
                len != Some(0) && after.starts_with(':')
            };
            if named {
                self.comment_word(r);
                self.comment_eat(r, "?");
                self.comment_eat(r, ":");
            }
            let before = r.at;
            let ty = self.comment_type_union(r, depth + 1);
            list.push(self.push_expression(Expression::Typed(ty)));
            if !self.comment_eat(r, ",") && before == r.at {
                break;
            }
        }
        self.comment_eat(r, ")");
        let result = if self.comment_eat(r, before_result) {
            self.comment_type_union(r, depth + 1)
        } else {
            Value::NONE
        };
        let list = self.push_list(&list);
        self.push_expression(Expression::Function(result, list))
    }

    /// Parses an object type; its fields are defined in a scope of their own.
    fn comment_object_type(&mut self, r: &mut TypeText, depth: u32) -> Value {
        let start = r.at;
        let scope = self.push_scope(ScopeKind::Members, start, r.end);
        self.comment_eat(r, "{");
        let mut fields = 0;
        while !self.comment_eat(r, "}") && r.at < r.end && fields < MAX_PARTS {
            fields += 1;
            let before = r.at;
            if self.comment_eat(r, "[") {
                // An index signature: its keys are not names.
                self.comment_type_union(r, depth + 1);
                self.comment_eat(r, ":");
                self.comment_type_union(r, depth + 1);
                self.comment_eat(r, "]");
                self.comment_eat(r, ":");
                self.comment_type_union(r, depth + 1);
            } else {
                let at = self.comment_word(r);
                self.comment_eat(r, "?");
                let ty = if self.comment_eat(r, ":") {
                    self.comment_type_union(r, depth + 1)
                } else {
                    Value::NONE
                };
                if at.0 < at.1 {
                    let source = self.push_expression(Expression::Typed(ty));
                    let bind = Binding { source, ..Binding::new(DefinitionKind::Field, scope, at) };
                    self.push_definition(at, &bind);
                }
            }
            let more = self.comment_eat(r, ",") || self.comment_eat(r, ";");
            if !more && r.at == before {
                break;
            }
        }
        self.push_expression(Expression::Object(scope))
    }

    fn comment_type_list(&mut self, r: &mut TypeText, depth: u32, close: &str) -> Vec<Value> {
        let mut list = Vec::new();
        while !self.comment_eat(r, close) && r.at < r.end && list.len() < MAX_PARTS {
            let before = r.at;
            list.push(self.comment_type_union(r, depth + 1));
            if !self.comment_eat(r, ",") && r.at == before {
                break;
            }
        }
        list
    }

    /// The rest of the text, after blanks and the asterisks at line starts.
    fn comment_rest(&self, r: &mut TypeText) -> &str {
        loop {
            let rest = self.slice(r.at, r.end);
            let trimmed = rest.trim_start();
            let skipped = &rest[..rest.len() - trimmed.len()];
            r.at = r.end - trimmed.len() as u32;
            if skipped.contains('\n') && trimmed.starts_with('*') {
                r.at += 1;
                continue;
            }
            return self.slice(r.at, r.end);
        }
    }

    fn comment_eat(&self, r: &mut TypeText, wanted: &str) -> bool {
        let found = self.comment_rest(r).starts_with(wanted);
        if found {
            r.at += wanted.len() as u32;
        }
        found
    }

    fn comment_word(&self, r: &mut TypeText) -> (u32, u32) {
        let rest = self.comment_rest(r);
        let words = self.rules.documented == Some(CommentTypes::Words);
        let in_word = |c: char| {
            // As in `non-empty-list`.
            c.is_alphanumeric() || matches!(c, '_' | '$') || words && c == '-'
        };
        let len = rest.find(|c: char| !in_word(c));
        let len = len.unwrap_or(rest.len()) as u32;
        let at = (r.at, r.at + len);
        r.at += len;
        at
    }
}

/// The offset of the parenthesis that closes the first one.
fn matching(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
