//! `extract_variable`: an expression's value gets a name, before the statement that it is in.
//!
//! The value is then worked out earlier than it was, and always once: both must not matter.

use tree_sitter::Node;

use super::site::{Site, any, any_above, leads};
use super::value_type::{self, Written};
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Why, refusal};

pub(super) const VARIABLE: Planner = Planner {
    id: "extract_variable",
    kind: "refactor.extract.variable",
    wide: false,
    offers,
    plan,
};

fn offers(site: &Site<'_>) -> Vec<Offer> {
    match value(site) {
        Some(_) => Offer::one("Extract into variable"),
        None => Vec::new(),
    }
}

/// The expression that is selected.
pub(super) fn value<'a>(site: &Site<'a>) -> Option<Node<'a>> {
    let mut node = site.selected()?;
    // What needs its parentheses keeps them.
    while node.kind() == "parenthesized_expression" && node.named_child_count() == 1 {
        node = node.named_child(0)?;
    }
    site.grammar?.values.contains(&node.kind()).then_some(node)
}

fn plan(site: &Site<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    let none = || refusal(Why::Nothing, "no expression is selected");
    let node = value(site).ok_or_else(none)?;
    check_place(site, node)?;
    let statement = statement_around(site, node)?;
    if site.is_broken(statement) {
        return Err(refusal(Why::Syntax, "the statement has a syntax error"));
    }
    check_order(site, node, statement)?;
    check_names(site, node, statement)?;
    let written = value_type::written(site, node, statement)?;
    let name = site.fresh_name(&wished_name(site, node))?;
    let grammar = site.grammar.ok_or_else(none)?;
    let code = code_of(site, node);
    let mut declaration = grammar.variable.replace("{n}", &name).replace("{e}", &code);
    if let Written::Type(written) = written {
        declaration = declaration.replace("{t}", &written);
    }
    let start = statement.start_byte();
    let (line_end, indent) = (site.line_end(), site.indent_at(start));
    let before = match site.begins_line(start) {
        true => format!("{declaration}{line_end}{indent}"),
        false if site.language == "python" || site.language == "go" => {
            return Err(refusal(Why::Shape, "the statement shares its line with others"));
        }
        false => format!("{declaration} "),
    };
    let edits = if node.byte_range().start == start {
        vec![(node.byte_range(), format!("{before}{name}"))]
    } else {
        vec![(start..start, before), (node.byte_range(), name.clone())]
    };
    Ok(ActionPlan::of(site.file, edits).named(site, &name))
}

/// The expression as it stands alone.
fn code_of(site: &Site<'_>, node: Node<'_>) -> String {
    let code = site.text(node);
    let open = ["(", "[", "{"].iter().any(|b| code.starts_with(b))
        && !matches!(node.kind(), "call" | "attribute" | "subscript" | "binary_operator");
    if site.language == "python" && code.contains('\n') && !open && node.kind() != "string" {
        return format!("({code})");
    }
    code.to_owned()
}

/// Whether the expression is a value where it stands.
pub(super) fn check_place(site: &Site<'_>, node: Node<'_>) -> Result<(), ActionRefusal> {
    let Some(grammar) = site.grammar else {
        return Err(refusal(Why::Nothing, "nothing is known of the language"));
    };
    let listed = node.parent().filter(|p| p.kind() == "expression_list");
    if leads(grammar.places, node) || listed.is_some_and(|list| leads(grammar.written, list)) {
        return Err(refusal(Why::Shape, "it does not stand for its value alone here"));
    }
    if names_type(site, node) {
        return Err(refusal(Why::Shape, "it may be the name of a type"));
    }
    if any(node, &|n| grammar.control.contains(&n.kind())) {
        return Err(refusal(Why::Control, "it leaves the code around it, or names something"));
    }
    Ok(())
}

/// Whether a string of Python is where the name of a type may stand in one.
fn names_type(site: &Site<'_>, node: Node<'_>) -> bool {
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
    let root = site.place.syntax.root();
    site.language == "python"
        && any(node, &|n| n.kind() == "string")
        && any_above(node, root, &|n| {
            let callee = n.child_by_field_name("function").map_or("", |f| site.text(f));
            TYPING.iter().any(|t| callee.ends_with(t))
        })
}

/// The statement before which the value would be worked out.
pub(super) fn statement_around<'a>(
    site: &Site<'a>,
    node: Node<'a>,
) -> Result<Node<'a>, ActionRefusal> {
    let Some(grammar) = site.grammar else {
        return Err(refusal(Why::Nothing, "nothing is known of the language"));
    };
    let mut at = node;
    while let Some(parent) = at.parent() {
        let outer = parent.parent().map_or("", |p| p.kind());
        let is_list = parent.kind() == "statement_list";
        if grammar.blocks.contains(&parent.kind()) && (!is_list || outer == "block") {
            let member = outer.contains("class") && site.language == "python";
            if member {
                return Err(refusal(Why::Scope, "it would become a member of the class"));
            }
            return Ok(at);
        }
        if leads(grammar.conditional, at) || is_lazy(site, parent, at) {
            let why = "it is not worked out exactly once, where its statement begins";
            return Err(refusal(Why::Conditional, why));
        }
        at = parent;
    }
    Err(refusal(Why::Scope, "no statement is around it"))
}

/// Whether a child is worked out only sometimes because of what its parent's operator is.
fn is_lazy(site: &Site<'_>, parent: Node<'_>, child: Node<'_>) -> bool {
    let Some(grammar) = site.grammar else { return true };
    let mut cursor = parent.walk();
    let children: Vec<_> = parent.children(&mut cursor).collect();
    let Some(own) = children.iter().position(|c| c.id() == child.id()) else { return true };
    let before = &children[..own];
    if before.iter().any(|c| c.kind() == "optional_chain" || site.text(*c) == "?.") {
        return true;
    }
    // The arguments of what is called only where there is something to call.
    if before.iter().any(|c| any(*c, &|n| n.kind() == "optional_chain")) {
        return true;
    }
    let operators = before.iter().filter(|c| !c.is_named());
    let mut lazy = operators.filter(|c| grammar.lazy_operators.contains(&site.text(**c)));
    let assigns = || before.iter().any(|c| matches!(site.text(*c), "&&=" | "||=" | "??="));
    // `a < b < c` takes `c` only if `a < b`.
    lazy.next().is_some() || assigns() || parent.kind() == "comparison_operator" && own > 2
}

/// What is worked out before the expression now, within the statement, must not matter to it, nor
/// the expression to that.
fn check_order<'a>(
    site: &Site<'a>,
    node: Node<'a>,
    statement: Node<'a>,
) -> Result<(), ActionRefusal> {
    check_order_of(site, node, node, statement)
}

/// The same of a value that would stand at a place, or stands there.
pub(super) fn check_order_of<'a>(
    site: &Site<'a>,
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
    let constant = !any(value, &|n| n.kind().contains("identifier") || is_self(n));
    if constant && !site.has_effects(value) {
        return Ok(());
    }
    if earlier.iter().any(|n| site.has_effects(*n)) {
        let why = "something before it in the statement may change what it gives";
        return Err(refusal(Why::Order, why));
    }
    if !site.has_effects(value) {
        return Ok(());
    }
    let function = site.function_around(node);
    for read in earlier {
        if is_callee(read) {
            continue;
        }
        let member = any(read, &|n| {
            let kind = n.kind();
            let inner =
                ["member", "attribute", "subscript", "index", "selector", "field", "pointer"];
            inner.iter().any(|k| kind.starts_with(k)) && kind != "field_identifier" || is_self(n)
        });
        if member {
            let why = "it may change what the statement reads before it";
            return Err(refusal(Why::Order, why));
        }
        let range = read.byte_range();
        for name in site.names_in(range) {
            let written = site.source.get(name.span.clone()).unwrap_or("");
            let local = name.own.iter().all(|d| site.is_local(*d)) && !name.own.is_empty();
            let fixed = name.own.iter().all(|d| !site.def(*d).kind.is_callable());
            if fixed && (!local || site.writes(function, written).len() > 1) {
                let why = format!("it may change `{written}`, which the statement reads before it");
                return Err(refusal(Why::Order, why));
            }
        }
    }
    Ok(())
}

fn is_self(node: Node<'_>) -> bool {
    matches!(node.kind(), "this" | "self" | "super")
}

/// Whether a node is the function, or receiver, of a call, and only a name or names.
fn is_callee(node: Node<'_>) -> bool {
    let is_function =
        ["function", "macro", "constructor", "object", "name", "type"].iter().any(|f| {
            node.parent()
                .is_some_and(|p| p.child_by_field_name(f).is_some_and(|c| c.id() == node.id()))
        });
    is_function
        && !any(node, &|n| {
            let kind = n.kind();
            kind.contains("call") || kind.contains("index") || kind.contains("subscript")
        })
}

/// The names that it reads have to be there before the statement.
fn check_names(site: &Site<'_>, node: Node<'_>, statement: Node<'_>) -> Result<(), ActionRefusal> {
    let inside = node.byte_range();
    for name in site.names_in(inside.clone()) {
        for def in name.own {
            let at = site.def(def).name_start as usize;
            let within = statement.start_byte() <= at && at < statement.end_byte();
            if within && !inside.contains(&at) {
                let why = format!("`{}` is there only within the statement", site.name_of(def));
                return Err(refusal(Why::Scope, why));
            }
        }
    }
    Ok(())
}

/// What the value could be called.
pub(super) fn wished_name(site: &Site<'_>, node: Node<'_>) -> String {
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
    let word = if called { site.text(at) } else { "" };
    let word = ["get_", "to_", "is_", "new_", "make_"]
        .iter()
        .find_map(|p| word.strip_prefix(p).filter(|rest| rest.len() > 2))
        .unwrap_or(word);
    let fits = word.len() > 2 && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    let suffix = if matches!(site.language, "c" | "cpp") { "_value" } else { "" };
    match fits && word != "new" {
        true => format!("{}{suffix}", word.trim_start_matches('_')),
        false => "value".to_owned(),
    }
}
