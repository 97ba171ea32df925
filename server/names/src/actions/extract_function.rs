//! `extract_function`: moves statements, or an expression, into a function.
//!
//! Local variables that the code reads become parameters; those it assigns become results. Anything
//! else that ties the code to its function is a reason to refuse.

mod data_flow;
mod naming;
mod narrowing;
mod required_types;
mod types;
mod write;

use std::ops::Range;

use tree_sitter::Node;

use super::context::{ActionContext, any_descendant, visit_leaves};
use super::extract_variable::{check_is_value, selected_value};
use super::inline_variable::is_member_name;
use super::{
    ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Reason, refusal, value_type,
};
use crate::resolve::DefId;
use crate::vocabulary::DefinitionKind;
use data_flow::DataFlow;
pub(super) use write::indentation_unit;

pub(super) const EXTRACT_FUNCTION: Planner = Planner {
    id: "extract_function",
    kind: "refactor.extract.function",
    wide: false,
    offers,
    plan,
};

/// Limit for the extracted code, in bytes.
const MAX_EXTRACTED: usize = 40_000;

/// The code to extract.
enum Selection<'a> {
    Expression(Node<'a>),
    /// Adjacent statements of a block.
    Statements(Vec<Node<'a>>),
}

impl<'a> Selection<'a> {
    fn first(&self) -> Node<'a> {
        match self {
            Self::Expression(node) => *node,
            Self::Statements(all) => all[0],
        }
    }

    fn nodes(&self) -> &[Node<'a>] {
        match self {
            Self::Expression(node) => std::slice::from_ref(node),
            Self::Statements(all) => all,
        }
    }

    fn range(&self) -> Range<usize> {
        let last = self.nodes().last().map_or(0, Node::end_byte);
        self.first().start_byte()..last
    }
}

fn offers(ctx: &ActionContext<'_>) -> Vec<Offer> {
    match selection(ctx) {
        Some(_) => Offer::single("Extract into function"),
        None => Vec::new(),
    }
}

/// The selected statements of one block, or the selected expression.
fn selection<'a>(ctx: &ActionContext<'a>) -> Option<Selection<'a>> {
    let grammar = ctx.grammar?;
    if ctx.range.is_empty() || ctx.range.len() > MAX_EXTRACTED {
        return None;
    }
    let root = ctx.request.syntax.root();
    let mut block = root.descendant_for_byte_range(ctx.range.start, ctx.range.end)?;
    loop {
        if grammar.blocks.contains(&block.kind()) && block.byte_range() != ctx.range {
            break;
        }
        let Some(parent) = block.parent() else { break };
        // A Python block that is selected as a whole has no braces around it.
        if grammar.blocks.contains(&block.kind())
            && ctx.source[block.byte_range()].starts_with(|c| c != '{')
        {
            break;
        }
        block = parent;
    }
    let mut cursor = block.walk();
    let inside: Vec<_> = block
        .named_children(&mut cursor)
        .filter(|c| c.end_byte() > ctx.range.start && c.start_byte() < ctx.range.end)
        .collect();
    let is_whole_statements = inside.first().zip(inside.last()).is_some_and(|(first, last)| {
        first.start_byte() == ctx.range.start && last.end_byte() == ctx.range.end
    });
    if grammar.blocks.contains(&block.kind()) && is_whole_statements {
        let has_statement = inside.iter().any(|n| !n.kind().contains("comment"));
        return has_statement.then_some(Selection::Statements(inside));
    }
    selected_value(ctx).map(Selection::Expression)
}

fn plan(ctx: &ActionContext<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    let none =
        || refusal(Reason::NotApplicable, "neither statements nor an expression are selected");
    let selection = selection(ctx).ok_or_else(none)?;
    let grammar = ctx.grammar.ok_or_else(none)?;
    let function = ctx.function_around(selection.first());
    if !grammar.functions.contains(&function.kind()) {
        return Err(refusal(Reason::Scope, "it is not in a function"));
    }
    if let Selection::Expression(node) = &selection {
        check_is_value(ctx, *node)?;
        value_type::check_not_narrowing(ctx, *node, function)?;
        if super::extract_constant::is_constant(*node) {
            return Err(refusal(Reason::NotApplicable, "it is a constant"));
        }
        if super::context::any_ancestor(*node, function, &|n| {
            super::extract_constant::NO_NAME_ALLOWED.contains(&n.kind())
        }) {
            return Err(refusal(Reason::Unsupported, "it is not an expression of the function"));
        }
    }
    let top = outermost_declaration(ctx, function);
    if ctx.has_syntax_error(top) {
        return Err(refusal(Reason::Syntax, "the surrounding code has a syntax error"));
    }
    check_independent(ctx, &selection)?;
    check_no_private_members(ctx, &selection)?;
    let data_flow = DataFlow::analyze(ctx, &selection, function)?;
    narrowing::check(ctx, &selection, function, &data_flow)?;
    if has_annotations(function) {
        types::check_not_first_use_of_empty(ctx, &selection, function, &data_flow)?;
    }
    let suggested = naming::suggested_name(ctx, &selection, &data_flow);
    let name = ctx.fresh_top_level_name(&suggested)?;
    write::edits(ctx, &selection, function, top, &data_flow, &name)
}

/// Whether a Python function has type annotations, so that a type checker checks its body.
fn has_annotations(function: Node<'_>) -> bool {
    let typed = |n: Node<'_>| matches!(n.kind(), "typed_parameter" | "typed_default_parameter");
    let parameters = function.child_by_field_name("parameters");
    function.child_by_field_name("return_type").is_some()
        || parameters.is_some_and(|parameters| any_descendant(parameters, &typed))
}

/// Checks that the code uses no private member, which a function outside the class could not
/// access.
fn check_no_private_members(
    ctx: &ActionContext<'_>,
    selection: &Selection<'_>,
) -> Result<(), ActionRefusal> {
    if !matches!(ctx.language, "typescript" | "tsx") {
        return Ok(());
    }
    let mut private_member = None;
    for node in selection.nodes() {
        visit_leaves(*node, &mut |leaf| {
            let at = ctx.facts.site_at(leaf.start_byte()).filter(|_| private_member.is_none());
            if let Some(at) = at.filter(|_| leaf.kind() == "property_identifier") {
                let found = ctx.resolver.definitions_at_site(ctx.file, at);
                let is_private = |id: DefId| {
                    let def = ctx.resolver.def(id);
                    let text = ctx.text_of(id.file)?;
                    let before = text.get(..def.name_start as usize)?;
                    let start = before.rfind(['\n', ';', '{', '(', ',']).map_or(0, |n| n + 1);
                    let mut words = before[start..].split_whitespace();
                    Some(words.any(|w| matches!(w, "private" | "protected")))
                };
                // If the member does not resolve, go by the naming convention.
                let may_be_private = match found.is_empty() {
                    true => ctx.text(leaf).starts_with('_'),
                    false => found.iter().any(|f| is_private(f.id) != Some(false)),
                };
                if may_be_private {
                    private_member = Some(ctx.text(leaf).to_owned());
                }
            }
        });
    }
    match private_member {
        Some(name) => {
            Err(refusal(Reason::Scope, format!("`{name}` is private to its class, or may be")))
        }
        None => Ok(()),
    }
}

/// The outermost declaration around a function; the new function goes beside it.
fn outermost_declaration<'a>(ctx: &ActionContext<'a>, function: Node<'a>) -> Node<'a> {
    let mut at = function;
    if matches!(ctx.language, "c" | "cpp") {
        return at;
    }
    while let Some(parent) = at.parent() {
        if parent.parent().is_none() {
            break;
        }
        let body = matches!(ctx.language, "rust" | "java") && parent.kind().ends_with("body");
        if body || ctx.language == "rust" && parent.kind() == "declaration_list" {
            break;
        }
        at = parent;
    }
    at
}

/// Checks for what ties the code to its function, apart from the names that it reads.
fn check_independent(
    ctx: &ActionContext<'_>,
    selection: &Selection<'_>,
) -> Result<(), ActionRefusal> {
    let is_tied = |n: Node<'_>| match ctx.language {
        "python" => {
            let kind = n.kind();
            // An attribute is declared where its object is initialised.
            let attribute = n.child_by_field_name("left").is_some_and(|l| l.kind() == "attribute");
            let annotated = kind == "assignment"
                && n.child_by_field_name("type").is_some()
                && (attribute || n.child_by_field_name("right").is_none());
            let word = matches!(
                ctx.text(n),
                "super" | "__class__" | "locals" | "vars" | "eval" | "exec" | "dir" | "globals"
            );
            let mangled = n.kind() == "identifier"
                && ctx.text(n).starts_with("__")
                && !ctx.text(n).ends_with("__");
            matches!(
                kind,
                "yield"
                    | "global_statement"
                    | "nonlocal_statement"
                    | "assert_statement"
                    | "delete_statement"
                    | "named_expression"
                    | "import_statement"
                    | "import_from_statement"
                    | "class_definition"
                    | "function_definition"
                    | "decorated_definition"
            ) || annotated
                || kind == "identifier" && word
                || mangled
        }
        "javascript" | "typescript" | "tsx" => {
            matches!(
                n.kind(),
                "this"
                    | "super"
                    | "yield_expression"
                    | "meta_property"
                    | "function_declaration"
                    | "class_declaration"
                    | "debugger_statement"
                    | "private_property_identifier"
                    | "generator_function_declaration"
            ) || n.kind() == "identifier" && matches!(ctx.text(n), "arguments" | "eval" | "require")
                || n.kind() == "variable_declaration"
                || n.kind() == "for_in_statement" && ctx.text(n).starts_with("for await")
                || n.kind().ends_with("_type")
                || n.kind() == "type_annotation"
                || n.kind() == "type_identifier"
        }
        "go" => {
            matches!(
                n.kind(),
                "defer_statement"
                    | "goto_statement"
                    | "labeled_statement"
                    | "fallthrough_statement"
                    | "func_literal"
                    | "select_statement"
                    | "const_declaration"
                    | "type_declaration"
            ) || n.kind() == "identifier" && ctx.text(n) == "recover"
        }
        "java" => matches!(
            n.kind(),
            "class_declaration"
                | "synchronized_statement"
                | "throw_statement"
                | "yield_statement"
                | "labeled_statement"
                | "super"
                | "lambda_expression"
                | "class_body"
                | "record_declaration"
        ),
        "c" | "cpp" => {
            matches!(
                n.kind(),
                "goto_statement"
                    | "labeled_statement"
                    | "lambda_expression"
                    | "this"
                    | "try_statement"
                    | "throw_statement"
                    | "preproc_if"
                    | "preproc_ifdef"
                    | "preproc_def"
                    | "preproc_call"
                    | "preproc_include"
                    | "gnu_asm_expression"
                    | "co_await_expression"
                    | "sizeof_expression"
            ) || n.kind() == "identifier" && ctx.text(n).starts_with("__")
        }
        "rust" => matches!(
            n.kind(),
            "try_expression"
                | "await_expression"
                | "closure_expression"
                | "self"
                | "function_item"
                | "use_declaration"
                | "macro_definition"
                | "unsafe_block"
                | "lifetime"
                | "yield_expression"
                | "const_item"
                | "struct_item"
                | "impl_item"
                | "async_block"
                | "macro_invocation"
                | "label"
        ),
        _ => true,
    };
    for node in selection.nodes() {
        if matches!(ctx.language, "c" | "cpp") {
            if matches!(node.kind(), "case_statement" | "labeled_statement") {
                return Err(refusal(Reason::Unsupported, "it starts with a label"));
            }
            if any_descendant(*node, &|n| n.kind() == "call_expression" && may_be_macro(ctx, n)) {
                return Err(refusal(Reason::Unknown, "a macro in it may use local names"));
            }
            if let Some(name) = declared_by_macro(ctx, *node, &selection.range()) {
                let why = format!("`{name}` may be declared by a macro");
                return Err(refusal(Reason::Unknown, why));
            }
        }
        if any_descendant(*node, &is_tied) {
            return Err(refusal(
                Reason::Control,
                "it contains code that only works in its function",
            ));
        }
    }
    check_jumps(ctx, selection)
}

/// Whether the callee may be a macro, which could use any name in scope.
pub(super) fn may_be_macro(ctx: &ActionContext<'_>, call: Node<'_>) -> bool {
    let Some(function) = call.child_by_field_name("function") else { return true };
    if function.kind() != "identifier" {
        return false;
    }
    let found = ctx.facts.site_at(function.start_byte());
    let found = found.map(|at| ctx.resolver.definitions_at_site(ctx.file, at)).unwrap_or_default();
    let is_macro = |id: DefId| ctx.resolver.def(id).kind == DefinitionKind::Macro;
    let is_upper_case = ctx.text(function).chars().all(|c| !c.is_lowercase());
    found.iter().any(|f| is_macro(f.id)) || found.is_empty() && is_upper_case
}

/// A name that nothing declares and that is an argument of a C macro in the function. The macro may
/// declare it, with an unknown type.
fn declared_by_macro(
    ctx: &ActionContext<'_>,
    node: Node<'_>,
    selection: &Range<usize>,
) -> Option<String> {
    let function = ctx.function_around(node);
    let mut unknown: Vec<&str> = Vec::new();
    for name in ctx.names_read_in(node.byte_range()) {
        let written = ctx.source.get(name.span.clone()).unwrap_or("");
        let place = ctx.facts.site_at(name.span.start);
        let found =
            place.map(|at| ctx.resolver.definitions_at_site(ctx.file, at)).unwrap_or_default();
        if found.is_empty() && !written.is_empty() {
            unknown.push(written);
        }
    }
    if unknown.is_empty() {
        return None;
    }
    let mut argument_name = None;
    visit_all(function, &mut |call| {
        let arguments = call.child_by_field_name("arguments");
        let arguments = arguments.filter(|_| call.kind() == "call_expression");
        let Some(arguments) = arguments.filter(|_| argument_name.is_none()) else { return };
        if selection.contains(&call.start_byte()) {
            return;
        }
        let callee = call.child_by_field_name("function");
        let known = callee.and_then(|f| ctx.facts.site_at(f.start_byte())).is_some_and(|at| {
            let found = ctx.resolver.definitions_at_site(ctx.file, at);
            !found.is_empty()
                && found.iter().all(|f| ctx.resolver.def(f.id).kind != DefinitionKind::Macro)
        });
        if known {
            return;
        }
        let mut cursor = arguments.walk();
        let named = arguments.named_children(&mut cursor).find(|argument| {
            let plain = argument.kind() == "identifier";
            plain && unknown.contains(&ctx.text(*argument)) && ctx.text(*argument) != "NULL"
        });
        argument_name = named.map(|argument| ctx.text(argument).to_owned());
    });
    argument_name
}

/// Checks that breaks and returns stay within the code.
fn check_jumps(ctx: &ActionContext<'_>, selection: &Selection<'_>) -> Result<(), ActionRefusal> {
    if ctx.language == "java" {
        let function = ctx.function_around(selection.first());
        let is_try = |n: Node<'_>| n.kind().starts_with("try_");
        let around = super::context::any_ancestor(selection.first(), function, &is_try);
        let within = selection.nodes().iter().any(|n| any_descendant(*n, &is_try));
        if around || within || function.kind() == "lambda_expression" {
            return Err(refusal(
                Reason::Control,
                "an exception that it throws is caught around it",
            ));
        }
    }
    let range = selection.range();
    let loops = [
        "for_statement",
        "while_statement",
        "do_statement",
        "for_in_statement",
        "for_expression",
        "while_expression",
        "loop_expression",
        "enhanced_for_statement",
        "for_range_loop",
    ];
    let switches = [
        "switch_statement",
        "expression_switch_statement",
        "switch_expression",
        "type_switch_statement",
    ];
    for node in selection.nodes() {
        let mut escaping = None;
        visit_all(*node, &mut |n| {
            let kind = n.kind();
            let (breaks, continues) = (kind.starts_with("break_"), kind.starts_with("continue_"));
            if !(breaks || continues) {
                return;
            }
            let mut at = n;
            while let Some(parent) = at.parent() {
                if parent.start_byte() < range.start || parent.end_byte() > range.end {
                    escaping = Some(n);
                    return;
                }
                if loops.contains(&parent.kind()) || breaks && switches.contains(&parent.kind()) {
                    // A label may target an outer loop.
                    if n.named_child_count() > 0 {
                        escaping = Some(n);
                    }
                    return;
                }
                at = parent;
            }
        });
        if escaping.is_some() {
            return Err(refusal(
                Reason::Control,
                "it breaks escaping of a loop that is not selected",
            ));
        }
    }
    check_function_end(ctx, selection)?;
    let returns = |n: Node<'_>| matches!(n.kind(), "return_statement" | "return_expression");
    let own = |n: &Node<'_>| any_outside_nested_functions(ctx, *n, &returns);
    let last = selection.nodes().iter().rev().find(|n| !n.kind().contains("comment"));
    let ends = last.is_some_and(|n| n.kind() == "return_statement");
    match selection.nodes().iter().any(own) && !ends {
        true => Err(refusal(Reason::Control, "it returns conditionally")),
        false => Ok(()),
    }
}

/// Checks that the function still visibly ends: a compiler cannot see that a call never returns.
fn check_function_end(
    ctx: &ActionContext<'_>,
    selection: &Selection<'_>,
) -> Result<(), ActionRefusal> {
    let Selection::Statements(all) = selection else { return Ok(()) };
    let code = all.iter().rev().find(|n| !n.kind().contains("comment"));
    let Some(last) = code.filter(|n| n.kind() != "return_statement") else { return Ok(()) };
    if matches!(last.kind(), "raise_statement" | "throw_statement") {
        return Err(refusal(Reason::Control, "it always throws"));
    }
    let function = ctx.function_around(*last);
    let result =
        ["return_type", "result", "type"].iter().find_map(|f| function.child_by_field_name(f));
    let typed =
        result.is_some_and(|r| !matches!(ctx.text(r).trim_matches([':', ' ']), "None" | "void"));
    let mut next = last.next_named_sibling();
    while let Some(comment) = next.filter(|n| n.kind().contains("comment")) {
        next = comment.next_named_sibling();
    }
    if next.is_none() && typed {
        return Err(refusal(Reason::Control, "it may be what returns from the function"));
    }
    Ok(())
}

/// Whether a predicate holds for a node or a descendant, nested functions excluded.
fn any_outside_nested_functions(
    ctx: &ActionContext<'_>,
    node: Node<'_>,
    holds: &dyn Fn(Node<'_>) -> bool,
) -> bool {
    if holds(node) {
        return true;
    }
    if ctx.grammar.is_some_and(|g| g.functions.contains(&node.kind())) {
        return false;
    }
    let mut cursor = node.walk();
    let children: Vec<_> = node.children(&mut cursor).collect();
    children.into_iter().any(|c| any_outside_nested_functions(ctx, c, holds))
}

fn visit_all<'t>(node: Node<'t>, visit: &mut dyn FnMut(Node<'t>)) {
    let mut cursor = node.walk();
    loop {
        visit(cursor.node());
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The occurrences of a plain name in a node.
fn name_occurrences<'t>(ctx: &ActionContext<'_>, within: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let mut all = Vec::new();
    visit_leaves(within, &mut |leaf| {
        if leaf.kind().contains("identifier") && ctx.text(leaf) == name && !is_member_name(leaf) {
            all.push(leaf);
        }
    });
    all
}
