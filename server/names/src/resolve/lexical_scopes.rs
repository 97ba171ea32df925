//! Resolution of plain names: the enclosing scopes from the inside out, then the names that a
//! language adds around a file (its package, crate, includes, ambient declarations).
//!
//! The first scope that has a fitting definition wins, as in the languages themselves: an outer
//! definition is shadowed, even if the inner one turns out to be of an unknown type.

use super::{DefId, Resolution, Resolver, Ty};
use crate::facts::{Def, Facts, NONE, Ref};
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::languages::rules;
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

impl Resolver<'_> {
    /// Resolves a plain name at the place of a reference.
    pub(super) fn resolve_plain_name(
        &self,
        file: FileId,
        reference: &Ref,
        name: &str,
    ) -> Vec<Resolution> {
        let rules = rules(self.language(file));
        let in_scopes = |namespace| {
            let (scope, start) = (reference.scope, reference.start);
            self.resolve_in_scopes(file, scope, start, reference.name, name, namespace)
        };
        let found = in_scopes(reference.namespace);
        if !found.is_empty() {
            return found;
        }
        if reference.namespace.has(Namespace::TYPE) && rules.is_enclosing_type(name) {
            return self.enclosing_type(file, reference.scope);
        }
        let found = self.resolve_around_file(file, name, reference.namespace);
        if found.is_empty()
            && let Some(next) = rules.next_namespace(reference.namespace)
        {
            return in_scopes(next);
        }
        found
    }

    /// Resolves a name in the scopes around an offset, from the inside out.
    pub(crate) fn resolve_in_scopes(
        &self,
        file: FileId,
        from: u32,
        offset: u32,
        name_id: u32,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        let facts = self.facts(file);
        let (mut at, mut crossed, mut in_method) = (from, false, false);
        while at != NONE {
            let scope = &facts.scopes[at as usize];
            let own = limit_to_nearest(facts, facts.definitions_in_scope(at, name_id), offset);
            // A class body (`Body`) is not a scope for the functions nested in it: `crossed` is set
            // once the way up has left a function. Members of the other kinds are reached only
            // through a value or a path.
            let sees = |d: &Def| match scope.kind {
                ScopeKind::Members | ScopeKind::Object | ScopeKind::Extension | ScopeKind::Enum => {
                    d.kind == DefinitionKind::TypeParameter
                }
                ScopeKind::Body => !crossed || d.kind == DefinitionKind::TypeParameter,
                // A parameter of a class is not visible in its methods.
                ScopeKind::Open => !in_method || d.kind != DefinitionKind::Parameter,
                _ => true,
            };
            let fits = |&d: &u32| {
                let d = &facts.definitions[d as usize];
                d.namespace.has(namespace)
                    && d.visible_from <= offset
                    && !d.flags.has(Flags::HIDDEN)
                    // A constructor's fields belong to the object; its body does not see them as
                    // plain names.
                    && !(d.flags.has(Flags::INSTANCE) && scope.kind == ScopeKind::Function)
                    && sees(d)
            };
            let mut fitting: Vec<u32> = own.into_iter().filter(fits).collect();
            prefer_callable(facts, namespace, &mut fitting);
            if !fitting.is_empty() {
                let mut found = self.select_definitions(file, at, &fitting, offset, from);
                if scope.kind == ScopeKind::Open && facts.language.id() == "java" {
                    self.inherited_overloads(file, at, name, namespace, &mut found);
                }
                return found;
            }
            if scope.kind == ScopeKind::Lambda {
                let receiver = rules(facts.language.id()).implicit_receiver(self, file, at);
                let found = self.members_named(&receiver, name, namespace);
                if !found.is_empty() {
                    return found;
                }
            }
            // Members inherited by an open scope (a Java or C++ class) come after its own members
            // and before the names of enclosing scopes.
            if scope.kind == ScopeKind::Open {
                let ty = self.scope_type(file, at);
                let inherited = self.members_named(&ty, name, namespace);
                if !inherited.is_empty() {
                    return inherited;
                }
                if scope.subject.is_some() {
                    // A member defined out of line (`int A::B::f()`) also sees the members of the
                    // types around its type.
                    let found = self.enclosing_type_members(&ty, name, namespace);
                    if !found.is_empty() {
                        return found;
                    }
                }
            }
            if matches!(scope.kind, ScopeKind::Namespace) && scope.owner != NONE {
                let found = self.namespace_members_elsewhere(file, scope.owner, name, namespace);
                if !found.is_empty() {
                    return found;
                }
            }
            let globbed = self.glob_imported(file, at, name, namespace, 0);
            if !globbed.is_empty() {
                return globbed;
            }
            if matches!(
                scope.kind,
                ScopeKind::Function | ScopeKind::Lambda | ScopeKind::Comprehension
            ) {
                crossed = true;
                in_method |= scope.kind == ScopeKind::Function;
            }
            // Rust modules do not see the names of the modules around them.
            if scope.kind == ScopeKind::Module {
                return Vec::new();
            }
            at = scope.parent;
        }
        Vec::new()
    }

    /// Adds inherited methods of a name to a class's own methods of that name: together they form
    /// the overload set.
    fn inherited_overloads(
        &self,
        file: FileId,
        scope: u32,
        name: &str,
        namespace: Namespace,
        found: &mut Vec<Resolution>,
    ) {
        let method = |f: &Resolution| self.def(f.id).kind == DefinitionKind::Method;
        if !namespace.has(Namespace::FUNCTION) || !found.iter().all(method) {
            return;
        }
        for f in self.members_named(&self.scope_type(file, scope), name, namespace) {
            if !found.iter().any(|own| own.id == f.id) {
                found.push(Resolution { origin: Origin::Member, ..f });
            }
        }
    }

    /// The members of the types that a type is nested in.
    fn enclosing_type_members(&self, ty: &Ty, name: &str, namespace: Namespace) -> Vec<Resolution> {
        let (Ty::Type(id, _) | Ty::Instance(id, _)) = ty else { return Vec::new() };
        let facts = self.facts(id.file);
        let mut scope = self.def(*id).scope;
        while let Some(at) = facts.scopes.get(scope as usize) {
            if at.kind == ScopeKind::Open && at.owner != NONE {
                let around = Ty::Type(DefId { file: id.file, def: at.owner }, Ty::no_arguments());
                let found = self.members_named(&around, name, namespace);
                if !found.is_empty() {
                    return found;
                }
            }
            scope = at.parent;
        }
        Vec::new()
    }

    /// Selects among several fitting definitions of one scope.
    pub(crate) fn select_definitions(
        &self,
        file: FileId,
        scope: u32,
        fitting: &[u32],
        offset: u32,
        from: u32,
    ) -> Vec<Resolution> {
        let facts = self.facts(file);
        let def = |d: u32| &facts.definitions[d as usize];
        let origin = match facts.scopes[scope as usize].kind {
            ScopeKind::File | ScopeKind::Namespace | ScopeKind::Module => Origin::SameFile,
            ScopeKind::Open | ScopeKind::Body => Origin::Member,
            _ => Origin::Local,
        };
        let found = |d: u32| Resolution { id: DefId { file, def: d }, origin };
        // The steps go from certain to likely: conditional imports stay all; then inactive branches
        // of the preprocessor and fallbacks (`except ImportError`) are dropped, unless nothing else
        // is left.
        let several = super::conditional_imports::alternatives(facts, fitting, offset);
        if !several.is_empty() {
            return several.into_iter().map(found).collect();
        }
        let read = self.active_definitions(file, fitting);
        let active: Vec<u32> = match read {
            Some(read) => read,
            None => {
                let active = fitting.iter().copied();
                active.filter(|&d| !def(d).flags.has(Flags::INACTIVE)).collect()
            }
        };
        let fitting = if active.is_empty() { fitting } else { &active };
        let regular: Vec<u32> =
            fitting.iter().copied().filter(|&d| !def(d).flags.has(Flags::FALLBACK)).collect();
        let fitting = if regular.is_empty() { fitting } else { &regular };
        let first = fitting[0];
        if fitting.len() == 1 {
            return vec![found(first)];
        }
        if facts.language.id() == "go" {
            // `:=` declares only names that are new in its scope; the first definition is the
            // variable.
            return vec![found(first)];
        }
        // Shadowing: each new `let` starts a new variable, so the last one before the offset holds.
        if fitting.iter().any(|&d| def(d).flags.has(Flags::FRESH) || def(d).visible_from > 0) {
            let last = fitting.iter().copied().max_by_key(|&d| def(d).name_start);
            return last.map(found).into_iter().collect();
        }
        if fitting.iter().all(|&d| def(d).kind.is_callable()) && facts.language.id() != "python" {
            return fitting.iter().copied().map(found).collect();
        }
        // A name for both a type and a value, or repeated declarations of one type: all of them are
        // meant.
        if fitting.iter().all(|&d| def(d).kind.is_type()) && facts.language.id() != "python" {
            return fitting.iter().copied().map(found).collect();
        }
        vec![found(self.reaching_definition(facts, fitting, offset, from))]
    }

    /// The assignment that reaches an offset: the last one before it in the same function. Seen
    /// from another function, the order of execution is unknown: the last function or class, else
    /// the first assignment.
    fn reaching_definition(&self, facts: &Facts, fitting: &[u32], offset: u32, from: u32) -> u32 {
        let def = |d: u32| &facts.definitions[d as usize];
        let same_function = |d: u32| {
            let function = |mut at: u32| {
                while at != NONE
                    && matches!(
                        facts.scopes[at as usize].kind,
                        ScopeKind::Block | ScopeKind::Comprehension
                    )
                {
                    at = facts.scopes[at as usize].parent;
                }
                at
            };
            function(def(d).scope) == function(from)
        };
        if same_function(fitting[0])
            && let Some(&d) = fitting.iter().rev().find(|&&d| def(d).name_start <= offset)
        {
            // In `x = f(x)` the `x` on the right still has its previous meaning.
            let within = def(d).start <= offset && offset < def(d).end && offset > def(d).name_end;
            if within
                && def(d).kind == DefinitionKind::Variable
                && let Some(&before) =
                    fitting.iter().rev().find(|&&b| def(b).name_end <= def(d).start)
            {
                return before;
            }
            return d;
        }
        let last = fitting[fitting.len() - 1];
        if def(last).kind.is_callable() || def(last).kind.is_type() {
            return last;
        }
        fitting[0]
    }

    /// Names that a language adds around a file: the file's package, crates, includes, ambient
    /// declarations.
    pub(crate) fn resolve_around_file(
        &self,
        file: FileId,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        rules(self.language(file)).around_file(self, file, name, namespace)
    }

    /// The type whose members enclose a place.
    pub(super) fn enclosing_type(&self, file: FileId, scope: u32) -> Vec<Resolution> {
        let facts = self.facts(file);
        let mut scope = scope;
        while !matches!(
            facts.scopes[scope as usize].kind,
            ScopeKind::Members | ScopeKind::Extension | ScopeKind::Body | ScopeKind::Open
        ) {
            scope = facts.scopes[scope as usize].parent;
            if scope == NONE {
                return Vec::new();
            }
        }
        match self.this_type(file, scope) {
            Ty::Type(id, _) | Ty::Instance(id, _) => {
                vec![Resolution { id, origin: Origin::Member }]
            }
            _ => Vec::new(),
        }
    }
}

/// Where functions have a namespace of their own, a call means a function before a variable.
fn prefer_callable(facts: &Facts, namespace: Namespace, fitting: &mut Vec<u32>) {
    if namespace != Namespace::VALUE | Namespace::FUNCTION {
        return;
    }
    let called = |d: &u32| {
        facts.definitions[*d as usize].namespace.has(Namespace::FUNCTION | Namespace::TYPE)
    };
    if fitting.iter().any(called) {
        fitting.retain(called);
    }
}

/// Limits very many definitions of one name to the first one and those near an offset. Generated
/// code assigns a name thousands of times, and each candidate costs work in every use.
fn limit_to_nearest(facts: &Facts, own: &[u32], offset: u32) -> Vec<u32> {
    const MAX_CANDIDATES: usize = 64;
    if own.len() <= MAX_CANDIDATES {
        return own.to_vec();
    }
    let after = own.partition_point(|&d| facts.definitions[d as usize].name_start <= offset);
    let start = after.saturating_sub(MAX_CANDIDATES / 2).max(1);
    let end = (after + MAX_CANDIDATES / 2).min(own.len());
    std::iter::once(own[0]).chain(own[start..end].iter().copied()).collect()
}
