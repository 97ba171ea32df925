//! Bindings that are not plain names: members, parts of patterns, receivers.

use tree_sitter::Node;

use super::{Binding, Lowerer, LoweringContext, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::{Extension, NONE, ReferenceRole, SELF_MODULE};
use crate::node_rules::{Derivation, NodeRule};
use crate::vocabulary::{ActionDetail, ActionKind, ChildRole, DefinitionKind, Flags, ScopeKind};

/// The position after a pattern for any number of parts: it is unknown.
const UNKNOWN_POSITION: u32 = 1 << 16;

/// Whether a pattern stands for any number of parts.
fn is_rest(node: Node<'_>) -> bool {
    node.kind() == "remaining_field_pattern"
}

impl Lowerer<'_> {
    /// Skips a part of a variant pattern that binds no name.
    pub(super) fn skip_unnamed_part(
        rule: &NodeRule,
        node: Node<'_>,
        ctx: &mut LoweringContext,
    ) -> bool {
        if rule.action.kind != ActionKind::Variant {
            return false;
        }
        let rest = is_rest(node);
        if rest || node.kind() == "_" {
            ctx.count = if rest { UNKNOWN_POSITION } else { ctx.count + 1 };
            return true;
        }
        false
    }

    /// Lowers a literal, a predefined type, or a list or map display.
    pub(super) fn lower_literal(&mut self, rule: &NodeRule, used_as: UsedAs) -> Value {
        match rule.action.detail {
            Some(ActionDetail::Text) => {
                self.lower_children(UsedAs::Value);
                if rule.interpolates {
                    self.reference_interpolated_names();
                }
                self.push_expression(Expression::Text)
            }
            Some(ActionDetail::Primitive) => self.predefined_type(),
            Some(ActionDetail::Numeral) => self.numeric_literal(),
            Some(ActionDetail::Number) => self.push_expression(Expression::Number),
            Some(ActionDetail::Boolean) => self.push_expression(Expression::Boolean),
            Some(ActionDetail::Nothing) => self.push_expression(Expression::Nothing),
            Some(word @ (ActionDetail::Sequence | ActionDetail::Set)) => {
                let mut list = Vec::new();
                let construct = self.expected_type;
                if construct.is_some() && self.rules.starts_with_code {
                    self.expected_type = self.push_expression(Expression::Index(construct));
                }
                self.collect_children(
                    if used_as == UsedAs::Callee { UsedAs::Value } else { used_as },
                    &mut list,
                );
                self.expected_type = construct;
                list.truncate(4);
                let first = list.iter().copied().find(|v| v.is_some()).unwrap_or(Value::NONE);
                if used_as == UsedAs::Pattern {
                    return Value::NONE;
                }
                if word == ActionDetail::Set {
                    let name = self.names.number("set");
                    let (set, list) =
                        (self.push_expression(Expression::Named(name)), self.push_list(&[first]));
                    return self.push_expression(Expression::Generic(set, list));
                }
                self.push_expression(Expression::Array(first))
            }
            Some(ActionDetail::Map) => {
                let mut list = Vec::new();
                let key = self.first_key();
                self.collect_children(used_as, &mut list);
                // The value comes first.
                list.truncate(1);
                if key.is_some() {
                    list.resize(1, Value::NONE);
                    list.push(key);
                }
                let list = self.push_list(&list);
                self.push_expression(Expression::Map(list))
            }
            _ => Value::NONE,
        }
    }

    /// The type of a map's first key, if the node alone shows it.
    fn first_key(&mut self) -> Value {
        let pair = self.cursor.node().named_child(0);
        let kind = pair.and_then(|pair| pair.child_by_field_name("key")).map(|key| key.kind());
        match kind {
            Some("string" | "concatenated_string") => self.push_expression(Expression::Text),
            Some("integer") => self.push_expression(Expression::Number),
            _ => Value::NONE,
        }
    }

    /// A predefined type.
    fn predefined_type(&mut self) -> Value {
        let (start, end) = span(self.cursor.node());
        let text = self.slice(start, end);
        match text {
            "string" => return self.push_expression(Expression::Text),
            "number" => return self.push_expression(Expression::Number),
            "any" | "unknown" | "never" | "object" => return Value::NONE,
            _ => {}
        }
        // `unsigned long int` and the like: the most specific word.
        let word = ["long", "short", "char", "unsigned"].into_iter().find(|w| {
            text.split_whitespace().count() > 1 && text.split_whitespace().any(|t| t == *w)
        });
        let name = self.names.number(word.unwrap_or(text));
        self.push_expression(Expression::Named(name))
    }

    /// A numeric or character literal, by the syntax of C and Java.
    fn numeric_literal(&mut self) -> Value {
        let (start, end) = span(self.cursor.node());
        let text = self.slice(start, end);
        let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
        let name = if text.contains('\'') && !text.starts_with(|c: char| c.is_ascii_digit()) {
            "char"
        } else if !hexadecimal && text.ends_with(['f', 'F']) {
            "float"
        } else if !hexadecimal && text.contains(['.', 'e', 'E', 'd', 'D']) {
            "double"
        } else if text.ends_with(['l', 'L']) {
            "long"
        } else if text.ends_with(['u', 'U']) {
            "unsigned"
        } else {
            return self.push_expression(Expression::Number);
        };
        let name = self.names.number(name);
        self.push_expression(Expression::Named(name))
    }

    /// Lowers children as parts of the bound value, or of a tuple.
    pub(super) fn lower_tuple(&mut self, used_as: UsedAs) -> Value {
        if used_as == UsedAs::Pattern {
            let bind = self.bind;
            let whole = self.cursor.node();
            // An iteration destructures even a pattern of one part.
            let iterates = || {
                let rule = self.parent().and_then(|p| self.rules.rule(p.kind_id()));
                rule.is_some_and(|r| r.derive == Derivation::Element)
            };
            let alone = whole.named_child_count() == 1
                && (whole.child_count() == 1 && !iterates() || self.is_group(whole));
            if !self.cursor.goto_first_child() {
                return Value::NONE;
            }
            let mut position = 0;
            loop {
                let node = self.cursor.node();
                if node.kind() == "_" {
                    position += 1;
                } else if is_rest(node) {
                    // It may stand for any number of parts.
                    position = UNKNOWN_POSITION;
                } else if node.is_named() {
                    if !alone {
                        self.bind.source = if bind.source.is_some() {
                            self.push_expression(Expression::Part(bind.source, position))
                        } else {
                            Value::NONE
                        };
                    }
                    position += 1;
                    self.lower_node(UsedAs::Pattern);
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
            self.cursor.goto_parent();
            self.bind = bind;
            return Value::NONE;
        }
        let mut list = Vec::new();
        self.collect_children(
            if used_as == UsedAs::Callee { UsedAs::Value } else { used_as },
            &mut list,
        );
        if let [one] = list[..] {
            return one;
        }
        let list = self.push_list(&list);
        self.push_expression(Expression::Tuple(list))
    }

    /// Lowers `this`, `self` or `super`: a receiver, its definition as a parameter, or a module in
    /// a path.
    pub(super) fn lower_this(
        &mut self,
        action: ActionKind,
        used_as: UsedAs,
        node: Node<'_>,
    ) -> Value {
        let scope = self
            .nearest_members_scope()
            .or_else(|| self.nearest_scope(|k| k == ScopeKind::Function));
        if used_as == UsedAs::Import {
            // `self` in an import list: the module itself.
            let module = self.import_module;
            if let Some(r) = module.as_reference() {
                let at = span(node);
                let name = self.references[r as usize].name;
                let bind = self.import_binding(at, module);
                let d = self.push_definition(at, &bind);
                self.definitions[d as usize].name = name;
            }
            return module;
        }
        if used_as == UsedAs::Path {
            let scope = self.scope;
            return self.push_expression(Expression::Parent(scope | SELF_MODULE));
        }
        if used_as == UsedAs::Pattern && self.slice(span(node).0, span(node).1) != "self" {
            if self.bind.source.is_some() {
                self.this_types.push((self.scope, self.bind.source));
            }
            return Value::NONE;
        }
        if used_as == UsedAs::Pattern {
            // The receiver parameter of a method.
            let source = scope.map_or(Value::NONE, |s| self.push_expression(Expression::This(s)));
            let bind = Binding { source, flags: self.bind.flags | Flags::SELF, ..self.bind };
            self.push_definition(span(node), &bind);
            return Value::NONE;
        }
        if action == ActionKind::This
            && !self.this_types.is_empty()
            && let Some(function) = self.nearest_scope(|k| k == ScopeKind::Function)
            && let Some(declared) = self.this_types.iter().rev().find(|r| r.0 == function)
        {
            return self.push_expression(Expression::Same(declared.1));
        }
        let Some(scope) = scope else { return Value::NONE };
        match action {
            ActionKind::Super => self.push_expression(Expression::Super(scope)),
            _ if used_as == UsedAs::Type => self.push_expression(Expression::ThisType(scope)),
            _ => self.push_expression(Expression::This(scope)),
        }
    }

    /// The flags of modifiers before a definition.
    pub(super) fn lower_modifier(&mut self, rule: &NodeRule, node: Node<'_>) -> Value {
        self.lower_children(UsedAs::Value);
        let flags = self.modifier_flags(rule, node);
        let scope = self.scope;
        self.pending_flags = if self.pending_flags.1 == scope {
            (self.pending_flags.0 | flags, scope)
        } else {
            (flags, scope)
        };
        Value::NONE
    }

    /// The flags of modifiers inside of a definition.
    pub(super) fn lower_modifiers(&mut self, node: Node<'_>) -> Flags {
        self.lower_children(UsedAs::Value);
        match self.rules.rule(node.kind_id()) {
            Some(rule) => self.modifier_flags(rule, node),
            None => Flags::default(),
        }
    }

    fn modifier_flags(&self, rule: &NodeRule, node: Node<'_>) -> Flags {
        let (start, end) = span(node);
        let mut flags = rule.flags;
        let words = self.slice(start, end).split(|c: char| !c.is_alphanumeric() && c != '_');
        for word in words.filter(|w| !w.is_empty()) {
            for (known, flag) in &rule.flag_words {
                if **known == *word {
                    flags |= *flag;
                }
            }
        }
        flags
    }

    /// `global` and `nonlocal`: names that a function binds in the file or in the function around
    /// it.
    pub(super) fn lower_redirect(&mut self, rule: &NodeRule) -> Value {
        let from = self.definition_scope(crate::node_rules::Visibility::Function, self.scope);
        let file = rule.action.detail == Some(ActionDetail::File);
        if !self.cursor.goto_first_child() {
            return Value::NONE;
        }
        loop {
            let node = self.cursor.node();
            if node.is_named() {
                let at = span(node);
                self.push_reference(at, UsedAs::Value, Value::NONE, ReferenceRole::Plain);
                let name = self.intern(at.0, at.1);
                let parent = self.scopes[from as usize].parent;
                let to = if file || parent == NONE {
                    0
                } else {
                    self.definition_scope(crate::node_rules::Visibility::Function, parent)
                };
                self.redirects.push((from, name, to));
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
        Value::NONE
    }

    /// An assignment to a member: it defines a field if the object is the enclosing method's
    /// receiver.
    pub(super) fn lower_assigned_member(&mut self, rule: &NodeRule) -> Value {
        let mut object = Value::NONE;
        let mut member = None;
        if self.cursor.goto_first_child() {
            loop {
                let child = self.cursor.node();
                let field = self.cursor.field_id().map(std::num::NonZero::get);
                match rule.child_role(field, child.kind_id(), 0) {
                    Some(ChildRole::Member) if self.is_name(child) => {
                        self.reference_inner_name(child, object);
                        member = Some(span(child));
                    }
                    Some(ChildRole::Object) => object = self.lower_node(UsedAs::Value),
                    Some(ChildRole::TypeObject) => object = self.lower_node(UsedAs::Type),
                    Some(ChildRole::Member) if self.is_conversion(child) => {
                        let start = child.start_byte() as u32;
                        member = Some((start, start + "operator".len() as u32));
                        self.lower_node(UsedAs::Value);
                    }
                    Some(ChildRole::Member) if self.rules.rule(child.kind_id()).is_some() => {
                        object = self.lower_nested_path(child, object);
                        member = self.path_end;
                    }
                    Some(_) => {}
                    None if child.is_named() => {
                        self.lower_node(UsedAs::Value);
                    }
                    None => {}
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
            self.cursor.goto_parent();
        }
        let Some(at) = member else { return Value::NONE };
        if rule.action.detail == Some(ActionDetail::Type) {
            self.define_out_of_line_member(at, object);
            return Value::NONE;
        }
        if self.rules.declares_members {
            let unknown =
                if object.is_none() { self.push_expression(Expression::Nothing) } else { object };
            self.push_reference(at, UsedAs::Value, unknown, ReferenceRole::Member);
        } else if let Some(scope) = self.receiver_scope(object) {
            let bind = Binding {
                kind: DefinitionKind::Field,
                namespace: None,
                scope,
                from: 0,
                flags: self.bind.flags | Flags::INSTANCE,
                ..self.bind
            };
            self.push_definition(at, &bind);
        } else if self.is_exports(object, at) {
            let bind = Binding {
                kind: DefinitionKind::Import,
                namespace: None,
                scope: 0,
                from: 0,
                flags: Flags::EXPORTED | Flags::HIDDEN,
                ..self.bind
            };
            self.push_definition(at, &bind);
        } else if let Some(target) = self.prototype_of(object) {
            self.define_out_of_line_member(at, target);
        } else if let Some(scope) = self.object_literal_scope(object) {
            let kind = DefinitionKind::Field;
            let flags = self.bind.flags | Flags::INSTANCE;
            let bind = Binding { kind, namespace: None, scope, from: 0, flags, ..self.bind };
            self.push_definition(at, &bind);
            // In a function that is assigned to an object's member, `this` is the object.
            let (start, end) = (self.bind.start, self.bind.end);
            let around = self.push_scope(ScopeKind::Extension, start, end);
            self.scopes[around as usize].subject = object;
            self.scope = around;
        } else if let Some(target) = self.local_definition(object) {
            self.define_out_of_line_member(at, target);
            if let Some(last) = self.definitions.last_mut() {
                last.flags |= Flags::STATIC | Flags::INSTANCE;
            }
        } else {
            let unknown =
                if object.is_none() { self.push_expression(Expression::Nothing) } else { object };
            self.push_reference(at, UsedAs::Value, unknown, ReferenceRole::Member);
        }
        Value::NONE
    }

    /// Whether a node is an operator without a name: `operator bool()`.
    fn is_conversion(&self, node: Node<'_>) -> bool {
        let rule = self.rules.rule(node.kind_id());
        rule.is_some_and(|r| {
            r.action.kind == ActionKind::Group && r.action.detail == Some(ActionDetail::Inner)
        })
    }

    /// `b::c` in `A::b::c`: returns the object that the last name is a member of.
    fn lower_nested_path(&mut self, child: Node<'_>, object: Value) -> Value {
        self.path_end = None;
        let Some(rule) = self.rules.rule(child.kind_id()) else { return object };
        if !self.cursor.goto_first_child() {
            return object;
        }
        let mut object = object;
        loop {
            let node = self.cursor.node();
            let field = self.cursor.field_id().map(std::num::NonZero::get);
            if node.is_named() {
                match rule.child_role(field, node.kind_id(), 0) {
                    Some(ChildRole::Object | ChildRole::TypeObject) => {
                        let at = span(node);
                        object =
                            self.push_reference(at, UsedAs::Type, object, ReferenceRole::Member);
                    }
                    Some(ChildRole::Member) if self.is_name(node) => {
                        self.path_end = Some(span(node))
                    }
                    Some(ChildRole::Member) => object = self.lower_nested_path(node, object),
                    _ if self.path_end.is_none() && self.is_name(node) => {
                        self.path_end = Some(span(node));
                    }
                    _ => {}
                }
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
        object
    }

    /// Defines a member apart from its type's body.
    pub(super) fn define_out_of_line_member(&mut self, at: (u32, u32), target: Value) {
        let Some(name) = self.type_name(target) else {
            self.push_reference(at, UsedAs::Value, target, ReferenceRole::Member);
            return;
        };
        let (start, end) = (self.bind.start, self.bind.end);
        let scope = self.push_scope(ScopeKind::Open, start, end);
        if self.bind.is_assignment {
            self.scopes[scope as usize].kind = ScopeKind::Extension;
        }
        self.scopes[scope as usize].subject = target;
        self.extensions.push(Extension { scope, name, target, interface: Value::NONE });
        let kind = match self.bind.kind {
            DefinitionKind::Function => DefinitionKind::Method,
            DefinitionKind::Variable => DefinitionKind::Field,
            kind => kind,
        };
        let bind = Binding { kind, scope, from: 0, ..self.bind };
        self.push_definition(at, &bind);
    }

    /// The scope of a receiver's members.
    fn receiver_scope(&self, object: Value) -> Option<u32> {
        if let Some(e) = object.as_expression() {
            return match self.expressions.get(e as usize)? {
                Expression::This(scope) => Some(*scope),
                _ => None,
            };
        }
        let reference = self.references[object.as_reference()? as usize];
        if reference.receiver.is_some() {
            return None;
        }
        // The nearest parameter of that name.
        let def = self
            .definitions
            .iter()
            .rev()
            .find(|d| d.kind == DefinitionKind::Parameter && d.name == reference.name)?;
        if !def.flags.has(Flags::SELF) {
            return None;
        }
        match self.expressions.get(def.value.as_expression()? as usize)? {
            Expression::This(scope) | Expression::ThisType(scope) => Some(*scope),
            Expression::Typed(_) => {
                // Whatever its annotation, it is the method's receiver.
                let around = self.scopes.get(def.scope as usize)?.parent;
                let body = self.scopes.get(around as usize)?.kind == ScopeKind::Body;
                body.then_some(around)
            }
            _ => None,
        }
    }

    /// Whether an assignment is to what a CommonJS module exports, or to a member of that.
    fn is_exports(&self, object: Value, member: (u32, u32)) -> bool {
        let Some(r) = object.as_reference() else { return false };
        let reference = &self.references[r as usize];
        match (self.slice(reference.start, reference.end), reference.receiver.as_reference()) {
            ("exports", None) => reference.receiver.is_none(),
            ("module", None) => {
                reference.receiver.is_none() && self.slice(member.0, member.1) == "exports"
            }
            ("exports", Some(module)) => {
                let module = &self.references[module as usize];
                self.slice(module.start, module.end) == "module"
            }
            _ => false,
        }
    }

    /// `T` in `T.prototype`.
    fn prototype_of(&self, object: Value) -> Option<Value> {
        let reference = &self.references[object.as_reference()? as usize];
        let is = self.slice(reference.start, reference.end) == "prototype";
        (is && reference.receiver.as_reference().is_some()).then_some(reference.receiver)
    }

    /// The scope of the object literal that a variable of this file is initialised with.
    fn object_literal_scope(&self, object: Value) -> Option<u32> {
        if !self.bind.is_assignment || self.rules.documented.is_none() {
            return None;
        }
        let reference = &self.references[object.as_reference()? as usize];
        if reference.receiver.is_some() {
            return None;
        }
        let here = |d: &&crate::facts::Def| {
            d.name == reference.name && d.scope == 0 && !d.flags.has(Flags::HIDDEN)
        };
        let mut value = self.definitions.iter().find(here)?.value;
        for _ in 0..4 {
            match self.expressions[value.as_expression()? as usize] {
                Expression::Same(inner) => value = inner,
                Expression::Object(scope) => return Some(scope),
                _ => return None,
            }
        }
        None
    }

    /// A function or class of this file that gets a member assigned.
    fn local_definition(&self, object: Value) -> Option<Value> {
        if !self.bind.is_assignment {
            return None;
        }
        let reference = &self.references[object.as_reference()? as usize];
        if reference.receiver.is_some() {
            return None;
        }
        let here = |d: &&crate::facts::Def| d.name == reference.name && d.scope == 0;
        let def = self.definitions.iter().find(here)?;
        (def.kind.is_callable() || def.kind.is_type()).then_some(object)
    }
}
