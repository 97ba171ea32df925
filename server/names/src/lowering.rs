//! Lowering: one traversal of a syntax tree, driven by the language's node rules, that collects the
//! facts of a file.
//!
//! Each node is lowered in three steps: the rule's action opens scopes and bindings, the children
//! are lowered by their roles, and the action combines what they returned. Values flow up as
//! [`Value`]s; what children need to know from above (scope, binding, expected type) is in fields
//! of the [`Lowerer`] that are saved and restored around each node.

mod actions;
mod blank_macros;
mod build_constraints;
mod child_roles;
pub(crate) mod condition_parser;
mod conditional_definitions;
mod doc_comment_types;
mod doc_comments;
mod end_definitions;
mod function_bodies;
mod import;
mod jsx_elements;
mod macro_argument_tokens;
mod macro_arguments;
mod macro_attributes;
mod macro_calls;
mod macro_fields;
mod macro_namespaces;
mod macro_regions;
mod macro_tokens;
mod member_bindings;
mod names;
mod narrowings;
mod open_actions;
mod parameters;
mod pasted_names;
mod patterns;
mod preprocess;
pub(crate) mod preprocessor_branches;
mod push;
mod record_types;
mod rust_attributes;
mod static_conditions;
mod string_types;
mod unlabelled_children;

use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashSet;
use syntax::{Language, Syntax};
use text::Text;
use tree_sitter::{Node, TreeCursor};

use crate::deprecated;
use crate::expression::{Expression, Value};
use crate::facts::{Def, Extension, Facts, Glob, NONE, Narrowing, Ref, Scope};
use crate::name_table::Interner;
use crate::node_rules::NodeRules;
use crate::sorted_views::SortedViews;
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

/// Depth limit of the nesting: bounds the stack.
const MAX_DEPTH: u32 = 700;

/// Interval in nodes at which the interrupt flag is checked.
const INTERRUPT_CHECK_INTERVAL: u32 = 4096;

/// Limit of the return values kept per function.
const MAX_RETURN_VALUES: usize = 8;

/// What a node is used as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum UsedAs {
    Value,
    Type,
    /// A pattern: its names are bound.
    Pattern,
    Callee,
    Macro,
    /// A part of an import.
    Import,
    /// The start of an import's path.
    Path,
}

/// How names are bound at the current node.
#[derive(Clone, Copy)]
struct Binding {
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
    is_assignment: bool,
}

impl Binding {
    /// Defines a `kind` in `scope`, visible in all of it, without a value.
    fn new(kind: DefinitionKind, scope: u32, (start, end): (u32, u32)) -> Self {
        Self {
            kind,
            namespace: None,
            scope,
            source: Value::NONE,
            from: 0,
            flags: Flags::default(),
            start,
            end,
            is_assignment: false,
        }
    }
}

/// What the children of one node returned.
struct LoweringContext {
    /// The scope around the node.
    outer_scope: u32,
    /// The definition that the node makes, once its name was lowered.
    definition: u32,
    object: Value,
    ty: Value,
    value: Value,
    /// What the body returned.
    body: Value,
    /// Arguments, elements or supertypes.
    list: Vec<Value>,
    result: Value,
    /// How many names or positions were lowered.
    count: u32,
    /// The span of the last name or path.
    last_span: Option<(u32, u32)>,
    alias: Option<(u32, u32)>,
    interface: Value,
    /// The scope with the members of a receiver's type.
    receiver: u32,
    /// Whether the consequence of a branch leaves the function or loop.
    leaves: bool,
    /// Whether a branch has an alternative.
    has_alternative: bool,
    /// The placeholder expression to fill in once the value is known.
    placeholder: Value,
    /// How many tests, and how many failed tests, were known before the node.
    tests: (usize, usize),
    /// The comment that documents a function.
    comment: Option<(u32, u32)>,
    /// Whether a branch's condition holds, if that is known.
    holds: Option<bool>,
    /// Whether a child with the role `first` was lowered.
    has_first: bool,
}

/// The state of one traversal: the facts collected so far, and the context of the current node.
pub(crate) struct Lowerer<'t> {
    rules: &'static NodeRules,
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
    /// Type tests of the condition being lowered: the name, where the test ends, the type.
    /// `failed_tests` are those that hold where the condition does not.
    type_tests: Vec<(u32, u32, Value)>,
    failed_tests: Vec<(u32, u32, Value)>,
    argument_parser: macro_arguments::MacroArgumentParser<'t>,
    package: u32,
    scope: u32,
    /// How names are bound at the current node.
    bind: Binding,
    /// Flags for definitions of a scope that modifiers or wrappers have announced, and the scope.
    pending_flags: (Flags, u32),
    /// Names that a function binds elsewhere (`global`, `nonlocal`): the scope, the name, the scope
    /// they go to.
    redirects: Vec<(u32, u32, u32)>,
    /// Types whose members a scope's type embeds.
    embedded_types: Vec<(u32, Value)>,
    /// The module of the current import.
    import_module: Value,
    /// The type that is expected of the current value: a declared type, or a call's parameter.
    expected_type: Value,
    /// The type whose arguments are lowered.
    generic_base: Value,
    callee: Value,
    /// The declared return type of the enclosing function.
    declared_return: Value,
    /// Types that functions declare for `this`, by scope.
    this_types: Vec<(u32, Value)>,
    /// The last string lowered.
    last_string: (u32, u32),
    /// Whether the declaration is a `var`, which belongs to the whole function.
    is_var_declaration: bool,
    /// Whether the next function declarator is that of the enclosing definition.
    is_definition_declarator: bool,
    /// The value that a `match` matches.
    match_subject: Value,
    /// The name of what a choice matches, for its type tests.
    match_name: u32,
    path_end: Option<(u32, u32)>,
    /// How many names the last binding bound.
    bound_name_count: u32,
    /// The names that the file exports explicitly (`__all__`); `None` if it does not.
    exported_names: Option<Vec<u32>>,
    /// Whether more names are exported that only running the code reveals.
    has_computed_exports: bool,
    pending_attributes: rust_attributes::PendingAttributes,
    /// The offsets of comment types that were read.
    read_comment_types: FxHashSet<u32>,
    /// The state of the current preprocessor branch, and of the branches before it.
    branch: preprocessor_branches::Branch,
    earlier_branches: preprocessor_branches::EarlierBranches,
    /// Ranges that are inactive on every system like this one.
    foreign: Vec<(u32, u32)>,
    /// Branches of conditions.
    branches: Vec<crate::facts::Branch>,
    /// How many unnamed namespaces enclose the node.
    unnamed_namespaces: u32,
    /// Macros that the file has defined so far.
    macros: preprocessor_branches::DefinedMacros<'t>,
    /// Blocks that macros open and close.
    macro_regions: macro_regions::MacroRegions<'t>,
    depth: u32,
    steps: u32,
    interrupt: &'t AtomicBool,
    is_interrupted: bool,
}

impl<'t> Lowerer<'t> {
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
        let rules = NodeRules::of(language);
        let cplusplus = rules.preprocessor == Some(true);
        let preprocessed = match rules.preprocessor {
            Some(cplusplus) => {
                preprocess::preprocess(language, whole, syntax, &text, cplusplus, stop)?
            }
            None => preprocess::Preprocessed::default(),
        };
        let parsed;
        let syntax = match preprocessed.syntax.as_ref().or(syntax) {
            Some(syntax) => syntax,
            None => {
                parsed = Syntax::parse_until(language, whole, None, stop)?;
                &parsed
            }
        };
        let trees = macro_arguments::TreeChain::default();
        let mut lowerer = Lowerer {
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
            type_tests: Vec::new(),
            failed_tests: Vec::new(),
            argument_parser: macro_arguments::MacroArgumentParser::new(
                syntax.tree().language().to_owned(),
                &trees,
                text.len(),
            ),
            package: NONE,
            scope: NONE,
            bind: Binding {
                kind: DefinitionKind::Variable,
                namespace: None,
                scope: 0,
                source: Value::NONE,
                from: 0,
                flags: Flags::default(),
                start: 0,
                end: 0,
                is_assignment: false,
            },
            pending_flags: (Flags::default(), NONE),
            redirects: Vec::new(),
            embedded_types: Vec::new(),
            import_module: Value::NONE,
            expected_type: Value::NONE,
            generic_base: Value::NONE,
            callee: Value::NONE,
            declared_return: Value::NONE,
            this_types: Vec::new(),
            last_string: (0, 0),
            is_var_declaration: false,
            is_definition_declarator: false,
            match_subject: Value::NONE,
            match_name: NONE,
            path_end: None,
            bound_name_count: 1,
            exported_names: None,
            has_computed_exports: false,
            pending_attributes: Self::no_attributes(),
            read_comment_types: FxHashSet::default(),
            branch: preprocessor_branches::Branch::default(),
            earlier_branches: preprocessor_branches::EarlierBranches::default(),
            foreign: Vec::new(),
            branches: Vec::new(),
            unnamed_namespaces: 0,
            macros: preprocessor_branches::DefinedMacros { cplusplus, ..Default::default() },
            macro_regions: macro_regions::MacroRegions::of(&preprocessed.aside),
            depth: 0,
            steps: 0,
            interrupt,
            is_interrupted: interrupt.load(Ordering::Relaxed),
        };
        let file = lowerer.names.number("");
        lowerer.scope = lowerer.push_scope(ScopeKind::File, 0, len);
        let mut whole = Def::of_file(file, len);
        if syntax.has_errors() {
            whole.flags |= Flags::FALLBACK;
        }
        lowerer.definitions.push(whole);
        lowerer.scopes[0].owner = 0;
        if rules.starts_with_code {
            let start = lowerer.first_code(syntax.root());
            (lowerer.definitions[0].name_start, lowerer.definitions[0].name_end) = (start, start);
        }
        if rules.constraints && build_constraints::is_excluded_by_constraints(&text) {
            lowerer.definitions[0].flags |= Flags::INACTIVE;
        }
        lowerer.lower_node(UsedAs::Value);
        lowerer.lower_remaining_comment_types(syntax.root());
        if rules.preprocessor.is_some() {
            lowerer.lower_pasted_names();
        }
        lowerer.lower_skipped_names(&preprocessed.left);
        lowerer.reference_blanked_words(&preprocessed.aside);
        lowerer.record_branches(&preprocessed.aside.branches);
        lowerer.finish(syntax, len)
    }

    /// Where the first node starts that is not a comment.
    fn first_code(&self, root: Node<'_>) -> u32 {
        let mut cursor = root.walk();
        let skipped = |node: &Node<'_>| {
            let rule = self.rules.rule(node.kind_id());
            rule.is_some_and(|r| r.action.kind == crate::vocabulary::ActionKind::Skip)
        };
        root.children(&mut cursor).find(|n| !skipped(n)).map_or(0, |n| span(n).0)
    }

    /// Sorts the names, renumbers everything that refers to them, and assembles the facts. `None`
    /// after an interrupt.
    fn finish(self, syntax: &Syntax, len: u32) -> Option<Facts> {
        if self.is_interrupted {
            return None;
        }
        let Self {
            names, mut definitions, mut references, mut expressions, exported_names, ..
        } = self;
        if let Some(exported) = exported_names {
            if !self.has_computed_exports {
                definitions[0].flags |= Flags::LISTED;
            }
            let own = definitions.iter_mut().filter(|d| d.scope == 0 && exported.contains(&d.name));
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
        let orders = SortedViews::of(&definitions, &references);
        let deprecated =
            deprecated::deprecated_name_spans(self.text, syntax.language().id(), &definitions);
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
            other_platform_ranges: foreign.into(),
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

impl<'t> Lowerer<'t> {
    /// Lowers the node under the cursor and leaves the cursor there.
    fn lower_node(&mut self, used_as: UsedAs) -> Value {
        self.steps += 1;
        if self.steps.is_multiple_of(INTERRUPT_CHECK_INTERVAL)
            && self.interrupt.load(Ordering::Relaxed)
        {
            self.is_interrupted = true;
        }
        if self.is_interrupted || self.depth >= MAX_DEPTH {
            return Value::NONE;
        }
        self.depth += 1;
        let node = self.cursor.node();
        if self.macro_regions.next <= node.start_byte() {
            self.enter_and_leave_regions(node.start_byte());
        }
        let value = match self.rules.rule(node.kind_id()) {
            Some(rule) => self.apply_rule(rule, node, used_as),
            None => self.lower_children(used_as),
        };
        if self.macro_regions.next <= node.end_byte() {
            // A block that ends with the node ends inside of it.
            self.leave_regions(node.end_byte());
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
    fn lower_children(&mut self, used_as: UsedAs) -> Value {
        if !self.cursor.goto_first_child() {
            return Value::NONE;
        }
        let used_as = if used_as == UsedAs::Callee { UsedAs::Value } else { used_as };
        let mut value = Value::NONE;
        loop {
            if self.cursor.node().is_named() {
                let given = self.lower_node(used_as);
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
    fn collect_children(&mut self, used_as: UsedAs, into: &mut Vec<Value>) {
        if !self.cursor.goto_first_child() {
            return;
        }
        loop {
            if self.cursor.node().is_named() {
                let rule = self.rules.rule(self.cursor.node().kind_id());
                if rule.is_some_and(|r| r.action.kind == crate::vocabulary::ActionKind::List) {
                    self.collect_children(used_as, into);
                } else if rule.is_none_or(|r| r.action.kind != crate::vocabulary::ActionKind::Skip)
                {
                    self.bound_name_count = 1;
                    let value = self.lower_node(used_as);
                    let times =
                        if used_as == UsedAs::Type { self.bound_name_count.min(8) } else { 1 };
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
