//! How a file would import what another one defines: the module as the language writes it, and the
//! edits that bring it in.
//!
//! Nothing is answered that was not tried: the edits are made in a copy of the text, and the name
//! has to lead to the definition there.

mod c;
mod ecma;
mod go;
mod habits;
mod java;
mod lines;
mod list;
mod packages;
mod python;
mod rust;

pub use ecma::ImportSpelling;

use std::cell::OnceCell;
use std::ops::{Deref, Range};
use std::sync::atomic::AtomicBool;

use syntax::Syntax;
use text::Text;

use crate::facts::{Facts, NONE, Site};
use crate::index::{FileId, Index};
use crate::occurrences::DefinitionId;
use crate::origin::Origin;
use crate::resolve::{DefId, Resolver, same_family};
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

/// Most ways of importing one thing that are tried.
const ROUTES: usize = 6;

/// Most definitions of one name that are looked at.
const DEFINITIONS: usize = 200;

/// A name of a text that is to be imported there.
#[derive(Debug, Clone)]
pub struct Importing<'t> {
    /// The file.
    pub file: FileId,
    /// Its text as it is.
    pub syntax: &'t Syntax,
    /// The facts of that text.
    pub facts: &'t Facts,
    /// The bytes of the name, which may be half typed.
    pub span: Range<usize>,
}

/// How something is imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportEdit {
    /// The module, as the language writes it.
    pub module: String,
    /// What stands for it in the text then: its name, in Go with its package.
    pub name: String,
    /// What is put in the place of which bytes, in order of place. None where it is imported
    /// already, under that name.
    pub edits: Vec<(Range<usize>, String)>,
}

/// A way of importing something.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Route {
    /// The module, as the language writes it.
    module: String,
    form: Form,
    /// What stands for it in the text then.
    name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// By its name.
    Named,
    /// As what the module exports without a name.
    Default,
    /// The module itself.
    Whole,
}

/// What an import is worked out from.
struct Asking<'a> {
    index: &'a Index,
    resolver: &'a Resolver<'a>,
    shared: &'a Shared,
    file: FileId,
    facts: &'a Facts,
    /// Where the name is used.
    at: usize,
    /// What the definition is called.
    name: &'a str,
    wanted: DefId,
    /// Whether other files are not to be asked how they import it.
    quick: bool,
}

/// What is the same for all that is imported into one file.
#[derive(Default)]
pub(crate) struct Shared {
    habits: OnceCell<ecma::Habits>,
    relative: OnceCell<bool>,
}

/// The text that an import is written into.
struct Writing<'a> {
    asking: &'a Asking<'a>,
    syntax: &'a Syntax,
    span: Range<usize>,
}

impl<'a> Deref for Writing<'a> {
    type Target = Asking<'a>;

    fn deref(&self) -> &Asking<'a> {
        self.asking
    }
}

impl Index {
    /// How a file would import a definition of another file under its own name `name`. `None` where
    /// it cannot, need not, or that is not sure; the file has to be of the index. About the cost of
    /// reading the file's facts once more.
    #[must_use]
    pub fn import_of(
        &self,
        into: &Importing<'_>,
        name: &str,
        definition: DefinitionId,
        interrupt: &AtomicBool,
    ) -> Option<ImportEdit> {
        self.import_by(into, name, definition, None, interrupt)
    }

    /// The same, from `module` where that is one of the ways: a list has shown it.
    #[must_use]
    pub fn import_by(
        &self,
        into: &Importing<'_>,
        name: &str,
        definition: DefinitionId,
        module: Option<&str>,
        interrupt: &AtomicBool,
    ) -> Option<ImportEdit> {
        let wanted = DefId { file: definition.file, def: definition.number };
        let Importing { file, facts, syntax, ref span } = *into;
        self.files.get(&file)?;
        let resolver = &Resolver::over(self, file, facts);
        let (shared, at) = (&Shared::default(), span.start);
        let asking =
            Asking { index: self, resolver, shared, file, facts, at, name, wanted, quick: false };
        if let Some(known) = asking.known() {
            return Some(known);
        }
        let mut routes = asking.routes();
        routes.sort_by_key(|route| Some(&*route.module) != module);
        let writing = Writing { asking: &asking, syntax, span: span.clone() };
        routes.into_iter().take(ROUTES).find_map(|route| writing.tried(&route, interrupt))
    }

    /// The likeliest module that a file would import a definition from, and what would stand for it
    /// there. Nothing is tried: [`Index::import_of`] may say otherwise.
    pub(crate) fn import_guessed(
        &self,
        resolver: &Resolver<'_>,
        shared: &Shared,
        (file, at): (FileId, usize),
        name: &str,
        wanted: DefId,
    ) -> Option<(String, String)> {
        let facts: &Facts = resolver.facts(file);
        let quick = true;
        let asking = Asking { index: self, resolver, shared, file, facts, at, name, wanted, quick };
        let first = asking.routes().into_iter().next()?;
        Some((first.module, first.name))
    }

    /// How Python files beside a module name it, the usual kind first.
    pub(crate) fn python_name(&self, resolver: &Resolver<'_>, file: FileId) -> Option<String> {
        let (facts, shared): (&Facts, _) = (resolver.facts(file), &Shared::default());
        let wanted = DefId { file, def: 0 };
        let (index, at, name, quick) = (self, 0, "", false);
        let asking = Asking { index, resolver, shared, file, facts, at, name, wanted, quick };
        asking.python_spellings(file).into_iter().next()
    }

    /// The definitions of a name that a file could import, of the workspace's own files: those
    /// that others may see. Which of them it can is for [`Index::import_of`] to say. In order of how
    /// near they are. In Go a package is meant by any of its files.
    #[must_use]
    pub fn importable(&self, file: FileId, name: &str) -> Vec<DefinitionId> {
        let Some(entry) = self.files.get(&file) else { return Vec::new() };
        let language = entry.language.id();
        let Some(postings) = self.names.get(name) else { return Vec::new() };
        let resolver = Resolver::new(self);
        let mut all: Vec<DefinitionId> = Vec::new();
        for &other in postings.defined.iter().take(DEFINITIONS) {
            let same = self.files.get(&other).map(|e| e.language.id());
            if other == file || !same.is_some_and(|l| same_family(l, language)) {
                continue;
            }
            let facts = self.facts_of(other);
            let number = facts.strings.find(name).unwrap_or(NONE);
            let own = facts.named(number).iter().copied();
            let found = own.filter(|&d| is_offered(facts, d)).map(|d| (other, d));
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

/// Whether a definition of a file is for others: at the top, and not kept to the file.
pub(crate) fn is_offered(facts: &Facts, d: u32) -> bool {
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

impl Asking<'_> {
    /// The ways of importing it, the best first.
    fn routes(&self) -> Vec<Route> {
        let language = self.facts.language.id();
        let theirs = self.resolver.facts(self.wanted.file);
        let known = theirs.definitions.get(self.wanted.def as usize).is_some();
        if self.wanted.file == self.file
            || !known
            || !same_family(theirs.language.id(), language)
            || language != "go" && self.is_taken()
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
        self.resolver.path(self.wanted.file)
    }

    /// Whether the file gives the name another meaning at its top.
    fn is_taken(&self) -> bool {
        let facts = self.facts;
        let Some(number) = facts.strings.find(self.name) else { return false };
        let visible = |d: &u32| !facts.definitions[*d as usize].flags.has(Flags::HIDDEN);
        facts.in_scope(0, number).iter().any(visible)
    }

    /// The name under which the file imports it already.
    fn known(&self) -> Option<ImportEdit> {
        let facts = self.facts;
        let imports = facts.definitions.iter().enumerate().filter(|(_, d)| {
            d.kind == DefinitionKind::Import && d.scope == 0 && !d.flags.has(Flags::HIDDEN)
        });
        for (d, def) in imports.take(DEFINITIONS * 5) {
            let name = facts.strings.text(def.name);
            let said = def.value.as_reference().and_then(|r| facts.references.get(r as usize));
            // Only what names it can be it.
            let named = said.map_or("", |r| facts.strings.text(r.name));
            if named != self.name || name == self.name {
                continue;
            }
            let found = self.resolver.site(self.file, Site::Definition(d as u32));
            if found.iter().any(|f| f.id == self.wanted) {
                let (module, name) = (String::new(), name.to_owned());
                return Some(ImportEdit { module, name, edits: Vec::new() });
            }
        }
        None
    }
}

impl Writing<'_> {
    /// The edits of a way, if they make the name lead to the definition.
    fn tried(&self, route: &Route, interrupt: &AtomicBool) -> Option<ImportEdit> {
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
        if edits.iter().any(inside) || !self.leads_there(route, &edits, interrupt)? {
            return None;
        }
        let (module, name) = (route.module.clone(), route.name.clone());
        Some(ImportEdit { module, name, edits })
    }

    fn leads_there(
        &self,
        route: &Route,
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
        let facts = Facts::of(&after, interrupt)?;
        let last = route.name.rfind('.').map_or(0, |dot| dot + 1);
        let found = self.meaning(&facts, at + last, &route.name[last..], file);
        Some(found)
    }

    fn meaning(&self, facts: &Facts, at: usize, name: &str, file: FileId) -> bool {
        let resolver = Resolver::over(self.index, file, facts);
        let found = match facts.site(at) {
            Some(Site::Reference(r)) if self.is_named(facts, r, name) => {
                resolver.reference(file, r).to_vec()
            }
            _ => {
                let Ok(at) = u32::try_from(at) else { return false };
                let number = facts.strings.find(name).unwrap_or(NONE);
                let found =
                    resolver.lexical(file, facts.scope_at(at), at, number, name, Namespace::ANY);
                found.into_iter().flat_map(|f| resolver.follow(f)).collect()
            }
        };
        let folder = |id: &DefId| resolver.folder(id.file) == resolver.folder(self.wanted.file);
        found.iter().any(|f| {
            let same = resolver.is_same(f.id, self.wanted);
            let declared = matches!(facts.language.id(), "c" | "cpp") && f.id.def != 0;
            let package = facts.language.id() == "go" && self.wanted.def == 0;
            f.origin != Origin::UniqueName && (same || declared)
                || package && (folder(&f.id) || f.id.file == file)
        })
    }

    fn is_named(&self, facts: &Facts, r: u32, name: &str) -> bool {
        facts.strings.text(facts.references[r as usize].name) == name
    }
}
