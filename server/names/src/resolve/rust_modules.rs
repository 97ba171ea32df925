//! Rust's module tree as `mod` declarations build it, and the roots of paths.

use super::{DefId, Resolver, Ty};
use crate::expression::Expression;
use crate::facts::{NONE, SELF_MODULE};
use crate::index::FileId;
use crate::resolve::languages::rules;
use crate::vocabulary::{DefinitionKind, ScopeKind};

impl Resolver<'_> {
    /// The module that a scope of a Rust file is in: the nearest `mod` around it, else the file.
    pub(crate) fn module_scope(&self, file: FileId, mut scope: u32) -> (FileId, u32) {
        let facts = self.facts(file);
        while scope != 0 && facts.scopes[scope as usize].kind != ScopeKind::Module {
            let parent = facts.scopes[scope as usize].parent;
            if parent == NONE {
                break;
            }
            scope = parent;
        }
        (file, scope)
    }

    /// The module that `super` or `self` means in a scope.
    pub(super) fn parent_module(&self, file: FileId, scope: u32) -> Ty {
        let own = scope & SELF_MODULE != 0;
        let (file, scope) = self.module_scope(file, scope & !SELF_MODULE);
        if own {
            return Ty::Module(file, scope);
        }
        self.parent_of_module(file, scope)
    }

    /// The parent of a module.
    pub(crate) fn parent_of_module(&self, file: FileId, scope: u32) -> Ty {
        if scope != 0 {
            let outer = self.facts(file).scopes[scope as usize].parent;
            let (file, scope) = self.module_scope(file, outer);
            return Ty::Module(file, scope);
        }
        match self.rust_parent(file) {
            Some(parent) => Ty::Module(parent, 0),
            None => Ty::Unknown,
        }
    }

    /// The file that declares a file as a module: the one with the `mod` item, else the likeliest
    /// by path.
    fn rust_parent(&self, file: FileId) -> Option<FileId> {
        let (all, name) = self.index.project.rust_parents(file);
        let declares = |at: &&FileId| {
            let facts = self.facts(**at);
            let is_module = |&d: &u32| facts.definitions[d as usize].kind == DefinitionKind::Module;
            facts
                .strings
                .find(name)
                .is_some_and(|n| facts.definitions_named(n).iter().any(is_module))
        };
        if all.len() > 1 { all.iter().find(declares).or(all.first()) } else { all.first() }.copied()
    }

    /// Whether a module encloses a place, or is the one that it is in.
    pub(crate) fn is_enclosing_module(
        &self,
        file: FileId,
        scope: u32,
        at: FileId,
        place: u32,
    ) -> bool {
        let mut inner = self.module_scope(at, place);
        for _ in 0..64 {
            if inner == (file, scope) {
                return true;
            }
            let Ty::Module(file, scope) = self.parent_of_module(inner.0, inner.1) else {
                return false;
            };
            inner = (file, scope);
        }
        false
    }

    /// The root module of a file's crate.
    pub(crate) fn crate_root(&self, file: FileId) -> Ty {
        let mut at = file;
        for _ in 0..64 {
            match self.rust_parent(at) {
                Some(parent) if parent != at => at = parent,
                _ => break,
            }
        }
        Ty::Module(at, 0)
    }

    /// The module that `mod name` defines: the scope of its body, or its file.
    pub(crate) fn module_of_definition(&self, id: DefId) -> Ty {
        let def = self.def(id);
        if id.def == 0 {
            return Ty::Module(id.file, 0);
        }
        let facts = self.facts(id.file);
        let has_body = def.body != NONE
            && facts.scopes[def.body as usize].end > def.name_end + 1
            && facts.len > 0
            && def.end > def.name_end + 1;
        if def.kind == DefinitionKind::Namespace && def.body == NONE {
            return Ty::Unknown;
        }
        if def.kind == DefinitionKind::Namespace || has_body {
            return Ty::Module(id.file, def.body);
        }
        let said = def.value.as_expression().and_then(|e| facts.expressions.get(e as usize));
        if let Some(&Expression::Module(path, _)) = said {
            let path = facts.strings.text(path);
            return match self.index.project.rust_file(id.file, path) {
                Some(file) => Ty::Module(file, 0),
                None => Ty::External,
            };
        }
        // Inline modules around the declaration are folders of the path.
        let (mut nested, mut scope) = (Vec::new(), def.scope);
        while scope != NONE && scope != 0 {
            let at = &facts.scopes[scope as usize];
            if at.kind == ScopeKind::Module && at.owner != NONE {
                nested.push(facts.strings.text(facts.definitions[at.owner as usize].name));
            }
            scope = at.parent;
        }
        nested.reverse();
        let name = facts.strings.text(def.name);
        match self.index.project.rust_child(id.file, &nested.join("/"), name) {
            Some(file) => Ty::Module(file, 0),
            None => Ty::External,
        }
    }

    /// A plain name at the start of a path that no scope defines: a crate or a package.
    pub(super) fn path_root(&self, file: FileId, name: &str) -> Ty {
        rules(self.language(file)).path_root(self, file, name)
    }
}
