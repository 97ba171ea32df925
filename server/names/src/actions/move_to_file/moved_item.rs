//! The definition to move.

use std::ops::Range;

use tree_sitter::Node;

use crate::actions::context::ActionContext;
use crate::actions::{ActionRefusal, RefusalReason as Reason, refusal};
use crate::vocabulary::Flags;

/// The definition to move.
pub(super) struct MovedItem<'a> {
    /// Its statement, including decorators and `export`.
    pub(super) node: Node<'a>,
    /// The declaration inside the statement.
    pub(super) declared: Node<'a>,
    pub(super) name: &'a str,
    pub(super) def: u32,
    /// Its lines, including doc comments and attributes.
    pub(super) span: Range<usize>,
}

impl<'a> MovedItem<'a> {
    /// The top-level definition whose head contains the cursor.
    pub(super) fn at(ctx: &ActionContext<'a>) -> Result<Self, ActionRefusal> {
        let nothing = || refusal(Reason::NotApplicable, "no top-level definition starts here");
        let root = ctx.request.syntax.root();
        let mut cursor = root.walk();
        let at = ctx.range.start;
        let holds = |n: &Node<'_>| n.start_byte() <= at && at < n.end_byte();
        let item = root.named_children(&mut cursor).find(holds).ok_or_else(nothing)?;
        let declared = declaration_of(item).ok_or_else(nothing)?;
        let name = name_node(declared).ok_or_else(|| {
            let declares = declared.kind().contains("declaration");
            match declares {
                true => refusal(
                    Reason::Unsupported,
                    "the statement defines several names, or a pattern",
                ),
                false => nothing(),
            }
        })?;
        if !ctx.text(name).contains(char::is_alphanumeric) {
            return Err(nothing());
        }
        if at > name.end_byte() && ctx.range != item.byte_range() {
            return Err(nothing());
        }
        let start = u32::try_from(name.start_byte()).map_err(|_| nothing())?;
        let found = ctx
            .facts
            .definitions
            .iter()
            .position(|d| d.scope == 0 && d.name_start == start && d.name_end > start);
        let def = found.ok_or_else(nothing)? as u32;
        let span = lines(ctx, item)?;
        Ok(Self { node: item, declared, name: ctx.name_of(def), def, span })
    }

    /// Checks that no other definition of the file has its name.
    pub(super) fn check_unique(&self, ctx: &ActionContext<'_>) -> Result<(), ActionRefusal> {
        let facts = ctx.facts;
        let number = ctx.def(self.def).name;
        let visible = |d: &&u32| !ctx.def(**d).flags.has(Flags::HIDDEN);
        if facts.definitions_in_scope(0, number).iter().filter(visible).count() > 1 {
            let why = format!("`{}` is defined more than once in this file", self.name);
            return Err(refusal(Reason::Unsupported, why));
        }
        Ok(())
    }

    pub(super) fn code<'s>(&self, ctx: &'s ActionContext<'_>) -> &'s str {
        &ctx.source[self.span.clone()]
    }

    /// The range to delete: its lines, and the blank lines on one side.
    pub(super) fn removed_range(&self, ctx: &ActionContext<'_>) -> Range<usize> {
        let source = &ctx.source;
        let (mut start, mut end) = (self.span.start, self.span.end);
        let rest = &source[end..];
        if rest.trim().is_empty() {
            let before = source[..start].trim_end();
            let feed = source[before.len()..start].find('\n').map_or(0, |n| n + 1);
            start = before.len() + feed;
            return start..source.len();
        }
        let code = rest.len() - rest.trim_start().len();
        end += rest[..code].rfind('\n').map_or(0, |n| n + 1);
        start..end
    }
}

/// The declaration in a top-level statement.
fn declaration_of(item: Node<'_>) -> Option<Node<'_>> {
    match item.kind() {
        "decorated_definition" => item.child_by_field_name("definition"),
        "export_statement" => item.child_by_field_name("declaration"),
        "expression_statement" => item.named_child(0).filter(|n| n.kind() == "assignment"),
        "function_definition"
        | "class_definition"
        | "function_declaration"
        | "generator_function_declaration"
        | "class_declaration"
        | "abstract_class_declaration"
        | "interface_declaration"
        | "type_alias_declaration"
        | "enum_declaration"
        | "lexical_declaration"
        | "type_declaration"
        | "const_declaration"
        | "var_declaration"
        | "record_declaration"
        | "annotation_type_declaration"
        | "function_item"
        | "struct_item"
        | "enum_item"
        | "union_item"
        | "trait_item"
        | "type_item"
        | "const_item"
        | "static_item" => Some(item),
        _ => None,
    }
}

/// The name of a declaration that declares one name.
fn name_node(declared: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = declared.walk();
    match declared.kind() {
        "assignment" => {
            declared.child_by_field_name("right")?;
            declared.child_by_field_name("left").filter(|n| n.kind() == "identifier")
        }
        "lexical_declaration" | "type_declaration" | "const_declaration" | "var_declaration" => {
            let mut all: Vec<_> = declared
                .named_children(&mut cursor)
                .filter(|n| !n.kind().contains("comment"))
                .collect();
            if let [list] = all[..]
                && list.kind() == "var_spec_list"
            {
                return None;
            }
            let one = all.pop().filter(|_| all.is_empty())?;
            // A parenthesised group of declarations is not supported.
            if declared.child(1).is_some_and(|c| c.kind() == "(") {
                return None;
            }
            let mut cursor = one.walk();
            let mut names = one.children_by_field_name("name", &mut cursor);
            let name = names.next().filter(|n| n.kind().ends_with("identifier"))?;
            names.next().is_none().then_some(name)
        }
        _ => declared.child_by_field_name("name"),
    }
}

/// The lines of a statement, with the comments and attributes directly above it.
fn lines(ctx: &ActionContext<'_>, item: Node<'_>) -> Result<Range<usize>, ActionRefusal> {
    let source = &ctx.source;
    let mut first = item;
    while let Some(prev) = first.prev_sibling() {
        let attached = prev.kind().contains("comment") || prev.kind() == "attribute_item";
        let text = ctx.text(prev);
        let end_row = prev.end_position().row - usize::from(text.ends_with('\n'));
        let touches = end_row + 1 >= first.start_position().row;
        let lower = text.to_lowercase();
        let of_file = text.starts_with("#!")
            || prev.start_position().row == 0
                && (lower.contains("copyright") || lower.contains("license"));
        let inner = text.starts_with("//!") || text.starts_with("/*!") && ctx.language == "rust";
        let behind_attribute = prev.prev_sibling().is_some_and(|p| {
            p.kind() == "attribute_item" && p.end_position().row == prev.start_position().row
        });
        let own_line = ctx.is_first_on_line(prev.start_byte()) || behind_attribute;
        if !attached || !touches || of_file || inner || !own_line {
            break;
        }
        first = prev;
    }
    let mut end = item.end_byte();
    let rest = source[end..].lines().next().unwrap_or("");
    let trailing = rest.trim().trim_start_matches(';').trim();
    let comment = ["#", "//", "/*"].iter().any(|c| trailing.starts_with(c));
    if !(trailing.is_empty() || comment) || !ctx.is_first_on_line(first.start_byte()) {
        return Err(refusal(Reason::Unsupported, "other code is on its lines"));
    }
    if comment && trailing.starts_with("/*") && !trailing.ends_with("*/") {
        return Err(refusal(Reason::Unsupported, "a comment continues after it"));
    }
    if !source[..end].ends_with('\n') {
        end = source[end..].find('\n').map_or(source.len(), |n| end + n + 1);
    }
    Ok(ctx.line_start(first.start_byte())..end)
}
