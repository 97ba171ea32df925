//! Uses that may mean a symbol or not: those for which a rename would be refused.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashSet;

use super::RenameSources;
use super::sites::{self, Doubt, Search, Sites};
use super::subject::{Reach, Subject, reach};
use crate::index::{FileId, Index};
use crate::origin::Target;
use crate::resolve::{DefId, Resolver};

/// Where a symbol is used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Uses {
    /// The places that mean it, in order of file and place.
    pub sure: Vec<Target>,
    /// The places that may mean it, in order of file and place.
    pub unsure: Vec<UnsureUse>,
}

/// A place that may mean a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsureUse {
    /// The file.
    pub file: FileId,
    /// The bytes of the name.
    pub span: Range<usize>,
    /// What makes it unsure.
    pub why: &'static str,
}

impl Index {
    /// Where the name at a byte offset of a file is used, and where it may be used. Costs little
    /// more than [`Index::references`]: both look at the same uses of the name.
    #[must_use]
    pub fn uses(&self, file: FileId, offset: usize, include_declaration: bool) -> Uses {
        let Some(site) = self.facts(file).and_then(|f| f.site(offset)) else {
            return Uses::default();
        };
        let resolver = Resolver::new(self);
        let wanted = resolver.meant(file, site);
        let all = self.references_of(&resolver, &wanted, true);
        let known: FxHashSet<(FileId, usize)> =
            all.iter().map(|t| (t.file, t.name_span.start)).collect();
        let unsure = self.unsure_uses(&resolver, &wanted, &known);
        let mut sure = all;
        if !include_declaration {
            self.drop_declarations(&wanted, &mut sure);
        }
        Uses { sure, unsure }
    }

    /// The name of what is at a byte offset, where other files could use it by text alone.
    #[must_use]
    pub fn shared_name(&self, file: FileId, offset: usize) -> Option<String> {
        let site = self.facts(file)?.site(offset)?;
        let resolver = Resolver::new(self);
        let subject = subject_of(&resolver, &resolver.meant(file, site))?;
        (subject.reach != Reach::Local).then_some(subject.name)
    }

    /// The places that only the texts of the given files show and that may mean the name at a byte
    /// offset: keys in strings, code in macros. O(those texts).
    #[must_use]
    pub fn unsure_in_texts(
        &self,
        file: FileId,
        offset: usize,
        sources: &RenameSources<'_>,
    ) -> Vec<UnsureUse> {
        let Some(site) = self.facts(file).and_then(|f| f.site(offset)) else { return Vec::new() };
        let resolver = Resolver::new(self);
        let wanted = resolver.meant(file, site);
        let Some(subject) = subject_of(&resolver, &wanted) else { return Vec::new() };
        let mut doubts = Vec::new();
        for &file in sources.holding.iter().filter(|file| !self.is_library(**file)) {
            if sources.interrupt.load(Ordering::Relaxed) {
                return Vec::new();
            }
            if resolver.holds(file) {
                let search = Search { resolver: &resolver, subject: &subject, new: "", file };
                search.text_doubts(sources, &mut doubts);
            }
        }
        unsure_places(doubts)
    }

    /// What implements the name at a byte offset of a file, and what may: types that inherit from
    /// something of its name which is not known, and their members.
    #[must_use]
    pub fn implementations(&self, file: FileId, offset: usize) -> Uses {
        let Some(site) = self.facts(file).and_then(|f| f.site(offset)) else {
            return Uses::default();
        };
        let resolver = Resolver::new(self);
        let sure = resolver.implementations(file, site);
        let meant = resolver.preferred(resolver.site(file, site));
        let may = meant.iter().flat_map(|found| resolver.possible_implementations(found.id));
        let unsure = may.map(|id| {
            let def = resolver.def(id);
            UnsureUse {
                file: id.file,
                span: def.name_start as usize..def.name_end as usize,
                why: "inherits from something unknown of this name",
            }
        });
        let known = |u: &UnsureUse| {
            sure.iter().any(|t| t.file == u.file && t.name_span.start == u.span.start)
        };
        let mut unsure: Vec<_> = unsure.filter(|u| !known(u)).collect();
        unsure.sort_by_key(|u| (u.file, u.span.start));
        unsure.dedup();
        Uses { sure, unsure }
    }

    fn unsure_uses(
        &self,
        resolver: &Resolver<'_>,
        wanted: &FxHashSet<DefId>,
        known: &FxHashSet<(FileId, usize)>,
    ) -> Vec<UnsureUse> {
        let Some(subject) = subject_of(resolver, wanted) else { return Vec::new() };
        // What only the texts tell is in `unsure_in_texts`.
        let interrupt = AtomicBool::new(false);
        let sources = RenameSources { text: &|_| None, holding: &[], interrupt: &interrupt };
        let (mut sites, mut doubts) = (Sites::default(), Vec::new());
        for file in sites::files(resolver, &subject, &sources) {
            if !self.is_library(file) {
                let search = Search { resolver, subject: &subject, new: "", file };
                search.facts(&sources, &mut sites, &mut doubts);
            }
        }
        doubts.append(&mut sites.missing);
        let mut unsure = unsure_places(doubts);
        unsure.retain(|u| !known.contains(&(u.file, u.span.start)));
        unsure
    }
}

/// What a search for a symbol looks for.
fn subject_of(resolver: &Resolver<'_>, wanted: &FxHashSet<DefId>) -> Option<Subject> {
    let &first = wanted.iter().min().filter(|first| first.def != 0)?;
    let def = resolver.def(first);
    Some(Subject {
        span: def.name_start as usize..def.name_end as usize,
        name: resolver.facts(first.file).strings.text(def.name).to_owned(),
        group: wanted.clone(),
        first,
        reach: reach(resolver, first),
        alias: false,
        outside: None,
    })
}

fn unsure_places(doubts: Vec<Doubt>) -> Vec<UnsureUse> {
    let unsure =
        doubts.into_iter().map(|(edit, why)| UnsureUse { file: edit.file, span: edit.span, why });
    let mut unsure: Vec<_> = unsure.collect();
    unsure.sort_by_key(|u| (u.file, u.span.start));
    unsure.dedup_by_key(|u| (u.file, u.span.start));
    unsure
}
