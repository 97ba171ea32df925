//! Go: all files of the package are indexed, whatever platform they are for.

use crate::diagnose::{DiagnosticsContext, name_lists};
use crate::facts::{Ref, ReferenceRole};
use crate::project::{Module, parent};
use crate::resolve::Ty;
use crate::vocabulary::DefinitionKind;

pub(super) fn all_sources_known(ctx: &DiagnosticsContext<'_>) -> bool {
    // The file is not built together with the others of its folder.
    !ctx.lex.source.contains("//go:build ignore") && !ctx.lex.source.contains("// +build ignore")
}

/// Whether a name may come from outside the index: from a dot import of an unindexed package
/// (exported names only), or from a generator.
fn may_be_outside_index(ctx: &DiagnosticsContext<'_>, name: &str) -> bool {
    let resolver = ctx.resolver();
    let unknown = |g: &crate::facts::Glob| match resolver.type_of_value(ctx.file, g.module) {
        Ty::Folder(module) => match &*module {
            Module::Folder(folder) => ctx.index.project.in_folder(folder).is_empty(),
            _ => true,
        },
        _ => true,
    };
    if name.starts_with(char::is_uppercase) && ctx.facts.globs.iter().any(unknown) {
        return true;
    }
    if !ctx.lex.source.contains("//go:generate") {
        return false;
    }
    let near = |f: &crate::index::FileId| {
        let facts = ctx.index.indexed_facts(*f);
        let mut all = facts.all_in_scope(0).iter();
        all.any(|d| {
            let other = facts.strings.text(facts.definitions[*d as usize].name);
            name_lists::is_typo_of(name, other)
        })
    };
    !ctx.index.project.in_folder(parent(ctx.path)).iter().any(near)
}

pub(super) fn is_undefined(ctx: &DiagnosticsContext<'_>, reference: &Ref) -> bool {
    let lex = &ctx.lex;
    let name = ctx.name(reference.name);
    if may_be_outside_index(ctx, name) || is_misparsed_parameter(ctx, reference, name) {
        return false;
    }
    let rest = lex.source[reference.end as usize..].trim_start();
    if rest.starts_with('.') {
        // The name of an imported package may differ from its path.
        return ctx.facts.definitions[1..]
            .iter()
            .all(|d| d.kind != DefinitionKind::Import || is_certain(ctx, d));
    }
    // The key of a literal may be a field of an unindexed type.
    !rest.starts_with(':') || rest.starts_with(":=")
}

/// Whether a name is a parameter that the grammar mistakes for a type: of ten or more names before
/// one type it parses the first separately. In Go, either all parameters are named or none.
fn is_misparsed_parameter(ctx: &DiagnosticsContext<'_>, reference: &Ref, name: &str) -> bool {
    let lex = &ctx.lex;
    lex.ancestors(reference.start, reference.end).any(|function| {
        let Some(list) = function.child_by_field_name("parameters") else { return false };
        let mut cursor = list.walk();
        let (mut named, mut alone) = (false, false);
        for parameter in list.named_children(&mut cursor) {
            let is_named = parameter.child_by_field_name("name").is_some();
            named |= is_named;
            alone |= !is_named && lex.source.get(parameter.byte_range()) == Some(name);
        }
        named && alone
    })
}

/// Whether an import is used under the name that its path suggests. Go rejects unused imports, so
/// then that is its name.
fn is_used(ctx: &DiagnosticsContext<'_>, def: &crate::facts::Def) -> bool {
    let (facts, resolver) = (ctx.facts, ctx.resolver());
    let name = ctx.name(def.name);
    facts.references.iter().any(|r| {
        r.name == def.name
            && r.role == ReferenceRole::Plain
            && ctx.lex.source[r.end as usize..].starts_with('.')
            && !ctx.lex.is_import(r.start)
            && {
                let targets = resolver.resolve_in_scopes(
                    ctx.file,
                    r.scope,
                    r.start,
                    r.name,
                    name,
                    r.namespace,
                );
                let import = |f: &crate::resolve::Resolution| {
                    f.id.file == ctx.file && resolver.def(f.id).kind == DefinitionKind::Import
                };
                !targets.is_empty() && targets.iter().all(import)
            }
    })
}

/// Whether an import surely binds the name that its path suggests.
fn is_certain(ctx: &DiagnosticsContext<'_>, def: &crate::facts::Def) -> bool {
    let spec = ctx.lex.ancestors(def.name_start, def.name_end).find(|n| n.kind() == "import_spec");
    let aliased = spec.is_some_and(|s| s.child_by_field_name("name").is_some());
    let standard = ctx
        .facts
        .module_of_value(def.value)
        .is_some_and(|(path, _)| !path.split('/').next().unwrap_or("").contains('.'));
    aliased || standard || is_used(ctx, def) || {
        let resolver = ctx.resolver();
        match resolver.type_of_value(ctx.file, def.value) {
            crate::resolve::Ty::Folder(module) => match &*module {
                crate::project::Module::Folder(folder) => {
                    let name = ctx.name(def.name);
                    let files = ctx.index.project.in_folder(folder);
                    files.iter().all(|f| {
                        let package = resolver.facts(*f).package_name();
                        package == name || package.ends_with("_test")
                    })
                }
                _ => false,
            },
            _ => false,
        }
    }
}
