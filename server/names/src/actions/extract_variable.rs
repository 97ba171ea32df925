//! `extract_variable`: moves an expression into a variable before its statement.
//!
//! The value is then evaluated earlier than before, and exactly once: neither must make a
//! difference.

use tree_sitter::Node;

use super::context::{ActionContext, any_ancestor, any_descendant, is_child};
use super::value_type::{self, TypeAnnotation};
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Reason, refusal};

pub(super) const EXTRACT_VARIABLE: Planner = Planner {
    id: "extract_variable",
    kind: "refactor.extract.variable",
    wide: false,
    offers,
    plan,
};

fn offers(ctx: &ActionContext<'_>) -> Vec<Offer> {
    match selected_value(ctx) {
        Some(_) => Offer::single("Extract into variable"),
        None => Vec::new(),
    }
}

/// The selected expression.
pub(super) fn selected_value<'a>(ctx: &ActionContext<'a>) -> Option<Node<'a>> {
    let mut node = ctx.selected_node()?;
    // The statement keeps the parentheses; extract what is inside.
    while node.kind() == "parenthesized_expression" && node.named_child_count() == 1 {
        node = node.named_child(0)?;
    }
    ctx.grammar?.extractable.contains(&node.kind()).then_some(node)
}

fn plan(ctx: &ActionContext<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    let none = || refusal(Reason::NotApplicable, "no expression is selected_node");
    let node = selected_value(ctx).ok_or_else(none)?;
    check_is_value(ctx, node)?;
    let statement = statement_around(ctx, node)?;
    if ctx.has_syntax_error(statement) {
        return Err(refusal(Reason::Syntax, "the statement has a syntax error"));
    }
    check_order(ctx, node, statement)?;
    check_names(ctx, node, statement)?;
    let annotation = value_type::annotation(ctx, node, statement)?;
    let name = ctx.fresh_name(&suggested_name(ctx, node))?;
    let grammar = ctx.grammar.ok_or_else(none)?;
    let code = value_code(ctx, node);
    let mut declaration = grammar.declaration.replace("{n}", &name).replace("{e}", &code);
    if let TypeAnnotation::Type(ty) = annotation {
        declaration = declaration.replace("{t}", &ty);
    }
    let start = statement.start_byte();
    let (line_end, indent) = (ctx.line_end(), ctx.indentation_at(start));
    let before = match ctx.is_first_on_line(start) {
        true => format!("{declaration}{line_end}{indent}"),
        false if ctx.language == "python" || ctx.language == "go" => {
            return Err(refusal(
                Reason::Unsupported,
                "the statement shares its line with other code",
            ));
        }
        false => format!("{declaration} "),
    };
    let edits = if node.byte_range().start == start {
        vec![(node.byte_range(), format!("{before}{name}"))]
    } else {
        vec![(start..start, before), (node.byte_range(), name.clone())]
    };
    Ok(ActionPlan::from_edits(ctx.file, edits).with_generated_name(ctx, &name))
}

/// The expression as the value of the declaration.
fn value_code(ctx: &ActionContext<'_>, node: Node<'_>) -> String {
    let code = ctx.text(node);
    let is_bracketed = ["(", "[", "{"].iter().any(|b| code.starts_with(b))
        && !matches!(node.kind(), "call" | "attribute" | "subscript" | "binary_operator");
    if ctx.language == "python" && code.contains('\n') && !is_bracketed && node.kind() != "string" {
        return format!("({code})");
    }
    code.to_owned()
}

/// Checks that the expression stands for a value.
pub(super) fn check_is_value(ctx: &ActionContext<'_>, node: Node<'_>) -> Result<(), ActionRefusal> {
    let Some(grammar) = ctx.grammar else {
        return Err(refusal(Reason::NotApplicable, "this language is not supported"));
    };
    let listed = node.parent().filter(|p| p.kind() == "expression_list");
    if is_child(grammar.non_values, node)
        || listed.is_some_and(|list| is_child(grammar.assigned, list))
    {
        return Err(refusal(Reason::Unsupported, "it is more than a value here"));
    }
    if may_name_type(ctx, node) {
        return Err(refusal(Reason::Unsupported, "it may be the name of a type"));
    }
    if any_descendant(node, &|n| grammar.control_flow.contains(&n.kind())) {
        return Err(refusal(Reason::Control, "it returns, breaks, yields or binds a name"));
    }
    Ok(())
}

/// Whether a Python string may contain a type's name.
fn may_name_type(ctx: &ActionContext<'_>, node: Node<'_>) -> bool {
    const TYPING: &[&str] = &[
        "cast",
        "TypeVar",
        "NewType",
        "ParamSpec",
        "TypedDict",
        "NamedTuple",
        "namedtuple",
        "TypeVarTuple",
        "Enum",
    ];
    let root = ctx.request.syntax.root();
    ctx.language == "python"
        && any_descendant(node, &|n| n.kind() == "string")
        && any_ancestor(node, root, &|n| {
            let callee = n.child_by_field_name("function").map_or("", |f| ctx.text(f));
            TYPING.iter().any(|t| callee.ends_with(t))
        })
}

/// The statement before which the expression would be evaluated.
pub(super) fn statement_around<'a>(
    ctx: &ActionContext<'a>,
    node: Node<'a>,
) -> Result<Node<'a>, ActionRefusal> {
    let Some(grammar) = ctx.grammar else {
        return Err(refusal(Reason::NotApplicable, "this language is not supported"));
    };
    let mut at = node;
    while let Some(parent) = at.parent() {
        let outer = parent.parent().map_or("", |p| p.kind());
        let is_list = parent.kind() == "statement_list";
        if grammar.blocks.contains(&parent.kind()) && (!is_list || outer == "block") {
            let member = outer.contains("class") && ctx.language == "python";
            if member {
                return Err(refusal(Reason::Scope, "it would become a member of the class"));
            }
            return Ok(at);
        }
        if is_child(grammar.conditional, at) || is_conditional(ctx, parent, at) {
            let why = "it is not evaluated exactly once at the start of its statement";
            return Err(refusal(Reason::Conditional, why));
        }
        at = parent;
    }
    Err(refusal(Reason::Scope, "it is not in a statement"))
}

/// Whether a child is evaluated conditionally because of its parent's operator.
fn is_conditional(ctx: &ActionContext<'_>, parent: Node<'_>, child: Node<'_>) -> bool {
    let Some(grammar) = ctx.grammar else { return true };
    let mut cursor = parent.walk();
    let children: Vec<_> = parent.children(&mut cursor).collect();
    let Some(own) = children.iter().position(|c| c.id() == child.id()) else { return true };
    let before = &children[..own];
    if before.iter().any(|c| c.kind() == "optional_chain" || ctx.text(*c) == "?.") {
        return true;
    }
    // `a?.b(c)` evaluates the arguments only if there is something to call.
    if before.iter().any(|c| any_descendant(*c, &|n| n.kind() == "optional_chain")) {
        return true;
    }
    let operators = before.iter().filter(|c| !c.is_named());
    let mut lazy = operators.filter(|c| grammar.lazy_operators.contains(&ctx.text(**c)));
    let assigns = || before.iter().any(|c| matches!(ctx.text(*c), "&&=" | "||=" | "??="));
    // `a < b < c` evaluates `c` only if `a < b`.
    lazy.next().is_some() || assigns() || parent.kind() == "comparison_operator" && own > 2
}

/// Checks that the expression and the code of the statement that is evaluated before it are
/// independent.
fn check_order<'a>(
    ctx: &ActionContext<'a>,
    node: Node<'a>,
    statement: Node<'a>,
) -> Result<(), ActionRefusal> {
    check_order_at(ctx, node, node, statement)
}

/// The same for a value that would be at `node`, or is there.
pub(super) fn check_order_at<'a>(
    ctx: &ActionContext<'a>,
    value: Node<'a>,
    node: Node<'a>,
    statement: Node<'a>,
) -> Result<(), ActionRefusal> {
    let mut earlier = Vec::new();
    let mut at = node;
    while at.id() != statement.id() {
        let Some(parent) = at.parent() else { break };
        let mut cursor = parent.walk();
        earlier
            .extend(parent.named_children(&mut cursor).filter(|c| c.end_byte() <= at.start_byte()));
        at = parent;
    }
    if earlier.is_empty() {
        return Ok(());
    }
    let constant = !any_descendant(value, &|n| n.kind().contains("identifier") || is_self(n));
    if constant && !ctx.has_effects(value) {
        return Ok(());
    }
    if earlier.iter().any(|n| ctx.has_effects(*n)) {
        let why = "earlier code of the statement may change its value";
        return Err(refusal(Reason::Order, why));
    }
    if !ctx.has_effects(value) {
        return Ok(());
    }
    let function = ctx.function_around(node);
    for read in earlier {
        if is_callee(read) {
            continue;
        }
        let member = any_descendant(read, &|n| {
            let kind = n.kind();
            let inner =
                ["member", "attribute", "subscript", "index", "selector", "field", "pointer"];
            inner.iter().any(|k| kind.starts_with(k)) && kind != "field_identifier" || is_self(n)
        });
        if member {
            let why = "it may change what earlier code of the statement reads";
            return Err(refusal(Reason::Order, why));
        }
        let range = read.byte_range();
        for name in ctx.names_read_in(range) {
            let written = ctx.source.get(name.span.clone()).unwrap_or("");
            let local =
                name.definitions.iter().all(|d| ctx.is_local(*d)) && !name.definitions.is_empty();
            let fixed = name.definitions.iter().all(|d| !ctx.def(*d).kind.is_callable());
            if fixed && (!local || ctx.write_positions(function, written).len() > 1) {
                let why =
                    format!("it may change `{written}`, which earlier code of the statement reads");
                return Err(refusal(Reason::Order, why));
            }
        }
    }
    Ok(())
}

fn is_self(node: Node<'_>) -> bool {
    matches!(node.kind(), "this" | "self" | "super")
}

/// Whether a node is a plain name that is the callee or receiver of a call.
fn is_callee(node: Node<'_>) -> bool {
    let is_function =
        ["function", "macro", "constructor", "object", "name", "type"].iter().any(|f| {
            node.parent()
                .is_some_and(|p| p.child_by_field_name(f).is_some_and(|c| c.id() == node.id()))
        });
    is_function
        && !any_descendant(node, &|n| {
            let kind = n.kind();
            kind.contains("call") || kind.contains("index") || kind.contains("subscript")
        })
}

/// Checks that the names it reads are visible before the statement.
fn check_names(
    ctx: &ActionContext<'_>,
    node: Node<'_>,
    statement: Node<'_>,
) -> Result<(), ActionRefusal> {
    let inside = node.byte_range();
    for name in ctx.names_read_in(inside.clone()) {
        for def in name.definitions {
            let at = ctx.def(def).name_start as usize;
            let within = statement.start_byte() <= at && at < statement.end_byte();
            if within && !inside.contains(&at) {
                let why = format!("`{}` is visible only within the statement", ctx.name_of(def));
                return Err(refusal(Reason::Scope, why));
            }
        }
    }
    Ok(())
}

/// A name for the value, from the function or member that yields it.
pub(super) fn suggested_name(ctx: &ActionContext<'_>, node: Node<'_>) -> String {
    let mut at = node;
    loop {
        let next = ["function", "property", "attribute", "field", "name", "macro"]
            .iter()
            .find_map(|f| at.child_by_field_name(f));
        match next {
            Some(next) if at.kind() != "binary_expression" => at = next,
            _ => break,
        }
    }
    let called = at.id() != node.id() && at.child_count() == 0;
    let word = if called { ctx.text(at) } else { "" };
    let word = ["get_", "to_", "is_", "new_", "make_"]
        .iter()
        .find_map(|p| word.strip_prefix(p).filter(|rest| rest.len() > 2))
        .unwrap_or(word);
    let fits = word.len() > 2 && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    let suffix = if matches!(ctx.language, "c" | "cpp") { "_value" } else { "" };
    match fits && word != "new" {
        true => format!("{}{suffix}", word.trim_start_matches('_')),
        false => "value".to_owned(),
    }
}
