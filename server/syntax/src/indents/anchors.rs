//! The anchor line of each line: the earlier line that its indentation is relative to.

use super::captures::{BodyIndent, ConstructKind, IndentCaptures, IndentNode, LineToken};

/// The width of a tab where tabs and spaces mix.
pub(super) const TAB_WIDTH: usize = 8;

/// What a line's indentation is relative to.
#[derive(Debug)]
pub(super) enum LineAnchor {
    Margin,
    Line { anchor: usize, relation: Relation },
}

/// How a line is indented relative to its anchor line.
#[derive(Debug)]
pub(super) enum Relation {
    /// One step deeper.
    Deeper,
    /// As deep.
    Level,
    /// One step deeper, or level if the file's style says so.
    Flat(ConstructKind),
    /// As deep, or deeper if the file's style says so.
    Outdent(ConstructKind),
    /// As a continuation line in the file's style; `alignment` is the column, relative to the
    /// anchor line's first character, that it may be aligned with.
    Continues { kind: ConstructKind, alignment: Option<usize>, may_be_flat: bool },
}

impl Relation {
    /// Whether a line may be as deep as its anchor line.
    pub(super) fn may_be_flat(&self) -> bool {
        match self {
            Self::Deeper => false,
            Self::Level | Self::Flat(_) | Self::Outdent(_) => true,
            Self::Continues { may_be_flat, .. } => *may_be_flat,
        }
    }
}

/// The nodes that start on one line, the innermost last.
struct OpenNodes {
    anchor: usize,
    nodes: Vec<IndentNode>,
}

/// The anchor of each line; `None` for lines that must be left as they are.
pub(super) fn line_anchors(captures: IndentCaptures, lines: usize) -> Vec<Option<LineAnchor>> {
    let mut anchors = Vec::with_capacity(lines);
    let mut open: Vec<OpenNodes> = Vec::new();
    let mut nodes = captures.nodes.into_iter().peekable();
    let mut verbatim = captures.verbatim.into_iter().peekable();
    let mut verbatim_until = None;
    for line in 0..lines {
        while let Some(last) = open.last_mut() {
            while last.nodes.last().is_some_and(|node| node.last < line) {
                last.nodes.pop();
            }
            if !last.nodes.is_empty() {
                break;
            }
            open.pop();
        }
        let around = open.last().and_then(|o| Some((o.anchor, o.nodes.last()?)));
        let anchor_of_line = match (captures.tokens.get(&line), around) {
            (Some(LineToken::Item { anchor_line, kind, alignment, may_be_flat }), _) => {
                let (kind, alignment, may_be_flat) = (*kind, *alignment, *may_be_flat);
                let relation = Relation::Continues { kind, alignment, may_be_flat };
                LineAnchor::Line { anchor: *anchor_line, relation }
            }
            (Some(LineToken::Margin), _) | (_, None) => LineAnchor::Margin,
            (Some(LineToken::Outdent(kind)), Some((anchor, _))) => {
                LineAnchor::Line { anchor, relation: Relation::Outdent(*kind) }
            }
            (None, Some((anchor, node))) => LineAnchor::Line { anchor, relation: relation(node) },
        };
        anchors.push((Some(line) > verbatim_until).then_some(anchor_of_line));
        let mut starting: Vec<IndentNode> = Vec::new();
        while let Some(node) = nodes.next_if(|node| node.first <= line) {
            starting.push(node);
        }
        if let Some(outermost) = starting.first() {
            open.push(OpenNodes { anchor: outermost.anchor_line, nodes: starting });
        }
        while let Some((_, last)) = verbatim.next_if(|(first, _)| *first <= line) {
            verbatim_until = verbatim_until.max(Some(last));
        }
    }
    anchors
}

/// How lines inside `node` are indented relative to its anchor line.
fn relation(node: &IndentNode) -> Relation {
    let (kind, alignment, may_be_flat) = (node.kind, node.alignment, node.may_be_flat);
    match node.body {
        BodyIndent::Level if may_be_flat => Relation::Outdent(kind),
        BodyIndent::Level => Relation::Level,
        BodyIndent::Deeper if may_be_flat => Relation::Flat(kind),
        BodyIndent::Deeper => Relation::Deeper,
        BodyIndent::Continues => Relation::Continues { kind, alignment, may_be_flat },
    }
}

/// The width of leading whitespace, in columns.
pub(super) fn width(blanks: &str) -> usize {
    blanks
        .bytes()
        .fold(0, |at, b| if b == b'\t' { (at / TAB_WIDTH + 1) * TAB_WIDTH } else { at + 1 })
}
