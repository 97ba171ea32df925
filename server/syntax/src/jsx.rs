//! Works around JSX that the grammars wrongly reject.
//!
//! A `&` that starts no character reference is plain text, and any word may name an element or
//! attribute: `AT&T`, `href="?a=1&b=2"`, `class="x"`. The grammars know neither. A text with errors
//! is therefore parsed again with such characters masked, and a mask is kept if the new tree shows
//! that it is in JSX.

use std::ops::Range;

use text::Text;
use tree_sitter::{Node, Tree};

/// Limit of masks in one text, and of the text's length in bytes. Hand-written code is below, and
/// generated code is not worth the time.
const MAX_MASKS: usize = 2_000;
const MAX_TEXT_LEN: usize = 1 << 20;

/// Longest character reference: `&CounterClockwiseContourIntegral;`.
const MAX_REFERENCE_LEN: usize = 34;

/// Words that the grammars never accept as a name.
const RESERVED_WORDS: &[&str] = &[
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "import",
    "in",
    "instanceof",
    "new",
    "null",
    "return",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
];

/// The characters that may have caused the errors of `tree`, in order, one byte each. `&&` and `&=`
/// are usually code, so they are included only if `doubled` is set. O(n).
pub(crate) fn mask_candidates(text: &Text, tree: &Tree, doubled: bool) -> Vec<Range<usize>> {
    if text.len() > MAX_TEXT_LEN {
        return Vec::new();
    }
    let source = text.slice(0..text.len());
    let root = tree.root_node();
    let ampersands = memchr::memchr_iter(b'&', source.as_bytes());
    let mut all: Vec<usize> = ampersands
        .filter(|&at| is_plain_ampersand(&source, at, doubled))
        .take(MAX_MASKS + 1)
        .collect();
    if all.len() > MAX_MASKS {
        return Vec::new();
    }
    all.retain(|&at| !is_operator(root, at) || doubled && follows_tag(&source[..at]));
    for end in memchr::memchr3_iter(b'=', b'>', b'/', source.as_bytes()) {
        all.extend(reserved_attribute_name(&source, end));
        if all.len() > MAX_MASKS {
            return Vec::new();
        }
    }
    all.extend(reserved_element_names(&source));
    all.sort_unstable();
    all.dedup();
    if all.len() > MAX_MASKS {
        return Vec::new();
    }
    all.into_iter().map(|at| at..at + 1).collect()
}

/// The masks that are in JSX according to the tree of the masked text.
pub(crate) fn masks_in_jsx(tree: &Tree, text: &Text, masks: &[Range<usize>]) -> Vec<Range<usize>> {
    let root = tree.root_node();
    masks.iter().filter(|mask| is_in_jsx(root, text, mask)).cloned().collect()
}

/// Whether the `&` belongs to an expression that parsed without error.
fn is_operator(root: Node<'_>, at: usize) -> bool {
    let Some(leaf) = root.descendant_for_byte_range(at, at + 1) else { return false };
    let operation = leaf.parent().filter(|p| leaf.kind().starts_with('&') && !p.is_error());
    operation.is_some_and(|p| {
        let around = std::iter::successors(Some(p), Node::parent);
        !p.has_error() && !around.take(4).any(|n| n.is_error())
    })
}

/// Whether `before` ends after a tag, judged by the last bracket or semicolon.
fn follows_tag(before: &str) -> bool {
    let Some(at) = before.rfind(['<', '>', '{', '}', '(', ')', ';']) else { return false };
    let (head, sign) = before.split_at(at);
    // A comparison has blanks around it, and `=>` also ends with `>`.
    sign.starts_with('>') && !head.ends_with(|c: char| c.is_whitespace() || c == '=')
}

/// Whether a `&` starts no character reference.
fn is_plain_ampersand(source: &str, at: usize, doubled: bool) -> bool {
    let rest = &source[at..];
    if rest[1..].starts_with(['&', '=']) || source[..at].ends_with('&') {
        return doubled && follows_tag(&source[..at]);
    }
    let end = rest.bytes().take(MAX_REFERENCE_LEN).position(|b| b == b';');
    let Some(name) = end.map(|end| &rest[1..end]) else { return true };
    let (digits, hex) = match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(hex) => (hex, true),
            None => (number, false),
        },
        None => {
            let letters = name.bytes().all(|b| b.is_ascii_alphabetic());
            return name.is_empty() || !letters || name.len() > 30;
        }
    };
    let (most, is_digit): (usize, fn(&u8) -> bool) =
        if hex { (6, u8::is_ascii_hexdigit) } else { (5, u8::is_ascii_digit) };
    digits.is_empty() || digits.len() > most || !digits.bytes().all(|b| is_digit(&b))
}

/// The start of a reserved word that names an attribute: `class=`, or `default` before the end of
/// the tag.
fn reserved_attribute_name(source: &str, end: usize) -> Option<usize> {
    let before = source[..end].trim_end();
    let start = before.rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |at| at + 1);
    let word = before.get(start..)?;
    if !RESERVED_WORDS.contains(&word) {
        return None;
    }
    let separated = source[..start].ends_with(|c: char| c.is_whitespace() || "\"'}".contains(c));
    let fits = match source.as_bytes()[end] {
        b'=' => source[end + 1..].trim_start().starts_with(['"', '\'', '{']),
        b'/' => source[end..].starts_with("/>"),
        _ => word == "default",
    };
    (separated && fits).then_some(start)
}

/// The starts of reserved words that name an element: `<var>`.
fn reserved_element_names(source: &str) -> impl Iterator<Item = usize> {
    memchr::memchr_iter(b'<', source.as_bytes()).filter_map(|at| {
        let rest = &source[at + 1..];
        let name = rest.strip_prefix('/').unwrap_or(rest);
        let end = name.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(name.len());
        let word = &name[..end];
        let ends = name[end..].starts_with(|c: char| c.is_whitespace() || c == '>' || c == '/');
        (ends && RESERVED_WORDS.contains(&word)).then_some(source.len() - name.len())
    })
}

/// Whether what was masked (a `&`, or the start of a reserved word) is JSX text or a JSX name in the tree of the
/// masked text.
fn is_in_jsx(root: Node<'_>, text: &Text, mask: &Range<usize>) -> bool {
    let Some(leaf) = root.descendant_for_byte_range(mask.start, mask.end) else { return false };
    let parent = leaf.parent();
    let parent_kind = parent.map_or("", |p| p.kind());
    if text.slice(mask.clone()) != "&" {
        return parent_kind.starts_with("jsx_") && leaf.start_byte() == mask.start;
    }
    match leaf.kind() {
        "jsx_text" => true,
        "string_fragment" => {
            let around = parent.and_then(|p| p.parent());
            around.is_some_and(|n| n.kind() == "jsx_attribute")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use crate::{Language, Syntax};
    use text::Text;

    fn errors(language: &str, source: &str) -> Vec<String> {
        let language = Language::by_id(language).unwrap();
        let syntax =
            Syntax::parse(language, &Text::new(source), None, &AtomicBool::new(false)).unwrap();
        syntax.errors(10).into_iter().map(|e| e.message).collect()
    }

    #[test]
    fn valid_jsx_has_no_errors() {
        let right = [
            "const a = <p>AT&T, R&amp;D & more, x &</p>;",
            "const a = <a href=\"?a=1&b=2&c\" title='x&y;'>&frac12; &nbsp; &#169; &x1;</a>;",
            "const a = <label class=\"x\" for={id} in='y'>x</label>;",
            "const a = <div id=\"a\" class = {b}\n  for='c'/>;",
            "const a = <track default/>, b = <track kind=\"x\" default />;",
            "const a = <p><var>x</var><switch/></p>;",
            "const a = b&mask, c = <p>AT&T</p>, d = b && e&f;",
            "const a = b && <code>a && b &= c</code>;\nconst c = d && <i>&&</i>;",
            "const a = <p title=\"a&b\">{x & y} {x && <i class=\"y\">b&c</i>}</p>;",
        ];
        for source in right {
            for language in ["javascript", "tsx"] {
                assert_eq!(errors(language, source), [""; 0], "{language} {source}");
            }
        }
    }

    #[test]
    fn invalid_jsx_has_errors() {
        for language in ["javascript", "tsx"] {
            assert_ne!(errors(language, "const a = <p>AT&T</p>;\nconst b = = 1;"), [""; 0]);
            assert_ne!(errors(language, "const b = <p class=>a</p>;"), [""; 0]);
        }
        let named = "const class = \"a\";\nconst b = <p>AT&T</p>;";
        assert_ne!(errors("javascript", named), [""; 0]);
    }

    #[test]
    fn an_edit_nearby_keeps_the_masks() {
        let language = Language::by_id("tsx").unwrap();
        let go = AtomicBool::new(false);
        let before = "const a = <p title=\"x&y\">AT&T</p>;\nconst b = 1;\n";
        let old = Syntax::parse(language, &Text::new(before), None, &go).unwrap();
        for (from, to) in [("1;", "12;"), ("AT&T", "AT&T&U"), ("x&y", "x&yy"), ("T</p>", "</p>")] {
            let after = Text::new(&before.replace(from, to));
            let edited = Syntax::parse(language, &after, Some(&old), &go).unwrap();
            let full = Syntax::parse(language, &after, None, &go).unwrap();
            assert!(!edited.root().has_error(), "{from} -> {to}");
            assert_eq!(edited.root().to_sexp(), full.root().to_sexp());
        }
    }
}
