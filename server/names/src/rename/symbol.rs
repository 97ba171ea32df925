//! The symbol to rename: a definition and all others that must keep the same name.

use std::ops::Range;

use rustc_hash::FxHashSet;
use text::Text;

use super::python_stubs;
use super::same_symbol::{
    bound_variable, class_and_constructors, declaration_file_twins, is_augmentation,
    merged_declarations, same_bytes, typedef_tags,
};
use super::{FileMove, RenameError, RenameProblem, RenameProblems, RenameSources, identifier};
use crate::facts::{Def, Facts, NONE, NameSite, ReferenceRole, Scope};
use crate::index::{FileId, Index};
use crate::library::builtin;
use crate::origin::Origin;
use crate::project::Project;
use crate::resolve::languages::{is_same_language_family, rules};
use crate::resolve::{DefId, Resolution, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

/// Definitions resolved with less confidence are not renamed.
const MIN_CONFIDENCE: f32 = 0.85;

/// From where a symbol can be referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// From a function or block of one file.
    Local,
    /// Through a value of its type or object.
    Member,
    /// From other places of the file's top level, or from other files.
    TopLevel,
}

/// The symbol to rename.
#[derive(Debug)]
pub(super) struct RenamedSymbol {
    /// The name under the cursor.
    pub(super) span: Range<usize>,
    pub(super) name: String,
    /// All definitions of the symbol.
    pub(super) definitions: FxHashSet<DefId>,
    /// The definition under the cursor.
    pub(super) selected: DefId,
    pub(super) reach: Reach,
    /// Whether the symbol is an import alias: the import changes, and everything that takes the
    /// name from it.
    pub(super) is_alias: bool,
    /// A type of the override set that inherits from something outside the index.
    pub(super) external_base: Option<DefId>,
}

/// The symbol at an offset. Collects definitions until the set is closed: each new one may bring
/// overrides, overloads, stubs and twins.
pub(super) fn symbol_at(
    index: &Index,
    resolver: &Resolver<'_>,
    file: FileId,
    offset: usize,
) -> Result<RenamedSymbol, RenameError> {
    let facts = index.facts(file).ok_or(RenameError::NotAName)?;
    let site = bound_variable(facts, facts.site_at(offset).ok_or(RenameError::NotAName)?);
    let own = facts.name_at(offset).ok_or(RenameError::NotAName)?;
    let name = own.text;
    let unknown = || RenameError::Unresolved { name: name.clone() };
    resolver.treat_requires_as_variables();
    let found = resolver.definitions_at_site(file, site);
    let Some(&first) = found.first() else {
        let root = |r: u32| facts.references[r as usize].role == ReferenceRole::Root;
        return Err(match site {
            NameSite::Reference(r) if root(r) => RenameError::Outside { name },
            _ => unknown(),
        });
    };
    let text = |id: DefId| {
        let facts = resolver.facts(id.file);
        facts.strings.text(resolver.def(id).name)
    };
    if let Some(id) = import_alias(resolver, file, site, &found, &name) {
        let exported = resolver.def(id).flags.has(Flags::EXPORTED);
        if exported && (name == "default" || !is_written_as_import(resolver, id)) {
            return Err(RenameError::NotRenamable {
                name,
                why: "it is the name under which a module exports something else".to_owned(),
            });
        }
        let reach = alias_reach(resolver, id);
        let definitions = alias_group(resolver, id);
        let span = own.span;
        return Ok(RenamedSymbol {
            span,
            reach,
            definitions,
            selected: id,
            is_alias: true,
            external_base: None,
            name,
        });
    }
    if first.origin == Origin::External {
        return Err(RenameError::Outside { name });
    }
    let in_library = |id: &DefId| {
        let place = || Project::path_in_dependency(resolver.path(id.file)).to_owned();
        index.is_dependency(id.file).then(place)
    };
    if let Some(place) = found.iter().find_map(|f| in_library(&f.id)) {
        return Err(RenameError::Library { name, place });
    }
    if found.iter().any(|f| f.id.def == 0) || resolver.def(first.id).kind == DefinitionKind::Module
    {
        return Err(RenameError::NotRenamable {
            name,
            why: "a module is named after its file".to_owned(),
        });
    }
    if found.iter().any(|f| f.origin.confidence() < MIN_CONFIDENCE || text(f.id) != name) {
        return Err(unknown());
    }
    let language = resolver.language(file);
    let mut definitions = FxHashSet::default();
    let mut outside = None;
    let mut queue: Vec<DefId> = found.iter().map(|f| f.id).collect();
    while let Some(id) = queue.pop() {
        if definitions.contains(&id) {
            continue;
        }
        // Everything that must keep the same name as `id`; each is then expanded in turn.
        let mut same = FxHashSet::default();
        resolver.add_same_symbol(id, &mut same);
        same.insert(id);
        same.retain(|id| text(*id) == name);
        for id in same {
            if !definitions.insert(id) {
                continue;
            }
            queue.extend(class_and_constructors(resolver, id, &name));
            queue.extend(same_bytes(resolver, id));
            queue.extend(python_stubs::counterparts(resolver, id));
            queue.extend(merged_declarations(resolver, id));
            queue.extend(declaration_file_twins(resolver, id));
            queue.extend(resolver.definitions_for_other_builds(id));
            queue.extend(resolver.embedded_counterparts(id));
            if language == "c" {
                queue.extend(typedef_tags(resolver, id));
            }
            let family = resolver.override_set(id);
            let def = resolver.def(id);
            let inherits = def.kind.is_callable()
                || matches!(language, "python" | "typescript" | "tsx" | "javascript" | "rust");
            if !inherits || def.kind == DefinitionKind::Constructor {
                continue;
            }
            outside = outside.or(family.external_base);
            if family.is_truncated {
                return Err(RenameError::NotRenamable {
                    name,
                    why: "too many types inherit it to check them all".to_owned(),
                });
            }
            let arity = resolver.parameters(id).len();
            let typed = matches!(language, "java" | "cpp");
            queue.extend(
                family
                    .members
                    .into_iter()
                    .filter(|m| !typed || resolver.parameters(*m).len() == arity),
            );
        }
    }
    if let Some(place) = definitions.iter().find_map(in_library) {
        return Err(RenameError::Library { name, place });
    }
    let all_one = found.iter().all(|f| definitions.contains(&f.id));
    if !all_one || definitions.len() > 4_000 {
        return Err(unknown());
    }
    let first = first.id;
    let reach = reach(resolver, first);
    if let Some(why) = identifier::fixed_reason(&name, language, reach == Reach::Member) {
        return Err(RenameError::NotRenamable { name, why: why.to_owned() });
    }
    Ok(RenamedSymbol {
        span: own.span,
        name,
        definitions,
        selected: first,
        reach,
        is_alias: false,
        external_base: outside,
    })
}

/// Limit for a chain of re-exports.
const MAX_IMPORT_CHAIN: usize = 12;

/// The import alias under the cursor, if its target has another name.
fn import_alias(
    resolver: &Resolver<'_>,
    file: FileId,
    site: NameSite,
    found: &[Resolution],
    name: &str,
) -> Option<DefId> {
    let facts = resolver.facts(file);
    let mut at = match site {
        NameSite::Definition(def) => DefId { file, def },
        NameSite::Reference(r) => {
            let reference = &facts.references[r as usize];
            if reference.receiver.is_some() {
                resolver.resolve_without_imports(file, r).first()?.id
            } else {
                let (scope, start) = (reference.scope, reference.start);
                let namespace = reference.namespace;
                resolver
                    .resolve_in_scopes(file, scope, start, reference.name, name, namespace)
                    .first()?
                    .id
            }
        }
    };
    for _ in 0..MAX_IMPORT_CHAIN {
        let def = resolver.def(at);
        let facts = resolver.facts(at.file);
        let object =
            facts.scopes.get(def.scope as usize).map(|s| s.kind) == Some(ScopeKind::Object);
        let hidden = def.flags.has(Flags::HIDDEN) && !def.flags.has(Flags::EXPORTED);
        if def.kind != DefinitionKind::Import
            || facts.strings.text(def.name) != name
            || object
            || hidden
            || resolver.is_library(at.file)
        {
            return None;
        }
        if is_renaming_import(facts, def) {
            let in_other_file = at.file != file && !is_written_as_import(resolver, at);
            return (!in_other_file && names_other(resolver, at, found, name)).then_some(at);
        }
        at = resolver.imported_from(at).first()?.id;
    }
    None
}

/// Whether an import's target has another name, or one that cannot be renamed.
fn names_other(resolver: &Resolver<'_>, import: DefId, found: &[Resolution], name: &str) -> bool {
    let other = |f: &Resolution| {
        let target = resolver.facts(f.id.file);
        f.id.def == 0 || target.strings.text(resolver.def(f.id).name) != name
    };
    let outside = found.iter().all(|f| f.origin == Origin::External);
    outside || resolver.def(import).flags.has(Flags::WHOLE) || found.iter().any(other)
}

/// `import x as y`: whether the imported name is written apart from the alias.
fn is_renaming_import(facts: &Facts, def: &Def) -> bool {
    !facts
        .references
        .iter()
        .any(|r| r.start <= def.name_start && def.name_end <= r.end && r.start < r.end)
}

/// Whether an import is one by its syntax, not an assignment to a CommonJS export.
fn is_written_as_import(resolver: &Resolver<'_>, id: DefId) -> bool {
    let def = resolver.def(id);
    def.start == def.name_start && def.name_start < def.name_end
}

/// From where an import alias can be referred to.
fn alias_reach(resolver: &Resolver<'_>, id: DefId) -> Reach {
    let facts = resolver.facts(id.file);
    let name = resolver.def(id).name;
    let exported = |&d: &u32| resolver.is_importable(DefId { file: id.file, def: d });
    let shared = facts.definitions_named(name).iter().any(exported);
    if shared && resolver.def(id).scope == 0 || resolver.is_importable(id) {
        Reach::TopLevel
    } else {
        Reach::Local
    }
}

/// An import with the others that bind its name in the same scope: `try: import a as x`, `except
/// ImportError: import b as x`.
fn alias_group(resolver: &Resolver<'_>, id: DefId) -> FxHashSet<DefId> {
    let facts = resolver.facts(id.file);
    let def = resolver.def(id);
    let mut definitions = FxHashSet::from_iter([id]);
    if facts.language().id() == "python" {
        let fresh = |&&d: &&u32| !facts.definitions[d as usize].flags.has(Flags::FRESH);
        let all = facts.definitions_in_scope(def.scope, def.name).iter().filter(fresh);
        definitions.extend(all.map(|&def| DefId { file: id.file, def }));
    }
    definitions
}

/// From where a definition can be referred to.
pub(super) fn reach(resolver: &Resolver<'_>, id: DefId) -> Reach {
    let facts = resolver.facts(id.file);
    let def = resolver.def(id);
    let kind = facts.scopes.get(def.scope as usize).map(|s| s.kind);
    let member = matches!(
        kind,
        Some(
            ScopeKind::Members
                | ScopeKind::Body
                | ScopeKind::Open
                | ScopeKind::Extension
                | ScopeKind::Object
                | ScopeKind::Enum
        )
    );
    if matches!(def.kind, DefinitionKind::TypeParameter | DefinitionKind::Label) {
        Reach::Local
    } else if member {
        Reach::Member
    } else if resolver.is_visible_to_other_files(id) {
        Reach::TopLevel
    } else {
        Reach::Local
    }
}

impl RenamedSymbol {
    /// The new name with the prefix that the old one has: `#` of a private JavaScript member.
    pub(super) fn with_prefix(&self, new: &str) -> String {
        if self.name.starts_with('#') && !new.starts_with('#') {
            return format!("#{new}");
        }
        new.to_owned()
    }

    /// Checks that the symbol overrides nothing outside the index.
    pub(super) fn check_overrides(
        &self,
        resolver: &Resolver<'_>,
        sources: &RenameSources<'_>,
    ) -> Result<(), RenameError> {
        let language = resolver.language(self.selected.file);
        if matches!(language, "typescript" | "tsx")
            && let Some(&id) =
                self.definitions.iter().find(|id| is_augmentation(resolver, **id, sources))
        {
            let name = resolver.facts(id.file).strings.text(resolver.def(id).name);
            return Err(RenameError::Outside { name: name.to_owned() });
        }
        let private = self.name.starts_with('#')
            || self.name.starts_with("__")
            || language == "python" && self.name.starts_with('_');
        if private || self.reach != Reach::Member || self.is_alias {
            return Ok(());
        }
        let problem = |id: DefId, why: &str| {
            let def = resolver.def(id);
            let span = def.name_start as usize..def.name_end as usize;
            let mut place = RenameProblem::new(id.file, span.clone(), why);
            place.line = (sources.text)(id.file).map_or(0, |t| t.line_of(span.start) + 1);
            place.path = resolver.path(id.file).to_owned();
            let places = RenameProblems(vec![place]);
            RenameError::Unsure { name: self.name.clone(), places }
        };
        let elsewhere = rules(language).names_elsewhere(&self.name);
        let used = |name: &&String| {
            resolver.files_containing(name).iter().any(|file| {
                let other = resolver.language(*file);
                other != language && is_same_language_family(other, language)
            })
        };
        if let Some(name) = elsewhere.iter().find(used)
            && let Some(&id) = self.definitions.iter().min()
        {
            let why = format!("may be used as `{name}` in another language");
            return Err(problem(id, &why));
        }
        match language {
            "java" | "cpp" => {
                for &id in &self.definitions {
                    let def = resolver.def(id);
                    if !def.kind.is_callable() {
                        continue;
                    }
                    let Some(text) = (sources.text)(id.file) else { continue };
                    let before = text.slice(def.start as usize..def.name_start as usize);
                    let after = text.slice(def.name_end as usize..def.name_end as usize + 400);
                    let head = after.split(['{', ';']).next().unwrap_or("");
                    let words =
                        |s: &str| s.split(|c: char| !c.is_alphanumeric()).any(|w| w == "override");
                    let is_override =
                        before.contains("@Override") || language == "cpp" && words(head);
                    if is_override && !self.is_declared_above(resolver, id) {
                        return Err(problem(id, "overrides a member that is not in the index"));
                    }
                    if language == "java" && !is_override && self.may_override(resolver, id, &text)
                    {
                        return Err(problem(id, "may override a member that is not in the index"));
                    }
                }
                Ok(())
            }
            "go" => Ok(()),
            _ => match self.external_base {
                Some(ty) if !self.has_no_such_base_member(resolver, ty) => {
                    match self.overridden_builtin(resolver, ty) {
                        Some(base) => {
                            let why = format!("it overrides a member of `{base}`");
                            Err(RenameError::NotRenamable { name: self.name.clone(), why })
                        }
                        None => Err(problem(ty, "inherits from a type that is not in the index")),
                    }
                }
                _ => Ok(()),
            },
        }
    }

    /// Whether a method without `@Override` may override one outside the index. Files that use
    /// `@Override` use it consistently, except in anonymous classes.
    fn may_override(&self, resolver: &Resolver<'_>, id: DefId, text: &Text) -> bool {
        let def = resolver.def(id);
        if def.kind != DefinitionKind::Method
            || def.flags.has(Flags::STATIC)
            || def.flags.has(Flags::PRIVATE)
        {
            return false;
        }
        if resolver.container_type(id).is_none() {
            let scopes = &resolver.facts(id.file).scopes;
            let nameless = |s: &Scope| s.owner == NONE && s.subject.is_some();
            return scopes.get(def.scope as usize).is_some_and(nameless);
        }
        let outside =
            self.external_base.is_some_and(|ty| !self.has_no_such_base_member(resolver, ty));
        outside && !text.slice(0..text.len()).contains("@Override")
    }

    /// Whether a supertype of the member's type has the member too.
    fn is_declared_above(&self, resolver: &Resolver<'_>, id: DefId) -> bool {
        let Some(own) = resolver.container_type(id) else { return false };
        let has = |ty: DefId| {
            let own = resolver.own_members(ty, &self.name);
            own.iter().any(|f| f.id != id && self.definitions.contains(&f.id))
        };
        // The container of an anonymous class's member is its base class.
        if resolver.def(own).body != resolver.def(id).scope && has(own) {
            return true;
        }
        let (mut queue, mut seen) = (vec![own], FxHashSet::from_iter([own]));
        while let Some(at) = queue.pop() {
            for above in resolver.all_supertypes(at, &self.name) {
                if let Ty::Type(above, _) | Ty::Instance(above, _) = above
                    && seen.insert(above)
                    && seen.len() < 200
                {
                    if has(above) {
                        return true;
                    }
                    queue.push(above);
                }
            }
        }
        false
    }

    /// Whether the bases outside the index are known not to have the member.
    fn has_no_such_base_member(&self, resolver: &Resolver<'_>, ty: DefId) -> bool {
        if resolver.language(ty.file) == "rust" {
            return false;
        }
        let bases = resolver.all_supertypes(ty, "");
        let mut outside = bases.iter().filter(|t| !matches!(t, Ty::Type(..) | Ty::Instance(..)));
        outside.all(|t| {
            let Ty::Named(base, _) = t else { return false };
            let known: &[&str] = match &**base {
                b if ["Error", "Exception", "Warning"].iter().any(|e| b.ends_with(e)) => &[
                    "args",
                    "with_traceback",
                    "add_note",
                    "errno",
                    "strerror",
                    "filename",
                    "code",
                    "name",
                    "obj",
                    "msg",
                    "message",
                    "stack",
                    "cause",
                    "toString",
                    "path",
                ],
                "Enum" | "IntEnum" | "Flag" | "StrEnum" => &["name", "value", "names"],
                "NamedTuple" | "tuple" => &["count", "index"],
                "Serializable" | "Cloneable" => &[],
                "object" | "Object" | "ABC" | "Generic" | "Protocol" | "TypedDict" => &[],
                base => {
                    let language = resolver.language(ty.file);
                    let class = builtin(language, base).filter(|b| b.kind == "class");
                    return class.is_some_and(|class| !class.has_member(&self.name));
                }
            };
            !known.contains(&self.name.as_str())
        })
    }

    /// The built-in class that has a member of the symbol's name and that the type inherits from.
    fn overridden_builtin(&self, resolver: &Resolver<'_>, ty: DefId) -> Option<&'static str> {
        let language = resolver.language(ty.file);
        resolver.all_supertypes(ty, "").iter().find_map(|base| {
            let Ty::Named(base, _) = base else { return None };
            let class = builtin(language, base).filter(|b| b.kind == "class")?;
            class.has_member(&self.name).then_some(class.name)
        })
    }

    /// The Java files that bear the symbol's name.
    pub(super) fn moves(&self, resolver: &Resolver<'_>, new: &str) -> Vec<FileMove> {
        let mut all = Vec::new();
        for &id in &self.definitions {
            let def = resolver.def(id);
            if resolver.language(id.file) != "java" || !def.kind.is_type() || def.scope != 0 {
                continue;
            }
            let from = resolver.path(id.file);
            let (folder, file) = from.rsplit_once('/').map_or(("", from), |(f, n)| (f, n));
            if file == format!("{}.java", self.name) {
                let slash = if folder.is_empty() { "" } else { "/" };
                let to = format!("{folder}{slash}{new}.java");
                all.push(FileMove { file: id.file, from: from.to_owned(), to });
            }
        }
        all.dedup();
        all
    }
}
