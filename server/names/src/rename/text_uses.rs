//! Occurrences of the name in a file's text that its facts do not cover: comments, strings, macros.

use std::ops::Range;

use rustc_hash::FxHashSet;
use text::Text;

use super::sites::{FileSearch, RenameSites, UncertainEdit};
use super::symbol::Reach;
use super::text_occurrences::{WordClassifier, WordContext, occurrences};
use super::{RenameReason, RenameSources};
use crate::expression::Value;
use crate::facts::{NONE, NameSite};
use crate::resolve::DefId;
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

/// Limit for a dotted path in a string, in bytes.
const MAX_PATH: usize = 256;

impl FileSearch<'_, '_> {
    /// Adds the occurrences in the text that the facts do not cover.
    pub(super) fn add_text_uses(
        &self,
        sources: &RenameSources<'_>,
        sites: &mut RenameSites,
        uncertain: &mut Vec<UncertainEdit>,
    ) {
        let Some(text) = (sources.text)(self.file) else { return };
        let number = self.number();
        let mut classifier = self.classifier(&text, sources);
        for span in self.uncovered_occurrences(&text) {
            let edit = |reason| self.edit(span.clone(), self.new.to_owned(), reason);
            match classifier.context_of(&span) {
                WordContext::Element => {}
                WordContext::Comment => sites.edits.push(edit(RenameReason::Comment)),
                WordContext::Template if self.resolves_at(span.start) => {
                    sites.edits.push(edit(RenameReason::Reference));
                }
                WordContext::Export if self.is_exported_from_file() => {
                    sites.edits.push(edit(RenameReason::Import));
                }
                WordContext::Member if self.is_member_around(span.start) => {
                    sites.edits.push(edit(RenameReason::Reference));
                }
                WordContext::OwnName(at) if self.is_defined_at(at) => {
                    sites.edits.push(edit(RenameReason::Reference));
                }
                WordContext::Key(_) if self.symbol.reach == Reach::Member => {
                    let why = "names it in a string, if it is used on this object";
                    uncertain.push((edit(RenameReason::Unsure), why));
                }
                WordContext::String
                | WordContext::Template
                | WordContext::Export
                | WordContext::Member
                | WordContext::Key(_)
                | WordContext::Lookup(_)
                | WordContext::OwnName(_)
                | WordContext::Path => {
                    sites.edits.push(edit(RenameReason::String));
                }
                WordContext::Code if !self.may_occur(&text, &span) => {}
                WordContext::Code if self.is_only_symbol_of_name(number) => {
                    sites.edits.push(edit(RenameReason::Reference));
                }
                WordContext::Code => {
                    let why = "is in code that was not understood";
                    uncertain.push((edit(RenameReason::Unsure), why));
                }
            }
        }
    }

    /// Adds uncertain uses that only the text shows: code in macros, and strings that name a member
    /// or a dotted path to the definition.
    pub(super) fn add_uncertain_text_uses(
        &self,
        sources: &RenameSources<'_>,
        uncertain: &mut Vec<UncertainEdit>,
    ) {
        let Some(text) = (sources.text)(self.file) else { return };
        let language = self.resolver.language(self.file);
        let has_macros = matches!(language, "c" | "cpp" | "rust");
        let by_string = "is named in a string";
        let mut classifier = self.classifier(&text, sources);
        for span in self.uncovered_occurrences(&text) {
            let why = match classifier.context_of(&span) {
                WordContext::Code if has_macros && self.may_occur(&text, &span) => {
                    "is in code that was not understood"
                }
                WordContext::Key(object) | WordContext::Lookup(object)
                    if self.object_may_have_member(object) =>
                {
                    by_string
                }
                WordContext::Path if self.is_project_path(&text, &span) => by_string,
                _ => continue,
            };
            uncertain.push((self.edit(span, String::new(), RenameReason::Unsure), why));
        }
    }

    /// Whether the object on which a string is looked up may have the member. The object's name
    /// ends at `object`.
    fn object_may_have_member(&self, object: Option<usize>) -> bool {
        let facts = self.resolver.facts(self.file);
        let site = object.and_then(|at| facts.site_at(at));
        let Some(NameSite::Reference(r)) = site else { return true };
        self.resolver.reset_steps();
        let ty = self.resolver.type_of_value(self.file, Value::reference(r));
        let known = self.resolver.members_named(&ty, &self.symbol.name, Namespace::ANY);
        match known.is_empty() {
            true => ty.is_unknown(),
            false => known
                .iter()
                .any(|f| self.symbol.definitions.contains(&f.id) || self.is_import_of_symbol(f.id)),
        }
    }

    /// Whether the renamed symbol is defined at a byte of the file.
    fn is_defined_at(&self, at: usize) -> bool {
        let mut own = self.symbol.definitions.iter().filter(|id| id.file == self.file);
        own.any(|id| self.resolver.def(*id).name_start as usize == at)
    }

    /// Whether the dotted path around a word begins with a module of the project.
    fn is_project_path(&self, text: &Text, span: &Range<usize>) -> bool {
        let before = text.slice(span.start.saturating_sub(MAX_PATH)..span.start);
        let quote = before.rfind(['\'', '"']).map_or(0, |at| at + 1);
        let first = before[quote..].split('.').next().unwrap_or_default();
        !first.is_empty() && !self.resolver.module_by_path(self.file, first, 0).is_empty()
    }

    /// The old name's number in the file.
    fn number(&self) -> u32 {
        self.resolver.facts(self.file).strings.find(&self.symbol.name).unwrap_or(NONE)
    }

    fn classifier<'t>(&self, text: &'t Text, sources: &RenameSources<'t>) -> WordClassifier<'t> {
        WordClassifier::new(self.resolver.facts(self.file).language, text, sources.interrupt)
    }

    /// Occurrences that no fact covers and where the symbol may be visible.
    fn uncovered_occurrences(&self, text: &Text) -> Vec<Range<usize>> {
        let facts = self.resolver.facts(self.file);
        let number = self.number();
        let mut covered: FxHashSet<usize> = FxHashSet::default();
        let own = facts.references.iter().filter(|r| r.name == number);
        covered.extend(own.map(|r| r.start as usize));
        let own = facts
            .definitions_named(number)
            .iter()
            .map(|&d| facts.definitions[d as usize].name_start);
        covered.extend(own.map(|start| start as usize));
        let visible_range = self.visible_range();
        let mut all = occurrences(&text.slice(0..text.len()), &self.symbol.name);
        all.retain(|span| !covered.contains(&span.start) && visible_range.contains(&span.start));
        all
    }

    /// Whether the symbol can occur at a place, by the text before it.
    fn may_occur(&self, text: &Text, span: &Range<usize>) -> bool {
        let before = text.slice(span.start.saturating_sub(8)..span.start);
        let before = before.trim_end();
        let dot = before.ends_with('.') && !before.ends_with("..");
        let arrow = before.ends_with("->");
        let language = self.resolver.language(self.file);
        let own_members = matches!(language, "java" | "cpp");
        match self.symbol.reach {
            Reach::Member => dot || arrow || before.ends_with("::") || own_members,
            Reach::Local => !dot && !arrow && !before.ends_with("::"),
            Reach::TopLevel if matches!(language, "c" | "cpp" | "rust") => !dot && !arrow,
            Reach::TopLevel => true,
        }
    }

    /// Whether the name in a macro or in inactive code can only be the renamed symbol: C has one
    /// namespace per program, and nothing else in it has this name.
    fn is_only_symbol_of_name(&self, number: u32) -> bool {
        let facts = self.resolver.facts(self.file);
        let top = self.symbol.reach == Reach::TopLevel;
        let hidden = |&d: &u32| {
            let id = DefId { file: self.file, def: d };
            !self.symbol.definitions.contains(&id) && !facts.is_reachable(d)
        };
        top && facts.language().id() == "c"
            && self.resolver.definitions_if_few(&self.symbol.name).is_some_and(|mut all| {
                all.all(|id| {
                    let scope = self.resolver.def(id).scope;
                    let scopes = &self.resolver.facts(id.file).scopes;
                    let member = scopes
                        .get(scope as usize)
                        .is_some_and(|s| matches!(s.kind, ScopeKind::Members | ScopeKind::Open));
                    member || self.symbol.definitions.contains(&id)
                })
            })
            && !facts.definitions_named(number).iter().any(hidden)
    }

    /// The part of the file in which the symbol is visible.
    pub(super) fn visible_range(&self) -> Range<usize> {
        let facts = self.resolver.facts(self.file);
        let everything = 0..usize::MAX;
        if self.symbol.reach != Reach::Local || self.symbol.is_alias {
            return everything;
        }
        let label = |id: &DefId| self.resolver.def(*id).kind == DefinitionKind::Label;
        if self.symbol.definitions.iter().any(label) {
            return everything;
        }
        let own = self.symbol.definitions.iter().filter(|id| id.file == self.file);
        let scopes = own.filter_map(|id| {
            let scope = facts.scopes.get(self.resolver.def(*id).scope as usize)?;
            Some(scope.start as usize..scope.end as usize)
        });
        scopes.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end)).unwrap_or(0..0)
    }

    /// Whether the name alone would resolve to the symbol at a byte.
    fn resolves_at(&self, at: usize) -> bool {
        let facts = self.resolver.facts(self.file);
        let number = facts.strings.find(&self.symbol.name).unwrap_or(NONE);
        let at = at as u32;
        let scope = facts.scope_at(at);
        let name = &self.symbol.name;
        let near =
            self.resolver.resolve_in_scopes(self.file, scope, at, number, name, Namespace::VALUE);
        near.into_iter()
            .any(|f| self.symbol.definitions.contains(&f.id) || self.is_import_of_symbol(f.id))
    }

    /// Whether the class around a byte has the symbol as a member.
    fn is_member_around(&self, at: usize) -> bool {
        let facts = self.resolver.facts(self.file);
        self.resolver.reset_steps();
        let class = self.resolver.scope_type(self.file, facts.scope_at(at as u32));
        let found = self.resolver.members_named(&class, &self.symbol.name, Namespace::VALUE);
        found.iter().any(|f| self.symbol.definitions.contains(&f.id))
    }

    fn is_exported_from_file(&self) -> bool {
        let facts = self.resolver.facts(self.file);
        let Some(number) = facts.strings.find(&self.symbol.name) else { return false };
        facts.definitions_in_scope(0, number).iter().any(|&def| {
            let id = DefId { file: self.file, def };
            !self.resolver.def(id).flags.has(Flags::HIDDEN)
                && (self.symbol.definitions.contains(&id) || self.is_import_of_symbol(id))
        })
    }
}
