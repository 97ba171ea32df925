//! Which line each line hangs on, and by what.

use super::marks::{Deeper, Kind, Marks, Reach, Token};

/// How wide a tab is where tabs and blanks meet.
pub(super) const TAB: usize = 8;

/// What a line stands by.
#[derive(Debug)]
pub(super) enum Tie {
    Margin,
    On { anchor: usize, way: Way },
}

/// How a line stands to the one that it hangs on.
#[derive(Debug)]
pub(super) enum Way {
    /// One step deeper.
    Deeper,
    /// As deep.
    Level,
    /// One step deeper, or as the file has it.
    Flat(Kind),
    /// As deep, or as the file has it.
    Outdent(Kind),
    /// As the file has it; `under` is how far behind its first character it may stand.
    Continues { kind: Kind, under: Option<usize>, may_be_flat: bool },
}

impl Way {
    /// Whether a line may stand as deep as the one that it hangs on.
    pub(super) fn may_be_flat(&self) -> bool {
        match self {
            Self::Deeper => false,
            Self::Level | Self::Flat(_) | Self::Outdent(_) => true,
            Self::Continues { may_be_flat, .. } => *may_be_flat,
        }
    }
}

/// A line on which nodes start, innermost last.
struct Open {
    anchor: usize,
    nodes: Vec<Deeper>,
}

/// What each line stands by; `None` for those that are nobody's business.
pub(super) fn ties(marks: Marks, lines: usize) -> Vec<Option<Tie>> {
    let mut ties = Vec::with_capacity(lines);
    let mut open: Vec<Open> = Vec::new();
    let mut nodes = marks.nodes.into_iter().peekable();
    let mut left = marks.left.into_iter().peekable();
    let mut left_to = None;
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
        let tie = match (marks.tokens.get(&line), around) {
            (Some(Token::Item { hangs_on, kind, under, may_be_flat }), _) => {
                let (kind, under, may_be_flat) = (*kind, *under, *may_be_flat);
                let way = Way::Continues { kind, under, may_be_flat };
                Tie::On { anchor: *hangs_on, way }
            }
            (Some(Token::Margin), _) | (_, None) => Tie::Margin,
            (Some(Token::Outdent(kind)), Some((anchor, _))) => {
                Tie::On { anchor, way: Way::Outdent(*kind) }
            }
            (None, Some((anchor, node))) => Tie::On { anchor, way: way(node) },
        };
        ties.push((Some(line) > left_to).then_some(tie));
        let mut starting: Vec<Deeper> = Vec::new();
        while let Some(node) = nodes.next_if(|node| node.first <= line) {
            starting.push(node);
        }
        if let Some(outermost) = starting.first() {
            open.push(Open { anchor: outermost.hangs_on, nodes: starting });
        }
        while let Some((_, last)) = left.next_if(|(first, _)| *first <= line) {
            left_to = left_to.max(Some(last));
        }
    }
    ties
}

fn way(node: &Deeper) -> Way {
    let (kind, under, may_be_flat) = (node.kind, node.under, node.may_be_flat);
    match node.reach {
        Reach::Level if may_be_flat => Way::Outdent(kind),
        Reach::Level => Way::Level,
        Reach::Deeper if may_be_flat => Way::Flat(kind),
        Reach::Deeper => Way::Deeper,
        Reach::Continues => Way::Continues { kind, under, may_be_flat },
    }
}

/// How far to the right blanks reach.
pub(super) fn width(blanks: &str) -> usize {
    blanks.bytes().fold(0, |at, b| if b == b'\t' { (at / TAB + 1) * TAB } else { at + 1 })
}
