//! Go: `:=`, files excluded from a build, package clauses.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::{DefId, Resolution, Resolver, Ty};
use crate::facts::{NONE, NameSite, ReferenceRole};
use crate::index::FileId;
use crate::origin::{Origin, Target};
use crate::project::Module;
use crate::vocabulary::{DefinitionKind, Flags, Namespace};

impl Resolver<'_> {
    /// The variable that `:=` assigns to: it declares only names that its scope does not have yet.
    pub(super) fn variable_assigned_by_short_declaration(&self, id: DefId) -> Option<DefId> {
        let facts = self.facts(id.file);
        let def = self.def(id);
        let variable = |kind| matches!(kind, DefinitionKind::Variable | DefinitionKind::Parameter);
        if facts.language.id() != "go" || !variable(def.kind) || def.scope == 0 {
            return None;
        }
        let first = *facts.definitions_in_scope(def.scope, def.name).first()?;
        (first != id.def && variable(facts.definitions[first as usize].kind))
            .then_some(DefId { file: id.file, def: first })
    }

    /// A predeclared name of Go (`len`, `error`), as the package `builtin` documents it.
    pub(super) fn predeclared_definition(&self, file: FileId, reference: u32) -> Vec<Resolution> {
        let facts = self.facts(file);
        let reference = &facts.references[reference as usize];
        if facts.language.id() != "go" || reference.role != ReferenceRole::Plain {
            return Vec::new();
        }
        let name = facts.strings.text(reference.name);
        // Capitalized names in `builtin` are placeholders for type parameters.
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
            return Vec::new();
        }
        let project = &self.index.project;
        let Some(Module::Folder(folder)) = project.module(file, "go", "builtin", 0) else {
            return Vec::new();
        };
        let files = project.in_folder(&folder).iter();
        let named = files.flat_map(|&file| {
            let facts = self.facts(file);
            let name_id = facts.strings.find(name);
            let all = name_id.map(|n| facts.definitions_in_scope(0, n)).unwrap_or_default();
            all.iter().map(move |&def| DefId { file, def })
        });
        named.map(|id| Resolution { id, origin: Origin::Package }).take(1).collect()
    }

    /// Whether a build for this machine excludes a file, by its build constraint or its file name.
    pub(crate) fn is_excluded_from_build(&self, file: FileId) -> bool {
        let facts = self.facts(file);
        facts.language.id() == "go"
            && (facts.definitions[0].flags.has(Flags::INACTIVE)
                || crate::project::is_for_other_platform(self.path(file)))
    }

    /// Of definitions for several builds keeps those of this machine, unless there are none.
    pub(super) fn keep_active_builds(&self, found: &mut Vec<Resolution>) {
        if found.len() > 1 && found.iter().any(|f| !self.is_excluded_from_build(f.id.file)) {
            found.retain(|f| !self.is_excluded_from_build(f.id.file));
        }
    }

    /// The same definition in files for other builds.
    pub(crate) fn definitions_for_other_builds(&self, id: DefId) -> Vec<DefId> {
        let def = self.def(id);
        if self.language(id.file) != "go" {
            return Vec::new();
        }
        let name = self.facts(id.file).strings.text(def.name);
        let owner = self.container_name(id);
        let one = |other: &DefId| {
            let o = self.def(*other);
            *other != id
                && other.file != id.file
                && o.kind.is_callable() == def.kind.is_callable()
                && (o.scope == 0) == (def.scope == 0)
                && self.folder(other.file) == self.folder(id.file)
                && self.package_of(other.file) == self.package_of(id.file)
                && (self.is_excluded_from_build(other.file) || self.is_excluded_from_build(id.file))
                && self.facts(other.file).is_reachable(other.def)
                && self.container_name(*other) == owner
        };
        self.definitions_if_few(name).map_or_else(Vec::new, |all| all.filter(one).collect())
    }

    /// The package clause that represents a package: the one with the documentation, else that of
    /// `file`.
    pub(super) fn package_clause(&self, file: FileId) -> Option<Vec<Resolution>> {
        let facts = self.facts(file);
        let own = &facts.definitions[0];
        if facts.language.id() != "go" || facts.package == NONE || own.name_end == 0 {
            return None;
        }
        let clause = |file| Resolution { id: DefId { file, def: 0 }, origin: Origin::Package };
        let documented = self.package_files(file).into_iter().find(|&f| {
            self.facts(f).definitions[0].flags.has(Flags::DOCUMENTED)
                && !self.is_excluded_from_build(f)
        });
        Some(vec![clause(documented.unwrap_or(file))])
    }

    /// Drops definitions in test files of other folders: those are not importable.
    pub(super) fn drop_unimportable_tests(&self, file: FileId, found: &mut Vec<Resolution>) {
        let folder = self.folder(file);
        found.retain(|f| {
            self.folder(f.id.file) == folder || !crate::project::is_go_test(self.path(f.id.file))
        });
    }

    /// The files of a file's package, in order of their paths.
    pub(super) fn package_files(&self, file: FileId) -> Vec<FileId> {
        let all = self.index.project.in_folder(self.folder(file)).iter().copied();
        let mut all: Vec<FileId> = all
            .filter(|&f| self.language(f) == "go" && self.package_of(f) == self.package_of(file))
            .collect();
        all.sort_by_key(|&f| self.path(f));
        all
    }

    /// Methods through which the given methods may be called dynamically: calls of those may run
    /// these.
    pub(crate) fn dynamically_related(&self, symbol: &FxHashSet<DefId>) -> FxHashSet<DefId> {
        let all = symbol.iter().flat_map(|&id| match self.language(id.file) {
            "go" => self.interface_counterparts(id),
            "java" => self.implemented_and_overriding_methods(id),
            _ => Vec::new(),
        });
        all.filter(|id| !symbol.contains(id)).collect()
    }

    /// The methods that may run for an interface's method, or the interface methods that a method
    /// implements.
    fn interface_counterparts(&self, id: DefId) -> Vec<DefId> {
        let Some(ty) = self.container_type(id).filter(|_| self.def(id).kind.is_callable()) else {
            return Vec::new();
        };
        let name = self.facts(id.file).strings.text(self.def(id).name);
        let mut types = self.go_implemented_interfaces(ty, name);
        if self.is_go_interface(ty) {
            types.extend(self.go_implementing_types(ty));
        }
        let methods = types.into_iter().flat_map(|ty| {
            self.reset_steps();
            let value = Ty::Instance(ty, Ty::no_arguments());
            self.members_named(&value, name, Namespace::ANY)
        });
        methods.map(|f| f.id).filter(|m| self.def(*m).kind.is_callable()).collect()
    }

    /// The field that an embedded type declares at a site.
    pub(super) fn embedded_field(&self, file: FileId, site: NameSite) -> Option<Resolution> {
        let NameSite::Reference(r) = site else { return None };
        let facts = self.facts(file);
        let reference = facts.references.get(r as usize)?;
        if facts.language.id() != "go" {
            return None;
        }
        let def = facts.definitions_named(reference.name).iter().copied().find(|&d| {
            let def = &facts.definitions[d as usize];
            def.name_start == reference.start
                && def.kind == DefinitionKind::Field
                && def.flags.has(Flags::EMBEDDED)
        })?;
        Some(Resolution { id: DefId { file, def }, origin: Origin::SameFile })
    }

    /// What `range` yields: keys and values, received values, or the arguments of a `yield`
    /// function.
    pub(super) fn range_types(&self, of: &Ty) -> Rc<[Ty]> {
        match of {
            Ty::Named(name, parts) if matches!(&**name, "dict" | "chan") => parts.clone(),
            Ty::Signature(_, parameters) => match parameters.first() {
                Some(Ty::Signature(_, yielded)) => yielded.clone(),
                _ => Rc::new([]),
            },
            Ty::Instance(id, arguments) => match self.aliased_type(*id, arguments) {
                Some(under @ (Ty::Named(..) | Ty::Signature(..))) => self.range_types(&under),
                _ => Rc::new([Ty::Unknown, self.element_type(of)]),
            },
            of => Rc::new([Ty::Unknown, self.element_type(of)]),
        }
    }

    /// The clauses of a file's package, and all imports of the package.
    pub(super) fn find_package_uses(&self, file: FileId) -> Vec<Target> {
        let mut out = Vec::new();
        for file in self.package_files(file) {
            let own = &self.facts(file).definitions[0];
            if !self.is_excluded_from_build(file) && own.name_end > 0 {
                out.push(self.name_target(file, own.name_start, own.name_end, Origin::Package));
            }
        }
        crate::dependency_tracking::record_everything();
        for &other in self.index.files.keys() {
            let facts = self.facts(other);
            if facts.language.id() != "go" || self.is_excluded_from_build(other) {
                continue;
            }
            for def in facts.definitions.iter().filter(|d| d.kind == DefinitionKind::Import) {
                self.reset_steps();
                if let Ty::Folder(module) = self.type_of_value(other, def.value)
                    && matches!(&*module, Module::Folder(f) if **f == *self.folder(file))
                {
                    out.push(self.name_target(other, def.name_start, def.name_end, Origin::Import));
                }
            }
        }
        out.sort_by_key(|t| (t.file, t.name_span.start));
        out.dedup_by_key(|t| (t.file, t.name_span.start));
        out
    }

    /// The fields that embed a type, or the type that a field embeds: both share one name.
    pub(crate) fn embedded_counterparts(&self, id: DefId) -> Vec<DefId> {
        let facts = self.facts(id.file);
        if facts.language.id() != "go" {
            return Vec::new();
        }
        let def = self.def(id);
        let at = |file: FileId, start: u32, name: u32| {
            let all = &self.facts(file).references;
            let found = all.iter().position(|r| r.name == name && r.start == start);
            found.map_or_else(Vec::new, |r| self.definitions_of_reference(file, r as u32).to_vec())
        };
        if def.kind == DefinitionKind::Field {
            return at(id.file, def.name_start, def.name).into_iter().map(|f| f.id).collect();
        }
        if !def.kind.is_type() {
            return Vec::new();
        }
        let name = facts.strings.text(def.name);
        let mut all = Vec::new();
        for file in self.files_containing(name) {
            let facts = self.facts(file);
            let Some(name_id) = facts.strings.find(name) else { continue };
            for &field in facts.definitions_named(name_id) {
                let d = &facts.definitions[field as usize];
                self.reset_steps();
                if d.kind == DefinitionKind::Field
                    && at(file, d.name_start, name_id).iter().any(|f| f.id == id)
                {
                    all.push(DefId { file, def: field });
                }
            }
        }
        all
    }
}
