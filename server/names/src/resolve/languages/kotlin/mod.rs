//! Kotlin: packages, which any file of any folder declares and which Java's files share; extensions;
//! lambdas with receivers; the types that its library's functions pass on.

mod extensions;
mod library;
mod receivers;

use super::LanguageRules;
use crate::expression::Value;
use crate::facts::{NONE, Ref};
use crate::index::FileId;
use crate::origin::Origin;
use crate::project::Module;
use crate::resolve::{DefId, Resolution, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

pub(super) struct Kotlin;

impl LanguageRules for Kotlin {
    fn path_root(&self, resolver: &Resolver<'_>, file: FileId, name: &str) -> Ty {
        match resolver.project().module(file, "kotlin", name, 0) {
            Some(module) => Ty::Folder(module.into()),
            None => Ty::Unknown,
        }
    }

    fn around_file(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        let mut found = Vec::new();
        for &other in resolver.project().in_package(resolver.package_of(file)) {
            if other == file || !matches!(resolver.language(other), "kotlin" | "java") {
                continue;
            }
            let facts = resolver.facts(other);
            let Some(name_id) = facts.strings.find(name) else { continue };
            for &def in facts.definitions_in_scope(0, name_id) {
                let d = &facts.definitions[def as usize];
                if d.namespace.has(namespace)
                    && d.kind != DefinitionKind::Import
                    && !d.flags.has(Flags::HIDDEN | Flags::LOCAL_FILE)
                {
                    let id = DefId { file: other, def };
                    found.push(Resolution { id, origin: Origin::Package });
                }
            }
        }
        nearest_module(resolver, file, found)
    }

    fn files_around<'i>(&self, resolver: &Resolver<'i>, file: FileId) -> &'i [FileId] {
        resolver.project().in_package(resolver.package_of(file))
    }

    fn keywords(&self) -> &'static str {
        KEYWORDS
    }

    /// Operators and the methods that everything has keep their names, and so does `it`.
    fn fixes_name(&self, name: &str, is_member: bool) -> bool {
        matches!(name, "main" | "it") && !is_member
            || is_member && matches!(name, "toString" | "equals" | "hashCode")
            || is_operator(name)
    }

    /// Java calls `getName()` for `name`.
    fn names_elsewhere(&self, name: &str) -> Vec<String> {
        let bare = name.strip_prefix("is").unwrap_or(name);
        let mut letters = bare.chars();
        let first = letters.next().map(|c| c.to_uppercase().collect::<String>());
        let bare = first.unwrap_or_default() + letters.as_str();
        ["get", "set"].iter().map(|word| format!("{word}{bare}")).collect()
    }

    fn is_predefined_generic(&self) -> bool {
        true
    }

    fn narrows_to_any_type(&self) -> bool {
        true
    }

    fn this_type(&self, resolver: &Resolver<'_>, file: FileId, scope: u32) -> Option<Ty> {
        Some(receivers::this_type(resolver, file, scope))
    }

    fn implicit_receiver(&self, resolver: &Resolver<'_>, file: FileId, scope: u32) -> Ty {
        match receivers::lambda_receiver(resolver, file, scope) {
            receivers::LambdaReceiver::Known(ty) => ty,
            _ => Ty::Unknown,
        }
    }

    fn extension_members(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        reference: &Ref,
        ty: &Ty,
        name: &str,
    ) -> Vec<Resolution> {
        extensions::members(resolver, file, reference, ty, name)
    }

    fn library_call(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        callee: Value,
        list: u32,
    ) -> Option<Ty> {
        library::call(resolver, file, callee, list)
    }

    fn library_member(&self, of: &Ty, name: &str) -> Option<Ty> {
        library::member(of, name)
    }

    fn lambda_parameter(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        scope: u32,
        n: u32,
    ) -> Option<Ty> {
        receivers::lambda_parameter(resolver, file, scope, n)
    }

    fn part_type(&self, resolver: &Resolver<'_>, whole: &Ty, n: u32) -> Option<Ty> {
        let Ty::Instance(id, _) = whole else { return None };
        let own = constructor_properties(resolver, *id);
        let component =
            resolver.members_named(whole, &format!("component{}", n + 1), Namespace::FUNCTION);
        if let Some(f) = component.first() {
            return Some(resolver.seen_from(whole, f.id, &resolver.return_type(f.id)));
        }
        let property = *own.get(n as usize)?;
        Some(resolver.seen_from(whole, property, &resolver.type_of_definition(property)))
    }

    fn element_type(&self, resolver: &Resolver<'_>, of: &Ty) -> Option<Ty> {
        let above = extensions::supertypes_of(resolver, of);
        above.iter().find_map(library::element)
    }

    fn operator_type(&self, resolver: &Resolver<'_>, of: &Ty, operator: &str) -> Option<Ty> {
        let found = resolver.members_named(of, operator, Namespace::FUNCTION);
        let first = found.first()?;
        Some(resolver.seen_from(of, first.id, &resolver.return_type(first.id)).instance())
    }

    fn constructor_parameters(&self, resolver: &Resolver<'_>, class: DefId) -> Vec<DefId> {
        constructor_properties(resolver, class)
    }
}

/// The parameters of a class's primary constructor, properties or not, in order.
fn constructor_properties(resolver: &Resolver<'_>, class: DefId) -> Vec<DefId> {
    let (facts, body) = (resolver.facts(class.file), resolver.def(class).body);
    if body == NONE || facts.scopes[body as usize].owner != class.def {
        return Vec::new();
    }
    let in_head = |d: &u32| {
        let def = &facts.definitions[*d as usize];
        def.flags.has(Flags::SIGNATURE)
            && matches!(def.kind, DefinitionKind::Field | DefinitionKind::Parameter)
    };
    let mut all: Vec<u32> = facts.all_in_scope(body).iter().copied().filter(in_head).collect();
    all.sort_by_key(|d| facts.definitions[*d as usize].name_start);
    all.into_iter().map(|def| DefId { file: class.file, def }).collect()
}

/// Of definitions in several modules of a build, those nearest to a file by their path: modules may
/// declare one package, and a name of it, twice.
fn nearest_module(
    resolver: &Resolver<'_>,
    file: FileId,
    mut found: Vec<Resolution>,
) -> Vec<Resolution> {
    if found.iter().all(|f| f.id.file == found[0].id.file)
        || found.iter().all(|f| resolver.def(f.id).kind.is_callable())
    {
        return found;
    }
    let own = resolver.path(file);
    let common = |f: &Resolution| {
        let other = resolver.path(f.id.file);
        own.split('/').zip(other.split('/')).take_while(|(a, b)| a == b).count()
    };
    let most = found.iter().map(common).max().unwrap_or(0);
    found.retain(|f| common(f) == most);
    found
}

/// Whether a package is meant by a module.
fn package_of_module(module: &Module) -> Option<&str> {
    match module {
        Module::Package(package) => Some(package),
        _ => None,
    }
}

/// The type that a function or property extends: its file, and the value of the type.
fn extended_type(resolver: &Resolver<'_>, id: DefId) -> Option<Value> {
    let (facts, def) = (resolver.facts(id.file), resolver.def(id));
    let inner = facts.scopes.get(def.body as usize)?;
    let open = match inner.kind {
        ScopeKind::Function => facts.scopes.get(inner.parent as usize)?,
        _ => inner,
    };
    let outside = match inner.kind {
        ScopeKind::Function => def.scope != inner.parent,
        _ => def.scope != def.body,
    };
    let extends =
        open.kind == ScopeKind::Open && open.owner == NONE && outside && open.subject.is_some();
    extends.then_some(open.subject)
}

/// Whether a function of this name may be called by an operator or a language construct.
fn is_operator(name: &str) -> bool {
    OPERATORS.split_ascii_whitespace().any(|known| known == name)
        || name
            .strip_prefix("component")
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Functions that operators and other constructs call by their name.
const OPERATORS: &str = "\
    plus minus times div rem mod rangeTo rangeUntil plusAssign minusAssign timesAssign divAssign \
    remAssign modAssign unaryPlus unaryMinus not inc dec get set invoke contains compareTo equals \
    iterator hasNext next getValue setValue provideDelegate";

/// Words that are no names.
const KEYWORDS: &str = "\
    as break class continue do else false for fun if in interface is null object package return \
    super this throw true try typealias typeof val var when while";
