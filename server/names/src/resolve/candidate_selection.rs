//! Preferences among several correct definitions: overloads by their arguments, bodies before
//! declarations.

use rustc_hash::FxHashSet;

use super::{DefId, Resolution, Resolver, Ty};
use crate::expression::Value;
use crate::facts::NONE;
use crate::index::FileId;
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

impl Resolver<'_> {
    /// Narrows overloads to those that accept the number of arguments given, then by argument
    /// types.
    pub(super) fn narrow_overloads(
        &self,
        found: Vec<Resolution>,
        file: FileId,
        arguments: Option<&[Value]>,
    ) -> Vec<Resolution> {
        let callable = |f: &Resolution| self.def(f.id).kind.is_callable();
        let mixed = found.iter().any(callable) && !found.iter().all(callable);
        let mut found = found;
        let field = |f: &Resolution| self.def(f.id).kind == DefinitionKind::Field;
        let rust = |f: &Resolution| self.language(f.id.file) == "rust" && (callable(f) || field(f));
        if mixed && found.iter().all(rust) {
            // A field and a method of one name: a call means the method.
            found.retain(|f| callable(f) == arguments.is_some());
        }
        if found.len() < 2 || !found.iter().all(|f| self.def(f.id).kind.is_callable()) {
            return found;
        }
        let typescript = |f: &Resolution| matches!(self.language(f.id.file), "typescript" | "tsx");
        if found.iter().all(typescript) {
            let signature = |f: &Resolution| self.def(f.id).flags.has(Flags::DECLARED);
            if arguments.is_some() && found.iter().any(signature) {
                found.retain(signature);
            }
        }
        let Some(values) = arguments else { return found };
        let given = values.len() as u32;
        let takes = |f: &Resolution| {
            let parameters = self.parameters(f.id);
            let flags = |p: &DefId| self.def(*p).flags;
            let variadic = parameters.last().is_some_and(|p| flags(p).has(Flags::VARIADIC));
            let wanted = parameters.len() as u32;
            let needed = parameters
                .iter()
                .filter(|p| !flags(p).has(Flags::OPTIONAL | Flags::VARIADIC))
                .count();
            needed as u32 <= given && (given <= wanted || variadic)
        };
        let fitting: Vec<Resolution> = found.iter().copied().filter(takes).collect();
        let fitting = if fitting.is_empty() { found } else { fitting };
        let one_scope = |f: &Resolution| {
            f.id.file == fitting[0].id.file && self.def(f.id).scope == self.def(fitting[0].id).scope
        };
        if fitting.iter().all(|f| typescript(f) && one_scope(f)) {
            // TypeScript calls the first signature that fits.
            let first = fitting.iter().min_by_key(|f| self.def(f.id).name_start);
            return first.copied().into_iter().collect();
        }
        let typed = |f: &Resolution| matches!(self.language(f.id.file), "java" | "cpp");
        if fitting.len() > 1 && fitting.iter().all(typed) {
            return self.best_overloads(fitting, file, values);
        }
        fitting
    }

    /// The definitions that a reader wants to see: function bodies instead of their declarations,
    /// the file of a module instead of its `mod` item.
    pub(crate) fn prefer_bodies(&self, found: Vec<Resolution>) -> Vec<Resolution> {
        let signature = |f: &Resolution| {
            self.def(f.id).flags.has(Flags::DECLARED) && self.def(f.id).kind.is_callable()
        };
        let typescript = |f: &Resolution| matches!(self.language(f.id.file), "typescript" | "tsx");
        let mut found = found;
        if found.len() > 1 && found.iter().all(typescript) && !found.iter().all(signature) {
            // An overloaded function that is not called: its body.
            found.retain(|f| !signature(f));
        }
        let mut out: Vec<Resolution> = Vec::new();
        let mut seen = FxHashSet::default();
        for f in found {
            let def = self.def(f.id);
            if def.kind == DefinitionKind::Module
                && f.id.def != 0
                && let Ty::Module(file, 0) = self.module_of_definition(f.id)
            {
                // A module with a file of its own.
                let id = DefId { file, def: 0 };
                if seen.insert(id) {
                    out.push(Resolution { id, ..f });
                }
                continue;
            }
            let bodies = self.function_bodies(f.id);
            if bodies.is_empty() {
                if seen.insert(f.id) {
                    out.push(f);
                }
                continue;
            }
            for id in bodies {
                if seen.insert(id) {
                    out.push(Resolution { id, ..f });
                }
            }
        }
        out
    }

    /// The bodies of a C or C++ function that is only declared here; empty for other definitions.
    fn function_bodies(&self, id: DefId) -> Vec<DefId> {
        let def = self.def(id);
        let facts = self.facts(id.file);
        if !matches!(facts.language.id(), "c" | "cpp") || !def.flags.has(Flags::DECLARED) {
            return Vec::new();
        }
        self.redeclarations(id, false)
    }

    /// The other declarations and definitions of the same C or C++ entity.
    pub(super) fn redeclarations(&self, id: DefId, declarations: bool) -> Vec<DefId> {
        let def = self.def(id);
        let facts = self.facts(id.file);
        let name = facts.strings.text(def.name);
        let container = self.container_name(id);
        let arity = self.parameters(id).len();
        let function = def.kind.is_callable();
        let fits = |other: &DefId| {
            let o = self.def(*other);
            let body = !o.flags.has(Flags::DECLARED);
            let one_file = o.flags.has(Flags::LOCAL_FILE) || def.flags.has(Flags::LOCAL_FILE);
            *other != id
                && (declarations || body)
                && o.kind.is_callable() == function
                && matches!(self.language(other.file), "c" | "cpp")
                && (function || o.kind == def.kind)
                && self.container_name(*other) == container
                && (!one_file || other.file == id.file)
                && (container.is_some() || self.is_top_level(*other))
        };
        let mut all: Vec<DefId> = self.definitions_named(name).filter(fits).collect();
        if function && self.language(id.file) == "cpp" && all.len() > 1 {
            let same: Vec<DefId> =
                all.iter().copied().filter(|o| self.parameters(*o).len() == arity).collect();
            if !same.is_empty() {
                all = same;
                // Overloads are distinguished by arity, then by parameter types. A step that would
                // leave no overload is skipped, because a declaration and its definition may spell
                // a type differently (aliases).
            }
            let own = self.overload_key(id);
            let typed: Vec<DefId> =
                all.iter().copied().filter(|o| self.overload_key(*o) == own).collect();
            if !typed.is_empty() {
                all = typed;
            }
        }
        let active = |o: &DefId| !self.def(*o).flags.has(Flags::INACTIVE);
        if all.iter().any(active) {
            all.retain(active);
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    fn is_top_level(&self, id: DefId) -> bool {
        let facts = self.facts(id.file);
        let mut scope = self.def(id).scope;
        while scope != NONE {
            let at = &facts.scopes[scope as usize];
            if !matches!(
                at.kind,
                ScopeKind::File | ScopeKind::Namespace | ScopeKind::Template | ScopeKind::Block
            ) {
                return false;
            }
            if at.kind == ScopeKind::Block && at.owner == NONE {
                return false;
            }
            scope = at.parent;
        }
        true
    }

    /// The declared parameter types, and whether the method is `const`: together they identify an
    /// overload.
    fn overload_key(&self, id: DefId) -> (Vec<(&str, bool)>, bool) {
        let types = self.parameters(id).into_iter().map(|p| self.parameter_key(p)).collect();
        (types, self.def(id).flags.has(Flags::CONST_METHOD))
    }

    /// The name of the type that a definition is a member of.
    pub(super) fn container_name(&self, id: DefId) -> Option<&str> {
        let facts = self.facts(id.file);
        let scope = self.def(id).scope;
        let at = facts.scopes.get(scope as usize)?;
        if at.owner != NONE && at.owner != 0 {
            let owner = &facts.definitions[at.owner as usize];
            let named = owner.kind.is_type();
            return named.then(|| facts.strings.text(owner.name));
        }
        let extension = facts.extensions.iter().find(|e| e.scope == scope)?;
        Some(facts.strings.text(extension.name))
    }
}
