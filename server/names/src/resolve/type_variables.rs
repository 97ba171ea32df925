//! Python's type variables (`T = TypeVar("T", bound=Base)`), the type of `self`, and the types of
//! class attributes.

use super::{DefId, Resolver, Ty};
use crate::facts::NONE;
use crate::index::FileId;
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

/// The name of the external type of a type variable.
pub(super) const TYPE_VARIABLE: &str = "TypeVar";

/// External classes whose subclasses are enums: their members are values of the class.
const PYTHON_ENUM_BASES: [&str; 5] = ["Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"];

impl Resolver<'_> {
    /// The upper bound of a type variable.
    pub(super) fn upper_bound(&self, variable: DefId) -> Ty {
        match self.type_of_value(variable.file, self.def(variable).value) {
            Ty::Named(name, args) if &*name == TYPE_VARIABLE => {
                args.first().cloned().unwrap_or(Ty::Unknown)
            }
            Ty::Parameter(_) => Ty::Unknown,
            bound => bound,
        }
    }

    /// The type variable that annotates a method's receiver: `def f(self: T) -> T`.
    pub(super) fn receiver_type_variable(&self, function: DefId) -> Option<DefId> {
        let facts = self.facts(function.file);
        if facts.language.id() != "python" {
            return None;
        }
        let body = self.def(function).body;
        let own = facts.all_in_scope(body).iter().copied();
        let object = own.filter(|_| body != NONE).find(|&d| {
            let def = &facts.definitions[d as usize];
            def.kind == DefinitionKind::Parameter && def.flags.has(Flags::SELF)
        })?;
        match self.type_of_definition(DefId { file: function.file, def: object }) {
            Ty::Parameter(variable) => Some(variable),
            _ => None,
        }
    }

    /// The type of a Python variable: its own value, and those of its other assignments.
    pub(super) fn python_variable_type(&self, id: DefId, own: Ty) -> Ty {
        let facts = self.facts(id.file);
        let def = self.def(id);
        if let Ty::Named(name, _) = &own
            && &**name == TYPE_VARIABLE
        {
            return Ty::Parameter(id);
        }
        if def.flags.has(Flags::KEYWORDS) {
            let text = Ty::Named("str".into(), Ty::no_arguments());
            return Ty::Named("dict".into(), [text, own].into());
        }
        let Some(scope) = facts.scopes.get(def.scope as usize) else { return own };
        if scope.kind != ScopeKind::Body || self.is_typed(id.file, def.value) {
            return own;
        }
        if scope.owner != NONE && !def.flags.has(Flags::INSTANCE) {
            let class = DefId { file: id.file, def: scope.owner };
            if self.is_enum(class) {
                return Ty::Instance(class, Ty::no_arguments());
            }
        }
        // All assignments to it.
        let all = facts.definitions_in_scope(def.scope, def.name).iter().copied();
        let values = all.filter(|&d| {
            let other = &facts.definitions[d as usize];
            d != id.def && !other.kind.is_callable() && !other.kind.is_type()
        });
        let mut types = vec![own];
        types.extend(values.take(8).map(|d| {
            let value = facts.definitions[d as usize].value;
            self.type_of_value(id.file, value)
        }));
        types.dedup_by(|a, b| matches!((a, b), (Ty::Instance(a, _), Ty::Instance(b, _)) if a == b));
        Ty::union(types)
    }

    /// Whether a class is an enum, by its bases.
    pub(super) fn is_enum(&self, class: DefId) -> bool {
        let named =
            |ty: &Ty| matches!(ty, Ty::Named(name, _) if PYTHON_ENUM_BASES.contains(&&**name));
        self.has_method_resolution_order(class)
            && self.method_resolution_order(class).iter().any(named)
    }

    /// The type that `Self` of `typing` means at a place.
    pub(super) fn python_self_type(&self, file: FileId, scope: u32, name: &str) -> Option<Ty> {
        if name != "Self" || self.language(file) != "python" {
            return None;
        }
        let found = self.enclosing_type(file, scope);
        found.first().map(|f| Ty::Type(f.id, Ty::no_arguments()))
    }
}

/// Whether a type contains a type variable.
pub(super) fn has_variable(ty: &Ty, depth: u32) -> bool {
    if depth == 0 {
        return false;
    }
    let any = |all: &[Ty]| all.iter().any(|t| has_variable(t, depth - 1));
    match ty {
        Ty::Parameter(_) => true,
        Ty::Type(_, args) | Ty::Instance(_, args) | Ty::Named(_, args) => any(args),
        Ty::Tuple(all) | Ty::Union(all) => any(all),
        Ty::Array(element) => has_variable(element, depth - 1),
        _ => false,
    }
}
