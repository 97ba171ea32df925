//! Validates trees: grammars accept more than their languages where that makes the rules shorter.

use std::ops::Range;

use tree_sitter::Node;

use super::SyntaxError;
use crate::Syntax;

/// Limit of errors per text.
const MAX_ERRORS: usize = 20;
/// Nodes that are allowed at the top level of a Go file.
const GO_DECLARATIONS: &[&str] = &[
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
/// Lists of JavaScript and TypeScript that allow no empty elements.
const ECMASCRIPT_LISTS: &[&str] = &[
    "arguments",
    "object",
    "object_pattern",
    "formal_parameters",
    "named_imports",
    "export_clause",
    "type_arguments",
];

impl Syntax {
    /// Violations of the language that the grammar accepts.
    pub(super) fn validation_errors(&self) -> Vec<SyntaxError> {
        let check: fn(&Self, Node<'_>) -> Option<SyntaxError> = match self.language().id() {
            "java" => Self::validate_java,
            "go" => Self::validate_go,
            "rust" => Self::validate_rust,
            "javascript" | "typescript" | "tsx" => Self::validate_ecmascript,
            "csharp" => Self::validate_csharp,
            _ => return Vec::new(),
        };
        let mut errors = Vec::new();
        let mut cursor = self.tree().walk();
        loop {
            let node = cursor.node();
            if node.is_named() {
                errors.extend(check(self, node));
            }
            if errors.len() >= MAX_ERRORS {
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

    fn error(&self, span: Range<usize>, message: String) -> Option<SyntaxError> {
        Some(SyntaxError { span, message, missing: None })
    }

    fn validate_java(&self, node: Node<'_>) -> Option<SyntaxError> {
        match node.kind() {
            // The grammar parses a method without a result type as a constructor.
            "constructor_declaration" => {
                let mut class = node.parent()?.parent()?;
                if class.kind() == "enum_body" {
                    class = class.parent()?;
                }
                let (name, own) = (self.name_of(node)?, self.name_of(class)?);
                let span = node.child_by_field_name("name")?.byte_range();
                let is_other = name != own && !node.has_error();
                is_other.then(|| self.error(span, format!("expected a type before `{name}`")))?
            }
            "modifiers" => self.repeated_child(node, |child| !child.is_named()),
            _ => None,
        }
    }

    fn validate_csharp(&self, node: Node<'_>) -> Option<SyntaxError> {
        let is_error_free = !self.root().has_error();
        match node.kind() {
            // The grammar parses `f(a b)` as a declaration of `b`, like `f(out T b)`.
            "declaration_expression" if is_error_free => {
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
                    .then(|| self.error(name.byte_range(), message))?
            }
            "parameter" if is_error_free => {
                let list = node.parent().filter(|parent| parent.kind() == "parameter_list")?;
                let owner = list.parent().filter(|its| its.kind().ends_with("_declaration"))?;
                // Arguments of a base class look like parameters: `class A(b c) : D(c)`.
                list.prev_named_sibling().filter(|its| its.kind() != "base_list")?;
                // An extension block looks like a constructor called `extension`.
                let declares = owner.kind() != "constructor_declaration"
                    || self.name_of(owner) == self.name_of(owner.parent()?.parent()?);
                let name = node.child_by_field_name("name")?;
                let is_bare = declares && node.child_by_field_name("type").is_none();
                let found = self.quoted(&name.byte_range());
                (is_bare && found != "`__arglist`").then(|| {
                    self.error(name.byte_range(), format!("expected a type before {found}"))
                })?
            }
            "empty_statement" if is_error_free => {
                let statement = node.parent().filter(|p| p.kind() == "global_statement")?;
                let before = statement.prev_named_sibling()?;
                let ends = ["using_directive", "file_scoped_namespace_declaration"];
                ends.contains(&before.kind())
                    .then(|| self.error(node.byte_range(), "unexpected `;`".to_owned()))?
            }
            kind if kind.ends_with("_declaration") => {
                self.repeated_child(node, |child| child.kind() == "modifier")
            }
            _ => None,
        }
    }

    /// The first child that fits and repeats the text of an earlier one.
    fn repeated_child(
        &self,
        node: Node<'_>,
        matches_child: fn(&Node<'_>) -> bool,
    ) -> Option<SyntaxError> {
        let mut cursor = node.walk();
        let words: Vec<Node<'_>> = node.children(&mut cursor).filter(matches_child).collect();
        let text = |node: &Node<'_>| self.text().slice(node.byte_range()).to_string();
        let index = (1..words.len()).find(|index| {
            let this = text(&words[*index]);
            words[..*index].iter().any(|earlier| text(earlier) == this)
        })?;
        let span = words[index].byte_range();
        self.error(span, format!("unexpected `{}`", text(&words[index])))
    }

    fn validate_go(&self, node: Node<'_>) -> Option<SyntaxError> {
        match node.kind() {
            "source_file" => {
                let mut cursor = node.walk();
                let parts: Vec<Node<'_>> = node.children(&mut cursor).collect();
                // Without a package clause it may be a code fragment.
                parts.iter().find(|part| part.kind() == "package_clause")?;
                let other = parts.iter().find(|part| !GO_DECLARATIONS.contains(&part.kind()))?;
                let token = self.token_after(other.start_byte())?;
                let found = self.quoted(&token);
                let message = match (other.kind(), found.as_str()) {
                    ("block", _) => "expected `{` at the end of the line before".to_owned(),
                    (_, "`func`") => "expected a name after `func`".to_owned(),
                    _ => format!("expected a declaration before {found}"),
                };
                self.error(token, message)
            }
            "block" => {
                let last = self.last_before(node.start_byte());
                let (text, at) = (self.text(), node.start_byte());
                let word = text.slice(last.clone()).to_string();
                // Lines that end so continue.
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
                    self.error(at..at + 1, message)
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
                // The grammar parses names that share a type as types.
                let bare = all.last().filter(|child| !has_name(child))?;
                let found = self.quoted(&bare.byte_range());
                self.error(
                    bare.byte_range(),
                    format!("expected a name and a type, not only {found}"),
                )
            }
            _ => None,
        }
    }

    fn validate_rust(&self, node: Node<'_>) -> Option<SyntaxError> {
        let in_block = node.kind() == "block";
        if !in_block && !matches!(node.kind(), "source_file" | "declaration_list") {
            return None;
        }
        // Check siblings from their parent: `next_sibling` takes linear time.
        let mut cursor = node.walk();
        let parts: Vec<Node<'_>> =
            node.named_children(&mut cursor).filter(|part| !part.is_extra()).collect();
        parts.windows(2).find_map(|two| match in_block {
            true => self.unterminated_macro_call(two[0], two[1]),
            false => self.not_an_item(two[0], two[1]),
        })
    }

    /// A node after an item that is no item.
    fn not_an_item(&self, before: Node<'_>, node: Node<'_>) -> Option<SyntaxError> {
        match node.kind() {
            "empty_statement" => {
                let calls = matches!(before.kind(), "macro_invocation" | "expression_statement");
                (!calls && !before.has_error())
                    .then(|| self.error(node.byte_range(), "unexpected `;`".to_owned()))?
            }
            "expression_statement" => {
                let is_item =
                    before.kind().ends_with("_item") || before.kind() == "use_declaration";
                let value = node.named_child(0)?;
                let is_path = matches!(value.kind(), "identifier" | "scoped_identifier");
                let found = self.quoted(&value.byte_range());
                let message = format!("expected `use` or the like before {found}");
                (is_item && is_path).then(|| self.error(value.byte_range(), message))?
            }
            _ => None,
        }
    }

    /// A macro call without `;` before the next statement.
    fn unterminated_macro_call(&self, node: Node<'_>, next: Node<'_>) -> Option<SyntaxError> {
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
        self.error(last, message)
    }

    fn validate_ecmascript(&self, node: Node<'_>) -> Option<SyntaxError> {
        match node.kind() {
            "jsx_element" => {
                let open = node.child_by_field_name("open_tag")?;
                let close = node.child_by_field_name("close_tag")?;
                let (opened, closed) = (self.name_of(open)?, self.name_of(close)?);
                if opened == closed {
                    return None;
                }
                // It may close an outer element; then this one is unclosed.
                let around = self.nodes_around(node.byte_range()).into_iter().any(|outer| {
                    let tag = outer.child_by_field_name("open_tag").filter(|tag| *tag != open);
                    tag.and_then(|tag| self.name_of(tag)).is_some_and(|name| name == closed)
                });
                if around || self.opens_in_error(node, &closed) {
                    let line = self.text().line_of(open.start_byte()) + 1;
                    let span = open.start_byte()..open.start_byte() + 1 + opened.len();
                    let message = format!("unclosed `<{opened}>` that opens on line {line}");
                    return self.error(span, message);
                }
                let message = format!("expected `</{opened}>` before `</{closed}>`");
                self.error(close.byte_range(), message)
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
                self.error(
                    bare.start_byte()..bare.start_byte() + 1,
                    format!("expected `=` after {name}"),
                )
            }
            kind if ECMASCRIPT_LISTS.contains(&kind) => {
                let mut cursor = node.walk();
                let parts: Vec<Node<'_>> =
                    node.children(&mut cursor).filter(|part| !part.is_extra()).collect();
                let comma = parts.windows(2).find(|two| {
                    two[1].kind() == "," && matches!(two[0].kind(), "," | "(" | "{" | "<")
                })?;
                self.error(comma[1].byte_range(), "unexpected `,`".to_owned())
            }
            _ => None,
        }
    }

    /// Whether an element called `name` opens before `node` in the surrounding error.
    fn opens_in_error(&self, node: Node<'_>, name: &str) -> bool {
        let mut before = node;
        for _ in 0..MAX_ERRORS {
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
