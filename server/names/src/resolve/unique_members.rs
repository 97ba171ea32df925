//! Fallback for members of unknown receivers: the only definition of the name.
//!
//! A wrong answer is worse than none. So this applies only to languages whose receivers are mostly
//! known, and never to names that libraries define everywhere.

use super::{DefId, Resolution, Resolver};
use crate::facts::{NONE, Ref};
use crate::index::FileId;
use crate::library;
use crate::origin::Origin;
use crate::resolve::languages::{is_same_language_family, rules};
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

impl Resolver<'_> {
    /// The only member of a name in the index, for a receiver of an unknown type; memoised by name.
    pub(super) fn unique_member(
        &self,
        file: FileId,
        name: &str,
        reference: &Ref,
    ) -> Vec<Resolution> {
        let key = (name.to_owned(), reference.namespace, reference.call != NONE);
        if let Some(known) = self.unique_members.borrow().get(&key) {
            return known.clone();
        }
        let found = self.find_unique_member(file, name, reference);
        self.unique_members.borrow_mut().insert(key, found.clone());
        found
    }

    /// The same without the cache.
    pub(super) fn find_unique_member(
        &self,
        file: FileId,
        name: &str,
        reference: &Ref,
    ) -> Vec<Resolution> {
        let family = self.language(file);
        if !rules(family).takes_unique_members() {
            return Vec::new();
        }
        if is_common_member_name(name)
            || family == "rust" && reference.call != NONE && library::rust::has_method(name)
        {
            return Vec::new();
        }
        let fits = |id: &DefId| {
            let facts = self.facts(id.file);
            let def = self.def(*id);
            let Some(scope) = facts.scopes.get(def.scope as usize) else { return false };
            is_same_language_family(facts.language.id(), family)
                && def.namespace.has(reference.namespace)
                && !def.flags.has(Flags::HIDDEN)
                && matches!(
                    scope.kind,
                    ScopeKind::Members | ScopeKind::Body | ScopeKind::Open | ScopeKind::Extension
                )
                && def.kind != DefinitionKind::TypeParameter
                && def.kind != DefinitionKind::Parameter
        };
        let mut all: Vec<DefId> = self.definitions_named(name).filter(fits).collect();
        all.dedup();
        if family == "rust" && all.len() > 1 {
            // Implementations of one trait's method: the trait's declaration is the common answer.
            let (of_trait, rest): (Vec<_>, Vec<_>) = all.iter().partition(|id| {
                let facts = self.facts(id.file);
                let owner = facts.scopes[self.def(**id).scope as usize].owner;
                owner != NONE && facts.definitions[owner as usize].kind == DefinitionKind::Trait
            });
            let called = reference.call != NONE;
            let other = |id: &&DefId| {
                self.def(**id).kind.is_callable() == called && !self.is_trait_member(**id)
            };
            if let [id] = of_trait[..]
                && called
                && !rest.iter().any(other)
            {
                return vec![Resolution { id: *id, origin: Origin::UniqueName }];
            }
        }
        match all[..] {
            [id] => vec![Resolution { id, origin: Origin::UniqueName }],
            _ => Vec::new(),
        }
    }
}

/// Whether libraries use a name so often that a single definition here proves nothing.
pub(crate) fn is_common_member_name(name: &str) -> bool {
    name.len() < 3
        || matches!(
            name,
            "get"
                | "set"
                | "add"
                | "size"
                | "length"
                | "push"
                | "pop"
                | "append"
                | "next"
                | "map"
                | "filter"
                | "close"
                | "read"
                | "write"
                | "open"
                | "join"
                | "split"
                | "strip"
                | "format"
                | "keys"
                | "values"
                | "items"
                | "update"
                | "insert"
                | "remove"
                | "clear"
                | "find"
                | "index"
                | "count"
                | "sort"
                | "copy"
                | "clone"
                | "len"
                | "iter"
                | "call"
                | "apply"
                | "bind"
                | "then"
                | "catch"
                | "name"
                | "value"
                | "key"
                | "data"
                | "type"
                | "toString"
                | "equals"
                | "hashCode"
                | "encode"
                | "decode"
                | "replace"
                | "match"
                | "test"
                | "exec"
                | "slice"
                | "concat"
                | "includes"
                | "indexOf"
                | "forEach"
                | "contains"
                | "isEmpty"
                | "put"
                | "iterator"
                | "start"
                | "end"
                | "group"
                | "begin"
                | "empty"
                | "first"
                | "second"
                | "reset"
                | "str"
                | "unwrap"
                | "into"
                | "from"
                | "new"
                | "default"
                | "fmt"
                | "eq"
                | "cmp"
                | "hash"
                | "extend"
                | "flush"
                | "Error"
        )
}
