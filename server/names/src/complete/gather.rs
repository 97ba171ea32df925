//! Gathers the names that may mean something at a place: more than do.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{NONE, Ref};
use crate::fuzzy::Pattern;
use crate::index::FileId;
use crate::project::{Module, parent};
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

/// Most files whose names are looked at one after the other.
const FILES: usize = 3_000;

/// Most names that could be linked.
const LINKED: usize = 400;

/// Names that answer to what is typed, each once, in the order in which they were found.
pub(crate) struct Gathered<'i, 'p> {
    file: FileId,
    pattern: &'p Pattern,
    names: Vec<&'i str>,
    known: FxHashSet<&'i str>,
    scopes: FxHashSet<(FileId, u32)>,
    types: FxHashSet<DefId>,
    /// What the names at the top of included files mean, the first of each.
    places: FxHashMap<&'i str, DefId>,
    most: usize,
}

impl<'i, 'p> Gathered<'i, 'p> {
    pub(crate) fn new(file: FileId, pattern: &'p Pattern, most: usize) -> Self {
        Self {
            file,
            pattern,
            names: Vec::new(),
            known: FxHashSet::default(),
            scopes: FxHashSet::default(),
            types: FxHashSet::default(),
            places: FxHashMap::default(),
            most,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &'i str> {
        self.names.iter().copied()
    }

    /// Whether there were more names than are looked at.
    pub(super) fn cut(&self) -> bool {
        self.names.len() >= self.most
    }

    /// What a name at the top of an included file means.
    pub(super) fn known_place(&self, name: &str) -> Option<DefId> {
        self.places.get(name).copied()
    }

    pub(super) fn offer(&mut self, name: &'i str) {
        if !name.is_empty()
            && !self.cut()
            && !self.known.contains(name)
            && self.pattern.begins(name)
        {
            self.known.insert(name);
            self.names.push(name);
        }
    }

    /// Whether a scope is met for the first time, and there is room for more.
    fn enter(&mut self, file: FileId, scope: u32) -> bool {
        self.scopes.len() < FILES && self.scopes.insert((file, scope))
    }
}

impl<'i> Resolver<'i> {
    /// The names that the scopes around a place may give it, and what the language puts around its
    /// file.
    pub(crate) fn gather_visible(&self, file: FileId, reference: &Ref, out: &mut Gathered<'i, '_>) {
        let facts = self.facts(file);
        let mut at = reference.scope;
        while at != NONE {
            let scope = &facts.scopes[at as usize];
            if out.enter(file, at) {
                self.offer_scope(file, at, out);
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
        match self.language(file) {
            "go" => {
                let folder = parent(self.path(file));
                self.gather_files(self.project().in_folder(folder), out);
            }
            "java" => {
                let package = facts.strings.text(facts.package);
                self.gather_files(self.project().in_package(package), out);
            }
            _ => {}
        }
    }

    /// Names of the workspace that could be linked.
    pub(super) fn gather_linked(&self, out: &mut Gathered<'i, '_>) {
        self.names_like(out.pattern, LINKED).for_each(|name| out.offer(name));
    }

    /// The names that the members of something may have.
    pub(crate) fn gather_members(&self, ty: &Ty, out: &mut Gathered<'i, '_>) {
        match ty {
            Ty::Module(file, scope) => self.gather_module(*file, *scope, out),
            Ty::Folder(module) => self.gather_folder(module, out),
            Ty::Type(id, _) | Ty::Instance(id, _) | Ty::Function(id) => self.gather_type(*id, out),
            Ty::Object(file, scope) if out.enter(*file, *scope) => {
                self.offer_scope(*file, *scope, out);
                let subject = self.facts(*file).scopes[*scope as usize].subject;
                if subject.is_some() {
                    self.gather_members(&self.eval(*file, subject), out);
                }
            }
            Ty::Parameter(id) => {
                let bound = self.eval(id.file, self.def(*id).value).instance();
                if !matches!(bound, Ty::Parameter(_)) {
                    self.gather_members(&bound, out);
                }
            }
            Ty::Union(all) => all.iter().for_each(|ty| self.gather_members(ty, out)),
            Ty::Above(id) => {
                for above in self.supers(*id) {
                    self.gather_members(&above, out);
                }
            }
            _ => {}
        }
    }

    fn gather_type(&self, id: DefId, out: &mut Gathered<'i, '_>) {
        if out.types.len() > FILES || !out.types.insert(id) {
            return;
        }
        let facts = self.facts(id.file);
        let def = self.def(id);
        if def.body != NONE {
            self.offer_scope(id.file, def.body, out);
        }
        if def.kind == DefinitionKind::Enum && matches!(facts.language.id(), "c" | "cpp") {
            self.offer_scope(id.file, def.scope, out);
        }
        // What other declarations of the type add.
        for &other in facts.in_scope(def.scope, def.name) {
            let body = facts.definitions[other as usize].body;
            if body != NONE && body != def.body {
                self.offer_scope(id.file, body, out);
            }
        }
        let mut interfaces = Vec::new();
        self.each_extension(id, &mut |file, extension| {
            self.offer_scope(file, extension.scope, out);
            if extension.interface.is_some() {
                interfaces.push((file, extension.interface));
            }
        });
        for (file, interface) in interfaces {
            self.gather_members(&self.eval(file, interface), out);
        }
        if def.kind == DefinitionKind::TypeAlias && def.value.is_some() {
            self.gather_members(&self.eval(id.file, def.value).instance(), out);
        }
        for above in self.supers(id) {
            self.gather_members(&above, out);
        }
    }

    fn gather_module(&self, file: FileId, scope: u32, out: &mut Gathered<'i, '_>) {
        if !out.enter(file, scope) {
            return;
        }
        self.offer_scope(file, scope, out);
        let facts = self.facts(file);
        let at = &facts.scopes[scope as usize];
        if at.kind == ScopeKind::Namespace && at.owner != NONE {
            self.gather_namespace(file, at.owner, out);
        }
        match self.language(file) {
            "javascript" | "typescript" | "tsx" if scope == 0 => {
                let exports = facts.strings.find("exports").unwrap_or(NONE);
                for &def in facts.in_scope(0, exports) {
                    let def = &facts.definitions[def as usize];
                    if def.flags.has(Flags::HIDDEN) {
                        self.gather_members(&self.eval(file, def.value), out);
                    }
                }
            }
            "python" if scope == 0 && self.path(file).ends_with("/__init__.py") => {
                self.offer_python_children(parent(self.path(file)), out);
            }
            _ => {}
        }
        self.gather_globs(file, scope, out);
    }

    /// What a scope imports as a whole; of an include all that it includes.
    fn gather_globs(&self, file: FileId, scope: u32, out: &mut Gathered<'i, '_>) {
        let facts = self.facts(file);
        let include = scope == 0 && matches!(facts.language.id(), "c" | "cpp");
        for glob in facts.globs.iter().filter(|g| g.scope == scope || include) {
            self.gather_members(&self.eval(file, glob.module), out);
        }
    }

    /// A namespace's other parts.
    fn gather_namespace(&self, file: FileId, owner: u32, out: &mut Gathered<'i, '_>) {
        let facts = self.facts(file);
        let own = facts.strings.text(facts.definitions[owner as usize].name);
        for file in self.files_with(own).into_iter().take(FILES) {
            let other = self.facts(file);
            let Some(number) = other.strings.find(own) else { continue };
            for &d in other.named(number) {
                let def = &other.definitions[d as usize];
                if def.kind == DefinitionKind::Namespace
                    && def.body != NONE
                    && out.enter(file, def.body)
                {
                    self.offer_scope(file, def.body, out);
                }
            }
        }
    }

    /// Members of the types that a type is nested in.
    fn gather_around_type(&self, ty: &Ty, out: &mut Gathered<'i, '_>) {
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

    fn gather_folder(&self, module: &Module, out: &mut Gathered<'i, '_>) {
        match module {
            Module::Folder(folder) => {
                self.gather_files(self.project().in_folder(folder), out);
                self.offer_python_children(folder, out);
            }
            Module::Package(package) => self.gather_files(self.project().in_package(package), out),
            Module::File(file) => self.gather_module(*file, 0, out),
        }
    }

    fn gather_files(&self, files: &'i [FileId], out: &mut Gathered<'i, '_>) {
        for &file in files.iter().take(FILES) {
            if self.language(file) != "python" && out.enter(file, 0) {
                self.offer_scope(file, 0, out);
            }
        }
    }

    /// The modules in a folder of Python's.
    pub(super) fn offer_python_children(&self, folder: &str, out: &mut Gathered<'i, '_>) {
        for &file in self.project().in_folder(folder).iter().take(FILES) {
            let name = self.path(file).rsplit('/').next().unwrap_or("");
            if let Some(name) = name.strip_suffix(".py").filter(|n| *n != "__init__") {
                out.offer(name);
            }
        }
        for child in self.project().folders_in(folder) {
            out.offer(child);
        }
    }

    fn offer_scope(&self, file: FileId, scope: u32, out: &mut Gathered<'i, '_>) {
        let facts = self.facts(file);
        let included = scope == 0 && file != out.file && matches!(facts.language.id(), "c" | "cpp");
        let mut last = NONE;
        for &d in facts.all_in_scope(scope) {
            let def = &facts.definitions[d as usize];
            if def.name != last && !def.flags.has(Flags::HIDDEN) {
                last = def.name;
                let name = facts.strings.text(def.name);
                let before = out.names.len();
                out.offer(name);
                if included && out.names.len() > before && !facts.is_foreign(def.name_start) {
                    out.places.insert(name, DefId { file, def: d });
                }
            }
        }
    }
}
