//! Find references: every name in the project that resolves to one of a set of definitions.

use rustc_hash::FxHashSet;

use super::import_aliases::Aliases;
use super::{DefId, Resolution, Resolver, Ty};
use crate::facts::{NONE, NameSite};
use crate::index::FileId;
use crate::origin::{Origin, Target};
use crate::vocabulary::{DefinitionKind, Flags};

/// Limit of the types visited in one hierarchy.
const MAX_HIERARCHY_TYPES: usize = 500;

/// Limit of the files that one search scans.
const MAX_FILES: usize = 20_000;

impl Resolver<'_> {
    /// All definitions of the symbol at a site: declarations, bodies, and assignments of one name.
    pub(crate) fn symbol_definitions(&self, file: FileId, site: NameSite) -> FxHashSet<DefId> {
        self.treat_requires_as_variables();
        let facts = self.facts(file);
        let name_id = match site {
            NameSite::Reference(r) => facts.references[r as usize].name,
            NameSite::Definition(d) => facts.definitions[d as usize].name,
        };
        *self.queried_name.borrow_mut() = Some((file, name_id));
        let mut found = match self.embedded_field(file, site) {
            Some(field) => vec![field],
            None => self.definitions_at_site(file, site),
        };
        if !self.is_at_require_binding(file, site, &found) {
            // A variable that holds a part of a CommonJS module is an alias of that part, so its
            // uses count as uses of the part. A query at the variable itself means the variable.
            self.treat_requires_as_imports();
            if matches!(facts.language.id(), "javascript" | "typescript" | "tsx") {
                found = self.definitions_at_site(file, site);
            }
        }
        let found = match site {
            NameSite::Reference(r) => self.constructors_called_by(file, r, found),
            NameSite::Definition(_) => found,
        };
        let mut all = FxHashSet::default();
        for f in found {
            self.add_same_symbol(f.id, &mut all);
        }
        if matches!(self.facts(file).language.id(), "typescript" | "tsx") {
            for id in all.clone() {
                self.add_override_set(id, &mut all);
            }
        }
        if self.facts(file).language.id() == "rust" {
            for id in all.clone() {
                self.add_trait_implementations(id, &mut all);
            }
        }
        all
    }

    /// Adds the members by which `impl`s implement a trait's member: a rename or search has to
    /// treat them as one symbol.
    fn add_trait_implementations(&self, id: DefId, all: &mut FxHashSet<DefId>) {
        let facts = self.facts(id.file);
        let def = self.def(id);
        let owner = facts.scopes.get(def.scope as usize).map_or(NONE, |s| s.owner);
        if owner == NONE || facts.definitions[owner as usize].kind != DefinitionKind::Trait {
            return;
        }
        let name = facts.strings.text(def.name);
        self.each_implementation(DefId { file: id.file, def: owner }, &mut |file, n| {
            let scope = self.facts(file).extensions[n].scope;
            let own = self.scope_definitions(file, scope, name, def.namespace, Origin::Member);
            all.extend(own.into_iter().map(|f| f.id));
        });
    }

    /// Adds the other definitions of the same symbol: repeated assignments, declarations, C++
    /// constructors.
    pub(crate) fn add_same_symbol(&self, id: DefId, all: &mut FxHashSet<DefId>) {
        if !all.insert(id) {
            return;
        }
        let facts = self.facts(id.file);
        let def = self.def(id);
        if id.def == 0 {
            return;
        }
        // A fresh binding (`let` again in Rust) or an import is a symbol of its own, and so is each
        // overload of Java and C++: equal names in one scope are not one symbol there.
        let separate = def.flags.has(Flags::FRESH) || def.kind == DefinitionKind::Import;
        let overloads = matches!(facts.language.id(), "java" | "cpp") && def.kind.is_callable();
        if !separate && !overloads {
            for &other in facts.definitions_in_scope(def.scope, def.name) {
                let o = &facts.definitions[other as usize];
                if o.namespace.has(def.namespace)
                    && !o.flags.has(Flags::FRESH)
                    && o.kind != DefinitionKind::Import
                {
                    all.insert(DefId { file: id.file, def: other });
                }
            }
        }
        if matches!(facts.language.id(), "c" | "cpp") && facts.is_reachable(id.def) {
            all.extend(self.redeclarations(id, true));
            self.add_cpp_constructors(id, all);
        }
    }

    /// Whether other files can refer to a definition: its file exports it, or they include that
    /// file.
    pub(crate) fn is_visible_to_other_files(&self, id: DefId) -> bool {
        let facts = self.facts(id.file);
        facts.is_reachable(id.def)
            || matches!(facts.language.id(), "c" | "cpp")
                && facts.is_outermost(id.def)
                && self.is_includable(id.file)
    }

    /// Whether a file is made to be included: anything but a source file of C, C++ or Objective-C.
    fn is_includable(&self, file: FileId) -> bool {
        let path = self.path(file);
        !path.rsplit_once('.').is_some_and(|(_, end)| {
            matches!(end, "c" | "cc" | "cpp" | "cxx" | "c++" | "C" | "m" | "mm")
        })
    }

    /// Adds the constructors of a C++ class: they share its name, so they are renamed with it.
    fn add_cpp_constructors(&self, id: DefId, all: &mut FxHashSet<DefId>) {
        let facts = self.facts(id.file);
        let def = self.def(id);
        let class = matches!(def.kind, DefinitionKind::Class | DefinitionKind::Struct);
        if facts.language.id() != "cpp" || !class || def.body == NONE {
            return;
        }
        for &other in facts.definitions_in_scope(def.body, def.name) {
            if facts.definitions[other as usize].kind.is_callable() {
                let constructor = DefId { file: id.file, def: other };
                if all.insert(constructor) {
                    all.extend(self.redeclarations(constructor, true));
                }
            }
        }
    }

    /// Adds the override set of a member: the members it overrides or implements, and those that
    /// override them.
    fn add_override_set(&self, id: DefId, all: &mut FxHashSet<DefId>) {
        let facts = self.facts(id.file);
        let def = self.def(id);
        let owner = facts.scopes.get(def.scope as usize).map_or(NONE, |s| s.owner);
        if owner == NONE || owner == 0 || !facts.definitions[owner as usize].kind.is_type() {
            return;
        }
        let name = facts.strings.text(def.name);
        let mut types = vec![DefId { file: id.file, def: owner }];
        let mut seen: FxHashSet<DefId> = types.iter().copied().collect();
        // Up first, to every type that declares the member; then down from those. Starting
        // downwards would miss siblings that share only the topmost declaration.
        let mut at = 0;
        while at < types.len() && types.len() < MAX_HIERARCHY_TYPES {
            for supertype in self.supertypes(types[at]) {
                if let Ty::Type(supertype, _) = supertype
                    && seen.insert(supertype)
                {
                    types.push(supertype);
                }
            }
            at += 1;
        }
        types.retain(|t| !self.own_members(*t, name).is_empty());
        let mut at = 0;
        let mut seen: FxHashSet<DefId> = types.iter().copied().collect();
        while at < types.len() && types.len() < MAX_HIERARCHY_TYPES {
            for subtype in self.direct_subtypes(types[at]) {
                if seen.insert(subtype) {
                    types.push(subtype);
                }
            }
            at += 1;
        }
        for ty in types {
            for member in self.own_members(ty, name) {
                self.add_same_symbol(member.id, all);
            }
        }
    }

    /// The name to search for. A default export without a name of its own is mostly used under the
    /// name that importing files give it: the name that the query was made at.
    fn search_name(&self, symbol: &FxHashSet<DefId>) -> &str {
        let Some(&first) = symbol.iter().min() else { return "" };
        let def = self.def(first);
        let own = self.facts(first.file).strings.text(def.name);
        if own != "default" || def.name_start < def.name_end {
            return own;
        }
        let asked = self.queried_name.borrow();
        asked.as_ref().map_or(own, |(file, name_id)| self.facts(*file).strings.text(*name_id))
    }

    /// All uses of the definitions, and the definitions themselves, in order of file and position.
    pub(crate) fn find_uses(&self, symbol: &FxHashSet<DefId>) -> Vec<Target> {
        let mut targets = Vec::new();
        let Some(&first) = symbol.iter().min() else { return targets };
        let name = self.search_name(symbol);
        for &id in symbol {
            let def = self.def(id);
            if id.def != 0 && !def.flags.has(Flags::HIDDEN)
                || def.flags.has(Flags::EXPORTED) && def.name_start < def.name_end
            {
                targets.push(self.name_target(
                    id.file,
                    def.name_start,
                    def.name_end,
                    Origin::SameFile,
                ));
            }
        }
        // Files outside of this build are searched only for definitions that are all outside of it,
        // too.
        let is_in_build = symbol.iter().any(|id| !self.is_excluded_from_build(id.file));
        let is_file_local = symbol.iter().all(|id| {
            !self.is_visible_to_other_files(*id)
                && !self.def(*id).flags.has(Flags::HIDDEN)
                && self.def(*id).kind != DefinitionKind::Parameter
        });
        let is_module = first.def == 0;
        if is_module && self.language(first.file) == "go" {
            return self.find_package_uses(first.file);
        }
        let files: Vec<FileId> = if is_file_local {
            vec![first.file]
        } else if is_module {
            let own = self.index.files().map(|(file, ..)| file);
            own.take(MAX_FILES).collect()
        } else {
            let postings = self.index.names.get(name);
            let all = postings.into_iter().flat_map(|p| p.defined.iter().chain(&p.used).copied());
            // Dependencies are not searched, except for the files that define the name.
            let library = symbol.iter().map(|id| id.file).filter(|f| self.index.is_dependency(*f));
            let library: FxHashSet<FileId> = library.collect();
            library.into_iter().chain(all).take(MAX_FILES).collect()
        };
        let mut aliases = Aliases::default();
        aliases.skip(name);
        let mut file_budget = MAX_FILES.saturating_sub(files.len());
        self.index.unpack_all(&files);
        for file in files {
            if is_in_build && self.is_excluded_from_build(file) {
                continue;
            }
            self.collect_uses_in_file(file, name, is_module, symbol, &mut targets, &mut aliases);
        }
        self.seed_aliases(symbol, &mut aliases);
        // Imports may rename: `import { a as b }`. Each new name costs another scan, and all scans
        // share one budget of files.
        while let Some(alias) = aliases.pop() {
            let files =
                alias.file.map_or_else(|| self.files_containing(&alias.name), |file| vec![file]);
            if files.len() > file_budget {
                continue;
            }
            file_budget -= files.len();
            self.index.unpack_all(&files);
            for file in files {
                if is_in_build && self.is_excluded_from_build(file) {
                    continue;
                }
                self.collect_uses_in_file(
                    file,
                    &alias.name,
                    false,
                    symbol,
                    &mut targets,
                    &mut aliases,
                );
            }
        }
        targets.sort_by_key(|t| (t.file, t.name_span.start));
        targets.dedup_by_key(|t| (t.file, t.name_span.start));
        targets
    }

    /// The same for a single file, as spans.
    pub(crate) fn find_uses_in_file(
        &self,
        file: FileId,
        symbol: &FxHashSet<DefId>,
    ) -> Vec<std::ops::Range<usize>> {
        let mut out = Vec::new();
        let Some(&first) = symbol.iter().min() else { return Vec::new() };
        let name = self.facts(first.file).strings.text(self.def(first).name);
        for &id in symbol.iter().filter(|id| id.file == file && id.def != 0) {
            let def = self.def(id);
            if def.name_start < def.name_end
                && (!def.flags.has(Flags::HIDDEN) || def.flags.has(Flags::EXPORTED))
            {
                out.push(self.name_target(file, def.name_start, def.name_end, Origin::SameFile));
            }
        }
        let mut aliases = Aliases::default();
        self.collect_uses_in_file(file, name, first.def == 0, symbol, &mut out, &mut aliases);
        self.seed_aliases(symbol, &mut aliases);
        while let Some(alias) = aliases.pop() {
            self.collect_uses_in_file(file, &alias.name, false, symbol, &mut out, &mut aliases);
        }
        let mut spans: Vec<_> = out.into_iter().map(|t| t.name_span).collect();
        spans.sort_by_key(|s| s.start);
        spans.dedup();
        spans
    }

    /// The names to start the alias search with: the one at the query, and `default` for an unnamed
    /// default export.
    fn seed_aliases(&self, symbol: &FxHashSet<DefId>, aliases: &mut Aliases) {
        if let Some((file, name_id)) = *self.queried_name.borrow() {
            aliases.push(self.facts(file).strings.text(name_id), Some(file));
        }
        let unnamed = |id: &&DefId| {
            let def = self.def(**id);
            def.name_start == def.name_end && def.flags.has(Flags::EXPORTED) && id.def != 0
        };
        for id in symbol.iter().filter(unnamed) {
            let facts = self.facts(id.file);
            aliases.push(facts.strings.text(self.def(*id).name), None);
        }
    }

    /// Adds the uses of `name` in a file, and the other names that the file's imports give the
    /// definitions.
    fn collect_uses_in_file(
        &self,
        file: FileId,
        name: &str,
        is_module: bool,
        symbol: &FxHashSet<DefId>,
        targets: &mut Vec<Target>,
        aliases: &mut Aliases,
    ) {
        let facts = self.facts(file);
        let name_id = facts.strings.find(name);
        if name_id.is_none() && !is_module {
            return;
        }
        let is_use = |f: &Resolution| symbol.contains(&f.id);
        let is_java_constructor = facts.language.id() == "java"
            && symbol.iter().any(|id| self.def(*id).kind == DefinitionKind::Constructor);
        let mut used = FxHashSet::default();
        for (r, reference) in facts.references.iter().enumerate() {
            if !is_module && Some(reference.name) != name_id {
                continue;
            }
            self.reset_steps();
            let found = self.definitions_of_reference(file, r as u32);
            let called = is_java_constructor
                .then(|| self.constructors_called_by(file, r as u32, found.to_vec()));
            let found = called.as_deref().unwrap_or(&found);
            if let Some(f) = found.iter().find(|f| is_use(f)) {
                used.insert(r as u32);
                targets.push(self.name_target(file, reference.start, reference.end, f.origin));
            }
        }
        let Some(name_id) = name_id else { return };
        if !is_module {
            self.collect_aliases(file, name_id, &used, symbol, aliases);
        }
        for &d in facts.definitions_named(name_id) {
            let def = &facts.definitions[d as usize];
            if def.flags.has(Flags::INSTANCE) && facts.language.id() == "python" {
                // In Python an assignment to `self.x` in a subclass is a use of the attribute that
                // a base class declares.
                let id = DefId { file, def: d };
                self.reset_steps();
                if !symbol.contains(&id) && self.declared_attribute(id).iter().any(is_use) {
                    targets.push(self.name_target(
                        file,
                        def.name_start,
                        def.name_end,
                        Origin::Member,
                    ));
                }
                continue;
            }
            let id = DefId { file, def: d };
            let follows = def.kind == DefinitionKind::Import || self.is_followed_variable(id, def);
            if !follows || def.name_start == def.name_end {
                continue;
            }
            self.reset_steps();
            let resolved = self.follow_import(Resolution { id, origin: Origin::SameFile });
            if resolved.iter().any(is_use) {
                targets.push(self.name_target(file, def.name_start, def.name_end, Origin::Import));
            }
        }
    }

    /// Resets the step budget: each reference of a search may cost as much as a single query.
    pub(crate) fn reset_steps(&self) {
        self.steps.set(0);
    }

    pub(super) fn name_target(&self, file: FileId, start: u32, end: u32, origin: Origin) -> Target {
        let span = start as usize..end as usize;
        Target {
            file,
            span: span.clone(),
            name_span: span,
            origin,
            confidence: origin.confidence(),
        }
    }
}
