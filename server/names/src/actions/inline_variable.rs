//! `inline_variable`: replaces the reads of a variable by its value.
//!
//! The value is then evaluated later than before, and perhaps more often: neither must make a
//! difference.

use std::ops::Range;

use tree_sitter::Node;

use super::context::{ActionContext, any_descendant, in_field, is_child, is_written, visit_leaves};
use super::extract_variable::{check_order_at, statement_around};
use super::{
    ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Reason, refusal, value_type,
};
use crate::facts::NameSite as FactSite;
use crate::vocabulary::DefinitionKind;

pub(super) const INLINE_VARIABLE: Planner =
    Planner { id: "inline_variable", kind: "refactor.inline.variable", wide: false, offers, plan };

/// A variable and the statement that declares it.
struct Variable<'a> {
    def: u32,
    name: Node<'a>,
    value: Node<'a>,
    statement: Node<'a>,
}

fn offers(ctx: &ActionContext<'_>) -> Vec<Offer> {
    match variable(ctx) {
        Some(variable) => Offer::single(format!("Inline `{}`", ctx.text(variable.name))),
        None => Vec::new(),
    }
}

/// The variable under the cursor.
fn variable<'a>(ctx: &ActionContext<'a>) -> Option<Variable<'a>> {
    let normalised = ctx.facts.name_at(ctx.range.start)?.span;
    if ctx.range.end > normalised.end {
        return None;
    }
    let at = ctx.facts.site_at(ctx.range.start)?;
    let mut found = match at {
        FactSite::Definition(def) => vec![def],
        FactSite::Reference(r)
            if ctx.facts.references[r as usize].role == crate::facts::ReferenceRole::Plain =>
        {
            let found = ctx.resolver.definitions_at_site(ctx.file, at);
            let definitions = found.iter().filter(|f| f.id.file == ctx.file);
            definitions.map(|f| f.id.def).collect()
        }
        FactSite::Reference(_) => return None,
    };
    found.dedup();
    let [def] = found[..] else { return None };
    let kind = ctx.def(def).kind;
    if !matches!(kind, DefinitionKind::Variable | DefinitionKind::Constant) || !ctx.is_local(def) {
        return None;
    }
    let span = ctx.def(def).name_start as usize..ctx.def(def).name_end as usize;
    let root = ctx.request.syntax.root();
    let name = root.named_descendant_for_byte_range(span.start, span.end)?;
    let (value, statement) = declaration(ctx, name)?;
    (name.byte_range() == span).then_some(Variable { def, name, value, statement })
}

/// The value and the statement of a declaration that declares one variable.
fn declaration<'a>(ctx: &ActionContext<'a>, name: Node<'a>) -> Option<(Node<'a>, Node<'a>)> {
    let parent = name.parent()?;
    let outer = parent.parent()?;
    let read = |node: Node<'_>| node.named_child_count() == 1;
    let found = match (ctx.language, parent.kind()) {
        ("python", "assignment") if in_field(parent, "left", name) => {
            let plain = parent.child_by_field_name("type").is_none() && read(outer);
            let value = parent.child_by_field_name("right")?;
            // `a = b = c`
            (plain && value.kind() != "assignment").then_some((value, outer))
        }
        ("javascript" | "typescript" | "tsx", "variable_declarator") => {
            let plain = parent.child_by_field_name("type").is_none() && read(outer);
            plain.then_some((parent.child_by_field_name("value")?, outer))
        }
        ("rust", "let_declaration") => {
            let other = ["type", "alternative"];
            let plain = other.iter().all(|f| parent.child_by_field_name(f).is_none());
            let mutable = parent.named_child(0)?.kind() == "mutable_specifier";
            (plain && !mutable).then_some((parent.child_by_field_name("value")?, parent))
        }
        ("go", "expression_list") if outer.kind() == "short_var_declaration" => {
            let right = outer.child_by_field_name("right")?;
            (read(parent) && read(right)).then_some((right.named_child(0)?, outer))
        }
        ("java", "variable_declarator") if outer.kind() == "local_variable_declaration" => {
            let mut cursor = outer.walk();
            let declared = outer.named_children(&mut cursor);
            let several = declared.filter(|c| c.kind() == "variable_declarator").count() > 1;
            let value = parent.child_by_field_name("value")?;
            let dimensions = parent.child_by_field_name("dimensions").is_some();
            (!several && !dimensions).then_some((value, outer))
        }
        ("c" | "cpp", "init_declarator") if outer.kind() == "declaration" => {
            let mut cursor = outer.walk();
            let several = outer.children_by_field_name("declarator", &mut cursor).count() > 1;
            let value = parent.child_by_field_name("value")?;
            let plain = !matches!(value.kind(), "initializer_list" | "argument_list");
            (!several && plain).then_some((value, outer))
        }
        _ => None,
    };
    let (value, statement) = found?;
    let block = statement.parent()?;
    ctx.grammar?.blocks.contains(&block.kind()).then_some((value, statement))
}

fn plan(ctx: &ActionContext<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    let none = || refusal(Reason::NotApplicable, "no variable with an initial value is here");
    let Some(grammar) = ctx.grammar else { return Err(none()) };
    let variable = variable(ctx).ok_or_else(none)?;
    let block = variable.statement.parent().ok_or_else(none)?;
    if ctx.has_syntax_error(block) {
        return Err(refusal(Reason::Syntax, "the surrounding code has a syntax error"));
    }
    if any_descendant(variable.value, &|n| grammar.control_flow.contains(&n.kind())) {
        return Err(refusal(Reason::Control, "its value returns, breaks or yields"));
    }
    check_type(ctx, &variable)?;
    let uses = uses(ctx, &variable, block)?;
    check_names(ctx, &variable, block, &uses)?;
    check_evaluation(ctx, &variable, &uses)?;
    let mut edits = vec![(deletion_range(ctx, variable.statement)?, String::new())];
    for read in uses {
        edits.push((read.byte_range(), replacement(ctx, variable.value, read)?));
    }
    Ok(ActionPlan::from_edits(ctx.file, edits))
}

/// Checks that the declared type is the value's own.
fn check_type(ctx: &ActionContext<'_>, variable: &Variable<'_>) -> Result<(), ActionRefusal> {
    let changed = || refusal(Reason::Type, "the declaration may convert its value to another type");
    if matches!(ctx.language, "java" | "c" | "cpp") {
        let ty = variable.statement.child_by_field_name("type").ok_or_else(changed)?;
        let mut cursor = variable.statement.walk();
        let mut marks = variable.statement.named_children(&mut cursor);
        let static_ = marks.any(|c| c.kind().contains("storage"));
        let plain = variable.name.parent().is_some_and(|p| {
            p.child_by_field_name("declarator").is_none_or(|d| d.id() == variable.name.id())
        });
        let definitions = value_type::certain_type(ctx, variable.value).ok_or_else(changed)?;
        let normalised = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if static_ || !plain || normalised(ctx.text(ty)) != normalised(&definitions) {
            return Err(changed());
        }
    }
    let value = variable.value;
    let makes_new_object = |n: Node<'_>| {
        matches!(
            n.kind(),
            "closure_expression"
                | "arrow_function"
                | "function_expression"
                | "lambda"
                | "func_literal"
                | "object"
                | "array"
                | "list"
                | "dictionary"
                | "set"
                | "class"
                | "expression_list"
                | "yield"
                | "composite_literal"
                | "array_expression"
        )
    };
    if any_descendant(value, &makes_new_object) {
        return Err(refusal(Reason::Type, "every evaluation of its value creates a new object"));
    }
    if ctx.language == "rust" {
        value_type::check_no_temporary(ctx, value)?;
    }
    if ctx.language == "go" {
        value_type::annotation(ctx, value, variable.statement)?;
    }
    Ok(())
}

/// The reads of the variable.
fn uses<'a>(
    ctx: &ActionContext<'a>,
    variable: &Variable<'a>,
    block: Node<'a>,
) -> Result<Vec<Node<'a>>, ActionRefusal> {
    let Some(grammar) = ctx.grammar else { return Ok(Vec::new()) };
    let name = ctx.text(variable.name).to_owned();
    let function = ctx.function_around(variable.name);
    let (mut all, mut wrong) = (Vec::new(), None);
    visit_leaves(function, &mut |leaf| {
        if ctx.text(leaf) != name || !leaf.kind().contains("identifier") {
            return;
        }
        if leaf.id() == variable.name.id() || is_member_name(leaf) {
            return;
        }
        let inside = block.start_byte() <= leaf.start_byte() && leaf.end_byte() <= block.end_byte();
        let after = leaf.start_byte() >= variable.statement.end_byte();
        let known = match ctx.facts.site_at(leaf.start_byte()) {
            Some(FactSite::Reference(r)) => {
                let found = ctx.resolver.definitions_at_site(ctx.file, FactSite::Reference(r));
                found.iter().map(|f| (f.id.file, f.id.def)).collect::<Vec<_>>()
            }
            _ => Vec::new(),
        };
        let definitions = known == [(ctx.file, variable.def)];
        let parent = leaf.parent().map_or("", |p| p.kind());
        if !definitions || !inside || !after || parent == "token_tree" || is_written(grammar, leaf)
        {
            wrong = wrong.take().or(Some(leaf));
        } else {
            all.push(leaf);
        }
    });
    let line = |node: Node<'_>| node.start_position().row + 1;
    if let Some(wrong) = wrong {
        let why = format!("line {} may also refer to it, or assigns it", line(wrong));
        return Err(refusal(Reason::Used, why));
    }
    let takes_address = |n: &&Node<'_>| {
        n.parent().is_some_and(|p| {
            // A method call on it may take its address implicitly; fields of another operand do
            // not.
            let inner = ["selector_expression", "index_expression", "slice_expression"];
            if ctx.language == "go" && inner.contains(&p.kind()) && in_field(p, "operand", **n) {
                return true;
            }
            let text = ctx.text(p);
            let address = ["reference_expression", "pointer_expression", "unary_expression"];
            address.contains(&p.kind()) && text.starts_with('&')
        })
    };
    if let Some(tag) = all.iter().find(|n| is_jsx_tag_name(**n)) {
        return Err(refusal(
            Reason::Unsupported,
            format!("line {} uses it as an element's name", line(*tag)),
        ));
    }
    if let Some(taken) = all.iter().find(takes_address) {
        return Err(refusal(Reason::Used, format!("line {} takes its address", line(*taken))));
    }
    match all.is_empty() {
        true => Err(refusal(Reason::NotApplicable, "it is not read")),
        false => Ok(all),
    }
}

/// Whether a leaf is in a JSX tag name, where no expression is allowed.
fn is_jsx_tag_name(leaf: Node<'_>) -> bool {
    let around = std::iter::successors(leaf.parent(), |n| n.parent());
    let mut around = around.skip_while(|n| n.kind() == "member_expression");
    around.next().is_some_and(|n| n.kind().starts_with("jsx_") && n.kind().ends_with("_element"))
}

/// Whether a leaf is the name of a member or of a keyword argument.
pub(super) fn is_member_name(leaf: Node<'_>) -> bool {
    let Some(parent) = leaf.parent() else { return false };
    match parent.kind() {
        "attribute" => in_field(parent, "attribute", leaf),
        "keyword_argument" => in_field(parent, "name", leaf),
        "method_invocation" => in_field(parent, "name", leaf),
        "field_access" => in_field(parent, "field", leaf),
        _ => matches!(leaf.kind(), "property_identifier" | "field_identifier" | "type_identifier"),
    }
}

/// Checks that the names in the value refer to the same definitions, with the same values, at the
/// reads.
fn check_names(
    ctx: &ActionContext<'_>,
    variable: &Variable<'_>,
    block: Node<'_>,
    uses: &[Node<'_>],
) -> Result<(), ActionRefusal> {
    let last = uses.iter().map(Node::end_byte).max().unwrap_or(0);
    let between = variable.statement.end_byte()..last;
    let mut names: Vec<&str> = Vec::new();
    visit_leaves(variable.value, &mut |leaf| {
        if leaf.kind().contains("identifier") && !is_member_name(leaf) {
            names.push(ctx.text(leaf));
        }
    });
    for def in &ctx.facts.definitions {
        let at = def.name_start as usize;
        let name = ctx.facts.strings.text(def.name);
        if between.contains(&at) && names.contains(&name) {
            let why = format!("`{name}` is defined again before the value is read");
            return Err(refusal(Reason::Conflict, why));
        }
    }
    for name in names {
        let written = ctx.write_positions(block, name);
        if written.iter().any(|w| between.contains(&w.start)) {
            let why = format!("`{name}` may change before the value is read");
            return Err(refusal(Reason::Assigned, why));
        }
    }
    Ok(())
}

/// Checks that the value is the same whenever it is evaluated.
fn check_evaluation(
    ctx: &ActionContext<'_>,
    variable: &Variable<'_>,
    uses: &[Node<'_>],
) -> Result<(), ActionRefusal> {
    let value = variable.value;
    let reads = |n: Node<'_>| {
        n.kind().contains("identifier") || matches!(n.kind(), "this" | "self" | "super")
    };
    let effects = ctx.has_effects(value);
    if !effects && !any_descendant(value, &reads) {
        return Ok(());
    }
    let function = ctx.function_around(variable.name);
    let reads_memory = |n: Node<'_>| {
        let kind = n.kind();
        let inner = [
            "member",
            "attribute",
            "subscript",
            "index",
            "selector",
            "field",
            "pointer",
            "slice",
            "deref",
        ];
        inner.iter().any(|k| kind.starts_with(k)) && !kind.ends_with("identifier")
            || kind == "unary_expression" && ctx.text(n).starts_with('*')
            || matches!(kind, "this" | "self" | "super")
    };
    if !effects && !any_descendant(value, &reads_memory) && ctx.language != "rust" {
        // Only local names that are never reassigned.
        let never_changes = ctx.names_read_in(value.byte_range()).iter().all(|name| {
            let text = ctx.source.get(name.span.clone()).unwrap_or("");
            let local =
                !name.definitions.is_empty() && name.definitions.iter().all(|d| ctx.is_local(*d));
            let parameter =
                name.definitions.iter().all(|d| ctx.def(*d).kind == DefinitionKind::Parameter);
            local && ctx.write_positions(function, text).len() <= usize::from(!parameter)
        });
        if never_changes {
            return Ok(());
        }
    }
    let [read] = uses else {
        return Err(refusal(Reason::Order, "it is read more than once, and its value may change"));
    };
    let statement = statement_around(ctx, *read)?;
    let mut next = variable.statement.next_named_sibling();
    while let Some(comment) = next.filter(|n| n.kind().contains("comment")) {
        next = comment.next_named_sibling();
    }
    if next.is_none_or(|n| n.id() != statement.id()) {
        return Err(refusal(Reason::Order, "other code runs before it is read"));
    }
    if ctx.language == "rust" {
        // In Rust, code before the read in its statement may move or borrow what the value reads.
        let mut names: Vec<&str> = Vec::new();
        visit_leaves(value, &mut |leaf| {
            if matches!(leaf.kind(), "identifier" | "self") {
                names.push(ctx.text(leaf));
            }
        });
        let mut is_taken = false;
        visit_leaves(statement, &mut |leaf| {
            is_taken |= leaf.end_byte() <= read.start_byte() && names.contains(&ctx.text(leaf));
        });
        if is_taken {
            return Err(refusal(Reason::Order, "its value may be borrowed or moved by then"));
        }
    }
    check_order_at(ctx, value, *read, statement)
}

/// The bytes to delete with the statement.
fn deletion_range(
    ctx: &ActionContext<'_>,
    statement: Node<'_>,
) -> Result<Range<usize>, ActionRefusal> {
    let mut range = statement.byte_range();
    let rest = &ctx.source[range.end..];
    let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
    if let Some(mark) = line.strip_prefix(';').filter(|rest| rest.trim().is_empty()) {
        range.end += 1 + mark.len();
    } else {
        range.end += line.len();
    }
    if !ctx.is_first_on_line(range.start) || !line.trim_matches([' ', '\t', ';']).is_empty() {
        return Err(refusal(Reason::Unsupported, "its statement shares its line with other code"));
    }
    range.start = ctx.line_start(range.start);
    let rest = &ctx.source[range.end..];
    let end = ["\r\n", "\n", "\r"].iter().find(|e| rest.starts_with(**e));
    range.end += end.map_or(0, |e| e.len());
    Ok(range)
}

/// The value as it is written in place of a name.
fn replacement(
    ctx: &ActionContext<'_>,
    value: Node<'_>,
    name: Node<'_>,
) -> Result<String, ActionRefusal> {
    let code = ctx.text(value);
    let parent = name.parent().map_or("", |p| p.kind());
    if name.kind() == "shorthand_property_identifier"
        || matches!(parent, "shorthand_field_initializer")
    {
        return Ok(format!("{}: {code}", ctx.text(name)));
    }
    let mut at = Some(name);
    while let Some(node) = at {
        if matches!(node.kind(), "interpolation" | "format_expression") {
            return Err(refusal(Reason::Unsupported, "it is read inside a string"));
        }
        if node.kind().ends_with("statement") || node.kind() == "block" {
            break;
        }
        at = node.parent();
    }
    let atom = [
        "identifier",
        "call",
        "call_expression",
        "member_expression",
        "attribute",
        "subscript",
        "subscript_expression",
        "string",
        "true",
        "false",
        "none",
        "null",
        "integer",
        "parenthesized_expression",
        "field_expression",
        "index_expression",
        "selector_expression",
        "method_invocation",
        "field_access",
        "string_literal",
        "integer_literal",
        "number",
        "interpreted_string_literal",
        "int_literal",
        "decimal_integer_literal",
        "number_literal",
        "macro_invocation",
        "template_string",
        "this",
        "self",
        "scoped_identifier",
        "char_literal",
        "boolean_literal",
        "float",
        "float_literal",
        "array_access",
        "list_comprehension",
    ];
    let needs_no_parentheses = [
        "argument_list",
        "arguments",
        "assignment",
        "return_statement",
        "variable_declarator",
        "parenthesized_expression",
        "let_declaration",
        "assignment_expression",
        "pair",
        "expression_list",
        "init_declarator",
        "return_expression",
        "keyword_argument",
        "assignment_statement",
        "short_var_declaration",
        "field_initializer",
        "array",
    ];
    let number = ["integer", "float", "number", "integer_literal", "float_literal"];
    let is_member_base = is_child(
        &[
            ("attribute", "object"),
            ("member_expression", "object"),
            ("field_expression", "value"),
            ("call_expression", "function"),
            ("call", "function"),
        ],
        name,
    );
    let spread = code.contains('\n') && ctx.language == "python";
    let plain = needs_no_parentheses.contains(&parent) && !spread
        || atom.contains(&value.kind())
            && !(is_member_base && number.contains(&value.kind()))
            && !spread;
    let code = if plain { code.to_owned() } else { format!("({code})") };
    // Without a semicolon before it, a statement that starts with one of these continues the
    // previous one.
    let opens = code.starts_with(['(', '[', '`', '/', '+', '-']);
    if matches!(ctx.language, "javascript" | "typescript" | "tsx") && opens {
        let begins = |n: &Node<'_>| n.start_byte() == name.start_byte();
        let around = std::iter::successors(name.parent(), Node::parent);
        if around.take_while(begins).any(|n| n.kind() == "expression_statement") {
            let why = "a statement would start with it and could continue the previous read";
            return Err(refusal(Reason::Unsupported, why));
        }
    }
    Ok(code)
}
