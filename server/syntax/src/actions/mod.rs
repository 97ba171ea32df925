//! Code actions that need only the syntax tree: rewriting code in an equivalent form, or adding
//! what is missing.
//!
//! `queries/<language>/actions.scm` captures which nodes are lists, comparisons, bodies and so on
//! (see [`captures`]). Each action has its own file. Every action is checked before it is offered:
//! the edited text is parsed, and the action is dropped if that gives new errors or a tree of an
//! unexpected form. Embedded code (JavaScript in HTML, a code fence in Markdown) is treated as a
//! text of its own.

mod add_missing;
mod captures;
mod comment;
mod flip_comparison;
mod indentation;
mod list;
mod sort_entries;
mod sort_imports;
mod sort_items;
mod sort_lines;
mod unwrap;
mod wrap;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use tree_sitter::Node;

use crate::Syntax;
use captures::ActionCaptures;

/// Longest text that actions are offered for, in bytes: each action parses it again.
const MAX_TEXT_LEN: usize = 4 << 20;
/// Longest selection, in bytes.
const MAX_SELECTION_LEN: usize = 256 << 10;

/// The description of an action, as offered to the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionOffer {
    /// Its identifier.
    pub id: &'static str,
    /// Distinguishes several actions with the same id.
    pub choice: String,
    /// Its LSP code action kind.
    pub kind: &'static str,
    /// Its title.
    pub title: String,
    /// Whether it is the preferred action (`isPreferred`).
    pub is_preferred: bool,
    /// The diagnostics that it fixes.
    pub fixes: Vec<FixedDiagnostic>,
}

/// A diagnostic, as it was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedDiagnostic {
    /// Its span in bytes.
    pub span: Range<usize>,
    /// Its code; `None` for a syntax error.
    pub code: Option<&'static str>,
}

/// A code action with its edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxAction {
    /// The description.
    pub offer: ActionOffer,
    /// The edits, sorted and disjoint.
    pub edits: Edits,
}

/// Replaced spans of a text with their new texts, sorted and disjoint.
pub type Edits = Vec<(Range<usize>, String)>;

/// Finds the actions of one kind.
struct ActionProvider {
    id: &'static str,
    kind: &'static str,
    find: fn(&ActionContext<'_>) -> Vec<PlannedAction>,
}

/// An action found at a position.
struct PlannedAction {
    choice: &'static str,
    title: String,
    preferred: bool,
    mends: Vec<FixedDiagnostic>,
    edits: Edits,
}

impl PlannedAction {
    fn new(title: impl Into<String>, edits: Edits) -> Self {
        Self { choice: "", title: title.into(), preferred: false, mends: Vec::new(), edits }
    }
}

/// Every provider, in the order in which actions are offered.
const PROVIDERS: &[ActionProvider] = &[
    add_missing::ADD_MISSING,
    list::EXPAND,
    list::COLLAPSE,
    sort_items::SORT,
    sort_entries::SORT,
    flip_comparison::FLIP,
    wrap::WRAP,
    unwrap::UNWRAP,
    comment::LINES,
    comment::BLOCK,
    sort_imports::SORT,
];

/// What actions are requested for.
struct ActionContext<'a> {
    syntax: &'a Syntax,
    range: Range<usize>,
    captures: ActionCaptures<'a>,
    /// Whether the client asked for a specific kind of action, rather than for all.
    is_explicit: bool,
    interrupt: &'a AtomicBool,
}

impl<'a> ActionContext<'a> {
    fn new(
        syntax: &'a Syntax,
        range: Range<usize>,
        is_explicit: bool,
        interrupt: &'a AtomicBool,
    ) -> Self {
        let around = range.start.saturating_sub(1)..(range.end + 1).min(syntax.text().len());
        let captures = ActionCaptures::new(syntax, around);
        Self { syntax, range, captures, is_explicit, interrupt }
    }

    /// The selection without the whitespace around it.
    fn trimmed(&self) -> Range<usize> {
        let selected = self.syntax.text().slice(self.range.clone());
        let start = self.range.start + selected.len() - selected.trim_start().len();
        start..(start + selected.trim().len())
    }

    /// The nodes that contain the selection, the innermost first.
    fn around(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.syntax.nodes_around(self.trimmed()).into_iter()
    }

    /// Parses the text after `edits`; `None` if that has more errors than before.
    fn try_edits(&self, edits: &Edits) -> Option<Syntax> {
        let mut text = self.syntax.text().clone();
        for (span, new) in edits.iter().rev() {
            text.replace(span.clone(), new);
        }
        let syntax = self.syntax;
        // Parse incrementally even if the text has errors: a menu checks a dozen edits, and full
        // parses would take too long.
        let (language, old) = (syntax.language(), Some(syntax));
        let new = Syntax::parse_roughly(language, &text, old, true, &mut || {
            self.interrupt.load(Ordering::Relaxed)
        })?;
        let sound = !new.root().has_error();
        let no_worse = || {
            let ((places, bytes), (before, bytes_before)) =
                (new.error_extent(), syntax.error_extent());
            places <= before && bytes <= bytes_before
        };
        (sound || no_worse()).then_some(new)
    }

    /// The indentation of the line at an offset.
    fn indent_at(&self, offset: usize) -> String {
        let text = self.syntax.text();
        let line = text.line(text.line_of(offset));
        line[..line.len() - line.trim_start().len()].to_owned()
    }

    fn unit(&self) -> String {
        crate::indent_unit(self.syntax.text(), self.syntax.language().default_indent())
    }

    /// The line ending of the text.
    fn line_end(&self) -> &'static str {
        let text = self.syntax.text();
        let end = text.line_span(0).end;
        if text.slice(end..text.len().min(end + 2)) == "\r\n" { "\r\n" } else { "\n" }
    }

    /// The line ending of the line before `line`.
    fn end_before(&self, line: usize) -> String {
        let text = self.syntax.text();
        let before = line.saturating_sub(1);
        text.slice(text.line_span(before).end..text.line_start(line)).into_owned()
    }

    fn text_of(&self, node: Node<'_>) -> String {
        self.syntax.text().slice(node.byte_range()).into_owned()
    }
}

impl Syntax {
    /// The code action kinds that exist.
    #[must_use]
    pub fn action_kinds() -> Vec<&'static str> {
        let mut kinds: Vec<_> = PROVIDERS.iter().map(|p| p.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// The code action kind for an id.
    #[must_use]
    pub fn action_kind(id: &str) -> Option<&'static str> {
        PROVIDERS.iter().find(|p| p.id == id).map(|p| p.kind)
    }

    /// The actions for a range, of the kinds that `wanted` accepts; each has been checked. Actions
    /// without a visible effect on the program, or that would apply anywhere (comments), are
    /// offered only for a selection or if `wanted` excludes some kinds.
    #[must_use]
    pub fn actions(
        &self,
        range: Range<usize>,
        wanted: &dyn Fn(&str) -> bool,
        interrupt: &AtomicBool,
    ) -> Vec<SyntaxAction> {
        let length = self.text().len();
        if length > MAX_TEXT_LEN || range.len() > MAX_SELECTION_LEN || range.end > length {
            return Vec::new();
        }
        if let Some((inner, start)) = self.embedded_code_at(&range, interrupt) {
            let within = range.start - start..range.end - start;
            let mut all = inner.actions(within, wanted, interrupt);
            for action in &mut all {
                for (span, _) in &mut action.edits {
                    *span = span.start + start..span.end + start;
                }
                // No diagnostics are published for embedded code.
                action.offer.fixes.clear();
            }
            let outer = ActionContext::new(self, range, false, interrupt);
            all.retain(|action| outer.try_edits(&action.edits).is_some());
            return all;
        }
        let is_explicit = PROVIDERS.iter().any(|p| !wanted(p.kind));
        let context = ActionContext::new(self, range, is_explicit, interrupt);
        let mut all = Vec::new();
        for provider in PROVIDERS.iter().filter(|p| wanted(p.kind)) {
            if interrupt.load(Ordering::Relaxed) {
                break;
            }
            let actions = (provider.find)(&context).into_iter().map(|planned| SyntaxAction {
                offer: ActionOffer {
                    id: provider.id,
                    choice: planned.choice.to_owned(),
                    kind: provider.kind,
                    title: planned.title,
                    is_preferred: planned.preferred,
                    fixes: planned.mends,
                },
                edits: planned.edits,
            });
            all.extend(actions);
        }
        all
    }

    /// The number of error nodes, nested ones included, and their total length.
    fn error_extent(&self) -> (usize, usize) {
        let mut cursor = self.tree().walk();
        let (mut places, mut bytes) = (0, 0);
        loop {
            let node = cursor.node();
            if node.is_error() || node.is_missing() {
                places += 1;
                bytes += node.byte_range().len();
            }
            if node.has_error() && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return (places, bytes);
                }
            }
        }
    }

    /// The embedded code that contains the range and appears verbatim in one piece, and its offset.
    fn embedded_code_at(
        &self,
        range: &Range<usize>,
        interrupt: &AtomicBool,
    ) -> Option<(Self, usize)> {
        /// Nodes whose text is embedded code verbatim, line by line.
        const VERBATIM_KINDS: &[&str] = &["raw_text", "code_fence_content"];
        let mut outer = self.nodes_around(range.clone()).into_iter();
        let holder = outer.find(|node| VERBATIM_KINDS.contains(&node.kind()))?.byte_range();
        let all = self.injections(holder, interrupt)?;
        let found = all.iter().find_map(|injection| Some((injection, injection.only_piece()?)));
        let (injection, span) =
            found.filter(|(_, s)| s.start <= range.start && range.end <= s.end)?;
        let text = text::Text::new(&self.text().slice(span.clone()));
        Some((Self::parse(injection.language, &text, None, interrupt)?, span.start))
    }
}
