//! Every file's facts, searchable by name.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{Facts, NONE, Site};
use crate::origin::{Origin, Target};
use crate::project::{Project, is_library};
use crate::resolve::{DefId, Found, Resolver, same_family};
use crate::symbols::Table;
use crate::vocabulary::{DefinitionKind, Flags};

/// A file of the index; numbers are the caller's.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

/// How much an index holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files.
    pub files: usize,
    /// Definitions in them.
    pub definitions: usize,
    /// References in them.
    pub references: usize,
    /// Different names.
    pub names: usize,
    /// Bytes held, roughly.
    pub bytes: usize,
}

/// Where a name occurs: in files that define it, and in files that only refer to it.
#[derive(Debug, Default)]
pub(crate) struct Postings {
    pub(crate) defined: Vec<FileId>,
    pub(crate) used: Vec<FileId>,
    /// The name's row in the table of symbols, while a file defines it.
    row: Option<u32>,
}

#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) path: Box<str>,
    pub(crate) facts: Arc<Facts>,
}

/// Every file's facts, searchable by name. Cheap to change a file at a time; questions only read.
#[derive(Debug, Default)]
pub struct Index {
    pub(crate) files: FxHashMap<FileId, Entry>,
    pub(crate) names: FxHashMap<Box<str>, Postings>,
    pub(crate) project: Project,
    pub(crate) symbols: Table,
    counts: Counts,
    pub(crate) library_bytes: usize,
    /// Files of dependencies by the names of the types that they add members to.
    pub(crate) extended: FxHashMap<Box<str>, Vec<FileId>>,
}

impl Index {
    /// An index of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a file. `path` is relative to its root, `/`-separated. O(facts).
    ///
    /// A path that begins with [`LIBRARY`](crate::LIBRARY) is of a dependency: names lead there,
    /// but none is looked for in it.
    pub fn insert(&mut self, file: FileId, path: &str, facts: Arc<Facts>) {
        self.remove(file);
        if is_library(path) {
            return self.insert_library(file, path, facts);
        }
        for (name, defined) in posted_names(&facts) {
            let postings = match self.names.get_mut(name) {
                Some(postings) => postings,
                None => self.names.entry(name.into()).or_default(),
            };
            let list = if defined { &mut postings.defined } else { &mut postings.used };
            list.push(file);
            if defined && postings.row.is_none() {
                postings.row = Some(self.symbols.add(name));
            }
        }
        self.counts.files += 1;
        self.counts.definitions += facts.definitions.len();
        self.counts.references += facts.references.len();
        self.counts.bytes += facts.bytes();
        self.project.insert(file, path, &facts);
        self.files.insert(file, Entry { path: path.into(), facts });
    }

    /// Takes a file out. O(its names).
    pub fn remove(&mut self, file: FileId) {
        let Some(entry) = self.files.remove(&file) else { return };
        if is_library(&entry.path) {
            return self.remove_library(file, &entry);
        }
        for (name, defined) in posted_names(&entry.facts) {
            let Some(postings) = self.names.get_mut(name) else { continue };
            let list = if defined { &mut postings.defined } else { &mut postings.used };
            if let Some(place) = list.iter().position(|&f| f == file) {
                list.swap_remove(place);
            }
            if postings.defined.is_empty()
                && let Some(row) = postings.row.take()
            {
                self.symbols.remove(row);
            }
            if postings.defined.is_empty() && postings.used.is_empty() {
                self.names.remove(name);
            }
        }
        self.counts.files -= 1;
        self.counts.definitions -= entry.facts.definitions.len();
        self.counts.references -= entry.facts.references.len();
        self.counts.bytes -= entry.facts.bytes();
        self.project.remove(file, &entry.path, &entry.facts);
        if self.symbols.is_sparse() {
            self.symbols = Table::default();
            for (name, postings) in &mut self.names {
                postings.row = (!postings.defined.is_empty()).then(|| self.symbols.add(name));
            }
        }
    }

    /// Tells the index what a project's own file says: `go.mod`, `Cargo.toml`, `package.json`,
    /// `tsconfig.json` and its kin, `compile_commands.json`. Answers whether it is one.
    pub fn configure(&mut self, path: &str, text: &str) -> bool {
        self.project.configure(path, text)
    }

    /// Tells the index the absolute path of the workspace, for project files that name others by
    /// theirs. Those that were read before keep what they could tell without it.
    pub fn set_root(&mut self, path: &str) {
        self.project.set_root(path);
    }

    /// The facts of a file.
    #[must_use]
    pub fn facts(&self, file: FileId) -> Option<&Arc<Facts>> {
        Some(&self.files.get(&file)?.facts)
    }

    /// Where the name at a byte offset of a file is defined. The best first; empty where nothing
    /// is sure.
    #[must_use]
    pub fn definition(&self, file: FileId, offset: usize) -> Vec<Target> {
        let Some(site) = self.facts(file).and_then(|f| f.site(offset)) else { return Vec::new() };
        let resolver = Resolver::new(self);
        let found = resolver.site(file, site);
        let found = match site {
            Site::Reference(r) => resolver.constructed(file, r, found),
            Site::Definition(_) => found,
        };
        let found = resolver.first_of_namespace(file, resolver.preferred(found));
        self.targets(&found)
    }

    /// Where the name at a byte offset of a file is used, in order of file and place.
    #[must_use]
    pub fn references(
        &self,
        file: FileId,
        offset: usize,
        include_declaration: bool,
    ) -> Vec<Target> {
        let Some(site) = self.facts(file).and_then(|f| f.site(offset)) else { return Vec::new() };
        let resolver = Resolver::new(self);
        let wanted: FxHashSet<DefId> = resolver.meant(file, site);
        let mut targets = resolver.uses(&wanted);
        let related = resolver.related(&wanted);
        if !related.is_empty() {
            let declared: FxHashSet<_> =
                related.iter().map(|d| (d.file, self.name_span(*d))).collect();
            let through = resolver
                .uses(&related)
                .into_iter()
                .filter(|t| !declared.contains(&(t.file, (t.name_span.start, t.name_span.end))));
            targets.extend(through);
            targets.sort_by_key(|t| (t.file, t.name_span.start));
            targets.dedup_by_key(|t| (t.file, t.name_span.start));
        }
        if !include_declaration {
            let own: FxHashSet<_> = wanted.iter().map(|d| (d.file, self.name_span(*d))).collect();
            targets.retain(|t| !own.contains(&(t.file, (t.name_span.start, t.name_span.end))));
        }
        targets
    }

    /// Where the name at a byte offset is declared: a prototype, or the member of an interface or
    /// trait that it fulfils; where there is neither, its definition.
    #[must_use]
    pub fn declaration(&self, file: FileId, offset: usize) -> Vec<Target> {
        let Some(site) = self.facts(file).and_then(|f| f.site(offset)) else { return Vec::new() };
        self.targets(&Resolver::new(self).declarations(file, site))
    }

    /// Where the type of the name at a byte offset is defined: of what a function returns, of the
    /// elements of a sequence. Empty where the type is not known or not here.
    #[must_use]
    pub fn type_definition(&self, file: FileId, offset: usize) -> Vec<Target> {
        let Some(site) = self.facts(file).and_then(|f| f.site(offset)) else { return Vec::new() };
        self.targets(&Resolver::new(self).types_of(file, site))
    }

    /// What implements the name at a byte offset, in order of file and place: the types below a
    /// type, the members that override a member, a trait's `impl`s, what fulfils a Go interface.
    /// What nothing overrides is its own implementation.
    #[must_use]
    pub fn implementation(&self, file: FileId, offset: usize) -> Vec<Target> {
        let Some(site) = self.facts(file).and_then(|f| f.site(offset)) else { return Vec::new() };
        Resolver::new(self).implementations(file, site)
    }

    /// What is known of the name at an offset, for people who look for a mistake.
    #[must_use]
    #[doc(hidden)]
    pub fn explain(&self, file: FileId, offset: usize) -> String {
        let Some(facts) = self.facts(file) else { return String::new() };
        let Some(site) = facts.site(offset) else { return "no name".into() };
        Resolver::new(self).explain(file, site)
    }

    /// The files that define or use a name. O(1) and what it gives.
    pub fn files_naming(&self, name: &str) -> impl Iterator<Item = FileId> + '_ {
        let postings = self.names.get(name);
        postings.into_iter().flat_map(|p| p.defined.iter().chain(&p.used).copied())
    }

    /// The files in whose code the names of a file may be meant without the index knowing: where
    /// the language has macros, those of the same family of languages. O(files).
    pub fn files_with_macros_like(&self, file: FileId) -> impl Iterator<Item = FileId> + '_ {
        let language = self.facts(file).map_or("", |f| f.language().id());
        let macros = matches!(language, "c" | "cpp" | "rust");
        let alike =
            move |e: &Entry| same_family(e.facts.language().id(), language) && !is_library(&e.path);
        self.files.iter().filter(move |(_, e)| macros && alike(e)).map(|(file, _)| *file)
    }

    /// Every file of the project: its number, its path and its facts.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &str, &Arc<Facts>)> {
        let own = self.files.iter().filter(|(_, entry)| !is_library(&entry.path));
        own.map(|(file, entry)| (*file, &*entry.path, &entry.facts))
    }

    /// How much the index holds.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let bytes = self.counts.bytes + self.symbols.bytes();
        Counts { names: self.names.len(), bytes, ..self.counts }
    }

    fn name_span(&self, id: DefId) -> (usize, usize) {
        self.facts(id.file).map_or((0, 0), |f| {
            let d = &f.definitions[id.def as usize];
            (d.name_start as usize, d.name_end as usize)
        })
    }

    fn targets(&self, found: &[Found]) -> Vec<Target> {
        let mut targets: Vec<Target> = Vec::new();
        for found in found {
            let Some(facts) = self.facts(found.id.file) else { continue };
            let def = &facts.definitions[found.id.def as usize];
            let module = found.id.def == 0;
            let library = self.is_library(found.id.file) && found.origin != Origin::Outside;
            let target = Target {
                file: found.id.file,
                span: if module {
                    def.name_start as usize..def.name_end as usize
                } else {
                    def.start as usize..def.end as usize
                },
                name_span: def.name_start as usize..def.name_end as usize,
                origin: if library { Origin::Library } else { found.origin },
                confidence: found.origin.confidence(),
            };
            if !targets.iter().any(|t| t.file == target.file && t.name_span == target.name_span) {
                targets.push(target);
            }
        }
        let several = targets.len() as f32;
        if several > 1.0 {
            targets.iter_mut().for_each(|t| t.confidence /= several.sqrt());
        }
        targets
    }

    /// Definitions of a name that other files could mean, if there are few.
    pub(crate) fn defined<'i>(&'i self, name: &'i str) -> impl Iterator<Item = DefId> + 'i {
        let files = self.names.get(name).map_or(&[][..], |p| &p.defined[..]);
        files.iter().filter(|_| files.len() <= MANY).flat_map(move |&file| {
            let facts = &self.files[&file].facts;
            let number = facts.strings.find(name).unwrap_or(NONE);
            facts.named(number).iter().map(move |&def| DefId { file, def })
        })
    }
}

/// A name that so many files define is never looked up by name alone.
pub(crate) const MANY: usize = 400;

/// Each name of a file once, and whether the file defines it for others.
fn posted_names(facts: &Facts) -> Vec<(&str, bool)> {
    let mut defined = vec![0_u8; facts.strings.iter().count()];
    for r in &facts.references {
        if let Some(mark) = defined.get_mut(r.name as usize) {
            *mark |= 1;
        }
    }
    for (d, def) in facts.definitions.iter().enumerate() {
        let import = def.kind == DefinitionKind::Import && !def.flags.has(Flags::EXPORTED);
        if let Some(mark) = defined.get_mut(def.name as usize) {
            let out = !import && (facts.is_outermost(d as u32) || def.flags.has(Flags::HIDDEN));
            *mark |= if out { 2 } else { 1 };
        }
    }
    for e in &facts.extensions {
        if let Some(mark) = defined.get_mut(e.name as usize) {
            *mark |= 1;
        }
    }
    let marked =
        facts.strings.iter().zip(&defined).filter(|(name, m)| **m != 0 && !name.is_empty());
    marked.map(|(name, mark)| (name, mark & 2 != 0)).collect()
}
