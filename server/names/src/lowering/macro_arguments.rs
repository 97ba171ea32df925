//! Macro arguments that parse as code. A macro may do anything with its arguments; most use
//! expressions as expressions and items as items.

use std::cell::OnceCell;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

use tree_sitter::{Language, Node, ParseOptions, Parser, Point, Range, Tree};

use super::{Lowerer, UsedAs, span};
use crate::expression::{Expression, Value};
use crate::vocabulary::{ActionDetail, ActionKind, Namespace, ScopeKind};

/// Limit of the text parsed again, as a multiple of the file: nested arguments are parsed twice.
const MAX_REPARSED_FACTOR: usize = 4;

/// Limit of the distance to the end of a statement.
const MAX_SEMICOLON_DISTANCE: usize = 4096;

/// Trees that live as long as the lowering: a linked list, so that each can be borrowed while more
/// are added.
#[derive(Default)]
pub(super) struct TreeChain {
    next: OnceCell<Box<(Tree, TreeChain)>>,
}

impl Drop for TreeChain {
    fn drop(&mut self) {
        // Iteratively: a long list would overflow the stack.
        let mut next = self.next.take();
        while let Some(mut one) = next {
            next = one.1.next.take();
        }
    }
}

/// The parser for macro arguments.
pub(super) struct MacroArgumentParser<'t> {
    language: Language,
    /// Created for the first argument.
    parser: Option<Parser>,
    last: &'t TreeChain,
    /// How many more bytes may be parsed.
    left: usize,
}

impl<'t> MacroArgumentParser<'t> {
    pub(super) fn new(language: Language, trees: &'t TreeChain, len: usize) -> Self {
        Self { language, parser: None, last: trees, left: len.saturating_mul(MAX_REPARSED_FACTOR) }
    }
}

impl<'t> Lowerer<'t> {
    /// Lowers the macro arguments under the cursor as code; `None` if they do not parse.
    pub(super) fn lower_arguments_as_code(&mut self) -> Option<Value> {
        let node = self.cursor.node();
        if self.is_flat(node) {
            return Some(self.lower_argument_list());
        }
        let tree = self.parse_arguments(node)?;
        let outer = std::mem::replace(&mut self.cursor, tree.walk());
        // File, statement, then the brackets.
        let inside = self.cursor.goto_first_child() && self.cursor.goto_first_child();
        let value = if inside { self.lower_argument_list() } else { Value::NONE };
        self.cursor = outer;
        Some(value)
    }

    /// Whether the tokens under the cursor are names and literals between commas: those have the
    /// same nodes as code, so they need no parse.
    fn is_flat(&mut self, node: Node<'_>) -> bool {
        let (start, end) = span(node);
        if end - start <= 2
            || !matches!(self.slice(start, start + 1), "(" | "[")
            || node.has_error()
            || !self.cursor.goto_first_child()
        {
            return false;
        }
        let (mut flat, mut apart) = (true, true);
        while flat && self.cursor.goto_next_sibling() {
            let child = self.cursor.node();
            flat = if child.is_named() {
                std::mem::take(&mut apart)
                    && self.rules.rule(child.kind_id()).is_some_and(|rule| {
                        use ActionDetail::{Boolean, Number, Text};
                        match rule.action.kind {
                            ActionKind::Name => rule.action.detail.is_none(),
                            ActionKind::Literal => {
                                matches!(rule.action.detail, Some(Text | Number | Boolean))
                            }
                            _ => false,
                        }
                    })
            } else if child.end_byte() == end as usize {
                true
            } else {
                !std::mem::replace(&mut apart, true) && child.kind() == ","
            };
        }
        self.cursor.goto_parent();
        flat
    }

    /// Parses the argument list, in its own brackets, as a statement: a tuple, an array or a block.
    fn parse_arguments(&mut self, node: Node<'_>) -> Option<&'t Tree> {
        let (start, end) = (node.start_byte(), node.end_byte());
        let parts = &mut self.argument_parser;
        if node.has_error() || end - start <= 2 || end - start > parts.left {
            return None;
        }
        parts.left -= end - start;
        if parts.parser.is_none() {
            let mut parser = Parser::new();
            parser.set_language(&parts.language).ok()?;
            parts.parser = Some(parser);
        }
        let parser = parts.parser.as_mut()?;
        let mut ranges = vec![node.range()];
        if self.text.as_bytes().get(start) != Some(&b'{') {
            // A statement ends with `;`: it is borrowed from the next one in the text.
            let after =
                &self.text.as_bytes()[end..(end + MAX_SEMICOLON_DISTANCE).min(self.text.len())];
            let at = end + after.iter().position(|&b| b == b';')?;
            let row = node.end_position().row + 1;
            ranges.push(Range {
                start_byte: at,
                end_byte: at + 1,
                start_point: Point { row, column: 0 },
                end_point: Point { row, column: 1 },
            });
        }
        parser.set_included_ranges(&ranges).ok()?;
        let (bytes, interrupt) = (self.text.as_bytes(), self.interrupt);
        // Stops at the first error.
        let mut watch = |state: &tree_sitter::ParseState| {
            if state.has_error() || interrupt.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let options = ParseOptions::new().progress_callback(&mut watch);
        let mut read = |at: usize, _: Point| bytes.get(at..).unwrap_or_default();
        let Some(tree) = parser.parse_with_options(&mut read, None, Some(options)) else {
            parser.reset();
            return None;
        };
        let root = tree.root_node();
        let one = root.named_child_count() == 1;
        let whole = one.then(|| root.named_child(0)?.named_child(0)).flatten()?;
        if root.has_error() || whole.start_byte() != start || whole.end_byte() != end {
            return None;
        }
        let last = parts.last;
        let (tree, next) = &**last.next.get_or_init(|| Box::new((tree, TreeChain::default())));
        parts.last = next;
        Some(tree)
    }

    /// Lowers what is in the brackets under the cursor.
    fn lower_argument_list(&mut self) -> Value {
        let (start, end) = span(self.cursor.node());
        let bracket = self.slice(start, start + 1);
        let outer = self.scope;
        let items = matches!(
            self.scopes[outer as usize].kind,
            ScopeKind::File | ScopeKind::Module | ScopeKind::Members | ScopeKind::Extension
        );
        if bracket == "{" && !items {
            self.scope = self.push_scope(ScopeKind::Block, start, end);
        }
        let mut first = Value::NONE;
        if self.cursor.goto_first_child() {
            loop {
                let node = self.cursor.node();
                let action = self.rules.rule(node.kind_id()).map(|r| r.action.kind);
                if node.is_named() && action != Some(ActionKind::Skip) {
                    let value = self.lower_argument(node);
                    first = first.or(value);
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
            self.cursor.goto_parent();
        }
        self.scope = outer;
        if bracket == "[" && first.is_some() {
            return self.push_expression(Expression::Array(first));
        }
        Value::NONE
    }

    /// Lowers one argument. In `name = value` the name belongs to the macro.
    fn lower_argument(&mut self, node: Node<'_>) -> Value {
        let named = node.kind() == "assignment_expression";
        if !named || !self.cursor.goto_first_child() {
            let value = self.lower_node(UsedAs::Value);
            if let Some(r) = value.as_reference()
                && self.is_name(node)
            {
                // A single word may become anything.
                self.references[r as usize].namespace |= Namespace::MACRO;
            }
            return value;
        }
        while self.cursor.goto_next_sibling() {}
        let value = self.lower_node(UsedAs::Value);
        self.cursor.goto_parent();
        value
    }
}
