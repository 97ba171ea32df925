//! Macros whose body is a list of struct fields: what they declare for the structs that use them.

use tree_sitter::Node;

use super::{Binding, Lowerer, LoweringContext, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::{NONE, ReferenceRole};
use crate::vocabulary::{DefinitionKind, ScopeKind};

/// Length limit of the bodies examined.
const MAX_LENGTH: usize = 20_000;

/// Length limit of a body that may be a number.
const MAX_VALUE_LENGTH: usize = 48;

type Span = (u32, u32);

impl Lowerer<'_> {
    /// Lowers the body of a macro definition.
    pub(super) fn lower_macro_body(&mut self, node: Node<'_>, ctx: &LoweringContext) {
        let (start, end) = span(node);
        let text = self.slice(start, end);
        if text.len() > MAX_LENGTH || ctx.definition == NONE {
            return;
        }
        self.keep_macro_value(ctx.definition, start, end);
        if self.define_macro_namespaces(text, ctx.definition) || !text.contains(';') {
            return;
        }
        let Some(statements) = statements(text, start) else { return };
        let outer = self.scope;
        self.scope = self.push_scope(ScopeKind::Members, start, end);
        let mut supers = Vec::new();
        for statement in statements {
            for word in statement.lends {
                supers.push(self.push_reference(
                    word,
                    UsedAs::Import,
                    Value::NONE,
                    ReferenceRole::Plain,
                ));
            }
            let Some((ty, name)) = statement.field else { continue };
            let ty = self.push_reference(ty, UsedAs::Type, Value::NONE, ReferenceRole::Plain);
            if let Some(r) = ty.as_reference() {
                self.references[r as usize].namespace =
                    crate::vocabulary::Namespace::TYPE | crate::vocabulary::Namespace::TAG;
            }
            let source = self.push_expression(Expression::Typed(ty));
            let bind = Binding { source, ..Binding::new(DefinitionKind::Field, self.scope, name) };
            self.push_definition(name, &bind);
        }
        let list = self.push_list(&supers);
        let own = &mut self.definitions[ctx.definition as usize];
        (own.body, own.supertypes) = (self.scope, list);
        self.scopes[self.scope as usize].owner = ctx.definition;
        self.scope = outer;
    }

    /// Keeps the body of a macro that may be a number: conditions compare it.
    pub(super) fn keep_macro_value(&mut self, definition: u32, start: u32, end: u32) {
        let text = self.slice(start, end);
        let short = text.trim();
        if short.len() <= MAX_VALUE_LENGTH && !short.contains(['"', '{', ';', '\n']) {
            let from = start + (short.as_ptr() as usize - text.as_ptr() as usize) as u32;
            let name = self.intern(from, from + short.len() as u32);
            let value = self.push_expression(Expression::Named(name));
            self.definitions[definition as usize].value = value;
        }
    }

    /// Makes a macro that was blanked inside of a struct lend its fields to the struct.
    pub(super) fn lend_fields(&mut self, word: Span, reference: Value) {
        let inside = self.scopes.iter().rposition(|s| {
            matches!(s.kind, ScopeKind::Members | ScopeKind::Open)
                && s.start <= word.0
                && word.1 <= s.end
                && s.owner != NONE
        });
        let Some(scope) = inside else { return };
        let owner = self.scopes[scope].owner as usize;
        if !self.definitions[owner].kind.is_type() {
            return;
        }
        let old = self.definitions[owner].supertypes;
        let mut list: Vec<Value> = match self.lists.get(old as usize) {
            Some(&Value(len)) => {
                let start = old as usize + 1;
                self.lists[start..start + len as usize].to_vec()
            }
            None => Vec::new(),
        };
        list.push(reference);
        self.definitions[owner].supertypes = self.push_list(&list);
    }
}

#[derive(Default)]
struct FieldStatement {
    /// Macros before the declaration.
    lends: Vec<Span>,
    /// The ranges of the type's name and the field's.
    field: Option<(Span, Span)>,
}

/// Parses a body as declarations; `None` if any part is something else.
fn statements(text: &str, base: u32) -> Option<Vec<FieldStatement>> {
    let bytes = text.as_bytes();
    let (mut all, mut now) = (Vec::new(), FieldStatement::default());
    let (mut words, mut depth, mut named, mut i): (Vec<Span>, i32, Option<Span>, usize) =
        (Vec::new(), 0, None, 0);
    let word_text = |w: &Span| &text[(w.0 - base) as usize..(w.1 - base) as usize];
    while i < bytes.len() {
        let b = bytes[i];
        match b {
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                i += 2 + text.get(i + 2..)?.find("*/")? + 2;
                continue;
            }
            _ if b.is_ascii_alphabetic() || b == b'_' => {
                let start = i;
                while i < bytes.len() && (bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_') {
                    i += 1;
                }
                let word = (base + start as u32, base + i as u32);
                if depth == 0 {
                    words.push(word);
                } else if depth == 1 && named.is_none() && bytes[..start].ends_with(b"(*") {
                    named = Some(word);
                }
                continue;
            }
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth -= 1,
            b'=' | b'?' | b'"' | b'#' | b'+' | b'%' if depth == 0 => return None,
            b';' if depth == 0 => {
                let is_macro = |w: &Span| {
                    let t = word_text(w);
                    t.len() > 3
                        && t.bytes()
                            .all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit())
                };
                let lent = words.iter().take_while(|w| is_macro(w)).count();
                now.lends.extend(words.drain(..lent));
                if words.iter().any(|w| {
                    matches!(
                        word_text(w),
                        "do" | "if" | "for" | "while" | "return" | "goto" | "break"
                    )
                }) {
                    return None;
                }
                let name =
                    named.take().or_else(|| if words.len() > 1 { words.pop() } else { None })?;
                let ty = *words.last()?;
                now.field = Some((ty, name));
                all.push(std::mem::take(&mut now));
                words.clear();
            }
            _ => {}
        }
        i += 1;
    }
    now.lends.extend(words);
    all.push(now);
    (depth == 0 && all.len() > 1).then_some(all)
}
