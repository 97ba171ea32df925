//! C++ namespaces: one namespace spans many files, as far as includes lead to them.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::includes::{MAX_DEPTH, MAX_FILES};
use super::{DefId, Resolution, Resolver, Ty};
use crate::facts::NONE;
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::languages::is_same_language_family;
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

impl Resolver<'_> {
    /// Members of the same namespace in its other blocks and in other files. Included files come
    /// before others, and active preprocessor branches before inactive ones.
    pub(super) fn namespace_members_elsewhere(
        &self,
        file: FileId,
        owner: u32,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        let names = self.namespace_names(file, owner);
        let path = self.namespace_path(file, owner);
        // If one macro opens several nested namespaces, only the innermost has a scope in this
        // file; the names of the others are members of outer scopes that have no node here.
        let around = if self.facts(file).definitions[owner as usize].flags.has(Flags::HIDDEN) {
            names.len()
        } else {
            1
        };
        let inside = (0..around.min(path.len()))
            .map(|up| self.namespace_members(file, &path[..path.len() - up], name, namespace));
        inside.into_iter().find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// The members of a namespace, given by its path.
    fn namespace_members(
        &self,
        file: FileId,
        path: &[&str],
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        let facts = self.facts(file);
        let inside = |id: &DefId| {
            let other = self.facts(id.file);
            let def = self.def(*id);
            let Some(scope) = other.scopes.get(def.scope as usize) else { return false };
            scope.kind == ScopeKind::Namespace
                && scope.owner != NONE
                && def.namespace.has(namespace)
                && !def.flags.has(Flags::HIDDEN)
                && is_same_language_family(other.language.id(), facts.language.id())
                && self.namespace_names(id.file, scope.owner).last() == path.last()
        };
        let mut all: Vec<DefId> = self.definitions_named(name).filter(inside).collect();
        if all.len() > 1 {
            let same = |id: &DefId| {
                let scope = self.facts(id.file).scopes[self.def(*id).scope as usize];
                self.namespace_path(id.file, scope.owner) == path
            };
            retain_if_any(&mut all, same);
            retain_if_any(&mut all, |id| !self.def(*id).flags.has(Flags::INACTIVE));
        }
        if all.iter().any(|id| id.file != all[0].file) {
            let near = self.include_closure(file);
            retain_if_any(&mut all, |id| near.contains(&id.file));
        }
        let all = all.into_iter().map(|id| Resolution { id, origin: Origin::Package }).collect();
        self.drop_file_local(file, all)
    }

    /// The names that one namespace definition introduces: several in `namespace a::b`.
    fn namespace_names(&self, file: FileId, owner: u32) -> Vec<&str> {
        let facts = self.facts(file);
        let first = &facts.definitions[owner as usize];
        if first.flags.has(Flags::HIDDEN) {
            return self.macro_namespaces(facts.strings.text(first.name));
        }
        let same = |d: &&crate::facts::Def| d.kind == first.kind && d.start == first.start;
        let all = facts.definitions[owner as usize..].iter().take_while(same);
        all.map(|d| facts.strings.text(d.name)).collect()
    }

    /// The names of the namespaces that a macro opens.
    fn macro_namespaces(&self, name: &str) -> Vec<&str> {
        let opened = |id: DefId| {
            let body = self.facts(id.file).scopes.get(self.def(id).body as usize)?;
            let opens = self.def(id).kind == DefinitionKind::Macro
                && body.kind == ScopeKind::Namespace
                && body.owner != NONE;
            opens.then(|| self.namespace_path(id.file, body.owner))
        };
        let all = self.definitions_named(name).filter_map(|id| Some((id, opened(id)?)));
        let first = all.min_by_key(|(id, _)| self.def(*id).flags.has(Flags::INACTIVE));
        first.map_or_else(Vec::new, |found| found.1)
    }

    /// The path of a namespace, its own name included.
    fn namespace_path(&self, file: FileId, owner: u32) -> Vec<&str> {
        let facts = self.facts(file);
        let mut path: Vec<&str> = self.namespace_names(file, owner).into_iter().rev().collect();
        let mut at = facts.definitions[owner as usize].scope;
        while let Some(scope) = facts.scopes.get(at as usize) {
            if scope.kind == ScopeKind::Namespace && scope.owner != NONE {
                path.extend(self.namespace_names(file, scope.owner).into_iter().rev());
            }
            at = scope.parent;
        }
        path.reverse();
        path
    }

    /// A file and all files it includes, transitively; memoised.
    pub(super) fn include_closure(&self, file: FileId) -> Rc<FxHashSet<FileId>> {
        if let Some(known) = self.include_closures.borrow().get(&file) {
            return known.clone();
        }
        let (mut all, mut open) = (FxHashSet::from_iter([file]), vec![file]);
        while let Some(at) = open.pop() {
            for glob in &self.facts(at).globs {
                if let Ty::Module(next, 0) = self.type_of_value(at, glob.module)
                    && all.len() < MAX_FILES
                    && all.insert(next)
                {
                    open.push(next);
                }
            }
        }
        let all = Rc::new(all);
        self.include_closures.borrow_mut().insert(file, all.clone());
        all
    }

    /// Reduces namespace results to one: a namespace is opened in many places, and the first one
    /// that a file includes counts as its definition.
    pub(crate) fn prefer_first_namespace_block(
        &self,
        file: FileId,
        found: Vec<Resolution>,
    ) -> Vec<Resolution> {
        let is_namespace = |f: &Resolution| {
            self.def(f.id).kind == DefinitionKind::Namespace && self.language(f.id.file) == "cpp"
        };
        let Some(one) = found.iter().find(|f| is_namespace(f)) else { return found };
        if !found.iter().all(is_namespace) {
            return found;
        }
        let name = self.facts(one.id.file).strings.text(self.def(one.id).name);
        let path = self.namespace_definition_path(one.id);
        let mut seen = FxHashSet::default();
        match self.first_opened_in_include_order(file, name, &path, &mut seen, 0) {
            Some(id) => vec![Resolution { id, ..*one }],
            None => vec![*one],
        }
    }

    /// The path of a namespace definition.
    fn namespace_definition_path(&self, id: DefId) -> Vec<&str> {
        let facts = self.facts(id.file);
        let def = self.def(id);
        let owner = facts.scopes.get(def.body as usize).map_or(id.def, |s| s.owner);
        let mut path = self.namespace_path(id.file, if owner == NONE { id.def } else { owner });
        // For `namespace a::b` both definitions share one body: cut the path behind the queried
        // name.
        while path.len() > 1 && path.last() != Some(&facts.strings.text(def.name)) {
            path.pop();
        }
        path
    }

    /// The first block of a namespace in include order, as a preprocessor would read it.
    fn first_opened_in_include_order(
        &self,
        file: FileId,
        name: &str,
        path: &[&str],
        seen: &mut FxHashSet<FileId>,
        depth: u32,
    ) -> Option<DefId> {
        if depth > MAX_DEPTH || seen.len() > MAX_FILES || !seen.insert(file) {
            return None;
        }
        let facts = self.facts(file);
        for glob in facts.globs.iter().filter(|g| g.scope == 0) {
            if let Ty::Module(next, 0) = self.type_of_value(file, glob.module)
                && let Some(found) =
                    self.first_opened_in_include_order(next, name, path, seen, depth + 1)
            {
                return Some(found);
            }
        }
        let name_id = facts.strings.find(name)?;
        let own = facts.definitions_named(name_id).iter().map(|&def| DefId { file, def });
        let own = own.filter(|id| self.def(*id).kind == DefinitionKind::Namespace);
        let own = own.filter(|id| self.namespace_definition_path(*id) == path);
        own.min_by_key(|id| (self.def(*id).flags.has(Flags::INACTIVE), id.def))
    }
}

/// Keeps the elements that fit, unless none does.
fn retain_if_any(all: &mut Vec<DefId>, fits: impl Fn(&DefId) -> bool) {
    if all.iter().any(&fits) {
        all.retain(fits);
    }
}
