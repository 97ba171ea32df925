//! Completion: the names that fit at the cursor.
//!
//! A first pass gathers names generously (the scopes around the cursor, the members of the
//! receiver's type, imports). A second pass resolves each as if it were written at the cursor and
//! drops those that resolve to nothing. So completion never offers a name that go-to-definition
//! would not find.

mod arguments;
mod definitions;
mod expected;
mod gather;
mod guessed_members;
mod importable;
mod jsx;
mod keywords;
mod kind_groups;
mod library_members;
mod modules;
mod name_similarity;
mod rank;
mod repeated_context;
mod tests_last;
mod usage;
mod weights;
mod word_fallback;

use std::ops::Range;

use rustc_hash::FxHashSet;
use syntax::{JsxNamePosition, LineRest};
use text::Text;

use crate::expression::Value;
use crate::facts::{Facts, NONE, NameSite, Ref, ReferenceRole};
use crate::fuzzy::FuzzyPattern;
use crate::index::{FileId, Index};
use crate::occurrences::DefinitionId;
use crate::origin::Origin;
use crate::resolve::{DefId, Resolution, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Namespace};

pub(crate) use gather::GatheredNames;
pub use keywords::KeywordOrSnippet;
pub use rank::FEATURE_COUNT;

/// A name that completion may insert.
#[derive(Debug, Clone, PartialEq)]
pub struct CompletionCandidate {
    /// The name as it is written at the cursor.
    pub name: String,
    /// The kind of definition.
    pub kind: DefinitionKind,
    /// The rule by which it is visible there.
    pub origin: Origin,
    /// Whether the language certainly resolves it there.
    pub is_certain: bool,
    /// Whether it is an argument's name, followed by the language's sign for that (`name=`).
    pub is_keyword_argument: bool,
    /// The file and the bytes of the name of its definition.
    pub location: Option<(FileId, Range<usize>)>,
    /// The type, namespace or function that contains it.
    pub container: Option<String>,
    /// The module to import it from; see [`Index::import_of`]. In Go the candidate is the package's
    /// name.
    pub import: Option<String>,
    /// Its definition.
    pub definition: Option<DefinitionId>,
    /// The signature of a standard library member, from the language's table.
    pub signature: Option<&'static str>,
    /// Whether it is a mere word that the workspace uses.
    pub is_word: bool,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// How well it fits; comparable only within one list.
    pub score: f32,
    /// The ranking features that `score` is computed from.
    pub features: [f32; FEATURE_COUNT],
}

/// What precedes the name that is being typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompletionContext {
    /// Nothing it belongs to: a plain name.
    Name,
    /// A receiver whose member it is.
    Member,
    /// A literal whose field it is, or a call whose argument it names.
    Field,
    /// It is being defined, or no name is expected.
    Nothing,
}

/// The candidates for a name that is being typed.
#[derive(Debug, Clone, PartialEq)]
pub struct Completions {
    /// Sorted, the best first.
    pub candidates: Vec<CompletionCandidate>,
    /// How many of them need no import; they come first.
    pub visible_count: usize,
    /// Keywords and snippets that fit there.
    pub keywords_and_snippets: Vec<KeywordOrSnippet>,
    /// Whether the list has all candidates, so that the client can filter it while the user types
    /// on.
    pub is_complete: bool,
    /// What precedes the name.
    pub context: CompletionContext,
}

/// A completion request: the name that is being typed and the text around it.
#[derive(Debug, Clone, Copy)]
pub struct CompletionRequest<'t> {
    /// The file.
    pub file: FileId,
    /// The facts of the text, which includes the half-typed name.
    pub facts: &'t Facts,
    /// The text that `facts` describes.
    pub text: &'t Text,
    /// A byte offset in or at the end of the name.
    pub offset: usize,
    /// The part of the name left of the cursor.
    pub prefix: &'t str,
    /// The text before the name, at most back to the start of its line.
    pub before: &'t str,
    /// The last character before the name's line that is not blank.
    pub preceding: Option<char>,
    /// What follows on the line. If the line ends at the cursor, it is open whether the name is
    /// called, and whether it is a value or a type.
    pub rest: LineRest,
    /// Whether to fall back to mere words; false in comments and strings.
    pub allow_words: bool,
    /// The part of a JSX element that the name is. For a tag, `facts` hold a capitalised name
    /// there, because a lower-case tag refers to nothing.
    pub element: Option<&'t JsxNamePosition>,
}

/// Limit for the names gathered from one source.
const MAX_NAMES: usize = 8_000;

/// Limit for the resolver's steps per request.
const MAX_STEPS: u32 = 300_000;

impl Index {
    /// Completes the name at the cursor. `typing.file` must be in the index. O(names visible
    /// there).
    #[must_use]
    pub fn complete<'i>(&'i self, typing: &'i CompletionRequest<'i>, limit: usize) -> Completions {
        if !self.files.contains_key(&typing.file) {
            let (candidates, context) = (Vec::new(), CompletionContext::Nothing);
            let phrases = Vec::new();
            return Completions {
                candidates,
                visible_count: 0,
                keywords_and_snippets: phrases,
                is_complete: true,
                context,
            };
        }
        let facts = typing.facts;
        let resolver = Resolver::with_facts(self, typing.file, facts);
        let pattern = FuzzyPattern::new(typing.prefix);
        let mut builder = CompletionBuilder {
            index: self,
            resolver,
            typing,
            pattern: &pattern,
            candidates: Vec::new(),
            added: FxHashSet::default(),
            truncated: false,
            steps_taken: 0,
            context: CompletionContext::Nothing,
        };
        let cursor = match facts.site_at(typing.offset) {
            Some(NameSite::Reference(first)) => {
                for r in references_at(facts, first, facts.references[first as usize].start) {
                    builder.add_for_reference(r);
                }
                facts.references[first as usize]
            }
            Some(NameSite::Definition(d)) => {
                builder.add_for_definition(d);
                placeholder_reference(facts, facts.definitions[d as usize].name_start)
            }
            None => placeholder_reference(facts, u32::try_from(typing.offset).unwrap_or(u32::MAX)),
        };
        // First the names visible at the cursor, then those that need an import, then mere words.
        // Each tier is ranked on its own, so that a later tier never precedes an earlier one.
        let context = builder.context;
        if typing.element.is_some_and(|e| matches!(e, JsxNamePosition::Closing(_))) {
            builder.candidates.clear();
        }
        builder.retain_components(0);
        let ranking = rank::Ranking::new(&builder.resolver, typing, cursor, &pattern);
        ranking.rank(&builder.resolver, &mut builder.candidates);
        let known = builder.candidates.len();
        let visible = known.min(limit);
        if cursor.role == ReferenceRole::Plain && context != CompletionContext::Nothing {
            builder.add_importable(&cursor);
            builder.retain_components(known);
            ranking.rank(&builder.resolver, &mut builder.candidates[known..]);
            builder.put_tests_last(known);
        }
        let known = builder.candidates.len();
        if typing.element.is_none() {
            builder.add_words(&cursor);
        }
        ranking.rank(&builder.resolver, &mut builder.candidates[known..]);
        let CompletionBuilder { mut candidates, truncated, .. } = builder;
        let complete = !truncated && candidates.len() <= limit;
        candidates.truncate(limit);
        let phrases = match typing.element {
            Some(place) => jsx::phrases(place, typing.prefix),
            None => keywords::phrases(facts, typing, &cursor, context),
        };
        Completions {
            candidates,
            visible_count: visible,
            keywords_and_snippets: phrases,
            is_complete: complete,
            context,
        }
    }
}

/// A made-up reference, for a cursor at which the text has none.
fn placeholder_reference(facts: &Facts, at: u32) -> Ref {
    Ref {
        name: NONE,
        start: at,
        end: at,
        scope: facts.scope_at(at),
        receiver: Value::NONE,
        namespace: Namespace::ANY,
        role: ReferenceRole::Plain,
        call: NONE,
    }
}

/// The references that start at one byte: a shorthand field is two.
fn references_at(facts: &Facts, first: u32, start: u32) -> Vec<u32> {
    let near = first.saturating_sub(2)..(first + 3).min(facts.references.len() as u32);
    let mut all = vec![first];
    all.extend(near.filter(|&r| r != first && facts.references[r as usize].start == start));
    all
}

/// Collects the candidates of one request.
struct CompletionBuilder<'i, 'p> {
    index: &'i Index,
    resolver: Resolver<'i>,
    typing: &'i CompletionRequest<'i>,
    pattern: &'p FuzzyPattern,
    candidates: Vec<CompletionCandidate>,
    added: FxHashSet<String>,
    /// Whether a limit was reached, so that candidates may be missing.
    truncated: bool,
    /// Steps that the resolver has taken.
    steps_taken: u32,
    context: CompletionContext,
}

impl<'i, 'p> CompletionBuilder<'i, 'p> {
    /// Adds the candidates for a reference, by the role that its syntax gives it.
    fn add_for_reference(&mut self, r: u32) {
        let file = self.typing.file;
        let mut reference = self.resolver.facts(file).references[r as usize];
        if self.typing.rest != LineRest::Code {
            reference.namespace |= self.namespaces_when_finished(reference.namespace);
        }
        let mut names = GatheredNames::new(file, self.pattern, MAX_NAMES);
        match reference.role {
            ReferenceRole::Plain => {
                self.context = CompletionContext::Name;
                self.add_visible(&reference);
                self.add_linkable(&reference);
                self.add_keyword_arguments(file, r);
            }
            ReferenceRole::Member => {
                self.context = CompletionContext::Member;
                let ty = self.resolver.type_of_value(file, reference.receiver);
                self.add_members(&reference, &ty, &mut names);
                self.add_library_members(&reference, &ty);
                if self.candidates.is_empty() {
                    self.add_guessed_members(&reference);
                }
            }
            ReferenceRole::Field | ReferenceRole::Expected => {
                if self.context != CompletionContext::Name {
                    self.context = CompletionContext::Field;
                }
                let ty = self.resolver.type_of_value(file, reference.receiver).instance();
                self.add_members(&reference, &ty, &mut names);
                if reference.role == ReferenceRole::Expected && self.typing.rest == LineRest::Empty
                {
                    // `Type { na|` may still become a plain value, not a field's name.
                    let plain =
                        Ref { role: ReferenceRole::Plain, receiver: Value::NONE, ..reference };
                    self.add_visible(&plain);
                }
            }
            ReferenceRole::Keyword => {
                self.context = CompletionContext::Field;
                self.add_arguments_of(file, reference.receiver, r);
            }
            ReferenceRole::Root => {
                self.context = CompletionContext::Member;
                self.add_modules(&reference);
            }
        }
    }

    /// The namespaces that the name may also be of once its line is finished: a value may be
    /// called, and the start of a statement or a parenthesised operand may be a type (of a
    /// declaration or a cast).
    fn namespaces_when_finished(&self, namespace: Namespace) -> Namespace {
        if !namespace.has(Namespace::VALUE) {
            return Namespace::default();
        }
        let before = self.typing.before.trim_end();
        let called = Namespace::FUNCTION | Namespace::MACRO;
        if self.typing.rest != LineRest::Empty {
            return called;
        }
        if before.is_empty() || before.ends_with([';', '{', '}', '(']) {
            called | Namespace::TYPE
        } else {
            called
        }
    }

    /// Adds the names that the scopes around the cursor resolve.
    fn add_visible(&mut self, reference: &Ref) {
        let (file, reference) = (self.typing.file, *reference);
        let mut names = GatheredNames::new(file, self.pattern, MAX_NAMES);
        self.resolver.gather_visible(file, &reference, &mut names);
        self.add_resolved(&names, reference.namespace, |resolver, name| {
            let renamed = with_name(resolver, file, reference, name);
            resolver.plain_name(file, &renamed, name)
        });
    }

    /// Adds the members of a type.
    fn add_members(&mut self, reference: &Ref, ty: &Ty, names: &mut GatheredNames<'i, 'p>) {
        self.resolver.gather_members(ty, names);
        let namespace = reference.namespace;
        self.add_resolved(names, namespace, |resolver, name| {
            resolver.members_named(ty, name, namespace)
        });
    }

    /// Adds C and C++ names that are linkable though no include declares them.
    fn add_linkable(&mut self, reference: &Ref) {
        let file = self.typing.file;
        if !matches!(self.resolver.language(file), "c" | "cpp") {
            return;
        }
        let mut names = GatheredNames::new(file, self.pattern, MAX_NAMES);
        self.resolver.gather_linkable(&mut names);
        self.add_resolved(&names, reference.namespace, |resolver, name| {
            resolver.resolve_around_file(file, name, reference.namespace)
        });
    }

    /// Resolves each gathered name with `resolve` and adds a candidate for those that resolve.
    fn add_resolved(
        &mut self,
        names: &GatheredNames<'i, 'p>,
        namespace: Namespace,
        resolve: impl Fn(&Resolver<'i>, &str) -> Vec<Resolution>,
    ) {
        self.truncated |= names.is_full();
        for name in names.iter() {
            if self.added.contains(name) {
                continue;
            }
            if self.steps_taken > MAX_STEPS {
                self.truncated = true;
                return;
            }
            if let Some(id) = names.included_definition(name)
                && self.resolver.def(id).namespace.has(namespace)
                && !self.is_named_in_file(name)
            {
                self.add_candidate(name, id, Origin::Glob, true);
                continue;
            }
            self.resolver.reset_steps();
            let found = resolve(&self.resolver, name);
            self.steps_taken += self.resolver.steps();
            let Some(first) = found.first() else { continue };
            let followed = self.resolver.follow_import(*first);
            let target = followed.first().unwrap_or(first);
            self.add_candidate(name, target.id, first.origin, true);
        }
    }

    /// Drops the candidates from index `from` on that cannot be a JSX tag, if a tag is being typed.
    fn retain_components(&mut self, from: usize) {
        if self.typing.element == Some(&JsxNamePosition::Tag) {
            let mut number = 0;
            self.candidates.retain(|candidate| {
                number += 1;
                number <= from || jsx::may_be_component(candidate, self.typing.prefix)
            });
        }
    }

    /// Whether the file itself defines a name or imports it by name.
    fn is_named_in_file(&self, name: &str) -> bool {
        let facts = self.resolver.facts(self.typing.file);
        facts.strings.find(name).is_some_and(|n| !facts.definitions_named(n).is_empty())
    }

    /// Adds the name of an argument, even if another candidate has that name.
    fn add_keyword(&mut self, name: &str, id: DefId, origin: Origin) {
        let key = format!("{name}=");
        if self.added.insert(key) {
            self.added.remove(name);
            self.add_candidate(name, id, origin, true);
            if let Some(last) = self.candidates.last_mut() {
                last.is_keyword_argument = true;
            }
        }
    }

    /// Adds a candidate, unless one has that name or the definition is the one under the cursor.
    fn add_candidate(&mut self, name: &str, id: DefId, origin: Origin, sure: bool) {
        let def = self.resolver.def(id);
        let facts = self.resolver.facts(id.file);
        let at_place = id.file == self.typing.file
            && def.name_start as usize <= self.typing.offset
            && self.typing.offset <= def.name_end as usize;
        if at_place || self.added.contains(name) {
            return;
        }
        self.added.insert(name.to_owned());
        let span = def.name_start as usize..def.name_end as usize;
        let container = facts.container(id.def);
        let container = container.map(|c| facts.strings.text(facts.definitions[c as usize].name));
        self.candidates.push(CompletionCandidate {
            name: name.to_owned(),
            kind: def.kind,
            origin,
            is_certain: sure,
            is_keyword_argument: false,
            location: Some((id.file, span)),
            container: container.filter(|c| !c.is_empty()).map(str::to_owned),
            import: None,
            definition: Some(DefinitionId { file: id.file, number: id.def }),
            signature: None,
            is_word: false,
            deprecated: facts.is_deprecated(id.def),
            score: 0.0,
            features: [0.0; FEATURE_COUNT],
        });
    }
}

/// The reference with another name.
fn with_name(resolver: &Resolver<'_>, file: FileId, reference: Ref, name: &str) -> Ref {
    let number = resolver.facts(file).strings.find(name).unwrap_or(NONE);
    Ref { name: number, ..reference }
}
