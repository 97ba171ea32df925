//! Where a text holds a word that no fact covers: comments, strings, and code that the table of
//! names does not reach.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use syntax::{Language, Syntax};
use text::Text;
use tree_sitter::Node;

/// What holds a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    Comment,
    String,
    /// A string that names a variable to be put in: `"{name}"`.
    Template,
    /// A string that names what a module exports.
    Export,
    /// A string that names a member of the class around it.
    Member,
    /// A string that names a member: `it['name']`, `Pick<It, 'name'>`. With the end of what the
    /// member is of, where that is a value.
    Key(Option<usize>),
    /// A string that a function looks an attribute up by: `getattr(it, "name")`. With the end of
    /// what it is looked up on, where that is given.
    Lookup(Option<usize>),
    /// A string that repeats the name of the variable which is assigned: `T = TypeVar("T")`. With the
    /// start of that variable.
    OwnName(usize),
    /// A part of a string that is a dotted path: `"package.module.name"`.
    Path,
    /// The name of an element or attribute of HTML, which nothing defines.
    Element,
    Code,
}

/// A file's text, parsed once somebody asks what holds a word.
pub(super) struct Holders<'t> {
    language: Language,
    text: &'t Text,
    interrupt: &'t AtomicBool,
    syntax: Option<Option<Syntax>>,
}

impl<'t> Holders<'t> {
    pub(super) fn new(language: Language, text: &'t Text, interrupt: &'t AtomicBool) -> Self {
        Self { language, text, interrupt, syntax: None }
    }

    /// What holds the word at a span.
    pub(super) fn of(&mut self, span: &Range<usize>) -> Holder {
        let parse = || Syntax::parse(self.language, self.text, None, self.interrupt);
        let Some(syntax) = self.syntax.get_or_insert_with(parse) else { return Holder::Code };
        let root = syntax.root();
        let Some(node) = root.descendant_for_byte_range(span.start, span.end) else {
            return Holder::Code;
        };
        if node.kind() == "jsx_text" {
            return Holder::String;
        }
        if matches!(node.kind(), "identifier" | "property_identifier")
            && node
                .parent()
                .is_some_and(|p| p.kind().starts_with("jsx_") && p.kind() != "jsx_expression")
        {
            return Holder::Element;
        }
        let mut at = Some(node);
        while let Some(node) = at {
            let kind = node.kind();
            if kind.contains("comment") {
                return Holder::Comment;
            }
            if kind.contains("interpolation") || kind.contains("substitution") {
                return Holder::Code;
            }
            if kind.contains("string") || kind.contains("char_literal") || kind.contains("regex") {
                return string(self.language, self.text, node, span);
            }
            if node.is_named() && node.child_count() > 6 {
                break;
            }
            at = node.parent();
        }
        Holder::Code
    }
}

/// What a word in a string is.
fn string(language: Language, text: &Text, node: Node<'_>, span: &Range<usize>) -> Holder {
    match language.id() {
        "rust" => {
            let before = text.slice(span.start.saturating_sub(2)..span.start);
            let after = text.slice(span.end..span.end + 1);
            let put_in = before.ends_with('{')
                && before != "{{"
                && (after.starts_with('}') || after.starts_with(':'));
            if put_in && within(node, "token_tree") { Holder::Template } else { Holder::String }
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
                        return Holder::Export;
                    }
                    if alone && left == text.slice(span.clone()) && is_own_name(text, node, span) {
                        return Holder::OwnName(node.start_byte());
                    }
                    if matches!(&*left, "__slots__" | "__match_args__") && alone {
                        return Holder::Member;
                    }
                }
                at = node.parent();
            }
            looked_up(text, node, span).unwrap_or(Holder::String)
        }
        "javascript" | "typescript" | "tsx" => {
            key(text, node, span).map_or(Holder::String, Holder::Key)
        }
        _ => Holder::String,
    }
}

/// The functions of Python that make what is to have the name of the variable it is assigned to.
const NAMED: &str =
    "TypeVar ParamSpec TypeVarTuple NewType TypeAliasType namedtuple NamedTuple TypedDict";

/// Whether the string around a word is the name that an assignment's call gives to what it makes.
fn is_own_name(text: &Text, assignment: Node<'_>, span: &Range<usize>) -> bool {
    let call = assignment.child_by_field_name("right").filter(|right| right.kind() == "call");
    let part = |name| call.and_then(|call| call.child_by_field_name(name));
    let Some((function, arguments)) = part("function").zip(part("arguments")) else { return false };
    let called = text.slice(function.start_byte()..function.end_byte());
    let called = called.rsplit('.').next().unwrap_or_default();
    let first = arguments.named_child(0);
    NAMED.split_ascii_whitespace().any(|known| known == called)
        && first.is_some_and(|first| first.start_byte() + 1 == span.start)
}

/// The functions of Python that find an attribute by its name, by the last part of their names. The
/// name is given after the object, or alone.
const LOOKUPS: &str =
    "getattr hasattr setattr delattr getattr_static attrgetter methodcaller object";

/// What a word in a string of Python's names, where it is more than text.
fn looked_up(text: &Text, node: Node<'_>, span: &Range<usize>) -> Option<Holder> {
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
    if called.is_some_and(|called| LOOKUPS.split_ascii_whitespace().any(|known| known == called)) {
        let first = arguments?.named_child(0)?;
        let object = (first.id() != string.id()).then(|| first.end_byte());
        return Some(Holder::Lookup(object));
    }
    (content.start_byte() < span.start && written.len() < 256).then_some(Holder::Path)
}

/// Where a string of TypeScript's is a member's name and nothing else: the end of the value that the
/// member is of, if it is of one.
fn key(text: &Text, node: Node<'_>, span: &Range<usize>) -> Option<Option<usize>> {
    let string = if node.kind() == "string" { Some(node) } else { node.parent() };
    let string = string.filter(|s| s.kind() == "string")?;
    if string.start_byte() + 1 != span.start || span.end + 1 != string.end_byte() {
        return None;
    }
    let (mut inner, mut outer) = (string, string.parent());
    while let Some(node) = outer {
        match node.kind() {
            // A list of keys, or a part of one.
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

fn within(node: Node<'_>, kind: &str) -> bool {
    let mut at = node.parent();
    while let Some(node) = at {
        if node.kind() == kind {
            return true;
        }
        at = node.parent();
    }
    false
}

/// Every place where a text holds a word, whole.
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
