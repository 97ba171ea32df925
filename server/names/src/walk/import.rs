//! Imports, exports and re-exports.

use tree_sitter::Node;

use super::{As, Bind, Frame, Walk, span};
use crate::expression::{Expression, Value};
use crate::facts::{Glob, NONE, Role};
use crate::rules::Rule;
use crate::vocabulary::{ActName, DefinitionKind, Flags, Slot};

impl Walk<'_> {
    /// Finds the module of an import or export ahead of lowering it: it may come last.
    pub(super) fn find_module(&mut self, rule: &Rule, node: Node<'_>) {
        let mut cursor = node.walk();
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let child = cursor.node();
            let field = cursor.field_id().map(std::num::NonZero::get);
            if child.is_named()
                && rule.slot(field, child.kind_id()) == Some(Slot::Path)
                && self.is_literal_path(child)
            {
                self.module = self.module_of(span(child));
                return;
            }
            if !cursor.goto_next_sibling() {
                return;
            }
        }
    }

    /// Whether a path is a literal, not names to be resolved.
    fn is_literal_path(&self, node: Node<'_>) -> bool {
        let quoted = self.slice(span(node).0, span(node).1).starts_with(['"', '\'', '`', '<']);
        quoted || self.rules.rule(node.kind_id()).is_none_or(|r| r.act.name == ActName::Skip)
    }

    /// The module that a path names: quoted, dotted or bare.
    fn module_of(&mut self, at: (u32, u32)) -> Value {
        let (start, end) = self.unquoted(at);
        let text = self.slice(start, end);
        let dots = text.len() - text.trim_start_matches('.').len();
        let relative = dots > 0 && start == at.0;
        let up = if relative { dots as u32 } else { 0 };
        let path = self.name(start + up, end);
        self.express(Expression::Module(path, up))
    }

    /// The range between the quotes.
    fn unquoted(&self, (start, end): (u32, u32)) -> (u32, u32) {
        let text = self.slice(start, end);
        let quoted = text.len() >= 2 && text.starts_with(['"', '\'', '`', '<']);
        if quoted { (start + 1, end - 1) } else { (start, end) }
    }

    /// Lowers a path: a string that names a module, or names that lead to one.
    pub(super) fn path(&mut self, child: Node<'_>, frame: &mut Frame) {
        let at = span(child);
        let text = self.slice(at.0, at.1);
        if text.starts_with(['"', '\'', '`', '<']) {
            if self.module.is_none() {
                self.module = self.module_of(at);
            }
            let inner = self.unquoted(at);
            let module = self.module;
            self.refer(inner, As::Path, module, Role::Root);
            frame.last = Some(inner);
            return;
        }
        let dotted = self.rules.rule(child.kind_id()).is_none_or(|r| r.act.name == ActName::Skip);
        if dotted {
            self.dotted(at);
            frame.last = Some(at);
            return;
        }
        let value = self.visit(As::Path);
        self.module = value;
        frame.object = value;
    }

    /// Adds references to each module of a dotted path.
    fn dotted(&mut self, (start, end): (u32, u32)) {
        let text = self.slice(start, end);
        let up = (text.len() - text.trim_start_matches('.').len()) as u32;
        let mut at = start + up;
        for part in self.slice(start + up, end).split('.') {
            let name_end = at + part.len() as u32;
            if !part.is_empty() {
                let path = self.name(start + up, name_end);
                let module = self.express(Expression::Module(path, up));
                self.refer((at, name_end), As::Path, module, Role::Root);
            }
            at = name_end + 1;
        }
    }

    /// Lowers a name of an import whose path consists of names.
    pub(super) fn imported(&mut self, at: (u32, u32), from: Value) -> Value {
        let value = if from.is_none() {
            self.refer(at, As::Import, Value::NONE, Role::Plain)
        } else {
            self.refer(at, As::Import, from, Role::Member)
        };
        let bind = self.import_binding(at, value);
        self.define(at, &bind);
        value
    }

    pub(super) fn import_binding(&self, at: (u32, u32), source: Value) -> Bind {
        Bind {
            kind: DefinitionKind::Import,
            namespace: None,
            scope: self.scope,
            source,
            from: 0,
            flags: Flags::default(),
            start: at.0,
            end: at.1,
            assign: false,
        }
    }

    /// Makes a package clause the location of the file's module; a comment on the line before it
    /// documents the package.
    pub(super) fn names_file(&mut self, clause: Node<'_>, name: (u32, u32)) {
        let before = clause.prev_sibling().filter(|n| n.kind() == "comment");
        let documents = |n: &Node<'_>| n.end_position().row + 1 == clause.start_position().row;
        let file = &mut self.definitions[0];
        (file.name_start, file.name_end) = name;
        if before.is_some_and(|n| documents(&n)) {
            file.flags |= Flags::DOCUMENTED;
        }
    }

    /// Lowers a glob import.
    pub(super) fn all(&mut self, frame: &mut Frame) {
        frame.count += 1;
        if frame.object.is_some() {
            return;
        }
        let module = self.module;
        self.globs.push(Glob { scope: self.scope, module, exported: true });
    }

    pub(super) fn end_import(&mut self, rule: &Rule, node: Node<'_>, frame: &mut Frame) -> Value {
        match rule.act.name {
            ActName::ImportItem => {
                // A name of the module, possibly with an alias.
                let Some(name) = frame.last else {
                    if let Some(alias) = frame.alias
                        && frame.object.is_some()
                    {
                        let bind = self.import_binding(alias, frame.object);
                        self.define(alias, &bind);
                    }
                    return Value::NONE;
                };
                let module = self.module;
                if module.is_none() {
                    self.dotted(name);
                    self.import_name(rule, node, frame);
                    return Value::NONE;
                }
                let value = self.refer(name, As::Import, module, Role::Member);
                let at = frame.alias.unwrap_or(name);
                let bind = self.import_binding(at, value);
                self.define(at, &bind);
            }
            ActName::ImportName => self.import_name(rule, node, frame),
            ActName::ImportAll => {
                let module = if frame.value.is_some() { frame.value } else { self.module };
                let exported = self.ambient.0.has(Flags::EXPORTED) && self.ambient.1 == self.scope;
                self.globs.push(Glob { scope: self.scope, module, exported });
            }
            _ => {}
        }
        Value::NONE
    }

    /// Binds a module to a name: the alias, or the first or last part of its path.
    fn import_name(&mut self, rule: &Rule, node: Node<'_>, frame: &mut Frame) {
        if let Some(alias) = frame.alias {
            let text = self.slice(alias.0, alias.1);
            let module = self.module_or_path(frame);
            if text == "." {
                self.globs.push(Glob { scope: self.scope, module, exported: false });
            } else if text != "_" {
                let bind = self.import_binding(alias, module);
                self.define(alias, &bind);
            }
            return;
        }
        let Some((start, end)) = frame.last else { return };
        let text = self.slice(start, end);
        if rule.flags.has(Flags::DEFAULT) {
            let name = self.names.number("default");
            let module = self.module;
            let value = self.express(Expression::Field(module, name));
            let bind = self.import_binding((start, end), value);
            self.define((start, end), &bind);
        } else if rule.flags.has(Flags::STATIC) {
            // The last part that is not a version: `gopkg.in/yaml/v3` is `yaml`.
            let module = self.module_or_path(frame);
            let mut end = end;
            let mut part = text.rsplit('/').next().unwrap_or(text);
            let version = |p: &str| {
                p.len() > 1 && p.starts_with('v') && p[1..].bytes().all(|b| b.is_ascii_digit())
            };
            if version(part) && part.len() < text.len() {
                end -= part.len() as u32 + 1;
                part = text[..text.len() - part.len() - 1].rsplit('/').next().unwrap_or(part);
            }
            let at = (end - part.len() as u32, end);
            let mut clean = at;
            if let Some(rest) = part.strip_prefix("go-") {
                clean.0 = at.1 - rest.len() as u32;
            }
            if let Some(dot) = self.slice(clean.0, clean.1).find('.') {
                clean.1 = clean.0 + dot as u32;
            }
            let bind = self.import_binding(clean, module);
            self.define(clean, &bind);
        } else if let Some(dot) = text.find('.').filter(|_| node.child_count() != 1) {
            self.first_part(start, end, dot);
        } else {
            match text.find('.') {
                Some(dot) => self.first_part(start, end, dot),
                None => {
                    let module = self.module_or_path(frame);
                    let mut bind = self.import_binding((start, end), module);
                    bind.flags |= rule.flags;
                    self.define((start, end), &bind);
                }
            }
        }
    }

    /// `import a.b` binds `a`.
    fn first_part(&mut self, start: u32, _end: u32, dot: usize) {
        let at = (start, start + dot as u32);
        let path = self.name(at.0, at.1);
        let module = self.express(Expression::Module(path, 0));
        let bind = self.import_binding(at, module);
        self.define(at, &bind);
    }

    fn module_or_path(&mut self, frame: &Frame) -> Value {
        if self.module.is_some() {
            return self.module;
        }
        match frame.last {
            Some(at) => self.module_of(at),
            None => Value::NONE,
        }
    }

    /// Lowers an imported name without an alias.
    pub(super) fn import_item(&mut self, child: Node<'_>) {
        let at = span(child);
        let module = self.module;
        let value = self.refer(at, As::Import, module, Role::Member);
        let bind = self.import_binding(at, value);
        self.define(at, &bind);
    }

    /// Lowers a dotted module whose first part is bound.
    pub(super) fn module_name(&mut self, child: Node<'_>) {
        let (start, end) = span(child);
        self.dotted((start, end));
        let text = self.slice(start, end);
        let first = text.find('.').unwrap_or(text.len());
        self.first_part(start, end, first);
    }

    /// Lowers a default import.
    pub(super) fn default_name(&mut self, child: Node<'_>) {
        let name = self.names.number("default");
        let module = self.module;
        let value = self.express(Expression::Field(module, name));
        let bind = self.import_binding(span(child), value);
        self.define(span(child), &bind);
    }

    /// Ends an import whose path consists of names: it binds the last name, or everything in it.
    pub(super) fn end_import_path(&mut self, rule: &Rule, node: Node<'_>, frame: &Frame) {
        let path = frame.object.or(frame.value);
        if path.is_none() {
            return;
        }
        let (start, end) = span(node);
        let everything = if rule.act.name == ActName::Using {
            self.slice(start, end)["using".len()..].trim_start().starts_with("namespace")
        } else {
            frame.count > 0
        };
        if everything {
            self.globs.push(Glob { scope: self.scope, module: path, exported: true });
            return;
        }
        let Some(r) = path.as_reference() else { return };
        let reference = self.references[r as usize];
        let at = (reference.start, reference.end);
        let bind = self.import_binding(at, path);
        self.define(at, &bind);
    }

    pub(super) fn default_export(&mut self, slot: Slot, child: Node<'_>) {
        let before = self.definitions.len();
        let value = self.visit(As::Value);
        if child.prev_sibling().is_some_and(|before| before.kind() == "=") {
            // `export = x` is the same as `module.exports = x`.
            return self.define_exported(child, value, "exports");
        }
        if slot == Slot::Export || !self.ambient.0.has(Flags::DEFAULT) {
            if self.ambient.0.has(Flags::DEFAULT) && self.definitions.len() == before {
                self.define_default(child, value);
            } else if self.ambient.0.has(Flags::DEFAULT) {
                let named =
                    self.definitions[before..].iter().position(|d| d.flags.has(Flags::DEFAULT));
                let target = match named {
                    Some(d) => self.express(Expression::Defined((before + d) as u32)),
                    None => value,
                };
                self.define_default(child, target);
            }
            return;
        }
        self.define_default(child, value);
    }

    fn define_default(&mut self, child: Node<'_>, value: Value) {
        self.define_exported(child, value, "default");
    }

    /// Defines an export that has no name in the text.
    fn define_exported(&mut self, child: Node<'_>, value: Value, name: &'static str) {
        let name = self.names.number(name);
        let (start, end) = span(child);
        let mut bind = self.import_binding((start, start), value);
        bind.flags = Flags::EXPORTED | Flags::HIDDEN;
        bind.scope = 0;
        bind.end = end;
        let d = self.define((start, start), &bind);
        self.definitions[d as usize].name = name;
    }

    pub(super) fn end_export(&mut self, rule: &Rule, node: Node<'_>, frame: &mut Frame) {
        if rule.act.name == ActName::Export {
            let text = self.slice(span(node).0, span(node).1);
            let after = text["export".len().min(text.len())..].trim_start();
            let after = after.strip_prefix("type").map_or(after, str::trim_start);
            if after.starts_with('*')
                && self.module.is_some()
                && frame.count == 0
                && frame.definition == NONE
            {
                let module = self.module;
                if !after[1..].trim_start().starts_with("as ") {
                    self.globs.push(Glob { scope: self.scope, module, exported: true });
                }
            }
            return;
        }
        // A name in an export clause, or a module exported under a name.
        let Some(name) = frame.last else { return };
        let module = self.module;
        let value = if rule.flags.has(Flags::STATIC) {
            module
        } else if module.is_some() {
            self.refer(name, As::Import, module, Role::Member)
        } else {
            self.refer(name, As::Import, Value::NONE, Role::Plain)
        };
        let at = frame.alias.unwrap_or(name);
        let mut bind = self.import_binding(at, value);
        bind.flags = Flags::EXPORTED | Flags::HIDDEN;
        self.define(at, &bind);
    }
}
