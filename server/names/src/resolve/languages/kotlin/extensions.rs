//! Extension functions and properties: visible ones whose receiver fits.

use super::{extended_type, package_of_module};
use crate::facts::Ref;
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::{DefId, Resolution, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Flags};

/// How well a receiver fits the type that an extension extends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    No,
    /// Too little is known.
    Maybe,
    /// The extension takes any type.
    Any,
    Yes,
}

/// How an extension comes to be visible, from the weakest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Visible {
    No,
    Glob,
    Package,
    File,
    Import,
    Member,
}

/// The extensions that a member access may mean.
pub(super) fn members(
    resolver: &Resolver<'_>,
    file: FileId,
    reference: &Ref,
    ty: &Ty,
    name: &str,
) -> Vec<Resolution> {
    let mut found: Vec<(Fit, Visible, DefId)> = Vec::new();
    for id in resolver.definitions_named(name) {
        let def = resolver.def(id);
        if resolver.language(id.file) != "kotlin" || !def.namespace.has(reference.namespace) {
            continue;
        }
        let Some(extended) = extended_type(resolver, id) else { continue };
        let seen = visibility(resolver, file, reference, id, name);
        if seen == Visible::No {
            continue;
        }
        let fit = fit(resolver, ty, &resolver.type_of_value(id.file, extended).instance());
        if fit != Fit::No {
            found.push((fit, seen, id));
        }
    }
    let Some(best) = found.iter().map(|f| f.0).max() else { return Vec::new() };
    found.retain(|f| f.0 == best);
    let nearest = found.iter().map(|f| f.1).max();
    found.retain(|f| Some(f.1) == nearest);
    if best == Fit::Maybe {
        // Nothing is known of the receiver: only what cannot mean anything else.
        let one_file = found.iter().all(|f| f.2.file == found[0].2.file);
        let only = resolver.files_defining(name).take(2).count() == 1
            && !crate::resolve::is_common_member_name(name);
        if !(nearest == Some(Visible::Import) && one_file || only && found.len() == 1) {
            return Vec::new();
        }
    }
    found.into_iter().map(|f| Resolution { id: f.2, origin: Origin::TypedMember }).collect()
}

fn visibility(
    resolver: &Resolver<'_>,
    file: FileId,
    reference: &Ref,
    id: DefId,
    name: &str,
) -> Visible {
    let def = resolver.def(id);
    if def.scope != 0 {
        let around = resolver.resolve_in_scopes(
            file,
            reference.scope,
            reference.start,
            reference.name,
            name,
            reference.namespace,
        );
        return if around.iter().any(|f| f.id == id) { Visible::Member } else { Visible::No };
    }
    if id.file == file {
        return Visible::File;
    }
    if def.flags.has(Flags::LOCAL_FILE) {
        return Visible::No;
    }
    let facts = resolver.facts(file);
    let imported = facts.strings.find(name).is_some_and(|name_id| {
        facts.definitions_in_scope(0, name_id).iter().any(|&d| {
            let import = Resolution { id: DefId { file, def: d }, origin: Origin::Import };
            facts.definitions[d as usize].kind == DefinitionKind::Import
                && resolver.follow_import(import).iter().any(|f| f.id == id)
        })
    });
    if imported {
        return Visible::Import;
    }
    let package = resolver.package_of(id.file);
    if package == resolver.package_of(file) {
        return Visible::Package;
    }
    let globbed = facts.globs.iter().any(|glob| match resolver.type_of_value(file, glob.module) {
        Ty::Folder(module) => package_of_module(&module) == Some(package),
        _ => false,
    });
    if globbed { Visible::Glob } else { Visible::No }
}

/// A type with all types above it, as values.
pub(super) fn supertypes_of(resolver: &Resolver<'_>, ty: &Ty) -> Vec<Ty> {
    const MAX_TYPES: usize = 40;
    let mut all = vec![ty.clone()];
    let mut next = 0;
    while next < all.len() && all.len() < MAX_TYPES {
        let (Ty::Instance(id, _) | Ty::Type(id, _)) = &all[next] else {
            next += 1;
            continue;
        };
        let id = *id;
        let bound: Vec<(DefId, Ty)> = match &all[next] {
            Ty::Instance(_, held) | Ty::Type(_, held) => {
                resolver.type_parameters(id).into_iter().zip(held.iter().cloned()).collect()
            }
            _ => Vec::new(),
        };
        for above in resolver.supertypes(id) {
            all.push(crate::resolve::substitute(&above.instance(), &bound));
        }
        next += 1;
    }
    all
}

/// The name of a library type in Kotlin, whatever literal gave it.
fn plain_name(name: &str) -> &str {
    match name {
        "str" => "String",
        "int" => "Int",
        "bool" => "Boolean",
        name => name,
    }
}

fn fit(resolver: &Resolver<'_>, ty: &Ty, extended: &Ty) -> Fit {
    match extended {
        Ty::Parameter(_) => return Fit::Any,
        Ty::Named(name, _) if &**name == "Any" => return Fit::Any,
        _ => {}
    }
    let mut best = Fit::No;
    for own in supertypes_of(resolver, ty) {
        let here = match (&own, extended) {
            (Ty::Instance(a, _) | Ty::Type(a, _), Ty::Instance(b, _)) if a == b => Fit::Yes,
            (Ty::Instance(..) | Ty::Type(..), _) => Fit::No,
            (Ty::Named(a, _), Ty::Named(b, _)) if plain_name(a) == plain_name(b) => Fit::Yes,
            (Ty::Named(a, _), Ty::Named(b, _)) if may_be(a, b) => Fit::Maybe,
            (Ty::Named(..), _) => Fit::No,
            (Ty::Parameter(id), extended) => match resolver.upper_bound(*id) {
                Ty::Parameter(_) | Ty::Unknown => Fit::Maybe,
                bound => fit(resolver, &bound.instance(), extended),
            },
            (Ty::Object(..) | Ty::Unknown | Ty::External | Ty::Union(_), _) => Fit::Maybe,
            (Ty::Signature(..) | Ty::Lambda(..) | Ty::Function(_), Ty::Signature(..)) => Fit::Yes,
            _ => Fit::No,
        };
        best = best.max(here);
    }
    best
}

/// Whether a library type may be a subtype of another one: not if both are final.
fn may_be(own: &str, extended: &str) -> bool {
    const FINAL: &[&str] = &[
        "String",
        "Int",
        "Long",
        "Boolean",
        "Double",
        "Float",
        "Char",
        "Byte",
        "Short",
        "Unit",
        "IntArray",
        "ByteArray",
        "LongArray",
    ];
    let (own, extended) = (plain_name(own), plain_name(extended));
    !FINAL.contains(&extended)
        && (!FINAL.contains(&own) || matches!(extended, "Number" | "CharSequence" | "Comparable"))
}
