//! Finds the call around a position from the tokens of a syntax tree, so that it also works in
//! half-typed code that does not parse.

use std::ops::Range;

use syntax::Syntax;
use tree_sitter::Node;

/// Bytes before a position that are searched for its call.
const MAX_BYTES_BEFORE: usize = 24 << 10;
/// Bytes after a position that are searched for the call's end.
const MAX_BYTES_AFTER: usize = 4 << 10;
/// Limit for the tokens that are read.
const MAX_TOKENS: usize = 60_000;

/// A call with its written arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallSite {
    /// The bytes of the callee's name.
    pub(crate) callee: Range<usize>,
    /// The offset of the opening parenthesis.
    pub(crate) open: usize,
    /// Each non-empty argument without surrounding blanks, with the number of commas before it.
    pub(crate) arguments: Vec<(Range<usize>, usize)>,
    /// The offset after the closing parenthesis, if there is one.
    pub(crate) close: Option<usize>,
}

/// A leaf of the tree, or a node that counts as one token.
#[derive(Debug, Clone, Copy)]
struct Token<'t> {
    start: usize,
    end: usize,
    kind: &'t str,
    /// The kind of the parent node.
    parent: &'t str,
    first_on_line: bool,
}

/// Nodes that count as one token: commas and brackets inside do not separate arguments.
const SINGLE_TOKEN_NODES: &[&str] = &[
    "type_arguments",
    "type_parameters",
    "type_parameter",
    "template_argument_list",
    "template_parameter_list",
    "closure_parameters",
    "lambda_parameters",
    "type_parameter_list",
    "regex",
    "parenthesized_type",
    "lambda_capture_specifier",
    "char_literal",
    "raw_string_literal",
];

/// Parent nodes whose parentheses declare parameters or group expressions, and call nothing.
const DECLARATION_LISTS: &[&str] = &[
    "parameters",
    "formal_parameters",
    "parameter_list",
    "preproc_params",
    "ordered_field_declaration_list",
    "import_spec_list",
    "annotation_argument_list",
    "parenthesized_expression",
    "for_statement",
];

/// Nodes whose braces enclose values, not statements.
const LITERALS: &[&str] = &[
    "object",
    "object_pattern",
    "dictionary",
    "set",
    "dictionary_comprehension",
    "set_comprehension",
    "literal_value",
    "field_initializer_list",
    "initializer_list",
    "array_initializer",
    "element_value_array_initializer",
    "token_tree",
];

/// Keywords that start a statement or declaration if they are first on a line.
const STATEMENT_KEYWORDS: &[&str] = &[
    "def",
    "class",
    "import",
    "try",
    "raise",
    "while",
    "with",
    "return",
    "fn",
    "func",
    "let",
    "const",
    "var",
    "pub",
    "struct",
    "enum",
    "impl",
    "use",
    "mod",
    "interface",
    "package",
    "public",
    "private",
    "protected",
    "static",
    "typedef",
    "export",
    "trait",
    "@",
    "#define",
    "#include",
    "#if",
    "#ifdef",
    "#endif",
    "#else",
    "throw",
    "break",
    "continue",
    "template",
    "namespace",
    "defer",
];

/// Keywords after which a name is declared, not called.
const DECLARATION_KEYWORDS: &[&str] =
    &["def", "fn", "func", "function", "class", "struct", "enum", "union", "interface", "record"];

impl CallSite {
    /// The innermost call whose parentheses contain a byte offset. O(tokens near it).
    pub(crate) fn around(syntax: &Syntax, offset: usize) -> Option<Self> {
        let language = syntax.language().id();
        if in_comment(syntax, offset) {
            return None;
        }
        let all = tokens(
            syntax,
            offset.saturating_sub(MAX_BYTES_BEFORE)..offset + MAX_BYTES_AFTER,
            Some(offset),
        );
        let next = all.partition_point(|t| t.start < offset);
        // A token that contains the offset is not before it.
        let mut at = next;
        let mut depth = 0_usize;
        while at > 0 {
            at -= 1;
            let token = all[at];
            match token.kind {
                ")" | "]" | "}" if token.end <= offset => depth += 1,
                "(" | "[" | "{" | "${" | "#{" if depth > 0 => depth -= 1,
                "(" => match before_parenthesis(&all, at, language) {
                    BeforeParenthesis::Callee(callee) => return Some(Self::read(&all, at, callee)),
                    BeforeParenthesis::Declared => return None,
                    BeforeParenthesis::Nothing => {}
                },
                "{" if !is_literal(&all, at) => return None,
                "${" | "#{" => return None,
                ";" if depth == 0 => return None,
                kind if depth == 0 && token.first_on_line && STATEMENT_KEYWORDS.contains(&kind) => {
                    return None;
                }
                _ => {}
            }
        }
        None
    }

    /// The calls whose parentheses open in a range, in order. O(tokens).
    pub(crate) fn within(syntax: &Syntax, span: Range<usize>) -> Vec<Self> {
        let language = syntax.language().id();
        let all = tokens(syntax, span.start..span.end.saturating_add(MAX_BYTES_AFTER), None);
        let opens = |n: &usize| all[*n].kind == "(" && span.contains(&all[*n].start);
        (0..all.len())
            .filter(opens)
            .filter_map(|n| match before_parenthesis(&all, n, language) {
                BeforeParenthesis::Callee(callee) => Some(Self::read(&all, n, callee)),
                _ => None,
            })
            .collect()
    }

    /// Reads the arguments after a parenthesis.
    fn read(all: &[Token<'_>], open: usize, callee: Range<usize>) -> Self {
        let mut call = Self { callee, open: all[open].start, arguments: Vec::new(), close: None };
        let (mut depth, mut commas) = (0_usize, 0);
        let mut argument: Option<Range<usize>> = None;
        for token in &all[open + 1..] {
            match token.kind {
                ")" if depth == 0 => {
                    call.close = Some(token.end);
                    break;
                }
                "]" | "}" | ";" if depth == 0 => break,
                kind if depth == 0 && token.first_on_line && STATEMENT_KEYWORDS.contains(&kind) => {
                    break;
                }
                "," if depth == 0 => {
                    call.arguments.extend(argument.take().map(|a| (a, commas)));
                    commas += 1;
                    continue;
                }
                "(" | "[" | "{" | "${" | "#{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                kind if kind.contains("comment") => continue,
                _ => {}
            }
            let span = argument.get_or_insert(token.start..token.end);
            span.end = token.end;
        }
        call.arguments.extend(argument.take().map(|a| (a, commas)));
        call
    }

    /// The argument at an offset: its index, by commas, and its bytes if it is not empty.
    pub(crate) fn argument_at(
        &self,
        syntax: &Syntax,
        offset: usize,
    ) -> (usize, Option<Range<usize>>) {
        let all = tokens(syntax, self.open..offset, Some(offset));
        let (mut depth, mut commas) = (0_usize, 0);
        for token in all.iter().filter(|t| t.start > self.open && t.end <= offset) {
            match token.kind {
                "(" | "[" | "{" | "${" | "#{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                "," if depth == 0 => commas += 1,
                _ => {}
            }
        }
        let own = self.arguments.iter().find(|a| a.1 == commas).map(|a| a.0.clone());
        (commas, own)
    }
}

/// What precedes a parenthesis.
enum BeforeParenthesis {
    /// The callee's name.
    Callee(Range<usize>),
    /// The name of a declaration.
    Declared,
    /// Neither.
    Nothing,
}

fn before_parenthesis(all: &[Token<'_>], open: usize, language: &str) -> BeforeParenthesis {
    let ecma = matches!(language, "javascript" | "typescript" | "tsx");
    if DECLARATION_LISTS.contains(&all[open].parent) {
        return match all[open].parent {
            "parenthesized_expression" => BeforeParenthesis::Nothing,
            _ if is_name(all, open.wrapping_sub(1)) => BeforeParenthesis::Declared,
            _ => BeforeParenthesis::Nothing,
        };
    }
    let mut at = open;
    let name = loop {
        let Some(before) = at.checked_sub(1) else { return BeforeParenthesis::Nothing };
        at = before;
        match all[at].kind {
            "type_arguments" | "template_argument_list" | "::" | "?." | "optional_chain" => {}
            "!" if ecma => {}
            _ => break at,
        }
    };
    if !is_name(all, name) {
        return BeforeParenthesis::Nothing;
    }
    let callee = all[name].start..all[name].end;
    let Some(before) = name.checked_sub(1).map(|n| all[n]) else {
        return BeforeParenthesis::Callee(callee);
    };
    if DECLARATION_KEYWORDS.contains(&before.kind) || language == "java" && before.kind == "@" {
        return BeforeParenthesis::Declared;
    }
    let apart = before.end < callee.start;
    let is_type = matches!(before.kind, "primitive_type" | "type_identifier" | "void_type");
    let typed = matches!(language, "c" | "cpp" | "java") && is_type && apart;
    if typed && before.parent != "new_expression" && all[open].parent != "argument_list" {
        return BeforeParenthesis::Declared;
    }
    BeforeParenthesis::Callee(callee)
}

fn is_name(all: &[Token<'_>], at: usize) -> bool {
    all.get(at).is_some_and(|t| {
        t.kind.ends_with("identifier") || matches!(t.kind, "super" | "this" | "operator_name")
    })
}

/// Whether a brace opens a literal, by its parent node, or by the token before it in broken code.
fn is_literal(all: &[Token<'_>], at: usize) -> bool {
    if all[at].parent != "ERROR" {
        return LITERALS.contains(&all[at].parent);
    }
    let before = at.checked_sub(1).map_or("", |n| all[n].kind);
    matches!(before, "(" | "," | "[" | ":" | "=")
}

/// Whether an offset is in a comment.
fn in_comment(syntax: &Syntax, offset: usize) -> bool {
    let Some(at) = offset.checked_sub(1) else { return false };
    let Some(mut node) = syntax.root().descendant_for_byte_range(at, at) else { return false };
    loop {
        let block = node.kind() == "block_comment" || node.kind() == "comment";
        if node.kind().contains("comment") {
            let closed = block && syntax.text().slice(at.saturating_sub(1)..offset) == "*/";
            return !(closed && node.end_byte() == offset);
        }
        match node.parent() {
            Some(parent) if parent.child_count() < 4 => node = parent,
            _ => return false,
        }
    }
}

/// The tokens in a range. A string is one token, unless the position is in an interpolation of it.
fn tokens(syntax: &Syntax, span: Range<usize>, place: Option<usize>) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    collect_tokens(syntax, &span, place, &mut out);
    let lines = syntax.text();
    let mut line = usize::MAX;
    for token in &mut out {
        let own = lines.line_of(token.start);
        token.first_on_line = own != line;
        line = own;
    }
    out
}

fn collect_tokens<'t>(
    syntax: &'t Syntax,
    span: &Range<usize>,
    place: Option<usize>,
    out: &mut Vec<Token<'t>>,
) {
    // Iterative, because trees may be very deep.
    let mut cursor = syntax.tree().walk();
    let mut ancestors: Vec<&'t str> = Vec::new();
    loop {
        let node = cursor.node();
        let (start, end, kind) = (node.start_byte(), node.end_byte(), node.kind());
        let outside = end < span.start || start > span.end;
        if !outside && !is_token(node, place) {
            let first = cursor.goto_first_child_for_byte(span.start).is_some();
            if first || cursor.goto_first_child() {
                ancestors.push(kind);
                continue;
            }
        }
        if !outside && start < end {
            let parent = ancestors.last().copied().unwrap_or_default();
            out.push(Token { start, end, kind, parent, first_on_line: false });
        }
        if out.len() > MAX_TOKENS || start > span.end {
            return;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            ancestors.pop();
        }
    }
}

/// Whether a node counts as one token: commas and brackets in it separate no arguments. A string with the caret in
/// its interpolated code is none.
fn is_token(node: Node<'_>, caret: Option<usize>) -> bool {
    if node.child_count() == 0 {
        return true;
    }
    let kind = node.kind();
    if kind.contains("string") && kind != "concatenated_string" || kind == "template_literal" {
        let mut cursor = node.walk();
        let in_code = |child: Node<'_>| {
            let code = matches!(child.kind(), "interpolation" | "template_substitution");
            code && caret.is_some_and(|at| child.start_byte() < at && at < child.end_byte())
        };
        return !node.children(&mut cursor).any(in_code);
    }
    kind.contains("comment") || SINGLE_TOKEN_NODES.contains(&kind)
}
