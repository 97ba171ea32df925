//! Names of modules, folders and packages, and the names that a file exports.

use super::languages::php;
use super::{DefId, Resolution, Resolver, Ty};
use crate::dependency_tracking::is_tracking;
use crate::facts::NONE;
use crate::index::FileId;
use crate::origin::Origin;
use crate::project::{Module, is_go_test, parent};
use crate::vocabulary::{DefinitionKind, Flags, Namespace};

/// Limit of the re-exports followed on the way to a name.
const MAX_CHAIN: u32 = 12;

impl Resolver<'_> {
    /// The module that a file refers to by a path or a name.
    pub(super) fn module(&self, file: FileId, name: &str, up: u32) -> Ty {
        match self.index.project.module(file, self.language(file), name, up) {
            Some(Module::File(found)) => Ty::Module(found, 0),
            Some(folder) => Ty::Folder(folder.into()),
            None => self.declared_module(file, name).unwrap_or(Ty::External),
        }
    }

    /// A module that is declared by its name: `declare module 'x'`.
    fn declared_module(&self, file: FileId, name: &str) -> Option<Ty> {
        if !matches!(self.language(file), "typescript" | "tsx" | "javascript") {
            return None;
        }
        let declared = |id: &DefId| {
            let def = self.def(*id);
            def.kind == DefinitionKind::Namespace && def.flags.has(Flags::WHOLE)
        };
        let postings = self.index.names.get(name)?;
        let all = postings.defined.iter().copied();
        let found = all.flat_map(|file| {
            let facts = self.facts(file);
            let name_id = facts.strings.find(name).unwrap_or(NONE);
            facts.definitions_named(name_id).iter().map(move |&def| DefId { file, def })
        });
        let found = found.into_iter().find(declared)?;
        Some(Ty::Module(found.file, self.def(found).body))
    }

    /// The definitions of a name in a module, seen from outside of it.
    pub(super) fn module_members(
        &self,
        file: FileId,
        scope: u32,
        name: &str,
        namespace: Namespace,
        depth: u32,
    ) -> Vec<Resolution> {
        self.members_of_module(file, scope, name, namespace, depth, true)
    }

    /// The same. With `own_imports`, names that the module imports without re-exporting them count,
    /// too.
    fn members_of_module(
        &self,
        file: FileId,
        scope: u32,
        name: &str,
        namespace: Namespace,
        depth: u32,
        own_imports: bool,
    ) -> Vec<Resolution> {
        if depth > MAX_CHAIN {
            return Vec::new();
        }
        let facts = self.facts(file);
        let ecma = matches!(self.language(file), "javascript" | "typescript" | "tsx");
        let declares = ecma && is_declaration_file(self.path(file));
        if let Some(name_id) = facts.strings.find(name) {
            let fits = |&d: &u32| {
                let def = &facts.definitions[d as usize];
                let visible = if ecma && scope == 0 {
                    // A declaration file (`.d.ts`) exports everything that it declares.
                    let declared = declares && def.kind != DefinitionKind::Import;
                    def.flags.has(Flags::EXPORTED) || declared
                } else {
                    !def.flags.has(Flags::HIDDEN)
                };
                let imported = def.kind == DefinitionKind::Import
                    && !own_imports
                    && !def.flags.has(Flags::EXPORTED);
                visible && !imported && def.namespace.has(namespace)
            };
            let mut own: Vec<u32> =
                facts.definitions_in_scope(scope, name_id).iter().copied().filter(fits).collect();
            let read = |d: &u32| !facts.definitions[*d as usize].flags.has(Flags::INACTIVE);
            let python = self.language(file) == "python";
            if !python && own.iter().any(read) {
                own.retain(read);
            }
            if own.len() > 1 && namespace == Namespace::ANY && self.language(file) == "rust" {
                // A module and a function may share a name; an import brings both.
                let all = own.into_iter().map(|def| DefId { file, def });
                return all.map(|id| Resolution { id, origin: Origin::Import }).collect();
            }
            if self.language(file) == "python" && scope == 0 {
                if let Some(found) = self.python_exported(file, &own, name) {
                    return found;
                }
            } else if own.len() > 1
                && own.iter().any(|&d| facts.definitions[d as usize].kind != DefinitionKind::Import)
                && !ecma
            {
                own.retain(|&d| facts.definitions[d as usize].kind != DefinitionKind::Import);
            }
            if !own.is_empty() {
                let found = self.select_definitions(file, scope, &own, facts.len, scope);
                return found
                    .into_iter()
                    .map(|f| Resolution { origin: Origin::Import, ..f })
                    .collect();
            }
        }
        if ecma && scope == 0 {
            let exports = self.common_js_exports(file, name, namespace);
            if !exports.is_empty() {
                return exports;
            }
            if facts.globs.iter().all(|g| !g.exported)
                && !facts.definitions.iter().any(|d| d.flags.has(Flags::EXPORTED) && d.scope == 0)
                && name != "default"
            {
                // A file with declarations but without exports is ambient.
                if let Some(name_id) = facts.strings.find(name) {
                    let own = facts.definitions_in_scope(0, name_id);
                    let own = own
                        .iter()
                        .map(|&def| Resolution { id: DefId { file, def }, origin: Origin::Import });
                    return own.collect();
                }
            }
        }
        if self.language(file) == "python"
            && scope == 0
            && let Some(Module::File(child)) = self.index.project.python_child(file, name)
        {
            return vec![Resolution { id: DefId { file: child, def: 0 }, origin: Origin::Import }];
        }
        let rust = self.language(file) == "rust";
        let open = matches!(self.language(file), "python" | "c" | "cpp");
        let own = rust && own_imports && depth == 0;
        // C, C++ and Python pass on everything they import, and so does a Rust module to the code
        // inside of it; other languages pass on only what they re-export.
        let all = !(open || own);
        self.resolve_through_globs(file, scope, name, namespace, depth + 1, all)
    }

    /// A name that comes from a scope's glob imports (`use a::*`, `from m import *`, `#include`).
    pub(super) fn glob_imported(
        &self,
        file: FileId,
        scope: u32,
        name: &str,
        namespace: Namespace,
        depth: u32,
    ) -> Vec<Resolution> {
        // While dependencies are tracked the modules have to be visited even if the name does not
        // occur in the index yet: they are what the answer depends on.
        if !is_tracking() && !self.index.names.contains_key(name) {
            return Vec::new();
        }
        self.resolve_through_globs(file, scope, name, namespace, depth, false)
    }

    /// Resolves a name through the glob imports of a scope.
    fn resolve_through_globs(
        &self,
        file: FileId,
        scope: u32,
        name: &str,
        namespace: Namespace,
        depth: u32,
        exported_only: bool,
    ) -> Vec<Resolution> {
        let facts = self.facts(file);
        let include = matches!(self.language(file), "c" | "cpp");
        if facts.globs.is_empty() && !include {
            return Vec::new();
        }
        let name_id = facts.strings.find(name).unwrap_or(NONE);
        // The same name in the same scope is not looked up again while it is under way: glob
        // imports can form cycles.
        let key = (file, scope ^ name_id.rotate_left(8) ^ namespace_key(namespace), 3);
        if depth > MAX_CHAIN * 3 || self.begin_step(key).is_none() {
            return Vec::new();
        }
        if include {
            let all = self.through_includes(file, scope, name, namespace);
            self.end_step(key);
            return all;
        }
        let mut all: Vec<Resolution> = Vec::new();
        for glob in facts.globs.iter().filter(|g| g.scope == scope) {
            if exported_only && !glob.exported {
                continue;
            }
            let ty = self.type_of_value(file, glob.module);
            let found = match &ty {
                Ty::Module(other, inner) => {
                    // A Rust module inside of another one sees everything that the outer one
                    // imports.
                    let rust = self.language(file) == "rust";
                    let above = rust && self.is_enclosing_module(*other, *inner, file, scope);
                    let own = above || !rust;
                    let found =
                        self.members_of_module(*other, *inner, name, namespace, depth + 1, own);
                    if found.is_empty() && above {
                        self.resolve_through_globs(
                            *other,
                            *inner,
                            name,
                            namespace,
                            depth + 1,
                            false,
                        )
                    } else {
                        found
                    }
                }
                Ty::Folder(module) => {
                    self.folder_members(module, None, name, namespace, Origin::Glob)
                }
                Ty::Unknown | Ty::External => Vec::new(),
                ty => self.members_named(ty, name, namespace),
            };
            let hidden =
                |f: &Resolution| self.language(file) == "python" && !self.is_star_exported(f, name);
            for f in found {
                if !hidden(&f) && !all.iter().any(|a| a.id == f.id) {
                    all.push(Resolution { origin: Origin::Glob, ..f });
                }
            }
            // The first glob import that has the name wins.
            if !all.is_empty() {
                break;
            }
        }
        self.end_step(key);
        all
    }

    /// The definitions of a name in a scope, wherever they stand in it.
    pub(super) fn scope_definitions(
        &self,
        file: FileId,
        scope: u32,
        name: &str,
        namespace: Namespace,
        origin: Origin,
    ) -> Vec<Resolution> {
        let facts = self.facts(file);
        let Some(name_id) = facts.strings.find(name) else { return Vec::new() };
        let fits = |&&d: &&u32| {
            let def = &facts.definitions[d as usize];
            def.namespace.has(namespace)
        };
        let all = facts.definitions_in_scope(scope, name_id).iter().filter(fits);
        all.map(|&def| Resolution { id: DefId { file, def }, origin }).collect()
    }

    /// The definitions of a name in a folder or package of files.
    pub(crate) fn folder_members(
        &self,
        module: &Module,
        except: Option<FileId>,
        name: &str,
        namespace: Namespace,
        origin: Origin,
    ) -> Vec<Resolution> {
        let project = &self.index.project;
        let (files, language) = match module {
            Module::Folder(folder) => (project.in_folder(folder), None),
            Module::Package(package) => (project.in_package(package), Some("java")),
            Module::Namespace(package) => {
                return php::members_of_namespace(self, package, name, namespace);
            }
            Module::File(_) => return Vec::new(),
        };
        let mut found = Vec::new();
        let package = except.map(|f| (self.facts(f).language, self.package_of(f)));
        for &file in files.iter().filter(|f| Some(**f) != except) {
            let facts = self.facts(file);
            if except.is_none() && is_go_test(self.path(file)) && is_test_package(self, file) {
                // A package that holds only tests (`a_test`) cannot be imported.
                continue;
            }
            if facts.language.id() == "python"
                || package.is_some_and(|(l, p)| l != facts.language || p != self.package_of(file))
            {
                continue;
            }
            let Some(name_id) = facts.strings.find(name) else { continue };
            for &def in facts.definitions_in_scope(0, name_id) {
                let d = &facts.definitions[def as usize];
                let fits = d.namespace.has(namespace)
                    && d.kind != DefinitionKind::Import
                    && !d.flags.has(Flags::HIDDEN | Flags::LOCAL_FILE);
                let own = except.is_some() || language.is_some() || d.flags.has(Flags::CAPITAL);
                if fits && own {
                    found.push(Resolution { id: DefId { file, def }, origin });
                }
            }
        }
        if found.is_empty() {
            let language = language.unwrap_or("python");
            if let Some(Module::File(file)) = project.submodule(language, module, name) {
                found.push(Resolution { id: DefId { file, def: 0 }, origin: Origin::Import });
            }
        }
        self.keep_active_builds(&mut found);
        // If files for several platforms define the name, the one without a suffix comes first: its
        // path is the shortest.
        found.sort_by_key(|f| (project.path(f.id.file).len(), f.id));
        found
    }

    pub(crate) fn package_of(&self, file: FileId) -> &str {
        let facts = self.facts(file);
        facts.strings.text(facts.package)
    }

    /// Drops `static` definitions of other files, unless they are in a header.
    pub(super) fn drop_file_local(&self, file: FileId, found: Vec<Resolution>) -> Vec<Resolution> {
        let hidden = |f: &Resolution| {
            f.id.file != file
                && self.def(f.id).flags.has(Flags::LOCAL_FILE)
                && !parent(self.index.project.path(f.id.file)).is_empty()
                && !is_header(self.index.project.path(f.id.file))
        };
        found.into_iter().filter(|f| !hidden(f)).collect()
    }
}

pub(super) fn is_header(path: &str) -> bool {
    [".h", ".hh", ".hpp", ".hxx"].iter().any(|e| path.ends_with(e))
}

fn namespace_key(namespace: Namespace) -> u32 {
    u32::from(namespace.0) << 24
}

/// Whether a file belongs to a Go package that tests the folder's package from outside.
fn is_test_package(resolver: &Resolver<'_>, file: FileId) -> bool {
    resolver.package_of(file).ends_with("_test")
}

/// Whether a TypeScript file is a declaration file, without code.
fn is_declaration_file(path: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts"].iter().any(|ending| path.ends_with(ending))
}
