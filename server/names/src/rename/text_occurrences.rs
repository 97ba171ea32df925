//! Occurrences of a word in a text and their syntactic context: comment, string, or code that the
//! facts do not cover.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use syntax::{Language, Syntax};
use text::Text;
use tree_sitter::Node;

/// The syntactic context of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordContext {
    Comment,
    String,
    /// A format string that inserts the variable: `"{name}"`.
    Template,
    /// A string that names an export of the module.
    Export,
    /// A string that names a member of the class around it.
    Member,
    /// A string that names a member: `it['name']`, `Pick<It, 'name'>`. With the end of the object
    /// expression, if the member is of a value.
    Key(Option<usize>),
    /// A string by which a function looks up an attribute: `getattr(it, "name")`. With the end of
    /// the object argument, if there is one.
    Lookup(Option<usize>),
    /// A string that repeats the name of the assigned variable: `T = TypeVar("T")`. With the start
    /// of that variable.
    OwnName(usize),
    /// A component of a dotted path in a string: `"package.module.name"`.
    Path,
    /// An HTML element or attribute, which no code defines.
    Element,
    Code,
}

/// Classifies words of a text, which is parsed on the first call.
pub(super) struct WordClassifier<'t> {
    language: Language,
    text: &'t Text,
    interrupt: &'t AtomicBool,
    syntax: Option<Option<Syntax>>,
}

impl<'t> WordClassifier<'t> {
    pub(super) fn new(language: Language, text: &'t Text, interrupt: &'t AtomicBool) -> Self {
        Self { language, text, interrupt, syntax: None }
    }

    /// The context of the word at a span.
    pub(super) fn context_of(&mut self, span: &Range<usize>) -> WordContext {
        let parse = || Syntax::parse(self.language, self.text, None, self.interrupt);
        let Some(syntax) = self.syntax.get_or_insert_with(parse) else { return WordContext::Code };
        let root = syntax.root();
        let Some(node) = root.descendant_for_byte_range(span.start, span.end) else {
            return WordContext::Code;
        };
        if node.kind() == "jsx_text" {
            return WordContext::String;
        }
        if matches!(node.kind(), "identifier" | "property_identifier")
            && node
                .parent()
                .is_some_and(|p| p.kind().starts_with("jsx_") && p.kind() != "jsx_expression")
        {
            return WordContext::Element;
        }
        let mut at = Some(node);
        while let Some(node) = at {
            let kind = node.kind();
            if kind.contains("comment") {
                return WordContext::Comment;
            }
            if kind.contains("interpolation") || kind.contains("substitution") {
                return WordContext::Code;
            }
            if kind.contains("string") || kind.contains("char_literal") || kind.contains("regex") {
                return string_context(self.language, self.text, node, span);
            }
            if node.is_named() && node.child_count() > 6 {
                break;
            }
            at = node.parent();
        }
        WordContext::Code
    }
}

/// The context of a word in a string.
fn string_context(
    language: Language,
    text: &Text,
    node: Node<'_>,
    span: &Range<usize>,
) -> WordContext {
    match language.id() {
        "rust" => {
            let before = text.slice(span.start.saturating_sub(2)..span.start);
            let after = text.slice(span.end..span.end + 1);
            let is_inserted = before.ends_with('{')
                && before != "{{"
                && (after.starts_with('}') || after.starts_with(':'));
            if is_inserted && is_within(node, "token_tree") {
                WordContext::Template
            } else {
                WordContext::String
            }
        }
        "python" => {
            let mut at = Some(node);
            while let Some(node) = at {
                let left = node.child_by_field_name("left");
                if let Some(left) = left
                    && matches!(node.kind(), "assignment" | "augmented_assignment")
                {
                    let left = text.slice(left.start_byte()..left.end_byte());
                    let whole = text.slice(span.start.saturating_sub(1)..span.end + 1);
                    let alone = whole.starts_with(['"', '\'']) && whole.ends_with(['"', '\'']);
                    if left == "__all__" && alone {
                        return WordContext::Export;
                    }
                    if alone && left == text.slice(span.clone()) && is_own_name(text, node, span) {
                        return WordContext::OwnName(node.start_byte());
                    }
                    if matches!(&*left, "__slots__" | "__match_args__") && alone {
                        return WordContext::Member;
                    }
                }
                at = node.parent();
            }
            python_string_context(text, node, span).unwrap_or(WordContext::String)
        }
        "javascript" | "typescript" | "tsx" => {
            member_key(text, node, span).map_or(WordContext::String, WordContext::Key)
        }
        _ => WordContext::String,
    }
}

/// Python functions whose first argument must be the name of the assigned variable.
const NAMED_CONSTRUCTORS: &str =
    "TypeVar ParamSpec TypeVarTuple NewType TypeAliasType namedtuple NamedTuple TypedDict";

/// Whether the string around a word is the name that such a function requires.
fn is_own_name(text: &Text, assignment: Node<'_>, span: &Range<usize>) -> bool {
    let call = assignment.child_by_field_name("right").filter(|right| right.kind() == "call");
    let part = |name| call.and_then(|call| call.child_by_field_name(name));
    let Some((function, arguments)) = part("function").zip(part("arguments")) else { return false };
    let called = text.slice(function.start_byte()..function.end_byte());
    let called = called.rsplit('.').next().unwrap_or_default();
    let first = arguments.named_child(0);
    NAMED_CONSTRUCTORS.split_ascii_whitespace().any(|known| known == called)
        && first.is_some_and(|first| first.start_byte() + 1 == span.start)
}

/// Python functions that look up an attribute by name. The name follows the object or is the only
/// argument.
const LOOKUP_FUNCTIONS: &str =
    "getattr hasattr setattr delattr getattr_static attrgetter methodcaller object";

/// The context of a word in a Python string, if the string is more than text.
fn python_string_context(text: &Text, node: Node<'_>, span: &Range<usize>) -> Option<WordContext> {
    let string = if node.kind() == "string" { node } else { node.parent()? };
    let content =
        string.named_children(&mut string.walk()).find(|c| c.kind() == "string_content")?;
    let written = text.slice(content.start_byte()..content.end_byte());
    let is_word =
        |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !written.split('.').all(is_word) {
        return None;
    }
    let arguments = string.parent().filter(|p| p.kind() == "argument_list");
    let call = arguments.and_then(|a| a.parent()).filter(|c| c.kind() == "call");
    let function = call.and_then(|c| c.child_by_field_name("function"));
    let called = function.map(|f| text.slice(f.start_byte()..f.end_byte()));
    let called = called.as_deref().and_then(|f| f.rsplit('.').next());
    if called.is_some_and(|called| {
        LOOKUP_FUNCTIONS.split_ascii_whitespace().any(|known| known == called)
    }) {
        let first = arguments?.named_child(0)?;
        let object = (first.id() != string.id()).then(|| first.end_byte());
        return Some(WordContext::Lookup(object));
    }
    (content.start_byte() < span.start && written.len() < 256).then_some(WordContext::Path)
}

/// If a JavaScript or TypeScript string is nothing but a member's name: the end of the object
/// expression, if the member is of a value.
fn member_key(text: &Text, node: Node<'_>, span: &Range<usize>) -> Option<Option<usize>> {
    let string = if node.kind() == "string" { Some(node) } else { node.parent() };
    let string = string.filter(|s| s.kind() == "string")?;
    if string.start_byte() + 1 != span.start || span.end + 1 != string.end_byte() {
        return None;
    }
    let (mut inner, mut outer) = (string, string.parent());
    while let Some(node) = outer {
        match node.kind() {
            // A union of keys, or a part of one.
            "literal_type" | "union_type" | "parenthesized_type" => {}
            "type_arguments" | "lookup_type" => return (inner != string).then_some(None),
            "subscript_expression" => {
                let object = node.child_by_field_name("object").map(|o| o.end_byte());
                return (node.child_by_field_name("index") == Some(inner)).then_some(object);
            }
            "binary_expression" => {
                let operator = node.child_by_field_name("operator");
                let is_in = node.child_by_field_name("left") == Some(inner)
                    && operator.is_some_and(|o| text.slice(o.start_byte()..o.end_byte()) == "in");
                let object = node.child_by_field_name("right").map(|o| o.end_byte());
                return is_in.then_some(object);
            }
            _ => return None,
        }
        (inner, outer) = (node, node.parent());
    }
    None
}

fn is_within(node: Node<'_>, kind: &str) -> bool {
    let mut at = node.parent();
    while let Some(node) = at {
        if node.kind() == kind {
            return true;
        }
        at = node.parent();
    }
    false
}

/// All occurrences of a whole word in a text.
pub(super) fn occurrences(text: &str, word: &str) -> Vec<Range<usize>> {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut all = Vec::new();
    for (at, found) in text.match_indices(word) {
        let end = at + found.len();
        let open = word.starts_with('#') || !text[..at].chars().next_back().is_some_and(part);
        if open && !text[end..].chars().next().is_some_and(part) {
            all.push(at..end);
        }
    }
    all
}
