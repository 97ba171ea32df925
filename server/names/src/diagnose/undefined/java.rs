//! Java: types and variables. A name is uncertain where something may give it that is not known: a
//! wildcard import of a package that is not here, a type above the ones around it, a generator.

mod evidence;

use tree_sitter::Node;

use crate::diagnose::Subject;
use crate::facts::{NONE, Ref};
use crate::index::FileId;
use crate::library::java_names;
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Namespace, ScopeKind};

/// Most types above one another.
const CHAIN: usize = 16;

/// Deepest path of names in an import.
const PATH: u32 = 16;

/// What a name may be by where it stands.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// A type: in a declaration, before a dot.
    ty: bool,
    /// A variable.
    value: bool,
}

/// Whether blanks stand in the name of the file's package: which files are beside it is not known.
fn is_in_spaced_package(subject: &Subject<'_>) -> bool {
    let root = subject.ground.syntax.root();
    let mut cursor = root.walk();
    let package = root.named_children(&mut cursor).find(|n| n.kind() == "package_declaration");
    let text = package.and_then(|n| subject.ground.source.get(n.byte_range()));
    let name = text.map(|text| text.trim_start_matches("package").trim_end_matches(';').trim());
    name.is_some_and(|name| name.contains(char::is_whitespace))
}

pub(super) fn is_undefined(
    subject: &Subject<'_>,
    resolver: &Resolver<'_>,
    r: u32,
    reference: &Ref,
) -> bool {
    let name = subject.name(reference.name);
    if reference.namespace.has(Namespace::FUNCTION) && reference.namespace != Namespace::ANY {
        return false;
    }
    let Some(place) = place(subject, reference, name) else { return false };
    if subject.path.ends_with("module-info.java")
        || is_in_spaced_package(subject)
        || !resolver.reference(subject.file, r).is_empty()
        || resolver.is_spent()
        || java_names::has_type("java.lang", name)
        || may_be_lombok(subject, name)
        || may_be_imported(subject, resolver, name, place)
    {
        return false;
    }
    if is_implicit_class(subject) {
        // All packages of the base module are imported.
        return place.value && !place.ty;
    }
    let inherited = may_be_inherited(subject, resolver, reference, name);
    if !place.ty {
        return !inherited;
    }
    evidence::is_missing_type(subject, name, inherited)
}

/// What a name may be; `None` where nothing is certain: packages, constants of a `case`.
fn place(subject: &Subject<'_>, reference: &Ref, name: &str) -> Option<Place> {
    let ground = &subject.ground;
    let before = ground.source[..reference.start as usize].trim_end();
    if before.ends_with('.') || before.ends_with("::") || before.ends_with("case") {
        return None;
    }
    let around: Vec<Node<'_>> = ground.around(reference.start, reference.end).take(5).collect();
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
    let rest = ground.source[reference.end as usize..].trim_start();
    match (outer(0), outer(1)) {
        // The first part of a path may be a package.
        _ if rest.starts_with('.') && !capital && outer(1) != "method_invocation" => None,
        ("type_identifier", _) => Some(Place { ty: true, value: false }),
        (_, "annotation" | "marker_annotation") => Some(Place { ty: true, value: false }),
        ("identifier", "method_invocation" | "field_access" | "scoped_identifier")
            if rest.starts_with('.') =>
        {
            Some(Place { ty: capital, value: true })
        }
        ("identifier", "method_reference") if rest.starts_with("::") => {
            Some(Place { ty: capital, value: true })
        }
        ("identifier", _) => Some(Place { ty: false, value: true }),
        _ => None,
    }
}

/// Whether Lombok may make a name: the logger of a class, in a file that names Lombok.
fn may_be_lombok(subject: &Subject<'_>, name: &str) -> bool {
    let logger = name.eq_ignore_ascii_case("log") || name.eq_ignore_ascii_case("logger");
    // The name may be given in a text.
    let said = |at: &u32| subject.ground.kind(*at) == super::Kind::Text;
    subject.ground.has("lombok")
        && (logger || name == "Fields" || subject.ground.places(name).iter().any(said))
}

/// Whether a file has methods outside of any class, as JEP 512 has it.
fn is_implicit_class(subject: &Subject<'_>) -> bool {
    let root = subject.ground.syntax.root();
    let mut cursor = root.walk();
    root.named_children(&mut cursor).any(|child| child.kind() == "method_declaration")
}

/// Whether a wildcard import may bring a name.
fn may_be_imported(
    subject: &Subject<'_>,
    resolver: &Resolver<'_>,
    name: &str,
    place: Place,
) -> bool {
    let ground = &subject.ground;
    let root = ground.syntax.root();
    let mut cursor = root.walk();
    let wildcards = root.named_children(&mut cursor).filter(|n| {
        n.kind() == "import_declaration" && {
            let last = n.named_child_count().checked_sub(1);
            last.and_then(|at| n.named_child(at as u32)).is_some_and(|c| c.kind() == "asterisk")
        }
    });
    for node in wildcards {
        let text = ground.source[node.byte_range()].trim_start_matches("import").trim_start();
        let (text, fixed) = match text.strip_prefix("static") {
            Some(rest) if rest.starts_with(char::is_whitespace) => (rest, true),
            _ => (text, false),
        };
        let path: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let path = path.trim_end_matches(';').trim_end_matches('*').trim_end_matches('.');
        let of_type =
            fixed || path.rsplit('.').next().unwrap_or(path).starts_with(char::is_uppercase);
        let may = if !fixed && java_names::has_package(path) {
            place.ty && java_names::has_type(path, name)
        } else if !fixed && !subject.index.project.in_package(path).is_empty() {
            false
        } else if of_type {
            (fixed || place.ty) && may_be_member(subject, resolver, path, name)
        } else {
            place.ty
        };
        if may {
            return true;
        }
    }
    false
}

/// Whether a type, given by its full name, may have a field or type of a name that is not found.
fn may_be_member(subject: &Subject<'_>, resolver: &Resolver<'_>, path: &str, name: &str) -> bool {
    if let Some(gives) = java_names::gives(path, name) {
        return gives;
    }
    let facts = subject.facts;
    let named = |g: &&crate::facts::Glob| {
        resolver.dotted(subject.file, g.module, PATH).is_some_and(|p| p == path)
    };
    let Some(glob) = facts.globs.iter().find(named) else { return true };
    may_give(resolver, subject.file, &resolver.eval(subject.file, glob.module), name, 0)
}

/// Whether the types around a place may inherit a name from what is not known.
fn may_be_inherited(
    subject: &Subject<'_>,
    resolver: &Resolver<'_>,
    reference: &Ref,
    name: &str,
) -> bool {
    let facts = subject.facts;
    let mut at = reference.scope;
    while let Some(scope) = facts.scopes.get(at as usize) {
        if scope.kind == ScopeKind::Open {
            let ty = resolver.scope_type(subject.file, at);
            if may_give(resolver, subject.file, &ty, name, 0) {
                return true;
            }
        }
        at = scope.parent;
    }
    false
}

/// Whether a type may have a member of a name that is not found, from what is not known above it.
/// `file` is the one that names the type.
fn may_give(resolver: &Resolver<'_>, file: FileId, ty: &Ty, name: &str, depth: usize) -> bool {
    match ty {
        Ty::Type(id, _) | Ty::Instance(id, _) if depth < CHAIN => {
            let def = resolver.def(*id);
            let facts = resolver.facts(id.file);
            if !facts.is_whole() || depth > 0 && has_double(resolver, *id) {
                return true;
            }
            let stated = if def.supers == NONE { 0 } else { facts.list(def.supers).len() };
            let supers = resolver.supers(*id);
            supers.len() < stated
                || supers.iter().any(|s| may_give(resolver, id.file, s, name, depth + 1))
        }
        Ty::Named(of, _) => {
            let path = library_path(resolver, file, of);
            path.is_none_or(|path| java_names::gives(&path, name).unwrap_or(true))
        }
        _ => true,
    }
}

/// Whether another file of the project defines a type of the same full name: which of them is built
/// together with the subject, only the build says.
fn has_double(resolver: &Resolver<'_>, id: DefId) -> bool {
    let (def, facts) = (resolver.def(id), resolver.facts(id.file));
    def.scope == 0
        && resolver.defined(facts.strings.text(def.name)).any(|other| {
            let (other_def, other_facts) = (resolver.def(other), resolver.facts(other.file));
            other.file != id.file
                && other_def.scope == 0
                && other_def.kind.is_type()
                && other_facts.package_name() == facts.package_name()
        })
}

/// The full name of a type of Java's library that a bare name means in a file.
fn library_path(resolver: &Resolver<'_>, file: FileId, name: &str) -> Option<String> {
    let facts = resolver.facts(file);
    let imports = facts.strings.find(name).and_then(|number| {
        let all = facts.in_scope(0, number).iter();
        let import = |&&d: &&u32| facts.definitions[d as usize].kind == DefinitionKind::Import;
        all.copied().find(|d| import(&d))
    });
    if let Some(d) = imports {
        return resolver.dotted(file, facts.definitions[d as usize].value, PATH);
    }
    if java_names::has_type("java.lang", name) {
        return Some(format!("java.lang.{name}"));
    }
    let packages = facts.globs.iter().filter_map(|g| resolver.dotted(file, g.module, PATH));
    let mut listed = packages.filter(|package| java_names::has_type(package, name));
    listed.next().map(|package| format!("{package}.{name}"))
}
