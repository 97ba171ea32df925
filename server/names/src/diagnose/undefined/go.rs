//! Go: every file of the package is here, whatever system it is for.

use crate::diagnose::{Subject, known};
use crate::facts::{Ref, Role};
use crate::project::{Module, parent};
use crate::resolve::Ty;
use crate::vocabulary::DefinitionKind;

pub(super) fn is_closed(subject: &Subject<'_>) -> bool {
    // Nothing builds it together with the files beside it.
    !subject.ground.source.contains("//go:build ignore")
        && !subject.ground.source.contains("// +build ignore")
}

/// Whether a name may come from what is not here: a package that is imported as a whole, of which only
/// exported names can, or what a generator makes of the file.
fn may_be_made(subject: &Subject<'_>, name: &str) -> bool {
    let resolver = subject.resolver();
    let unknown = |g: &crate::facts::Glob| match resolver.eval(subject.file, g.module) {
        Ty::Folder(module) => match &*module {
            Module::Folder(folder) => subject.index.project.in_folder(folder).is_empty(),
            _ => true,
        },
        _ => true,
    };
    if name.starts_with(char::is_uppercase) && subject.facts.globs.iter().any(unknown) {
        return true;
    }
    if !subject.ground.source.contains("//go:generate") {
        return false;
    }
    let near = |f: &crate::index::FileId| {
        let facts = subject.index.facts_of(*f);
        let mut all = facts.all_in_scope(0).iter();
        all.any(|d| {
            let other = facts.strings.text(facts.definitions[*d as usize].name);
            known::is_near(name, other)
        })
    };
    !subject.index.project.in_folder(parent(subject.path)).iter().any(near)
}

pub(super) fn is_undefined(subject: &Subject<'_>, reference: &Ref) -> bool {
    let ground = &subject.ground;
    let name = subject.name(reference.name);
    if may_be_made(subject, name) || is_cut_off_parameter(subject, reference, name) {
        return false;
    }
    let rest = ground.source[reference.end as usize..].trim_start();
    if rest.starts_with('.') {
        // The package of an import may be called anything.
        return subject.facts.definitions[1..]
            .iter()
            .all(|d| d.kind != DefinitionKind::Import || is_certain(subject, d));
    }
    // The key of a literal may be a field of something that is not here.
    !rest.starts_with(':') || rest.starts_with(":=")
}

/// Whether a name is a parameter that the grammar takes for a type: of ten names or more before one
/// type it leaves the first by itself. Either all parameters have names, or none.
fn is_cut_off_parameter(subject: &Subject<'_>, reference: &Ref, name: &str) -> bool {
    let ground = &subject.ground;
    ground.around(reference.start, reference.end).any(|function| {
        let Some(list) = function.child_by_field_name("parameters") else { return false };
        let mut cursor = list.walk();
        let (mut named, mut alone) = (false, false);
        for parameter in list.named_children(&mut cursor) {
            let is_named = parameter.child_by_field_name("name").is_some();
            named |= is_named;
            alone |= !is_named && ground.source.get(parameter.byte_range()) == Some(name);
        }
        named && alone
    })
}

/// Whether an import is used by the name that its path says: as each has to be used, that is the name.
fn is_used(subject: &Subject<'_>, def: &crate::facts::Def) -> bool {
    let (facts, resolver) = (subject.facts, subject.resolver());
    let name = subject.name(def.name);
    facts.references.iter().any(|r| {
        r.name == def.name
            && r.role == Role::Plain
            && subject.ground.source[r.end as usize..].starts_with('.')
            && !subject.ground.is_import(r.start)
            && {
                let led =
                    resolver.lexical(subject.file, r.scope, r.start, r.name, name, r.namespace);
                let import = |f: &crate::resolve::Found| {
                    f.id.file == subject.file && resolver.def(f.id).kind == DefinitionKind::Import
                };
                !led.is_empty() && led.iter().all(import)
            }
    })
}

/// Whether an import's name is the one that the code can use.
fn is_certain(subject: &Subject<'_>, def: &crate::facts::Def) -> bool {
    let spec =
        subject.ground.around(def.name_start, def.name_end).find(|n| n.kind() == "import_spec");
    let aliased = spec.is_some_and(|s| s.child_by_field_name("name").is_some());
    let standard = subject
        .facts
        .module_named(def.value)
        .is_some_and(|(path, _)| !path.split('/').next().unwrap_or("").contains('.'));
    aliased || standard || is_used(subject, def) || {
        let resolver = subject.resolver();
        match resolver.eval(subject.file, def.value) {
            crate::resolve::Ty::Folder(module) => match &*module {
                crate::project::Module::Folder(folder) => {
                    let name = subject.name(def.name);
                    let files = subject.index.project.in_folder(folder);
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
