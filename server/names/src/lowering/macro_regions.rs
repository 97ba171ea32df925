//! Blocks that macros open and close: namespaces whose braces are in a macro, functions whose head
//! is a macro.

use super::blank_macros::{BlankedMacros, MacroRegion, MacroRegionKind};
use super::{Binding, Lowerer, UsedAs};
use crate::expression::{Expression, Value};
use crate::facts::{NONE, ReferenceRole};
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

/// Limit of the namespaces that one macro opens.
const MAX_DEPTH: usize = 8;

/// The regions of a text and the progress of the lowering through them.
pub(super) struct MacroRegions<'t> {
    /// Starts and ends in order: the offset, the region, whether it ends there.
    marks: Vec<(usize, usize, bool)>,
    /// Each region with the scopes around it and of it, once they are known.
    all: Vec<(MacroRegion<'t>, Option<(u32, u32)>)>,
    at: usize,
    /// The offset of the next mark.
    pub(super) next: usize,
}

impl<'t> MacroRegions<'t> {
    pub(super) fn of(aside: &BlankedMacros<'t>) -> Self {
        let all: Vec<_> = aside.regions.iter().map(|r| (r.clone(), None)).collect();
        let starts = aside.regions.iter().enumerate().map(|(n, r)| (r.word.end, n, false));
        let ends = aside.regions.iter().enumerate().map(|(n, r)| (r.end, n, true));
        let mut marks: Vec<_> = starts.chain(ends).collect();
        marks.sort_unstable();
        let next = marks.first().map_or(usize::MAX, |m| m.0);
        Self { marks, all, at: 0, next }
    }
}

impl Lowerer<'_> {
    /// Leaves the regions that end up to an offset, as far as no other starts before.
    pub(super) fn leave_regions(&mut self, place: usize) {
        while let Some(&(at, region, true)) = self.macro_regions.marks.get(self.macro_regions.at)
            && at <= place
        {
            self.macro_regions.at += 1;
            if let Some((around, own)) = self.macro_regions.all[region].1
                && self.is_within(own)
            {
                self.scope = around;
            }
        }
        self.macro_regions.next =
            self.macro_regions.marks.get(self.macro_regions.at).map_or(usize::MAX, |m| m.0);
    }

    /// Enters and leaves all regions up to an offset.
    pub(super) fn enter_and_leave_regions(&mut self, place: usize) {
        self.leave_regions(place);
        while let Some(&(at, region, false)) = self.macro_regions.marks.get(self.macro_regions.at)
            && at <= place
        {
            self.macro_regions.at += 1;
            let around = self.scope;
            let MacroRegion { word, end, kind } = self.macro_regions.all[region].0.clone();
            let word = (word.start as u32, word.end as u32);
            match kind {
                MacroRegionKind::Namespace => {
                    let bind = self.namespace_binding(Flags::HIDDEN, word.0, end as u32);
                    let namespace = self.push_definition(word, &bind);
                    self.enter_namespace(namespace, word.0, end as u32);
                }
                MacroRegionKind::Linkage => {}
                MacroRegionKind::Function(first) => {
                    self.open_macro_function(word, end as u32, first)
                }
            }
            self.macro_regions.all[region].1 = Some((around, self.scope));
            self.leave_regions(place);
        }
        self.macro_regions.next =
            self.macro_regions.marks.get(self.macro_regions.at).map_or(usize::MAX, |m| m.0);
    }

    /// Whether the current scope is `scope` or inside of it.
    fn is_within(&self, scope: u32) -> bool {
        let mut at = self.scope;
        while let Some(own) = self.scopes.get(at as usize) {
            if at == scope {
                return true;
            }
            at = own.parent;
        }
        false
    }

    /// Opens a function whose head is a macro: a member of what the macro declares, or of its first
    /// argument (a fixture).
    fn open_macro_function(&mut self, word: (u32, u32), end: u32, first: &str) {
        let mut above =
            vec![self.push_reference(word, UsedAs::Import, Value::NONE, ReferenceRole::Plain)];
        if !first.is_empty() {
            let start = (first.as_ptr() as usize - self.text.as_ptr() as usize) as u32;
            let at = (start, start + first.len() as u32);
            above.push(self.push_reference(at, UsedAs::Import, Value::NONE, ReferenceRole::Plain));
        }
        above.reverse();
        let list = self.push_list(&above);
        let subject = self.push_expression(Expression::Union(list));
        self.scope = self.push_scope(ScopeKind::Open, word.0, end);
        self.scopes[self.scope as usize].subject = subject;
    }

    /// Defines the namespaces that a macro's body opens; uses of the macro refer to them.
    pub(super) fn define_macro_namespaces(&mut self, text: &str, definition: u32) -> bool {
        let place = |name: &str| (name.as_ptr() as usize - self.text.as_ptr() as usize) as u32;
        let all: Vec<(u32, u32)> =
            namespaces(text).map(|n| (place(n), place(n) + n.len() as u32)).collect();
        let Some(&(_, end)) = all.last() else { return false };
        let outer = std::mem::replace(&mut self.scope, 0);
        for at in all {
            let bind = self.namespace_binding(Flags::default(), at.0, end);
            let namespace = self.push_definition(at, &bind);
            self.enter_namespace(namespace, at.0, end);
        }
        self.definitions[definition as usize].body = self.scope;
        self.scope = outer;
        true
    }

    fn namespace_binding(&self, flags: Flags, start: u32, end: u32) -> Binding {
        let kind = DefinitionKind::Namespace;
        Binding { flags, ..Binding::new(kind, self.scope, (start, end)) }
    }

    fn enter_namespace(&mut self, definition: u32, start: u32, end: u32) {
        self.scope = self.push_scope(ScopeKind::Namespace, start, end);
        self.definitions[definition as usize].body = self.scope;
        self.scopes[self.scope as usize].owner = definition;
    }

    /// Refers to the words in blanked macros.
    pub(super) fn reference_blanked_words(&mut self, aside: &BlankedMacros<'_>) {
        let place = |word: &std::ops::Range<usize>| (word.start as u32, word.end as u32);
        let scope = self.scope;
        let mut words: Vec<(u32, u32)> = aside.words.iter().map(place).collect();
        words.sort_unstable();
        if !words.is_empty() {
            let mut scopes: Vec<u32> = (0..self.scopes.len() as u32).collect();
            let key = |s: &u32| {
                let s = &self.scopes[*s as usize];
                (s.start, std::cmp::Reverse(s.end))
            };
            scopes.sort_by_key(key);
            // The scopes around a word, from the outside in.
            let (mut open, mut next): (Vec<u32>, usize) = (Vec::new(), 0);
            for word in words {
                while let Some(&s) =
                    scopes.get(next).filter(|s| self.scopes[**s as usize].start <= word.0)
                {
                    open.push(s);
                    next += 1;
                }
                while open.last().is_some_and(|s| self.scopes[*s as usize].end < word.1) {
                    open.pop();
                }
                let around = open.iter().rev().find(|s| word.1 <= self.scopes[**s as usize].end);
                self.scope = around.copied().unwrap_or(0);
                self.push_reference(word, UsedAs::Import, Value::NONE, ReferenceRole::Plain);
            }
            self.scope = scope;
        }
        for word in &aside.fields {
            let value =
                self.push_reference(place(word), UsedAs::Import, Value::NONE, ReferenceRole::Plain);
            self.lend_fields(place(word), value);
        }
        if aside.types.is_empty() {
            return;
        }
        let mut by_place: Vec<(u32, u32)> =
            self.references.iter().zip(0..).map(|(r, n)| (r.start, n)).collect();
        by_place.sort_unstable();
        let find = |start: usize| {
            let at = by_place.binary_search_by_key(&(start as u32), |r| r.0).ok()?;
            Some(by_place[at].1)
        };
        for given in &aside.types {
            let Some(ty) = find(given.ty.start) else { continue };
            let tag = if given.tag { Namespace::TAG } else { Namespace::default() };
            self.references[ty as usize].namespace = Namespace::TYPE | tag;
            let Some(member) = given.member.as_ref().and_then(|m| find(m.start)) else { continue };
            let member = &mut self.references[member as usize];
            if member.role == ReferenceRole::Plain && member.receiver == Value(NONE) {
                (member.role, member.receiver) = (ReferenceRole::Field, Value::reference(ty));
            }
        }
    }
}

/// The names of the namespaces that a macro's body opens, without inline ones.
fn namespaces(text: &str) -> impl Iterator<Item = &str> {
    let opens = text.starts_with("namespace") || text.starts_with("inline ");
    let text = if opens { text } else { "" };
    let mut inline = false;
    let mut rest = text;
    let words = std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !(c.is_alphanumeric() || c == '_' || c == '{'));
        if let Some(after) = rest.strip_prefix('{') {
            rest = after;
            return Some("{");
        }
        let (word, after) = rest.split_at(super::macro_tokens::word_end(rest));
        rest = after;
        (!word.is_empty()).then_some(word)
    });
    let names = words.filter(move |word| match *word {
        "inline" => {
            inline = true;
            false
        }
        "{" => {
            inline = false;
            false
        }
        "namespace" => false,
        _ => !inline,
    });
    names.take(MAX_DEPTH)
}
