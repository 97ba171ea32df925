//! From a change on the wire to a consistent rope, and to a fresh tree, in a file of 100,000 lines.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use text::{ContentChange, Position, PositionEncoding, Range};
use workspace::Workspace;

const LINES: u32 = 100_000;

fn source() -> String {
    (0..LINES / 5)
        .map(|n| format!("/// Adds {n}.\npub fn add_{n}(a: u64) -> u64 {{\n    a + {n}\n}}\n\n"))
        .collect()
}

fn insert(line: u32) -> ContentChange {
    let at = Position::new(line, 4);
    ContentChange { range: Some(Range { start: at, end: at }), text: "x".to_owned() }
}

fn keystroke(c: &mut Criterion) {
    let uri = "file:///bench/a.rs";
    let workspace = Workspace::new(Vec::new());
    workspace.open(uri, "rust", 1, &source());
    let mut group = c.benchmark_group("100k lines");
    group.sample_size(50);

    let (mut version, mut line) = (1, 2);
    group.bench_function("change to rope, snapshots held", |b| {
        b.iter_batched(
            // A request in flight keeps the state before the change.
            || workspace.snapshot(),
            |held| {
                version += 1;
                line = (line + 7_919) % LINES;
                workspace.change(uri, version, &[insert(line)], PositionEncoding::Utf16);
                black_box(held)
            },
            BatchSize::PerIteration,
        );
    });

    group.bench_function("snapshot", |b| b.iter(|| black_box(workspace.snapshot())));

    // A fresh document: the first one has received millions of changes by now.
    let workspace = Workspace::new(Vec::new());
    workspace.open(uri, "rust", 1, &source());
    let go = AtomicBool::new(false);
    group.sample_size(20);
    group.bench_function("fresh tree after a change", |b| {
        b.iter_batched(
            || {
                let open = workspace.snapshot().document(uri).cloned();
                open.and_then(|d| d.syntax(&go));
                version += 1;
                // Inside a function's body, so the text still parses.
                line = (line + 7_920) / 5 * 5 % LINES + 2;
                workspace.change(uri, version, &[insert(line)], PositionEncoding::Utf16)
            },
            |changed| changed.and_then(|(document, _)| document.syntax(&go)),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

criterion_group!(benches, keystroke);
criterion_main!(benches);
