//! Every place that carries the name: what changes, and what speaks against it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::Ordering;

use super::demanded::demanded;
use super::subject::{Reach, Subject};
use super::symbol::is_added;
use super::{RenameEdit, RenameError, RenameProblem, RenameReason, RenameSources};
use crate::facts::{Ref, Role};
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::{DefId, Found, Resolver, is_common, same_family};
use crate::vocabulary::{DefinitionKind, Namespace, ScopeKind};

/// Less sure uses are asked about.
const SURE: f32 = 0.85;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Sites {
    pub(super) edits: Vec<RenameEdit>,
    pub(super) problems: Vec<RenameProblem>,
    /// Uses of what a module gives that is not found: never changed, however unique the name.
    pub(super) missing: Vec<Doubt>,
    /// The references that change, and the imports.
    pub(super) references: Vec<(FileId, u32)>,
    pub(super) imports: Vec<DefId>,
}

/// What the facts say of one place.
#[derive(Debug, Default)]
struct Place {
    end: u32,
    variable: Option<Says>,
    member: Option<Says>,
    /// The place binds an import, so that both are one.
    import: bool,
    defined: bool,
    /// A type says what the key of an object means.
    typed: bool,
    unsure: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    Ours,
    Other,
}

pub(super) fn find(
    resolver: &Resolver<'_>,
    subject: &Subject,
    new: &str,
    sources: &RenameSources<'_>,
) -> Result<Sites, RenameError> {
    let mut sites = Sites::default();
    let mut doubts = Vec::new();
    pasted(resolver, subject, &mut sites.problems);
    demanded(resolver, subject, sources, &mut sites.problems);
    for file in files(resolver, subject, sources) {
        if sources.interrupt.load(Ordering::Relaxed) {
            return Err(RenameError::Interrupted);
        }
        let search = Search { resolver, subject, new, file };
        search.facts(sources, &mut sites, &mut doubts);
        search.text(sources, &mut sites, &mut doubts);
    }
    let missing = std::mem::take(&mut sites.missing).into_iter();
    let missing = missing.map(|(e, why)| RenameProblem::new(e.file, e.span, why));
    sites.problems.extend(missing);
    if doubts.is_empty() {
        return Ok(sites);
    }
    if is_unique(resolver, subject) && !is_common(&subject.name) {
        let unsure = doubts.into_iter().map(|(edit, _)| edit);
        sites.edits.extend(unsure);
    } else {
        let problems = doubts.into_iter().map(|(e, why)| RenameProblem::new(e.file, e.span, why));
        sites.problems.extend(problems);
    }
    Ok(sites)
}

/// The files whose text or facts may use the name.
pub(super) fn files(
    resolver: &Resolver<'_>,
    subject: &Subject,
    sources: &RenameSources<'_>,
) -> Vec<FileId> {
    let parameter = |id: &DefId| resolver.def(*id).kind == DefinitionKind::Parameter;
    let keyword =
        resolver.language(subject.first.file) == "python" && subject.group.iter().any(parameter);
    if subject.reach == Reach::Local && !keyword {
        let mut own: Vec<FileId> = subject.group.iter().map(|id| id.file).collect();
        own.sort_unstable();
        own.dedup();
        return own;
    }
    let language = resolver.language(subject.first.file);
    let mut all = resolver.files_with(&subject.name);
    all.extend(sources.holding.iter().copied().filter(|f| resolver.holds(*f)));
    all.retain(|f| same_family(resolver.language(*f), language));
    all.sort_unstable();
    all.dedup();
    all
}

/// Macros of C that may put the name together of parts, so that it is written nowhere.
fn pasted(resolver: &Resolver<'_>, subject: &Subject, problems: &mut Vec<RenameProblem>) {
    let language = resolver.language(subject.first.file);
    let parameter = |id: &DefId| {
        matches!(resolver.def(*id).kind, DefinitionKind::Parameter | DefinitionKind::Label)
    };
    if !matches!(language, "c" | "cpp") || subject.group.iter().any(parameter) {
        return;
    }
    let name = &*subject.name;
    let known = |part: &str| {
        part.bytes().all(|b| b.is_ascii_digit()) || !resolver.files_with(part).is_empty()
    };
    for at in (1..name.len()).filter(|at| name.is_char_boundary(*at)) {
        let (head, tail) = name.split_at(at);
        for (end, rest, first) in [(head, tail, true), (tail, head, false)] {
            for file in resolver.files_with(end) {
                let glued = glued(resolver.facts(file), end, first);
                let glued = glued.filter(|(_, other)| match other {
                    Some(other) => {
                        rest.strip_suffix(other).is_some_and(|r| !r.is_empty() && known(r))
                    }
                    None => known(rest),
                });
                for (place, _) in glued {
                    let span = place as usize..place as usize;
                    problems.push(RenameProblem::new(
                        file,
                        span,
                        "puts names together like this one",
                    ));
                }
            }
        }
    }
}

/// Where macros put names together that start, or end, with a part; and how those end.
fn glued<'f>(
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
        // What has both ends is found by the first.
        (first || same.is_none()).then_some((r.start, same))
    })
}

/// Whether nothing else has the name.
fn is_unique(resolver: &Resolver<'_>, subject: &Subject) -> bool {
    let language = resolver.language(subject.first.file);
    let Some(mut defined) = resolver.all_defined(&subject.name) else { return false };
    defined.all(|id| {
        let def = resolver.def(id);
        subject.group.contains(&id)
            || def.kind == DefinitionKind::Import
            || !same_family(resolver.language(id.file), language)
            || !resolver.facts(id.file).is_reachable(id.def) && subject.reach == Reach::Member
    })
}

/// A change that is made only if the person agrees, or that refuses the rename; and why.
pub(super) type Doubt = (RenameEdit, &'static str);

/// The search in one file.
pub(super) struct Search<'s, 'i> {
    pub(super) resolver: &'s Resolver<'i>,
    pub(super) subject: &'s Subject,
    pub(super) new: &'s str,
    pub(super) file: FileId,
}

impl Search<'_, '_> {
    pub(super) fn edit(
        &self,
        span: Range<usize>,
        new_text: String,
        reason: RenameReason,
    ) -> RenameEdit {
        RenameEdit { file: self.file, span, new_text, reason }
    }

    /// What references and definitions say.
    pub(super) fn facts(
        &self,
        sources: &RenameSources<'_>,
        sites: &mut Sites,
        doubts: &mut Vec<Doubt>,
    ) {
        let facts = self.resolver.facts(self.file);
        let Some(number) = facts.strings.find(&self.subject.name) else { return };
        let mut places: BTreeMap<u32, Place> = BTreeMap::new();
        self.added(number, sources, sites);
        for (r, reference) in facts.references.iter().enumerate() {
            if reference.name != number || reference.start == reference.end {
                continue;
            }
            let place = places.entry(reference.start).or_default();
            place.end = reference.end;
            let (says, unsure, known) = self.reference(r as u32, reference);
            if !known && says == Some(Says::Other) && self.is_of_missing_module(reference) {
                let span = reference.start as usize..reference.end as usize;
                let why = "is of a module of this project that is not found";
                sites
                    .missing
                    .push((self.edit(span, self.new.to_owned(), RenameReason::Unsure), why));
            }
            place.unsure = place.unsure.or(unsure);
            let member = !matches!(reference.role, Role::Plain | Role::Root);
            place.typed |= member && known;
            let channel = if member { &mut place.member } else { &mut place.variable };
            *channel = channel.filter(|c| *c == Says::Ours).or(says);
            if says == Some(Says::Ours) {
                sites.references.push((self.file, r as u32));
            }
        }
        for &d in facts.named(number) {
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
            let ours = self.subject.group.contains(&id) || listed && self.leads(id);
            if ours && self.resolver.is_assigned_module(id) {
                let span = def.name_start as usize..def.name_end as usize;
                let why = "is a module's name for it, which has not to be the same";
                sites.problems.push(RenameProblem::new(self.file, span, why));
            }
            let says = if ours { Says::Ours } else { Says::Other };
            let import = def.kind == DefinitionKind::Import && !object;
            place.import |= import;
            place.defined |= ours && !import;
            if import && ours {
                sites.imports.push(id);
            }
            let member = object && !import;
            let channel = if member { &mut place.member } else { &mut place.variable };
            *channel = channel.filter(|c| *c == Says::Ours).or(Some(says));
            if member && !ours && !place.typed && self.may_be_structural() {
                place.unsure = place.unsure.or(Some("may be a value of the type, by its shape"));
            }
        }
        for (start, place) in places {
            self.settle(start, &place, sites, doubts);
        }
    }

    /// Definitions that may add to what is renamed: `declare module './x' { interface … }`.
    fn added(&self, number: u32, sources: &RenameSources<'_>, sites: &mut Sites) {
        let top = self.subject.reach == Reach::Top;
        if !top || !matches!(self.resolver.language(self.file), "typescript" | "tsx") {
            return;
        }
        for &d in self.resolver.facts(self.file).named(number) {
            let id = DefId { file: self.file, def: d };
            if !self.subject.group.contains(&id) && is_added(self.resolver, id, sources) {
                let def = self.resolver.def(id);
                let span = def.name_start as usize..def.name_end as usize;
                let why = "may add to it from another module";
                sites.problems.push(RenameProblem::new(self.file, span, why));
            }
        }
    }

    fn settle(&self, start: u32, place: &Place, sites: &mut Sites, doubts: &mut Vec<Doubt>) {
        let span = start as usize..place.end as usize;
        let (old, new) = (&self.subject.name, self.new);
        let short = matches!(
            self.resolver.language(self.file),
            "javascript" | "typescript" | "tsx" | "rust"
        ) && !place.import;
        let ours = |c: Option<Says>| c == Some(Says::Ours);
        let both = place.variable.is_some() && place.member.is_some();
        let text = match (ours(place.variable), ours(place.member)) {
            (true, false) if short && both => format!("{old}: {new}"),
            (false, true) if short && both => format!("{new}: {old}"),
            (true, _) | (_, true) => new.to_owned(),
            (false, false) => {
                if let Some(why) = place.unsure {
                    let text = if short && both { format!("{new}: {old}") } else { new.to_owned() };
                    doubts.push((self.edit(span, text, RenameReason::Unsure), why));
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
            Some(why) => doubts.push((RenameEdit { reason: RenameReason::Unsure, ..edit }, why)),
            None => sites.edits.push(edit),
        }
    }

    /// Whether an import leads to what is renamed.
    pub(super) fn leads(&self, id: DefId) -> bool {
        if self.resolver.def(id).kind != DefinitionKind::Import {
            return false;
        }
        self.resolver.refresh();
        let found = Found { id, origin: Origin::SameFile };
        if self.subject.alias {
            return self.resolver.leads_through(&[found], &self.subject.group);
        }
        let found = self.resolver.follow(found);
        found.iter().any(|f| self.subject.group.contains(&f.id))
    }

    /// What a use says, what is unsure about it, and whether it leads anywhere.
    fn reference(&self, r: u32, reference: &Ref) -> (Option<Says>, Option<&'static str>, bool) {
        self.resolver.refresh();
        if self.subject.alias {
            let plain = reference.role == Role::Plain;
            if !plain && self.subject.reach == Reach::Local {
                return (None, None, false);
            }
            let found = if plain {
                self.resolver.lexical(
                    self.file,
                    reference.scope,
                    reference.start,
                    reference.name,
                    &self.subject.name,
                    reference.namespace,
                )
            } else {
                self.resolver.unfollowed(self.file, r)
            };
            let ours = self.resolver.leads_through(&found, &self.subject.group);
            return (Some(if ours { Says::Ours } else { Says::Other }), None, true);
        }
        let found = self.resolver.reference(self.file, r);
        let exported = |id: DefId| self.resolver.is_in_exports(id) && self.leads(id);
        let ours = |id: DefId| self.subject.group.contains(&id) || exported(id);
        let ours = found.iter().filter(|f| ours(f.id));
        let sure = ours.clone().map(|f| f.origin.confidence()).fold(0.0, f32::max);
        if sure > 0.0 {
            let others = found.iter().any(|f| {
                !self.subject.group.contains(&f.id)
                    && !exported(f.id)
                    && self.resolver.container_type(f.id).is_some()
                    && self.subject.reach == Reach::Member
            });
            return if others {
                (Some(Says::Ours), Some("may mean another member of this name, too"), true)
            } else if sure < SURE {
                (Some(Says::Ours), Some("is used on something of unknown type"), false)
            } else {
                (Some(Says::Ours), None, true)
            };
        }
        if !found.is_empty() {
            return (Some(Says::Other), None, true);
        }
        (Some(Says::Other), self.doubt(reference), false)
    }
}
