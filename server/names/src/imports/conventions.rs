//! Import conventions: the module from which other files import a definition.

use rustc_hash::FxHashMap;

use super::ImportPlanner;
use crate::facts::{Facts, NameSite};
use crate::index::{FileId, Index};
use crate::occurrences::DefinitionId;
use crate::resolve::languages::is_same_language_family;
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Flags};

/// Limit of the files examined.
const MAX_FILES: usize = 60;

impl ImportPlanner<'_> {
    /// The modules from which other files import the definition by name, most common first.
    pub(super) fn usual_modules(&self) -> Vec<(FileId, u32)> {
        self.usual_modules_with_users().into_iter().map(|(module, _)| module).collect()
    }

    /// The same, each with a file that imports it.
    pub(super) fn usual_modules_with_users(&self) -> Vec<((FileId, u32), FileId)> {
        let mut counts: FxHashMap<(FileId, u32), (usize, FileId)> = FxHashMap::default();
        if self.quick {
            return Vec::new();
        }
        let language = self.facts.language.id();
        let resolver = Resolver::new(self.index);
        let mut asked = 0;
        for file in resolver.files_containing(self.name) {
            // `__init__.py` re-exports what it imports, so it is no user.
            let passes_on = resolver.path(file).ends_with("__init__.py");
            let own = file == self.file || file == self.target.file || passes_on;
            if own
                || !is_same_language_family(resolver.language(file), language)
                || self.index.is_unindexed(file)
            {
                continue;
            }
            asked += 1;
            if asked > MAX_FILES {
                break;
            }
            let facts = resolver.facts(file);
            for d in imports_of(facts, self.name) {
                let value = facts.definitions[d as usize].value;
                let Some(r) = value.as_reference() else { continue };
                let reference = facts.references[r as usize];
                let leads = resolver.definitions_at_site(file, NameSite::Reference(r));
                if !leads.iter().any(|f| resolver.is_same(f.id, self.target)) {
                    continue;
                }
                if let Ty::Module(from, scope) = resolver.type_of_value(file, reference.receiver) {
                    counts.entry((from, scope)).or_insert((0, file)).0 += 1;
                }
            }
        }
        let mut all: Vec<_> = counts.into_iter().collect();
        all.sort_by_key(|(module, (count, _))| (std::cmp::Reverse(*count), *module));
        all.into_iter().map(|(module, (_, user))| (module, user)).collect()
    }
}

/// The imports of a name in a file, re-exports excluded.
fn imports_of<'f>(facts: &'f Facts, name: &str) -> impl Iterator<Item = u32> + 'f {
    let number = facts.strings.find(name).unwrap_or(crate::facts::NONE);
    let import = |d: &u32| {
        let def = &facts.definitions[*d as usize];
        def.kind == DefinitionKind::Import && !def.flags.has(Flags::EXPORTED | Flags::HIDDEN)
    };
    facts.definitions_named(number).iter().copied().filter(import)
}

impl Resolver<'_> {
    /// The modules or packages of a name, each by one of its files.
    pub(super) fn modules_named(&self, language: &str, name: &str) -> Vec<DefinitionId> {
        let mut all: Vec<FileId> = self.project().modules_named(language, name);
        all.sort_by_key(|file| self.path(*file).len());
        all.truncate(8);
        all.into_iter().map(|file| DefinitionId { file, number: 0 }).collect()
    }

    /// Whether a module exports a definition under a name.
    pub(crate) fn is_exported_by(&self, module: (FileId, u32), name: &str, target: DefId) -> bool {
        use crate::vocabulary::Namespace;
        self.reset_steps();
        let found = self.members_named(&Ty::Module(module.0, module.1), name, Namespace::ANY);
        found.into_iter().flat_map(|f| self.follow_import(f)).any(|f| self.is_same(f.id, target))
    }

    /// Whether two definitions share a name and scope, as a value and a type may.
    pub(super) fn is_same(&self, a: DefId, b: DefId) -> bool {
        let name = |id: DefId| (self.def(id).name, self.def(id).scope);
        let module = |id: DefId| {
            let known = self.language(id.file) == "rust"
                && (id.def == 0 || self.def(id).kind == DefinitionKind::Module);
            match known.then(|| self.module_of_definition(id)) {
                Some(Ty::Module(file, scope)) => Some((file, scope)),
                _ => None,
            }
        };
        a == b
            || a.file == b.file && a.def != 0 && b.def != 0 && name(a) == name(b)
            || module(a).is_some_and(|m| module(b) == Some(m))
    }
}

impl Index {
    /// A few files in the same folder.
    pub(super) fn beside(&self, file: FileId) -> impl Iterator<Item = FileId> + '_ {
        let path = self.project.path(file);
        let all = self.project.in_folder(crate::project::parent(path)).iter().copied();
        all.filter(move |f| *f != file && !self.is_unindexed(*f)).take(12)
    }
}
