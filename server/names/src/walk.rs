//! One walk over a tree, driven by the language's table, that gathers the facts.

mod acts;
mod bind;
mod import;
mod slots;
mod text_type;
mod tokens;

use std::sync::atomic::{AtomicBool, Ordering};

use syntax::Syntax;
use tree_sitter::{Node, TreeCursor};

use crate::expression::{Expression, Value};
use crate::facts::{Def, Extension, Facts, Glob, NONE, Ref, Role, Scope};
use crate::rules::{Rule, Rules, Visible};
use crate::strings::Interner;
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

/// Deeper nesting is not looked into: it bounds the stack.
const DEPTH: u32 = 700;

/// Nodes between two looks at the interrupt flag.
const BREATH: u32 = 4096;

/// Most values that are kept of what a function returns.
const RETURNS: usize = 8;

/// What a node stands as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum As {
    Value,
    Type,
    /// Its names are bound.
    Bind,
    Callee,
    Macro,
    /// A part of an import.
    Import,
    /// The start of an import's path.
    Path,
}

/// How names are bound where the walk is.
#[derive(Clone, Copy)]
struct Bind {
    kind: DefinitionKind,
    namespace: Option<Namespace>,
    scope: u32,
    /// What the names get.
    source: Value,
    /// `NONE`: from the name on.
    from: u32,
    flags: Flags,
    start: u32,
    end: u32,
    /// Plain names are only referred to; members may be defined.
    assign: bool,
}

/// What one node's children gave.
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
    package: u32,
    scope: u32,
    bind: Bind,
    /// Flags for what is defined in a scope while a declaration is walked.
    ambient: (Flags, u32),
    /// Names that are bound elsewhere: where they are written, the name, where they go.
    redirects: Vec<(u32, u32, u32)>,
    /// Types that a scope's type takes its members from.
    embeds: Vec<(u32, Value)>,
    /// The module that an import names.
    module: Value,
    /// The type or call whose fields or arguments are walked.
    construct: Value,
    callee: Value,
    /// The last string walked.
    string: (u32, u32),
    /// Whether `var` or `let` declares.
    hoist: bool,
    /// The next function declarator is that of the definition around it.
    defining: bool,
    /// What a `match` looks at.
    subject: Value,
    path_end: Option<(u32, u32)>,
    depth: u32,
    steps: u32,
    interrupt: &'t AtomicBool,
    stopped: bool,
}

impl<'t> Walk<'t> {
    pub(crate) fn run(syntax: &Syntax, interrupt: &AtomicBool) -> Option<Facts> {
        let mut text = String::with_capacity(syntax.text().len());
        syntax.text().chunks().for_each(|chunk| text.push_str(chunk));
        let len = u32::try_from(text.len()).ok().filter(|&l| l < 1 << 30)?;
        let mut walk = Walk {
            rules: Rules::of(syntax.language()),
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
            callee: Value::NONE,
            string: (0, 0),
            hoist: false,
            defining: false,
            subject: Value::NONE,
            path_end: None,
            depth: 0,
            steps: 0,
            interrupt,
            stopped: interrupt.load(Ordering::Relaxed),
        };
        let file = walk.names.number("");
        walk.scope = walk.open(ScopeKind::File, 0, len);
        walk.definitions.push(Def {
            name: file,
            kind: DefinitionKind::Module,
            namespace: Namespace::default(),
            flags: Flags::EXPORTED | Flags::HIDDEN,
            scope: NONE,
            name_start: 0,
            name_end: 0,
            start: 0,
            end: len,
            from: 0,
            body: 0,
            value: Value::NONE,
            supers: NONE,
        });
        walk.scopes[0].owner = 0;
        walk.visit(As::Value);
        walk.finish(syntax, len)
    }

    fn finish(self, syntax: &Syntax, len: u32) -> Option<Facts> {
        if self.stopped {
            return None;
        }
        let Self { names, mut definitions, mut references, mut expressions, .. } = self;
        let (strings, map) = names.finish();
        let mut rename = |name: &mut u32| {
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
            | Expression::Binding(name, _) = expression
            {
                rename(name);
            }
        }
        let mut package = self.package;
        rename(&mut package);
        let mut by_reference = Vec::new();
        if !references.is_sorted_by_key(|r| r.start) {
            by_reference.extend(0..u32::try_from(references.len()).ok()?);
            by_reference.sort_by_key(|&r| references[r as usize].start);
        }
        let count = u32::try_from(definitions.len()).ok()?;
        let mut by_scope: Vec<u32> = (0..count).collect();
        by_scope.sort_unstable_by_key(|&d| {
            let d = &definitions[d as usize];
            (d.scope, d.name, d.name_start)
        });
        let mut by_place: Vec<u32> = (0..count).collect();
        by_place.sort_unstable_by_key(|&d| definitions[d as usize].name_start);
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
            by_scope: by_scope.into(),
            by_place: by_place.into(),
            by_reference: by_reference.into(),
            package,
            len,
        })
    }
}

impl<'t> Walk<'t> {
    /// Walks the node under the cursor and leaves the cursor there.
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
        let value = match self.rules.rule(node.kind_id()) {
            Some(rule) => self.act(rule, node, as_),
            None => self.plain(as_),
        };
        self.depth -= 1;
        value
    }

    /// Walks the children of a node that means nothing itself.
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

    /// Walks the children of the node and gathers what they give.
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
                    let value = self.visit(as_);
                    into.push(value);
                }
            }
            if !self.cursor.goto_next_sibling() {
                break;
            }
        }
        self.cursor.goto_parent();
    }

    fn slice(&self, start: u32, end: u32) -> &'t str {
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    fn name(&mut self, start: u32, end: u32) -> u32 {
        let text = self.slice(start, end);
        self.names.number(text)
    }

    fn open(&mut self, kind: ScopeKind, start: u32, end: u32) -> u32 {
        self.scopes.push(Scope {
            kind,
            parent: self.scope,
            start,
            end,
            owner: NONE,
            subject: Value::NONE,
        });
        self.scopes.len() as u32 - 1
    }

    fn express(&mut self, expression: Expression) -> Value {
        self.expressions.push(expression);
        Value(self.expressions.len() as u32 - 1)
    }

    fn keep(&mut self, list: &[Value]) -> u32 {
        if list.is_empty() {
            return NONE;
        }
        self.lists.push(Value(list.len() as u32));
        self.lists.extend_from_slice(list);
        (self.lists.len() - list.len() - 1) as u32
    }

    fn refer(&mut self, span: (u32, u32), as_: As, receiver: Value, role: Role) -> Value {
        let name = self.name(span.0, span.1);
        let namespace = match as_ {
            _ if self.rules.one_namespace => Namespace::ANY,
            As::Value => Namespace::VALUE,
            As::Type => Namespace::TYPE,
            As::Callee => Namespace::VALUE | Namespace::FUNCTION,
            As::Macro => Namespace::MACRO,
            As::Bind | As::Import | As::Path => Namespace::ANY,
        };
        self.references.push(Ref {
            name,
            start: span.0,
            end: span.1,
            scope: self.scope,
            receiver,
            namespace,
            role,
            call: NONE,
        });
        Value::reference(self.references.len() as u32 - 1)
    }

    /// Adds a definition to a scope.
    fn define(&mut self, span: (u32, u32), bind: &Bind) -> u32 {
        let name = self.name(span.0, span.1);
        let mut scope = bind.scope;
        if let Some(redirect) = self.redirects.iter().find(|r| r.0 == scope && r.1 == name) {
            scope = redirect.2;
        }
        let mut flags = bind.flags;
        if self.ambient.1 == bind.scope {
            flags |= self.ambient.0;
        }
        if self.slice(span.0, span.1).starts_with(char::is_uppercase) {
            flags |= Flags::CAPITAL;
        }
        self.definitions.push(Def {
            name,
            kind: bind.kind,
            namespace: bind.namespace.unwrap_or(Namespace::of(bind.kind)),
            flags,
            scope,
            name_start: span.0,
            name_end: span.1,
            start: bind.start,
            end: bind.end,
            from: if bind.from == NONE { span.1 } else { bind.from },
            body: NONE,
            value: bind.source,
            supers: NONE,
        });
        let definition = self.definitions.len() as u32 - 1;
        if flags.has(Flags::MEMBER)
            && let Some(class) = self.nearest_type()
        {
            let mut field = self.definitions[definition as usize];
            (field.scope, field.kind) = (class, DefinitionKind::Field);
            self.definitions.push(field);
        }
        definition
    }

    /// The scope that a rule's definitions go to, seen from a scope.
    fn target(&self, visible: Visible, scope: u32) -> u32 {
        let mut at = scope;
        let parent = |at: u32| self.scopes[at as usize].parent;
        let kind = |at: u32| self.scopes[at as usize].kind;
        let visible = match visible {
            Visible::Declared if self.hoist => Visible::Function,
            visible => visible,
        };
        match visible {
            Visible::Scope | Visible::After | Visible::Here | Visible::Declared => {}
            Visible::Outer | Visible::Tag => {
                if visible == Visible::Outer && parent(at) != NONE {
                    at = parent(at);
                }
                while matches!(kind(at), ScopeKind::Members | ScopeKind::Enum) && parent(at) != NONE
                {
                    at = parent(at);
                }
            }
            Visible::File => at = 0,
            Visible::Function => {
                while matches!(kind(at), ScopeKind::Block | ScopeKind::Comprehension)
                    && parent(at) != NONE
                {
                    at = parent(at);
                }
            }
        }
        at
    }

    /// A binding as a rule makes it at a node.
    fn binding(&self, rule: &Rule, node: Node<'_>, kind: DefinitionKind, source: Value) -> Bind {
        let (start, end) = span(node);
        let mut scope = self.target(rule.visible, self.scope);
        while self.scopes[scope as usize].kind == ScopeKind::Template
            && !matches!(kind, DefinitionKind::TypeParameter | DefinitionKind::Parameter)
        {
            scope = self.scopes[scope as usize].parent;
        }
        Bind {
            kind,
            namespace: rule.namespace,
            scope,
            source,
            from: match rule.visible {
                Visible::After => end,
                Visible::Here => NONE,
                _ => 0,
            },
            flags: rule.flags,
            start,
            end,
            assign: false,
        }
    }

    /// The nearest scope around that holds a function's or a type's names.
    fn nearest(&self, wanted: impl Fn(ScopeKind) -> bool) -> Option<u32> {
        let mut at = self.scope;
        while let Some(scope) = self.scopes.get(at as usize) {
            if wanted(scope.kind) {
                return Some(at);
            }
            at = scope.parent;
        }
        None
    }

    fn nearest_type(&self) -> Option<u32> {
        self.nearest(|k| {
            matches!(
                k,
                ScopeKind::Members | ScopeKind::Body | ScopeKind::Open | ScopeKind::Extension
            )
        })
    }
}

/// A node's bytes.
fn span(node: Node<'_>) -> (u32, u32) {
    (node.start_byte() as u32, node.end_byte() as u32)
}
