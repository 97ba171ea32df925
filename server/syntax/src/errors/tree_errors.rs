//! Turns the ERROR and MISSING nodes of a tree into error messages.

use std::ops::Range;

use text::Text;
use tree_sitter::Node;

use super::{Missing, SyntaxError};
use crate::Syntax;

/// Longest piece of source text quoted in a message, in characters.
const MAX_QUOTE_CHARS: usize = 30;
/// Limit of tokens of an ERROR node that are inspected.
const MAX_TOKENS: usize = 100;
/// The initial state of every tree-sitter parser.
const START_STATE: u16 = 1;

/// An ERROR or MISSING node as an error message.
#[derive(Debug)]
pub(super) struct TreeError {
    pub(super) error: SyntaxError,
    /// The span of the node: the text that the parser skipped.
    pub(super) skipped: Range<usize>,
    /// The first character of the missing token, if one is missing.
    pub(super) missing: Option<char>,
}

/// Opening tags.
const TAGS: &[&str] = &["STag", "jsx_opening_element", "start_tag"];

/// A token that cannot follow the one before it.
struct UnexpectedToken<'t> {
    before: Option<Node<'t>>,
    token: Range<usize>,
    /// The keywords and punctuation that could be there instead.
    expected: Vec<&'static str>,
    /// Whether named tokens (identifiers, literals) could be there, too.
    or_named: bool,
}

impl Syntax {
    /// Describes an ERROR or MISSING node.
    pub(super) fn tree_error(&self, node: Node<'_>) -> TreeError {
        if is_missing(node) { self.missing_node_error(node) } else { self.error_node_error(node) }
    }

    fn missing_node_error(&self, node: Node<'_>) -> TreeError {
        let text = self.text();
        let at = node.start_byte();
        let expected = describe_token(node.kind(), node.is_named());
        let next = self.token_after(at);
        let last = before(text, at);
        let here = next.filter(|next| text.line_of(next.start) == text.line_of(last.start));
        let kind = self.language().grammar().node_kind_for_id(node.kind_id());
        let sign = kind.filter(|_| !node.is_named());
        let missing = sign.map(|token| Missing { token, at: Some(last.end) });
        let error = match here {
            Some(next) => {
                let message = format!("expected {expected} before {}", self.quoted(&next));
                SyntaxError { span: next, message, missing }
            }
            None => {
                // At the end of a line or of the text, blame the token before.
                let last = self.short_token(last);
                let message = match self.quoted(&last).as_str() {
                    "``" => format!("expected {expected}"),
                    quoted => format!("expected {expected} after {quoted}"),
                };
                SyntaxError { span: last, message, missing }
            }
        };
        let missing = node.kind().chars().next().filter(|_| !node.is_named());
        TreeError { error, skipped: at..at, missing }
    }

    fn error_node_error(&self, node: Node<'_>) -> TreeError {
        let skipped = node.byte_range();
        let error = self
            .unclosed_element(node)
            .or_else(|| {
                self.first_unexpected_token(node).map(|unexpected| self.describe(&unexpected))
            })
            .unwrap_or_else(|| {
                let token = self.token_after(skipped.start).unwrap_or(skipped.clone());
                let token = token.start..token.end.min(skipped.end.max(token.start + 1));
                let message = match self.quoted(&token).as_str() {
                    "``" => "something is missing here".to_owned(),
                    quoted => format!("unexpected {quoted}"),
                };
                SyntaxError { span: token, message, missing: None }
            });
        let error = match self.missing_semicolon_after_body(node, error.span.start) {
            Some(brace) => {
                let missing = Some(Missing { token: ";", at: Some(brace.end) });
                SyntaxError { span: brace, message: "expected `;` after `}`".to_owned(), missing }
            }
            None => error,
        };
        TreeError { error, skipped, missing: None }
    }

    /// The error for an opening tag inside an ERROR node.
    fn unclosed_element(&self, error: Node<'_>) -> Option<SyntaxError> {
        let mut cursor = error.walk();
        let tag = error.children(&mut cursor).filter(|c| TAGS.contains(&c.kind())).last()?;
        let text = self.text().slice(tag.byte_range());
        let name: String = text.chars().take_while(|c| !c.is_whitespace() && *c != '>').collect();
        let line = self.text().line_of(tag.start_byte()) + 1;
        let message = format!("unclosed `{name}>` that opens on line {line}");
        Some(SyntaxError {
            span: tag.start_byte()..tag.start_byte() + name.len(),
            message,
            missing: None,
        })
    }

    /// The error message for an unexpected token.
    fn describe(&self, unexpected: &UnexpectedToken<'_>) -> SyntaxError {
        let text = self.text();
        let expected: Vec<_> = unexpected.expected.iter().map(|w| format!("`{w}`")).collect();
        let token = unexpected.token.clone();
        if let Some(before) = unexpected.before {
            let ended = text.line_of(before.end_byte()) < text.line_of(token.start);
            let ends = [";", ":"].into_iter().find(|end| {
                (*end == ";" || self.language().has_significant_indentation())
                    && unexpected.expected.contains(end)
            });
            if let Some(end) = ends.filter(|_| ended) {
                let last = self.short_token(self::before(text, before.end_byte()));
                let message = format!("expected `{end}` after {}", self.quoted(&last));
                let missing = Some(Missing { token: end, at: Some(last.end) });
                return SyntaxError { span: last, message, missing };
            }
        }
        let found = self.quoted(&token);
        let message = match expected.as_slice() {
            [one] if !unexpected.or_named => format!("expected {one} before {found}"),
            [one, other] if !unexpected.or_named => {
                format!("expected {one} or {other} before {found}")
            }
            _ => format!("unexpected {found}"),
        };
        let missing = match unexpected.expected.as_slice() {
            [token] if !unexpected.or_named => {
                let at = Some(self::before(text, unexpected.token.start).end);
                Some(Missing { token, at })
            }
            _ => None,
        };
        SyntaxError { span: token, message, missing }
    }

    /// The `}` that ends the line above `at`, if a `;` may follow it, the line of `at` is not
    /// deeper, and the parser took both lines for one statement: a `class A { }` without its `;`.
    fn missing_semicolon_after_body(&self, error: Node<'_>, at: usize) -> Option<Range<usize>> {
        let text = self.text();
        let statement = error.parent().filter(|p| p.parent().is_some() && !is_body(p.kind()))?;
        let depth = |line: usize| text.line(line).chars().take_while(|c| c.is_whitespace()).count();
        let line = text.line_of(at);
        let start = text.line_start(line);
        let brace = before(text, start);
        let node = self.root().descendant_for_byte_range(brace.start, brace.end)?;
        let deeper = depth(line) > depth(text.line_of(brace.start));
        if node.kind() != "}"
            || statement.start_byte() >= brace.start
            || deeper
            || text.slice(start..at).trim().is_empty()
        {
            return None;
        }
        let grammar = self.language().grammar();
        let end = grammar.id_for_node_kind(";", false);
        let mut known = grammar.lookahead_iterator(node.next_parse_state())?;
        known.any(|symbol| symbol == end).then(|| node.byte_range())
    }

    /// The first token in an ERROR node, or directly after it, that cannot follow the one before it
    /// according to the parse table. The ERROR node itself spans everything that was skipped, from
    /// the start of the statement on.
    fn first_unexpected_token<'t>(&'t self, error: Node<'t>) -> Option<UnexpectedToken<'t>> {
        let grammar = self.language().grammar();
        let mut before = leaf_before(error);
        let mut state = before.map_or(START_STATE, |leaf| leaf.next_parse_state());
        let mut all_fit = true;
        for node in error_parts(error).into_iter().chain(leaf_after(error)) {
            let behind = node.start_byte() >= error.end_byte();
            if node.is_extra() && !node.is_error() || node.byte_range().is_empty() {
                continue;
            }
            let first = first_leaf(node);
            let known = grammar.lookahead_iterator(state).filter(|_| state != 0);
            let known: Vec<u16> = known.into_iter().flatten().collect();
            if !known.is_empty() && !known.contains(&first.grammar_id()) {
                let visible = |id: &&u16| grammar.node_kind_is_visible(**id) && **id != 0;
                let name = |id: &u16| grammar.node_kind_for_id(*id);
                let (named, plain): (Vec<&u16>, Vec<&u16>) =
                    known.iter().filter(visible).partition(|id| grammar.node_kind_is_named(**id));
                let named = named.into_iter().filter_map(name).filter(|n| !n.contains("comment"));
                return Some(UnexpectedToken {
                    before,
                    token: containing_string(first).byte_range(),
                    expected: plain.into_iter().filter_map(name).collect(),
                    or_named: named.count() > 0,
                });
            }
            if known.is_empty() && all_fit && behind {
                // All skipped tokens could follow each other, so the one after them is unexpected.
                let token = containing_string(first).byte_range();
                return Some(UnexpectedToken {
                    before,
                    token,
                    expected: Vec::new(),
                    or_named: true,
                });
            }
            all_fit &= !known.is_empty();
            let shifted = grammar.next_state(state, node.grammar_id());
            let last = last_leaf(node);
            state = if shifted == 0 { last.next_parse_state() } else { shifted };
            before = Some(last);
        }
        None
    }

    /// The token at or after `at`.
    pub(super) fn token_after(&self, at: usize) -> Option<Range<usize>> {
        let text = self.text();
        let rest = text.slice(at..text.len().min(at + 400));
        let start = at + rest.find(|c: char| !c.is_whitespace())?;
        let word: String = text.slice(start..text.len().min(start + 200)).to_string();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match word.find(|c: char| !is_word(c)) {
            Some(0) => {
                let node = self.root().descendant_for_byte_range(start, start + 1)?;
                let whole =
                    node.child_count() == 0 && node.start_byte() == start && !node.is_error();
                let length = if whole { node.byte_range().len() } else { 0 };
                length.clamp(word.chars().next().map_or(1, char::len_utf8), 200)
            }
            Some(end) => end,
            None => word.len(),
        };
        Some(start..(start + length).min(text.len()))
    }

    /// The span to underline for a position where a checker stopped: the token there, or the one
    /// before it at the end of a line.
    pub(super) fn mark_at(&self, at: usize) -> Range<usize> {
        let next = self.text().slice(at..self.text().len().min(at + 1));
        let here = next.starts_with(|c: char| !c.is_whitespace());
        let token = if here { self.token_after(at) } else { None };
        token.unwrap_or_else(|| self.last_before(at))
    }

    /// The token before `at`, or only its last character if it is long.
    pub(super) fn last_before(&self, at: usize) -> Range<usize> {
        self.short_token(before(self.text(), at))
    }

    /// The token that ends with the character `last`, or only the character if the token is long.
    fn short_token(&self, last: Range<usize>) -> Range<usize> {
        let token = self.root().descendant_for_byte_range(last.start, last.end);
        let token = token.map(|node| node.byte_range());
        token.filter(|t| t.end == last.end && t.len() <= MAX_QUOTE_CHARS).unwrap_or(last)
    }

    pub(super) fn quoted(&self, span: &Range<usize>) -> String {
        let text = self.text().slice(span.start..span.end.min(span.start + 8 * MAX_QUOTE_CHARS));
        let word = text.split_whitespace().next().unwrap_or_default();
        let mut quoted: String = word.chars().take(MAX_QUOTE_CHARS).collect();
        if quoted.len() < word.len() {
            quoted.push('…');
        }
        format!("`{quoted}`")
    }
}

/// Whether a node stands for a missing token; the MISSING token itself may be a hidden child.
pub(super) fn is_missing(node: Node<'_>) -> bool {
    node.is_missing()
        || node.child_count() == 0
            && node.has_error()
            && !node.is_error()
            && node.byte_range().is_empty()
}

/// The last non-blank character before `at`.
fn before(text: &Text, at: usize) -> Range<usize> {
    let blanks = text.slice(at.saturating_sub(400)..at);
    let seen = blanks.trim_end();
    let last = seen.chars().next_back().map_or(0, char::len_utf8);
    let end = at - (blanks.len() - seen.len());
    end - last..end
}

/// Whether a node of this kind contains statements.
pub(super) fn is_body(kind: &str) -> bool {
    const WORDS: [&str; 6] =
        ["block", "body", "statements", "statement_list", "compound_statement", "suite"];
    WORDS.iter().any(|word| kind.ends_with(word) || kind.starts_with(word))
}

/// A missing token in words: `;` or "a name".
fn describe_token(kind: &str, named: bool) -> String {
    match kind {
        _ if !named => format!("`{kind}`"),
        _ if kind.ends_with("identifier") => "a name".to_owned(),
        _ if kind.contains("number") || kind.contains("string") => "a value".to_owned(),
        _ if kind.starts_with('_') => "a newline".to_owned(),
        _ => format!("a {}", kind.replace('_', " ")),
    }
}

/// The string that a quote starts, if it is short.
fn containing_string(leaf: Node<'_>) -> Node<'_> {
    let string = leaf.parent().filter(|p| p.kind().contains("string") && !p.has_error());
    let short = |p: &Node<'_>| {
        p.start_byte() == leaf.start_byte() && p.byte_range().len() <= MAX_QUOTE_CHARS
    };
    string.filter(short).unwrap_or(leaf)
}

/// The parts of an ERROR node: error-free subtrees and leaves.
fn error_parts(error: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = error.walk();
    let mut error_parts = Vec::new();
    loop {
        let node = cursor.node();
        if node.child_count() == 0 || !node.has_error() && node.id() != error.id() {
            error_parts.push(node);
        } else if cursor.goto_first_child() {
            continue;
        }
        if error_parts.len() >= MAX_TOKENS {
            return error_parts;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return error_parts;
            }
        }
    }
}

fn leaf_after(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    loop {
        if let Some(next) = at.next_sibling() {
            let first = first_leaf(next);
            if !first.is_extra() && !first.byte_range().is_empty() {
                return Some(first);
            }
            at = next;
        } else {
            at = at.parent()?;
        }
    }
}

fn leaf_before(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    loop {
        if let Some(previous) = at.prev_sibling() {
            let last = last_leaf(previous);
            if !last.is_extra() {
                return Some(last);
            }
            at = previous;
        } else {
            at = at.parent()?;
        }
    }
}

fn first_leaf(mut node: Node<'_>) -> Node<'_> {
    while let Some(child) = node.child(0) {
        node = child;
    }
    node
}

fn last_leaf(mut node: Node<'_>) -> Node<'_> {
    while let Some(child) = node.child_count().checked_sub(1).and_then(|last| node.child(last)) {
        node = child;
    }
    node
}
