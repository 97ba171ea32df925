//! Diagnostics for imports that do not resolve.

use super::dynamic_names::{defines_names_of_callers, may_define_more_names};
use super::{AbsentPath, DiagnosticsContext, NameDiagnostic, NameDiagnosticKind, name_lists};
use crate::expression::Expression;
use crate::facts::{Ref, ReferenceRole};
use crate::index::FileId;
use crate::library;
use crate::project::{Module, join_normalized, parent};
use crate::resolve::{Resolver, Ty};

/// Limit for the components of an imported path.
const MAX_PATH_DEPTH: u32 = 16;

/// Adds the diagnostics for imports that do not resolve.
pub(super) fn find(ctx: &DiagnosticsContext<'_>, found: &mut Vec<NameDiagnostic>) {
    let resolver = ctx.resolver();
    for (r, reference) in ctx.facts.references.iter().enumerate() {
        let finding = match reference.role {
            ReferenceRole::Root => check_module(ctx, &resolver, reference),
            ReferenceRole::Member => check_item(ctx, &resolver, r as u32, reference),
            _ => None,
        };
        found.extend(finding);
    }
    if ctx.language == "rust" {
        check_rust_modules(ctx, found);
    }
}

/// Checks the module that an import names by a relative path.
fn check_module(
    ctx: &DiagnosticsContext<'_>,
    resolver: &Resolver<'_>,
    reference: &Ref,
) -> Option<NameDiagnostic> {
    let expression = reference.receiver.as_expression()?;
    let Expression::Module(name, up) = ctx.facts.expressions[expression as usize] else {
        return None;
    };
    let path = ctx.name(name);
    if !is_unconditional_import(ctx, reference) {
        return None;
    }
    if !matches!(resolver.type_of_value(ctx.file, reference.receiver), Ty::External | Ty::Unknown) {
        return None;
    }
    let (folder, stem) = match ctx.language {
        "python" => python(ctx, resolver, path, up)?,
        "typescript" | "tsx" | "javascript" => ecma(ctx, path, up)?,
        "go" => return go(ctx, reference, path),
        _ => return None,
    };
    let mut finding = ctx.diagnostic(
        NameDiagnosticKind::UnresolvedImport,
        reference.start,
        reference.end,
        &format!("{}{path}", ".".repeat(up as usize)),
    );
    finding.absent = Some(AbsentPath { folder, stem });
    Some(finding)
}

/// Whether a reference is in an import statement that must succeed and is not suppressed by a
/// comment.
pub(super) fn is_unconditional_import(ctx: &DiagnosticsContext<'_>, reference: &Ref) -> bool {
    let lex = &ctx.lex;
    if !lex.is_import(reference.start) {
        return false;
    }
    let mut statement = false;
    for node in lex.ancestors(reference.start, reference.end) {
        match node.kind() {
            "import_statement" | "import_from_statement" | "export_statement" | "import_spec" => {
                statement = true;
            }
            // An import that may fail is expected to.
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
        lex.line_before(reference.start).to_owned() + lex.rest_of_line(reference.start as usize);
    let line_above = {
        let start = reference.start as usize - lex.line_before(reference.start).len();
        lex.source[..start].trim_end().rsplit('\n').next().unwrap_or("")
    };
    let suppressions = [
        "type: ignore",
        "noqa",
        "pyright:",
        "pylint",
        "ts-ignore",
        "ts-expect-error",
        "eslint-disable",
    ];
    statement
        && !name_lists::is_suppressed(&line, &suppressions)
        && !name_lists::is_suppressed(line_above, &suppressions)
}

/// The folder and file stem that a relative Python import refers to.
fn python(
    ctx: &DiagnosticsContext<'_>,
    resolver: &Resolver<'_>,
    path: &str,
    up: u32,
) -> Option<(String, String)> {
    if up == 0 || path.is_empty() {
        return None;
    }
    let mut folder = parent(ctx.path).to_owned();
    for _ in 1..up {
        if folder.is_empty() {
            return None;
        }
        folder = parent(&folder).to_owned();
    }
    let (line_above, stem) = path.rsplit_once('.').map_or(("", path), |(a, s)| (a, s));
    let folder = join_normalized(&folder, &line_above.replace('.', "/"))?;
    // Files written by packaging tools, and compiled modules, are not among the sources. By
    // convention they are in a folder without sources, or their name starts with an underscore.
    let beside = resolver.project().in_folder(&folder).iter().map(|f| resolver.path(*f));
    let mut modules = beside.map(crate::project::last).filter(|f| !f.starts_with("__init__."));
    let hidden = stem.starts_with('_')
        && !modules.clone().any(|f| name_lists::is_typo_of(stem, f.trim_end_matches(".py")));
    if stem.contains("version") || hidden || modules.next().is_none() {
        return None;
    }
    Some((folder, stem.to_owned()))
}

/// The folder and file stem that a relative ECMAScript import refers to.
fn ecma(ctx: &DiagnosticsContext<'_>, path: &str, up: u32) -> Option<(String, String)> {
    let written = format!("{}{path}", ".".repeat(up as usize));
    if !(written.starts_with("./") || written.starts_with("../"))
        || written.contains(['?', '!', '*', '#'])
    {
        return None;
    }
    let at = join_normalized(parent(ctx.path), &written)?;
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
        || ctx.index.project.in_folder(folder).is_empty()
    {
        return None;
    }
    // The files of a template, and of what a declaration file describes, are elsewhere.
    let file = crate::project::last(ctx.path);
    if ctx.path.split('/').any(|part| part == "template") || file.contains(".d.") {
        return None;
    }
    let stem = last.split('.').next().unwrap_or(last);
    Some((folder.to_owned(), stem.to_owned()))
}

/// Checks that a package of the file's own Go module has a file.
fn go(ctx: &DiagnosticsContext<'_>, reference: &Ref, path: &str) -> Option<NameDiagnostic> {
    let folder = ctx.index.project.go_folder(ctx.file, path)?;
    let (line_above, last) = (parent(&folder).to_owned(), crate::project::last(&folder).to_owned());
    // By convention what a build generates from protocol buffers.
    if last.ends_with("pb") {
        return None;
    }
    let mut finding =
        ctx.diagnostic(NameDiagnosticKind::UnresolvedImport, reference.start, reference.end, path);
    finding.absent = Some(AbsentPath { folder: line_above, stem: last });
    Some(finding)
}

/// Checks that an imported name exists in its module.
fn check_item(
    ctx: &DiagnosticsContext<'_>,
    resolver: &Resolver<'_>,
    r: u32,
    reference: &Ref,
) -> Option<NameDiagnostic> {
    if !is_import_item(ctx, reference) || !is_statement_or_use(ctx, reference) {
        return None;
    }
    let name = ctx.name(reference.name);
    let ty = resolver.type_of_value(ctx.file, reference.receiver);
    if matches!(ty, Ty::Module(file, _) if ctx.index.is_dependency(file)) {
        // The names of a dependency depend on its version and build options.
        return None;
    }
    if ctx.lex.source[..reference.start as usize].ends_with("use ::")
        || ctx.language == "rust" && ctx.index.defined(name).next().is_some()
        || is_path_from_root(ctx, reference)
    {
        return None;
    }
    if ctx.language == "python"
        && (name_lists::is_module_attribute(name) || may_be_standard_module(ctx, reference))
    {
        return None;
    }
    let known = match (ctx.language, &ty) {
        ("python", Ty::Module(file, 0)) => python_names(resolver, *file, 0),
        ("typescript" | "tsx" | "javascript", Ty::Module(file, 0)) => {
            name != "default" && ecma_names(resolver, *file, 0)
        }
        ("rust", Ty::Module(file, scope)) => rust_names(ctx, resolver, *file, *scope),
        ("java", Ty::Folder(module)) => java_names(ctx, module, name),
        ("java", _) => {
            name.starts_with(char::is_uppercase)
                && library_package(resolver, ctx.file, reference)
                    .is_some_and(|package| !library::java_names::has_type(&package, name))
        }
        _ => false,
    };
    if !known
        || !resolver.definitions_of_reference(ctx.file, r).is_empty()
        || resolver.is_near_step_limit()
    {
        return None;
    }
    let mut finding =
        ctx.diagnostic(NameDiagnosticKind::UnresolvedImport, reference.start, reference.end, name);
    if !is_typo(ctx, resolver, &ty, reference) {
        return None;
    }
    if let (Ty::Module(file, 0), "python") = (&ty, ctx.language) {
        let path = resolver.path(*file);
        if is_in_stub(resolver, path, name) {
            return None;
        }
        if crate::project::last(path).starts_with("__init__.") {
            // The name may be a compiled module of the package.
            let mut beside = ctx.index.project.in_folder(parent(path)).iter();
            if beside.all(|f| f == file) || name.starts_with('_') {
                return None;
            }
            finding.absent =
                Some(AbsentPath { folder: parent(path).to_owned(), stem: name.to_owned() });
        }
    }
    Some(finding)
}

/// Whether the stub beside a Python module defines a name.
fn is_in_stub(resolver: &Resolver<'_>, path: &str, name: &str) -> bool {
    resolver.project().file(&format!("{path}i")).is_some_and(|stub| {
        let facts = resolver.facts(stub);
        let is_defined = |id| !facts.definitions_in_scope(0, id).is_empty();
        path.ends_with(".py") && facts.strings.find(name).is_some_and(is_defined)
    })
}

/// Whether a Python import names a module of the standard library. A file of this name beside the importing one comes
/// first only if that is run as a script.
fn may_be_standard_module(ctx: &DiagnosticsContext<'_>, reference: &Ref) -> bool {
    let module = reference.receiver.as_expression().map(|e| &ctx.facts.expressions[e as usize]);
    let Some(Expression::Module(path, 0)) = module else { return false };
    library::is_python_module(ctx.name(*path).split('.').next().unwrap_or_default())
}

fn is_import_item(ctx: &DiagnosticsContext<'_>, reference: &Ref) -> bool {
    let lex = &ctx.lex;
    let is_listed = || match ctx.language {
        "typescript" | "tsx" | "javascript" => {
            let outer = lex.ancestors(reference.start, reference.end).nth(1);
            outer.is_some_and(|p| matches!(p.kind(), "import_specifier" | "export_specifier"))
        }
        _ => true,
    };
    reference.start < reference.end
        && lex.is_import(reference.start)
        && lex.kind(reference.start) == super::lexical_index::LexicalKind::Code
        && is_listed()
}

/// Whether a missing name looks like a typo of an existing one. In Java and Rust, types may be
/// generated by the build, so anything else is not reported.
fn is_typo(
    ctx: &DiagnosticsContext<'_>,
    resolver: &Resolver<'_>,
    ty: &Ty,
    reference: &Ref,
) -> bool {
    let name = ctx.name(reference.name);
    let near = |file: FileId, scope: u32| {
        let facts = resolver.facts(file);
        let all = facts.all_in_scope(scope).iter();
        all.copied().any(|d| {
            let other = facts.strings.text(facts.definitions[d as usize].name);
            // A Java interface often has its class's name with one letter in front.
            name_lists::is_typo_of(name, other)
                && !(ctx.language == "java" && name.ends_with(other))
        })
    };
    match (ctx.language, ty) {
        ("rust", Ty::Module(file, scope)) => near(*file, *scope),
        ("java", Ty::Folder(module)) => match &**module {
            Module::Package(package) => {
                let files = ctx.index.project.in_package(package);
                !may_be_generated(ctx, name) && files.iter().any(|f| near(*f, 0))
            }
            _ => false,
        },
        ("java", _) => {
            let package = library_package(resolver, ctx.file, reference).unwrap_or_default();
            library::java_names::types(&package).any(|other| name_lists::is_typo_of(name, other))
        }
        _ => true,
    }
}

/// The package of Java's standard library that an import names a type of. Only `java.…`: other
/// packages may be shared with libraries.
fn library_package(resolver: &Resolver<'_>, file: FileId, reference: &Ref) -> Option<String> {
    let package = resolver.qualified_name(file, reference.receiver, MAX_PATH_DEPTH)?;
    (package.starts_with("java.") && library::java_names::has_package(&package)).then_some(package)
}

/// Whether a missing Java type may be generated or written in another language.
fn may_be_generated(ctx: &DiagnosticsContext<'_>, name: &str) -> bool {
    let index = ctx.index;
    let others = index.names.get(name).is_some_and(|p| p.used.iter().any(|f| *f != ctx.file));
    others || index.project.java_peers.has_type(name)
}

/// Whether a path starts with `::`, so with a crate.
fn is_path_from_root(ctx: &DiagnosticsContext<'_>, reference: &Ref) -> bool {
    let lex = &ctx.lex;
    let mut around = lex.ancestors(reference.start, reference.end);
    let statement = around.find(|n| n.kind() == "use_declaration");
    statement
        .and_then(|s| s.child_by_field_name("argument"))
        .is_some_and(|a| lex.source[a.byte_range()].starts_with("::"))
}

fn is_statement_or_use(ctx: &DiagnosticsContext<'_>, reference: &Ref) -> bool {
    if matches!(ctx.language, "rust" | "java") {
        let lex = &ctx.lex;
        if !lex.is_import(reference.start) {
            return false;
        }
        let mut statement = false;
        for node in lex.ancestors(reference.start, reference.end) {
            match node.kind() {
                "use_declaration" | "import_declaration" => statement = true,
                "macro_invocation" | "macro_definition" | "token_tree" | "ERROR" => return false,
                _ => {}
            }
            let mut line_above = node.prev_named_sibling();
            while let Some(a) = line_above.filter(|a| a.kind() == "attribute_item") {
                if lex.source[a.byte_range()].contains("cfg") {
                    return false;
                }
                line_above = a.prev_named_sibling();
            }
        }
        return statement;
    }
    is_unconditional_import(ctx, reference)
}

/// Whether all names of a Python module are known.
fn python_names(resolver: &Resolver<'_>, file: FileId, depth: usize) -> bool {
    let facts = resolver.facts(file);
    depth < 8
        && facts.is_complete()
        && facts.language.id() == "python"
        && facts.lines > 1
        && resolver.path(file).ends_with(".py")
        && !may_define_more_names(facts)
        && !imports_definer(resolver, file)
        && facts.globs.iter().all(|g| match resolver.type_of_value(file, g.module) {
            Ty::Module(other, 0) => python_names(resolver, other, depth + 1),
            _ => false,
        })
}

/// Whether a module imports from one whose functions create names in their callers' modules, as some decorators do.
fn imports_definer(resolver: &Resolver<'_>, file: FileId) -> bool {
    let roots = resolver.facts(file).references.iter().filter(|r| r.role == ReferenceRole::Root);
    let mut modules = roots.map(|root| resolver.type_of_value(file, root.receiver));
    modules.any(|ty| match ty {
        Ty::Module(other, 0) if other != file => defines_names_of_callers(resolver.facts(other)),
        _ => false,
    })
}

/// Whether all exports of an ECMAScript module are known.
fn ecma_names(resolver: &Resolver<'_>, file: FileId, depth: usize) -> bool {
    let facts = resolver.facts(file);
    let exports = facts.globs.iter().any(|g| g.exported)
        || facts.definitions[1..]
            .iter()
            .any(|d| d.scope == 0 && d.flags.has(crate::vocabulary::Flags::EXPORTED));
    let common = ["module", "exports", "require"];
    depth < 8
        && exports
        && facts.is_complete()
        && !resolver.path(file).contains(".d.")
        && !common.iter().any(|w| facts.strings.find(w).is_some())
        && facts.globs.iter().all(|g| match resolver.type_of_value(file, g.module) {
            Ty::Module(other, 0) => ecma_names(resolver, other, depth + 1),
            _ => false,
        })
}

/// Whether all names of a Rust module are known: no macro may define others.
fn rust_names(
    ctx: &DiagnosticsContext<'_>,
    resolver: &Resolver<'_>,
    file: FileId,
    scope: u32,
) -> bool {
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
        && facts.is_complete()
        && !ctx.index.is_dependency(file)
        && !attributes.iter().any(|w| facts.strings.find(w).is_some())
        && facts.globs.iter().all(|g| g.scope != scope)
}

/// Whether all types of a Java package are known.
fn java_names(ctx: &DiagnosticsContext<'_>, module: &Module, name: &str) -> bool {
    let Module::Package(package) = module else { return false };
    name.starts_with(char::is_uppercase) && !ctx.index.project.in_package(package).is_empty()
}

/// Checks `mod name;` declarations for a missing file.
fn check_rust_modules(ctx: &DiagnosticsContext<'_>, found: &mut Vec<NameDiagnostic>) {
    let lex = &ctx.lex;
    for def in &ctx.facts.definitions[1..] {
        if def.kind != crate::vocabulary::DefinitionKind::Module || def.name_start >= def.name_end {
            continue;
        }
        let mut around = lex.ancestors(def.name_start, def.name_end);
        let Some(item) = around.find(|n| n.kind() == "mod_item") else { continue };
        let inner = around.next().is_none_or(|p| p.kind() != "source_file");
        if inner || item.child_by_field_name("body").is_some() {
            continue;
        }
        let line_above = item.prev_named_sibling().filter(|a| a.kind() == "attribute_item");
        if line_above.is_some() {
            continue;
        }
        let name = ctx.name(def.name).trim_start_matches("r#");
        let project = &ctx.index.project;
        if project.rust_child(ctx.file, "", name).is_some() {
            continue;
        }
        let path = ctx.path;
        let file = crate::project::last(path);
        // The module folder of a file that Cargo does not know is uncertain.
        let folder = match file {
            "mod.rs" | "lib.rs" | "main.rs" => parent(path).to_owned(),
            _ => continue,
        };
        let mut finding = ctx.diagnostic(
            NameDiagnosticKind::UnresolvedImport,
            def.name_start,
            def.name_end,
            name,
        );
        finding.absent = Some(AbsentPath { folder, stem: name.to_owned() });
        found.push(finding);
    }
}
