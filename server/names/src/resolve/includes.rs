//! The names that a C or C++ file sees through its includes.

use rustc_hash::FxHashSet;

use super::{DefId, Resolution, Resolver, Ty};
use crate::dependency_tracking::is_tracking;
use crate::index::FileId;
use crate::origin::Origin;
use crate::vocabulary::{DefinitionKind, Flags, Namespace};

/// Limit of the files in one include closure.
pub(super) const MAX_FILES: usize = 4_000;

/// Limit of nested includes.
pub(super) const MAX_DEPTH: u32 = 200;

/// The state of one lookup. Each file is visited once: in a large project every header is reached
/// in thousands of ways.
struct Search<'n> {
    name: &'n str,
    namespace: Namespace,
    seen: FxHashSet<FileId>,
    /// Files that define the name and have not been visited. When none is left the search can stop.
    unvisited: FxHashSet<FileId>,
}

impl Resolver<'_> {
    /// Looks up a name in everything that a scope of a file includes, directly or not. O(included
    /// files).
    pub(super) fn through_includes(
        &self,
        file: FileId,
        scope: u32,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        let mut unvisited: FxHashSet<FileId> = self.files_defining(name).collect();
        unvisited.remove(&file);
        let seen = FxHashSet::from_iter([file]);
        self.search_includes(file, scope, &mut Search { name, namespace, seen, unvisited }, 0)
    }

    /// Searches the includes of a scope in order. Namespaces stop at the first hit; other names are
    /// collected, since declarations and overloads may be in several headers.
    fn search_includes(
        &self,
        file: FileId,
        scope: u32,
        search: &mut Search<'_>,
        depth: u32,
    ) -> Vec<Resolution> {
        let mut all: Vec<Resolution> = Vec::new();
        for glob in self.facts(file).globs.iter().filter(|g| g.scope == scope || scope == 0) {
            let found = match self.type_of_value(file, glob.module) {
                Ty::Module(other, 0) => self.search_included_file(other, search, depth + 1),
                ty @ Ty::Module(..) => self.members_named(&ty, search.name, search.namespace),
                Ty::Folder(_) | Ty::Unknown | Ty::External => Vec::new(),
                ty => self.members_named(&ty, search.name, search.namespace),
            };
            for f in found {
                if !all.iter().any(|a| a.id == f.id) {
                    all.push(Resolution { origin: Origin::Glob, ..f });
                }
            }
            let first = all.first().map(|f| self.def(f.id).kind);
            if first == Some(DefinitionKind::Namespace) {
                break;
            }
        }
        if all.is_empty() && scope == 0 {
            for other in self.index.project.forced_includes(file) {
                all.extend(self.search_included_file(other, search, depth + 1));
            }
        }
        all
    }

    /// Looks up a name in an included file and its includes.
    fn search_included_file(
        &self,
        file: FileId,
        search: &mut Search<'_>,
        depth: u32,
    ) -> Vec<Resolution> {
        // While dependencies are tracked the files have to be visited even if no definition is
        // unvisited: they are what the answer depends on.
        let none = search.unvisited.is_empty() && !is_tracking();
        if none || depth > MAX_DEPTH || search.seen.len() > MAX_FILES || !search.seen.insert(file) {
            return Vec::new();
        }
        search.unvisited.remove(&file);
        let facts = self.facts(file);
        let in_scope = |name_id| facts.definitions_in_scope(0, name_id);
        let own = facts.strings.find(search.name).map(in_scope).unwrap_or_default();
        let fits = |d: &u32| {
            let def = &facts.definitions[*d as usize];
            def.namespace.has(search.namespace) && !def.flags.has(Flags::HIDDEN)
        };
        let own: Vec<u32> = own.iter().copied().filter(fits).collect();
        let kind = |d: &u32| facts.definitions[*d as usize].kind;
        if own.iter().any(|d| kind(d) != DefinitionKind::Namespace) {
            return self.select_definitions(file, 0, &own, facts.len, 0);
        }
        // Its own includes are read before its text.
        let above = self.search_includes(file, 0, search, depth);
        if !above.is_empty() || own.is_empty() {
            return above;
        }
        let read = |d: &u32| !facts.definitions[*d as usize].flags.has(Flags::INACTIVE);
        let def = own.iter().copied().find(read).unwrap_or(own[0]);
        vec![Resolution { id: DefId { file, def }, origin: Origin::Glob }]
    }
}
