//! Rust: the shortest path whose every part is visible at the place, re-exports included.

use std::ops::Range;

use tree_sitter::Node;

use super::lines::{self, ImportLine};
use super::{ImportForm, ImportPlanner, ImportRoute, ImportWriter, list};
use crate::index::FileId;
use crate::resolve::{DefId, Ty};
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

/// Depth limit of nested modules.
const MAX_DEPTH: usize = 32;

/// Import groups, in order.
const STANDARD: u8 = 0;
const OUTSIDE: u8 = 1;
const OWN: u8 = 2;

/// A module: a file, or a scope in it.
type ModuleScope = (FileId, u32);

impl ImportPlanner<'_> {
    /// The routes to a Rust item.
    pub(super) fn rust(&self) -> Vec<ImportRoute> {
        let def = self.resolver.def(self.target);
        let facts = self.resolver.facts(self.target.file);
        let kind = facts.scopes.get(def.scope as usize).map(|s| s.kind);
        if !matches!(kind, Some(ScopeKind::File | ScopeKind::Module)) {
            return Vec::new();
        }
        let own = (self.target.file, def.scope);
        let usual = self.usual_modules_with_users();
        // A module that another file of the crate, outside of it, imports the name from is visible.
        let root = self.root_of(self.file);
        let seen: Vec<ModuleScope> = usual
            .iter()
            .filter(|(m, user)| {
                self.root_of(*user) == root
                    && !self.resolver.is_enclosing_module(m.0, m.1, *user, 0)
            })
            .map(|(m, _)| *m)
            .collect();
        let mut modules: Vec<ModuleScope> = usual.into_iter().take(2).map(|(m, _)| m).collect();
        // The modules around the definition, outermost first: a re-export higher up has the shorter
        // path.
        let mut around = vec![own];
        while let Some(&(file, scope)) = around.last()
            && around.len() < MAX_DEPTH
            && let Ty::Module(file, scope) = self.resolver.parent_of_module(file, scope)
            && !around.contains(&(file, scope))
        {
            around.push((file, scope));
        }
        around.reverse();
        modules.extend(around);
        let mut known = Vec::new();
        modules.retain(|m| !known.contains(m) && (known.push(*m), true).1);
        let usable = modules.into_iter().filter(|m| seen.contains(m) || self.reexports(*m));
        let paths = usable.filter_map(|module| self.path_to(module));
        let named =
            |module| ImportRoute { module, form: ImportForm::Named, name: self.name.to_owned() };
        paths.map(named).take(3).collect()
    }

    /// The module in which the name is used.
    fn enclosing_module(&self) -> ModuleScope {
        let at = u32::try_from(self.at).unwrap_or(u32::MAX);
        self.resolver.module_scope(self.file, self.facts.scope_at(at))
    }

    /// Whether a module exports the name to the place.
    fn reexports(&self, module: ModuleScope) -> bool {
        if module == self.enclosing_module()
            || !self.resolver.is_exported_by(module, self.name, self.target)
        {
            return false;
        }
        let facts = self.resolver.facts(module.0);
        let number = facts.strings.find(self.name);
        let own = number.map_or(&[][..], |n| facts.definitions_in_scope(module.1, n));
        if own.is_empty() {
            return facts.globs.iter().any(|g| g.scope == module.1 && g.exported);
        }
        own.iter().any(|&def| self.is_visible(DefId { file: module.0, def }, module))
    }

    /// Whether a definition of a module is visible at the place.
    fn is_visible(&self, id: DefId, module: ModuleScope) -> bool {
        let flags = self.resolver.def(id).flags;
        let here = self.enclosing_module();
        if flags.has(Flags::EXPORTED) && !flags.has(Flags::PRIVATE) {
            return true;
        }
        if flags.has(Flags::EXPORTED) && !flags.has(Flags::RESTRICTED) {
            return self.root_of(module.0) == self.root_of(here.0);
        }
        self.resolver.is_enclosing_module(module.0, module.1, here.0, here.1)
    }

    fn root_of(&self, file: FileId) -> Option<FileId> {
        match self.resolver.crate_root(file) {
            Ty::Module(root, _) => Some(root),
            _ => None,
        }
    }

    /// The path of a module, if every part is visible at the place.
    fn path_to(&self, module: ModuleScope) -> Option<String> {
        let (mut at, mut parts) = (module, Vec::new());
        for _ in 0..MAX_DEPTH {
            let Ty::Module(file, scope) = self.resolver.parent_of_module(at.0, at.1) else { break };
            let declared = self.declaration_of(at, (file, scope))?;
            if !self.is_visible(declared, (file, scope)) {
                return None;
            }
            let facts = self.resolver.facts(file);
            parts.push(facts.strings.text(self.resolver.def(declared).name).to_owned());
            at = (file, scope);
        }
        let root = self.root_of(module.0)?;
        if at.0 != root {
            return None;
        }
        let first = if self.root_of(self.file) == Some(root) {
            "crate".to_owned()
        } else {
            self.resolver.project().rust_crate_name(self.file, root)?
        };
        parts.push(first);
        parts.reverse();
        Some(parts.join("::"))
    }

    /// The declaration of a module in its parent.
    fn declaration_of(&self, module: ModuleScope, above: ModuleScope) -> Option<DefId> {
        let facts = self.resolver.facts(above.0);
        if module.1 != 0 {
            let owner = facts.scopes.get(module.1 as usize)?.owner;
            return facts
                .definitions
                .get(owner as usize)
                .map(|_| DefId { file: above.0, def: owner });
        }
        let declares = |d: &u32| {
            let def = &facts.definitions[*d as usize];
            let id = DefId { file: above.0, def: *d };
            def.kind == DefinitionKind::Module
                && *d != 0
                && matches!(self.resolver.module_of_definition(id), Ty::Module(f, 0) if f == module.0)
        };
        let found = facts.all_in_scope(above.1).iter().copied().find(declares)?;
        Some(DefId { file: above.0, def: found })
    }
}

impl ImportWriter<'_> {
    /// The edits of a `use` declaration: added to an existing list if there is one.
    pub(super) fn rust_edits(&self, route: &ImportRoute) -> Option<Vec<(Range<usize>, String)>> {
        let text = self.syntax.text();
        let body = self.body();
        let items = lines::children(body);
        let mut uses: Vec<(Node<'_>, Node<'_>)> = Vec::new();
        let mut above: Option<Node<'_>> = None;
        for &item in &items {
            let marked = above.replace(item).is_some_and(|a| a.kind() == "attribute_item");
            let plain = item.kind() == "use_declaration" && !marked;
            if let Some(argument) = item.child_by_field_name("argument").filter(|_| plain) {
                uses.push((item, argument));
            }
        }
        let own: Vec<_> = uses
            .iter()
            .filter(|(item, _)| {
                item.named_child(0).is_some_and(|c| c.kind() != "visibility_modifier")
            })
            .collect();
        let spelled = self.spellings(&route.module);
        for (_, argument) in &own {
            if argument.kind() != "scoped_use_list" {
                continue;
            }
            let path = argument.child_by_field_name("path").map(|p| lines::of(text, p));
            if path.is_some_and(|p| spelled.contains(&p)) {
                let list = argument.child_by_field_name("list")?;
                let names = lines::children(list);
                let names: Vec<_> =
                    names.into_iter().filter(|n| !n.kind().contains("comment")).collect();
                return Some(vec![list::insert(text, &names, self.name)?]);
            }
        }
        let merges = own.iter().any(|(_, argument)| argument.kind() == "scoped_use_list");
        for (_, argument) in own.iter().filter(|_| merges) {
            let path = argument.child_by_field_name("path").map(|p| lines::of(text, p));
            let last = argument.child_by_field_name("name");
            if argument.kind() == "scoped_identifier"
                && path.is_some_and(|p| spelled.contains(&p))
                && let Some(last) = last
            {
                let old = lines::of(text, last);
                let both = if *old < *self.name {
                    format!("{{{old}, {}}}", self.name)
                } else {
                    format!("{{{}, {old}}}", self.name)
                };
                return Some(vec![(last.byte_range(), both)]);
            }
        }
        let module = match &spelled[..] {
            // A file that refers to its parent only by `super` keeps doing so.
            [own, parent] if parent == "super" => {
                let says =
                    |word: &str| uses.iter().any(|(_, a)| lines::of(text, *a).starts_with(word));
                if says("super::") && !says("crate::") { parent } else { own }
            }
            _ => &route.module,
        };
        let statement = format!("use {module}::{};", self.name);
        let class = |path: &str| match path.split("::").next().unwrap_or("").trim() {
            "std" | "core" | "alloc" => STANDARD,
            "crate" | "super" | "self" => OWN,
            _ => OUTSIDE,
        };
        let lines: Vec<ImportLine<'_>> = own
            .iter()
            .map(|(node, argument)| {
                let key = lines::of(text, *argument);
                let class = class(&key);
                ImportLine { node: *node, key, class }
            })
            .collect();
        if lines.is_empty() {
            let opening = |n: &&Node<'_>| {
                n.kind() == "inner_attribute_item"
                    || n.kind().contains("comment") && {
                        let said = lines::of(text, **n);
                        said.starts_with("//!") || said.starts_with("/*!")
                    }
            };
            let said = items.iter().take_while(opening).count();
            let before = said.checked_sub(1).and_then(|n| items.get(n)).copied();
            let after = items.get(said).copied();
            return Some(vec![lines::first(text, before, after, &statement, 1)]);
        }
        let key = format!("{module}::{}", self.name);
        Some(vec![lines::insert(text, &lines, &key, class(module), &statement, true)?])
    }

    /// The items of the module in which the name is used.
    fn body(&self) -> Node<'_> {
        let root = self.syntax.root();
        let at = self.span.start;
        let mut node = root.descendant_for_byte_range(at, at);
        while let Some(inner) = node {
            let module = inner.parent().is_some_and(|p| p.kind() == "mod_item");
            if inner.kind() == "declaration_list" && module {
                return inner;
            }
            node = inner.parent();
        }
        root
    }

    /// A module's path from the root, and `super` if it is the parent.
    fn spellings(&self, module: &str) -> Vec<String> {
        let mut all = vec![module.to_owned()];
        let (file, scope) = self.enclosing_module();
        if let Ty::Module(file, scope) = self.resolver.parent_of_module(file, scope)
            && self.path_to((file, scope)).as_deref() == Some(module)
        {
            all.push("super".to_owned());
        }
        all
    }
}
