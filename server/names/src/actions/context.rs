//! The context in which actions are computed: a request and queries on its file.

use std::cell::OnceCell;
use std::ops::Range;

use tree_sitter::Node;

use super::grammar::{self, ChildField, Grammar};
use super::{ActionPlace, ActionRefusal, RefusalReason, refusal};
use crate::diagnose::NameDiagnostic;
use crate::expression::Value;
use crate::facts::{Def, Facts, NONE, Ref, ReferenceRole};
use crate::index::{FileId, Index};
use crate::rename::invalid_name_reason;
use crate::resolve::{DefId, Resolution, Resolver};
use crate::vocabulary::{DefinitionKind, Namespace, ScopeKind};

/// Limit for the size of a file that actions read.
const MAX_FILE_BYTES: usize = 4 << 20;

/// A request for code actions, and queries on its file.
pub(super) struct ActionContext<'a> {
    pub(super) index: &'a Index,
    pub(super) resolver: Resolver<'a>,
    pub(super) request: &'a ActionPlace<'a>,
    pub(super) file: FileId,
    pub(super) facts: &'a Facts,
    /// The whole text; empty if the file exceeds the limit.
    pub(super) source: String,
    /// The selected bytes, without blanks at the ends.
    pub(super) range: Range<usize>,
    pub(super) language: &'static str,
    pub(super) grammar: Option<&'static Grammar>,
    /// Whether the request names the kinds of actions it wants.
    pub(super) explicit: bool,
    /// The diagnostics of the file, computed on first use.
    findings: OnceCell<Vec<NameDiagnostic>>,
}

impl<'a> ActionContext<'a> {
    pub(super) fn new(index: &'a Index, request: &'a ActionPlace<'a>) -> Self {
        let text = request.syntax.text();
        let source = match text.len() <= MAX_FILE_BYTES {
            true => text.slice(0..text.len()).into_owned(),
            false => String::new(),
        };
        let mut range = request.range.clone();
        let selected = source.get(range.clone()).unwrap_or("");
        range.start += selected.len() - selected.trim_start().len();
        range.end = range.start + selected.trim().len();
        if selected.trim().is_empty() {
            range = request.range.start..request.range.start;
        }
        let language = request.syntax.language().id();
        let grammar = grammar::for_language(language).filter(|_| source.len() == text.len());
        Self {
            index,
            explicit: false,
            findings: OnceCell::new(),
            resolver: Resolver::with_facts(index, request.file, request.facts),
            request,
            file: request.file,
            facts: request.facts,
            source,
            range,
            language,
            grammar,
        }
    }

    /// The diagnostics of the file; none if the index does not hold its text.
    pub(super) fn findings(&self) -> &[NameDiagnostic] {
        self.findings.get_or_init(|| {
            let (syntax, interrupt) = (self.request.syntax, self.request.interrupt);
            self.index.name_diagnostics(self.file, syntax, interrupt).unwrap_or_default()
        })
    }

    pub(super) fn text(&self, node: Node<'_>) -> &str {
        self.source.get(node.byte_range()).unwrap_or("")
    }

    /// The text of a file, if it is loaded.
    pub(super) fn text_of(&self, file: FileId) -> Option<String> {
        if file == self.file {
            return Some(self.source.clone());
        }
        let text = (self.request.text)(file)?;
        (text.len() <= MAX_FILE_BYTES).then(|| text.slice(0..text.len()).into_owned())
    }

    /// Whether the name of a type, written in another file, refers to the same type in this one.
    pub(super) fn same_type_here(&self, file: FileId, name: &str, at: usize) -> bool {
        let Some(there) = self.resolver.facts(file).site_at(at) else { return false };
        let there = self.resolver.definitions_at_site(file, there);
        let here = self.top_level_definitions(name, Namespace::TYPE);
        let [one] = &there[..] else { return false };
        let def = self.resolver.def(one.id);
        def.kind != DefinitionKind::TypeParameter && here.iter().any(|f| f.id == one.id)
    }

    /// The definitions that a name has at the file's top level, through imports.
    pub(super) fn top_level_definitions(
        &self,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        let end = self.source.len() as u32;
        let reference = Ref {
            name: self.facts.strings.find(name).unwrap_or(NONE),
            start: end,
            end,
            scope: 0,
            receiver: Value::NONE,
            namespace,
            role: ReferenceRole::Plain,
            call: NONE,
        };
        let found = self.resolver.plain_name(self.file, &reference, name);
        let follow = |f: Resolution| match self.resolver.def(f.id).kind {
            DefinitionKind::Import if f.id.file == self.file => self
                .resolver
                .definitions_at_site(self.file, crate::facts::NameSite::Definition(f.id.def)),
            _ => vec![f],
        };
        found.into_iter().flat_map(follow).collect()
    }

    /// The node that is exactly the selection.
    pub(super) fn selected_node(&self) -> Option<Node<'a>> {
        if self.range.is_empty() {
            return None;
        }
        let root = self.request.syntax.root();
        let node = root.named_descendant_for_byte_range(self.range.start, self.range.end)?;
        (node.byte_range() == self.range).then_some(node)
    }

    /// The function that contains a node, or the root.
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

    /// The indentation of a line.
    pub(super) fn indentation_at(&self, at: usize) -> &str {
        let start = self.line_start(at);
        let line = &self.source[start..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    pub(super) fn line_start(&self, at: usize) -> usize {
        self.source[..at].rfind(['\n', '\r']).map_or(0, |n| n + 1)
    }

    /// Whether only blanks precede a byte on its line.
    pub(super) fn is_first_on_line(&self, at: usize) -> bool {
        self.source[self.line_start(at)..at].trim().is_empty()
    }

    /// The line ending of the file.
    pub(super) fn line_end(&self) -> &'static str {
        match self.source.find('\n') {
            Some(at) if self.source[..at].ends_with('\r') => "\r\n",
            Some(_) => "\n",
            None if self.source.contains('\r') => "\r",
            None => "\n",
        }
    }

    /// A name based on `wish` that the file does not use; the name given in the request, if there
    /// is one.
    ///
    /// # Errors
    /// If the given name is invalid or taken.
    pub(super) fn fresh_name(&self, wish: &str) -> Result<String, ActionRefusal> {
        if let Some(name) = self.request.name {
            if let Some(why) = invalid_name_reason(name, self.language) {
                let why = format!("`{name}` is not a valid name: {why}");
                return Err(refusal(RefusalReason::Conflict, why));
            }
            if !self.is_unused_name(name) {
                let why = format!("`{name}` is already used in this file");
                return Err(refusal(RefusalReason::Conflict, why));
            }
            return Ok(name.to_owned());
        }
        let snake = self.grammar.is_none_or(|g| g.snake_case);
        let wish = if snake { snake_case(wish) } else { camel_case(wish) };
        let numbered = (2..100).map(|n| format!("{wish}{n}"));
        let more = (1..100).map(|n| format!("extracted{n}"));
        let mut all = std::iter::once(wish.clone()).chain(numbered).chain(more);
        let fits = |name: &String| {
            name.len() > 1
                && invalid_name_reason(name, self.language).is_none()
                && self.is_unused_name(name)
        };
        all.find(fits).ok_or_else(|| refusal(RefusalReason::Conflict, "no free name was found"))
    }

    /// The same for a name outside functions: the workspace does not define it either.
    ///
    /// # Errors
    /// As [`ActionContext::fresh_name`].
    pub(super) fn fresh_top_level_name(&self, wish: &str) -> Result<String, ActionRefusal> {
        let is_defined = |name: &str| self.resolver.definitions_named(name).next().is_some();
        let first = self.fresh_name(wish)?;
        if !is_defined(&first) {
            return Ok(first);
        }
        let mut others = (2..100).map(|n| format!("{first}{n}"));
        let found = others.find(|name| {
            self.request.name.is_none() && self.is_unused_name(name) && !is_defined(name)
        });
        let why = || format!("`{first}` is already defined in the workspace");
        found.ok_or_else(|| refusal(RefusalReason::Conflict, why()))
    }

    /// Whether the file does not use a name, and no macro has it.
    pub(super) fn is_unused_name(&self, name: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let written = self.source.match_indices(name).any(|(at, _)| {
            let before = &self.source[..at];
            // `a.name` is a member of some value and does not conflict.
            let member = before.ends_with('.') && !before.ends_with("..") || before.ends_with("->");
            !before.ends_with(is_word)
                && !member
                && !self.source[at + name.len()..].starts_with(is_word)
        });
        let is_macro = |id: DefId| self.resolver.def(id).kind == DefinitionKind::Macro;
        !written && !self.resolver.definitions_named(name).any(is_macro)
    }

    /// Whether a node contains a syntax error or is inside one.
    pub(super) fn has_syntax_error(&self, node: Node<'_>) -> bool {
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

    /// The plain names that a range reads, with the definitions in this file that they resolve to.
    pub(super) fn names_read_in(&self, range: Range<usize>) -> Vec<ReadName> {
        let (start, end) = (range.start as u32, range.end as u32);
        let mut all = Vec::new();
        for (r, reference) in self.facts.references.iter().enumerate() {
            let inside = start <= reference.start && reference.end <= end;
            if !inside || reference.start >= reference.end || reference.role != ReferenceRole::Plain
            {
                continue;
            }
            let found = self
                .resolver
                .definitions_at_site(self.file, crate::facts::NameSite::Reference(r as u32));
            let span = reference.start as usize..reference.end as usize;
            let definitions: Vec<u32> =
                found.iter().filter(|f| f.id.file == self.file).map(|f| f.id.def).collect();
            all.push(ReadName { span, definitions });
        }
        all
    }

    pub(super) fn def(&self, def: u32) -> &'a Def {
        &self.facts.definitions[def as usize]
    }

    pub(super) fn name_of(&self, def: u32) -> &'a str {
        self.facts.strings.text(self.def(def).name)
    }

    /// Whether a definition is local to a function.
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

    /// The occurrences of a name in a node that are written to.
    pub(super) fn write_positions(&self, within: Node<'a>, name: &str) -> Vec<Range<usize>> {
        let Some(grammar) = self.grammar else { return Vec::new() };
        let mut all = Vec::new();
        visit_leaves(within, &mut |leaf| {
            if self.text(leaf) == name && is_written(grammar, leaf) {
                all.push(leaf.byte_range());
            }
        });
        all
    }

    /// Whether evaluating a node may have side effects or leave the code around it.
    pub(super) fn has_effects(&self, node: Node<'_>) -> bool {
        let Some(grammar) = self.grammar else { return true };
        any_descendant(node, &|n| {
            grammar.side_effects.contains(&n.kind())
                || grammar.control_flow.contains(&n.kind())
                || n.kind() == "unary_expression"
                    && matches!(n.child(0).map(|c| c.kind()), Some("<-" | "delete"))
        })
    }
}

/// A name that is read.
pub(super) struct ReadName {
    pub(super) span: Range<usize>,
    /// The definitions in this file that it may refer to.
    pub(super) definitions: Vec<u32>,
}

/// Whether a leaf is an assignment target.
pub(super) fn is_written(grammar: &Grammar, leaf: Node<'_>) -> bool {
    let mut at = leaf;
    for _ in 0..4 {
        if is_child(grammar.assigned, at) {
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

/// Whether a node is one of these children of its parent.
pub(super) fn is_child(fields: &[ChildField], node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    fields.iter().any(|(kind, field)| {
        *kind == parent.kind() && (field.is_empty() || in_field(parent, field, node))
    })
}

/// Whether a child is in a field of its parent.
pub(super) fn in_field(parent: Node<'_>, field: &str, child: Node<'_>) -> bool {
    let mut cursor = parent.walk();
    parent.children_by_field_name(field, &mut cursor).any(|c| c.id() == child.id())
}

/// Whether a predicate holds for a node or a descendant.
pub(super) fn any_descendant(node: Node<'_>, holds: &dyn Fn(Node<'_>) -> bool) -> bool {
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

/// Whether a predicate holds for an ancestor of a node below `top`.
pub(super) fn any_ancestor(
    node: Node<'_>,
    top: Node<'_>,
    holds: &dyn Fn(Node<'_>) -> bool,
) -> bool {
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

/// Visits the named leaves below a node.
pub(super) fn visit_leaves<'t>(node: Node<'t>, visit: &mut dyn FnMut(Node<'t>)) {
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

/// The lower-case words of a name in any case style.
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
