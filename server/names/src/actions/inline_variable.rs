//! `inline_variable`: a variable's value takes its place wherever it is read.
//!
//! The value is then worked out later than it was, and perhaps more often: neither must matter.

use std::ops::Range;

use tree_sitter::Node;

use super::extract_variable::{check_order_of, statement_around};
use super::site::{Site, any, in_field, is_written, leads, leaves};
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Why, refusal, value_type};
use crate::facts::Site as At;
use crate::vocabulary::DefinitionKind;

pub(super) const VARIABLE: Planner =
    Planner { id: "inline_variable", kind: "refactor.inline.variable", wide: false, offers, plan };

/// A variable with the statement that gives it its value.
struct Variable<'a> {
    def: u32,
    name: Node<'a>,
    value: Node<'a>,
    statement: Node<'a>,
}

fn offers(site: &Site<'_>) -> Vec<Offer> {
    match variable(site) {
        Some(variable) => Offer::one(format!("Inline `{}`", site.text(variable.name))),
        None => Vec::new(),
    }
}

/// The variable that the cursor is at.
fn variable<'a>(site: &Site<'a>) -> Option<Variable<'a>> {
    let word = site.facts.name_at(site.range.start)?.span;
    if site.range.end > word.end {
        return None;
    }
    let at = site.facts.site(site.range.start)?;
    let mut found = match at {
        At::Definition(def) => vec![def],
        At::Reference(r) if site.facts.references[r as usize].role == crate::facts::Role::Plain => {
            let found = site.resolver.site(site.file, at);
            let own = found.iter().filter(|f| f.id.file == site.file);
            own.map(|f| f.id.def).collect()
        }
        At::Reference(_) => return None,
    };
    found.dedup();
    let [def] = found[..] else { return None };
    let kind = site.def(def).kind;
    if !matches!(kind, DefinitionKind::Variable | DefinitionKind::Constant) || !site.is_local(def) {
        return None;
    }
    let span = site.def(def).name_start as usize..site.def(def).name_end as usize;
    let root = site.place.syntax.root();
    let name = root.named_descendant_for_byte_range(span.start, span.end)?;
    let (value, statement) = declaration(site, name)?;
    (name.byte_range() == span).then_some(Variable { def, name, value, statement })
}

/// The value and the statement of a declaration of one variable.
fn declaration<'a>(site: &Site<'a>, name: Node<'a>) -> Option<(Node<'a>, Node<'a>)> {
    let parent = name.parent()?;
    let outer = parent.parent()?;
    let one = |node: Node<'_>| node.named_child_count() == 1;
    let found = match (site.language, parent.kind()) {
        ("python", "assignment") if in_field(parent, "left", name) => {
            let plain = parent.child_by_field_name("type").is_none() && one(outer);
            let value = parent.child_by_field_name("right")?;
            // `a = b = c`
            (plain && value.kind() != "assignment").then_some((value, outer))
        }
        ("javascript" | "typescript" | "tsx", "variable_declarator") => {
            let plain = parent.child_by_field_name("type").is_none() && one(outer);
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
            (one(parent) && one(right)).then_some((right.named_child(0)?, outer))
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
    site.grammar?.blocks.contains(&block.kind()).then_some((value, statement))
}

fn plan(site: &Site<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    let none = || refusal(Why::Nothing, "no variable with a value is here");
    let Some(grammar) = site.grammar else { return Err(none()) };
    let variable = variable(site).ok_or_else(none)?;
    let block = variable.statement.parent().ok_or_else(none)?;
    if site.is_broken(block) {
        return Err(refusal(Why::Syntax, "the code around has a syntax error"));
    }
    if any(variable.value, &|n| grammar.control.contains(&n.kind())) {
        return Err(refusal(Why::Control, "its value leaves the code around it"));
    }
    check_type(site, &variable)?;
    let uses = uses(site, &variable, block)?;
    check_meaning(site, &variable, block, &uses)?;
    check_time(site, &variable, &uses)?;
    let mut edits = vec![(removed(site, variable.statement)?, String::new())];
    for one in uses {
        edits.push((one.byte_range(), standing_for(site, variable.value, one)?));
    }
    Ok(ActionPlan::of(site.file, edits))
}

/// The declared type has to be the value's own.
fn check_type(site: &Site<'_>, variable: &Variable<'_>) -> Result<(), ActionRefusal> {
    let changed = || refusal(Why::Type, "the variable may give its value another type");
    if matches!(site.language, "java" | "c" | "cpp") {
        let ty = variable.statement.child_by_field_name("type").ok_or_else(changed)?;
        let mut cursor = variable.statement.walk();
        let mut marks = variable.statement.named_children(&mut cursor);
        let static_ = marks.any(|c| c.kind().contains("storage"));
        let plain = variable.name.parent().is_some_and(|p| {
            p.child_by_field_name("declarator").is_none_or(|d| d.id() == variable.name.id())
        });
        let own = value_type::known(site, variable.value).ok_or_else(changed)?;
        let word = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if static_ || !plain || word(site.text(ty)) != word(&own) {
            return Err(changed());
        }
    }
    let value = variable.value;
    let open = |n: Node<'_>| {
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
    if any(value, &open) {
        return Err(refusal(Why::Type, "its value is made anew wherever it stands"));
    }
    if site.language == "rust" {
        value_type::keeps_no_temporary(site, value)?;
    }
    if site.language == "go" {
        value_type::written(site, value, variable.statement)?;
    }
    Ok(())
}

/// Where the variable is read.
fn uses<'a>(
    site: &Site<'a>,
    variable: &Variable<'a>,
    block: Node<'a>,
) -> Result<Vec<Node<'a>>, ActionRefusal> {
    let Some(grammar) = site.grammar else { return Ok(Vec::new()) };
    let name = site.text(variable.name).to_owned();
    let function = site.function_around(variable.name);
    let (mut all, mut wrong) = (Vec::new(), None);
    leaves(function, &mut |leaf| {
        if site.text(leaf) != name || !leaf.kind().contains("identifier") {
            return;
        }
        if leaf.id() == variable.name.id() || is_member_name(leaf) {
            return;
        }
        let inside = block.start_byte() <= leaf.start_byte() && leaf.end_byte() <= block.end_byte();
        let after = leaf.start_byte() >= variable.statement.end_byte();
        let known = match site.facts.site(leaf.start_byte()) {
            Some(At::Reference(r)) => {
                let found = site.resolver.site(site.file, At::Reference(r));
                found.iter().map(|f| (f.id.file, f.id.def)).collect::<Vec<_>>()
            }
            _ => Vec::new(),
        };
        let own = known == [(site.file, variable.def)];
        let parent = leaf.parent().map_or("", |p| p.kind());
        if !own || !inside || !after || parent == "token_tree" || is_written(grammar, leaf) {
            wrong = wrong.take().or(Some(leaf));
        } else {
            all.push(leaf);
        }
    });
    let line = |node: Node<'_>| node.start_position().row + 1;
    if let Some(wrong) = wrong {
        let why = format!("line {} may mean it, too, or gives it another value", line(wrong));
        return Err(refusal(Why::Used, why));
    }
    let taken = |n: &&Node<'_>| {
        n.parent().is_some_and(|p| {
            // A method of a pointer takes it; another's fields are not its own.
            let inner = ["selector_expression", "index_expression", "slice_expression"];
            if site.language == "go" && inner.contains(&p.kind()) && in_field(p, "operand", **n) {
                return true;
            }
            let text = site.text(p);
            let address = ["reference_expression", "pointer_expression", "unary_expression"];
            address.contains(&p.kind()) && text.starts_with('&')
        })
    };
    if let Some(tag) = all.iter().find(|n| is_in_tag(**n)) {
        return Err(refusal(Why::Shape, format!("line {} names an element by it", line(*tag))));
    }
    if let Some(taken) = all.iter().find(taken) {
        return Err(refusal(Why::Used, format!("line {} takes its address", line(*taken))));
    }
    match all.is_empty() {
        true => Err(refusal(Why::Nothing, "it is not read")),
        false => Ok(all),
    }
}

/// Whether a leaf is in the name of a tag, where no expression can stand.
fn is_in_tag(leaf: Node<'_>) -> bool {
    let around = std::iter::successors(leaf.parent(), |n| n.parent());
    let mut around = around.skip_while(|n| n.kind() == "member_expression");
    around.next().is_some_and(|n| n.kind().starts_with("jsx_") && n.kind().ends_with("_element"))
}

/// Whether a leaf is the name of a member of something, or of a keyword.
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

/// The names in the value have to mean the same, and be the same, where it is read.
fn check_meaning(
    site: &Site<'_>,
    variable: &Variable<'_>,
    block: Node<'_>,
    uses: &[Node<'_>],
) -> Result<(), ActionRefusal> {
    let last = uses.iter().map(Node::end_byte).max().unwrap_or(0);
    let between = variable.statement.end_byte()..last;
    let mut names: Vec<&str> = Vec::new();
    leaves(variable.value, &mut |leaf| {
        if leaf.kind().contains("identifier") && !is_member_name(leaf) {
            names.push(site.text(leaf));
        }
    });
    for def in &site.facts.definitions {
        let at = def.name_start as usize;
        let name = site.facts.strings.text(def.name);
        if between.contains(&at) && names.contains(&name) {
            let why = format!("`{name}` is defined again before the value is read");
            return Err(refusal(Why::Conflict, why));
        }
    }
    for name in names {
        let written = site.writes(block, name);
        if written.iter().any(|w| between.contains(&w.start)) {
            let why = format!("`{name}` may be changed before the value is read");
            return Err(refusal(Why::Assigned, why));
        }
    }
    Ok(())
}

/// The value has to be the same whenever it is worked out.
fn check_time(
    site: &Site<'_>,
    variable: &Variable<'_>,
    uses: &[Node<'_>],
) -> Result<(), ActionRefusal> {
    let value = variable.value;
    let reads = |n: Node<'_>| {
        n.kind().contains("identifier") || matches!(n.kind(), "this" | "self" | "super")
    };
    let effects = site.has_effects(value);
    if !effects && !any(value, &reads) {
        return Ok(());
    }
    let function = site.function_around(variable.name);
    let looks = |n: Node<'_>| {
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
            || kind == "unary_expression" && site.text(n).starts_with('*')
            || matches!(kind, "this" | "self" | "super")
    };
    if !effects && !any(value, &looks) && site.language != "rust" {
        // Names that never change.
        let fixed = site.names_in(value.byte_range()).iter().all(|name| {
            let text = site.source.get(name.span.clone()).unwrap_or("");
            let local = !name.own.is_empty() && name.own.iter().all(|d| site.is_local(*d));
            let parameter = name.own.iter().all(|d| site.def(*d).kind == DefinitionKind::Parameter);
            local && site.writes(function, text).len() <= usize::from(!parameter)
        });
        if fixed {
            return Ok(());
        }
    }
    let [one] = uses else {
        return Err(refusal(Why::Order, "it is read more than once, and its value may change"));
    };
    let statement = statement_around(site, *one)?;
    let mut next = variable.statement.next_named_sibling();
    while let Some(comment) = next.filter(|n| n.kind().contains("comment")) {
        next = comment.next_named_sibling();
    }
    if next.is_none_or(|n| n.id() != statement.id()) {
        return Err(refusal(Why::Order, "it is read only after something else has happened"));
    }
    if site.language == "rust" {
        // What comes before it in the statement may have moved or borrowed what it reads.
        let mut names: Vec<&str> = Vec::new();
        leaves(value, &mut |leaf| {
            if matches!(leaf.kind(), "identifier" | "self") {
                names.push(site.text(leaf));
            }
        });
        let mut taken = false;
        leaves(statement, &mut |leaf| {
            taken |= leaf.end_byte() <= one.start_byte() && names.contains(&site.text(leaf));
        });
        if taken {
            return Err(refusal(Why::Order, "what it reads may be borrowed or gone by then"));
        }
    }
    check_order_of(site, value, *one, statement)
}

/// What the statement takes with it.
fn removed(site: &Site<'_>, statement: Node<'_>) -> Result<Range<usize>, ActionRefusal> {
    let mut range = statement.byte_range();
    let rest = &site.source[range.end..];
    let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
    if let Some(mark) = line.strip_prefix(';').filter(|rest| rest.trim().is_empty()) {
        range.end += 1 + mark.len();
    } else {
        range.end += line.len();
    }
    if !site.begins_line(range.start) || !line.trim_matches([' ', '\t', ';']).is_empty() {
        return Err(refusal(Why::Shape, "its statement shares its line with something"));
    }
    range.start = site.line_start(range.start);
    let rest = &site.source[range.end..];
    let end = ["\r\n", "\n", "\r"].iter().find(|e| rest.starts_with(**e));
    range.end += end.map_or(0, |e| e.len());
    Ok(range)
}

/// The value as it stands in place of a name.
fn standing_for(site: &Site<'_>, value: Node<'_>, name: Node<'_>) -> Result<String, ActionRefusal> {
    let code = site.text(value);
    let parent = name.parent().map_or("", |p| p.kind());
    if name.kind() == "shorthand_property_identifier"
        || matches!(parent, "shorthand_field_initializer")
    {
        return Ok(format!("{}: {code}", site.text(name)));
    }
    let mut at = Some(name);
    while let Some(node) = at {
        if matches!(node.kind(), "interpolation" | "format_expression") {
            return Err(refusal(Why::Shape, "it is read within a string"));
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
    let holds = [
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
    let reached = leads(
        &[
            ("attribute", "object"),
            ("member_expression", "object"),
            ("field_expression", "value"),
            ("call_expression", "function"),
            ("call", "function"),
        ],
        name,
    );
    let spread = code.contains('\n') && site.language == "python";
    let plain = holds.contains(&parent) && !spread
        || atom.contains(&value.kind()) && !(reached && number.contains(&value.kind())) && !spread;
    let code = if plain { code.to_owned() } else { format!("({code})") };
    // Without a semicolon before it, a statement that begins so goes on with the one above.
    let opens = code.starts_with(['(', '[', '`', '/', '+', '-']);
    if matches!(site.language, "javascript" | "typescript" | "tsx") && opens {
        let begins = |n: &Node<'_>| n.start_byte() == name.start_byte();
        let around = std::iter::successors(name.parent(), Node::parent);
        if around.take_while(begins).any(|n| n.kind() == "expression_statement") {
            let why = "a statement would begin with it, and may go on with the one above";
            return Err(refusal(Why::Shape, why));
        }
    }
    Ok(code)
}
