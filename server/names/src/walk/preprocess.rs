//! A text that a preprocessor reads first, parsed as what the compiler would see of it.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use syntax::Syntax;
use text::Text;

use super::conditions::{self, Left};
use super::macros;

/// A better tree than the one given, if there is one.
#[derive(Default)]
pub(super) struct Cleaned {
    pub(super) syntax: Option<Syntax>,
    /// The words that were set aside for it.
    pub(super) words: Vec<Range<usize>>,
    /// Names of conditions and of macros that are not defined.
    pub(super) left: Vec<Left>,
}

/// Looks for it. `None` once `interrupt` is set.
pub(super) fn cleaned(
    syntax: &Syntax,
    text: &str,
    cplusplus: bool,
    interrupt: &AtomicBool,
) -> Option<Cleaned> {
    let parse = |text: &str| Syntax::parse(syntax.language(), &Text::new(text), None, interrupt);
    let (source, words) = match macros::without_macros(text) {
        Some((source, words)) => (Some(source), words),
        None => (None, Vec::new()),
    };
    let mut better = match &source {
        Some(source) => Some(parse(source)?),
        None => None,
    };
    let mut left = Vec::new();
    let errors_left = errors(better.as_ref().unwrap_or(syntax));
    if errors_left > 0 {
        // Branches of which only one is read may not parse together.
        let mut macros = conditions::Macros { cplusplus, ..Default::default() };
        let (read, names) = macros.without_branches(source.as_deref().unwrap_or(text));
        let read = parse(&read)?;
        if errors(&read) * 2 < errors_left {
            (better, left) = (Some(read), names);
        }
    }
    Some(Cleaned { syntax: better, words, left })
}

/// How much of a tree is errors, in bytes and missing tokens.
fn errors(syntax: &Syntax) -> usize {
    let (mut cursor, mut sum) = (syntax.root().walk(), 0);
    loop {
        let node = cursor.node();
        if node.is_error() {
            sum += node.end_byte() - node.start_byte() + 1;
        } else if node.is_missing() {
            sum += 1;
        }
        if node.has_error() && !node.is_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return sum;
            }
        }
    }
}
