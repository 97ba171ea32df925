//! The functions that a call may invoke: all overloads, constructors in place of classes, and
//! lambdas that variables hold.

use super::{DefId, Resolution, Resolver, Ty};
use crate::expression::Value;
use crate::facts::{NONE, NameSite, ReferenceRole};
use crate::index::FileId;
use crate::origin::Origin;
use crate::vocabulary::{DefinitionKind, Flags, Namespace};

/// Depth limit for aliases and unions.
const MAX_DEPTH: u32 = 6;
/// Limit of the overloads returned.
const MAX_RESULTS: usize = 64;

/// A callable, by the place where its parameters are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Callable {
    /// A definition with parameters.
    Function(DefId),
    /// A lambda: the definition that holds it, and its scope.
    Lambda(DefId, u32),
    /// A variable whose declared type has the parameters.
    Typed(DefId),
}

impl Callable {
    /// The definition by whose name it is called.
    pub(crate) fn id(self) -> DefId {
        match self {
            Self::Function(id) | Self::Lambda(id, _) | Self::Typed(id) => id,
        }
    }
}

/// The candidates of a call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Callables {
    /// All candidates, in order of position.
    pub(crate) candidates: Vec<Callable>,
    /// The candidate that fits the arguments, if that is known.
    pub(crate) chosen: Option<DefId>,
    /// Whether a method's receiver is passed implicitly.
    pub(crate) bound: bool,
    /// The rule by which the candidates were found.
    pub(crate) origin: Option<Origin>,
}

impl Resolver<'_> {
    /// The candidates for a call of the name at a site; empty if nothing is known.
    pub(crate) fn callables(&self, file: FileId, site: NameSite) -> Callables {
        let mut out = Callables { bound: true, ..Callables::default() };
        let found = match site {
            NameSite::Reference(r) => {
                let reference = &self.facts(file).references[r as usize];
                if reference.role == ReferenceRole::Member {
                    let receiver = self.type_of_value(file, reference.receiver);
                    out.bound = !matches!(receiver, Ty::Type(..));
                }
                self.prefer_bodies(self.definitions_at_site(file, site))
            }
            NameSite::Definition(def) if self.language(file) == "cpp" => {
                // `Box box(1, 2)`
                let ty = self.type_of_definition(DefId { file, def });
                match ty {
                    Ty::Instance(id, _) => self.add_constructors(id, &mut out),
                    _ => return out,
                }
                Vec::new()
            }
            NameSite::Definition(_) => return out,
        };
        let mut found = found;
        if found.iter().any(|f| f.origin != Origin::UniqueName) {
            found.retain(|f| f.origin != Origin::UniqueName);
        }
        for f in &found {
            if f.origin != Origin::External {
                self.add_callable_definition(*f, &mut out, MAX_DEPTH);
            }
        }
        if out.candidates.is_empty()
            && let NameSite::Reference(r) = site
        {
            let ty = self.type_of_value(file, Value::reference(r));
            self.add_callables_of_type(&ty, &mut out, MAX_DEPTH);
        }
        out.origin = out.origin.or(found.first().map(|f| f.origin));
        out.candidates.dedup();
        out.candidates.truncate(MAX_RESULTS);
        out
    }

    /// The constructors that `super(…)` or `this(…)` calls at an offset.
    pub(crate) fn constructors_around(&self, file: FileId, at: u32, above: bool) -> Callables {
        let mut out = Callables { bound: true, ..Callables::default() };
        let facts = self.facts(file);
        let mut scope = facts.scope_at(at);
        while let Some(around) = facts.scopes.get(scope as usize) {
            let owner = around.owner;
            if owner != NONE && owner != 0 && facts.definitions[owner as usize].kind.is_type() {
                let id = DefId { file, def: owner };
                if !above {
                    self.add_constructors(id, &mut out);
                    return out;
                }
                for above in self.supertypes(id) {
                    if out.candidates.is_empty() {
                        self.add_callables_of_type(&above, &mut out, MAX_DEPTH);
                    }
                }
                return out;
            }
            scope = around.parent;
        }
        out
    }

    /// Adds what calling a definition calls.
    fn add_callable_definition(&self, found: Resolution, out: &mut Callables, depth: u32) {
        let id = found.id;
        let def = self.def(id);
        if depth == 0 || out.candidates.len() > MAX_RESULTS {
            return;
        }
        match def.kind {
            _ if def.flags.has(Flags::PROPERTY) => {
                self.add_callables_of_type(&self.type_of_definition(id), out, depth - 1);
            }
            kind if kind.is_callable() => {
                out.chosen = out.chosen.or(Some(id));
                out.candidates.extend(self.overloads(id).into_iter().map(Callable::Function));
            }
            DefinitionKind::Macro if matches!(self.language(id.file), "c" | "cpp") => {
                out.candidates.push(Callable::Function(id));
            }
            DefinitionKind::EnumMember if self.language(id.file) == "rust" => {
                out.candidates.push(Callable::Function(id));
            }
            DefinitionKind::TypeAlias => {
                self.add_callables_of_type(&self.type_of_definition(id), out, depth - 1)
            }
            kind if kind.is_type() => self.add_constructors(id, out),
            DefinitionKind::Variable
            | DefinitionKind::Import
            | DefinitionKind::Constant
            | DefinitionKind::Field
            | DefinitionKind::Parameter => {
                let before = out.candidates.len();
                match self.type_of_definition(id) {
                    // The declaration itself spells the parameters' names.
                    Ty::Signature(..) => out.candidates.push(Callable::Typed(id)),
                    Ty::Lambda(file, scope) if file == id.file => {
                        out.candidates.push(Callable::Lambda(id, scope));
                    }
                    Ty::Instance(..) if self.language(id.file) == "go" => {}
                    ty => self.add_callables_of_type(&ty, out, depth - 1),
                }
                // A variable of an unknown type may still be a function pointer: its declaration is
                // the best place to show.
                let points = !matches!(self.language(id.file), "python" | "java" | "rust");
                if out.candidates.len() == before && points && def.kind != DefinitionKind::Import {
                    out.candidates.push(Callable::Typed(id));
                }
            }
            _ => {}
        }
    }

    /// Adds what calling a value of a type calls.
    fn add_callables_of_type(&self, ty: &Ty, out: &mut Callables, depth: u32) {
        if depth == 0 {
            return;
        }
        match ty {
            Ty::Function(id) => {
                let found = Resolution { id: *id, origin: Origin::TypedMember };
                self.add_callable_definition(found, out, depth - 1);
            }
            Ty::Type(id, _) => self.add_constructors(*id, out),
            Ty::Super(id) => {
                for above in self.supertypes(*id) {
                    if out.candidates.is_empty() {
                        self.add_callables_of_type(&above, out, depth - 1);
                    }
                }
            }
            Ty::Instance(id, _) => {
                let operator = match self.language(id.file) {
                    "python" => "__call__",
                    "cpp" => "operator()",
                    _ => return,
                };
                for f in self.members_named(ty, operator, Namespace::ANY) {
                    self.add_callable_definition(f, out, depth - 1);
                }
            }
            Ty::Union(all) => {
                for ty in all.iter() {
                    if out.candidates.is_empty() {
                        self.add_callables_of_type(ty, out, depth - 1);
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds the constructors of a class; in Rust the struct or variant itself, whose fields are its
    /// parameters.
    fn add_constructors(&self, class: DefId, out: &mut Callables) {
        let ty = Ty::Type(class, Ty::no_arguments());
        let facts = self.facts(class.file);
        let def = self.def(class);
        let language = facts.language.id();
        out.bound = true;
        if def.kind == DefinitionKind::TypeAlias && language != "rust" {
            return;
        }
        let found: Vec<DefId> = match language {
            "python" => {
                let all = ["__init__", "__new__"].iter();
                let mut all = all.map(|name| self.members_named(&ty, name, Namespace::ANY));
                let all = all.find(|found| !found.is_empty()).unwrap_or_default();
                all.into_iter().take(1).map(|f| f.id).collect()
            }
            "javascript" | "typescript" | "tsx" => {
                let all = self.members_named(&ty, "constructor", Namespace::ANY);
                all.into_iter().take(1).map(|f| f.id).collect()
            }
            "java" | "cpp" if def.body != NONE => {
                let own = facts.definitions_in_scope(def.body, def.name).iter().copied();
                let own = own.filter(|&d| facts.definitions[d as usize].kind.is_callable());
                own.map(|def| DefId { file: class.file, def }).collect()
            }
            "rust" => {
                out.candidates.push(Callable::Function(class));
                return;
            }
            _ => Vec::new(),
        };
        let mut all: Vec<DefId> = Vec::new();
        for id in found {
            for id in self.overloads(id) {
                if !all.contains(&id) {
                    all.push(id);
                }
            }
        }
        out.candidates.extend(all.into_iter().map(Callable::Function));
    }

    /// A function with all overloads that the language lets share its name, in order of position.
    fn overloads(&self, id: DefId) -> Vec<DefId> {
        let facts = self.facts(id.file);
        let def = self.def(id);
        let beside = |id: DefId| {
            let facts = self.facts(id.file);
            let def = self.def(id);
            let all = facts.definitions_in_scope(def.scope, def.name).iter().copied();
            let all = all.filter(|&d| facts.definitions[d as usize].kind.is_callable());
            all.map(move |def| DefId { file: id.file, def }).collect::<Vec<_>>()
        };
        let flagged = |flag: Flags| {
            let mut all = beside(id);
            all.retain(|o| self.def(*o).flags.has(flag));
            if all.is_empty() { vec![id] } else { all }
        };
        match facts.language.id() {
            "java" => {
                let mut all = beside(id);
                if def.kind != DefinitionKind::Constructor
                    && let Some(own) = self.container_type(id)
                {
                    let name = facts.strings.text(def.name);
                    let ty = Ty::Type(own, Ty::no_arguments());
                    for f in self.members_named(&ty, name, Namespace::ANY) {
                        if self.def(f.id).kind.is_callable() && !all.contains(&f.id) {
                            all.push(f.id);
                        }
                    }
                }
                all
            }
            "cpp" => {
                let name = facts.strings.text(def.name);
                let mut all = match self.container_type(id) {
                    Some(class) => {
                        self.own_members(class, name).into_iter().map(|f| f.id).collect()
                    }
                    None => Vec::new(),
                };
                all.retain(|o| self.def(*o).kind.is_callable());
                if all.is_empty() {
                    let declared = |o: &DefId| self.def(*o).flags.has(Flags::DECLARED);
                    let mut others = self.redeclarations(id, true).into_iter();
                    let first = others.find(|o| declared(o) && self.same_parameters(*o, id));
                    all = beside(first.filter(|_| !declared(&id)).unwrap_or(id));
                    let is_declared = |o: &DefId| self.def(*o).flags.has(Flags::DECLARED);
                    if all.iter().any(is_declared) && !all.iter().all(is_declared) {
                        // The definition repeats a declaration above it: only one of the two is an
                        // overload.
                        let declared: Vec<_> = all.iter().copied().filter(is_declared).collect();
                        all.retain(|o| {
                            is_declared(o) || !declared.iter().any(|d| self.same_parameters(*d, *o))
                        });
                    }
                }
                if all.is_empty() { vec![id] } else { all }
            }
            "typescript" | "tsx" => flagged(Flags::DECLARED),
            "python" => flagged(Flags::OVERLOAD),
            _ => vec![id],
        }
    }
}
