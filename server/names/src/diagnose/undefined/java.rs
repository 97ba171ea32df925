//! Java: types and variables. A name is uncertain if an unknown source may define it: a wildcard
//! import of an unindexed package, an unknown supertype, a generator.

mod evidence;

use tree_sitter::Node;

use crate::diagnose::DiagnosticsContext;
use crate::facts::{NONE, Ref};
use crate::index::FileId;
use crate::library::java_names;
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Namespace, ScopeKind};

/// Limit for chains of supertypes.
const MAX_SUPERTYPES: usize = 16;

/// Limit for the components of an imported path.
const MAX_PATH_DEPTH: u32 = 16;

/// What a name may refer to at its position.
#[derive(Debug, Clone, Copy)]
struct Expected {
    /// A type: in a declaration, or before a dot.
    ty: bool,
    /// A variable.
    value: bool,
}

/// Whether the package name contains blanks; then the files of the package are unknown.
fn has_blank_in_package(ctx: &DiagnosticsContext<'_>) -> bool {
    let root = ctx.lex.syntax.root();
    let mut cursor = root.walk();
    let package = root.named_children(&mut cursor).find(|n| n.kind() == "package_declaration");
    let text = package.and_then(|n| ctx.lex.source.get(n.byte_range()));
    let name = text.map(|text| text.trim_start_matches("package").trim_end_matches(';').trim());
    name.is_some_and(|name| name.contains(char::is_whitespace))
}

pub(super) fn is_undefined(
    ctx: &DiagnosticsContext<'_>,
    resolver: &Resolver<'_>,
    r: u32,
    reference: &Ref,
) -> bool {
    let name = ctx.name(reference.name);
    if reference.namespace.has(Namespace::FUNCTION) && reference.namespace != Namespace::ANY {
        return false;
    }
    let Some(place) = place(ctx, reference, name) else { return false };
    if ctx.path.ends_with("module-info.java")
        || has_blank_in_package(ctx)
        || !resolver.definitions_of_reference(ctx.file, r).is_empty()
        || resolver.is_near_step_limit()
        || java_names::has_type("java.lang", name)
        || may_be_generated_by_lombok(ctx, name)
        || may_be_imported(ctx, resolver, name, place)
    {
        return false;
    }
    if is_implicit_class(ctx) {
        // JEP 512: a compact source file imports all packages of `java.base`.
        return place.value && !place.ty;
    }
    let inherited = may_be_inherited(ctx, resolver, reference, name);
    if !place.ty {
        return !inherited;
    }
    evidence::is_missing_type(ctx, name, inherited)
}

/// What a name may refer to; `None` if uncertain: packages, `case` constants.
fn place(ctx: &DiagnosticsContext<'_>, reference: &Ref, name: &str) -> Option<Expected> {
    let lex = &ctx.lex;
    let before = lex.source[..reference.start as usize].trim_end();
    if before.ends_with('.') || before.ends_with("::") || before.ends_with("case") {
        return None;
    }
    let around: Vec<Node<'_>> = lex.ancestors(reference.start, reference.end).take(5).collect();
    let outer = |n: usize| around.get(n).map_or("", |node| node.kind());
    let skipped = [
        "switch_label",
        "module_declaration",
        "package_declaration",
        "import_declaration",
        "ERROR",
    ];
    if around.iter().any(|n| skipped.contains(&n.kind())) {
        return None;
    }
    let capital = name.starts_with(char::is_uppercase);
    let rest = lex.source[reference.end as usize..].trim_start();
    match (outer(0), outer(1)) {
        // The first component of a path may be a package.
        _ if rest.starts_with('.') && !capital && outer(1) != "method_invocation" => None,
        ("type_identifier", _) => Some(Expected { ty: true, value: false }),
        (_, "annotation" | "marker_annotation") => Some(Expected { ty: true, value: false }),
        ("identifier", "method_invocation" | "field_access" | "scoped_identifier")
            if rest.starts_with('.') =>
        {
            Some(Expected { ty: capital, value: true })
        }
        ("identifier", "method_reference") if rest.starts_with("::") => {
            Some(Expected { ty: capital, value: true })
        }
        ("identifier", _) => Some(Expected { ty: false, value: true }),
        _ => None,
    }
}

/// Whether Lombok may generate a name: the logger of a class, in a file that mentions Lombok.
fn may_be_generated_by_lombok(ctx: &DiagnosticsContext<'_>, name: &str) -> bool {
    let logger = name.eq_ignore_ascii_case("log") || name.eq_ignore_ascii_case("logger");
    // A Lombok annotation may give the name in a string.
    let in_string = |at: &u32| ctx.lex.kind(*at) == super::LexicalKind::String;
    ctx.lex.contains_word("lombok")
        && (logger || name == "Fields" || ctx.lex.occurrences(name).iter().any(in_string))
}

/// Whether a file has methods outside classes (JEP 512).
fn is_implicit_class(ctx: &DiagnosticsContext<'_>) -> bool {
    let root = ctx.lex.syntax.root();
    let mut cursor = root.walk();
    root.named_children(&mut cursor).any(|child| child.kind() == "method_declaration")
}

/// Whether a wildcard import may import a name.
fn may_be_imported(
    ctx: &DiagnosticsContext<'_>,
    resolver: &Resolver<'_>,
    name: &str,
    place: Expected,
) -> bool {
    let lex = &ctx.lex;
    let root = lex.syntax.root();
    let mut cursor = root.walk();
    let wildcards = root.named_children(&mut cursor).filter(|n| {
        n.kind() == "import_declaration" && {
            let last = n.named_child_count().checked_sub(1);
            last.and_then(|at| n.named_child(at as u32)).is_some_and(|c| c.kind() == "asterisk")
        }
    });
    for node in wildcards {
        let text = lex.source[node.byte_range()].trim_start_matches("import").trim_start();
        let (text, is_static) = match text.strip_prefix("static") {
            Some(rest) if rest.starts_with(char::is_whitespace) => (rest, true),
            _ => (text, false),
        };
        let path: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let path = path.trim_end_matches(';').trim_end_matches('*').trim_end_matches('.');
        let of_type =
            is_static || path.rsplit('.').next().unwrap_or(path).starts_with(char::is_uppercase);
        let may_import = if !is_static && java_names::has_package(path) {
            place.ty && java_names::has_type(path, name)
        } else if !is_static && !ctx.index.project.in_package(path).is_empty() {
            false
        } else if of_type {
            (is_static || place.ty) && may_be_member(ctx, resolver, path, name)
        } else {
            place.ty
        };
        if may_import {
            return true;
        }
    }
    false
}

/// Whether a type, given by its full name, may have an unknown field or nested type of a name.
fn may_be_member(
    ctx: &DiagnosticsContext<'_>,
    resolver: &Resolver<'_>,
    path: &str,
    name: &str,
) -> bool {
    if let Some(gives) = java_names::has_inheritable_member(path, name) {
        return gives;
    }
    let facts = ctx.facts;
    let named = |g: &&crate::facts::Glob| {
        resolver.qualified_name(ctx.file, g.module, MAX_PATH_DEPTH).is_some_and(|p| p == path)
    };
    let Some(glob) = facts.globs.iter().find(named) else { return true };
    may_have_unknown_member(
        resolver,
        ctx.file,
        &resolver.type_of_value(ctx.file, glob.module),
        name,
        0,
    )
}

/// Whether the enclosing types may inherit a name from unknown types.
fn may_be_inherited(
    ctx: &DiagnosticsContext<'_>,
    resolver: &Resolver<'_>,
    reference: &Ref,
    name: &str,
) -> bool {
    let facts = ctx.facts;
    let mut at = reference.scope;
    while let Some(scope) = facts.scopes.get(at as usize) {
        if scope.kind == ScopeKind::Open {
            let ty = resolver.scope_type(ctx.file, at);
            if may_have_unknown_member(resolver, ctx.file, &ty, name, 0) {
                return true;
            }
        }
        at = scope.parent;
    }
    false
}

/// Whether a type may inherit a member of a name from an unknown supertype. `file` is the file that
/// refers to the type.
fn may_have_unknown_member(
    resolver: &Resolver<'_>,
    file: FileId,
    ty: &Ty,
    name: &str,
    depth: usize,
) -> bool {
    match ty {
        Ty::Type(id, _) | Ty::Instance(id, _) if depth < MAX_SUPERTYPES => {
            let def = resolver.def(*id);
            let facts = resolver.facts(id.file);
            if !facts.is_complete() || depth > 0 && has_duplicate(resolver, *id) {
                return true;
            }
            let declared_count =
                if def.supertypes == NONE { 0 } else { facts.list(def.supertypes).len() };
            let supers = resolver.supertypes(*id);
            supers.len() < declared_count
                || supers
                    .iter()
                    .any(|s| may_have_unknown_member(resolver, id.file, s, name, depth + 1))
        }
        Ty::Named(of, _) => {
            let path = library_path(resolver, file, of);
            path.is_none_or(|path| java_names::has_inheritable_member(&path, name).unwrap_or(true))
        }
        _ => true,
    }
}

/// Whether another file of the project defines a type of the same full name. Which one is built
/// depends on the build.
fn has_duplicate(resolver: &Resolver<'_>, id: DefId) -> bool {
    let (def, facts) = (resolver.def(id), resolver.facts(id.file));
    def.scope == 0
        && resolver.definitions_named(facts.strings.text(def.name)).any(|other| {
            let (other_def, other_facts) = (resolver.def(other), resolver.facts(other.file));
            other.file != id.file
                && other_def.scope == 0
                && other_def.kind.is_type()
                && other_facts.package_name() == facts.package_name()
        })
}

/// The full name of a standard library type that a simple name refers to.
fn library_path(resolver: &Resolver<'_>, file: FileId, name: &str) -> Option<String> {
    let facts = resolver.facts(file);
    let imports = facts.strings.find(name).and_then(|number| {
        let all = facts.definitions_in_scope(0, number).iter();
        let import = |&&d: &&u32| facts.definitions[d as usize].kind == DefinitionKind::Import;
        all.copied().find(|d| import(&d))
    });
    if let Some(d) = imports {
        return resolver.qualified_name(file, facts.definitions[d as usize].value, MAX_PATH_DEPTH);
    }
    if java_names::has_type("java.lang", name) {
        return Some(format!("java.lang.{name}"));
    }
    let packages =
        facts.globs.iter().filter_map(|g| resolver.qualified_name(file, g.module, MAX_PATH_DEPTH));
    let mut listed = packages.filter(|package| java_names::has_type(package, name));
    listed.next().map(|package| format!("{package}.{name}"))
}
