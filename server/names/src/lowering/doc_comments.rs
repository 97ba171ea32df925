//! Types in doc comments: JSDoc tags before functions, variables and values.

use tree_sitter::Node;

use super::{Binding, Lowerer, LoweringContext, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::NONE;
use crate::node_rules::CommentTypes;
use crate::vocabulary::{ActionKind, DefinitionKind, Flags, Namespace, ScopeKind};

/// Limit of the distance between a comment and what it documents.
const MAX_COMMENT_DISTANCE: u32 = 240;

/// Limit of the comment text read.
const MAX_LENGTH: u32 = 20_000;

/// Limit of the tags read per comment.
const MAX_TAGS: usize = 64;

/// Tags with a type.
const TYPED: &[&str] = &[
    "type",
    "param",
    "arg",
    "argument",
    "returns",
    "return",
    "yields",
    "throws",
    "exception",
    "implements",
    "extends",
    "augments",
    "satisfies",
    "this",
    "enum",
    "property",
    "prop",
    "typedef",
    "const",
    "constant",
    "member",
    "var",
];

/// A tag of a comment.
#[derive(Clone, Copy)]
pub(super) struct DocTag<'t> {
    kind: &'t str,
    /// The range between its braces.
    ty: Option<(u32, u32)>,
    /// The name after it, possibly dotted.
    name: Option<(u32, u32)>,
}

impl<'t> Lowerer<'t> {
    /// The doc comment of what starts at an offset, if comments give types in this language.
    pub(super) fn comment_before(&self, start: u32) -> Option<(u32, u32)> {
        self.rules.documented?;
        let from = start.saturating_sub(MAX_COMMENT_DISTANCE);
        let from = (from..=start).find(|at| self.starts_char(*at))?;
        let near = self.slice(from, start);
        let close = near.rfind("*/")?;
        let between =
            |c: char| c.is_alphanumeric() || c.is_whitespace() || "_$.=:#'\"[]".contains(c);
        if !near[close + 2..].chars().all(between) {
            return None;
        }
        let end = from + close as u32 + 2;
        let from = (end.saturating_sub(MAX_LENGTH)..end).find(|at| self.starts_char(*at))?;
        let open = from + self.text[from as usize..end as usize - 2].rfind("/*")? as u32;
        let is = self.slice(open, end).starts_with("/**") && end - open > 4;
        is.then_some((open, end))
    }

    fn starts_char(&self, at: u32) -> bool {
        self.text.is_char_boundary(at as usize)
    }

    /// The tags of a comment, in order.
    pub(super) fn doc_tags(&self, (start, end): (u32, u32)) -> Vec<DocTag<'t>> {
        let text: &'t str = self.text;
        let end = (start..=end).rev().find(|at| self.starts_char(*at)).unwrap_or(start);
        let comment = &text[start as usize..end as usize];
        let mut tags = Vec::new();
        for (at, _) in comment.match_indices('@') {
            let line = comment[..at].rfind('\n').map_or(0, |n| n + 1);
            if !comment[line..at].chars().all(|c| c.is_whitespace() || c == '*' || c == '/') {
                continue;
            }
            let rest = &comment[at + 1..];
            let len = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
            let kind = &rest[..len];
            let mut place = at + 1 + len;
            let space = |place: usize| {
                let rest = &comment[place..];
                place + (rest.len() - rest.trim_start_matches([' ', '\t']).len())
            };
            place = space(place);
            let mut ty = None;
            if comment[place..].starts_with('{') {
                let Some(close) = closing(&comment[place..]) else { break };
                let from = start + place as u32 + 1;
                ty = Some((from, start + (place + close) as u32));
                place = space(place + close + 1);
            }
            if self.rules.documented == Some(CommentTypes::Words) && TYPED.contains(&kind) {
                let len = type_without_braces(&comment[place..]);
                if len > 0 && !comment[place..].starts_with('$') {
                    let from = start + place as u32;
                    ty = Some((from, from + len as u32));
                    place = space(place + len);
                }
                place += usize::from(comment[place..].starts_with("..."));
                place += usize::from(comment[place..].starts_with('$'));
            }
            place += usize::from(comment[place..].starts_with('['));
            let name = &comment[place..];
            let ends = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.'));
            let len = name.find(ends).unwrap_or(name.len());
            let from = start + place as u32;
            let name = (len > 0).then_some((from, from + len as u32));
            tags.push(DocTag { kind, ty, name });
            if tags.len() >= MAX_TAGS {
                break;
            }
        }
        tags
    }

    /// The type that the comment before an offset gives a variable or value.
    pub(super) fn comment_type(&mut self, start: u32) -> Value {
        let Some(comment) = self.comment_before(start) else { return Value::NONE };
        let tags = self.doc_tags(comment);
        let ty = tags.iter().rev().find(|t| matches!(t.kind, "type" | "var"));
        let ty = ty.and_then(|t| t.ty);
        ty.map_or(Value::NONE, |at| self.lower_comment_type(at))
    }

    /// The same for a parenthesised value directly after the comment: a cast.
    pub(super) fn comment_cast(&mut self, start: u32, value: Value) -> Value {
        let cast = self.rules.documented == Some(CommentTypes::Braces)
            && self.text[..start as usize].trim_end().ends_with("*/")
            && self.text[start as usize..].starts_with('(');
        let ty = if cast { self.comment_type(start) } else { Value::NONE };
        if ty.is_none() { value } else { self.push_expression(Expression::Typed(ty)) }
    }

    /// Applies the `@template` and `@param` tags of a function's comment.
    pub(super) fn apply_comment_parameters(&mut self, ctx: &LoweringContext, before: usize) {
        let Some(comment) = ctx.comment else { return };
        let tags = self.doc_tags(comment);
        let after = self.definitions.len();
        let scope = self.scope;
        for tag in &tags {
            if tag.kind == "template" {
                self.define_template_tag(tag, scope);
            }
            let Some(name) = tag.name else { continue };
            if !matches!(tag.kind, "param" | "arg" | "argument") {
                continue;
            }
            let text = self.slice(name.0, name.1);
            let own = text.rsplit('.').next().unwrap_or(text);
            let fits = |d: &usize| {
                let def = &self.definitions[*d];
                def.scope == scope
                    && def.kind == DefinitionKind::Parameter
                    && self.slice(def.name_start, def.name_end) == own
            };
            let found = (before..after).find(fits);
            if found.is_some() && own.len() == text.len() {
                self.push_reference(
                    name,
                    UsedAs::Value,
                    Value::NONE,
                    crate::facts::ReferenceRole::Plain,
                );
            }
            let Some(ty) = tag.ty else { continue };
            let ty = self.lower_comment_type(ty);
            let Some(d) = found else { continue };
            if ty.is_some() {
                self.definitions[d].value = self.push_expression(Expression::Typed(ty));
            }
        }
    }

    /// Defines the type parameters that a class's comment declares.
    pub(super) fn define_comment_type_parameters(&mut self, start: u32) {
        let Some(comment) = self.comment_before(start) else { return };
        let scope = self.scope;
        for tag in self.doc_tags(comment) {
            if tag.kind == "template" {
                self.define_template_tag(&tag, scope);
            }
        }
    }

    /// Defines the type parameters of a tag: `@template {Bound} T, U`.
    pub(super) fn define_template_tag(&mut self, tag: &DocTag<'_>, scope: u32) {
        let Some((start, _)) = tag.name else { return };
        let bound = tag.ty.map_or(Value::NONE, |at| self.lower_comment_type(at));
        let line = &self.text[start as usize..];
        let line = &line[..line.find('\n').unwrap_or(line.len())];
        let mut at = start;
        for part in line.split(',') {
            let name = part.trim_start();
            let from = at + (part.len() - name.len()) as u32;
            let len = name.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
            let len = len.unwrap_or(name.len()) as u32;
            if len == 0 {
                return;
            }
            let bind = self.comment_binding(
                DefinitionKind::TypeParameter,
                scope,
                bound,
                (from, from + len),
            );
            self.push_definition((from, from + len), &bind);
            if name.len() as u32 > len && !name[len as usize..].trim().is_empty() {
                return;
            }
            at += part.len() as u32 + 1;
        }
    }

    /// The return type that a comment states.
    pub(super) fn comment_return_type(&mut self, comment: (u32, u32)) -> Value {
        let tags = self.doc_tags(comment);
        let returns = tags.iter().find(|t| matches!(t.kind, "returns" | "return"));
        let ty = returns.and_then(|t| t.ty);
        ty.map_or(Value::NONE, |at| self.lower_comment_type(at))
    }

    /// Defines the types that a comment declares: `@typedef`, `@callback`, `@import`.
    pub(super) fn define_comment_types(&mut self, at: (u32, u32)) {
        let text = self.slice(at.0, at.1);
        if self.rules.documented.is_none() || !text.starts_with("/**") {
            return;
        }
        if !["@typedef", "@callback", "@import"].iter().any(|tag| text.contains(tag)) {
            return;
        }
        let tags = self.doc_tags((at.0, at.1.min(at.0 + MAX_LENGTH)));
        for (n, tag) in tags.iter().enumerate() {
            let own = |t: &&DocTag<'_>| !matches!(t.kind, "typedef" | "callback" | "import");
            let below: Vec<DocTag<'_>> = tags[n + 1..].iter().take_while(own).copied().collect();
            match (tag.kind, tag.name) {
                ("typedef", Some(name)) => self.typedef(tag, name, &below, at),
                ("callback", Some(name)) => self.callback(name, &below, at),
                _ => {}
            }
        }
    }

    /// Lowers types in comments that no declaration used: before parameters, or before plain code.
    /// They have no value, but they refer to types.
    pub(super) fn lower_remaining_comment_types(&mut self, root: Node<'_>) {
        if self.rules.documented.is_none() {
            return;
        }
        let text: &'t str = self.text;
        let (mut last, mut unread) = (0, Vec::new());
        for (start, _) in text.match_indices("/**") {
            if start < last as usize {
                continue;
            }
            let Some(node) = root.descendant_for_byte_range(start, start + 3) else { continue };
            let rule = self.rules.rule(node.kind_id());
            if rule.is_none_or(|r| r.action.kind != ActionKind::Skip) {
                continue;
            }
            let (start, end) = span(node);
            last = end;
            let tags = self.doc_tags((start, end.min(start + MAX_LENGTH)));
            let typed = tags.into_iter().filter(|t| TYPED.contains(&t.kind));
            let types = typed.filter_map(|t| t.ty);
            unread.extend(
                types.filter(|ty| !self.read_comment_types.contains(&ty.0)).map(|ty| (start, ty)),
            );
        }
        if unread.is_empty() {
            return;
        }
        let code = |&s: &u32| {
            let scope = &self.scopes[s as usize];
            scope.kind != ScopeKind::Members || scope.owner != NONE
        };
        let mut scopes: Vec<u32> = (0..self.scopes.len() as u32).filter(code).collect();
        scopes.sort_by_key(|&s| self.scopes[s as usize].start);
        let (mut next, mut around) = (0, vec![0]);
        for (start, ty) in unread {
            while let Some(&scope) = scopes.get(next)
                && self.scopes[scope as usize].start <= start
            {
                around.push(scope);
                next += 1;
            }
            while around.len() > 1
                && around.last().is_some_and(|&s| self.scopes[s as usize].end <= start)
            {
                around.pop();
            }
            self.scope = around.last().copied().unwrap_or(0);
            self.lower_comment_type(ty);
        }
    }

    /// Defines the type of a `@typedef`: an alias, or a struct of its `@property` tags.
    fn typedef(
        &mut self,
        tag: &DocTag<'_>,
        name: (u32, u32),
        below: &[DocTag<'_>],
        at: (u32, u32),
    ) {
        let ty = tag.ty.map_or("Object", |(s, e)| self.slice(s, e).trim());
        let fields = below.iter().filter(|t| matches!(t.kind, "property" | "prop"));
        let fields: Vec<_> = fields.copied().collect();
        let own = matches!(ty, "Object" | "object") && !fields.is_empty();
        let (value, body) = if own {
            let scope = self.push_scope(ScopeKind::Members, at.0, at.1);
            for field in fields {
                let (Some(name), Some(ty)) = (field.name, field.ty) else { continue };
                if self.slice(name.0, name.1).contains('.') {
                    continue;
                }
                let ty = self.lower_comment_type(ty);
                let source = self.push_expression(Expression::Typed(ty));
                let bind = self.comment_binding(DefinitionKind::Field, scope, source, name);
                self.push_definition(name, &bind);
            }
            (Value::NONE, scope)
        } else {
            let Some(ty) = tag.ty else { return };
            let value = self.lower_comment_type(ty);
            match value.as_expression().map(|e| self.expressions[e as usize]) {
                Some(Expression::Object(scope)) => (Value::NONE, scope),
                _ => (value, NONE),
            }
        };
        let kind = if body == NONE { DefinitionKind::TypeAlias } else { DefinitionKind::Struct };
        self.define_in_comment(kind, value, body, name);
    }

    /// Defines the function type of a `@callback`.
    fn callback(&mut self, name: (u32, u32), below: &[DocTag<'_>], at: (u32, u32)) {
        let outer = self.scope;
        self.scope = self.push_scope(ScopeKind::Lambda, at.0, at.1);
        let mut list = Vec::new();
        let mut returns = Value::NONE;
        for tag in below {
            let Some(ty) = tag.ty else { continue };
            match tag.kind {
                "param" => {
                    let ty = self.lower_comment_type(ty);
                    list.push(self.push_expression(Expression::Typed(ty)));
                }
                "returns" | "return" => returns = self.lower_comment_type(ty),
                _ => {}
            }
        }
        self.scope = outer;
        let list = self.push_list(&list);
        let value = self.push_expression(Expression::Function(returns, list));
        self.define_in_comment(DefinitionKind::TypeAlias, value, NONE, name);
    }

    fn define_in_comment(
        &mut self,
        kind: DefinitionKind,
        value: Value,
        body: u32,
        name: (u32, u32),
    ) {
        let mut bind = self.comment_binding(kind, 0, value, name);
        bind.flags |= Flags::EXPORTED;
        let d = self.push_definition(name, &bind);
        self.definitions[d as usize].body = body;
        if body != NONE && self.scopes[body as usize].owner == NONE {
            self.scopes[body as usize].owner = d;
        }
    }

    /// The binding of a name in a comment. Types there are visible only to comments and other
    /// files.
    fn comment_binding(
        &self,
        kind: DefinitionKind,
        scope: u32,
        source: Value,
        at: (u32, u32),
    ) -> Binding {
        let namespace = kind.is_type().then_some(Namespace::NOTE);
        Binding { namespace, source, ..Binding::new(kind, scope, at) }
    }

    /// Refers to a name in a comment.
    pub(super) fn reference_in_comment(&mut self, at: (u32, u32), receiver: Value) -> Value {
        use crate::facts::ReferenceRole;
        let role = if receiver.is_some() { ReferenceRole::Member } else { ReferenceRole::Plain };
        let value = self.push_reference(at, UsedAs::Type, receiver, role);
        if let Some(last) = self.references.last_mut() {
            last.namespace |= Namespace::NOTE;
        }
        value
    }
}

/// The length of a type that ends with the first blank outside of its brackets.
fn type_without_braces(text: &str) -> usize {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices().take(4_000) {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth = depth.saturating_sub(1),
            '\n' | '\r' => return at,
            '*' if text[at..].starts_with("*/") => return at,
            c if c.is_whitespace() && depth == 0 => return at,
            _ => {}
        }
    }
    text.len().min(4_000)
}

/// The offset of the brace that closes the first one.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, c) in text.char_indices().take(4_000) {
        match c {
            '{' => depth += 1,
            '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
