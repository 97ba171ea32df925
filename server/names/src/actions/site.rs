//! A place with what actions ask about it.

use std::cell::OnceCell;
use std::ops::Range;

use tree_sitter::Node;

use super::grammar::{self, Grammar, Way};
use super::{ActionPlace, ActionRefusal, RefusalReason, refusal};
use crate::diagnose::Finding;
use crate::expression::Value;
use crate::facts::{Def, Facts, NONE, Ref, Role};
use crate::index::{FileId, Index};
use crate::rename::name_refused;
use crate::resolve::{DefId, Found, Resolver};
use crate::vocabulary::{DefinitionKind, Namespace, ScopeKind};

/// Largest file that actions look at, in bytes.
const LARGEST: usize = 4 << 20;

/// A place with what actions ask about it.
pub(super) struct Site<'a> {
    pub(super) index: &'a Index,
    pub(super) resolver: Resolver<'a>,
    pub(super) place: &'a ActionPlace<'a>,
    pub(super) file: FileId,
    pub(super) facts: &'a Facts,
    /// The whole text.
    pub(super) source: String,
    /// What is selected, without blanks at its ends.
    pub(super) range: Range<usize>,
    pub(super) language: &'static str,
    pub(super) grammar: Option<&'static Grammar>,
    /// Whether only some kinds of actions are asked for.
    pub(super) explicit: bool,
    /// What is wrong with the names of the file, once that was asked for.
    findings: OnceCell<Vec<Finding>>,
}

impl<'a> Site<'a> {
    pub(super) fn new(index: &'a Index, place: &'a ActionPlace<'a>) -> Self {
        let text = place.syntax.text();
        let source = match text.len() <= LARGEST {
            true => text.slice(0..text.len()).into_owned(),
            false => String::new(),
        };
        let mut range = place.range.clone();
        let selected = source.get(range.clone()).unwrap_or("");
        range.start += selected.len() - selected.trim_start().len();
        range.end = range.start + selected.trim().len();
        if selected.trim().is_empty() {
            range = place.range.start..place.range.start;
        }
        let language = place.syntax.language().id();
        let grammar = grammar::of(language).filter(|_| source.len() == text.len());
        Self {
            index,
            explicit: false,
            findings: OnceCell::new(),
            resolver: Resolver::over(index, place.file, place.facts),
            place,
            file: place.file,
            facts: place.facts,
            source,
            range,
            language,
            grammar,
        }
    }

    /// What is wrong with the names of the file. Nothing, where the index does not hold its text.
    pub(super) fn findings(&self) -> &[Finding] {
        self.findings.get_or_init(|| {
            let (syntax, interrupt) = (self.place.syntax, self.place.interrupt);
            self.index.diagnose(self.file, syntax, interrupt).unwrap_or_default()
        })
    }

    pub(super) fn text(&self, node: Node<'_>) -> &str {
        self.source.get(node.byte_range()).unwrap_or("")
    }

    /// The text of a file, where it is at hand.
    pub(super) fn text_of(&self, file: FileId) -> Option<String> {
        if file == self.file {
            return Some(self.source.clone());
        }
        let text = (self.place.text)(file)?;
        (text.len() <= LARGEST).then(|| text.slice(0..text.len()).into_owned())
    }

    /// Whether the name of a type, written at a place of a file, means the same in this one, and
    /// the same type for everyone.
    pub(super) fn same_type_here(&self, file: FileId, name: &str, at: usize) -> bool {
        let Some(there) = self.resolver.facts(file).site(at) else { return false };
        let there = self.resolver.site(file, there);
        let here = self.named_here(name, Namespace::TYPE);
        let [one] = &there[..] else { return false };
        let def = self.resolver.def(one.id);
        def.kind != DefinitionKind::TypeParameter && here.iter().any(|f| f.id == one.id)
    }

    /// What a name means at the top level of the file, imports followed.
    pub(super) fn named_here(&self, name: &str, namespace: Namespace) -> Vec<Found> {
        let end = self.source.len() as u32;
        let reference = Ref {
            name: self.facts.strings.find(name).unwrap_or(NONE),
            start: end,
            end,
            scope: 0,
            receiver: Value::NONE,
            namespace,
            role: Role::Plain,
            call: NONE,
        };
        let found = self.resolver.plain_name(self.file, &reference, name);
        let follow = |f: Found| match self.resolver.def(f.id).kind {
            DefinitionKind::Import if f.id.file == self.file => {
                self.resolver.site(self.file, crate::facts::Site::Definition(f.id.def))
            }
            _ => vec![f],
        };
        found.into_iter().flat_map(follow).collect()
    }

    /// The node that is exactly what is selected: the innermost, or the outermost of its size.
    pub(super) fn selected(&self) -> Option<Node<'a>> {
        if self.range.is_empty() {
            return None;
        }
        let root = self.place.syntax.root();
        let node = root.named_descendant_for_byte_range(self.range.start, self.range.end)?;
        (node.byte_range() == self.range).then_some(node)
    }

    /// The function around a node, or the whole file.
    pub(super) fn function_around(&self, node: Node<'a>) -> Node<'a> {
        let functions = self.grammar.map_or(&[][..], |g| g.functions);
        let mut at = node;
        while let Some(parent) = at.parent() {
            if functions.contains(&parent.kind()) {
                return parent;
            }
            at = parent;
        }
        at
    }

    /// What stands before the first code of a line.
    pub(super) fn indent_at(&self, at: usize) -> &str {
        let start = self.line_start(at);
        let line = &self.source[start..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    pub(super) fn line_start(&self, at: usize) -> usize {
        self.source[..at].rfind(['\n', '\r']).map_or(0, |n| n + 1)
    }

    /// Whether nothing stands before a place on its line.
    pub(super) fn begins_line(&self, at: usize) -> bool {
        self.source[self.line_start(at)..at].trim().is_empty()
    }

    /// The line ending of the text.
    pub(super) fn line_end(&self) -> &'static str {
        match self.source.find('\n') {
            Some(at) if self.source[..at].ends_with('\r') => "\r\n",
            Some(_) => "\n",
            None if self.source.contains('\r') => "\r",
            None => "\n",
        }
    }

    /// A name that nothing in the file is called, from what it is for.
    ///
    /// # Errors
    /// When the name that is asked for cannot be had.
    pub(super) fn fresh_name(&self, wish: &str) -> Result<String, ActionRefusal> {
        if let Some(name) = self.place.name {
            if let Some(why) = name_refused(name, self.language) {
                let why = format!("`{name}` cannot be its name: {why}");
                return Err(refusal(RefusalReason::Conflict, why));
            }
            if !self.is_free(name) {
                let why = format!("`{name}` is the name of something in this file already");
                return Err(refusal(RefusalReason::Conflict, why));
            }
            return Ok(name.to_owned());
        }
        let snake = self.grammar.is_none_or(|g| g.snake);
        let wish = if snake { snake_case(wish) } else { camel_case(wish) };
        let numbered = (2..100).map(|n| format!("{wish}{n}"));
        let more = (1..100).map(|n| format!("extracted{n}"));
        let mut all = std::iter::once(wish.clone()).chain(numbered).chain(more);
        let fits = |name: &String| {
            name.len() > 1 && name_refused(name, self.language).is_none() && self.is_free(name)
        };
        all.find(fits)
            .ok_or_else(|| refusal(RefusalReason::Conflict, "no name could be found for it"))
    }

    /// A name like that for what stands outside of functions: nothing of the workspace is called so.
    ///
    /// # Errors
    /// As [`Site::fresh_name`].
    pub(super) fn fresh_outer_name(&self, wish: &str) -> Result<String, ActionRefusal> {
        let taken = |name: &str| self.resolver.defined(name).next().is_some();
        let first = self.fresh_name(wish)?;
        if !taken(&first) {
            return Ok(first);
        }
        let mut others = (2..100).map(|n| format!("{first}{n}"));
        let found =
            others.find(|name| self.place.name.is_none() && self.is_free(name) && !taken(name));
        let why = || format!("`{first}` is the name of something in the workspace already");
        found.ok_or_else(|| refusal(RefusalReason::Conflict, why()))
    }

    /// Whether nothing in the file is called so, and no macro.
    pub(super) fn is_free(&self, name: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let written = self.source.match_indices(name).any(|(at, _)| {
            let before = &self.source[..at];
            // A member called so is another's.
            let member = before.ends_with('.') && !before.ends_with("..") || before.ends_with("->");
            !before.ends_with(is_word)
                && !member
                && !self.source[at + name.len()..].starts_with(is_word)
        });
        let is_macro = |id: DefId| self.resolver.def(id).kind == DefinitionKind::Macro;
        !written && !self.resolver.defined(name).any(is_macro)
    }

    /// Whether a node is under a syntax error, or holds one.
    pub(super) fn is_broken(&self, node: Node<'_>) -> bool {
        if node.has_error() {
            return true;
        }
        let mut at = Some(node);
        while let Some(node) = at {
            if node.is_error() || node.is_missing() {
                return true;
            }
            at = node.parent();
        }
        false
    }

    /// The names that a range reads by themselves: their places and definitions in this file, as
    /// far as they are known.
    pub(super) fn names_in(&self, range: Range<usize>) -> Vec<NameIn> {
        let (start, end) = (range.start as u32, range.end as u32);
        let mut all = Vec::new();
        for (r, reference) in self.facts.references.iter().enumerate() {
            let inside = start <= reference.start && reference.end <= end;
            if !inside || reference.start >= reference.end || reference.role != Role::Plain {
                continue;
            }
            let found = self.resolver.site(self.file, crate::facts::Site::Reference(r as u32));
            let span = reference.start as usize..reference.end as usize;
            let own: Vec<u32> =
                found.iter().filter(|f| f.id.file == self.file).map(|f| f.id.def).collect();
            all.push(NameIn { span, own });
        }
        all
    }

    pub(super) fn def(&self, def: u32) -> &'a Def {
        &self.facts.definitions[def as usize]
    }

    pub(super) fn name_of(&self, def: u32) -> &'a str {
        self.facts.strings.text(self.def(def).name)
    }

    /// Whether a definition is seen only inside a function, or a part of one.
    pub(super) fn is_local(&self, def: u32) -> bool {
        let mut scope = self.def(def).scope;
        while let Some(at) = self.facts.scopes.get(scope as usize) {
            match at.kind {
                ScopeKind::Function
                | ScopeKind::Lambda
                | ScopeKind::Block
                | ScopeKind::Comprehension
                | ScopeKind::Template => return true,
                _ => scope = at.parent,
            }
        }
        false
    }

    /// The places in a node where a name is written to, whatever it means there.
    pub(super) fn writes(&self, within: Node<'a>, name: &str) -> Vec<Range<usize>> {
        let Some(grammar) = self.grammar else { return Vec::new() };
        let mut all = Vec::new();
        leaves(within, &mut |leaf| {
            if self.text(leaf) == name && is_written(grammar, leaf) {
                all.push(leaf.byte_range());
            }
        });
        all
    }

    /// Whether a node may do something, or leave the code around.
    pub(super) fn has_effects(&self, node: Node<'_>) -> bool {
        let Some(grammar) = self.grammar else { return true };
        any(node, &|n| {
            grammar.effects.contains(&n.kind())
                || grammar.control.contains(&n.kind())
                || n.kind() == "unary_expression"
                    && matches!(n.child(0).map(|c| c.kind()), Some("<-" | "delete"))
        })
    }
}

/// A name that is read.
pub(super) struct NameIn {
    pub(super) span: Range<usize>,
    /// The definitions in this file that it may mean.
    pub(super) own: Vec<u32>,
}

/// Whether a leaf stands where something is written.
pub(super) fn is_written(grammar: &Grammar, leaf: Node<'_>) -> bool {
    let mut at = leaf;
    for _ in 0..4 {
        if leads(grammar.written, at) {
            // `a[i] = 1` writes neither `a` nor `i` by itself.
            return true;
        }
        let Some(parent) = at.parent() else { return false };
        let inside = ["subscript", "attribute", "member", "field", "index", "selector", "call"];
        if inside.iter().any(|k| parent.kind().starts_with(k)) {
            return false;
        }
        at = parent;
    }
    false
}

/// Whether the way from its parent to a node is one of these.
pub(super) fn leads(ways: &[Way], node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    ways.iter().any(|(kind, field)| {
        *kind == parent.kind() && (field.is_empty() || in_field(parent, field, node))
    })
}

/// Whether a child is in a field of its parent.
pub(super) fn in_field(parent: Node<'_>, field: &str, child: Node<'_>) -> bool {
    let mut cursor = parent.walk();
    parent.children_by_field_name(field, &mut cursor).any(|c| c.id() == child.id())
}

/// Whether something holds for a node or anything below it.
pub(super) fn any(node: Node<'_>, holds: &dyn Fn(Node<'_>) -> bool) -> bool {
    let mut cursor = node.walk();
    loop {
        if holds(cursor.node()) {
            return true;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}

/// Whether something holds for what is around a node, below `top`.
pub(super) fn any_above(node: Node<'_>, top: Node<'_>, holds: &dyn Fn(Node<'_>) -> bool) -> bool {
    let mut at = node;
    while let Some(parent) = at.parent() {
        if parent.id() == top.id() {
            return false;
        }
        if holds(parent) {
            return true;
        }
        at = parent;
    }
    false
}

/// Every leaf that has a name.
pub(super) fn leaves<'t>(node: Node<'t>, visit: &mut dyn FnMut(Node<'t>)) {
    let mut cursor = node.walk();
    loop {
        let at = cursor.node();
        if cursor.goto_first_child() {
            continue;
        }
        if at.is_named() {
            visit(at);
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut last = '_';
    for c in name.chars() {
        let starts = c.is_uppercase() && (last.is_lowercase() || last.is_numeric());
        if !c.is_alphanumeric() || starts {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        last = c;
    }
    words.retain(|w| !w.is_empty());
    words
}

pub(super) fn snake_case(name: &str) -> String {
    words(name).join("_")
}

fn camel_case(name: &str) -> String {
    let mut all = String::new();
    for word in words(name) {
        let mut chars = word.chars();
        match chars.next() {
            Some(first) if !all.is_empty() => {
                all.extend(first.to_uppercase());
                all.push_str(chars.as_str());
            }
            _ => all.push_str(&word),
        }
    }
    all
}
