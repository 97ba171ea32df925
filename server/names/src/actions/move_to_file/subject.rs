//! The definition that is to go.

use std::ops::Range;

use tree_sitter::Node;

use crate::actions::site::Site;
use crate::actions::{ActionRefusal, RefusalReason as Why, refusal};
use crate::vocabulary::Flags;

/// The definition that is to go.
pub(super) struct Subject<'a> {
    /// The statement, with decorators and `export` where those are around it.
    pub(super) item: Node<'a>,
    /// What it declares.
    pub(super) declared: Node<'a>,
    pub(super) name: &'a str,
    pub(super) def: u32,
    /// Whole lines: with what documents it and its attributes.
    pub(super) span: Range<usize>,
}

impl<'a> Subject<'a> {
    /// What is defined at the place: the cursor is on its head.
    pub(super) fn at(site: &Site<'a>) -> Result<Self, ActionRefusal> {
        let nothing = || refusal(Why::Nothing, "no definition of the top level begins here");
        let root = site.place.syntax.root();
        let mut cursor = root.walk();
        let at = site.range.start;
        let holds = |n: &Node<'_>| n.start_byte() <= at && at < n.end_byte();
        let item = root.named_children(&mut cursor).find(holds).ok_or_else(nothing)?;
        let declared = inner(item).ok_or_else(nothing)?;
        let name = name_node(declared).ok_or_else(|| {
            let declares = declared.kind().contains("declaration");
            match declares {
                true => refusal(Why::Shape, "the statement defines several names, or a pattern"),
                false => nothing(),
            }
        })?;
        if !site.text(name).contains(char::is_alphanumeric) {
            return Err(nothing());
        }
        if at > name.end_byte() && site.range != item.byte_range() {
            return Err(nothing());
        }
        let start = u32::try_from(name.start_byte()).map_err(|_| nothing())?;
        let found = site
            .facts
            .definitions
            .iter()
            .position(|d| d.scope == 0 && d.name_start == start && d.name_end > start);
        let def = found.ok_or_else(nothing)? as u32;
        let span = lines(site, item)?;
        Ok(Self { item, declared, name: site.name_of(def), def, span })
    }

    /// It is the only one of its name.
    pub(super) fn check_alone(&self, site: &Site<'_>) -> Result<(), ActionRefusal> {
        let facts = site.facts;
        let number = site.def(self.def).name;
        let visible = |d: &&u32| !site.def(**d).flags.has(Flags::HIDDEN);
        if facts.in_scope(0, number).iter().filter(visible).count() > 1 {
            let why = format!("`{}` is defined more than once in this file", self.name);
            return Err(refusal(Why::Shape, why));
        }
        Ok(())
    }

    pub(super) fn code<'s>(&self, site: &'s Site<'_>) -> &'s str {
        &site.source[self.span.clone()]
    }

    /// What goes from the file: its lines, and blank lines to one side.
    pub(super) fn gone(&self, site: &Site<'_>) -> Range<usize> {
        let source = &site.source;
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

/// What a statement of the top level declares.
fn inner(item: Node<'_>) -> Option<Node<'_>> {
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

/// The one name that it declares.
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
            // Without brackets around.
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

/// The lines of a statement, with the comments and attributes that stand directly above it.
fn lines(site: &Site<'_>, item: Node<'_>) -> Result<Range<usize>, ActionRefusal> {
    let source = &site.source;
    let mut first = item;
    while let Some(prev) = first.prev_sibling() {
        let attached = prev.kind().contains("comment") || prev.kind() == "attribute_item";
        let text = site.text(prev);
        let end_row = prev.end_position().row - usize::from(text.ends_with('\n'));
        let touches = end_row + 1 >= first.start_position().row;
        let lower = text.to_lowercase();
        let of_file = text.starts_with("#!")
            || prev.start_position().row == 0
                && (lower.contains("copyright") || lower.contains("license"));
        let inner = text.starts_with("//!") || text.starts_with("/*!") && site.language == "rust";
        let behind_attribute = prev.prev_sibling().is_some_and(|p| {
            p.kind() == "attribute_item" && p.end_position().row == prev.start_position().row
        });
        let own_line = site.begins_line(prev.start_byte()) || behind_attribute;
        if !attached || !touches || of_file || inner || !own_line {
            break;
        }
        first = prev;
    }
    let mut end = item.end_byte();
    let rest = source[end..].lines().next().unwrap_or("");
    let trailing = rest.trim().trim_start_matches(';').trim();
    let comment = ["#", "//", "/*"].iter().any(|c| trailing.starts_with(c));
    if !(trailing.is_empty() || comment) || !site.begins_line(first.start_byte()) {
        return Err(refusal(Why::Shape, "other code stands on its lines"));
    }
    if comment && trailing.starts_with("/*") && !trailing.ends_with("*/") {
        return Err(refusal(Why::Shape, "a comment goes on behind it"));
    }
    if !source[..end].ends_with('\n') {
        end = source[end..].find('\n').map_or(source.len(), |n| end + n + 1);
    }
    Ok(site.line_start(first.start_byte())..end)
}
