//! Highlighting a long text in chunks on several threads.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use super::{Highlight, HighlightOptions};
use crate::Syntax;

/// Smallest chunk, in bytes: takes about 8 ms, plus 0.5 ms overhead.
const MIN_CHUNK_LEN: usize = 48 << 10;
/// Limit of chunks per text.
const MAX_CHUNKS: usize = 8;
/// Limit of threads per text, so that other requests are not starved.
const MAX_THREADS: usize = 4;
/// Stack size of a thread, in bytes: the same as the caller's.
const THREAD_STACK_SIZE: usize = 16 << 20;

impl Syntax {
    /// The highlights that touch `span`; chunking does not change the result. `None` once
    /// `interrupt` is set.
    pub(super) fn highlights_parallel(
        &self,
        span: Range<usize>,
        options: HighlightOptions<'_>,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Highlight>> {
        match self.chunks(&span, options.injections).as_slice() {
            [] => self.highlights_sequential(span, options, 0, interrupt),
            chunks => self.highlight_chunks(chunks, options, interrupt),
        }
    }

    /// Threads take the next chunk when they finish one, because other work may slow some of them
    /// down.
    fn highlight_chunks(
        &self,
        chunks: &[Range<usize>],
        options: HighlightOptions<'_>,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Highlight>> {
        let next = AtomicUsize::new(0);
        let run_chunks = || {
            let mut by_chunk = Vec::new();
            loop {
                let n = next.fetch_add(1, Ordering::Relaxed);
                let Some(chunk) = chunks.get(n) else { return Some(by_chunk) };
                by_chunk
                    .push((n, self.highlights_sequential(chunk.clone(), options, 0, interrupt)?));
            }
        };
        let threads = thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
        let mut by_chunk = thread::scope(|scope| {
            let spawned: Vec<_> = (1..threads)
                .filter_map(|_| {
                    let thread = thread::Builder::new().name("colour".to_owned());
                    // If no thread can be spawned, the others do its share.
                    thread.stack_size(THREAD_STACK_SIZE).spawn_scoped(scope, run_chunks).ok()
                })
                .collect();
            let mut by_chunk = run_chunks()?;
            for thread in spawned {
                by_chunk.extend(thread.join().unwrap_or_else(|e| std::panic::resume_unwind(e))?);
            }
            Some(by_chunk)
        })?;
        by_chunk.sort_unstable_by_key(|(n, _)| *n);
        let mut all =
            Vec::with_capacity(by_chunk.iter().map(|(_, highlights)| highlights.len()).sum());
        for ((_, highlights), chunk) in by_chunk.into_iter().zip(chunks) {
            join(&mut all, highlights, chunk.start);
        }
        Some(all)
    }

    /// Splits the span into chunks at line starts. Empty if that is not worthwhile.
    fn chunks(&self, span: &Range<usize>, injections: bool) -> Vec<Range<usize>> {
        let count = (span.len() / MIN_CHUNK_LEN).min(MAX_CHUNKS);
        // Combined injections consist of pieces of the whole text and are parsed as one text.
        if count < 2 || injections && self.language().has_combined_injections() {
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

/// Appends the highlights from `start` on to those before it. Both include highlights that cross
/// `start`; if both have the same class there, it is one highlight.
fn join(all: &mut Vec<Highlight>, highlights: Vec<Highlight>, start: usize) {
    let over = all.last_mut().filter(|last| last.span.end > start);
    let goes_over = over.map(|last| {
        last.span.end = start;
        last.class
    });
    let mut highlights = highlights.into_iter().peekable();
    if let Some(first) = highlights.next_if(|first| first.span.start < start) {
        match all.last_mut().filter(|_| goes_over == Some(first.class)) {
            Some(last) => last.span.end = first.span.end,
            None => all.push(Highlight { span: start..first.span.end, ..first }),
        }
    }
    all.extend(highlights);
}

#[cfg(test)]
mod tests {
    use text::Text;

    use super::*;
    use crate::Language;

    /// The result does not depend on where the text is split.
    #[test]
    fn chunks_give_the_same_highlights() {
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
            let options = HighlightOptions { injections: true, cache: None, budget: None };
            let end = source.len();
            let whole = syntax.highlights_sequential(0..end, options, 0, &go).unwrap();
            for first in 1..end {
                for second in [first + 1, first + 5, first + 20].into_iter().filter(|s| *s < end) {
                    let chunks = [0..first, first..second, second..end];
                    let highlights = syntax.highlight_chunks(&chunks, options, &go).unwrap();
                    assert_eq!(highlights, whole, "{id}, cut at {first} and {second}");
                }
            }
        }
    }
}
