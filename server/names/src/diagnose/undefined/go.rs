//! Go: every file of the package is here, and every package is called what its import says.

use crate::diagnose::Subject;
use crate::facts::{NONE, Ref};
use crate::project::parent;
use crate::vocabulary::DefinitionKind;

pub(super) fn is_closed(subject: &Subject<'_>) -> bool {
    let facts = subject.facts;
    let folder = subject.index.project.in_folder(parent(subject.path));
    // What cgo and generators make is not here.
    let made = folder.iter().any(|&f| {
        let facts = subject.index.facts_of(f);
        facts.language.id() == "go"
            && facts.definitions.iter().any(|d| {
                d.kind == DefinitionKind::Import
                    && d.name != NONE
                    && facts.strings.text(d.name) == "C"
            })
    });
    !made
        && facts.globs.is_empty()
        && !subject.ground.source.contains("//go:generate")
        && !subject.ground.source.contains("//go:build ignore")
        && !subject.ground.source.contains("// +build ignore")
}

pub(super) fn is_undefined(subject: &Subject<'_>, reference: &Ref) -> bool {
    let ground = &subject.ground;
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

/// Whether an import's name is the one that the code can use.
fn is_certain(subject: &Subject<'_>, def: &crate::facts::Def) -> bool {
    let spec =
        subject.ground.around(def.name_start, def.name_end).find(|n| n.kind() == "import_spec");
    let aliased = spec.is_some_and(|s| s.child_by_field_name("name").is_some());
    let standard = subject
        .facts
        .module_named(def.value)
        .is_some_and(|(path, _)| !path.split('/').next().unwrap_or("").contains('.'));
    aliased || standard || {
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
