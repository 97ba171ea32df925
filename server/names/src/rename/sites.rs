//! Every place that carries the name: what changes, and what speaks against it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::Ordering;

use rustc_hash::FxHashSet;
use text::Text;

use super::mentions::{Holder, Holders, occurrences};
use super::subject::{Reach, Subject};
use super::{RenameEdit, RenameError, RenameProblem, RenameReason, RenameSources};
use crate::expression::{Expression, Value};
use crate::facts::{NONE, Ref, Role};
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::{DefId, Found, Resolver, Ty, is_common, same_family};
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

/// Less sure uses are asked about.
const SURE: f32 = 0.85;

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Sites {
    pub(super) edits: Vec<RenameEdit>,
    pub(super) problems: Vec<RenameProblem>,
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
    for file in files(resolver, subject, sources) {
        if sources.interrupt.load(Ordering::Relaxed) {
            return Err(RenameError::Interrupted);
        }
        let search = Search { resolver, subject, new, file };
        search.facts(&mut sites, &mut doubts);
        search.text(sources, &mut sites, &mut doubts);
    }
    if doubts.is_empty() {
        return Ok(sites);
    }
    if is_unique(resolver, subject) && !is_common(&subject.name) {
        let unsure = doubts.into_iter().map(|(edit, _)| edit);
        sites.edits.extend(unsure);
    } else {
        let problems =
            doubts.into_iter().map(|(e, why)| RenameProblem::new(e.file, e.span, why));
        sites.problems.extend(problems);
    }
    Ok(sites)
}

fn files(
    resolver: &Resolver<'_>,
    subject: &Subject,
    sources: &RenameSources<'_>,
) -> Vec<FileId> {
    let parameter = |id: &DefId| resolver.def(*id).kind == DefinitionKind::Parameter;
    let keyword = resolver.language(subject.first.file) == "python"
        && subject.group.iter().any(parameter);
    if subject.alias || subject.reach == Reach::Local && !keyword {
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

/// Functions of libraries that return what they are given, or a part of it.
const GIVES_BACK: &str = "copy deepcopy next max min sorted reversed iter list tuple set getattr cast \
                          enumerate zip filter map reduce choice pop get assign freeze create \
                          structuredClone all race resolve wait_for gather partial replace";

type Doubt = (RenameEdit, &'static str);

struct Search<'s, 'i> {
    resolver: &'s Resolver<'i>,
    subject: &'s Subject,
    new: &'s str,
    file: FileId,
}

impl Search<'_, '_> {
    fn edit(&self, span: Range<usize>, new_text: String, reason: RenameReason) -> RenameEdit {
        RenameEdit { file: self.file, span, new_text, reason }
    }

    /// What references and definitions say.
    fn facts(&self, sites: &mut Sites, doubts: &mut Vec<Doubt>) {
        let facts = self.resolver.facts(self.file);
        let Some(number) = facts.strings.find(&self.subject.name) else { return };
        let mut places: BTreeMap<u32, Place> = BTreeMap::new();
        for (r, reference) in facts.references.iter().enumerate() {
            if reference.name != number || reference.start == reference.end {
                continue;
            }
            let place = places.entry(reference.start).or_default();
            place.end = reference.end;
            let (says, unsure) = self.reference(r as u32, reference);
            place.unsure = place.unsure.or(unsure);
            let member = !matches!(reference.role, Role::Plain | Role::Root);
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
            let object = facts.scopes.get(def.scope as usize).map(|s| s.kind)
                == Some(ScopeKind::Object);
            let ours = self.subject.group.contains(&id)
                || !self.subject.alias && !object && self.leads(id);
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
            if member && !ours && self.may_be_structural() && def.kind == DefinitionKind::Field {
                place.unsure = place.unsure.or(Some("may be a value of the type, by its shape"));
            }
        }
        for (start, place) in places {
            self.settle(start, &place, sites, doubts);
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
    fn leads(&self, id: DefId) -> bool {
        if self.resolver.def(id).kind != DefinitionKind::Import {
            return false;
        }
        self.resolver.refresh();
        let found = self.resolver.follow(Found { id, origin: Origin::SameFile });
        found.iter().any(|f| self.subject.group.contains(&f.id))
    }

    fn reference(&self, r: u32, reference: &Ref) -> (Option<Says>, Option<&'static str>) {
        self.resolver.refresh();
        if self.subject.alias {
            if reference.role != Role::Plain {
                return (None, None);
            }
            let near = self.resolver.lexical(
                self.file,
                reference.scope,
                reference.start,
                reference.name,
                &self.subject.name,
                reference.namespace,
            );
            let ours = near.iter().any(|f| self.subject.group.contains(&f.id));
            return (Some(if ours { Says::Ours } else { Says::Other }), None);
        }
        let found = self.resolver.reference(self.file, r);
        let ours = found.iter().filter(|f| self.subject.group.contains(&f.id));
        let sure = ours.clone().map(|f| f.origin.confidence()).fold(0.0, f32::max);
        if sure > 0.0 {
            let others = found.iter().any(|f| {
                !self.subject.group.contains(&f.id)
                    && self.resolver.container_type(f.id).is_some()
                    && self.subject.reach == Reach::Member
            });
            return if others {
                (Some(Says::Ours), Some("may mean another member of this name, too"))
            } else if sure < SURE {
                (Some(Says::Ours), Some("is used on something of unknown type"))
            } else {
                (Some(Says::Ours), None)
            };
        }
        if let Some(first) = found.first() {
            let guessed = first.origin == Origin::UniqueName;
            let _ = guessed;
            return (Some(Says::Other), None);
        }
        (Some(Says::Other), self.doubt(reference))
    }

    /// Why a use that leads nowhere may still be one of ours.
    fn doubt(&self, reference: &Ref) -> Option<&'static str> {
        let language = self.resolver.language(self.file);
        match (self.subject.reach, reference.role) {
            (Reach::Local, Role::Keyword) => {
                let facts = self.resolver.facts(self.file);
                let callee = reference.receiver.as_reference()?;
                let callee = facts.strings.text(facts.references[callee as usize].name);
                let known = !self.resolver.value_targets(self.file, reference.receiver).is_empty();
                let called = |id: &DefId| {
                    let facts = self.resolver.facts(id.file);
                    let scope = self.resolver.def(*id).scope;
                    let owner = facts.scopes.get(scope as usize).map_or(NONE, |s| s.owner);
                    let name = facts.definitions.get(owner as usize).map(|d| d.name);
                    name.is_some_and(|n| facts.strings.text(n) == callee)
                };
                (!known && self.subject.group.iter().any(called))
                    .then_some("is an argument of something that is not known")
            }
            (Reach::Local, Role::Plain) => self
                .within()
                .contains(&(reference.start as usize))
                .then_some("leads nowhere that is known"),
            (Reach::Member, Role::Member | Role::Field | Role::Expected) => {
                self.member_doubt(reference, language)
            }
            // What a macro is given may become anything.
            (Reach::Member, Role::Plain) if language == "rust" => reference
                .namespace
                .has(Namespace::MACRO)
                .then_some("is given to a macro"),
            (Reach::Member, Role::Plain) if matches!(language, "cpp" | "java") => {
                let fits = self
                    .subject
                    .group
                    .iter()
                    .any(|id| self.resolver.def(*id).namespace.has(reference.namespace));
                fits.then_some("leads nowhere that is known")
            }
            (Reach::Top, Role::Plain) => {
                let fits = self
                    .subject
                    .group
                    .iter()
                    .any(|id| self.resolver.def(*id).namespace.has(reference.namespace));
                match language {
                    "c" | "cpp" if fits => Some("leads nowhere that is known"),
                    "rust" => Some("leads nowhere that is known"),
                    _ => None,
                }
            }
            (Reach::Top, Role::Member) if matches!(language, "rust" | "cpp") => {
                let ty = self.resolver.eval(self.file, reference.receiver);
                let path = reference.namespace.has(Namespace::TYPE) || language == "rust";
                (ty.is_unknown() && path && reference.call == NONE)
                    .then_some("is a part of something that is not known")
            }
            _ => None,
        }
    }

    fn member_doubt(&self, reference: &Ref, language: &str) -> Option<&'static str> {
        let fits = self.subject.group.iter().any(|id| {
            let def = self.resolver.def(*id);
            let callable = def.kind.is_callable();
            // Where fields and methods are told apart, a call is never a field's.
            def.namespace.has(reference.namespace)
                && (language != "rust" && language != "java"
                    || callable == (reference.call != NONE)
                    || reference.role != Role::Member)
        });
        if !fits {
            return None;
        }
        match self.resolver.eval(self.file, reference.receiver) {
            Ty::Unknown => Some("is used on something of unknown type"),
            Ty::Outside if self.is_passed_through(reference.receiver) => {
                Some("is used on what a general function returns")
            }
            Ty::Parameter(_) if matches!(language, "cpp" | "rust") => {
                Some("is used on a type parameter")
            }
            Ty::Type(..) | Ty::Instance(..) if language == "rust" => {
                Some("is used on a type that is not known to have it")
            }
            _ => None,
        }
    }

    /// Whether a value comes from a function of the library that gives back what it is given.
    fn is_passed_through(&self, value: Value) -> bool {
        let facts = self.resolver.facts(self.file);
        let mut value = value;
        for _ in 0..6 {
            let Some(e) = value.as_expression() else { return false };
            match facts.expressions.get(e as usize) {
                Some(
                    Expression::Same(inner)
                    | Expression::Index(inner)
                    | Expression::Element(inner)
                    | Expression::Await(inner)
                    | Expression::Part(inner, _),
                ) => value = *inner,
                Some(Expression::Call(callee, _)) => {
                    let Some(callee) = callee.as_reference() else { return false };
                    let callee = facts.strings.text(facts.references[callee as usize].name);
                    return GIVES_BACK.split_ascii_whitespace().any(|known| known == callee);
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether values are of the type by their shape alone.
    fn may_be_structural(&self) -> bool {
        self.subject.reach == Reach::Member
            && matches!(self.resolver.language(self.file), "typescript" | "tsx" | "javascript")
            && self.subject.group.iter().any(|id| {
                self.resolver.container_type(*id).is_some_and(|ty| {
                    let kind = self.resolver.def(ty).kind;
                    !matches!(kind, DefinitionKind::Class | DefinitionKind::Enum)
                })
            })
    }

    /// What the text holds beside that.
    fn text(&self, sources: &RenameSources<'_>, sites: &mut Sites, doubts: &mut Vec<Doubt>) {
        let Some(text) = (sources.text)(self.file) else { return };
        let facts = self.resolver.facts(self.file);
        let whole = text.slice(0..text.len());
        let number = facts.strings.find(&self.subject.name).unwrap_or(NONE);
        let mut covered: FxHashSet<usize> = FxHashSet::default();
        let own = facts.references.iter().filter(|r| r.name == number);
        covered.extend(own.map(|r| r.start as usize));
        let own = facts.named(number).iter().map(|&d| facts.definitions[d as usize].name_start);
        covered.extend(own.map(|start| start as usize));
        let within = self.within();
        let mut holders = Holders::new(facts.language, &text, sources.interrupt);
        for span in occurrences(&whole, &self.subject.name) {
            if covered.contains(&span.start) || !within.contains(&span.start) {
                continue;
            }
            let edit = |reason| self.edit(span.clone(), self.new.to_owned(), reason);
            match holders.of(&span) {
                Holder::Comment => sites.edits.push(edit(RenameReason::Comment)),
                Holder::Template if self.means(span.start) => {
                    sites.edits.push(edit(RenameReason::Reference));
                }
                Holder::Export if self.means_at_top() => {
                    sites.edits.push(edit(RenameReason::Import));
                }
                Holder::String | Holder::Template | Holder::Export => {
                    sites.edits.push(edit(RenameReason::String));
                }
                Holder::Code if !self.may_stand(&text, &span) => {}
                Holder::Code if self.is_meant_in_macro(number) => {
                    sites.edits.push(edit(RenameReason::Reference));
                }
                Holder::Code => {
                    let why = "stands in code that is not understood";
                    doubts.push((edit(RenameReason::Unsure), why));
                }
            }
        }
    }

    /// Whether what is renamed could stand at a place, by what stands before it.
    fn may_stand(&self, text: &Text, span: &Range<usize>) -> bool {
        let before = text.slice(span.start.saturating_sub(8)..span.start);
        let before = before.trim_end();
        let dot = before.ends_with('.') && !before.ends_with("..");
        let arrow = before.ends_with("->");
        let language = self.resolver.language(self.file);
        let own_members = matches!(language, "java" | "cpp");
        match self.subject.reach {
            Reach::Member => dot || arrow || before.ends_with("::") || own_members,
            Reach::Local => !dot && !arrow && !before.ends_with("::"),
            Reach::Top if matches!(language, "c" | "cpp" | "rust") => !dot && !arrow,
            Reach::Top => true,
        }
    }

    /// Whether a name in a macro or in code that is left out can only be the one renamed: C has one
    /// space of names for a program, and nothing else has this one.
    fn is_meant_in_macro(&self, number: u32) -> bool {
        let facts = self.resolver.facts(self.file);
        let top = self.subject.reach == Reach::Top;
        let hidden = |&d: &u32| {
            let id = DefId { file: self.file, def: d };
            !self.subject.group.contains(&id) && !facts.is_reachable(d)
        };
        top && facts.language().id() == "c"
            && self.resolver.all_defined(&self.subject.name).is_some_and(|mut all| {
                all.all(|id| {
                    let scope = self.resolver.def(id).scope;
                    let scopes = &self.resolver.facts(id.file).scopes;
                    let member = scopes.get(scope as usize).is_some_and(|s| {
                        matches!(s.kind, ScopeKind::Members | ScopeKind::Open)
                    });
                    member || self.subject.group.contains(&id)
                })
            })
            && !facts.named(number).iter().any(hidden)
    }

    /// The stretch of the file in which the name can be meant.
    fn within(&self) -> Range<usize> {
        let facts = self.resolver.facts(self.file);
        let everything = 0..usize::MAX;
        if self.subject.reach != Reach::Local || self.subject.alias {
            return everything;
        }
        let label = |id: &DefId| self.resolver.def(*id).kind == DefinitionKind::Label;
        if self.subject.group.iter().any(label) {
            return everything;
        }
        let own = self.subject.group.iter().filter(|id| id.file == self.file);
        let scopes = own.filter_map(|id| {
            let scope = facts.scopes.get(self.resolver.def(*id).scope as usize)?;
            Some(scope.start as usize..scope.end as usize)
        });
        scopes.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0)
    }

    /// Whether the name standing alone at a place would mean what is renamed.
    fn means(&self, at: usize) -> bool {
        let facts = self.resolver.facts(self.file);
        let number = facts.strings.find(&self.subject.name).unwrap_or(NONE);
        let at = at as u32;
        let scope = facts.scope_at(at);
        let name = &self.subject.name;
        let near = self.resolver.lexical(self.file, scope, at, number, name, Namespace::VALUE);
        near.into_iter()
            .flat_map(|f| self.resolver.follow(f))
            .any(|f| self.subject.group.contains(&f.id))
    }

    fn means_at_top(&self) -> bool {
        let facts = self.resolver.facts(self.file);
        let Some(number) = facts.strings.find(&self.subject.name) else { return false };
        facts.in_scope(0, number).iter().any(|&def| {
            let id = DefId { file: self.file, def };
            !self.resolver.def(id).flags.has(Flags::HIDDEN)
                && (self.subject.group.contains(&id) || self.leads(id))
        })
    }
}
