//! References split into certain and uncertain ones; the latter would make a rename refuse.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashSet;

use super::RenameSources;
use super::sites::{self, FileSearch, RenameSites, UncertainEdit};
use super::symbol::{Reach, RenamedSymbol, reach};
use crate::index::{FileId, Index};
use crate::origin::Target;
use crate::resolve::{DefId, Resolver};

/// References of a symbol.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct References {
    /// Certain references, sorted by file and position.
    pub certain: Vec<Target>,
    /// Uncertain references, sorted by file and position.
    pub uncertain: Vec<UncertainReference>,
}

/// An uncertain reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncertainReference {
    /// The file.
    pub file: FileId,
    /// The bytes of the name.
    pub span: Range<usize>,
    /// Why it is uncertain.
    pub why: &'static str,
}

impl Index {
    /// The certain and uncertain references of the symbol at a byte offset. Costs little more than
    /// [`Index::references`], which resolves the same uses of the name.
    #[must_use]
    pub fn certain_and_uncertain_references(
        &self,
        file: FileId,
        offset: usize,
        include_declaration: bool,
    ) -> References {
        let Some(site) = self.facts(file).and_then(|f| f.site_at(offset)) else {
            return References::default();
        };
        let resolver = Resolver::new(self);
        let definitions = resolver.symbol_definitions(file, site);
        let all = self.symbol_references(&resolver, &definitions, true);
        let known: FxHashSet<(FileId, usize)> =
            all.iter().map(|t| (t.file, t.name_span.start)).collect();
        let unsure = self.unsure_uses(&resolver, &definitions, &known);
        let mut sure = all;
        if !include_declaration {
            self.drop_declarations(&definitions, &mut sure);
        }
        References { certain: sure, uncertain: unsure }
    }

    /// The name of the symbol at a byte offset, if other files could refer to it.
    #[must_use]
    pub fn shared_name(&self, file: FileId, offset: usize) -> Option<String> {
        let site = self.facts(file)?.site_at(offset)?;
        let resolver = Resolver::new(self);
        let symbol = symbol_of(&resolver, &resolver.symbol_definitions(file, site))?;
        (symbol.reach != Reach::Local).then_some(symbol.name)
    }

    /// Uncertain references that only the texts of `sources.holding` show: keys in strings, code in
    /// macros. O(those texts).
    #[must_use]
    pub fn uncertain_references_in_texts(
        &self,
        file: FileId,
        offset: usize,
        sources: &RenameSources<'_>,
    ) -> Vec<UncertainReference> {
        let Some(site) = self.facts(file).and_then(|f| f.site_at(offset)) else {
            return Vec::new();
        };
        let resolver = Resolver::new(self);
        let definitions = resolver.symbol_definitions(file, site);
        let Some(symbol) = symbol_of(&resolver, &definitions) else { return Vec::new() };
        let mut uncertain = Vec::new();
        for &file in sources.files_with_name.iter().filter(|file| !self.is_dependency(**file)) {
            if sources.interrupt.load(Ordering::Relaxed) {
                return Vec::new();
            }
            if resolver.contains_file(file) {
                let search = FileSearch { resolver: &resolver, symbol: &symbol, new: "", file };
                search.add_uncertain_text_uses(sources, &mut uncertain);
            }
        }
        to_unsure_uses(uncertain)
    }

    /// The certain and possible implementations of the symbol at a byte offset. A possible one
    /// inherits from an unresolved type of the symbol's name, or is a member of such a type.
    #[must_use]
    pub fn implementations(&self, file: FileId, offset: usize) -> References {
        let Some(site) = self.facts(file).and_then(|f| f.site_at(offset)) else {
            return References::default();
        };
        let resolver = Resolver::new(self);
        let sure = resolver.implementations(file, site);
        let targets = resolver.prefer_bodies(resolver.definitions_at_site(file, site));
        let possible = targets.iter().flat_map(|found| resolver.possible_implementations(found.id));
        let unsure = possible.map(|id| {
            let def = resolver.def(id);
            UncertainReference {
                file: id.file,
                span: def.name_start as usize..def.name_end as usize,
                why: "inherits from an unknown type of this name",
            }
        });
        let known = |u: &UncertainReference| {
            sure.iter().any(|t| t.file == u.file && t.name_span.start == u.span.start)
        };
        let mut unsure: Vec<_> = unsure.filter(|u| !known(u)).collect();
        unsure.sort_by_key(|u| (u.file, u.span.start));
        unsure.dedup();
        References { certain: sure, uncertain: unsure }
    }

    /// The uncertain references that the facts show, without the `known` certain ones.
    fn unsure_uses(
        &self,
        resolver: &Resolver<'_>,
        definitions: &FxHashSet<DefId>,
        known: &FxHashSet<(FileId, usize)>,
    ) -> Vec<UncertainReference> {
        let Some(symbol) = symbol_of(resolver, definitions) else { return Vec::new() };
        // References that only texts show are found by `unsure_in_texts`.
        let interrupt = AtomicBool::new(false);
        let sources =
            RenameSources { text: &|_| None, files_with_name: &[], interrupt: &interrupt };
        let (mut sites, mut uncertain) = (RenameSites::default(), Vec::new());
        for file in sites::files(resolver, &symbol, &sources) {
            if !self.is_dependency(file) {
                let search = FileSearch { resolver, symbol: &symbol, new: "", file };
                search.add_facts(&sources, &mut sites, &mut uncertain);
            }
        }
        uncertain.append(&mut sites.in_missing_modules);
        let mut unsure = to_unsure_uses(uncertain);
        unsure.retain(|u| !known.contains(&(u.file, u.span.start)));
        unsure
    }
}

/// The symbol that a search for these definitions looks for.
fn symbol_of(resolver: &Resolver<'_>, definitions: &FxHashSet<DefId>) -> Option<RenamedSymbol> {
    let &first = definitions.iter().min().filter(|first| first.def != 0)?;
    let def = resolver.def(first);
    Some(RenamedSymbol {
        span: def.name_start as usize..def.name_end as usize,
        name: resolver.facts(first.file).strings.text(def.name).to_owned(),
        definitions: definitions.clone(),
        selected: first,
        reach: reach(resolver, first),
        is_alias: false,
        external_base: None,
    })
}

fn to_unsure_uses(uncertain: Vec<UncertainEdit>) -> Vec<UncertainReference> {
    let unsure = uncertain.into_iter().map(|(edit, why)| UncertainReference {
        file: edit.file,
        span: edit.span,
        why,
    });
    let mut unsure: Vec<_> = unsure.collect();
    unsure.sort_by_key(|u| (u.file, u.span.start));
    unsure.dedup_by_key(|u| (u.file, u.span.start));
    unsure
}
