//! What could be meant by a name that is being typed.
//!
//! Names are gathered generously (the scopes around the place, the members of the receiver's type,
//! what is imported) and each is then asked for as if it stood there: what leads nowhere is no
//! candidate. So completion never offers what definition would not find.

mod arguments;
mod defining;
mod echo;
mod expected;
mod gather;
mod guess;
mod importable;
mod keywords;
mod kin;
mod kinds;
mod library_members;
mod markup;
mod modules;
mod rank;
mod tests_last;
mod usage;
mod weights;
mod words;

use std::ops::Range;

use rustc_hash::FxHashSet;
use syntax::{ElementPlace, LineRest};
use text::Text;

use crate::expression::Value;
use crate::facts::{Facts, NONE, Ref, Role, Site};
use crate::fuzzy::Pattern;
use crate::index::{FileId, Index};
use crate::occurrences::DefinitionId;
use crate::origin::Origin;
use crate::resolve::{DefId, Found, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Namespace};

pub(crate) use gather::Gathered;
pub use keywords::Phrase;
pub use rank::FEATURES;

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
    /// The module that it would have to be imported from; see [`Index::import_of`]. In Go its name
    /// is the package's.
    pub import: Option<String>,
    /// Its number in the file that defines it.
    pub definition: Option<DefinitionId>,
    /// What a table says of a member of a type that the language brings along.
    pub signature: Option<&'static str>,
    /// Whether it is only a word that the workspace uses, of which no more is known.
    pub word: bool,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// How well it fits; only good for comparing.
    pub score: f32,
    /// What it was ranked by.
    pub features: [f32; FEATURES],
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
    /// How many of them the place sees without an import; they come first.
    pub visible: usize,
    /// Words of the language that fit there, and what is often written there.
    pub phrases: Vec<Phrase>,
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
    /// The facts of its text with the half-typed name in it.
    pub facts: &'t Facts,
    /// The text that the facts are of.
    pub text: &'t Text,
    /// A byte offset in or at the end of the name.
    pub offset: usize,
    /// What of the name is typed.
    pub typed: &'t str,
    /// The text before it, from the start of its line or from later on.
    pub before: &'t str,
    /// The last sign before its line that is no blank.
    pub preceding: Option<char>,
    /// What stands behind it on its line. Where that is not written yet it is still open whether the
    /// name is called, and whether it is a value or a type.
    pub rest: LineRest,
    /// Whether mere words are of use where nothing else is known: not in comments and strings.
    pub words: bool,
    /// What of an element the name is, in JSX. For a tag `facts` have a capital name at the place, for
    /// a small one refers to nothing.
    pub element: Option<&'t ElementPlace>,
}

/// Most names that are looked at.
const MOST: usize = 8_000;

/// Most steps of one answer.
const STEPS: u32 = 300_000;

impl Index {
    /// What the name at a place may be completed to. The file has to be one of the index.
    /// O(names that can be seen there).
    #[must_use]
    pub fn complete<'i>(&'i self, typing: &'i Typing<'i>, limit: usize) -> Completions {
        if !self.files.contains_key(&typing.file) {
            let (candidates, context) = (Vec::new(), CompletionContext::Nothing);
            let phrases = Vec::new();
            return Completions { candidates, visible: 0, phrases, complete: true, context };
        }
        let facts = typing.facts;
        let resolver = Resolver::over(self, typing.file, facts);
        let pattern = Pattern::new(typing.typed);
        let mut asked = Asked {
            index: self,
            resolver,
            typing,
            pattern: &pattern,
            candidates: Vec::new(),
            seen: FxHashSet::default(),
            cut: false,
            spent: 0,
            context: CompletionContext::Nothing,
        };
        let own = match facts.site(typing.offset) {
            Some(Site::Reference(first)) => {
                for r in references_at(facts, first, facts.references[first as usize].start) {
                    asked.reference(r);
                }
                facts.references[first as usize]
            }
            Some(Site::Definition(d)) => {
                asked.definition(d);
                beside(facts, facts.definitions[d as usize].name_start)
            }
            None => beside(facts, u32::try_from(typing.offset).unwrap_or(u32::MAX)),
        };
        let context = asked.context;
        if typing.element.is_some_and(|e| matches!(e, ElementPlace::Closing(_))) {
            asked.candidates.clear();
        }
        asked.only_components(0);
        let ranking = rank::Ranking::new(&asked.resolver, typing, own, &pattern);
        ranking.rank(&asked.resolver, &mut asked.candidates);
        let known = asked.candidates.len();
        let visible = known.min(limit);
        if own.role == Role::Plain && context != CompletionContext::Nothing {
            asked.importable(&own);
            asked.only_components(known);
            ranking.rank(&asked.resolver, &mut asked.candidates[known..]);
            asked.put_tests_last(known);
        }
        let known = asked.candidates.len();
        if typing.element.is_none() {
            asked.words(&own);
        }
        ranking.rank(&asked.resolver, &mut asked.candidates[known..]);
        let Asked { mut candidates, cut, .. } = asked;
        let complete = !cut && candidates.len() <= limit;
        candidates.truncate(limit);
        let phrases = match typing.element {
            Some(place) => markup::phrases(place, typing.typed),
            None => keywords::phrases(facts, typing, &own, context),
        };
        Completions { candidates, visible, phrases, complete, context }
    }
}

/// A reference that nothing refers by: a name where none was expected.
fn beside(facts: &Facts, at: u32) -> Ref {
    Ref {
        name: NONE,
        start: at,
        end: at,
        scope: facts.scope_at(at),
        receiver: Value::NONE,
        namespace: Namespace::ANY,
        role: Role::Plain,
        call: NONE,
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
    /// Steps that the resolver has taken.
    spent: u32,
    context: CompletionContext,
}

impl<'i, 'p> Asked<'i, 'p> {
    fn reference(&mut self, r: u32) {
        let file = self.typing.file;
        let mut reference = self.resolver.facts(file).references[r as usize];
        if self.typing.rest != LineRest::Code {
            reference.namespace |= self.may_yet_be(reference.namespace);
        }
        let mut names = Gathered::new(file, self.pattern, MOST);
        match reference.role {
            Role::Plain => {
                self.context = CompletionContext::Name;
                self.visible(&reference);
                self.linked(&reference);
                self.argument_names(file, r);
            }
            Role::Member => {
                self.context = CompletionContext::Member;
                let ty = self.resolver.eval(file, reference.receiver);
                self.members(&reference, &ty, &mut names);
                self.library_members(&reference, &ty);
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
                if reference.role == Role::Expected && self.typing.rest == LineRest::Unwritten {
                    // What looks like a field's name may be a value of its own.
                    let plain = Ref { role: Role::Plain, receiver: Value::NONE, ..reference };
                    self.visible(&plain);
                }
            }
            Role::Keyword => {
                self.context = CompletionContext::Field;
                self.keywords_of(file, reference.receiver, r);
            }
            Role::Root => {
                self.context = CompletionContext::Member;
                self.modules(&reference);
            }
        }
    }

    /// What a name may mean as well once its line goes on: a value may be called, and what begins a
    /// statement or an operand in parentheses may be the type of a declaration or a cast.
    fn may_yet_be(&self, namespace: Namespace) -> Namespace {
        if !namespace.has(Namespace::VALUE) {
            return Namespace::default();
        }
        let before = self.typing.before.trim_end();
        let called = Namespace::FUNCTION | Namespace::MACRO;
        if self.typing.rest != LineRest::Unwritten {
            return called;
        }
        if before.is_empty() || before.ends_with([';', '{', '}', '(']) {
            called | Namespace::TYPE
        } else {
            called
        }
    }

    /// The names that mean something by themselves there.
    fn visible(&mut self, reference: &Ref) {
        let (file, reference) = (self.typing.file, *reference);
        let mut names = Gathered::new(file, self.pattern, MOST);
        self.resolver.gather_visible(file, &reference, &mut names);
        self.take(&names, reference.namespace, |resolver, name| {
            let asked = numbered(resolver, file, reference, name);
            resolver.plain_name(file, &asked, name)
        });
    }

    fn members(&mut self, reference: &Ref, ty: &Ty, names: &mut Gathered<'i, 'p>) {
        self.resolver.gather_members(ty, names);
        let namespace = reference.namespace;
        self.take(names, namespace, |resolver, name| resolver.members(ty, name, namespace));
    }

    /// What could be linked, though no include leads to it.
    fn linked(&mut self, reference: &Ref) {
        let file = self.typing.file;
        if !matches!(self.resolver.language(file), "c" | "cpp") {
            return;
        }
        let mut names = Gathered::new(file, self.pattern, MOST);
        self.resolver.gather_linked(&mut names);
        self.take(&names, reference.namespace, |resolver, name| {
            resolver.around(file, name, reference.namespace)
        });
    }

    /// Takes the names that mean something there.
    fn take(
        &mut self,
        names: &Gathered<'i, 'p>,
        namespace: Namespace,
        ask: impl Fn(&Resolver<'i>, &str) -> Vec<Found>,
    ) {
        self.cut |= names.cut();
        for name in names.iter() {
            if self.seen.contains(name) {
                continue;
            }
            if self.spent > STEPS {
                self.cut = true;
                return;
            }
            if let Some(id) = names.known_place(name)
                && self.resolver.def(id).namespace.has(namespace)
                && !self.is_own(name)
            {
                self.offer(name, id, Origin::Glob, true);
                continue;
            }
            self.resolver.refresh();
            let found = ask(&self.resolver, name);
            self.spent += self.resolver.steps();
            let Some(first) = found.first() else { continue };
            let followed = self.resolver.follow(*first);
            let shown = followed.first().unwrap_or(first);
            self.offer(name, shown.id, first.origin, true);
        }
    }

    /// Of the candidates from a number on, leaves those that a tag may name, where a tag is typed.
    fn only_components(&mut self, from: usize) {
        if self.typing.element == Some(&ElementPlace::Tag) {
            let mut number = 0;
            self.candidates.retain(|candidate| {
                number += 1;
                number <= from || markup::may_be_component(candidate, self.typing.typed)
            });
        }
    }

    /// Whether the file itself defines a name, or has it from an import that names it.
    fn is_own(&self, name: &str) -> bool {
        let facts = self.resolver.facts(self.typing.file);
        facts.strings.find(name).is_some_and(|n| !facts.named(n).is_empty())
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
            import: None,
            definition: Some(DefinitionId { file: id.file, number: id.def }),
            signature: None,
            word: false,
            deprecated: facts.is_deprecated(id.def),
            score: 0.0,
            features: [0.0; FEATURES],
        });
    }
}

/// The reference as it would be of another name.
fn numbered(resolver: &Resolver<'_>, file: FileId, reference: Ref, name: &str) -> Ref {
    let number = resolver.facts(file).strings.find(name).unwrap_or(NONE);
    Ref { name: number, ..reference }
}
