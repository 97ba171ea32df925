//! Code actions that a tree alone can answer: another way to write the same, or what is missing.
//!
//! Which nodes are lists, comparisons, bodies and so on is said by `queries/<language>/actions.scm`
//! (see [`marks`]). Each action is worked out in a file of its own, and tried: what it makes is
//! parsed, and where that gives errors that were not there, or another tree than was meant, it is
//! not offered. Code of another language inside (JavaScript in HTML, a fence of Markdown) is looked
//! at as a text of its own.

mod closing;
mod comment;
mod entries;
mod flip;
mod import;
mod list;
mod marks;
mod rows;
mod shift;
mod sort;
mod unwrap;
mod wrap;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use tree_sitter::Node;

use crate::Syntax;
use marks::Marks;

/// Longest text that actions are worked out for, in bytes: each is parsed again to try them.
const LONGEST: usize = 4 << 20;
/// Longest selection that is looked into, in bytes.
const WIDEST: usize = 256 << 10;

/// What is said of an action where it is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionOffer {
    /// Its name.
    pub id: &'static str,
    /// Which of several of its name.
    pub choice: String,
    /// Its kind, as the Language Server Protocol has it.
    pub kind: &'static str,
    /// What a person is shown.
    pub title: String,
    /// Whether it is what most would want here.
    pub preferred: bool,
    /// What is wrong and would be no more.
    pub mends: Vec<Mended>,
}

/// Something wrong, as those who are told of it know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// The bytes that it is about.
    pub span: Range<usize>,
    /// Its code, if it is no syntax error.
    pub code: Option<&'static str>,
}

/// What can be done to a text at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxAction {
    /// What is said of it.
    pub offer: ActionOffer,
    /// Spans of the text and what comes there: in order, disjoint.
    pub edits: Edits,
}

/// Spans of a text, in order and disjoint, and what comes there.
pub type Edits = Vec<(Range<usize>, String)>;

/// An action: what finds it out.
struct Planner {
    id: &'static str,
    kind: &'static str,
    find: fn(&Place<'_>) -> Vec<Planned>,
}

/// What an action would do at a place.
struct Planned {
    choice: &'static str,
    title: String,
    preferred: bool,
    mends: Vec<Mended>,
    edits: Edits,
}

impl Planned {
    fn new(title: impl Into<String>, edits: Edits) -> Self {
        Self { choice: "", title: title.into(), preferred: false, mends: Vec::new(), edits }
    }
}

/// Every action, in the order in which they are offered.
const PLANNERS: &[Planner] = &[
    closing::CLOSING,
    list::EXPAND,
    list::COLLAPSE,
    sort::ITEMS,
    entries::SORT,
    flip::COMPARISON,
    wrap::WRAP,
    unwrap::UNWRAP,
    comment::LINES,
    comment::BLOCK,
    import::SORT,
];

/// Where an action is asked for.
struct Place<'a> {
    syntax: &'a Syntax,
    range: Range<usize>,
    marks: Marks<'a>,
    /// One kind of action is asked for, and not what there might be.
    explicit: bool,
    interrupt: &'a AtomicBool,
}

impl<'a> Place<'a> {
    fn new(
        syntax: &'a Syntax,
        range: Range<usize>,
        explicit: bool,
        interrupt: &'a AtomicBool,
    ) -> Self {
        let around = range.start.saturating_sub(1)..(range.end + 1).min(syntax.text().len());
        let marks = Marks::of(syntax, around);
        Self { syntax, range, marks, explicit, interrupt }
    }

    /// What is selected, without the blanks around it.
    fn trimmed(&self) -> Range<usize> {
        let selected = self.syntax.text().slice(self.range.clone());
        let start = self.range.start + selected.len() - selected.trim_start().len();
        start..(start + selected.trim().len())
    }

    /// The nodes around what is selected, the innermost first.
    fn around(&self) -> impl Iterator<Item = Node<'a>> + use<'a> {
        self.syntax.nodes_around(self.trimmed()).into_iter()
    }

    /// The text after `edits`, parsed; `None` where that has errors that the text has not.
    fn tried(&self, edits: &Edits) -> Option<Syntax> {
        let mut text = self.syntax.text().clone();
        for (span, new) in edits.iter().rev() {
            text.replace(span.clone(), new);
        }
        let syntax = self.syntax;
        // From what is unchanged, though the text be broken: a menu tries a dozen texts, and parsing
        // each of them from nothing takes longer than a menu has.
        let (language, old) = (syntax.language(), Some(syntax));
        let new = Syntax::parse_roughly(language, &text, old, true, &mut || {
            self.interrupt.load(Ordering::Relaxed)
        })?;
        let sound = !new.root().has_error();
        let no_worse = || {
            let ((places, bytes), (before, bytes_before)) = (new.damage(), syntax.damage());
            places <= before && bytes <= bytes_before
        };
        (sound || no_worse()).then_some(new)
    }

    /// The blanks that the line of an offset starts with.
    fn indent_at(&self, offset: usize) -> String {
        let text = self.syntax.text();
        let line = text.line(text.line_of(offset));
        line[..line.len() - line.trim_start().len()].to_owned()
    }

    fn unit(&self) -> String {
        crate::indent_unit(self.syntax.text(), self.syntax.language().indent())
    }

    /// How lines end.
    fn line_end(&self) -> &'static str {
        let text = self.syntax.text();
        let end = text.line_span(0).end;
        if text.slice(end..text.len().min(end + 2)) == "\r\n" { "\r\n" } else { "\n" }
    }

    /// What ends the line before `line`.
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
    /// The kinds of actions that there are.
    #[must_use]
    pub fn action_kinds() -> Vec<&'static str> {
        let mut kinds: Vec<_> = PLANNERS.iter().map(|p| p.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }

    /// The kind of the action of a name.
    #[must_use]
    pub fn action_kind(id: &str) -> Option<&'static str> {
        PLANNERS.iter().find(|p| p.id == id).map(|p| p.kind)
    }

    /// What can be done at a range, of the kinds that `wanted` holds for; each has been tried. What
    /// makes no difference to what others see, or could be meant anywhere (comments), is offered for
    /// a selection only, or where `wanted` narrows it down.
    #[must_use]
    pub fn actions(
        &self,
        range: Range<usize>,
        wanted: &dyn Fn(&str) -> bool,
        interrupt: &AtomicBool,
    ) -> Vec<SyntaxAction> {
        let length = self.text().len();
        if length > LONGEST || range.len() > WIDEST || range.end > length {
            return Vec::new();
        }
        if let Some((inner, start)) = self.inside(&range, interrupt) {
            let within = range.start - start..range.end - start;
            let mut all = inner.actions(within, wanted, interrupt);
            for action in &mut all {
                for (span, _) in &mut action.edits {
                    *span = span.start + start..span.end + start;
                }
                // Nobody is told what is wrong with what is inside.
                action.offer.mends.clear();
            }
            let outer = Place::new(self, range, false, interrupt);
            all.retain(|action| outer.tried(&action.edits).is_some());
            return all;
        }
        let explicit = PLANNERS.iter().any(|p| !wanted(p.kind));
        let place = Place::new(self, range, explicit, interrupt);
        let mut all = Vec::new();
        for planner in PLANNERS.iter().filter(|p| wanted(p.kind)) {
            if interrupt.load(Ordering::Relaxed) {
                break;
            }
            let made = (planner.find)(&place).into_iter().map(|planned| SyntaxAction {
                offer: ActionOffer {
                    id: planner.id,
                    choice: planned.choice.to_owned(),
                    kind: planner.kind,
                    title: planned.title,
                    preferred: planned.preferred,
                    mends: planned.mends,
                },
                edits: planned.edits,
            });
            all.extend(made);
        }
        all
    }

    /// How many places do not fit, those within others too, and how much text is in them.
    fn damage(&self) -> (usize, usize) {
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

    /// The code of another language that holds a range and stands there as it is, in one piece.
    fn inside(&self, range: &Range<usize>, interrupt: &AtomicBool) -> Option<(Self, usize)> {
        /// Nodes whose text is another language's, letter by letter and line by line.
        const AS_IT_IS: &[&str] = &["raw_text", "code_fence_content"];
        let mut outer = self.nodes_around(range.clone()).into_iter();
        let holder = outer.find(|node| AS_IT_IS.contains(&node.kind()))?.byte_range();
        let all = self.injections(holder, interrupt)?;
        let found = all.iter().find_map(|injection| Some((injection, injection.only_piece()?)));
        let (injection, span) =
            found.filter(|(_, s)| s.start <= range.start && range.end <= s.end)?;
        let text = text::Text::new(&self.text().slice(span.clone()));
        Some((Self::parse(injection.language, &text, None, interrupt)?, span.start))
    }
}
