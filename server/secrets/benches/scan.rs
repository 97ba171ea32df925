//! How fast text is scanned: code and settings that have the rules' keywords as often as projects do.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use secrets::Scanner;

/// Code, prose, and a list of schemas.
const SOURCES: &[&str] = &[
    include_str!("../src/scan.rs"),
    include_str!("../src/placeholder.rs"),
    include_str!("../../patch/src/lib.rs"),
    include_str!("../../tools/src/audit/redact.rs"),
    include_str!("../../tools/src/dialects/zap.toml"),
    include_str!("../../../docs/ARCHITECTURE.md"),
    include_str!("../../../docs/settings.md"),
];
const BYTES: usize = 16 << 20;

fn bench(criterion: &mut Criterion) {
    let once = SOURCES.concat();
    let text = once.repeat(BYTES / once.len() + 1);
    let scanner = Scanner::default();
    let scan = |text: &str| {
        black_box(scanner.scan("a.rs", black_box(text.as_bytes()), &AtomicBool::new(false)))
    };
    let mut group = criterion.benchmark_group("secrets");
    group.sample_size(10).throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("one thread", |bench| bench.iter(|| scan(&text)));
    let (one, other) = text.split_at(text.floor_char_boundary(text.len() / 2));
    group.bench_function("two threads", |bench| {
        bench.iter(|| {
            std::thread::scope(|threads| {
                threads.spawn(|| scan(other));
                scan(one);
            });
        });
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
