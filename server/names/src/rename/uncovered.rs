//! Where a file's text holds the name and its facts say nothing: comments, strings, macros.

use std::ops::Range;

use rustc_hash::FxHashSet;
use text::Text;

use super::mentions::{Holder, Holders, occurrences};
use super::sites::{Doubt, Search, Sites};
use super::subject::Reach;
use super::{RenameReason, RenameSources};
use crate::expression::Value;
use crate::facts::{NONE, Site};
use crate::resolve::DefId;
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

/// Longest dotted path in a string, in bytes.
const LONGEST_PATH: usize = 256;

impl Search<'_, '_> {
    /// What the text holds beside that.
    pub(super) fn text(
        &self,
        sources: &RenameSources<'_>,
        sites: &mut Sites,
        doubts: &mut Vec<Doubt>,
    ) {
        let Some(text) = (sources.text)(self.file) else { return };
        let number = self.number();
        let mut holders = self.holders(&text, sources);
        for span in self.uncovered(&text) {
            let edit = |reason| self.edit(span.clone(), self.new.to_owned(), reason);
            match holders.of(&span) {
                Holder::Element => {}
                Holder::Comment => sites.edits.push(edit(RenameReason::Comment)),
                Holder::Template if self.means(span.start) => {
                    sites.edits.push(edit(RenameReason::Reference));
                }
                Holder::Export if self.means_at_top() => {
                    sites.edits.push(edit(RenameReason::Import));
                }
                Holder::Member if self.is_member_around(span.start) => {
                    sites.edits.push(edit(RenameReason::Reference));
                }
                Holder::OwnName(at) if self.is_defined_at(at) => {
                    sites.edits.push(edit(RenameReason::Reference));
                }
                Holder::Key(_) if self.subject.reach == Reach::Member => {
                    let why = "names it by a string, if it is used on this";
                    doubts.push((edit(RenameReason::Unsure), why));
                }
                Holder::String
                | Holder::Template
                | Holder::Export
                | Holder::Member
                | Holder::Key(_)
                | Holder::Lookup(_)
                | Holder::OwnName(_)
                | Holder::Path => {
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

    /// Places that only the text shows and that may be uses: code in macros, and strings that name
    /// a member or the way to a definition.
    pub(super) fn text_doubts(&self, sources: &RenameSources<'_>, doubts: &mut Vec<Doubt>) {
        let Some(text) = (sources.text)(self.file) else { return };
        let language = self.resolver.language(self.file);
        let has_macros = matches!(language, "c" | "cpp" | "rust");
        let by_string = "is named by a string";
        let mut holders = self.holders(&text, sources);
        for span in self.uncovered(&text) {
            let why = match holders.of(&span) {
                Holder::Code if has_macros && self.may_stand(&text, &span) => {
                    "stands in code that is not understood"
                }
                Holder::Key(object) | Holder::Lookup(object) if self.may_have(object) => by_string,
                Holder::Path if self.is_path_of_project(&text, &span) => by_string,
                _ => continue,
            };
            doubts.push((self.edit(span, String::new(), RenameReason::Unsure), why));
        }
    }

    /// Whether what a string is looked up on may have the symbol: the name that ends at `object`.
    fn may_have(&self, object: Option<usize>) -> bool {
        let facts = self.resolver.facts(self.file);
        let site = object.and_then(|at| facts.site(at));
        let Some(Site::Reference(r)) = site else { return true };
        self.resolver.refresh();
        let ty = self.resolver.eval(self.file, Value::reference(r));
        let known = self.resolver.members(&ty, &self.subject.name, Namespace::ANY);
        match known.is_empty() {
            true => ty.is_unknown(),
            false => known.iter().any(|f| self.subject.group.contains(&f.id) || self.leads(f.id)),
        }
    }

    /// Whether what is renamed is defined at a place of the file.
    fn is_defined_at(&self, at: usize) -> bool {
        let mut own = self.subject.group.iter().filter(|id| id.file == self.file);
        own.any(|id| self.resolver.def(*id).name_start as usize == at)
    }

    /// Whether the dotted path that a word of a string is a part of begins with a module of the
    /// project.
    fn is_path_of_project(&self, text: &Text, span: &Range<usize>) -> bool {
        let before = text.slice(span.start.saturating_sub(LONGEST_PATH)..span.start);
        let quote = before.rfind(['\'', '"']).map_or(0, |at| at + 1);
        let first = before[quote..].split('.').next().unwrap_or_default();
        !first.is_empty() && !self.resolver.module_called(self.file, first, 0).is_empty()
    }

    /// The name's number in the file.
    fn number(&self) -> u32 {
        self.resolver.facts(self.file).strings.find(&self.subject.name).unwrap_or(NONE)
    }

    fn holders<'t>(&self, text: &'t Text, sources: &RenameSources<'t>) -> Holders<'t> {
        Holders::new(self.resolver.facts(self.file).language, text, sources.interrupt)
    }

    /// Where the text holds the name and no fact covers it, as far as it can be meant there.
    fn uncovered(&self, text: &Text) -> Vec<Range<usize>> {
        let facts = self.resolver.facts(self.file);
        let number = self.number();
        let mut covered: FxHashSet<usize> = FxHashSet::default();
        let own = facts.references.iter().filter(|r| r.name == number);
        covered.extend(own.map(|r| r.start as usize));
        let own = facts.named(number).iter().map(|&d| facts.definitions[d as usize].name_start);
        covered.extend(own.map(|start| start as usize));
        let within = self.within();
        let mut all = occurrences(&text.slice(0..text.len()), &self.subject.name);
        all.retain(|span| !covered.contains(&span.start) && within.contains(&span.start));
        all
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
                    let member = scopes
                        .get(scope as usize)
                        .is_some_and(|s| matches!(s.kind, ScopeKind::Members | ScopeKind::Open));
                    member || self.subject.group.contains(&id)
                })
            })
            && !facts.named(number).iter().any(hidden)
    }

    /// The stretch of the file in which the name can be meant.
    pub(super) fn within(&self) -> Range<usize> {
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
        near.into_iter().any(|f| self.subject.group.contains(&f.id) || self.leads(f.id))
    }

    /// Whether the class around a place has what is renamed as a member.
    fn is_member_around(&self, at: usize) -> bool {
        let facts = self.resolver.facts(self.file);
        self.resolver.refresh();
        let class = self.resolver.scope_type(self.file, facts.scope_at(at as u32));
        let found = self.resolver.members(&class, &self.subject.name, Namespace::VALUE);
        found.iter().any(|f| self.subject.group.contains(&f.id))
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
