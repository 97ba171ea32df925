//! Imports of what is not there.

use super::by_text::has_unseen_names;
use super::{Absent, Finding, FindingKind, Subject, known};
use crate::expression::Expression;
use crate::facts::{Ref, Role};
use crate::index::FileId;
use crate::library;
use crate::project::{Module, join, parent};
use crate::resolve::{Resolver, Ty};

/// Deepest path of names in an import.
const PATH: u32 = 16;

pub(super) fn find(subject: &Subject<'_>, found: &mut Vec<Finding>) {
    let resolver = subject.resolver();
    for (r, reference) in subject.facts.references.iter().enumerate() {
        let finding = match reference.role {
            Role::Root => module(subject, &resolver, reference),
            Role::Member => item(subject, &resolver, r as u32, reference),
            _ => None,
        };
        found.extend(finding);
    }
    if subject.language == "rust" {
        rust_modules(subject, found);
    }
}

/// The module that an import names by a path relative to its own.
fn module(subject: &Subject<'_>, resolver: &Resolver<'_>, reference: &Ref) -> Option<Finding> {
    let expression = reference.receiver.as_expression()?;
    let Expression::Module(name, up) = subject.facts.expressions[expression as usize] else {
        return None;
    };
    let path = subject.name(name);
    if !is_statement(subject, reference) {
        return None;
    }
    if !matches!(resolver.eval(subject.file, reference.receiver), Ty::Outside | Ty::Unknown) {
        return None;
    }
    let (folder, stem) = match subject.language {
        "python" => python(subject, resolver, path, up)?,
        "typescript" | "tsx" | "javascript" => ecma(subject, path, up)?,
        "go" => return go(subject, reference, path),
        _ => return None,
    };
    let mut finding = subject.finding(
        FindingKind::UnresolvedImport,
        reference.start,
        reference.end,
        &format!("{}{path}", ".".repeat(up as usize)),
    );
    finding.absent = Some(Absent { folder, stem });
    Some(finding)
}

pub(super) fn is_statement(subject: &Subject<'_>, reference: &Ref) -> bool {
    let ground = &subject.ground;
    if !ground.is_import(reference.start) {
        return false;
    }
    let mut statement = false;
    for node in ground.around(reference.start, reference.end) {
        match node.kind() {
            "import_statement" | "import_from_statement" | "export_statement" | "import_spec" => {
                statement = true;
            }
            // What may fail is expected to.
            "try_statement"
            | "if_statement"
            | "with_statement"
            | "ambient_declaration"
            | "declare_statement"
            | "ERROR" => return false,
            "import_declaration" => {}
            kind if kind.ends_with("_declaration") => return false,
            _ => {}
        }
    }
    let line =
        ground.before(reference.start).to_owned() + ground.rest_of_line(reference.start as usize);
    let above = {
        let start = reference.start as usize - ground.before(reference.start).len();
        ground.source[..start].trim_end().rsplit('\n').next().unwrap_or("")
    };
    let kept = [
        "type: ignore",
        "noqa",
        "pyright:",
        "pylint",
        "ts-ignore",
        "ts-expect-error",
        "eslint-disable",
    ];
    statement
        && !known::is_said_to_be_left_alone(&line, &kept)
        && !known::is_said_to_be_left_alone(above, &kept)
}

/// The folder in which a relative Python import looks, and what for.
fn python(
    subject: &Subject<'_>,
    resolver: &Resolver<'_>,
    path: &str,
    up: u32,
) -> Option<(String, String)> {
    if up == 0 || path.is_empty() {
        return None;
    }
    let mut folder = parent(subject.path).to_owned();
    for _ in 1..up {
        if folder.is_empty() {
            return None;
        }
        folder = parent(&folder).to_owned();
    }
    let (above, stem) = path.rsplit_once('.').map_or(("", path), |(a, s)| (a, s));
    let folder = join(&folder, &above.replace('.', "/"))?;
    // What packaging tools write is not part of the source, nor what is compiled: by convention
    // such modules have a folder to themselves, or a name that begins with a line.
    let beside = resolver.project().in_folder(&folder).iter().map(|f| resolver.path(*f));
    let mut modules = beside.map(crate::project::last).filter(|f| !f.starts_with("__init__."));
    let hidden = stem.starts_with('_')
        && !modules.clone().any(|f| known::is_near(stem, f.trim_end_matches(".py")));
    if stem.contains("version") || hidden || modules.next().is_none() {
        return None;
    }
    Some((folder, stem.to_owned()))
}

/// The folder in which a relative path looks, and what for.
fn ecma(subject: &Subject<'_>, path: &str, up: u32) -> Option<(String, String)> {
    let written = format!("{}{path}", ".".repeat(up as usize));
    if !(written.starts_with("./") || written.starts_with("../"))
        || written.contains(['?', '!', '*', '#'])
    {
        return None;
    }
    let at = join(parent(subject.path), &written)?;
    let (folder, last) = (parent(&at), crate::project::last(&at));
    let built = [
        "dist",
        "lib",
        "build",
        "out",
        "esm",
        "cjs",
        "generated",
        "gen",
        "types",
        "pkg",
        "package.json",
    ];
    if last.is_empty()
        || at.split('/').any(|p| built.contains(&p) || p.contains("generated"))
        || subject.index.project.in_folder(folder).is_empty()
    {
        return None;
    }
    // What a template is made into, and what declarations stand in for, is somewhere else.
    let file = crate::project::last(subject.path);
    if subject.path.split('/').any(|part| part == "template") || file.contains(".d.") {
        return None;
    }
    let stem = last.split('.').next().unwrap_or(last);
    Some((folder.to_owned(), stem.to_owned()))
}

/// A package of the module's own that has no file.
fn go(subject: &Subject<'_>, reference: &Ref, path: &str) -> Option<Finding> {
    let folder = subject.index.project.go_folder(subject.file, path)?;
    let (above, last) = (parent(&folder).to_owned(), crate::project::last(&folder).to_owned());
    let mut finding =
        subject.finding(FindingKind::UnresolvedImport, reference.start, reference.end, path);
    finding.absent = Some(Absent { folder: above, stem: last });
    Some(finding)
}

/// A name that a module of the project does not have.
fn item(
    subject: &Subject<'_>,
    resolver: &Resolver<'_>,
    r: u32,
    reference: &Ref,
) -> Option<Finding> {
    if !is_import_item(subject, reference) || !is_statement_or_use(subject, reference) {
        return None;
    }
    let name = subject.name(reference.name);
    let ty = resolver.eval(subject.file, reference.receiver);
    if matches!(ty, Ty::Module(file, _) if subject.index.is_library(file)) {
        // What a dependency offers depends on its version, and on what it is built with.
        return None;
    }
    if subject.ground.source[..reference.start as usize].ends_with("use ::")
        || subject.language == "rust" && subject.index.defined(name).next().is_some()
        || is_path_from_root(subject, reference)
    {
        return None;
    }
    if subject.language == "python" && known::is_module_attribute(name) {
        return None;
    }
    let known = match (subject.language, &ty) {
        ("python", Ty::Module(file, 0)) => python_names(resolver, *file, 0),
        ("typescript" | "tsx" | "javascript", Ty::Module(file, 0)) => {
            name != "default" && ecma_names(resolver, *file, 0)
        }
        ("rust", Ty::Module(file, scope)) => rust_names(subject, resolver, *file, *scope),
        ("java", Ty::Folder(module)) => java_names(subject, module, name),
        ("java", _) => {
            name.starts_with(char::is_uppercase)
                && library_package(resolver, subject.file, reference)
                    .is_some_and(|package| !library::java_names::has_type(&package, name))
        }
        _ => false,
    };
    if !known || !resolver.reference(subject.file, r).is_empty() || resolver.is_spent() {
        return None;
    }
    let mut finding =
        subject.finding(FindingKind::UnresolvedImport, reference.start, reference.end, name);
    if !is_slip(subject, resolver, &ty, reference) {
        return None;
    }
    if let (Ty::Module(file, 0), "python") = (&ty, subject.language) {
        let path = resolver.path(*file);
        if crate::project::last(path).starts_with("__init__.") {
            // A module that is compiled may be meant.
            let mut beside = subject.index.project.in_folder(parent(path)).iter();
            if beside.all(|f| f == file) || name.starts_with('_') {
                return None;
            }
            finding.absent =
                Some(Absent { folder: parent(path).to_owned(), stem: name.to_owned() });
        }
    }
    Some(finding)
}

fn is_import_item(subject: &Subject<'_>, reference: &Ref) -> bool {
    let ground = &subject.ground;
    let is_listed = || match subject.language {
        "typescript" | "tsx" | "javascript" => {
            let outer = ground.around(reference.start, reference.end).nth(1);
            outer.is_some_and(|p| matches!(p.kind(), "import_specifier" | "export_specifier"))
        }
        _ => true,
    };
    reference.start < reference.end
        && ground.is_import(reference.start)
        && ground.kind(reference.start) == super::ground::Kind::Code
        && is_listed()
}

/// Whether a name that is not there is meant to be one that is. Types of Java and Rust may be made
/// by what runs when they are built; a slip is none of those.
fn is_slip(subject: &Subject<'_>, resolver: &Resolver<'_>, ty: &Ty, reference: &Ref) -> bool {
    let name = subject.name(reference.name);
    let near = |file: FileId, scope: u32| {
        let facts = resolver.facts(file);
        let all = facts.all_in_scope(scope).iter();
        all.copied().any(|d| {
            let other = facts.strings.text(facts.definitions[d as usize].name);
            // An interface is often called as the class behind it, with one more letter.
            known::is_near(name, other) && !(subject.language == "java" && name.ends_with(other))
        })
    };
    match (subject.language, ty) {
        ("rust", Ty::Module(file, scope)) => near(*file, *scope),
        ("java", Ty::Folder(module)) => match &**module {
            Module::Package(package) => {
                let files = subject.index.project.in_package(package);
                !may_be_made(subject, name) && files.iter().any(|f| near(*f, 0))
            }
            _ => false,
        },
        ("java", _) => {
            let package = library_package(resolver, subject.file, reference).unwrap_or_default();
            library::java_names::types(&package).any(|other| known::is_near(name, other))
        }
        _ => true,
    }
}

/// The package of Java's library that an import names a type of. Packages of others may share the
/// names of those outside of `java`.
fn library_package(resolver: &Resolver<'_>, file: FileId, reference: &Ref) -> Option<String> {
    let package = resolver.dotted(file, reference.receiver, PATH)?;
    (package.starts_with("java.") && library::java_names::has_package(&package)).then_some(package)
}

/// Whether a type of Java that no file defines may be made by a generator or another language.
fn may_be_made(subject: &Subject<'_>, name: &str) -> bool {
    let index = subject.index;
    let others = index.names.get(name).is_some_and(|p| p.used.iter().any(|f| *f != subject.file));
    others || index.project.java_peers.has(name)
}

/// Whether a path starts with `::`, and so with another crate.
fn is_path_from_root(subject: &Subject<'_>, reference: &Ref) -> bool {
    let ground = &subject.ground;
    let mut around = ground.around(reference.start, reference.end);
    let statement = around.find(|n| n.kind() == "use_declaration");
    statement
        .and_then(|s| s.child_by_field_name("argument"))
        .is_some_and(|a| ground.source[a.byte_range()].starts_with("::"))
}

fn is_statement_or_use(subject: &Subject<'_>, reference: &Ref) -> bool {
    if matches!(subject.language, "rust" | "java") {
        let ground = &subject.ground;
        if !ground.is_import(reference.start) {
            return false;
        }
        let mut statement = false;
        for node in ground.around(reference.start, reference.end) {
            match node.kind() {
                "use_declaration" | "import_declaration" => statement = true,
                "macro_invocation" | "macro_definition" | "token_tree" | "ERROR" => return false,
                _ => {}
            }
            let mut above = node.prev_named_sibling();
            while let Some(a) = above.filter(|a| a.kind() == "attribute_item") {
                if ground.source[a.byte_range()].contains("cfg") {
                    return false;
                }
                above = a.prev_named_sibling();
            }
        }
        return statement;
    }
    is_statement(subject, reference)
}

/// Whether all names of a Python module are known.
fn python_names(resolver: &Resolver<'_>, file: FileId, depth: usize) -> bool {
    let facts = resolver.facts(file);
    depth < 8
        && facts.is_whole()
        && facts.language.id() == "python"
        && facts.lines > 1
        && resolver.path(file).ends_with(".py")
        && !has_unseen_names(facts)
        && facts.globs.iter().all(|g| match resolver.eval(file, g.module) {
            Ty::Module(other, 0) => python_names(resolver, other, depth + 1),
            _ => false,
        })
}

/// Whether all exports of a module are known.
fn ecma_names(resolver: &Resolver<'_>, file: FileId, depth: usize) -> bool {
    let facts = resolver.facts(file);
    let exports = facts.globs.iter().any(|g| g.exported)
        || facts.definitions[1..]
            .iter()
            .any(|d| d.scope == 0 && d.flags.has(crate::vocabulary::Flags::EXPORTED));
    let common = ["module", "exports", "require"];
    depth < 8
        && exports
        && facts.is_whole()
        && !resolver.path(file).contains(".d.")
        && !common.iter().any(|w| facts.strings.find(w).is_some())
        && facts.globs.iter().all(|g| match resolver.eval(file, g.module) {
            Ty::Module(other, 0) => ecma_names(resolver, other, depth + 1),
            _ => false,
        })
}

/// Whether all names of a Rust module are known: no macro makes any of them.
fn rust_names(subject: &Subject<'_>, resolver: &Resolver<'_>, file: FileId, scope: u32) -> bool {
    let facts = resolver.facts(file);
    let macros = facts.references.iter().any(|r| {
        r.namespace == crate::vocabulary::Namespace::MACRO
            && facts.scopes.get(r.scope as usize).is_some_and(|s| {
                matches!(
                    s.kind,
                    crate::vocabulary::ScopeKind::File | crate::vocabulary::ScopeKind::Module
                )
            })
    });
    let attributes = ["macro_use", "macro_export"];
    !macros
        && facts.is_whole()
        && !subject.index.is_library(file)
        && !attributes.iter().any(|w| facts.strings.find(w).is_some())
        && facts.globs.iter().all(|g| g.scope != scope)
}

/// Whether all types of a Java package are known, and it has none of this name.
fn java_names(subject: &Subject<'_>, module: &Module, name: &str) -> bool {
    let Module::Package(package) = module else { return false };
    name.starts_with(char::is_uppercase) && !subject.index.project.in_package(package).is_empty()
}

/// `mod name;` without a file.
fn rust_modules(subject: &Subject<'_>, found: &mut Vec<Finding>) {
    let ground = &subject.ground;
    for def in &subject.facts.definitions[1..] {
        if def.kind != crate::vocabulary::DefinitionKind::Module || def.name_start >= def.name_end {
            continue;
        }
        let mut around = ground.around(def.name_start, def.name_end);
        let Some(item) = around.find(|n| n.kind() == "mod_item") else { continue };
        let inner = around.next().is_none_or(|p| p.kind() != "source_file");
        if inner || item.child_by_field_name("body").is_some() {
            continue;
        }
        let above = item.prev_named_sibling().filter(|a| a.kind() == "attribute_item");
        if above.is_some() {
            continue;
        }
        let name = subject.name(def.name).trim_start_matches("r#");
        let project = &subject.index.project;
        if project.rust_child(subject.file, "", name).is_some() {
            continue;
        }
        let path = subject.path;
        let file = crate::project::last(path);
        // Which folder holds the modules of a file that cargo does not know is not certain.
        let folder = match file {
            "mod.rs" | "lib.rs" | "main.rs" => parent(path).to_owned(),
            _ => continue,
        };
        let mut finding =
            subject.finding(FindingKind::UnresolvedImport, def.name_start, def.name_end, name);
        finding.absent = Some(Absent { folder, stem: name.to_owned() });
        found.push(finding);
    }
}
