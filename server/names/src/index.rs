//! Every file's facts, searchable by name.

mod change;
mod entry;
mod vanished;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{Facts, NONE, Site};
use crate::origin::{Origin, Target};
use crate::postings::Names;
use crate::project::{Project, is_library};
use crate::resolve::{DefId, Found, Resolver, same_family};
use crate::stored::Packed;
use crate::unread::{note_everything, note_file};

pub(crate) use entry::Entry;
pub use entry::FileCounts;

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

/// Every file's facts, searchable by name. Cheap to change a file at a time; questions only read.
#[derive(Debug, Default)]
pub struct Index {
    pub(crate) files: FxHashMap<FileId, Entry>,
    pub(crate) names: Names,
    pub(crate) project: Project,
    counts: Counts,
    pub(crate) library_bytes: usize,
    /// Files of dependencies by the names of the types that they add members to.
    pub(crate) extended: FxHashMap<Box<str>, Vec<FileId>>,
    /// Bytes that facts take which questions had unpacked.
    unpacked: AtomicUsize,
    vanished: vanished::Vanished,
}

impl Index {
    /// An index of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
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
        let entry = self.files.get(&file)?;
        if entry.is_unread() {
            note_file(file);
        }
        Some(self.unpacked(entry))
    }

    /// The facts of a file that is there.
    pub(crate) fn facts_of(&self, file: FileId) -> &Arc<Facts> {
        let entry = &self.files[&file];
        if entry.is_unread() {
            note_file(file);
        }
        self.unpacked(entry)
    }

    pub(crate) fn unpacked<'i>(&self, entry: &'i Entry) -> &'i Arc<Facts> {
        let (facts, more) = entry.facts();
        if more > 0 {
            self.unpacked.fetch_add(more, Ordering::Relaxed);
        }
        facts
    }

    /// Unpacks the facts of files that are about to be asked, many of them on several threads.
    pub(crate) fn unpack_all(&self, files: &[FileId]) {
        let packed = files.iter().filter_map(|file| self.files.get(file));
        let packed: Vec<&Entry> = packed.filter(|entry| entry.is_packed()).collect();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = cores.min(packed.len() / WORTH_A_THREAD).min(MOST_THREADS);
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
                // What cannot be had is done here.
                let _ = std::thread::Builder::new().spawn_scoped(scope, run);
            }
            run();
        });
    }

    /// The facts of a file, packed.
    #[must_use]
    pub fn packed(&self, file: FileId) -> Option<Packed> {
        self.files.get(&file).map(Entry::to_packed)
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
        let mut found = resolver.first_of_namespace(file, resolver.preferred(found));
        // What is known comes before what only has the name.
        if found.iter().any(|f| f.origin != Origin::UniqueName) {
            found.retain(|f| f.origin != Origin::UniqueName);
        }
        if found.iter().all(|f| f.origin == Origin::Outside)
            && let Some(in_library) = resolver.in_java_sources(file, site)
        {
            found = in_library;
        }
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
        self.references_of(&resolver, &wanted, include_declaration)
    }

    /// Where definitions that are one symbol are used, in order of file and place.
    pub(crate) fn references_of(
        &self,
        resolver: &Resolver<'_>,
        wanted: &FxHashSet<DefId>,
        include_declaration: bool,
    ) -> Vec<Target> {
        let mut targets = resolver.uses(wanted);
        if wanted.iter().any(|id| resolver.language(id.file) == "java") {
            targets.extend(resolver.overriding_declarations(wanted));
            targets.extend(resolver.calls_through_library(wanted));
            targets.sort_by_key(|t| (t.file, t.name_span.start));
            targets.dedup_by_key(|t| (t.file, t.name_span.start));
        }
        targets.extend(resolver.constructor_uses(wanted));
        targets.sort_by_key(|t| (t.file, t.name_span.start));
        targets.dedup_by_key(|t| (t.file, t.name_span.start));
        let related = resolver.related(wanted);
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
            self.drop_declarations(wanted, &mut targets);
        }
        targets
    }

    pub(crate) fn drop_declarations(&self, wanted: &FxHashSet<DefId>, targets: &mut Vec<Target>) {
        let own: FxHashSet<_> = wanted.iter().map(|d| (d.file, self.name_span(*d))).collect();
        targets.retain(|t| !own.contains(&(t.file, (t.name_span.start, t.name_span.end))));
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
        let language = self.files.get(&file).map_or("", |e| e.language.id());
        note_everything();
        let macros = matches!(language, "c" | "cpp" | "rust");
        let alike = move |e: &Entry| same_family(e.language.id(), language) && !is_library(&e.path);
        self.files.iter().filter(move |(_, e)| macros && alike(e)).map(|(file, _)| *file)
    }

    /// The files whose strings or macros may name what a file defines: of its family of languages,
    /// where the language has one of the two. O(files).
    pub fn files_with_texts_like(&self, file: FileId) -> impl Iterator<Item = FileId> + '_ {
        let language = self.files.get(&file).map_or("", |e| e.language.id());
        let searched = matches!(
            language,
            "c" | "cpp" | "rust" | "python" | "javascript" | "typescript" | "tsx"
        );
        let alike = move |e: &Entry| same_family(e.language.id(), language) && !is_library(&e.path);
        self.files.iter().filter(move |(_, e)| searched && alike(e)).map(|(file, _)| *file)
    }

    /// Every file of the project: its number, its path and how much it holds.
    pub fn files(&self) -> impl Iterator<Item = (FileId, &str, FileCounts)> {
        note_everything();
        let is_own = |entry: &Entry| !is_library(&entry.path) && !entry.is_unread();
        let own = self.files.iter().filter(move |(_, entry)| is_own(entry));
        own.map(|(file, entry)| (*file, &*entry.path, entry.counts()))
    }

    /// How much the index holds. O(names).
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
    pub(crate) fn defined<'i, 'n>(
        &'i self,
        name: &'n str,
    ) -> impl Iterator<Item = DefId> + use<'i, 'n> {
        let files = self.names.get(name).map_or(&[][..], |p| &p.defined[..]);
        files.iter().filter(|_| files.len() <= MANY).flat_map(move |&file| {
            let facts = self.facts_of(file);
            let number = facts.strings.find(name).unwrap_or(NONE);
            facts.named(number).iter().map(move |&def| DefId { file, def })
        })
    }
}

/// So many files are worth a thread to unpack them.
const WORTH_A_THREAD: usize = 8;
/// Most threads that unpack for one question.
const MOST_THREADS: usize = 8;

/// A name that so many files define is never looked up by name alone.
pub(crate) const MANY: usize = 400;
