//! Lowering: one traversal of a syntax tree, driven by the language's node rules, that collects the
//! facts of a file.
//!
//! Each node is lowered in three steps: the rule's action opens scopes and bindings, the children
//! are lowered by their roles, and the action combines what they returned. Values flow up as
//! [`Value`]s; what children need to know from above (scope, binding, expected type) is in fields
//! of the [`Walk`] that are saved and restored around each node.

mod acts;
mod alternatives;
mod attribute;
mod begin;
mod bind;
mod build;
pub(crate) mod condition;
pub(crate) mod conditions;
mod constraints;
mod define;
mod doc_type;
mod documented;
mod element;
mod import;
mod known;
mod macro_attributes;
mod macro_calls;
mod macro_fields;
mod macro_namespaces;
mod macro_tokens;
mod macros;
mod names;
mod narrow;
mod parameters;
mod parts;
mod pasting;
mod patterns;
mod preprocess;
mod records;
mod regions;
mod slots;
mod text_type;
mod tokens;

use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashSet;
use syntax::{Language, Syntax};
use text::Text;
use tree_sitter::{Node, TreeCursor};

use crate::deprecated;
use crate::expression::{Expression, Value};
use crate::facts::{Def, Extension, Facts, Glob, NONE, Narrowing, Ref, Scope};
use crate::orders::Orders;
use crate::rules::Rules;
use crate::strings::Interner;
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

/// Depth limit of the nesting: bounds the stack.
const DEPTH: u32 = 700;

/// Interval in nodes at which the interrupt flag is checked.
const BREATH: u32 = 4096;

/// Limit of the return values kept per function.
const RETURNS: usize = 8;

/// What a node is used as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum As {
    Value,
    Type,
    /// A pattern: its names are bound.
    Bind,
    Callee,
    Macro,
    /// A part of an import.
    Import,
    /// The start of an import's path.
    Path,
}

/// How names are bound at the current node.
#[derive(Clone, Copy)]
struct Bind {
    kind: DefinitionKind,
    namespace: Option<Namespace>,
    scope: u32,
    /// The value that the names get.
    source: Value,
    /// The offset from which they are visible; `NONE`: from the name on.
    from: u32,
    flags: Flags,
    start: u32,
    end: u32,
    /// An assignment: plain names are only referred to, but members may be defined.
    assign: bool,
}

/// What the children of one node returned.
struct Frame {
    outer: u32,
    definition: u32,
    object: Value,
    ty: Value,
    value: Value,
    body: Value,
    list: Vec<Value>,
    result: Value,
    count: u32,
    last: Option<(u32, u32)>,
    alias: Option<(u32, u32)>,
    trait_: Value,
    /// The placeholder expression to fill in once the value is known.
    hole: Value,
    /// How many tests, and how many failed tests, were known before the node.
    tests: (usize, usize),
    /// The comment that documents a function.
    comment: Option<(u32, u32)>,
    /// Whether a branch's condition holds, if that is known.
    holds: Option<bool>,
}

pub(crate) struct Walk<'t> {
    rules: &'static Rules,
    text: &'t str,
    cursor: TreeCursor<'t>,
    names: Interner<'t>,
    scopes: Vec<Scope>,
    definitions: Vec<Def>,
    references: Vec<Ref>,
    expressions: Vec<Expression>,
    lists: Vec<Value>,
    globs: Vec<Glob>,
    extensions: Vec<Extension>,
    returns: Vec<(u32, Value)>,
    narrowings: Vec<Narrowing>,
    /// Type tests of the condition being lowered: the name, where the test ends, the type. `failed`
    /// are those that hold where the condition does not.
    tests: Vec<(u32, u32, Value)>,
    failed: Vec<(u32, u32, Value)>,
    parts: parts::Parts<'t>,
    package: u32,
    scope: u32,
    bind: Bind,
    /// Flags for definitions of a scope that modifiers or wrappers have announced, and the scope.
    ambient: (Flags, u32),
    /// Names that a function binds elsewhere (`global`, `nonlocal`): the scope, the name, the scope
    /// they go to.
    redirects: Vec<(u32, u32, u32)>,
    /// Types whose members a scope's type embeds.
    embeds: Vec<(u32, Value)>,
    /// The module of the current import.
    module: Value,
    /// The type that is expected of the current value: a declared type, or a call's parameter.
    construct: Value,
    /// The type whose arguments are lowered.
    generic: Value,
    callee: Value,
    /// The declared return type of the enclosing function.
    result: Value,
    /// Types that functions declare for `this`, by scope.
    receivers: Vec<(u32, Value)>,
    /// The last string lowered.
    string: (u32, u32),
    /// Whether the declaration is a `var`, which belongs to the whole function.
    hoist: bool,
    /// Whether the next function declarator is that of the enclosing definition.
    defining: bool,
    /// The value that a `match` matches.
    subject: Value,
    path_end: Option<(u32, u32)>,
    /// How many names the last binding bound.
    repeat: u32,
    /// The names that the file exports explicitly (`__all__`); `None` if it does not.
    listed: Option<Vec<u32>>,
    /// Whether more names are exported that only running the code reveals.
    lists_more: bool,
    attributes: attribute::Attributes,
    /// The offsets of comment types that were read.
    read: FxHashSet<u32>,
    /// The state of the current preprocessor branch, and of the branches before it.
    branch: conditions::Branch,
    taken: conditions::Taken,
    /// Ranges that are inactive on every system like this one.
    foreign: Vec<(u32, u32)>,
    /// Branches of conditions.
    branches: Vec<crate::facts::Branch>,
    /// How many unnamed namespaces enclose the node.
    unnamed: u32,
    /// Macros that the file has defined so far.
    macros: conditions::Macros<'t>,
    /// Blocks that macros open and close.
    regions: regions::Regions<'t>,
    depth: u32,
    steps: u32,
    interrupt: &'t AtomicBool,
    stopped: bool,
}

impl<'t> Walk<'t> {
    /// Lowers a text, and parses it unless a tree is given.
    pub(crate) fn run(
        language: Language,
        whole: &Text,
        syntax: Option<&Syntax>,
        interrupt: &AtomicBool,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Facts> {
        let mut text = String::with_capacity(whole.len());
        whole.chunks().for_each(|chunk| text.push_str(chunk));
        let len = u32::try_from(text.len()).ok().filter(|&l| l < 1 << 30)?;
        let rules = Rules::of(language);
        let cplusplus = rules.preprocessor == Some(true);
        let cleaned = match rules.preprocessor {
            Some(cplusplus) => {
                preprocess::cleaned(language, whole, syntax, &text, cplusplus, stop)?
            }
            None => preprocess::Cleaned::default(),
        };
        let parsed;
        let syntax = match cleaned.syntax.as_ref().or(syntax) {
            Some(syntax) => syntax,
            None => {
                parsed = Syntax::parse_until(language, whole, None, stop)?;
                &parsed
            }
        };
        let trees = parts::Trees::default();
        let mut walk = Walk {
            rules,
            text: &text,
            cursor: syntax.root().walk(),
            names: Interner::default(),
            scopes: Vec::new(),
            definitions: Vec::new(),
            references: Vec::with_capacity(text.len() / 12),
            expressions: Vec::new(),
            lists: Vec::new(),
            globs: Vec::new(),
            extensions: Vec::new(),
            returns: Vec::new(),
            narrowings: Vec::new(),
            tests: Vec::new(),
            failed: Vec::new(),
            parts: parts::Parts::new(syntax.tree().language().to_owned(), &trees, text.len()),
            package: NONE,
            scope: NONE,
            bind: Bind {
                kind: DefinitionKind::Variable,
                namespace: None,
                scope: 0,
                source: Value::NONE,
                from: 0,
                flags: Flags::default(),
                start: 0,
                end: 0,
                assign: false,
            },
            ambient: (Flags::default(), NONE),
            redirects: Vec::new(),
            embeds: Vec::new(),
            module: Value::NONE,
            construct: Value::NONE,
            generic: Value::NONE,
            callee: Value::NONE,
            result: Value::NONE,
            receivers: Vec::new(),
            string: (0, 0),
            hoist: false,
            defining: false,
            subject: Value::NONE,
            path_end: None,
            repeat: 1,
            listed: None,
            lists_more: false,
            attributes: Self::no_attributes(),
            read: FxHashSet::default(),
            branch: conditions::Branch::default(),
            taken: conditions::Taken::default(),
            foreign: Vec::new(),
            branches: Vec::new(),
            unnamed: 0,
            macros: conditions::Macros { cplusplus, ..Default::default() },
            regions: regions::Regions::of(&cleaned.aside),
            depth: 0,
            steps: 0,
            interrupt,
            stopped: interrupt.load(Ordering::Relaxed),
        };
        let file = walk.names.number("");
        walk.scope = walk.open(ScopeKind::File, 0, len);
        let mut whole = Def::of_file(file, len);
        if syntax.is_broken() {
            whole.flags |= Flags::FALLBACK;
        }
        walk.definitions.push(whole);
        walk.scopes[0].owner = 0;
        if rules.starts_with_code {
            let start = walk.first_code(syntax.root());
            (walk.definitions[0].name_start, walk.definitions[0].name_end) = (start, start);
        }
        if rules.constraints && constraints::leave_out(&text) {
            walk.definitions[0].flags |= Flags::INACTIVE;
        }
        walk.visit(As::Value);
        walk.other_comments(syntax.root());
        if rules.preprocessor.is_some() {
            walk.pasted_lines();
        }
        walk.left_out(&cleaned.left);
        walk.words_aside(&cleaned.aside);
        walk.keep_branches(&cleaned.aside.branches);
        walk.finish(syntax, len)
    }

    /// Where the first node starts that is not a comment.
    fn first_code(&self, root: Node<'_>) -> u32 {
        let mut cursor = root.walk();
        let skipped = |node: &Node<'_>| {
            let rule = self.rules.rule(node.kind_id());
            rule.is_some_and(|r| r.act.name == crate::vocabulary::ActName::Skip)
        };
        root.children(&mut cursor).find(|n| !skipped(n)).map_or(0, |n| span(n).0)
    }

    fn finish(self, syntax: &Syntax, len: u32) -> Option<Facts> {
        if self.stopped {
            return None;
        }
        let Self { names, mut definitions, mut references, mut expressions, listed, .. } = self;
        if let Some(listed) = listed {
            if !self.lists_more {
                definitions[0].flags |= Flags::LISTED;
            }
            let own = definitions.iter_mut().filter(|d| d.scope == 0 && listed.contains(&d.name));
            own.for_each(|d| d.flags |= Flags::LISTED);
        }
        let (strings, map) = names.finish();
        let rename = |name: &mut u32| {
            if let Some(&new) = map.get(*name as usize) {
                *name = new;
            }
        };
        definitions.iter_mut().for_each(|d| rename(&mut d.name));
        references.iter_mut().for_each(|r| rename(&mut r.name));
        let mut extensions = self.extensions;
        extensions.iter_mut().for_each(|e| rename(&mut e.name));
        for expression in &mut expressions {
            if let Expression::Field(_, name)
            | Expression::Module(name, _)
            | Expression::Binding(name, _)
            | Expression::Named(name) = expression
            {
                rename(name);
            }
        }
        let mut narrowings = self.narrowings;
        narrowings.iter_mut().for_each(|n| rename(&mut n.name));
        let mut foreign = self.foreign;
        foreign.sort_unstable();
        let mut branches = self.branches;
        branches.iter_mut().for_each(|b| rename(&mut b.condition));
        let mut package = self.package;
        rename(&mut package);
        u32::try_from(references.len().max(definitions.len())).ok()?;
        let orders = Orders::of(&definitions, &references);
        let deprecated = deprecated::names(self.text, syntax.language().id(), &definitions);
        Some(Facts {
            language: syntax.language(),
            strings,
            scopes: self.scopes.into(),
            definitions: definitions.into(),
            references: references.into(),
            expressions: expressions.into(),
            lists: self.lists.into(),
            globs: self.globs.into(),
            extensions: extensions.into(),
            returns: self.returns.into(),
            narrowings: narrowings.into(),
            foreign: foreign.into(),
            deprecated,
            branches: branches.into(),
            by_scope: orders.by_scope,
            by_place: orders.by_place,
            by_name: orders.by_name,
            by_reference: orders.by_reference,
            package,
            len,
            lines: syntax.text().line_count() as u32,
        })
    }
}

impl<'t> Walk<'t> {
    /// Lowers the node under the cursor and leaves the cursor there.
    fn visit(&mut self, as_: As) -> Value {
        self.steps += 1;
        if self.steps.is_multiple_of(BREATH) && self.interrupt.load(Ordering::Relaxed) {
            self.stopped = true;
        }
        if self.stopped || self.depth >= DEPTH {
            return Value::NONE;
        }
        self.depth += 1;
        let node = self.cursor.node();
        if self.regions.next <= node.start_byte() {
            self.cross(node.start_byte());
        }
        let value = match self.rules.rule(node.kind_id()) {
            Some(rule) => self.act(rule, node, as_),
            None => self.plain(as_),
        };
        if self.regions.next <= node.end_byte() {
            // A block that ends with the node ends inside of it.
            self.cross_ends(node.end_byte());
        }
        self.depth -= 1;
        value
    }

    /// The parent of the node under the cursor. `Node::parent` searches from the root, which in a
    /// long text takes longer than copying the cursor.
    fn parent(&self) -> Option<Node<'t>> {
        let mut up = self.cursor.clone();
        up.goto_parent().then(|| up.node())
    }

    /// Lowers the children of a node without a rule.
    fn plain(&mut self, as_: As) -> Value {
        if !self.cursor.goto_first_child() {
            return Value::NONE;
        }
        let as_ = if as_ == As::Callee { As::Value } else { as_ };
        let mut value = Value::NONE;
        loop {
            if self.cursor.node().is_named() {
                let given = self.visit(as_);
                if given.is_some() {
                    value = given;
                }
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
        value
    }

    /// Lowers the children of a node and collects their values.
    fn gather(&mut self, as_: As, into: &mut Vec<Value>) {
        if !self.cursor.goto_first_child() {
            return;
        }
        loop {
            if self.cursor.node().is_named() {
                let rule = self.rules.rule(self.cursor.node().kind_id());
                if rule.is_some_and(|r| r.act.name == crate::vocabulary::ActName::List) {
                    self.gather(as_, into);
                } else if rule.is_none_or(|r| r.act.name != crate::vocabulary::ActName::Skip) {
                    self.repeat = 1;
                    let value = self.visit(as_);
                    let times = if as_ == As::Type { self.repeat.min(8) } else { 1 };
                    into.extend((0..times).map(|_| value));
                }
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
    }
}

/// The byte range of a node.
fn span(node: Node<'_>) -> (u32, u32) {
    (node.start_byte() as u32, node.end_byte() as u32)
}
