//! Speed of embedding source code and a query: `cargo bench -p embedding`.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn embed(criterion: &mut Criterion) {
    let source = include_str!("../src/lib.rs");
    let mut words = 0;
    embedding::for_each_word(source, |_| words += 1);
    let mut group = criterion.benchmark_group("embed");
    group.throughput(Throughput::Elements(words));
    group.bench_function("words of code", |bench| {
        bench.iter(|| embedding::embed(black_box(source)));
    });
    group.throughput(Throughput::Elements(8));
    group.bench_function("query", |bench| {
        bench.iter(|| {
            embedding::embed(black_box("where are failed requests to the server retried"))
        });
    });
    group.finish();
}

criterion_group!(benches, embed);
criterion_main!(benches);
