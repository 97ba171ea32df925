//! Members that Rust `impl`s add to external types: `impl Shape for Vec<u8>`.

use super::{DefId, Resolution, Resolver, Ty};
use crate::expression::{Expression, Value};
use crate::facts::{Extension, NONE, Ref};
use crate::index::FileId;
use crate::library;
use crate::origin::Origin;
use crate::vocabulary::{DefinitionKind, Namespace, ScopeKind};

/// Limit of the definitions of one name that are examined.
const MAX_CANDIDATES: usize = 64;

impl Resolver<'_> {
    /// The members of a name that the project adds to an external type.
    pub(super) fn members_of_external_type(
        &self,
        file: FileId,
        reference: &Ref,
        ty: &Ty,
        name: &str,
    ) -> Vec<Resolution> {
        let facts = self.facts(file);
        let is_self = |v: Value| match (v.as_reference(), v.as_expression()) {
            (Some(r), _) => facts.strings.text(facts.references[r as usize].name) == "Self",
            (_, Some(e)) => matches!(
                facts.expressions.get(e as usize),
                Some(Expression::This(_) | Expression::ThisType(_))
            ),
            _ => false,
        };
        if is_self(reference.receiver)
            && let Some(extension) = self.extension_around(file, reference.scope)
        {
            // The `impl`'s own member comes before the one of its trait.
            let own = self.scope_definitions(
                file,
                extension.scope,
                name,
                reference.namespace,
                Origin::TypedMember,
            );
            if own.iter().any(|f| self.def(f.id).kind.is_callable()) {
                return own;
            }
            let interface = self.type_of_value(file, extension.interface);
            return self.members_named(&interface, name, reference.namespace);
        }
        self.implementations_for_external_type(ty, name, reference.namespace)
    }

    /// The members of `impl`s for exactly this type, else the provided methods of their traits.
    fn implementations_for_external_type(
        &self,
        ty: &Ty,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        if library::rust::has_method(name) {
            // An inherent method of the library shadows trait methods.
            return Vec::new();
        }
        let all: Vec<DefId> = self.definitions_named(name).take(MAX_CANDIDATES + 1).collect();
        if all.len() > MAX_CANDIDATES {
            return Vec::new();
        }
        let (mut given, mut brought) = (Vec::new(), Vec::new());
        for id in all {
            let (facts, def) = (self.facts(id.file), self.def(id));
            let Some(scope) = facts.scopes.get(def.scope as usize) else { continue };
            if facts.language.id() != "rust" || !def.namespace.has(namespace) {
                continue;
            }
            let found = Resolution { id, origin: Origin::TypedMember };
            if scope.kind == ScopeKind::Extension {
                if is_same_external_type(&self.type_of_value(id.file, scope.subject), ty, false) {
                    given.push(found);
                }
            } else if scope.owner != NONE
                && facts.definitions[scope.owner as usize].kind == DefinitionKind::Trait
            {
                let mut is = false;
                let owner = DefId { file: id.file, def: scope.owner };
                self.each_implementation(owner, &mut |file, n| {
                    let target = self.facts(file).extensions[n].target;
                    is |= is_same_external_type(&self.type_of_value(file, target), ty, false);
                });
                if is {
                    brought.push(found);
                }
            }
        }
        let demanded = |f: &Resolution| self.trait_declaration(f.id).is_some();
        if given.is_empty() || given.iter().any(demanded) { brought } else { given }
    }

    /// The `impl` that encloses a place.
    fn extension_around(&self, file: FileId, mut scope: u32) -> Option<Extension> {
        let facts = self.facts(file);
        while facts.scopes.get(scope as usize)?.kind != ScopeKind::Extension {
            scope = facts.scopes[scope as usize].parent;
        }
        facts.extensions.iter().find(|e| e.scope == scope).copied()
    }
}

/// Whether two external types are equal. Type parameters and unknown types match anything, but only
/// `inside` of another type: a bare one would match every type.
fn is_same_external_type(a: &Ty, b: &Ty, inside: bool) -> bool {
    match (a, b) {
        (Ty::Named(a, _), Ty::Named(b, _)) => a == b,
        (Ty::Array(a), Ty::Array(b)) => is_same_external_type(a, b, true),
        (Ty::Tuple(a), Ty::Tuple(b)) => {
            a.len() == b.len()
                && a.iter().zip(b.iter()).all(|(a, b)| is_same_external_type(a, b, true))
        }
        (Ty::Type(a, _) | Ty::Instance(a, _), Ty::Type(b, _) | Ty::Instance(b, _)) => a == b,
        (Ty::Parameter(_) | Ty::Unknown | Ty::External, _)
        | (_, Ty::Parameter(_) | Ty::Unknown | Ty::External) => inside,
        _ => false,
    }
}
