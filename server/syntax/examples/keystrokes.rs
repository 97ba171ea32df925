//! Measures the cost of a keystroke in a long text: `keystrokes LINES FILE...`. The files, all in
//! one language, are concatenated and repeated up to the number of lines.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used)]

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use syntax::{HighlightCache, HighlightOptions, InjectionHighlights, Language, Syntax};
use text::{ContentChange, PositionEncoding, Range, Text};

/// Number of keystrokes of each kind, unless `TANDEM_KEYSTROKES` is set.
const DEFAULT_KEYSTROKES: usize = 40;

fn main() {
    let go = AtomicBool::new(false);
    let mut arguments = std::env::args().skip(1);
    let lines: usize = arguments.next().unwrap().parse().unwrap();
    let strokes = std::env::var("TANDEM_KEYSTROKES").ok().and_then(|n| n.parse().ok());
    let strokes: usize = strokes.unwrap_or(DEFAULT_KEYSTROKES);
    let files: Vec<_> = arguments.collect();
    let mut source = String::new();
    for file in files.iter().cycle() {
        if source.lines().count() > lines {
            break;
        }
        source += &std::fs::read_to_string(file).unwrap();
    }
    {
        let language = Language::detect(&files[0], &source).unwrap();
        let mut text = Text::new(&source);
        let started = Instant::now();
        let mut syntax = Syntax::parse(language, &text, None, &go).unwrap();
        println!("{language:?}: {} bytes parsed in {:?}", text.len(), started.elapsed());
        let known = InjectionHighlights::default();
        let options = HighlightOptions { injections: true, cache: Some(&known), budget: None };
        for what in ["queries", "first", "again"] {
            let started = Instant::now();
            let end = if what == "queries" { 1 } else { text.len() };
            let found = syntax.highlights(0..end, options, &go).unwrap().len();
            println!("  highlights, {what}: {:?} ({found})", started.elapsed());
        }
        let mut took = Vec::new();
        for n in 0..40 {
            let line = (n * 7_919 + 31) % lines.min(text.line_count());
            let started = Instant::now();
            let span =
                text.line_start(line)..text.line_start((line + 50).min(text.line_count() - 1));
            drop(syntax.highlights(span, options, &go).unwrap());
            took.push(started.elapsed());
        }
        println!("  highlights of 50 lines: {}", percentiles(took));
        let started = Instant::now();
        println!(
            "  outline: {} in {:?}",
            syntax.outline(&go).map_or(0, |outline| outline.items.len()),
            started.elapsed()
        );
        for typed in ["x", "(", "\""] {
            let (mut took, mut back, mut carried) = (Vec::new(), Vec::new(), Vec::new());
            let mut painted = HighlightCache::new(&syntax, options, &go).unwrap();
            for n in 0..strokes {
                let line = (n * 7_919 + 31) % lines.min(text.line_count());
                let at = text.position(text.line_span(line).end, PositionEncoding::Utf8);
                let change = ContentChange {
                    range: Some(Range { start: at, end: at }),
                    text: typed.to_owned(),
                };
                let before = (text.clone(), syntax.clone());
                text.apply(&change, PositionEncoding::Utf8);
                let started = Instant::now();
                syntax = Syntax::parse(language, &text, Some(&syntax), &go).unwrap();
                took.push(started.elapsed());
                let started = Instant::now();
                painted = painted.updated(&syntax, options, &go).unwrap();
                carried.push(started.elapsed());
                let started = Instant::now();
                (text, _) = (before.0, before.1);
                syntax = Syntax::parse(language, &text, Some(&syntax), &go).unwrap();
                back.push(started.elapsed());
                painted = painted.updated(&syntax, options, &go).unwrap();
            }
            println!("  {typed:?} {} and taken back {}", percentiles(took), percentiles(back));
            println!("    highlights {}", percentiles(carried));
        }
    }
}

fn percentiles(mut times: Vec<Duration>) -> String {
    if times.is_empty() {
        return String::new();
    }
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    format!("p50 {:?} p95 {:?} max {:?}", at(50), at(95), at(100))
}
