//! Collects the edits of a rename, and the problems that prevent it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::Ordering;

use super::contextual_keys::report_contextual_keys;
use super::same_symbol::is_augmentation;
use super::symbol::{Reach, RenamedSymbol};
use super::{RenameEdit, RenameError, RenameProblem, RenameReason, RenameSources};
use crate::facts::{Ref, ReferenceRole};
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::languages::is_same_language_family;
use crate::resolve::{DefId, Resolution, Resolver, is_common_member_name};
use crate::vocabulary::{DefinitionKind, Namespace, ScopeKind};

/// Uses resolved with less confidence are uncertain.
const MIN_CONFIDENCE: f32 = 0.85;

/// The places found.
#[derive(Debug, Default)]
pub(super) struct RenameSites {
    pub(super) edits: Vec<RenameEdit>,
    pub(super) problems: Vec<RenameProblem>,
    /// Uses of modules that were not found: never renamed, even if the name is unique.
    pub(super) in_missing_modules: Vec<UncertainEdit>,
    /// The references and imports that change.
    pub(super) references: Vec<(FileId, u32)>,
    pub(super) imports: Vec<DefId>,
}

/// The meanings of one place, merged from all facts that start there. A shorthand field is both a
/// variable and a member.
#[derive(Debug, Default)]
struct SiteMeaning {
    end: u32,
    variable: Option<Meaning>,
    member: Option<Meaning>,
    /// Whether an import is bound there, so that variable and member are one.
    import: bool,
    defined: bool,
    /// Whether a known type declares the object key.
    typed: bool,
    unsure: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Renamed,
    Other,
}

/// Finds the edits and problems in all files. If nothing else has the symbol's name, uncertain uses
/// become edits to confirm; otherwise they are problems.
pub(super) fn find_sites(
    resolver: &Resolver<'_>,
    symbol: &RenamedSymbol,
    new: &str,
    sources: &RenameSources<'_>,
) -> Result<RenameSites, RenameError> {
    let mut sites = RenameSites::default();
    let mut uncertain = Vec::new();
    report_token_pasting(resolver, symbol, &mut sites.problems);
    report_contextual_keys(resolver, symbol, sources, &mut sites.problems);
    for file in files(resolver, symbol, sources) {
        if sources.interrupt.load(Ordering::Relaxed) {
            return Err(RenameError::Interrupted);
        }
        let search = FileSearch { resolver, symbol, new, file };
        search.add_facts(sources, &mut sites, &mut uncertain);
        search.add_text_uses(sources, &mut sites, &mut uncertain);
    }
    let missing = std::mem::take(&mut sites.in_missing_modules).into_iter();
    let missing = missing.map(|(e, why)| RenameProblem::new(e.file, e.span, why));
    sites.problems.extend(missing);
    if uncertain.is_empty() {
        return Ok(sites);
    }
    if is_unique(resolver, symbol) && !is_common_member_name(&symbol.name) {
        let unsure = uncertain.into_iter().map(|(edit, _)| edit);
        sites.edits.extend(unsure);
    } else {
        let problems =
            uncertain.into_iter().map(|(e, why)| RenameProblem::new(e.file, e.span, why));
        sites.problems.extend(problems);
    }
    Ok(sites)
}

/// The files whose text or facts may refer to the symbol.
pub(super) fn files(
    resolver: &Resolver<'_>,
    symbol: &RenamedSymbol,
    sources: &RenameSources<'_>,
) -> Vec<FileId> {
    let parameter = |id: &DefId| resolver.def(*id).kind == DefinitionKind::Parameter;
    let keyword = resolver.language(symbol.selected.file) == "python"
        && symbol.definitions.iter().any(parameter);
    if symbol.reach == Reach::Local && !keyword {
        let mut own: Vec<FileId> = symbol.definitions.iter().map(|id| id.file).collect();
        own.sort_unstable();
        own.dedup();
        return own;
    }
    let language = resolver.language(symbol.selected.file);
    let mut all = resolver.files_containing(&symbol.name);
    all.extend(sources.files_with_name.iter().copied().filter(|f| resolver.contains_file(*f)));
    all.retain(|f| is_same_language_family(resolver.language(*f), language));
    all.sort_unstable();
    all.dedup();
    all
}

/// Reports C macros that may build the name with `##`, so that it is written nowhere.
fn report_token_pasting(
    resolver: &Resolver<'_>,
    symbol: &RenamedSymbol,
    problems: &mut Vec<RenameProblem>,
) {
    let language = resolver.language(symbol.selected.file);
    let parameter = |id: &DefId| {
        matches!(resolver.def(*id).kind, DefinitionKind::Parameter | DefinitionKind::Label)
    };
    if !matches!(language, "c" | "cpp") || symbol.definitions.iter().any(parameter) {
        return;
    }
    let name = &*symbol.name;
    let known = |part: &str| {
        part.bytes().all(|b| b.is_ascii_digit()) || !resolver.files_containing(part).is_empty()
    };
    for at in (1..name.len()).filter(|at| name.is_char_boundary(*at)) {
        let (head, tail) = name.split_at(at);
        for (end, rest, first) in [(head, tail, true), (tail, head, false)] {
            for file in resolver.files_containing(end) {
                let pastes = pastes_with(resolver.facts(file), end, first);
                let pastes = pastes.filter(|(_, other)| match other {
                    Some(other) => {
                        rest.strip_suffix(other).is_some_and(|r| !r.is_empty() && known(r))
                    }
                    None => known(rest),
                });
                for (place, _) in pastes {
                    let span = place as usize..place as usize;
                    problems.push(RenameProblem::new(
                        file,
                        span,
                        "may build this name by token pasting",
                    ));
                }
            }
        }
    }
}

/// Places where macros paste a token that starts (or ends) with `part`, with the pasted token's
/// other end if that is fixed.
fn pastes_with<'f>(
    facts: &'f crate::facts::Facts,
    part: &str,
    first: bool,
) -> impl Iterator<Item = (u32, Option<&'f str>)> {
    let number = facts.strings.find(part);
    let is = |r: &Ref, namespace| r.start == r.end && r.namespace == namespace;
    let (own, other) = if first {
        (Namespace::VALUE, Namespace::TYPE)
    } else {
        (Namespace::TYPE, Namespace::VALUE)
    };
    let parts = facts.references.iter().filter(move |r| Some(r.name) == number && is(r, own));
    parts.filter_map(move |r| {
        let same = facts.references.iter().find(|o| o.start == r.start && is(o, other));
        let same = same.map(|o| facts.strings.text(o.name));
        // A token with two fixed ends is found by its start.
        (first || same.is_none()).then_some((r.start, same))
    })
}

/// Whether no other symbol has the name.
fn is_unique(resolver: &Resolver<'_>, symbol: &RenamedSymbol) -> bool {
    let language = resolver.language(symbol.selected.file);
    let Some(mut defined) = resolver.definitions_if_few(&symbol.name) else { return false };
    defined.all(|id| {
        let def = resolver.def(id);
        symbol.definitions.contains(&id)
            || def.kind == DefinitionKind::Import
            || !is_same_language_family(resolver.language(id.file), language)
            || !resolver.facts(id.file).is_reachable(id.def) && symbol.reach == Reach::Member
    })
}

/// An edit that needs confirmation, or that refuses the rename; and why.
pub(super) type UncertainEdit = (RenameEdit, &'static str);

/// The search in one file.
pub(super) struct FileSearch<'s, 'i> {
    pub(super) resolver: &'s Resolver<'i>,
    pub(super) symbol: &'s RenamedSymbol,
    pub(super) new: &'s str,
    pub(super) file: FileId,
}

impl FileSearch<'_, '_> {
    pub(super) fn edit(
        &self,
        span: Range<usize>,
        new_text: String,
        reason: RenameReason,
    ) -> RenameEdit {
        RenameEdit { file: self.file, span, new_text, reason }
    }

    /// Adds the references and definitions of the file's facts.
    pub(super) fn add_facts(
        &self,
        sources: &RenameSources<'_>,
        sites: &mut RenameSites,
        uncertain: &mut Vec<UncertainEdit>,
    ) {
        let facts = self.resolver.facts(self.file);
        let Some(number) = facts.strings.find(&self.symbol.name) else { return };
        let mut places: BTreeMap<u32, SiteMeaning> = BTreeMap::new();
        self.report_augmentations(number, sources, sites);
        for (r, reference) in facts.references.iter().enumerate() {
            if reference.name != number || reference.start == reference.end {
                continue;
            }
            let place = places.entry(reference.start).or_default();
            place.end = reference.end;
            let (meaning, unsure, known) = self.meaning_of(r as u32, reference);
            if !known && meaning == Some(Meaning::Other) && self.is_of_missing_module(reference) {
                let span = reference.start as usize..reference.end as usize;
                let why = "belongs to a module of this project that was not found";
                sites
                    .in_missing_modules
                    .push((self.edit(span, self.new.to_owned(), RenameReason::Unsure), why));
            }
            place.unsure = place.unsure.or(unsure);
            let member = !matches!(reference.role, ReferenceRole::Plain | ReferenceRole::Root);
            place.typed |= member && known;
            // Several facts may start at one place. One that refers to the symbol decides.
            let slot = if member { &mut place.member } else { &mut place.variable };
            *slot = slot.filter(|c| *c == Meaning::Renamed).or(meaning);
            if meaning == Some(Meaning::Renamed) {
                sites.references.push((self.file, r as u32));
            }
        }
        for &d in facts.definitions_named(number) {
            let def = &facts.definitions[d as usize];
            if def.name_start == def.name_end {
                continue;
            }
            let id = DefId { file: self.file, def: d };
            let place = places.entry(def.name_start).or_default();
            place.end = def.name_end;
            let object =
                facts.scopes.get(def.scope as usize).map(|s| s.kind) == Some(ScopeKind::Object);
            let listed = !object || self.resolver.is_in_exports(id);
            let ours =
                self.symbol.definitions.contains(&id) || listed && self.is_import_of_symbol(id);
            if ours && self.resolver.is_assigned_module(id) {
                let span = def.name_start as usize..def.name_end as usize;
                let why = "is the name under which a module exports it, which may differ";
                sites.problems.push(RenameProblem::new(self.file, span, why));
            }
            let meaning = if ours { Meaning::Renamed } else { Meaning::Other };
            let import = def.kind == DefinitionKind::Import && !object;
            place.import |= import;
            place.defined |= ours && !import;
            if import && ours {
                sites.imports.push(id);
            }
            let member = object && !import;
            let slot = if member { &mut place.member } else { &mut place.variable };
            *slot = slot.filter(|c| *c == Meaning::Renamed).or(Some(meaning));
            if member && !ours && !place.typed && self.may_be_structural() {
                place.unsure =
                    place.unsure.or(Some("may be a value of the type, by its structure"));
            }
        }
        for (start, place) in places {
            self.add_place(start, &place, sites, uncertain);
        }
    }

    /// Reports definitions that may augment the symbol: `declare module './x' { interface … }`.
    fn report_augmentations(
        &self,
        number: u32,
        sources: &RenameSources<'_>,
        sites: &mut RenameSites,
    ) {
        let top = self.symbol.reach == Reach::TopLevel;
        if !top || !matches!(self.resolver.language(self.file), "typescript" | "tsx") {
            return;
        }
        for &d in self.resolver.facts(self.file).definitions_named(number) {
            let id = DefId { file: self.file, def: d };
            if !self.symbol.definitions.contains(&id) && is_augmentation(self.resolver, id, sources)
            {
                let def = self.resolver.def(id);
                let span = def.name_start as usize..def.name_end as usize;
                let why = "may augment it from another module";
                sites.problems.push(RenameProblem::new(self.file, span, why));
            }
        }
    }

    /// Adds the edit for one place. A shorthand field of which only one half is renamed becomes
    /// `old: new`.
    fn add_place(
        &self,
        start: u32,
        place: &SiteMeaning,
        sites: &mut RenameSites,
        uncertain: &mut Vec<UncertainEdit>,
    ) {
        let span = start as usize..place.end as usize;
        let (old, new) = (&self.symbol.name, self.new);
        let has_shorthand = matches!(
            self.resolver.language(self.file),
            "javascript" | "typescript" | "tsx" | "rust"
        ) && !place.import;
        let ours = |c: Option<Meaning>| c == Some(Meaning::Renamed);
        let both = place.variable.is_some() && place.member.is_some();
        let text = match (ours(place.variable), ours(place.member)) {
            (true, false) if has_shorthand && both => format!("{old}: {new}"),
            (false, true) if has_shorthand && both => format!("{new}: {old}"),
            (true, _) | (_, true) => new.to_owned(),
            (false, false) => {
                if let Some(why) = place.unsure {
                    let text = if has_shorthand && both {
                        format!("{new}: {old}")
                    } else {
                        new.to_owned()
                    };
                    uncertain.push((self.edit(span, text, RenameReason::Unsure), why));
                }
                return;
            }
        };
        let reason = if place.defined {
            RenameReason::Definition
        } else if place.import {
            RenameReason::Import
        } else {
            RenameReason::Reference
        };
        let edit = self.edit(span, text, reason);
        match place.unsure {
            Some(why) => uncertain.push((RenameEdit { reason: RenameReason::Unsure, ..edit }, why)),
            None => sites.edits.push(edit),
        }
    }

    /// Whether a definition is an import of the symbol.
    pub(super) fn is_import_of_symbol(&self, id: DefId) -> bool {
        if self.resolver.def(id).kind != DefinitionKind::Import {
            return false;
        }
        self.resolver.reset_steps();
        let found = Resolution { id, origin: Origin::SameFile };
        if self.symbol.is_alias {
            return self.resolver.leads_through(&[found], &self.symbol.definitions);
        }
        let found = self.resolver.follow_import(found);
        found.iter().any(|f| self.symbol.definitions.contains(&f.id))
    }

    /// The meaning of a use, why it is uncertain, and whether it resolves.
    fn meaning_of(&self, r: u32, reference: &Ref) -> (Option<Meaning>, Option<&'static str>, bool) {
        self.resolver.reset_steps();
        if self.symbol.is_alias {
            let plain = reference.role == ReferenceRole::Plain;
            if !plain && self.symbol.reach == Reach::Local {
                return (None, None, false);
            }
            let found = if plain {
                self.resolver.resolve_in_scopes(
                    self.file,
                    reference.scope,
                    reference.start,
                    reference.name,
                    &self.symbol.name,
                    reference.namespace,
                )
            } else {
                self.resolver.resolve_without_imports(self.file, r)
            };
            let ours = self.resolver.leads_through(&found, &self.symbol.definitions);
            return (Some(if ours { Meaning::Renamed } else { Meaning::Other }), None, true);
        }
        let found = self.resolver.definitions_of_reference(self.file, r);
        let exported = |id: DefId| self.resolver.is_in_exports(id) && self.is_import_of_symbol(id);
        let ours = |id: DefId| self.symbol.definitions.contains(&id) || exported(id);
        let ours = found.iter().filter(|f| ours(f.id));
        let confidence = ours.clone().map(|f| f.origin.confidence()).fold(0.0, f32::max);
        if confidence > 0.0 {
            let others = found.iter().any(|f| {
                !self.symbol.definitions.contains(&f.id)
                    && !exported(f.id)
                    && self.resolver.container_type(f.id).is_some()
                    && self.symbol.reach == Reach::Member
            });
            return if others {
                (
                    Some(Meaning::Renamed),
                    Some("may also refer to another member of this name"),
                    true,
                )
            } else if confidence < MIN_CONFIDENCE {
                (Some(Meaning::Renamed), Some("is used on a value of unknown type"), false)
            } else {
                (Some(Meaning::Renamed), None, true)
            };
        }
        if !found.is_empty() {
            return (Some(Meaning::Other), None, true);
        }
        (Some(Meaning::Other), self.uncertain_reason(reference), false)
    }
}
