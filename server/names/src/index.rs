//! The index: the facts of every file, searchable by name.

mod change;
mod entry;
mod removed_names;
mod suppose;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::dependency_tracking::{record_everything, record_file};
use crate::facts::{Facts, NONE, NameSite};
use crate::origin::{Origin, Target};
use crate::postings::NamePostings;
use crate::project::{Project, is_library};
use crate::resolve::languages::is_same_language_family;
use crate::resolve::{DefId, Resolution, Resolver};
use crate::stored::PackedFacts;

pub use entry::FileCounts;
pub(crate) use entry::IndexEntry;
pub use suppose::SupposedFacts;

/// A file of the index; the caller assigns the numbers.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FileId(pub u32);

/// The size of an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files.
    pub files: usize,
    /// Definitions in them.
    pub definitions: usize,
    /// References in them.
    pub references: usize,
    /// Distinct names.
    pub names: usize,
    /// Approximate memory in bytes.
    pub bytes: usize,
}

/// The facts of every file, searchable by name. Files are added and replaced one at a time; queries
/// only read.
#[derive(Debug, Default)]
pub struct Index {
    pub(crate) files: FxHashMap<FileId, IndexEntry>,
    pub(crate) names: NamePostings,
    pub(crate) project: Project,
    counts: Counts,
    /// Number of files that are known to exist but are not indexed.
    unindexed: usize,
    pub(crate) library_bytes: usize,
    /// Files of dependencies, by the names of the types that they extend.
    pub(crate) extended: FxHashMap<Box<str>, Vec<FileId>>,
    /// Memory of the facts that queries unpacked.
    unpacked: AtomicUsize,
    removed_names: removed_names::RemovedNames,
    reads: suppose::RecordedReads,
}

impl Index {
    /// An empty index.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a project file: `go.mod`, `Cargo.toml`, `package.json`, `tsconfig.json` and the like,
    /// `compile_commands.json`. Returns whether it is one.
    pub fn configure(&mut self, path: &str, text: &str) -> bool {
        self.project.configure(path, text)
    }

    /// Sets the absolute path of the workspace, which some project files use to name others.
    /// Project files that were read before are not read again.
    pub fn set_root(&mut self, path: &str) {
        self.project.set_root(path);
    }

    /// The facts of a file.
    #[must_use]
    pub fn facts(&self, file: FileId) -> Option<&Arc<Facts>> {
        let entry = self.files.get(&file)?;
        self.reads.record(file);
        if entry.is_unread() {
            record_file(file);
        }
        Some(self.unpacked(entry))
    }

    /// The facts of a file that is in the index.
    pub(crate) fn indexed_facts(&self, file: FileId) -> &Arc<Facts> {
        let entry = &self.files[&file];
        self.reads.record(file);
        if entry.is_unread() {
            record_file(file);
        }
        self.unpacked(entry)
    }

    pub(crate) fn unpacked<'i>(&self, entry: &'i IndexEntry) -> &'i Arc<Facts> {
        let (facts, more) = entry.facts();
        if more > 0 {
            self.unpacked.fetch_add(more, Ordering::Relaxed);
        }
        facts
    }

    /// Unpacks the facts of files that a query is about to read, on several threads if there are
    /// many.
    pub(crate) fn unpack_all(&self, files: &[FileId]) {
        let packed = files.iter().filter_map(|file| self.files.get(file));
        let packed: Vec<&IndexEntry> = packed.filter(|entry| entry.is_packed()).collect();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.min(packed.len() / FILES_PER_THREAD).min(MAX_THREADS);
        if threads < 2 {
            return;
        }
        let next = AtomicUsize::new(0);
        let run = || {
            while let Some(entry) = packed.get(next.fetch_add(1, Ordering::Relaxed)) {
                self.unpacked(entry);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                // If no thread can be started, this one does the work.
                let _ = std::thread::Builder::new().spawn_scoped(scope, run);
            }
            run();
        });
    }

    /// The facts of a file, packed.
    #[must_use]
    pub fn packed(&self, file: FileId) -> Option<PackedFacts> {
        self.files.get(&file).map(IndexEntry::to_packed)
    }

    /// The definitions of the name at a byte offset, best first; empty if nothing is certain.
    #[must_use]
    pub fn definition(&self, file: FileId, offset: usize) -> Vec<Target> {
        let Some(site) = self.facts(file).and_then(|f| f.site_at(offset)) else {
            return Vec::new();
        };
        let resolver = Resolver::new(self);
        let found = resolver.definitions_at_site(file, site);
        let found = match site {
            NameSite::Reference(r) => resolver.constructors_called_by(file, r, found),
            NameSite::Definition(_) => found,
        };
        let mut found = resolver.prefer_first_namespace_block(file, resolver.prefer_bodies(found));
        // A resolved definition beats one that only has the same name.
        if found.iter().any(|f| f.origin != Origin::UniqueName) {
            found.retain(|f| f.origin != Origin::UniqueName);
        }
        if found.iter().all(|f| f.origin == Origin::External)
            && let Some(in_library) = resolver.definitions_in_java_sources(file, site)
        {
            found = in_library;
        }
        self.targets(&found)
    }

    /// The uses of the name at a byte offset, by file and position.
    #[must_use]
    pub fn references(
        &self,
        file: FileId,
        offset: usize,
        include_declaration: bool,
    ) -> Vec<Target> {
        let Some(site) = self.facts(file).and_then(|f| f.site_at(offset)) else {
            return Vec::new();
        };
        let resolver = Resolver::new(self);
        let symbol: FxHashSet<DefId> = resolver.symbol_definitions(file, site);
        self.symbol_references(&resolver, &symbol, include_declaration)
    }

    /// The uses of definitions that form one symbol, by file and position.
    pub(crate) fn symbol_references(
        &self,
        resolver: &Resolver<'_>,
        symbol: &FxHashSet<DefId>,
        include_declaration: bool,
    ) -> Vec<Target> {
        let mut targets = resolver.find_uses(symbol);
        if symbol.iter().any(|id| resolver.language(id.file) == "java") {
            targets.extend(resolver.overriding_declarations(symbol));
            targets.extend(resolver.find_calls_through_library(symbol));
            targets.sort_by_key(|t| (t.file, t.name_span.start));
            targets.dedup_by_key(|t| (t.file, t.name_span.start));
        }
        targets.extend(resolver.constructor_uses(symbol));
        targets.sort_by_key(|t| (t.file, t.name_span.start));
        targets.dedup_by_key(|t| (t.file, t.name_span.start));
        let related = resolver.dynamically_related(symbol);
        if !related.is_empty() {
            let declared: FxHashSet<_> =
                related.iter().map(|d| (d.file, self.name_span(*d))).collect();
            let through = resolver
                .find_uses(&related)
                .into_iter()
                .filter(|t| !declared.contains(&(t.file, (t.name_span.start, t.name_span.end))));
            targets.extend(through);
            targets.sort_by_key(|t| (t.file, t.name_span.start));
            targets.dedup_by_key(|t| (t.file, t.name_span.start));
        }
        if !include_declaration {
            self.drop_declarations(symbol, &mut targets);
        }
        targets
    }

    pub(crate) fn drop_declarations(&self, symbol: &FxHashSet<DefId>, targets: &mut Vec<Target>) {
        let own: FxHashSet<_> = symbol.iter().map(|d| (d.file, self.name_span(*d))).collect();
        targets.retain(|t| !own.contains(&(t.file, (t.name_span.start, t.name_span.end))));
    }

    /// The declarations of the name at a byte offset: prototypes, or the interface or trait members
    /// that it implements; if there are none, its definition.
    #[must_use]
    pub fn declaration(&self, file: FileId, offset: usize) -> Vec<Target> {
        let Some(site) = self.facts(file).and_then(|f| f.site_at(offset)) else {
            return Vec::new();
        };
        self.targets(&Resolver::new(self).declarations(file, site))
    }

    /// The definitions of the type of the name at a byte offset: for a function its return type,
    /// for a sequence its element type. Empty if the type is unknown or external.
    #[must_use]
    pub fn type_definition(&self, file: FileId, offset: usize) -> Vec<Target> {
        let Some(site) = self.facts(file).and_then(|f| f.site_at(offset)) else {
            return Vec::new();
        };
        self.targets(&Resolver::new(self).type_definitions(file, site))
    }

    /// The implementations of the name at a byte offset, by file and position: subtypes, overriding
    /// members, `impl`s of a trait, types that implement a Go interface. A member that nothing
    /// overrides is its own implementation.
    #[must_use]
    pub fn implementation(&self, file: FileId, offset: usize) -> Vec<Target> {
        let Some(site) = self.facts(file).and_then(|f| f.site_at(offset)) else {
            return Vec::new();
        };
        Resolver::new(self).implementations(file, site)
    }

    /// Describes the name at an offset, for debugging.
    #[must_use]
    #[doc(hidden)]
    pub fn explain(&self, file: FileId, offset: usize) -> String {
        let Some(facts) = self.facts(file) else { return String::new() };
        let Some(site) = facts.site_at(offset) else { return "no name".into() };
        Resolver::new(self).explain(file, site)
    }

    /// The files that define or use a name. O(1) plus the result.
    pub fn files_naming(&self, name: &str) -> impl Iterator<Item = FileId> + '_ {
        let postings = self.names.get(name);
        postings.into_iter().flat_map(|p| p.defined.iter().chain(&p.used).copied())
    }

    /// The files whose macros may use a file's names unseen by the index: for languages with
    /// macros, all files of the language family. O(files).
    pub fn files_whose_macros_may_use(&self, file: FileId) -> impl Iterator<Item = FileId> + '_ {
        let language = self.files.get(&file).map_or("", |e| e.language.id());
        record_everything();
        let macros = matches!(language, "c" | "cpp" | "rust");
        let alike = move |e: &IndexEntry| {
            is_same_language_family(e.language.id(), language) && !is_library(&e.path)
        };
        self.files.iter().filter(move |(_, e)| macros && alike(e)).map(|(file, _)| *file)
    }

    /// The files whose strings or macros may mention a file's names: those of its language family,
    /// if the language has either. O(files).
    pub fn files_whose_texts_may_mention(&self, file: FileId) -> impl Iterator<Item = FileId> + '_ {
        let language = self.files.get(&file).map_or("", |e| e.language.id());
        let searched = matches!(
            language,
            "c" | "cpp" | "rust" | "python" | "javascript" | "typescript" | "tsx"
        );
        let alike = move |e: &IndexEntry| {
            is_same_language_family(e.language.id(), language) && !is_library(&e.path)
        };
        self.files.iter().filter(move |(_, e)| searched && alike(e)).map(|(file, _)| *file)
    }

    /// All files of the project with number, path and size.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &str, FileCounts)> {
        record_everything();
        let is_own = |entry: &IndexEntry| !is_library(&entry.path) && !entry.is_unread();
        let own = self.files.iter().filter(move |(_, entry)| is_own(entry));
        own.map(|(file, entry)| (*file, &*entry.path, entry.counts()))
    }

    /// The size of the index. O(names).
    #[must_use]
    pub fn counts(&self) -> Counts {
        let unpacked = self.unpacked.load(Ordering::Relaxed);
        let bytes = self.counts.bytes + self.names.bytes() + unpacked;
        Counts { names: self.names.len(), bytes, ..self.counts }
    }

    fn name_span(&self, id: DefId) -> (usize, usize) {
        self.facts(id.file).map_or((0, 0), |f| {
            let d = &f.definitions[id.def as usize];
            (d.name_start as usize, d.name_end as usize)
        })
    }

    /// Converts resolutions to targets without duplicates.
    fn targets(&self, found: &[Resolution]) -> Vec<Target> {
        let mut targets: Vec<Target> = Vec::new();
        for found in found {
            let Some(facts) = self.facts(found.id.file) else { continue };
            let def = &facts.definitions[found.id.def as usize];
            let module = found.id.def == 0;
            let library = self.is_dependency(found.id.file) && found.origin != Origin::External;
            let target = Target {
                file: found.id.file,
                span: if module {
                    def.name_start as usize..def.name_end as usize
                } else {
                    def.start as usize..def.end as usize
                },
                name_span: def.name_start as usize..def.name_end as usize,
                origin: if library { Origin::Dependency } else { found.origin },
                confidence: found.origin.confidence(),
            };
            if !targets.iter().any(|t| t.file == target.file && t.name_span == target.name_span) {
                targets.push(target);
            }
        }
        // Several results share the confidence: one of them is meant, but it is not known which.
        let several = targets.len() as f32;
        if several > 1.0 {
            targets.iter_mut().for_each(|t| t.confidence /= several.sqrt());
        }
        targets
    }

    /// The definitions of a name that are visible to other files; empty if there are too many.
    pub(crate) fn defined<'i, 'n>(
        &'i self,
        name: &'n str,
    ) -> impl Iterator<Item = DefId> + use<'i, 'n> {
        let files = self.names.get(name).map_or(&[][..], |p| &p.defined[..]);
        files.iter().filter(|_| files.len() <= MAX_DEFINING_FILES).flat_map(move |&file| {
            let facts = self.indexed_facts(file);
            let number = facts.strings.find(name).unwrap_or(NONE);
            facts.definitions_named(number).iter().map(move |&def| DefId { file, def })
        })
    }
}

/// How many files make another unpacking thread worthwhile.
const FILES_PER_THREAD: usize = 8;
/// Limit of the threads that unpack for one query.
const MAX_THREADS: usize = 8;

/// Names that more files define than this are not looked up by name alone.
pub(crate) const MAX_DEFINING_FILES: usize = 400;
