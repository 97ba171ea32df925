//! Java: types, where no import of a whole package and no class above is unknown.

use crate::diagnose::Subject;
use crate::facts::Ref;
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::{Namespace, ScopeKind};

/// Most types above one another.
const CHAIN: usize = 16;

pub(super) fn is_closed(subject: &Subject<'_>) -> bool {
    let resolver = subject.resolver();
    let facts = subject.facts;
    facts.package_name().contains(|c: char| c.is_alphanumeric())
        && facts
            .globs
            .iter()
            .all(|g| !matches!(resolver.eval(subject.file, g.module), Ty::Outside | Ty::Unknown))
        && !subject.ground.has("lombok")
}

pub(super) fn is_undefined(
    subject: &Subject<'_>,
    resolver: &Resolver<'_>,
    reference: &Ref,
) -> bool {
    let (facts, name) = (subject.facts, subject.name(reference.name));
    if reference.namespace.has(Namespace::FUNCTION) && reference.namespace != Namespace::ANY {
        return false;
    }
    // `a.b.C`: the first part may be a package.
    let rest = subject.ground.source[reference.end as usize..].trim_start();
    if rest.starts_with('.') && !name.starts_with(char::is_uppercase) {
        return false;
    }
    let before = subject.ground.source[..reference.start as usize].trim_end();
    if before.ends_with('.')
        || before.ends_with("::")
        || before.ends_with("case")
        || before.ends_with(',') && in_case(subject, reference)
    {
        return false;
    }
    let around = subject.ground.around(reference.start, reference.end).take(4);
    for node in around {
        if matches!(
            node.kind(),
            "switch_label"
                | "element_value_pair"
                | "module_declaration"
                | "package_declaration"
                | "import_declaration"
        ) {
            return false;
        }
    }
    // What the types around it inherit has to be known.
    let mut at = reference.scope;
    while let Some(scope) = facts.scopes.get(at as usize) {
        if scope.kind == ScopeKind::Open
            && !is_known(resolver, &resolver.scope_type(subject.file, at), 0)
        {
            return false;
        }
        at = scope.parent;
    }
    true
}

fn in_case(subject: &Subject<'_>, reference: &Ref) -> bool {
    subject.ground.before(reference.start).trim_start().starts_with("case")
}

/// Whether every type above a type is here.
fn is_known(resolver: &Resolver<'_>, ty: &Ty, depth: usize) -> bool {
    match ty {
        Ty::Type(id, _) | Ty::Instance(id, _) if depth < CHAIN => {
            let def = resolver.def(*id);
            let facts = resolver.facts(id.file);
            let stated =
                if def.supers == crate::facts::NONE { 0 } else { facts.list(def.supers).len() };
            let supers = resolver.supers(DefId { ..*id });
            supers.len() >= stated && supers.iter().all(|s| is_known(resolver, s, depth + 1))
        }
        _ => false,
    }
}
