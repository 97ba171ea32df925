//! Highlights of a long text, found in several stretches side by side.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use super::{Highlight, HighlightOptions};
use crate::Syntax;

/// Shortest stretch, in bytes: what takes some eight milliseconds, and half of one to be found.
const WORTH: usize = 48 << 10;
/// Most stretches of one text.
const STRETCHES: usize = 8;
/// Most threads for one text: others ask as well.
const MOST: usize = 4;
/// Stack of a thread, in bytes: as much as whoever asks has.
const STACK: usize = 16 << 20;

impl Syntax {
    /// The highlights of what touches `span`, as all at once would be. `None` once `interrupt` is set.
    pub(super) fn highlights_of(
        &self,
        span: Range<usize>,
        options: HighlightOptions<'_>,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Highlight>> {
        match self.stretches(&span, options.injections).as_slice() {
            [] => self.highlights_at(span, options, 0, interrupt),
            stretches => self.side_by_side(stretches, options, interrupt),
        }
    }

    /// Whoever is done with a stretch takes the next: the machine has other things to do as well.
    fn side_by_side(
        &self,
        stretches: &[Range<usize>],
        options: HighlightOptions<'_>,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Highlight>> {
        let next = AtomicUsize::new(0);
        let take = || {
            let mut found = Vec::new();
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                let Some(stretch) = stretches.get(n) else { return Some(found) };
                found.push((n, self.highlights_at(stretch.clone(), options, 0, interrupt)?));
            }
        };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST);
        let mut found = thread::scope(|scope| {
            let begun: Vec<_> = (1..threads)
                .filter_map(|_| {
                    let thread = thread::Builder::new().name("colour".to_owned());
                    // Where there is none to be had, the others do its part.
                    thread.stack_size(STACK).spawn_scoped(scope, take).ok()
                })
                .collect();
            let mut found = take()?;
            for thread in begun {
                found.extend(thread.join().unwrap_or_else(|e| std::panic::resume_unwind(e))?);
            }
            Some(found)
        })?;
        found.sort_unstable_by_key(|(n, _)| *n);
        let mut all = Vec::with_capacity(found.iter().map(|(_, found)| found.len()).sum());
        for ((_, found), stretch) in found.into_iter().zip(stretches) {
            join(&mut all, found, stretch.start);
        }
        Some(all)
    }

    /// What is looked through by itself: from line to line. Nothing where that is not worth it.
    fn stretches(&self, span: &Range<usize>, injections: bool) -> Vec<Range<usize>> {
        let count = (span.len() / WORTH).min(STRETCHES);
        // Pieces from all over the text that are one text are parsed as that.
        if count < 2 || injections && self.language().combines() {
            return Vec::new();
        }
        let text = self.text();
        let cut = |n: usize| text.line_start(text.line_of(span.start + span.len() / count * n));
        let mut cuts: Vec<_> = (1..count).map(cut).filter(|at| span.contains(at)).collect();
        cuts.insert(0, span.start);
        cuts.push(span.end);
        cuts.dedup();
        cuts.windows(2).map(|ends| ends[0]..ends[1]).collect()
    }
}

/// Puts what was found from `start` on behind what was found before it. Both know of all that goes
/// over that place; what is uppermost on both sides of it is one piece.
fn join(all: &mut Vec<Highlight>, found: Vec<Highlight>, start: usize) {
    let over = all.last_mut().filter(|last| last.span.end > start);
    let goes_over = over.map(|last| {
        last.span.end = start;
        last.class
    });
    let mut found = found.into_iter().peekable();
    if let Some(first) = found.next_if(|first| first.span.start < start) {
        match all.last_mut().filter(|_| goes_over == Some(first.class)) {
            Some(last) => last.span.end = first.span.end,
            None => all.push(Highlight { span: start..first.span.end, ..first }),
        }
    }
    all.extend(found);
}

#[cfg(test)]
mod tests {
    use text::Text;

    use super::*;
    use crate::Language;

    /// Wherever a text is cut, what is found is what is found in one piece.
    #[test]
    fn stretches_side_by_side_are_as_one() {
        let go = AtomicBool::new(false);
        let texts = [
            (
                "rust",
                "/// `a` *b*\n/// [c](d)\nfn f(x: &str) {\n /* long\n one */ g!(\"é\\n{x}\");\n}\n",
            ),
            (
                "javascript",
                "const a = `x ${b + `${c}`} y`; // d\nlet r = /[a-z]+/g;\n<p a='b'>{c}</p>;\n",
            ),
            ("python", "def f(a):\n  \"\"\"Long\n  one.\"\"\"\n  return f'{a!r:>{w}} \\n' (\n"),
        ];
        for (id, source) in texts {
            let text = Text::new(source);
            let language = Language::by_id(id).unwrap();
            let syntax = Syntax::parse(language, &text, None, &go).unwrap();
            let options = HighlightOptions { injections: true, known: None, budget: None };
            let end = source.len();
            let whole = syntax.highlights_at(0..end, options, 0, &go).unwrap();
            for first in 1..end {
                for second in [first + 1, first + 5, first + 20].into_iter().filter(|s| *s < end) {
                    let stretches = [0..first, first..second, second..end];
                    let found = syntax.side_by_side(&stretches, options, &go).unwrap();
                    assert_eq!(found, whole, "{id}, cut at {first} and {second}");
                }
            }
        }
    }
}
