//! What a grammar takes and its language refuses: grammars allow more than languages where that
//! makes their rules shorter.

use std::ops::Range;

use tree_sitter::Node;

use super::SyntaxError;
use crate::Syntax;

/// Most errors of one text.
const MOST: usize = 20;
/// What may stand at the top of a file of Go.
const DECLARATIONS: &[&str] = &[
    "package_clause",
    "import_declaration",
    "const_declaration",
    "var_declaration",
    "type_declaration",
    "function_declaration",
    "method_declaration",
    "comment",
    "ERROR",
    ";",
    "\n",
];
/// Lists of JavaScript and TypeScript in which no place may be empty.
const LISTS: &[&str] = &[
    "arguments",
    "object",
    "object_pattern",
    "formal_parameters",
    "named_imports",
    "export_clause",
    "type_arguments",
];

impl Syntax {
    /// The errors that the tree does not show as such.
    pub(super) fn misshapen(&self) -> Vec<SyntaxError> {
        let check: fn(&Self, Node<'_>) -> Option<SyntaxError> = match self.language().id() {
            "java" => Self::misshapen_java,
            "go" => Self::misshapen_go,
            "rust" => Self::misshapen_rust,
            "javascript" | "typescript" | "tsx" => Self::misshapen_script,
            "csharp" => Self::misshapen_csharp,
            _ => return Vec::new(),
        };
        let mut errors = Vec::new();
        let mut cursor = self.tree().walk();
        loop {
            let node = cursor.node();
            if node.is_named() {
                errors.extend(check(self, node));
            }
            if errors.len() >= MOST {
                return errors;
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return errors;
                }
            }
        }
    }

    fn name_of(&self, node: Node<'_>) -> Option<String> {
        Some(self.text().slice(node.child_by_field_name("name")?.byte_range()).to_string())
    }

    fn refuse(&self, span: Range<usize>, message: String) -> Option<SyntaxError> {
        Some(SyntaxError { span, message, missing: None })
    }

    fn misshapen_java(&self, node: Node<'_>) -> Option<SyntaxError> {
        match node.kind() {
            // The grammar takes a method without a type for a constructor.
            "constructor_declaration" => {
                let mut class = node.parent()?.parent()?;
                if class.kind() == "enum_body" {
                    class = class.parent()?;
                }
                let (name, own) = (self.name_of(node)?, self.name_of(class)?);
                let span = node.child_by_field_name("name")?.byte_range();
                let is_other = name != own && !node.has_error();
                is_other.then(|| self.refuse(span, format!("expected a type before `{name}`")))?
            }
            "modifiers" => self.repeated(node, |child| !child.is_named()),
            _ => None,
        }
    }

    fn misshapen_csharp(&self, node: Node<'_>) -> Option<SyntaxError> {
        let is_sound = !self.root().has_error();
        match node.kind() {
            // The grammar takes `f(a b)` for one that declares `b`, as `f(out T b)` does.
            "declaration_expression" if is_sound => {
                let argument = node.parent().filter(|parent| parent.kind() == "argument")?;
                let list = argument.parent()?;
                let name = node.child_by_field_name("name")?;
                // `a * b` and `a < b > c` look like pointers and generic types.
                let is_plain = node.child_by_field_name("type").is_some_and(|its| {
                    matches!(its.kind(), "identifier" | "qualified_name" | "predefined_type")
                });
                let is_bare = is_plain && argument.child_count() == 1;
                let found = self.quoted(&name.byte_range());
                let message = format!("expected `,` or an operator before {found}");
                (is_bare && list.kind() == "argument_list")
                    .then(|| self.refuse(name.byte_range(), message))?
            }
            "parameter" if is_sound => {
                let list = node.parent().filter(|parent| parent.kind() == "parameter_list")?;
                let owner = list.parent().filter(|its| its.kind().ends_with("_declaration"))?;
                // Arguments of a base look like parameters: `class A(b c) : D(c)`.
                list.prev_named_sibling().filter(|its| its.kind() != "base_list")?;
                // A block of extensions looks like a constructor that is called `extension`.
                let declares = owner.kind() != "constructor_declaration"
                    || self.name_of(owner) == self.name_of(owner.parent()?.parent()?);
                let name = node.child_by_field_name("name")?;
                let is_bare = declares && node.child_by_field_name("type").is_none();
                let found = self.quoted(&name.byte_range());
                (is_bare && found != "`__arglist`").then(|| {
                    self.refuse(name.byte_range(), format!("expected a type before {found}"))
                })?
            }
            "empty_statement" if is_sound => {
                let statement = node.parent().filter(|p| p.kind() == "global_statement")?;
                let before = statement.prev_named_sibling()?;
                let ends = ["using_directive", "file_scoped_namespace_declaration"];
                ends.contains(&before.kind())
                    .then(|| self.refuse(node.byte_range(), "unexpected `;`".to_owned()))?
            }
            kind if kind.ends_with("_declaration") => {
                self.repeated(node, |child| child.kind() == "modifier")
            }
            _ => None,
        }
    }

    /// A child of a kind that stands twice.
    fn repeated(&self, node: Node<'_>, fits: fn(&Node<'_>) -> bool) -> Option<SyntaxError> {
        let mut cursor = node.walk();
        let words: Vec<Node<'_>> = node.children(&mut cursor).filter(fits).collect();
        let text = |node: &Node<'_>| self.text().slice(node.byte_range()).to_string();
        let index = (1..words.len()).find(|index| {
            let this = text(&words[*index]);
            words[..*index].iter().any(|earlier| text(earlier) == this)
        })?;
        let span = words[index].byte_range();
        self.refuse(span, format!("unexpected `{}`", text(&words[index])))
    }

    fn misshapen_go(&self, node: Node<'_>) -> Option<SyntaxError> {
        match node.kind() {
            "source_file" => {
                let mut cursor = node.walk();
                let parts: Vec<Node<'_>> = node.children(&mut cursor).collect();
                // A part of a file may be anything.
                parts.iter().find(|part| part.kind() == "package_clause")?;
                let other = parts.iter().find(|part| !DECLARATIONS.contains(&part.kind()))?;
                let token = self.token_after(other.start_byte())?;
                let found = self.quoted(&token);
                let message = match (other.kind(), found.as_str()) {
                    ("block", _) => "expected `{` at the end of the line before".to_owned(),
                    (_, "`func`") => "expected a name after `func`".to_owned(),
                    _ => format!("expected a declaration before {found}"),
                };
                self.refuse(token, message)
            }
            "block" => {
                let last = self.last_before(node.start_byte());
                let (text, at) = (self.text(), node.start_byte());
                let word = text.slice(last.clone()).to_string();
                // A line that ends with these goes on.
                let goes_on = matches!(word.as_str(), "else" | "for" | "if" | "{" | ";" | ",");
                let ends = word.ends_with(|c: char| c.is_alphanumeric() || "_)]}\"'`".contains(c));
                if text.line_of(last.start) + 1 != text.line_of(at) || !ends || goes_on {
                    return None;
                }
                let heads = [
                    "function_declaration",
                    "method_declaration",
                    "func_literal",
                    "if_statement",
                    "for_statement",
                ];
                let parent = node.parent().filter(|parent| heads.contains(&parent.kind()))?;
                (parent.start_byte() < last.start && !parent.has_error()).then(|| {
                    let message = "expected `{` at the end of the line before".to_owned();
                    self.refuse(at..at + 1, message)
                })?
            }
            "parameter_list" => {
                let mut cursor = node.walk();
                let all: Vec<Node<'_>> = node
                    .named_children(&mut cursor)
                    .filter(|child| child.kind().ends_with("parameter_declaration"))
                    .collect();
                let has_name = |child: &&Node<'_>| child.child_by_field_name("name").is_some();
                all.iter().find(has_name)?;
                // The grammar reads names of one type as types where there are many.
                let bare = all.last().filter(|child| !has_name(child))?;
                let found = self.quoted(&bare.byte_range());
                self.refuse(
                    bare.byte_range(),
                    format!("expected a name and a type, not only {found}"),
                )
            }
            _ => None,
        }
    }

    fn misshapen_rust(&self, node: Node<'_>) -> Option<SyntaxError> {
        let in_block = node.kind() == "block";
        if !in_block && !matches!(node.kind(), "source_file" | "declaration_list") {
            return None;
        }
        // Asked of the one around them: a node's own siblings take time in proportion.
        let mut cursor = node.walk();
        let parts: Vec<Node<'_>> =
            node.named_children(&mut cursor).filter(|part| !part.is_extra()).collect();
        parts.windows(2).find_map(|two| match in_block {
            true => self.open_call(two[0], two[1]),
            false => self.no_item(two[0], two[1]),
        })
    }

    /// What stands behind an item and is none.
    fn no_item(&self, before: Node<'_>, node: Node<'_>) -> Option<SyntaxError> {
        match node.kind() {
            "empty_statement" => {
                let calls = matches!(before.kind(), "macro_invocation" | "expression_statement");
                (!calls && !before.has_error())
                    .then(|| self.refuse(node.byte_range(), "unexpected `;`".to_owned()))?
            }
            "expression_statement" => {
                let is_item =
                    before.kind().ends_with("_item") || before.kind() == "use_declaration";
                let value = node.named_child(0)?;
                let is_path = matches!(value.kind(), "identifier" | "scoped_identifier");
                let found = self.quoted(&value.byte_range());
                let message = format!("expected `use` or the like before {found}");
                (is_item && is_path).then(|| self.refuse(value.byte_range(), message))?
            }
            _ => None,
        }
    }

    /// A macro's call that is not ended before the next statement.
    fn open_call(&self, node: Node<'_>, next: Node<'_>) -> Option<SyntaxError> {
        let call = match node.kind() {
            "macro_invocation" => node,
            "expression_statement" => node.named_child(0).filter(|_| node.child_count() == 1)?,
            _ => return None,
        };
        let mut cursor = call.walk();
        let tokens = call.named_children(&mut cursor).last()?;
        let is_round = call.kind() == "macro_invocation"
            && tokens.kind() == "token_tree"
            && tokens.child(0)?.kind() != "{";
        if !is_round || next.has_error() {
            return None;
        }
        let last = self.last_before(call.end_byte());
        let message = format!("expected `;` after {}", self.quoted(&last));
        self.refuse(last, message)
    }

    fn misshapen_script(&self, node: Node<'_>) -> Option<SyntaxError> {
        match node.kind() {
            "jsx_element" => {
                let open = node.child_by_field_name("open_tag")?;
                let close = node.child_by_field_name("close_tag")?;
                let (opened, closed) = (self.name_of(open)?, self.name_of(close)?);
                if opened == closed {
                    return None;
                }
                // It may be the end of an element around, which this one is left open in.
                let around = self.nodes_around(node.byte_range()).into_iter().any(|outer| {
                    let tag = outer.child_by_field_name("open_tag").filter(|tag| *tag != open);
                    tag.and_then(|tag| self.name_of(tag)).is_some_and(|name| name == closed)
                });
                if around || self.opens_in_error(node, &closed) {
                    let line = self.text().line_of(open.start_byte()) + 1;
                    let span = open.start_byte()..open.start_byte() + 1 + opened.len();
                    let message = format!("unclosed `<{opened}>` that opens on line {line}");
                    return self.refuse(span, message);
                }
                let message = format!("expected `</{opened}>` before `</{closed}>`");
                self.refuse(close.byte_range(), message)
            }
            "jsx_opening_element" | "jsx_self_closing_element" => {
                let mut cursor = node.walk();
                let bare = node.named_children(&mut cursor).find(|child| {
                    let first = child.named_child(0).map(|first| first.kind());
                    child.kind() == "jsx_expression"
                        && first.is_some_and(|kind| kind != "spread_element" && kind != "comment")
                })?;
                let before = bare.prev_named_sibling()?;
                if bare.has_error() || before.kind() != "jsx_attribute" {
                    return None;
                }
                let name = self.quoted(&before.byte_range());
                self.refuse(
                    bare.start_byte()..bare.start_byte() + 1,
                    format!("expected `=` after {name}"),
                )
            }
            kind if LISTS.contains(&kind) => {
                let mut cursor = node.walk();
                let parts: Vec<Node<'_>> =
                    node.children(&mut cursor).filter(|part| !part.is_extra()).collect();
                let comma = parts.windows(2).find(|two| {
                    two[1].kind() == "," && matches!(two[0].kind(), "," | "(" | "{" | "<")
                })?;
                self.refuse(comma[1].byte_range(), "unexpected `,`".to_owned())
            }
            _ => None,
        }
    }

    /// Whether an element of a name opens in the error that an element stands in.
    fn opens_in_error(&self, node: Node<'_>, name: &str) -> bool {
        let mut before = node;
        for _ in 0..MOST {
            let Some(earlier) = before.prev_sibling().or_else(|| before.parent()) else {
                return false;
            };
            if earlier.kind() == "jsx_opening_element"
                && self.name_of(earlier).as_deref() == Some(name)
            {
                return true;
            }
            before = earlier;
        }
        false
    }
}
