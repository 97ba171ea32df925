//! Imports, exports and re-exports.

use tree_sitter::Node;

use super::{Binding, Lowerer, LoweringContext, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::facts::{Glob, NONE, ReferenceRole};
use crate::node_rules::NodeRule;
use crate::vocabulary::{ActionKind, ChildRole, DefinitionKind, Flags};

impl Lowerer<'_> {
    /// Finds the module of an import or export ahead of lowering it: it may come last.
    pub(super) fn find_module(&mut self, rule: &NodeRule, node: Node<'_>) {
        let mut cursor = node.walk();
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            let child = cursor.node();
            let field = cursor.field_id().map(std::num::NonZero::get);
            if child.is_named()
                && rule.child_role(field, child.kind_id(), 0) == Some(ChildRole::Path)
                && self.is_literal_path(child)
            {
                self.import_module = self.literal_module(span(child));
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
        quoted || self.rules.rule(node.kind_id()).is_none_or(|r| r.action.kind == ActionKind::Skip)
    }

    /// The module that a path names: quoted, dotted or bare.
    fn literal_module(&mut self, at: (u32, u32)) -> Value {
        let (start, end) = self.unquoted(at);
        let text = self.slice(start, end);
        let dots = text.len() - text.trim_start_matches('.').len();
        let relative = dots > 0 && start == at.0;
        let up = if relative { dots as u32 } else { 0 };
        let path = self.intern(start + up, end);
        self.push_expression(Expression::Module(path, up))
    }

    /// The range between the quotes.
    fn unquoted(&self, (start, end): (u32, u32)) -> (u32, u32) {
        let text = self.slice(start, end);
        let quoted = text.len() >= 2 && text.starts_with(['"', '\'', '`', '<']);
        if quoted { (start + 1, end - 1) } else { (start, end) }
    }

    /// Lowers a path: a string that names a module, or names that lead to one.
    pub(super) fn lower_path(&mut self, child: Node<'_>, ctx: &mut LoweringContext) {
        let at = span(child);
        let text = self.slice(at.0, at.1);
        if text.starts_with(['"', '\'', '`', '<']) {
            if self.import_module.is_none() {
                self.import_module = self.literal_module(at);
            }
            let inner = self.unquoted(at);
            let module = self.import_module;
            self.push_reference(inner, UsedAs::Path, module, ReferenceRole::Root);
            ctx.last_span = Some(inner);
            return;
        }
        let dotted =
            self.rules.rule(child.kind_id()).is_none_or(|r| r.action.kind == ActionKind::Skip);
        if dotted {
            self.reference_dotted_path(at);
            ctx.last_span = Some(at);
            return;
        }
        let value = self.lower_node(UsedAs::Path);
        self.import_module = value;
        ctx.object = value;
    }

    /// Adds references to each module of a dotted path.
    fn reference_dotted_path(&mut self, (start, end): (u32, u32)) {
        let text = self.slice(start, end);
        let up = (text.len() - text.trim_start_matches('.').len()) as u32;
        let mut at = start + up;
        for part in self.slice(start + up, end).split('.') {
            let name_end = at + part.len() as u32;
            if !part.is_empty() {
                let path = self.intern(start + up, name_end);
                let module = self.push_expression(Expression::Module(path, up));
                self.push_reference((at, name_end), UsedAs::Path, module, ReferenceRole::Root);
            }
            at = name_end + 1;
        }
    }

    /// Lowers a name of an import whose path consists of names.
    pub(super) fn lower_imported_name(&mut self, at: (u32, u32), from: Value) -> Value {
        let value = if from.is_none() {
            self.push_reference(at, UsedAs::Import, Value::NONE, ReferenceRole::Plain)
        } else {
            self.push_reference(at, UsedAs::Import, from, ReferenceRole::Member)
        };
        let bind = self.import_binding(at, value);
        self.push_definition(at, &bind);
        value
    }

    pub(super) fn import_binding(&self, at: (u32, u32), source: Value) -> Binding {
        Binding { source, ..Binding::new(DefinitionKind::Import, self.scope, at) }
    }

    /// Makes a package clause the location of the file's module; a comment on the line before it
    /// documents the package.
    pub(super) fn set_package_clause(&mut self, clause: Node<'_>, name: (u32, u32)) {
        let before = clause.prev_sibling().filter(|n| n.kind() == "comment");
        let documents = |n: &Node<'_>| n.end_position().row + 1 == clause.start_position().row;
        let file = &mut self.definitions[0];
        (file.name_start, file.name_end) = name;
        if before.is_some_and(|n| documents(&n)) {
            file.flags |= Flags::DOCUMENTED;
        }
    }

    /// Lowers a glob import.
    pub(super) fn lower_glob_import(&mut self, ctx: &mut LoweringContext) {
        ctx.count += 1;
        if ctx.object.is_some() {
            return;
        }
        let module = self.import_module;
        self.globs.push(Glob { scope: self.scope, module, exported: true });
    }

    /// Ends an import: binds its name or alias, or adds a glob import.
    pub(super) fn finish_import(
        &mut self,
        rule: &NodeRule,
        node: Node<'_>,
        ctx: &mut LoweringContext,
    ) -> Value {
        match rule.action.kind {
            ActionKind::ImportItem => {
                // A name of the module, possibly with an alias.
                let Some(name) = ctx.last_span else {
                    if let Some(alias) = ctx.alias
                        && ctx.object.is_some()
                    {
                        let bind = self.import_binding(alias, ctx.object);
                        self.push_definition(alias, &bind);
                    }
                    return Value::NONE;
                };
                let module = self.import_module;
                if module.is_none() {
                    self.reference_dotted_path(name);
                    self.bind_module(rule, node, ctx);
                    return Value::NONE;
                }
                let value =
                    self.push_reference(name, UsedAs::Import, module, ReferenceRole::Member);
                let at = ctx.alias.unwrap_or(name);
                let bind = self.import_binding(at, value);
                self.push_definition(at, &bind);
            }
            ActionKind::ImportName => self.bind_module(rule, node, ctx),
            ActionKind::ImportAll => {
                let module = if ctx.value.is_some() { ctx.value } else { self.import_module };
                let exported =
                    self.pending_flags.0.has(Flags::EXPORTED) && self.pending_flags.1 == self.scope;
                self.globs.push(Glob { scope: self.scope, module, exported });
            }
            _ => {}
        }
        Value::NONE
    }

    /// Binds a module to a name: the alias, or the first or last part of its path.
    fn bind_module(&mut self, rule: &NodeRule, node: Node<'_>, ctx: &mut LoweringContext) {
        if let Some(alias) = ctx.alias {
            let text = self.slice(alias.0, alias.1);
            let module = self.module_or_path(ctx);
            if text == "." {
                self.globs.push(Glob { scope: self.scope, module, exported: false });
            } else if text != "_" {
                let bind = self.import_binding(alias, module);
                self.push_definition(alias, &bind);
            }
            return;
        }
        let Some((start, end)) = ctx.last_span else { return };
        let text = self.slice(start, end);
        if rule.flags.has(Flags::DEFAULT) {
            let name = self.names.number("default");
            let module = self.import_module;
            let value = self.push_expression(Expression::Field(module, name));
            let bind = self.import_binding((start, end), value);
            self.push_definition((start, end), &bind);
        } else if rule.flags.has(Flags::STATIC) {
            // The last part that is not a version: `gopkg.in/yaml/v3` is `yaml`.
            let module = self.module_or_path(ctx);
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
            self.push_definition(clean, &bind);
        } else if let Some(dot) = text.find('.').filter(|_| node.child_count() != 1) {
            self.bind_first_part(start, end, dot);
        } else {
            match text.find('.') {
                Some(dot) => self.bind_first_part(start, end, dot),
                None => {
                    let module = self.module_or_path(ctx);
                    let mut bind = self.import_binding((start, end), module);
                    bind.flags |= rule.flags;
                    self.push_definition((start, end), &bind);
                }
            }
        }
    }

    /// `import a.b` binds `a`.
    fn bind_first_part(&mut self, start: u32, _end: u32, dot: usize) {
        let at = (start, start + dot as u32);
        let path = self.intern(at.0, at.1);
        let module = self.push_expression(Expression::Module(path, 0));
        let bind = self.import_binding(at, module);
        self.push_definition(at, &bind);
    }

    fn module_or_path(&mut self, ctx: &LoweringContext) -> Value {
        if self.import_module.is_some() {
            return self.import_module;
        }
        match ctx.last_span {
            Some(at) => self.literal_module(at),
            None => Value::NONE,
        }
    }

    /// Lowers an imported name without an alias.
    pub(super) fn lower_import_item(&mut self, child: Node<'_>) {
        let at = span(child);
        let module = self.import_module;
        let value = self.push_reference(at, UsedAs::Import, module, ReferenceRole::Member);
        let bind = self.import_binding(at, value);
        self.push_definition(at, &bind);
    }

    /// Lowers a dotted module whose first part is bound.
    pub(super) fn lower_dotted_module(&mut self, child: Node<'_>) {
        let (start, end) = span(child);
        self.reference_dotted_path((start, end));
        let text = self.slice(start, end);
        let first = text.find('.').unwrap_or(text.len());
        self.bind_first_part(start, end, first);
    }

    /// Lowers a default import.
    pub(super) fn lower_default_import(&mut self, child: Node<'_>) {
        let name = self.names.number("default");
        let module = self.import_module;
        let value = self.push_expression(Expression::Field(module, name));
        let bind = self.import_binding(span(child), value);
        self.push_definition(span(child), &bind);
    }

    /// Ends an import whose path consists of names: it binds the last name, or everything in it.
    pub(super) fn finish_import_path(
        &mut self,
        rule: &NodeRule,
        node: Node<'_>,
        ctx: &LoweringContext,
    ) {
        let path = ctx.object.or(ctx.value);
        if path.is_none() {
            return;
        }
        let (start, end) = span(node);
        let everything = if rule.action.kind == ActionKind::Using {
            self.slice(start, end)["using".len()..].trim_start().starts_with("namespace")
        } else {
            ctx.count > 0
        };
        if everything {
            self.globs.push(Glob { scope: self.scope, module: path, exported: true });
            return;
        }
        let Some(r) = path.as_reference() else { return };
        let reference = self.references[r as usize];
        let at = ctx.alias.unwrap_or((reference.start, reference.end));
        let bind = self.import_binding(at, path);
        self.push_definition(at, &bind);
    }

    /// Lowers the value of `export default` or `export =` and defines what it exports.
    pub(super) fn lower_default_export(&mut self, role: ChildRole, child: Node<'_>) {
        let before = self.definitions.len();
        let value = self.lower_node(UsedAs::Value);
        if child.prev_sibling().is_some_and(|before| before.kind() == "=") {
            // `export = x` is the same as `module.exports = x`.
            return self.define_exported(child, value, "exports");
        }
        if role == ChildRole::Export || !self.pending_flags.0.has(Flags::DEFAULT) {
            if self.pending_flags.0.has(Flags::DEFAULT) && self.definitions.len() == before {
                self.define_default(child, value);
            } else if self.pending_flags.0.has(Flags::DEFAULT) {
                let named =
                    self.definitions[before..].iter().position(|d| d.flags.has(Flags::DEFAULT));
                let target = match named {
                    Some(d) => self.push_expression(Expression::Defined((before + d) as u32)),
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
        let d = self.push_definition((start, start), &bind);
        self.definitions[d as usize].name = name;
    }

    /// Ends an export statement or one name of an export clause.
    pub(super) fn finish_export(
        &mut self,
        rule: &NodeRule,
        node: Node<'_>,
        ctx: &mut LoweringContext,
    ) {
        if rule.action.kind == ActionKind::Export {
            let text = self.slice(span(node).0, span(node).1);
            let after = text["export".len().min(text.len())..].trim_start();
            let after = after.strip_prefix("type").map_or(after, str::trim_start);
            if after.starts_with('*')
                && self.import_module.is_some()
                && ctx.count == 0
                && ctx.definition == NONE
            {
                let module = self.import_module;
                if !after[1..].trim_start().starts_with("as ") {
                    self.globs.push(Glob { scope: self.scope, module, exported: true });
                }
            }
            return;
        }
        // A name in an export clause, or a module exported under a name.
        let Some(name) = ctx.last_span else { return };
        let module = self.import_module;
        let value = if rule.flags.has(Flags::STATIC) {
            module
        } else if module.is_some() {
            self.push_reference(name, UsedAs::Import, module, ReferenceRole::Member)
        } else {
            self.push_reference(name, UsedAs::Import, Value::NONE, ReferenceRole::Plain)
        };
        let at = ctx.alias.unwrap_or(name);
        let mut bind = self.import_binding(at, value);
        bind.flags = Flags::EXPORTED | Flags::HIDDEN;
        self.push_definition(at, &bind);
    }
}
