//! What is renamed: one definition and all that is one symbol with it.

use std::ops::Range;

use rustc_hash::FxHashSet;
use text::Text;

use super::stub;
use super::symbol::{bound, declared_beside, is_added, merged, namesakes, tags, twins};
use super::{FileMove, RenameError, RenameProblem, RenameProblems, RenameSources, identifier};
use crate::facts::{Def, Facts, NONE, Role, Scope, Site};
use crate::index::{FileId, Index};
use crate::library::builtin;
use crate::origin::Origin;
use crate::project::Project;
use crate::resolve::{DefId, Found, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

/// Less sure answers are not renamed by.
const SURE: f32 = 0.85;

/// How far a name reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Inside of a function or block of one file.
    Local,
    /// As a member of a type or an object.
    Member,
    /// From a file's top level on.
    Top,
}

/// What is renamed.
#[derive(Debug)]
pub(super) struct Subject {
    /// The name under the cursor.
    pub(super) span: Range<usize>,
    pub(super) name: String,
    /// All definitions of the symbol.
    pub(super) group: FxHashSet<DefId>,
    /// The one that was asked for.
    pub(super) first: DefId,
    pub(super) reach: Reach,
    /// An import's own name for something: the import changes, and what takes the name from it.
    pub(super) alias: bool,
    /// A type that inherits from something that is not here.
    pub(super) outside: Option<DefId>,
}

/// What the name at an offset is.
pub(super) fn at(
    index: &Index,
    resolver: &Resolver<'_>,
    file: FileId,
    offset: usize,
) -> Result<Subject, RenameError> {
    let facts = index.facts(file).ok_or(RenameError::NoName)?;
    let site = bound(facts, facts.site(offset).ok_or(RenameError::NoName)?);
    let own = facts.name_at(offset).ok_or(RenameError::NoName)?;
    let name = own.text;
    let unknown = || RenameError::Unknown { name: name.clone() };
    resolver.keep_variables();
    let found = resolver.site(file, site);
    let Some(&first) = found.first() else {
        let root = |r: u32| facts.references[r as usize].role == Role::Root;
        return Err(match site {
            Site::Reference(r) if root(r) => RenameError::Outside { name },
            _ => unknown(),
        });
    };
    let text = |id: DefId| {
        let facts = resolver.facts(id.file);
        facts.strings.text(resolver.def(id).name)
    };
    if let Some(id) = alias(resolver, file, site, &found, &name) {
        let exported = resolver.def(id).flags.has(Flags::EXPORTED);
        if exported && (name == "default" || !is_written_as_import(resolver, id)) {
            return Err(RenameError::Fixed {
                name,
                why: "it is a name under which a module exports something else".to_owned(),
            });
        }
        let reach = alias_reach(resolver, id);
        let group = alias_group(resolver, id);
        let span = own.span;
        return Ok(Subject { span, reach, group, first: id, alias: true, outside: None, name });
    }
    if first.origin == Origin::Outside {
        return Err(RenameError::Outside { name });
    }
    let in_library = |id: &DefId| {
        let place = || Project::place_in_library(resolver.path(id.file)).to_owned();
        index.is_library(id.file).then(place)
    };
    if let Some(place) = found.iter().find_map(|f| in_library(&f.id)) {
        return Err(RenameError::Library { name, place });
    }
    if found.iter().any(|f| f.id.def == 0) || resolver.def(first.id).kind == DefinitionKind::Module
    {
        return Err(RenameError::Fixed { name, why: "a module has its file's name".to_owned() });
    }
    if found.iter().any(|f| f.origin.confidence() < SURE || text(f.id) != name) {
        return Err(unknown());
    }
    let language = resolver.language(file);
    let mut group = FxHashSet::default();
    let mut outside = None;
    let mut open: Vec<DefId> = found.iter().map(|f| f.id).collect();
    while let Some(id) = open.pop() {
        if group.contains(&id) {
            continue;
        }
        let mut one = FxHashSet::default();
        resolver.same(id, &mut one);
        one.insert(id);
        one.retain(|id| text(*id) == name);
        for id in one {
            if !group.insert(id) {
                continue;
            }
            open.extend(namesakes(resolver, id, &name));
            open.extend(twins(resolver, id));
            open.extend(stub::counterparts(resolver, id));
            open.extend(merged(resolver, id));
            open.extend(declared_beside(resolver, id));
            open.extend(resolver.other_builds(id));
            open.extend(resolver.embeddings(id));
            if language == "c" {
                open.extend(tags(resolver, id));
            }
            let family = resolver.family(id);
            let def = resolver.def(id);
            let inherits = def.kind.is_callable()
                || matches!(language, "python" | "typescript" | "tsx" | "javascript" | "rust");
            if !inherits || def.kind == DefinitionKind::Constructor {
                continue;
            }
            outside = outside.or(family.outside);
            if family.cut {
                return Err(RenameError::Fixed {
                    name,
                    why: "too many types inherit it to look at all of them".to_owned(),
                });
            }
            let arity = resolver.parameters(id).len();
            let typed = matches!(language, "java" | "cpp");
            open.extend(
                family
                    .members
                    .into_iter()
                    .filter(|m| !typed || resolver.parameters(*m).len() == arity),
            );
        }
    }
    if let Some(place) = group.iter().find_map(in_library) {
        return Err(RenameError::Library { name, place });
    }
    let all_one = found.iter().all(|f| group.contains(&f.id));
    if !all_one || group.len() > 4_000 {
        return Err(unknown());
    }
    let first = first.id;
    let reach = reach(resolver, first);
    if let Some(why) = identifier::fixed(&name, language, reach == Reach::Member) {
        return Err(RenameError::Fixed { name, why: why.to_owned() });
    }
    Ok(Subject { span: own.span, name, group, first, reach, alias: false, outside })
}

/// Most imports that hand a name on.
const CHAIN: usize = 12;

/// The import that gives the name under the cursor to something that has another name.
fn alias(
    resolver: &Resolver<'_>,
    file: FileId,
    site: Site,
    found: &[Found],
    name: &str,
) -> Option<DefId> {
    let facts = resolver.facts(file);
    let mut at = match site {
        Site::Definition(def) => DefId { file, def },
        Site::Reference(r) => {
            let reference = &facts.references[r as usize];
            if reference.receiver.is_some() {
                resolver.unfollowed(file, r).first()?.id
            } else {
                let (scope, start) = (reference.scope, reference.start);
                let namespace = reference.namespace;
                resolver.lexical(file, scope, start, reference.name, name, namespace).first()?.id
            }
        }
    };
    for _ in 0..CHAIN {
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
        if is_apart(facts, def) {
            let foreign = at.file != file && !is_written_as_import(resolver, at);
            return (!foreign && names_other(resolver, at, found, name)).then_some(at);
        }
        at = resolver.imported_from(at).first()?.id;
    }
    None
}

/// Whether what an import leads to has another name, or none that can be changed.
fn names_other(resolver: &Resolver<'_>, import: DefId, found: &[Found], name: &str) -> bool {
    let other = |f: &Found| {
        let target = resolver.facts(f.id.file);
        f.id.def == 0 || target.strings.text(resolver.def(f.id).name) != name
    };
    let outside = found.iter().all(|f| f.origin == Origin::Outside);
    outside || resolver.def(import).flags.has(Flags::WHOLE) || found.iter().any(other)
}

/// `import x as y`: whether what is imported stands apart from the import's own name.
fn is_apart(facts: &Facts, def: &Def) -> bool {
    !facts
        .references
        .iter()
        .any(|r| r.start <= def.name_start && def.name_end <= r.end && r.start < r.end)
}

/// Whether an import is one by its syntax, not an assignment to what a CommonJS module exports.
fn is_written_as_import(resolver: &Resolver<'_>, id: DefId) -> bool {
    let def = resolver.def(id);
    def.start == def.name_start && def.name_start < def.name_end
}

/// How far the name reaches that an import gives.
fn alias_reach(resolver: &Resolver<'_>, id: DefId) -> Reach {
    let facts = resolver.facts(id.file);
    let name = resolver.def(id).name;
    let exported = |&d: &u32| resolver.is_importable(DefId { file: id.file, def: d });
    let shared = facts.named(name).iter().any(exported);
    if shared && resolver.def(id).scope == 0 || resolver.is_importable(id) {
        Reach::Top
    } else {
        Reach::Local
    }
}

/// An import with the others that give the name in its scope: `try: import a as x`,
/// `except ImportError: import b as x`.
fn alias_group(resolver: &Resolver<'_>, id: DefId) -> FxHashSet<DefId> {
    let facts = resolver.facts(id.file);
    let def = resolver.def(id);
    let mut group = FxHashSet::from_iter([id]);
    if facts.language().id() == "python" {
        let fresh = |&&d: &&u32| !facts.definitions[d as usize].flags.has(Flags::FRESH);
        let all = facts.in_scope(def.scope, def.name).iter().filter(fresh);
        group.extend(all.map(|&def| DefId { file: id.file, def }));
    }
    group
}

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
    } else if resolver.is_shared(id) {
        Reach::Top
    } else {
        Reach::Local
    }
}

impl Subject {
    /// The new name with the mark that names of this kind carry.
    pub(super) fn spelled(&self, new: &str) -> String {
        if self.name.starts_with('#') && !new.starts_with('#') {
            return format!("#{new}");
        }
        new.to_owned()
    }

    /// Whether what is renamed may override something that is not here.
    pub(super) fn check(
        &self,
        resolver: &Resolver<'_>,
        sources: &RenameSources<'_>,
    ) -> Result<(), RenameError> {
        let language = resolver.language(self.first.file);
        if matches!(language, "typescript" | "tsx")
            && let Some(&id) = self.group.iter().find(|id| is_added(resolver, **id, sources))
        {
            let name = resolver.facts(id.file).strings.text(resolver.def(id).name);
            return Err(RenameError::Outside { name: name.to_owned() });
        }
        let private = self.name.starts_with('#')
            || self.name.starts_with("__")
            || language == "python" && self.name.starts_with('_');
        if private || self.reach != Reach::Member || self.alias {
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
        match language {
            "java" | "cpp" => {
                for &id in &self.group {
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
                    let says = before.contains("@Override") || language == "cpp" && words(head);
                    if says && !self.is_declared_above(resolver, id) {
                        return Err(problem(id, "overrides something that is not here"));
                    }
                    if language == "java" && !says && self.may_override(resolver, id, &text) {
                        return Err(problem(id, "may override something that is not here"));
                    }
                }
                Ok(())
            }
            "go" => Ok(()),
            _ => match self.outside {
                Some(ty) if !self.is_harmless(resolver, ty) => {
                    match self.overridden_builtin(resolver, ty) {
                        Some(base) => {
                            let why = format!("it overrides what `{base}` has under that name");
                            Err(RenameError::Fixed { name: self.name.clone(), why })
                        }
                        None => Err(problem(ty, "inherits from something that is not here")),
                    }
                }
                _ => Ok(()),
            },
        }
    }

    /// Whether a method that does not say so may override one that is not here. Who writes
    /// `@Override` in a file writes it wherever it is true, but in a class made for one method.
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
        let outside = self.outside.is_some_and(|ty| !self.is_harmless(resolver, ty));
        outside && !text.slice(0..text.len()).contains("@Override")
    }

    /// Whether a type above the member's own has it too.
    fn is_declared_above(&self, resolver: &Resolver<'_>, id: DefId) -> bool {
        let Some(own) = resolver.container_type(id) else { return false };
        let has = |ty: DefId| {
            let own = resolver.own_member(ty, &self.name);
            own.iter().any(|f| f.id != id && self.group.contains(&f.id))
        };
        // What a class without a name inherits from stands for that class.
        if resolver.def(own).body != resolver.def(id).scope && has(own) {
            return true;
        }
        let (mut open, mut seen) = (vec![own], FxHashSet::from_iter([own]));
        while let Some(at) = open.pop() {
            for above in resolver.bases(at, &self.name) {
                if let Ty::Type(above, _) | Ty::Instance(above, _) = above
                    && seen.insert(above)
                    && seen.len() < 200
                {
                    if has(above) {
                        return true;
                    }
                    open.push(above);
                }
            }
        }
        false
    }

    /// Whether what a type inherits from outside is known not to have the member.
    fn is_harmless(&self, resolver: &Resolver<'_>, ty: DefId) -> bool {
        if resolver.language(ty.file) == "rust" {
            return false;
        }
        let bases = resolver.bases(ty, "");
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

    /// The class of the language itself that a type has the member from.
    fn overridden_builtin(&self, resolver: &Resolver<'_>, ty: DefId) -> Option<&'static str> {
        let language = resolver.language(ty.file);
        resolver.bases(ty, "").iter().find_map(|base| {
            let Ty::Named(base, _) = base else { return None };
            let class = builtin(language, base).filter(|b| b.kind == "class")?;
            class.has_member(&self.name).then_some(class.name)
        })
    }

    /// Files that are named for what is renamed.
    pub(super) fn moves(&self, resolver: &Resolver<'_>, new: &str) -> Vec<FileMove> {
        let mut all = Vec::new();
        for &id in &self.group {
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
