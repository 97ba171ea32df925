//! First pass of completion: gathers the names that may be visible at a place, including some that
//! are not.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{NONE, Ref};
use crate::fuzzy::FuzzyPattern;
use crate::index::FileId;
use crate::project::{Module, parent};
use crate::resolve::languages::rules;
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

/// Limit for the files, scopes and types that are visited.
const MAX_VISITED: usize = 3_000;

/// Limit for linkable names.
const MAX_LINKABLE: usize = 400;

/// Names that match what is typed, each once, in the order in which they were found.
pub(crate) struct GatheredNames<'i, 'p> {
    file: FileId,
    pattern: &'p FuzzyPattern,
    names: Vec<&'i str>,
    added: FxHashSet<&'i str>,
    scopes: FxHashSet<(FileId, u32)>,
    types: FxHashSet<DefId>,
    /// The first top-level definition of each name in included files.
    included_definitions: FxHashMap<&'i str, DefId>,
    max_names: usize,
}

impl<'i, 'p> GatheredNames<'i, 'p> {
    pub(crate) fn new(file: FileId, pattern: &'p FuzzyPattern, max_names: usize) -> Self {
        Self {
            file,
            pattern,
            names: Vec::new(),
            added: FxHashSet::default(),
            scopes: FxHashSet::default(),
            types: FxHashSet::default(),
            included_definitions: FxHashMap::default(),
            max_names,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &'i str> {
        self.names.iter().copied()
    }

    /// Whether the limit is reached.
    pub(super) fn is_full(&self) -> bool {
        self.names.len() >= self.max_names
    }

    /// The top-level definition of a name in an included file.
    pub(super) fn included_definition(&self, name: &str) -> Option<DefId> {
        self.included_definitions.get(name).copied()
    }

    pub(super) fn add(&mut self, name: &'i str) {
        if !name.is_empty()
            && !self.is_full()
            && !self.added.contains(name)
            && self.pattern.matches_word_start(name)
        {
            self.added.insert(name);
            self.names.push(name);
        }
    }

    /// Marks a scope as visited; false if it was visited before or the limit is reached.
    fn visit(&mut self, file: FileId, scope: u32) -> bool {
        self.scopes.len() < MAX_VISITED && self.scopes.insert((file, scope))
    }
}

impl<'i> Resolver<'i> {
    /// Gathers the names of the scopes around a place, and of the package that the language puts
    /// around the file.
    pub(crate) fn gather_visible(
        &self,
        file: FileId,
        reference: &Ref,
        out: &mut GatheredNames<'i, '_>,
    ) {
        let facts = self.facts(file);
        let mut at = reference.scope;
        while at != NONE {
            let scope = &facts.scopes[at as usize];
            if out.visit(file, at) {
                self.add_scope_names(file, at, out);
            }
            if scope.kind == ScopeKind::Open {
                let ty = self.scope_type(file, at);
                self.gather_members(&ty, out);
                if scope.subject.is_some() {
                    self.gather_around_type(&ty, out);
                }
            }
            if scope.kind == ScopeKind::Namespace && scope.owner != NONE {
                self.gather_namespace(file, scope.owner, out);
            }
            self.gather_globs(file, at, out);
            if scope.kind == ScopeKind::Module {
                break;
            }
            at = scope.parent;
        }
        self.gather_files(rules(self.language(file)).files_around(self, file), out);
    }

    /// Gathers linkable names of the workspace.
    pub(super) fn gather_linkable(&self, out: &mut GatheredNames<'i, '_>) {
        self.names_matching(out.pattern, MAX_LINKABLE).for_each(|name| out.add(name));
    }

    /// Gathers the names of a type's or module's members.
    pub(crate) fn gather_members(&self, ty: &Ty, out: &mut GatheredNames<'i, '_>) {
        match ty {
            Ty::Module(file, scope) => self.gather_module(*file, *scope, out),
            Ty::Folder(module) => self.gather_folder(module, out),
            Ty::Type(id, _) | Ty::Instance(id, _) | Ty::Function(id) => self.gather_type(*id, out),
            Ty::Object(file, scope) if out.visit(*file, *scope) => {
                self.add_scope_names(*file, *scope, out);
                let subject = self.facts(*file).scopes[*scope as usize].subject;
                if subject.is_some() {
                    self.gather_members(&self.type_of_value(*file, subject), out);
                }
            }
            Ty::Parameter(id) => {
                let bound = self.type_of_value(id.file, self.def(*id).value).instance();
                if !matches!(bound, Ty::Parameter(_)) {
                    self.gather_members(&bound, out);
                }
            }
            Ty::Union(all) => all.iter().for_each(|ty| self.gather_members(ty, out)),
            Ty::Super(id) => {
                for above in self.supertypes(*id) {
                    self.gather_members(&above, out);
                }
            }
            _ => {}
        }
    }

    /// Gathers the members of a type, its extensions and its supertypes.
    fn gather_type(&self, id: DefId, out: &mut GatheredNames<'i, '_>) {
        if out.types.len() > MAX_VISITED || !out.types.insert(id) {
            return;
        }
        let facts = self.facts(id.file);
        let def = self.def(id);
        if def.body != NONE {
            self.add_scope_names(id.file, def.body, out);
        }
        if def.kind == DefinitionKind::Enum && matches!(facts.language.id(), "c" | "cpp") {
            self.add_scope_names(id.file, def.scope, out);
        }
        // Other declarations of the same type.
        for &other in facts.definitions_in_scope(def.scope, def.name) {
            let body = facts.definitions[other as usize].body;
            if body != NONE && body != def.body {
                self.add_scope_names(id.file, body, out);
            }
        }
        let mut interfaces = Vec::new();
        self.each_extension(id, &mut |file, extension| {
            self.add_scope_names(file, extension.scope, out);
            if extension.interface.is_some() {
                interfaces.push((file, extension.interface));
            }
        });
        for (file, interface) in interfaces {
            self.gather_members(&self.type_of_value(file, interface), out);
        }
        if def.kind == DefinitionKind::TypeAlias && def.value.is_some() {
            self.gather_members(&self.type_of_value(id.file, def.value).instance(), out);
        }
        for above in self.supertypes(id) {
            self.gather_members(&above, out);
        }
    }

    /// Gathers the names of a module.
    fn gather_module(&self, file: FileId, scope: u32, out: &mut GatheredNames<'i, '_>) {
        if !out.visit(file, scope) {
            return;
        }
        self.add_scope_names(file, scope, out);
        let facts = self.facts(file);
        let at = &facts.scopes[scope as usize];
        if at.kind == ScopeKind::Namespace && at.owner != NONE {
            self.gather_namespace(file, at.owner, out);
        }
        match self.language(file) {
            "javascript" | "typescript" | "tsx" if scope == 0 => {
                let exports = facts.strings.find("exports").unwrap_or(NONE);
                for &def in facts.definitions_in_scope(0, exports) {
                    let def = &facts.definitions[def as usize];
                    if def.flags.has(Flags::HIDDEN) {
                        self.gather_members(&self.type_of_value(file, def.value), out);
                    }
                }
            }
            "python" if scope == 0 && self.path(file).ends_with("/__init__.py") => {
                self.add_python_modules(parent(self.path(file)), out);
            }
            _ => {}
        }
        self.gather_globs(file, scope, out);
    }

    /// Gathers the names of a scope's glob imports; for an include also of what it includes.
    fn gather_globs(&self, file: FileId, scope: u32, out: &mut GatheredNames<'i, '_>) {
        let facts = self.facts(file);
        let include = scope == 0 && matches!(facts.language.id(), "c" | "cpp");
        for glob in facts.globs.iter().filter(|g| g.scope == scope || include) {
            self.gather_members(&self.type_of_value(file, glob.module), out);
        }
    }

    /// Gathers the names of a namespace's other parts.
    fn gather_namespace(&self, file: FileId, owner: u32, out: &mut GatheredNames<'i, '_>) {
        let facts = self.facts(file);
        let own = facts.strings.text(facts.definitions[owner as usize].name);
        for file in self.files_containing(own).into_iter().take(MAX_VISITED) {
            let other = self.facts(file);
            let Some(number) = other.strings.find(own) else { continue };
            for &d in other.definitions_named(number) {
                let def = &other.definitions[d as usize];
                if def.kind == DefinitionKind::Namespace
                    && def.body != NONE
                    && out.visit(file, def.body)
                {
                    self.add_scope_names(file, def.body, out);
                }
            }
        }
    }

    /// Gathers the members of the types that a type is nested in.
    fn gather_around_type(&self, ty: &Ty, out: &mut GatheredNames<'i, '_>) {
        let (Ty::Type(id, _) | Ty::Instance(id, _)) = ty else { return };
        let facts = self.facts(id.file);
        let mut scope = self.def(*id).scope;
        while let Some(at) = facts.scopes.get(scope as usize) {
            if at.kind == ScopeKind::Open && at.owner != NONE {
                self.gather_type(DefId { file: id.file, def: at.owner }, out);
            }
            scope = at.parent;
        }
    }

    fn gather_folder(&self, module: &Module, out: &mut GatheredNames<'i, '_>) {
        match module {
            Module::Folder(folder) => {
                self.gather_files(self.project().in_folder(folder), out);
                self.add_python_modules(folder, out);
            }
            Module::Package(name) | Module::Namespace(name) => {
                self.gather_files(self.project().in_package(name), out);
            }
            Module::File(file) => self.gather_module(*file, 0, out),
        }
    }

    fn gather_files(&self, files: &'i [FileId], out: &mut GatheredNames<'i, '_>) {
        for &file in files.iter().take(MAX_VISITED) {
            if self.language(file) != "python" && out.visit(file, 0) {
                self.add_scope_names(file, 0, out);
            }
        }
    }

    /// Adds the Python modules in a folder.
    pub(super) fn add_python_modules(&self, folder: &str, out: &mut GatheredNames<'i, '_>) {
        for &file in self.project().in_folder(folder).iter().take(MAX_VISITED) {
            let name = self.path(file).rsplit('/').next().unwrap_or("");
            if let Some(name) = name.strip_suffix(".py").filter(|n| *n != "__init__") {
                out.add(name);
            }
        }
        for child in self.project().folders_in(folder) {
            out.add(child);
        }
    }

    /// Adds the names that a scope defines.
    fn add_scope_names(&self, file: FileId, scope: u32, out: &mut GatheredNames<'i, '_>) {
        let facts = self.facts(file);
        let included = scope == 0 && file != out.file && matches!(facts.language.id(), "c" | "cpp");
        let mut last = NONE;
        for &d in facts.all_in_scope(scope) {
            let def = &facts.definitions[d as usize];
            if def.name != last && !def.flags.has(Flags::HIDDEN) {
                last = def.name;
                let name = facts.strings.text(def.name);
                let before = out.names.len();
                out.add(name);
                if included
                    && out.names.len() > before
                    && !facts.is_for_other_platform(def.name_start)
                {
                    out.included_definitions.insert(name, DefId { file, def: d });
                }
            }
        }
    }
}
