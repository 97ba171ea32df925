//! Speed of the tiers at three sizes, compared with mpatch in this process and codex's program (if
//! `TANDEM_CODEX` names it), and of inputs made to be slow.

use std::hint::black_box;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, SamplingMode, criterion_group, criterion_main};
use patch::{Options, Patch, plan};

/// Code with many similar functions, `lines` long.
fn code(lines: usize) -> String {
    let mut text = String::with_capacity(lines * 24);
    for at in 0..lines / 10 {
        text.push_str(&format!(
            "def handle_{at}(request, user):\n    value = request.get(\"key_{at}\")\n    if value is None:\n        return default_{at}\n    total = 0\n    for item in value:\n        total += item.count\n    log(user, total)\n    return total\n\n"
        ));
    }
    text
}

fn block(at: usize) -> String {
    format!(
        "def handle_{at}(request, user):\n    value = request.get(\"key_{at}\")\n    if value is None:\n        return default_{at}\n    total = 0\n    for item in value:\n        total += item.count\n    log(user, total)\n    return total\n"
    )
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("    {line}\n")).collect()
}

fn absent() -> String {
    (0..20).map(|at| format!("    absent_{at} = compute_nothing(of_{at}, value_{at})\n")).collect()
}

/// The kinds of patches, each for the middle of the text.
fn patches(lines: usize) -> Vec<(&'static str, Patch)> {
    let old = block(lines / 20);
    let edit = |text: &str| text.replace("total = 0", "total = 1");
    let typo = old.replace("item.count", "item.cuont");
    vec![
        ("exact", Patch::new(&*old, edit(&old))),
        ("reindented", Patch::new(indented(&old), edit(&indented(&old)))),
        ("typo", Patch::new(&*typo, edit(&typo))),
        ("absent", Patch::new(absent(), "x\n")),
    ]
}

fn tiers(criterion: &mut Criterion) {
    for lines in [1_000, 10_000, 100_000] {
        let text = code(lines);
        let mut group = criterion.benchmark_group(format!("{lines}_lines"));
        for (name, patch) in patches(lines) {
            group.bench_function(BenchmarkId::new("tandem", name), |bencher| {
                bencher.iter(|| {
                    black_box(plan(&text, std::slice::from_ref(&patch), &Options::default()))
                        .is_ok()
                });
            });
            let diff = search_replace(&patch);
            let options = mpatch::ApplyOptions::new();
            group.bench_function(BenchmarkId::new("mpatch", name), |bencher| {
                bencher.iter(|| {
                    black_box(mpatch::patch_content_str(&diff, Some(&text), &options)).is_ok()
                });
            });
        }
        let many: Vec<Patch> = (0..100)
            .map(|at| {
                let old = block(at * (lines / 1000).max(1));
                Patch::new(&*old, old.replace("total = 0", "total = 1"))
            })
            .collect();
        let many = if lines < 10_000 { many[..50].to_vec() } else { many };
        group.bench_function("tandem/many", |bencher| {
            bencher.iter(|| black_box(plan(&text, &many, &Options::default())).is_ok());
        });
        group.finish();
    }
}

/// Whole runs of codex's `apply_patch`: its start, reading and writing are part of it.
fn codex(criterion: &mut Criterion) {
    let Some(program) = std::env::var_os("TANDEM_CODEX").filter(|value| !value.is_empty()) else {
        return;
    };
    let scratch = std::env::temp_dir().join(format!("patch-bench-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).expect("a folder for codex to work in");
    let file = scratch.join("a.py");
    for lines in [1_000, 10_000, 100_000] {
        let text = code(lines);
        let mut group = criterion.benchmark_group(format!("{lines}_lines"));
        group.sampling_mode(SamplingMode::Flat);
        for (name, patch) in patches(lines) {
            let envelope = envelope(&patch);
            group.bench_function(BenchmarkId::new("codex", name), |bencher| {
                bencher.iter_batched(
                    || std::fs::write(&file, &text).expect("a file for codex to change"),
                    |()| {
                        let mut command = Command::new(&program);
                        command.arg0("apply_patch").arg(&envelope).current_dir(&scratch);
                        command.stdout(Stdio::null()).stderr(Stdio::null());
                        command.status().expect("codex runs").success()
                    },
                    BatchSize::PerIteration,
                );
            });
        }
        group.finish();
    }
    let _ = std::fs::remove_dir_all(&scratch);
}

fn envelope(patch: &Patch) -> String {
    let marked = |mark: &str, text: &str| -> String {
        text.lines().map(|line| format!("{mark}{line}\n")).collect()
    };
    format!(
        "*** Begin Patch\n*** Update File: a.py\n@@\n{}{}*** End Patch",
        marked("-", &patch.old_text),
        marked("+", &patch.new_text)
    )
}

fn search_replace(patch: &Patch) -> String {
    format!("a.py\n<<<<<<< SEARCH\n{}=======\n{}>>>>>>> REPLACE\n", patch.old_text, patch.new_text)
}

fn adversarial(criterion: &mut Criterion) {
    let equal = "    x = 1\n".repeat(100_000);
    let long = "word other(1, 2) ".repeat(300_000);
    let code = code(100_000);
    let part: String = code.split_inclusive('\n').skip(30_000).take(20_000).collect();
    let unicode: String = code.replace("value", "wért").replace('"', "”");
    let crlf = code.replace('\n', "\r\n");
    let cases: Vec<(&str, &str, Patch)> = vec![
        ("equal_lines/one", &equal, Patch::new("    x = 1\n", "y\n")),
        ("equal_lines/hinted", &equal, Patch::new("    x = 1\n", "y\n").at_line(50_000)),
        ("equal_lines/reindented", &equal, Patch::new("  x = 1\n  x = 1\n", "y\n")),
        ("equal_lines/reindented_5000", &equal, Patch::new("  x = 1\n".repeat(5_000), "y\n")),
        ("equal_lines/exact_20000", &equal, Patch::new("    x = 1\n".repeat(20_000), "y\n")),
        ("equal_lines/absent", &equal, Patch::new("    x = 1\n    x = 2\n    x = 1\n", "y\n")),
        (
            "equal_lines/absent_20000",
            &equal,
            Patch::new("    x = 1\n".repeat(19_999) + "    x = 2\n", "y\n"),
        ),
        ("long_line/exact", &long, Patch::new("nowhere", "y")),
        ("long_line/absent", &long, Patch::new("word other(1, 2) word other(1, 3)\n", "y\n")),
        ("long_line/blanks", &long, Patch::new("word  other(1, 2)\nword", "y")),
        ("20000_lines/exact", &code, Patch::new(&*part, part.replace("total = 0", "total = 1"))),
        (
            "20000_lines/reindented",
            &code,
            Patch::new(indented(&part), indented(&part.replace("total = 0", "total = 1"))),
        ),
        (
            "20000_lines/rewritten",
            &code,
            Patch::new(indented(&part), indented(&part.replace(' ', "  "))),
        ),
        ("20000_lines/absent", &code, Patch::new(part.replace("total", "sum"), "y\n")),
        ("unicode/absent", &unicode, Patch::new(absent(), "y\n")),
        ("unicode/quotes", &unicode, Patch::new("    wért = request.get(\"key_500\")\n", "y\n")),
        ("crlf/lf_patch", &crlf, Patch::new(block(5_000), "y\n")),
    ];
    let mut group = criterion.benchmark_group("adversarial");
    for (name, text, patch) in cases {
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                black_box(plan(text, std::slice::from_ref(&patch), &Options::default())).is_ok()
            });
        });
    }
    group.finish();
}

fn configured() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(700))
}

criterion_group! { name = benches; config = configured(); targets = tiers, codex, adversarial }
criterion_main!(benches);
