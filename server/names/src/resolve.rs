//! Name resolution: from a reference to its definitions, over the facts of all files.
//!
//! Resolution and type inference call each other: the type of `a` decides what `a.b` means, and the
//! definition of `b` decides its type. Both are therefore memoised, and every step is counted and
//! guarded. A query that needs too many steps or runs into itself gets what is known by then, never
//! an endless search.

mod active_branches;
mod call_types;
mod callables;
mod candidate_selection;
mod common_js;
mod conditional_imports;
mod constructor_uses;
mod cpp_namespaces;
mod cpp_overloads;
mod element_types;
mod explain;
mod extensions;
mod external_types;
mod find_references;
mod follow_imports;
mod go;
mod import_aliases;
mod includes;
mod java_library;
mod java_primitives;
mod java_sources;
mod jsx_components;
mod keyword_arguments;
pub(crate) mod languages;
mod lexical_scopes;
mod members;
mod method_resolution_order;
mod modules;
mod navigation;
mod overload_scoring;
mod possible_subtypes;
mod python_exports;
mod receiver_types;
mod rust_library;
mod rust_modules;
mod ty;
mod type_hierarchy;
mod type_inference;
mod type_variables;
mod unique_members;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{Def, Facts, NONE, NameSite, Ref, ReferenceRole};
use crate::index::{FileId, Index};
use crate::origin::Origin;
use crate::vocabulary::{Flags, Namespace};

pub(crate) use call_types::{bind_type_parameters, substitute};
pub(crate) use callables::{Callable, Callables};
pub use languages::is_same_language_family;
pub(crate) use ty::Ty;
pub(crate) use unique_members::is_common_member_name;

/// Step limit for resolving one name. A step is one reference, value or import; ordinary names take
/// a few dozen. The limit bounds the time of adversarial code, where each step may lead to many
/// others.
const MAX_STEPS: u32 = 30_000;

/// Depth limit of nested steps: bounds the stack.
const MAX_DEPTH: u32 = 60;

/// A definition of some file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct DefId {
    pub(crate) file: FileId,
    pub(crate) def: u32,
}

/// The definitions of a reference.
type Definitions = Rc<[Resolution]>;

/// A definition that a name resolves to, and the rule by which it was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Resolution {
    pub(crate) id: DefId,
    pub(crate) origin: Origin,
}

/// Answers one query: the index, an optional overlay for a file being edited, and memoised results.
/// Not kept between queries, so nothing has to be invalidated when files change.
pub(crate) struct Resolver<'i> {
    index: &'i Index,
    /// A file whose facts are ahead of the index: its buffer is being edited.
    overlay: Option<(FileId, &'i Facts)>,
    /// Whether a variable that holds a part of a CommonJS module stands for that part.
    through_variables: Cell<bool>,
    /// Whether a variable that holds a whole module stands for the module.
    through_modules: Cell<bool>,
    /// The name at which the query was made: its file, and its number there.
    queried_name: RefCell<Option<(FileId, u32)>>,
    steps: Cell<u32>,
    depth: Cell<u32>,
    reference_cache: RefCell<FxHashMap<(FileId, u32), Definitions>>,
    type_cache: RefCell<FxHashMap<(FileId, u32), Ty>>,
    /// Results of the unique-member fallback, by name, namespace, and whether the name is called.
    unique_members: RefCell<FxHashMap<(String, Namespace, bool), Vec<Resolution>>>,
    /// Method resolution orders of classes.
    resolution_orders: RefCell<FxHashMap<DefId, Rc<[Ty]>>>,
    active_steps: RefCell<FxHashSet<(FileId, u32, u8)>>,
    /// Whether preprocessor branches are active, and the values of macros.
    branch_verdicts:
        RefCell<FxHashMap<(FileId, u32), crate::lowering::condition_parser::ConditionValue>>,
    /// Each file with all files it includes.
    include_closures: RefCell<FxHashMap<FileId, Rc<FxHashSet<FileId>>>>,
}

impl<'i> Resolver<'i> {
    pub(crate) fn new(index: &'i Index) -> Self {
        Self {
            index,
            overlay: None,
            through_variables: Cell::new(true),
            through_modules: Cell::new(true),
            queried_name: RefCell::default(),
            steps: Cell::new(0),
            depth: Cell::new(0),
            reference_cache: RefCell::default(),
            type_cache: RefCell::default(),
            unique_members: RefCell::default(),
            resolution_orders: RefCell::default(),
            active_steps: RefCell::default(),
            branch_verdicts: RefCell::default(),
            include_closures: RefCell::default(),
        }
    }

    /// A resolver that uses `facts` for `file` instead of the indexed ones: the buffer is ahead of
    /// the index.
    pub(crate) fn with_facts(index: &'i Index, file: FileId, facts: &'i Facts) -> Self {
        Self { overlay: Some((file, facts)), ..Self::new(index) }
    }

    /// From now on variables that hold CommonJS modules are variables.
    pub(crate) fn treat_requires_as_variables(&self) {
        self.through_variables.set(false);
        self.through_modules.set(false);
    }

    /// From now on variables that hold a part of a CommonJS module stand for that part. Memoised
    /// results no longer hold.
    pub(crate) fn treat_requires_as_imports(&self) {
        self.through_variables.set(true);
        self.reference_cache.borrow_mut().clear();
        self.type_cache.borrow_mut().clear();
        self.unique_members.borrow_mut().clear();
    }

    /// Whether so many steps were taken that an empty result may be due to the limit.
    pub(crate) fn is_near_step_limit(&self) -> bool {
        self.steps.get() > MAX_STEPS / 2
    }

    /// Whether a file belongs to a dependency.
    pub(crate) fn is_library(&self, file: FileId) -> bool {
        self.index.is_dependency(file)
    }

    /// The project's configuration and layout.
    pub(crate) fn project(&self) -> &'i crate::project::Project {
        &self.index.project
    }

    /// Names of the workspace that match a pattern.
    pub(crate) fn names_matching(
        &self,
        pattern: &crate::fuzzy::FuzzyPattern,
        limit: usize,
    ) -> impl Iterator<Item = &'i str> + use<'i> {
        self.index.names.names_matching(pattern, limit).into_iter()
    }

    /// Steps taken since the last reset.
    pub(crate) fn steps(&self) -> u32 {
        self.steps.get()
    }

    /// The module that a path refers to.
    pub(crate) fn module_by_path(&self, file: FileId, path: &str, up: u32) -> Vec<Resolution> {
        self.module_targets(&self.module(file, path, up))
    }

    /// In how many files a name occurs.
    pub(crate) fn files_naming(&self, name: &str) -> u32 {
        self.index.names.get(name).map_or(0, |p| (p.defined.len() + p.used.len()) as u32)
    }

    /// Resolves a plain name at the place of a reference.
    pub(crate) fn plain_name(&self, file: FileId, reference: &Ref, name: &str) -> Vec<Resolution> {
        self.resolve_plain_name(file, reference, name)
    }

    /// The path of a file in the index.
    pub(crate) fn path(&self, file: FileId) -> &'i str {
        &self.index.files[&file].path
    }

    /// The file at a path.
    pub(crate) fn file_at(&self, path: &str) -> Option<FileId> {
        self.index.project.file(path)
    }

    /// The folder of a file.
    pub(crate) fn folder(&self, file: FileId) -> &'i str {
        crate::project::parent(self.path(file))
    }

    /// Whether the index contains a file.
    pub(crate) fn contains_file(&self, file: FileId) -> bool {
        self.index.files.contains_key(&file)
    }

    /// The files that define or use a name.
    pub(crate) fn files_containing(&self, name: &str) -> Vec<FileId> {
        let postings = self.index.names.get(name);
        postings.map_or_else(Vec::new, |p| p.defined.iter().chain(&p.used).copied().collect())
    }

    /// The files that define a name, however many. O(1) each.
    pub(crate) fn files_defining(&self, name: &str) -> impl Iterator<Item = FileId> + use<'i> {
        let typed = self.overlay.filter(|(_, facts)| facts.strings.find(name).is_some());
        let postings = self.index.names.get(name);
        let known = postings.into_iter().flat_map(|p| p.defined.iter().copied());
        known.chain(typed.map(|(file, _)| file))
    }

    /// The definitions of a name that are visible to other files; `None` if there are too many.
    pub(crate) fn definitions_if_few(
        &self,
        name: &'i str,
    ) -> Option<impl Iterator<Item = DefId> + 'i> {
        let few = self
            .index
            .names
            .get(name)
            .is_none_or(|p| p.defined.len() <= crate::index::MAX_DEFINING_FILES);
        few.then(|| self.definitions_named(name))
    }

    /// The definitions of a name that are visible to other files; empty if there are too many.
    pub(crate) fn definitions_named<'n>(
        &self,
        name: &'n str,
    ) -> impl Iterator<Item = DefId> + use<'i, 'n> {
        let over = self.overlay;
        let (file, own) = over.map_or((None, &[][..]), |(file, facts)| {
            let name_id = facts.strings.find(name).unwrap_or(NONE);
            (Some(file), facts.definitions_named(name_id))
        });
        let own = own.iter().filter_map(move |&def| {
            let (file, facts) = over?;
            facts.is_reachable(def).then_some(DefId { file, def })
        });
        self.index.defined(name).filter(move |id| Some(id.file) != file).chain(own)
    }

    pub(crate) fn facts(&self, file: FileId) -> &'i Facts {
        match self.overlay {
            Some((own, facts)) if own == file => facts,
            _ => self.index.indexed_facts(file),
        }
    }

    pub(crate) fn def(&self, id: DefId) -> &'i Def {
        &self.facts(id.file).definitions[id.def as usize]
    }

    pub(crate) fn language(&self, file: FileId) -> &'static str {
        self.index.files[&file].language.id()
    }

    /// Starts a step; `None` if the limits are reached or the step is already under way (a cycle).
    /// `key` is the file, the number of the subject, and the kind of the step.
    fn begin_step(&self, key: (FileId, u32, u8)) -> Option<()> {
        if self.steps.get() > MAX_STEPS || self.depth.get() > MAX_DEPTH {
            return None;
        }
        if !self.active_steps.borrow_mut().insert(key) {
            return None;
        }
        self.steps.set(self.steps.get() + 1);
        self.depth.set(self.depth.get() + 1);
        Some(())
    }

    fn end_step(&self, key: (FileId, u32, u8)) {
        self.active_steps.borrow_mut().remove(&key);
        self.depth.set(self.depth.get() - 1);
    }

    /// The definitions at a site, imports followed.
    pub(crate) fn definitions_at_site(&self, file: FileId, site: NameSite) -> Vec<Resolution> {
        match site {
            NameSite::Reference(r) => {
                let mut all = match self.exported_pattern_key(file, r) {
                    Some(found) => found,
                    None => self.definitions_of_reference(file, r).to_vec(),
                };
                let is_type = |f: &Resolution| self.def(f.id).namespace.has(Namespace::TYPE);
                if self.language(file) == "rust" && all.len() > 1 && all.iter().any(is_type) {
                    all.retain(is_type);
                }
                if all.is_empty() { self.predeclared_definition(file, r) } else { all }
            }
            NameSite::Definition(def) => {
                let id = DefId { file, def };
                if def == 0
                    && let Some(clause) = self.package_clause(file)
                {
                    return clause;
                }
                let own = Resolution { id, origin: Origin::SameFile };
                let def = self.def(id);
                if def.flags.has(Flags::DECLARED)
                    && matches!(self.language(file), "typescript" | "tsx")
                {
                    let facts = self.facts(file);
                    let all = facts.definitions_in_scope(def.scope, def.name).iter();
                    let mut bodies = all.filter(|&&d| {
                        let other = &facts.definitions[d as usize];
                        other.kind == def.kind && !other.flags.has(Flags::DECLARED)
                    });
                    if let Some(&body) = bodies.next() {
                        return vec![Resolution {
                            id: DefId { file, def: body },
                            origin: Origin::SameFile,
                        }];
                    }
                }
                if self.through_modules.get() && self.is_assigned_module(id) {
                    // `exports.x = …`
                    return vec![own];
                }
                if let Some(demanded) = self.trait_declaration(id) {
                    return demanded;
                }
                if def.flags.has(Flags::INSTANCE) {
                    let declared = self.declared_attribute(id);
                    if !declared.is_empty() {
                        return declared;
                    }
                }
                // In Go, `a, err := f()` assigns to an `err` that the scope already has.
                if let Some(first) = self.variable_assigned_by_short_declaration(id) {
                    return vec![Resolution { id: first, origin: Origin::Local }];
                }
                if def.flags.has(Flags::INACTIVE) {
                    // An inactive branch: prefer the active one.
                    let all = self.facts(file).definitions_in_scope(def.scope, def.name);
                    return self.select_definitions(file, def.scope, all, u32::MAX, def.scope);
                }
                if def.flags.has(Flags::WHOLE) && self.through_modules.get() {
                    // At its import, the name stands for the module itself.
                    let module = self.follow_module_alias(own);
                    return if module.is_empty() {
                        vec![Resolution { origin: Origin::External, ..own }]
                    } else {
                        module
                    };
                }
                self.follow_import(own)
            }
        }
    }

    /// The definitions of a reference, imports followed; memoised.
    pub(crate) fn definitions_of_reference(&self, file: FileId, r: u32) -> Rc<[Resolution]> {
        if let Some(known) = self.reference_cache.borrow().get(&(file, r)) {
            return known.clone();
        }
        let key = (file, r, 0);
        if self.begin_step(key).is_none() {
            return Rc::new([]);
        }
        let found: Rc<[Resolution]> = self.resolve_reference(file, r).into();
        self.end_step(key);
        self.reference_cache.borrow_mut().insert((file, r), found.clone());
        found
    }

    /// Resolves a reference without the cache.
    fn resolve_reference(&self, file: FileId, r: u32) -> Vec<Resolution> {
        let facts = self.facts(file);
        let reference = &facts.references[r as usize];
        // Candidates are dropped in the order of certainty: what this platform never compiles, Go
        // test files of other packages; then imports are followed; last, overloads are narrowed by
        // arguments.
        let found = self.resolve_without_imports(file, r);
        let mut found = self.drop_other_platforms(file, reference.start, found);
        if self.language(file) == "go" {
            self.drop_unimportable_tests(file, &mut found);
        }
        let call = self.arguments_of(file, reference);
        let mut all = Vec::new();
        for found in found {
            if reference.role == ReferenceRole::Member
                && self.is_shorthand(found.id)
                && !self.is_in_export_list(found.id)
            {
                // A shorthand member is best shown at the object that has it.
                all.push(found);
                continue;
            }
            let led = if self.through_modules.get()
                && self.def(found.id).flags.has(Flags::WHOLE)
                && self.is_reexported(file, r)
            {
                self.follow_module_alias(found)
            } else {
                self.follow_import(found)
            };
            for one in led {
                if !all.iter().any(|f: &Resolution| f.id == one.id) {
                    all.push(one);
                }
            }
        }
        if reference.call != NONE
            && let [one] = all[..]
            && let Some(given) = self.assigned_function(file, &one)
        {
            return given;
        }
        let mut all = self.select_by_constness(file, reference, all);
        if self.language(file) == "rust" && reference.namespace != Namespace::ANY {
            let meant = |f: &Resolution| self.def(f.id).namespace.has(reference.namespace);
            if all.iter().any(meant) {
                all.retain(meant);
            }
        }
        self.narrow_overloads(all, file, call)
    }

    /// The definitions of a reference before imports are followed.
    pub(crate) fn resolve_without_imports(&self, file: FileId, r: u32) -> Vec<Resolution> {
        let facts = self.facts(file);
        let reference = &facts.references[r as usize];
        let name = facts.strings.text(reference.name);
        match reference.role {
            ReferenceRole::Plain => self.resolve_plain_name(file, reference, name),
            ReferenceRole::Member => {
                self.evaluate_chain(file, reference.receiver);
                self.member_reference(file, reference, name)
            }
            ReferenceRole::Keyword => self.keyword_argument_definitions(file, reference, name),
            ReferenceRole::Field | ReferenceRole::Expected => {
                let variant = self.variant_fields(file, reference.receiver);
                let ty = variant.unwrap_or_else(|| self.type_of_value(file, reference.receiver));
                let fields = self.members_named(&ty.instance(), name, reference.namespace);
                if fields.is_empty() && reference.role == ReferenceRole::Expected {
                    // Nothing is expected: the key defines itself.
                    let own = facts.by_place.partition_point(|&d| {
                        facts.definitions[d as usize].name_start < reference.start
                    });
                    let own = facts.by_place.get(own).filter(|_| ty.is_unknown());
                    own.map(|&def| Resolution { id: DefId { file, def }, origin: Origin::SameFile })
                        .into_iter()
                        .collect()
                } else if fields.is_empty() && self.language(file) == "java" {
                    self.resolve_plain_name(file, reference, name)
                } else if fields.is_empty() && self.language(file) == "go" {
                    // A plain name, as the key of a map, unless it can only be a field of an
                    // external type.
                    let outside = match &ty {
                        Ty::Named(of, _) => &**of != "dict",
                        ty => matches!(ty, Ty::External),
                    } && name.starts_with(char::is_uppercase);
                    if outside {
                        Vec::new()
                    } else {
                        self.resolve_plain_name(file, reference, name)
                    }
                } else {
                    fields
                }
            }
            ReferenceRole::Root => {
                self.module_targets(&self.type_of_value(file, reference.receiver))
            }
        }
    }

    /// Code that is active here is never defined by code that is active only on other platforms.
    fn drop_other_platforms(
        &self,
        file: FileId,
        at: u32,
        mut found: Vec<Resolution>,
    ) -> Vec<Resolution> {
        if found.iter().any(|f| !self.facts(f.id.file).other_platform_ranges.is_empty())
            && !self.facts(file).is_for_other_platform(at)
        {
            let foreign = |f: &Resolution| {
                self.facts(f.id.file).is_for_other_platform(self.def(f.id).name_start)
            };
            found.retain(|f| !foreign(f));
        }
        found
    }
}
