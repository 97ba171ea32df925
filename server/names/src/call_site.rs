//! The call that a place stands in, read off the tokens of a syntax tree: it is found as well in
//! code that is half typed and does not parse.

use std::ops::Range;

use syntax::Syntax;
use tree_sitter::Node;

/// How far before a place its call is looked for, in bytes.
const BEFORE: usize = 24 << 10;
/// How far behind it.
const BEHIND: usize = 4 << 10;
/// Most tokens that are looked at.
const TOKENS: usize = 60_000;

/// A call with its arguments as they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallSite {
    /// The bytes of the name that is called.
    pub(crate) callee: Range<usize>,
    /// Where the arguments' parenthesis opens.
    pub(crate) open: usize,
    /// Each argument that has any text, without blanks around it, and the commas before it.
    pub(crate) arguments: Vec<(Range<usize>, usize)>,
    /// Behind the parenthesis that closes it, where there is one.
    pub(crate) close: Option<usize>,
}

/// A leaf of the tree, or a node that is taken as one.
#[derive(Debug, Clone, Copy)]
struct Token<'t> {
    start: usize,
    end: usize,
    kind: &'t str,
    /// The kind of the node around it.
    parent: &'t str,
    first_on_line: bool,
}

/// Nodes in which commas and brackets belong to nothing outside of them.
const WHOLE: &[&str] = &[
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

/// The parentheses of these declare what is called, and call nothing.
const DECLARING: &[&str] = &[
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

/// Braces around values, not around statements.
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

/// Words that begin a statement or a declaration where a line begins with them.
const BEGINNING: &[&str] = &[
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

/// Words behind which a name is declared, not called.
const NAMING: &[&str] =
    &["def", "fn", "func", "function", "class", "struct", "enum", "union", "interface", "record"];

impl CallSite {
    /// The innermost call whose parentheses are around a byte offset. O(tokens near it).
    pub(crate) fn around(syntax: &Syntax, offset: usize) -> Option<Self> {
        let language = syntax.language().id();
        if in_comment(syntax, offset) {
            return None;
        }
        let all = tokens(syntax, offset.saturating_sub(BEFORE)..offset + BEHIND, Some(offset));
        let next = all.partition_point(|t| t.start < offset);
        // Whoever stands in the middle of a token has not got past it.
        let mut at = next;
        let mut depth = 0_usize;
        while at > 0 {
            at -= 1;
            let token = all[at];
            match token.kind {
                ")" | "]" | "}" if token.end <= offset => depth += 1,
                "(" | "[" | "{" | "${" | "#{" if depth > 0 => depth -= 1,
                "(" => match called(&all, at, language) {
                    Called::Name(callee) => return Some(Self::read(&all, at, callee)),
                    Called::Declared => return None,
                    Called::Nothing => {}
                },
                "{" if !is_literal(&all, at) => return None,
                "${" | "#{" => return None,
                ";" if depth == 0 => return None,
                kind if depth == 0 && token.first_on_line && BEGINNING.contains(&kind) => {
                    return None;
                }
                _ => {}
            }
        }
        None
    }

    /// The calls whose parentheses open in a part of the text, in order of place. O(tokens).
    pub(crate) fn within(syntax: &Syntax, span: Range<usize>) -> Vec<Self> {
        let language = syntax.language().id();
        let all = tokens(syntax, span.start..span.end.saturating_add(BEHIND), None);
        let opens = |n: &usize| all[*n].kind == "(" && span.contains(&all[*n].start);
        (0..all.len())
            .filter(opens)
            .filter_map(|n| match called(&all, n, language) {
                Called::Name(callee) => Some(Self::read(&all, n, callee)),
                _ => None,
            })
            .collect()
    }

    /// Reads the arguments behind a parenthesis.
    fn read(all: &[Token<'_>], open: usize, callee: Range<usize>) -> Self {
        let mut site = Self { callee, open: all[open].start, arguments: Vec::new(), close: None };
        let (mut depth, mut commas) = (0_usize, 0);
        let mut argument: Option<Range<usize>> = None;
        for token in &all[open + 1..] {
            match token.kind {
                ")" if depth == 0 => {
                    site.close = Some(token.end);
                    break;
                }
                "]" | "}" | ";" if depth == 0 => break,
                kind if depth == 0 && token.first_on_line && BEGINNING.contains(&kind) => break,
                "," if depth == 0 => {
                    site.arguments.extend(argument.take().map(|a| (a, commas)));
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
        site.arguments.extend(argument.take().map(|a| (a, commas)));
        site
    }

    /// The argument that an offset stands in: its number among the commas, and its bytes if it has
    /// any.
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

/// What stands before a parenthesis.
enum Called {
    /// The name of what is called.
    Name(Range<usize>),
    /// The name of what is declared there.
    Declared,
    /// Nothing that can be asked about.
    Nothing,
}

fn called(all: &[Token<'_>], open: usize, language: &str) -> Called {
    let ecma = matches!(language, "javascript" | "typescript" | "tsx");
    if DECLARING.contains(&all[open].parent) {
        return match all[open].parent {
            "parenthesized_expression" => Called::Nothing,
            _ if is_name(all, open.wrapping_sub(1)) => Called::Declared,
            _ => Called::Nothing,
        };
    }
    let mut at = open;
    let name = loop {
        let Some(before) = at.checked_sub(1) else { return Called::Nothing };
        at = before;
        match all[at].kind {
            "type_arguments" | "template_argument_list" | "::" | "?." | "optional_chain" => {}
            "!" if ecma => {}
            _ => break at,
        }
    };
    if !is_name(all, name) {
        return Called::Nothing;
    }
    let callee = all[name].start..all[name].end;
    let Some(before) = name.checked_sub(1).map(|n| all[n]) else { return Called::Name(callee) };
    if NAMING.contains(&before.kind) || language == "java" && before.kind == "@" {
        return Called::Declared;
    }
    let apart = before.end < callee.start;
    let is_type = matches!(before.kind, "primitive_type" | "type_identifier" | "void_type");
    let typed = matches!(language, "c" | "cpp" | "java") && is_type && apart;
    if typed && before.parent != "new_expression" && all[open].parent != "argument_list" {
        return Called::Declared;
    }
    Called::Name(callee)
}

fn is_name(all: &[Token<'_>], at: usize) -> bool {
    all.get(at).is_some_and(|t| {
        t.kind.ends_with("identifier") || matches!(t.kind, "super" | "this" | "operator_name")
    })
}

/// Whether a brace opens a value: by its node, or by what stands before it where it has none.
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

/// The tokens that touch a part of the text. A string is one, unless the place is in code that
/// stands in it.
fn tokens(syntax: &Syntax, span: Range<usize>, place: Option<usize>) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    gather(syntax, &span, place, &mut out);
    let lines = syntax.text();
    let mut line = usize::MAX;
    for token in &mut out {
        let own = lines.line_of(token.start);
        token.first_on_line = own != line;
        line = own;
    }
    out
}

fn gather<'t>(
    syntax: &'t Syntax,
    span: &Range<usize>,
    place: Option<usize>,
    out: &mut Vec<Token<'t>>,
) {
    // Without recursion: trees may be as deep as texts are long.
    let mut cursor = syntax.tree().walk();
    let mut around: Vec<&'t str> = Vec::new();
    loop {
        let node = cursor.node();
        let (start, end, kind) = (node.start_byte(), node.end_byte(), node.kind());
        let outside = end < span.start || start > span.end;
        if !outside && !is_token(node, place) {
            let first = cursor.goto_first_child_for_byte(span.start).is_some();
            if first || cursor.goto_first_child() {
                around.push(kind);
                continue;
            }
        }
        if !outside && start < end {
            let parent = around.last().copied().unwrap_or_default();
            out.push(Token { start, end, kind, parent, first_on_line: false });
        }
        if out.len() > TOKENS || start > span.end {
            return;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            around.pop();
        }
    }
}

/// Whether a node is taken as one.
fn is_token(node: Node<'_>, place: Option<usize>) -> bool {
    if node.child_count() == 0 {
        return true;
    }
    let kind = node.kind();
    if kind.contains("string") && kind != "concatenated_string" || kind == "template_literal" {
        let mut cursor = node.walk();
        let in_code = |child: Node<'_>| {
            let code = matches!(child.kind(), "interpolation" | "template_substitution");
            code && place.is_some_and(|p| child.start_byte() < p && p < child.end_byte())
        };
        return !node.children(&mut cursor).any(in_code);
    }
    kind.contains("comment") || WHOLE.contains(&kind)
}
