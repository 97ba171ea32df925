//! `extract_function`: statements, or an expression, become a function of their own.
//!
//! What they read of the function around becomes parameters, what they leave behind is returned.
//! Whatever else ties them to where they stand is a reason to refuse.

mod flow;
mod naming;
mod narrowed;
mod types;
mod write;

use std::ops::Range;

use tree_sitter::Node;

use super::extract_variable::{check_place, value};
use super::inline_variable::is_member_name;
use super::site::{Site, any, leaves};
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Why, refusal, value_type};
use crate::resolve::DefId;
use crate::vocabulary::DefinitionKind;
use flow::Flow;
pub(super) use write::unit;

pub(super) const FUNCTION: Planner = Planner {
    id: "extract_function",
    kind: "refactor.extract.function",
    wide: false,
    offers,
    plan,
};

/// Longest stretch that is extracted, in bytes.
const LONGEST: usize = 40_000;

/// What is extracted.
enum Stretch<'a> {
    Expression(Node<'a>),
    /// The first and the last of neighbours in a block.
    Statements(Vec<Node<'a>>),
}

impl<'a> Stretch<'a> {
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

fn offers(site: &Site<'_>) -> Vec<Offer> {
    match stretch(site) {
        Some(_) => Offer::one("Extract into function"),
        None => Vec::new(),
    }
}

/// Whole statements of one block, or an expression, that are selected.
fn stretch<'a>(site: &Site<'a>) -> Option<Stretch<'a>> {
    let grammar = site.grammar?;
    if site.range.is_empty() || site.range.len() > LONGEST {
        return None;
    }
    let root = site.place.syntax.root();
    let mut block = root.descendant_for_byte_range(site.range.start, site.range.end)?;
    loop {
        if grammar.blocks.contains(&block.kind()) && block.byte_range() != site.range {
            break;
        }
        let Some(parent) = block.parent() else { break };
        // The statements of a block that is all selected.
        if grammar.blocks.contains(&block.kind())
            && site.source[block.byte_range()].starts_with(|c| c != '{')
        {
            break;
        }
        block = parent;
    }
    let mut cursor = block.walk();
    let inside: Vec<_> = block
        .named_children(&mut cursor)
        .filter(|c| c.end_byte() > site.range.start && c.start_byte() < site.range.end)
        .collect();
    let whole = inside.first().zip(inside.last()).is_some_and(|(first, last)| {
        first.start_byte() == site.range.start && last.end_byte() == site.range.end
    });
    if grammar.blocks.contains(&block.kind()) && whole {
        let statement = inside.iter().any(|n| !n.kind().contains("comment"));
        return statement.then_some(Stretch::Statements(inside));
    }
    value(site).map(Stretch::Expression)
}

fn plan(site: &Site<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    let none = || refusal(Why::Nothing, "neither statements nor an expression are selected");
    let stretch = stretch(site).ok_or_else(none)?;
    let grammar = site.grammar.ok_or_else(none)?;
    let function = site.function_around(stretch.first());
    if !grammar.functions.contains(&function.kind()) {
        return Err(refusal(Why::Scope, "it is in no function"));
    }
    if let Stretch::Expression(node) = &stretch {
        check_place(site, *node)?;
        value_type::tells_no_type(site, *node, function)?;
        if super::extract_constant::is_constant(*node) {
            return Err(refusal(Why::Nothing, "it is a constant"));
        }
        if super::site::any_above(*node, function, &|n| {
            super::extract_constant::FIXED.contains(&n.kind())
        }) {
            return Err(refusal(Why::Shape, "it is no expression of the function"));
        }
    }
    let top = outermost(site, function);
    if site.is_broken(top) {
        return Err(refusal(Why::Syntax, "the code around has a syntax error"));
    }
    check_ties(site, &stretch)?;
    check_reach(site, &stretch)?;
    let flow = Flow::of(site, &stretch, function)?;
    narrowed::check(site, &stretch, function, &flow)?;
    if is_checked(function) {
        types::check_begun_empty(site, &stretch, function, &flow)?;
    }
    let wish = naming::wish(site, &stretch, &flow);
    let name = site.fresh_outer_name(&wish)?;
    write::edits(site, &stretch, function, top, &flow, &name)
}

/// Whether a function has types that a checker holds it to.
fn is_checked(function: Node<'_>) -> bool {
    let typed = |n: Node<'_>| matches!(n.kind(), "typed_parameter" | "typed_default_parameter");
    let parameters = function.child_by_field_name("parameters");
    function.child_by_field_name("return_type").is_some()
        || parameters.is_some_and(|parameters| any(parameters, &typed))
}

/// Members that only their class sees are out of reach for a function beside it.
fn check_reach(site: &Site<'_>, stretch: &Stretch<'_>) -> Result<(), ActionRefusal> {
    if !matches!(site.language, "typescript" | "tsx") {
        return Ok(());
    }
    let mut hidden = None;
    for node in stretch.nodes() {
        leaves(*node, &mut |leaf| {
            let at = site.facts.site(leaf.start_byte()).filter(|_| hidden.is_none());
            if let Some(at) = at.filter(|_| leaf.kind() == "property_identifier") {
                let found = site.resolver.site(site.file, at);
                let own = |id: DefId| {
                    let def = site.resolver.def(id);
                    let text = site.text_of(id.file)?;
                    let before = text.get(..def.name_start as usize)?;
                    let start = before.rfind(['\n', ';', '{', '(', ',']).map_or(0, |n| n + 1);
                    let mut words = before[start..].split_whitespace();
                    Some(words.any(|w| matches!(w, "private" | "protected")))
                };
                // What is not known is told by how such members are called.
                let unseen = match found.is_empty() {
                    true => site.text(leaf).starts_with('_'),
                    false => found.iter().any(|f| own(f.id) != Some(false)),
                };
                if unseen {
                    hidden = Some(site.text(leaf).to_owned());
                }
            }
        });
    }
    match hidden {
        Some(name) => {
            Err(refusal(Why::Scope, format!("`{name}` is kept to its class, as far as is known")))
        }
        None => Ok(()),
    }
}

/// The outermost declaration around a function: the new one stands beside it.
fn outermost<'a>(site: &Site<'a>, function: Node<'a>) -> Node<'a> {
    let mut at = function;
    if matches!(site.language, "c" | "cpp") {
        return at;
    }
    while let Some(parent) = at.parent() {
        if parent.parent().is_none() {
            break;
        }
        let body = matches!(site.language, "rust" | "java") && parent.kind().ends_with("body");
        if body || site.language == "rust" && parent.kind() == "declaration_list" {
            break;
        }
        at = parent;
    }
    at
}

/// What ties code to the function that it stands in, beside the names that it reads.
fn check_ties(site: &Site<'_>, stretch: &Stretch<'_>) -> Result<(), ActionRefusal> {
    let tied = |n: Node<'_>| match site.language {
        "python" => {
            let kind = n.kind();
            // An attribute is declared where its class is made.
            let attribute = n.child_by_field_name("left").is_some_and(|l| l.kind() == "attribute");
            let annotated = kind == "assignment"
                && n.child_by_field_name("type").is_some()
                && (attribute || n.child_by_field_name("right").is_none());
            let word = matches!(
                site.text(n),
                "super" | "__class__" | "locals" | "vars" | "eval" | "exec" | "dir" | "globals"
            );
            let mangled = n.kind() == "identifier"
                && site.text(n).starts_with("__")
                && !site.text(n).ends_with("__");
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
            ) || n.kind() == "identifier"
                && matches!(site.text(n), "arguments" | "eval" | "require")
                || n.kind() == "variable_declaration"
                || n.kind() == "for_in_statement" && site.text(n).starts_with("for await")
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
            ) || n.kind() == "identifier" && site.text(n) == "recover"
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
            ) || n.kind() == "identifier" && site.text(n).starts_with("__")
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
    for node in stretch.nodes() {
        if matches!(site.language, "c" | "cpp") {
            if matches!(node.kind(), "case_statement" | "labeled_statement") {
                return Err(refusal(Why::Shape, "it begins with a label"));
            }
            if any(*node, &|n| n.kind() == "call_expression" && may_be_macro(site, n)) {
                return Err(refusal(Why::Unknown, "a macro in it may use what is around it"));
            }
            if let Some(name) = declared_by_macro(site, *node, &stretch.range()) {
                let why = format!("`{name}` is declared by a macro, as far as is known");
                return Err(refusal(Why::Unknown, why));
            }
        }
        if any(*node, &tied) {
            return Err(refusal(Why::Control, "it belongs to the function around it"));
        }
    }
    check_jumps(site, stretch)
}

/// Whether what is called may be a macro, which may use any name around.
pub(super) fn may_be_macro(site: &Site<'_>, call: Node<'_>) -> bool {
    let Some(function) = call.child_by_field_name("function") else { return true };
    if function.kind() != "identifier" {
        return false;
    }
    let found = site.facts.site(function.start_byte());
    let found = found.map(|at| site.resolver.site(site.file, at)).unwrap_or_default();
    let is_macro = |id: DefId| site.resolver.def(id).kind == DefinitionKind::Macro;
    let loud = site.text(function).chars().all(|c| !c.is_lowercase());
    found.iter().any(|f| is_macro(f.id)) || found.is_empty() && loud
}

/// A name that nothing declares and that a macro of the function is given, in C: the macro may
/// declare it, of a type that nobody can tell.
fn declared_by_macro(site: &Site<'_>, node: Node<'_>, stretch: &Range<usize>) -> Option<String> {
    let function = site.function_around(node);
    let mut unknown: Vec<&str> = Vec::new();
    for name in site.names_in(node.byte_range()) {
        let written = site.source.get(name.span.clone()).unwrap_or("");
        let place = site.facts.site(name.span.start);
        let found = place.map(|at| site.resolver.site(site.file, at)).unwrap_or_default();
        if found.is_empty() && !written.is_empty() {
            unknown.push(written);
        }
    }
    if unknown.is_empty() {
        return None;
    }
    let mut given = None;
    each(function, &mut |call| {
        let arguments = call.child_by_field_name("arguments");
        let arguments = arguments.filter(|_| call.kind() == "call_expression");
        let Some(arguments) = arguments.filter(|_| given.is_none()) else { return };
        if stretch.contains(&call.start_byte()) {
            return;
        }
        let callee = call.child_by_field_name("function");
        let known = callee.and_then(|f| site.facts.site(f.start_byte())).is_some_and(|at| {
            let found = site.resolver.site(site.file, at);
            !found.is_empty()
                && found.iter().all(|f| site.resolver.def(f.id).kind != DefinitionKind::Macro)
        });
        if known {
            return;
        }
        let mut cursor = arguments.walk();
        let named = arguments.named_children(&mut cursor).find(|argument| {
            let plain = argument.kind() == "identifier";
            plain && unknown.contains(&site.text(*argument)) && site.text(*argument) != "NULL"
        });
        given = named.map(|argument| site.text(argument).to_owned());
    });
    given
}

/// Breaks and returns have to stay within.
fn check_jumps(site: &Site<'_>, stretch: &Stretch<'_>) -> Result<(), ActionRefusal> {
    if site.language == "java" {
        let function = site.function_around(stretch.first());
        let tried = |n: Node<'_>| n.kind().starts_with("try_");
        let around = super::site::any_above(stretch.first(), function, &tried);
        let within = stretch.nodes().iter().any(|n| any(*n, &tried));
        if around || within || function.kind() == "lambda_expression" {
            return Err(refusal(Why::Control, "what it throws is caught around it"));
        }
    }
    let range = stretch.range();
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
    for node in stretch.nodes() {
        let mut out = None;
        each(*node, &mut |n| {
            let kind = n.kind();
            let (leaves, continues) = (kind.starts_with("break_"), kind.starts_with("continue_"));
            if !(leaves || continues) {
                return;
            }
            let mut at = n;
            while let Some(parent) = at.parent() {
                if parent.start_byte() < range.start || parent.end_byte() > range.end {
                    out = Some(n);
                    return;
                }
                if loops.contains(&parent.kind()) || leaves && switches.contains(&parent.kind()) {
                    // A label may lead further out.
                    if n.named_child_count() > 0 {
                        out = Some(n);
                    }
                    return;
                }
                at = parent;
            }
        });
        if out.is_some() {
            return Err(refusal(Why::Control, "it leaves a loop that stays outside"));
        }
    }
    check_end(site, stretch)?;
    let returns = |n: Node<'_>| matches!(n.kind(), "return_statement" | "return_expression");
    let own = |n: &Node<'_>| holds_own(site, *n, &returns);
    let last = stretch.nodes().iter().rev().find(|n| !n.kind().contains("comment"));
    let ends = last.is_some_and(|n| n.kind() == "return_statement");
    match stretch.nodes().iter().any(own) && !ends {
        true => Err(refusal(Why::Control, "it returns only sometimes")),
        false => Ok(()),
    }
}

/// What ends the function around has to stay seen to end it.
fn check_end(site: &Site<'_>, stretch: &Stretch<'_>) -> Result<(), ActionRefusal> {
    let Stretch::Statements(all) = stretch else { return Ok(()) };
    let code = all.iter().rev().find(|n| !n.kind().contains("comment"));
    let Some(last) = code.filter(|n| n.kind() != "return_statement") else { return Ok(()) };
    if matches!(last.kind(), "raise_statement" | "throw_statement") {
        return Err(refusal(Why::Control, "it never ends where it begins"));
    }
    let function = site.function_around(*last);
    let result =
        ["return_type", "result", "type"].iter().find_map(|f| function.child_by_field_name(f));
    let typed =
        result.is_some_and(|r| !matches!(site.text(r).trim_matches([':', ' ']), "None" | "void"));
    let mut next = last.next_named_sibling();
    while let Some(comment) = next.filter(|n| n.kind().contains("comment")) {
        next = comment.next_named_sibling();
    }
    if next.is_none() && typed {
        return Err(refusal(Why::Control, "it may be what ends the function"));
    }
    Ok(())
}

/// Whether something is below a node, but not in a function of its own.
fn holds_own(site: &Site<'_>, node: Node<'_>, holds: &dyn Fn(Node<'_>) -> bool) -> bool {
    if holds(node) {
        return true;
    }
    if site.grammar.is_some_and(|g| g.functions.contains(&node.kind())) {
        return false;
    }
    let mut cursor = node.walk();
    let children: Vec<_> = node.children(&mut cursor).collect();
    children.into_iter().any(|c| holds_own(site, c, holds))
}

fn each<'t>(node: Node<'t>, visit: &mut dyn FnMut(Node<'t>)) {
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

/// The places in a node where a name is written down by itself.
fn mentions<'t>(site: &Site<'_>, within: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let mut all = Vec::new();
    leaves(within, &mut |leaf| {
        if leaf.kind().contains("identifier") && site.text(leaf) == name && !is_member_name(leaf) {
            all.push(leaf);
        }
    });
    all
}
