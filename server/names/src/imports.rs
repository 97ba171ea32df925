//! Auto-import: how a file would import a definition of another file, and the edits that add the
//! import.
//!
//! Each candidate is verified: the edits are applied to a copy of the text, and the name must
//! resolve to the definition there.

mod c;
mod conventions;
mod ecma;
mod go;
mod java;
mod lines;
mod list;
mod packages;
mod python;
mod rust;

pub use ecma::EcmaImportStyle;

use std::cell::OnceCell;
use std::ops::{Deref, Range};
use std::sync::atomic::AtomicBool;

use syntax::Syntax;
use text::Text;

use crate::facts::{Facts, NONE, NameSite};
use crate::index::{FileId, Index};
use crate::occurrences::DefinitionId;
use crate::origin::Origin;
use crate::resolve::languages::is_same_language_family;
use crate::resolve::{DefId, Resolver};
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

/// Limit of the import routes tried for one definition.
const MAX_ROUTES: usize = 6;

/// Limit of the definitions of one name examined.
const MAX_DEFINITIONS: usize = 200;

/// A name in a text that needs an import.
#[derive(Debug, Clone)]
pub struct ImportRequest<'t> {
    /// The file.
    pub file: FileId,
    /// Its current text.
    pub syntax: &'t Syntax,
    /// The facts of that text.
    pub facts: &'t Facts,
    /// The bytes of the name, which may be incomplete.
    pub span: Range<usize>,
}

/// An import as edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportEdit {
    /// The module, as the language writes it.
    pub module: String,
    /// The name to use in the text; in Go with its package.
    pub name: String,
    /// Replacements in order of position; empty if the definition is already imported under that
    /// name.
    pub edits: Vec<(Range<usize>, String)>,
}

/// A way to import a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ImportRoute {
    /// The module, as the language writes it.
    module: String,
    form: ImportForm,
    /// The name to use in the text.
    name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ImportForm {
    /// By name.
    Named,
    /// As the default export.
    Default,
    /// The module itself.
    Whole,
}

/// The inputs for planning an import.
struct ImportPlanner<'a> {
    index: &'a Index,
    resolver: &'a Resolver<'a>,
    shared: &'a ImportCache,
    file: FileId,
    facts: &'a Facts,
    /// The offset at which the name is used.
    at: usize,
    /// The name of the definition.
    name: &'a str,
    target: DefId,
    /// Whether to skip how other files import it.
    quick: bool,
}

/// Cached results that all imports into one file share.
#[derive(Default)]
pub(crate) struct ImportCache {
    conventions: OnceCell<ecma::ImportConventions>,
    relative: OnceCell<bool>,
}

/// The text that an import is added to.
struct ImportWriter<'a> {
    planner: &'a ImportPlanner<'a>,
    syntax: &'a Syntax,
    span: Range<usize>,
}

impl<'a> Deref for ImportWriter<'a> {
    type Target = ImportPlanner<'a>;

    fn deref(&self) -> &ImportPlanner<'a> {
        self.planner
    }
}

impl Index {
    /// The edits to import a definition of another file into an indexed file under its own name.
    /// `None` if it cannot be imported, need not be, or the result is ambiguous. Costs about as
    /// much as lowering the file again.
    #[must_use]
    pub fn plan_import(
        &self,
        into: &ImportRequest<'_>,
        name: &str,
        definition: DefinitionId,
        interrupt: &AtomicBool,
    ) -> Option<ImportEdit> {
        self.plan_import_from(into, name, definition, None, interrupt)
    }

    /// The same, preferring `module` if it is one of the routes: a list has offered it.
    #[must_use]
    pub fn plan_import_from(
        &self,
        into: &ImportRequest<'_>,
        name: &str,
        definition: DefinitionId,
        module: Option<&str>,
        interrupt: &AtomicBool,
    ) -> Option<ImportEdit> {
        let target = DefId { file: definition.file, def: definition.number };
        let ImportRequest { file, facts, syntax, ref span } = *into;
        self.files.get(&file)?;
        let resolver = &Resolver::with_facts(self, file, facts);
        let (shared, at) = (&ImportCache::default(), span.start);
        let planner = ImportPlanner {
            index: self,
            resolver,
            shared,
            file,
            facts,
            at,
            name,
            target,
            quick: false,
        };
        if let Some(known) = planner.existing_import() {
            return Some(known);
        }
        let mut routes = planner.routes();
        routes.sort_by_key(|route| Some(&*route.module) != module);
        let writer = ImportWriter { planner: &planner, syntax, span: span.clone() };
        routes
            .into_iter()
            .take(MAX_ROUTES)
            .find_map(|route| writer.verified_edits(&route, interrupt))
    }

    /// The likeliest module to import a definition from, and the name it would have. Unverified:
    /// [`Index::import_of`] may disagree.
    pub(crate) fn guess_import(
        &self,
        resolver: &Resolver<'_>,
        shared: &ImportCache,
        (file, at): (FileId, usize),
        name: &str,
        target: DefId,
    ) -> Option<(String, String)> {
        let facts: &Facts = resolver.facts(file);
        let quick = true;
        let planner =
            ImportPlanner { index: self, resolver, shared, file, facts, at, name, target, quick };
        let first = planner.routes().into_iter().next()?;
        Some((first.module, first.name))
    }

    /// The name by which Python files next to a module import it, in the prevailing style.
    pub(crate) fn python_name(&self, resolver: &Resolver<'_>, file: FileId) -> Option<String> {
        let (facts, shared): (&Facts, _) = (resolver.facts(file), &ImportCache::default());
        let target = DefId { file, def: 0 };
        let (index, at, name, quick) = (self, 0, "", false);
        let planner =
            ImportPlanner { index, resolver, shared, file, facts, at, name, target, quick };
        planner.python_spellings(file).into_iter().next()
    }

    /// The importable definitions of a name in the workspace, nearest first. Whether the file can
    /// import one is up to [`Index::import_of`]. A Go package is represented by any of its files.
    #[must_use]
    pub fn importable_definitions(&self, file: FileId, name: &str) -> Vec<DefinitionId> {
        let Some(entry) = self.files.get(&file) else { return Vec::new() };
        let language = entry.language.id();
        let Some(postings) = self.names.get(name) else { return Vec::new() };
        let resolver = Resolver::new(self);
        let mut all: Vec<DefinitionId> = Vec::new();
        for &other in postings.defined.iter().take(MAX_DEFINITIONS) {
            let same = self.files.get(&other).map(|e| e.language.id());
            if other == file || !same.is_some_and(|l| is_same_language_family(l, language)) {
                continue;
            }
            let facts = self.indexed_facts(other);
            let number = facts.strings.find(name).unwrap_or(NONE);
            let own = facts.definitions_named(number).iter().copied();
            let found = own.filter(|&d| is_importable_definition(facts, d)).map(|d| (other, d));
            all.extend(found.map(|(file, number)| DefinitionId { file, number }));
        }
        if matches!(language, "python" | "go") {
            all.extend(resolver.modules_named(language, name));
        }
        let own = resolver.folder(file);
        let near = |id: &DefinitionId| {
            let path = resolver.path(id.file);
            std::cmp::Reverse(path.bytes().zip(own.bytes()).take_while(|(a, b)| a == b).count())
        };
        all.sort_by_key(|id| (near(id), id.file, id.number));
        all.dedup_by_key(|id| id.file);
        all
    }
}

/// Whether a definition is visible to other files: at the top level, and not file-local.
pub(crate) fn is_importable_definition(facts: &Facts, d: u32) -> bool {
    let def = &facts.definitions[d as usize];
    let kind = facts.scopes.get(def.scope as usize).map(|s| s.kind);
    let top = matches!(kind, Some(ScopeKind::File | ScopeKind::Module | ScopeKind::Namespace));
    let language = facts.language.id();
    let exported = match language {
        "java" => def.flags.has(Flags::EXPORTED),
        "javascript" | "typescript" | "tsx" => true,
        "go" => def.flags.has(Flags::CAPITAL),
        "python" => !facts.strings.text(def.name).starts_with('_'),
        _ => true,
    };
    let named = def.name_start < def.name_end
        && !matches!(
            def.kind,
            DefinitionKind::Import | DefinitionKind::Label | DefinitionKind::Parameter
        );
    let module = def.kind == DefinitionKind::Module && language != "rust";
    d != 0
        && top
        && exported
        && named
        && !module
        && def.kind != DefinitionKind::Namespace
        && !def.flags.has(Flags::HIDDEN | Flags::LOCAL_FILE | Flags::INACTIVE)
        && !(language == "rust" && def.kind == DefinitionKind::Macro)
}

impl ImportPlanner<'_> {
    /// The ways to import it, best first.
    fn routes(&self) -> Vec<ImportRoute> {
        let language = self.facts.language.id();
        let theirs = self.resolver.facts(self.target.file);
        let known = theirs.definitions.get(self.target.def as usize).is_some();
        if self.target.file == self.file
            || !known
            || !is_same_language_family(theirs.language.id(), language)
            || language != "go" && self.is_name_taken()
        {
            return Vec::new();
        }
        match language {
            "python" => self.python(),
            "javascript" | "typescript" | "tsx" => self.ecma(),
            "rust" => self.rust(),
            "go" => self.go(),
            "java" => self.java(),
            "c" | "cpp" => self.include(),
            _ => Vec::new(),
        }
    }

    fn path(&self) -> &str {
        self.resolver.path(self.file)
    }

    fn target_path(&self) -> &str {
        self.resolver.path(self.target.file)
    }

    /// Whether the file uses the name for something else at its top level.
    fn is_name_taken(&self) -> bool {
        let facts = self.facts;
        let Some(number) = facts.strings.find(self.name) else { return false };
        let visible = |d: &u32| !facts.definitions[*d as usize].flags.has(Flags::HIDDEN);
        facts.definitions_in_scope(0, number).iter().any(visible)
    }

    /// The existing import of the definition under another name.
    fn existing_import(&self) -> Option<ImportEdit> {
        let facts = self.facts;
        let imports = facts.definitions.iter().enumerate().filter(|(_, d)| {
            d.kind == DefinitionKind::Import && d.scope == 0 && !d.flags.has(Flags::HIDDEN)
        });
        for (d, def) in imports.take(MAX_DEFINITIONS * 5) {
            let name = facts.strings.text(def.name);
            let said = def.value.as_reference().and_then(|r| facts.references.get(r as usize));
            // Only a reference by this name can be it.
            let named = said.map_or("", |r| facts.strings.text(r.name));
            if named != self.name || name == self.name {
                continue;
            }
            let found =
                self.resolver.definitions_at_site(self.file, NameSite::Definition(d as u32));
            if found.iter().any(|f| f.id == self.target) {
                let (module, name) = (String::new(), name.to_owned());
                return Some(ImportEdit { module, name, edits: Vec::new() });
            }
        }
        None
    }
}

impl ImportWriter<'_> {
    /// The edits of a route, if with them the name resolves to the definition.
    fn verified_edits(&self, route: &ImportRoute, interrupt: &AtomicBool) -> Option<ImportEdit> {
        let edits = match self.syntax.language().id() {
            "python" => self.python_edits(route),
            "javascript" | "typescript" | "tsx" => self.ecma_edits(route),
            "rust" => self.rust_edits(route),
            "go" => self.go_edits(route),
            "java" => self.java_edits(route),
            "c" | "cpp" => self.include_edits(route),
            _ => None,
        }?;
        let inside =
            |(at, _): &(Range<usize>, String)| at.start < self.span.end && self.span.start < at.end;
        if edits.iter().any(inside) || !self.name_resolves(route, &edits, interrupt)? {
            return None;
        }
        let (module, name) = (route.module.clone(), route.name.clone());
        Some(ImportEdit { module, name, edits })
    }

    /// Whether the name resolves to the definition once the edits are applied. `None` after an
    /// interrupt.
    fn name_resolves(
        &self,
        route: &ImportRoute,
        edits: &[(Range<usize>, String)],
        interrupt: &AtomicBool,
    ) -> Option<bool> {
        let (file, syntax, span) = (self.file, self.syntax, &self.span);
        let mut all: Vec<(Range<usize>, &str)> =
            edits.iter().map(|(at, new)| (at.clone(), new.as_str())).collect();
        all.push((span.clone(), &route.name));
        all.sort_by_key(|(at, _)| at.start);
        let mut text: Text = syntax.text().clone();
        let (mut at, mut moved) = (span.start, 0_isize);
        for (place, new) in &all {
            if place.end <= span.start && place != span {
                moved += new.len() as isize - place.len() as isize;
            }
        }
        at = at.checked_add_signed(moved)?;
        for (place, new) in all.into_iter().rev() {
            text.replace(place, new);
        }
        let after = Syntax::parse(syntax.language(), &text, Some(syntax), interrupt)?;
        let facts = Facts::lower(&after, interrupt)?;
        let last = route.name.rfind('.').map_or(0, |dot| dot + 1);
        let found = self.resolves_to_target(&facts, at + last, &route.name[last..], file);
        Some(found)
    }

    /// Whether the name at an offset resolves to the definition.
    fn resolves_to_target(&self, facts: &Facts, at: usize, name: &str, file: FileId) -> bool {
        let resolver = Resolver::with_facts(self.index, file, facts);
        let found = match facts.site_at(at) {
            Some(NameSite::Reference(r)) if self.is_named(facts, r, name) => {
                resolver.definitions_of_reference(file, r).to_vec()
            }
            _ => {
                let Ok(at) = u32::try_from(at) else { return false };
                let number = facts.strings.find(name).unwrap_or(NONE);
                let found = resolver.resolve_in_scopes(
                    file,
                    facts.scope_at(at),
                    at,
                    number,
                    name,
                    Namespace::ANY,
                );
                found.into_iter().flat_map(|f| resolver.follow_import(f)).collect()
            }
        };
        let folder = |id: &DefId| resolver.folder(id.file) == resolver.folder(self.target.file);
        found.iter().any(|f| {
            let same = resolver.is_same(f.id, self.target);
            let declared = matches!(facts.language.id(), "c" | "cpp") && f.id.def != 0;
            let package = facts.language.id() == "go" && self.target.def == 0;
            f.origin != Origin::UniqueName && (same || declared)
                || package && (folder(&f.id) || f.id.file == file)
        })
    }

    fn is_named(&self, facts: &Facts, r: u32, name: &str) -> bool {
        facts.strings.text(facts.references[r as usize].name) == name
    }
}
