//! What could be meant by a name that is being typed.
//!
//! Names are gathered generously (the scopes around the place, the members of the receiver's type,
//! what is imported) and each is then asked for as if it stood there: what leads nowhere is no
//! candidate. So completion never offers what definition would not find.

mod arguments;
mod gather;
mod guess;
mod rank;
mod usage;

use std::ops::Range;

use rustc_hash::FxHashSet;

use crate::facts::{Facts, NONE, Ref, Role, Site};
use crate::fuzzy::Pattern;
use crate::index::{FileId, Index};
use crate::origin::Origin;
use crate::resolve::{DefId, Found, Resolver, Ty};
use crate::vocabulary::DefinitionKind;

use gather::Gathered;

/// What a name may be completed to.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The name, as it is written at the place.
    pub name: String,
    /// What it is.
    pub kind: DefinitionKind,
    /// By what rule it is known there.
    pub origin: Origin,
    /// Whether the language is sure to know it there.
    pub sure: bool,
    /// Whether it is an argument's name, to be followed by the language's sign for that.
    pub keyword: bool,
    /// Where it is defined: the file and the bytes of its name.
    pub place: Option<(FileId, Range<usize>)>,
    /// The type, namespace or function it stands in.
    pub container: Option<String>,
    /// How well it fits; only good for comparing.
    pub score: f32,
}

/// What stands before a name that is being typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionContext {
    /// Nothing that it belongs to: a name of its own.
    Name,
    /// Something whose member it is.
    Member,
    /// A literal whose field it is, or a call whose argument it names.
    Field,
    /// A name that is being defined, or no name at all.
    Nothing,
}

/// The candidates for a name that is being typed.
#[derive(Debug, Clone, PartialEq)]
pub struct Completions {
    /// The best first.
    pub candidates: Vec<Candidate>,
    /// Whether there were no others.
    pub complete: bool,
    /// What stands before the name.
    pub context: CompletionContext,
}

/// A name that is being typed.
#[derive(Debug, Clone, Copy)]
pub struct Typing<'t> {
    /// The file.
    pub file: FileId,
    /// The facts of its text with the half-typed name in it, where those of the index are of
    /// another text.
    pub facts: Option<&'t Facts>,
    /// A byte offset in or at the end of the name.
    pub offset: usize,
    /// What of the name is typed.
    pub typed: &'t str,
}

/// Most names that are looked at.
const MOST: usize = 8_000;

impl Index {
    /// What the name at a place may be completed to. The file has to be one of the index.
    /// O(names that can be seen there).
    #[must_use]
    pub fn complete<'i>(&'i self, typing: &'i Typing<'i>, limit: usize) -> Completions {
        let nothing = |context| Completions { candidates: Vec::new(), complete: true, context };
        let Some(indexed) = self.facts(typing.file) else {
            return nothing(CompletionContext::Nothing);
        };
        let facts = typing.facts.unwrap_or(indexed);
        let resolver = Resolver::over(self, typing.file, facts);
        let Some(Site::Reference(first)) = facts.site(typing.offset) else {
            return nothing(CompletionContext::Nothing);
        };
        let start = facts.references[first as usize].start;
        let pattern = Pattern::new(typing.typed);
        let mut asked = Asked {
            index: self,
            resolver,
            typing,
            pattern: &pattern,
            candidates: Vec::new(),
            seen: FxHashSet::default(),
            cut: false,
            context: CompletionContext::Nothing,
        };
        for r in references_at(facts, first, start) {
            asked.reference(r);
        }
        let context = asked.context;
        let Asked { mut candidates, cut, resolver, .. } = asked;
        rank::rank(&resolver, typing, first, &mut candidates);
        let complete = !cut && candidates.len() <= limit;
        candidates.truncate(limit);
        Completions { candidates, complete, context }
    }
}

/// The references that start at a place: a shorthand is of two.
fn references_at(facts: &Facts, first: u32, start: u32) -> Vec<u32> {
    let near = first.saturating_sub(2)..(first + 3).min(facts.references.len() as u32);
    let mut all = vec![first];
    all.extend(near.filter(|&r| r != first && facts.references[r as usize].start == start));
    all
}

/// A question on its way.
struct Asked<'i, 'p> {
    index: &'i Index,
    resolver: Resolver<'i>,
    typing: &'i Typing<'i>,
    pattern: &'p Pattern,
    candidates: Vec<Candidate>,
    seen: FxHashSet<String>,
    cut: bool,
    context: CompletionContext,
}

impl<'i, 'p> Asked<'i, 'p> {
    fn reference(&mut self, r: u32) {
        let file = self.typing.file;
        let reference = self.resolver.facts(file).references[r as usize];
        let mut names = Gathered::new(self.pattern, MOST);
        match reference.role {
            Role::Plain => {
                self.context = CompletionContext::Name;
                self.resolver.gather_visible(file, &reference, &mut names);
                self.take(&names, |resolver, name| {
                    let asked = numbered(resolver, file, reference, name);
                    resolver.plain_name(file, &asked, name)
                });
                self.argument_names(file, r);
            }
            Role::Member => {
                self.context = CompletionContext::Member;
                let ty = self.resolver.eval(file, reference.receiver);
                self.members(&reference, &ty, &mut names);
                if self.candidates.is_empty() {
                    self.guess_members(&reference);
                }
            }
            Role::Field | Role::Expected => {
                if self.context != CompletionContext::Name {
                    self.context = CompletionContext::Field;
                }
                let ty = self.resolver.eval(file, reference.receiver).instance();
                self.members(&reference, &ty, &mut names);
            }
            Role::Keyword => {
                self.context = CompletionContext::Field;
                self.keywords_of(file, reference.receiver, r);
            }
            Role::Root => {
                let mut all = Gathered::new(self.pattern, MOST);
                self.resolver.gather_visible(file, &reference, &mut all);
                self.take(&all, |resolver, name| {
                    let asked = numbered(resolver, file, reference, name);
                    resolver.plain_name(file, &asked, name)
                });
            }
        }
    }

    fn members(&mut self, reference: &Ref, ty: &Ty, names: &mut Gathered<'i, 'p>) {
        self.resolver.gather_members(ty, names);
        let namespace = reference.namespace;
        self.take(names, |resolver, name| resolver.members(ty, name, namespace));
    }

    /// Takes the names that mean something there.
    fn take(&mut self, names: &Gathered<'i, 'p>, ask: impl Fn(&Resolver<'i>, &str) -> Vec<Found>) {
        self.cut |= names.cut();
        for name in names.iter() {
            if self.seen.contains(name) {
                continue;
            }
            self.resolver.refresh();
            let found = ask(&self.resolver, name);
            let Some(first) = found.first() else { continue };
            let followed = self.resolver.follow(*first);
            let shown = followed.first().unwrap_or(first);
            self.offer(name, shown.id, first.origin, true);
        }
    }

    /// Adds the name of an argument, even if something else of that name can be seen.
    fn offer_keyword(&mut self, name: &str, id: DefId, origin: Origin) {
        let key = format!("{name}=");
        if self.seen.insert(key) {
            self.seen.remove(name);
            self.offer(name, id, origin, true);
            if let Some(last) = self.candidates.last_mut() {
                last.keyword = true;
            }
        }
    }

    /// Adds a candidate, unless its name is one already.
    fn offer(&mut self, name: &str, id: DefId, origin: Origin, sure: bool) {
        let def = self.resolver.def(id);
        let facts = self.resolver.facts(id.file);
        let at_place = id.file == self.typing.file
            && def.name_start as usize <= self.typing.offset
            && self.typing.offset <= def.name_end as usize;
        if at_place || self.seen.contains(name) {
            return;
        }
        self.seen.insert(name.to_owned());
        let span = def.name_start as usize..def.name_end as usize;
        let container = facts.container(id.def);
        let container = container.map(|c| facts.strings.text(facts.definitions[c as usize].name));
        self.candidates.push(Candidate {
            name: name.to_owned(),
            kind: def.kind,
            origin,
            sure,
            keyword: false,
            place: Some((id.file, span)),
            container: container.filter(|c| !c.is_empty()).map(str::to_owned),
            score: 0.0,
        });
    }
}

/// The reference as it would be of another name.
fn numbered(resolver: &Resolver<'_>, file: FileId, reference: Ref, name: &str) -> Ref {
    let number = resolver.facts(file).strings.find(name).unwrap_or(NONE);
    Ref { name: number, ..reference }
}
