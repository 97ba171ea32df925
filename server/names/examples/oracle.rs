//! Compares the index with the recorded answers of a language server: `oracle PROJECT.json FOLDER
//! [--misses FILE] [--only-definitions]`. Reads all sources of the folder first.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used, clippy::cast_possible_truncation)]

mod tree;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use names::{Facts, FileId, Index, Origin};
use serde_json::Value;
use syntax::Syntax;
use text::{Position, PositionEncoding, Text};

use tree::Source;

static GO: AtomicBool = AtomicBool::new(false);

struct Loaded {
    index: Index,
    texts: Vec<Text>,
    paths: Vec<String>,
    numbers: BTreeMap<String, u32>,
    bytes: usize,
    parsing: Duration,
    reading: Duration,
    inserting: Duration,
}

fn load(root: &Path) -> Loaded {
    let mut loaded = Loaded {
        index: Index::new(),
        texts: Vec::new(),
        paths: Vec::new(),
        numbers: BTreeMap::new(),
        bytes: 0,
        parsing: Duration::ZERO,
        reading: Duration::ZERO,
        inserting: Duration::ZERO,
    };
    for Source { name, text: source, language } in tree::read(root) {
        loaded.index.configure(&name, &source);
        let Some(language) = language else { continue };
        let text = Text::new(&source);
        loaded.bytes += source.len();
        let started = Instant::now();
        drop(Syntax::parse(language, &text, None, &GO));
        loaded.parsing += started.elapsed();
        let started = Instant::now();
        let facts = Arc::new(Facts::parse_and_lower(language, &text, &GO, &mut || false).unwrap());
        loaded.reading += started.elapsed();
        let number = loaded.texts.len() as u32;
        let started = Instant::now();
        loaded.index.insert(FileId(number), &name, facts);
        loaded.inserting += started.elapsed();
        loaded.numbers.insert(name.clone(), number);
        loaded.paths.push(name);
        loaded.texts.push(text);
    }
    loaded
}

/// Queries all over the folder, to measure times and find panics.
fn sweep(loaded: &Loaded) {
    let (mut times, mut answered) = (Vec::new(), 0);
    let step = (loaded.bytes / 40_000).max(7);
    for (file, text) in loaded.texts.iter().enumerate() {
        for offset in (file % step..text.len()).step_by(step) {
            let started = Instant::now();
            answered +=
                usize::from(!loaded.index.definition(FileId(file as u32), offset).is_empty());
            times.push((started.elapsed(), file, offset));
        }
    }
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("{:?}", loaded.index.counts());
    println!(
        "{} bytes, parse {:?}, facts {:?}, insert {:?}; {} asked, {answered} answered",
        loaded.bytes,
        loaded.parsing,
        loaded.reading,
        loaded.inserting,
        times.len()
    );
    let (slowest, file, offset) = at(1.0);
    println!(
        "p50 {:?} p99 {:?} p999 {:?} max {slowest:?} at {}:{offset}",
        at(0.5).0,
        at(0.99).0,
        at(0.999).0,
        loaded.paths[file]
    );
}

fn places(list: &Value) -> Vec<(String, u64)> {
    let pair = |v: &Value| (v[0].as_str().unwrap().to_owned(), v[1].as_u64().unwrap());
    list.as_array().map(|l| l.iter().map(pair).collect()).unwrap_or_default()
}

#[allow(clippy::too_many_lines)]
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let data: Value =
        serde_json::from_str(&std::fs::read_to_string(&arguments[1]).unwrap()).unwrap();
    let loaded = load(Path::new(&arguments[2]));
    let mut misses = String::new();
    if let Some(at) = arguments.iter().position(|a| a == "--at") {
        let parts: Vec<&str> = arguments[at + 1].split(':').collect();
        let number = loaded.numbers[parts[0]];
        let (line, column): (u32, u32) = (parts[1].parse().unwrap(), parts[2].parse().unwrap());
        let position = Position { line: line - 1, character: column - 1 };
        let offset = loaded.texts[number as usize].offset(position, PositionEncoding::Utf16);
        let file = FileId(number);
        println!("{:?}", loaded.index.facts(file).unwrap().name_at(offset));
        println!("{}", loaded.index.explain(file, offset));
        println!("implementation {:?}", loaded.index.implementation(file, offset));
        return;
    }
    if arguments.iter().any(|a| a == "--sweep") {
        sweep(&loaded);
        return;
    }
    let offset = |file: &str, q: &Value| {
        let number = *loaded.numbers.get(file)?;
        let position =
            Position { line: q["line"].as_u64()? as u32, character: q["col"].as_u64()? as u32 };
        Some((number, loaded.texts[number as usize].offset(position, PositionEncoding::Utf16)))
    };
    let inactive = |file: &str, line: u64| {
        let regions = data["inactive"][file].as_array();
        regions.is_some_and(|all| {
            let ends = |r: &Value| Some((r[0].as_u64()?, r[1].as_u64()?));
            all.iter().filter_map(ends).any(|(start, end)| start <= line && line <= end)
        })
    };
    let (mut judged, mut precision, mut expected, mut found_count) = (0.0, 0.0, 0.0, 0.0);
    let (mut silent, mut external, mut external_wrong, mut same, mut same_found) =
        (0.0, 0.0, 0.0, 0.0, 0.0);
    let mut by_origin: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut times = Vec::new();
    for q in data["definitions"].as_array().unwrap() {
        let file = q["file"].as_str().unwrap();
        let Some((number, at)) = offset(file, q) else { continue };
        let started = Instant::now();
        let answer = loaded.index.definition(FileId(number), at);
        times.push(started.elapsed());
        let line = |t: &names::Target| {
            let text = &loaded.texts[t.file.0 as usize];
            let line = u64::from(text.position(t.name_span.start, PositionEncoding::Utf16).line);
            (loaded.paths[t.file.0 as usize].clone(), line)
        };
        let want = places(&q["defs"]);
        let answer: Vec<names::Target> = answer
            .into_iter()
            .filter(|t| {
                let (file, line) = line(t);
                want.contains(&(file.clone(), line)) || !inactive(&file, line)
            })
            .collect();
        let places_of: Vec<_> = answer.iter().map(line).collect();
        let also = places(&q["also"]);
        let right = places_of.iter().filter(|p| want.contains(p) || also.contains(p)).count();
        let outside: Vec<bool> = answer.iter().map(|t| t.origin == Origin::External).collect();
        let found = places_of.iter().any(|p| want.contains(p));
        if !want.is_empty() {
            expected += 1.0;
            found_count += f64::from(u8::from(found));
            silent += f64::from(u8::from(answer.is_empty()));
            if want.iter().any(|w| w.0 == file) {
                same += 1.0;
                same_found += f64::from(u8::from(found));
            }
        }
        external += f64::from(u8::from(q.get("external").is_some()));
        let mut verdict = "silent";
        if !answer.is_empty()
            && q.get("none").is_none()
            && !(right == 0 && outside.iter().all(|o| *o))
        {
            judged += 1.0;
            let share = right as f64 / answer.len() as f64;
            precision += share;
            let entry = by_origin.entry(answer[0].origin.as_str()).or_default();
            entry.0 += 1;
            entry.1 += u32::from(right > 0);
            verdict = if right == 0 {
                "WRONG"
            } else if share < 1.0 {
                "partly"
            } else {
                "right"
            };
            if right == 0 && q.get("external").is_some() {
                external_wrong += 1.0;
            }
        } else if !answer.is_empty() {
            verdict = "shallow";
        }
        if verdict == "WRONG" || verdict == "partly" || !want.is_empty() && !found {
            let text = &loaded.texts[number as usize];
            let line = q["line"].as_u64().unwrap();
            let got: Vec<_> = places_of
                .iter()
                .zip(&answer)
                .map(|(p, t)| format!("{}:{} {}", p.0, p.1 + 1, t.origin.as_str()))
                .collect();
            let wanted: Vec<_> = want.iter().map(|p| format!("{}:{}", p.0, p.1 + 1)).collect();
            writeln!(
                misses,
                "{verdict} `{}` {file}:{}:{} | {} | want {} | got {}",
                q["name"].as_str().unwrap(),
                line + 1,
                q["col"].as_u64().unwrap() + 1,
                text.line(line as usize).trim(),
                if wanted.is_empty() { "outside".to_owned() } else { wanted.join(" ") },
                got.join(" ")
            )
            .unwrap();
        }
    }
    let (mut tp, mut fp, mut fne) = (0.0, 0.0, 0.0);
    let mut reference_times = Vec::new();
    for q in data["references"].as_array().unwrap() {
        let file = q["file"].as_str().unwrap();
        let Some((number, at)) = offset(file, q) else { continue };
        let started = Instant::now();
        let answer = loaded.index.references(FileId(number), at, true);
        reference_times.push(started.elapsed());
        let triple = |v: &Value| {
            (v[0].as_str().unwrap().to_owned(), v[1].as_u64().unwrap(), v[2].as_u64().unwrap())
        };
        let list = |v: &Value| -> Vec<_> {
            v.as_array().map(|l| l.iter().map(triple).collect()).unwrap_or_default()
        };
        let (want, also) = (list(&q["refs"]), list(&q["also"]));
        let place = |t: &names::Target| {
            let text = &loaded.texts[t.file.0 as usize];
            let p = text.position(t.name_span.start, PositionEncoding::Utf16);
            (loaded.paths[t.file.0 as usize].clone(), u64::from(p.line), u64::from(p.character))
        };
        let got: Vec<_> = answer.iter().map(place).collect();
        let hit = got.iter().filter(|p| want.contains(p)).count();
        let bad = |p: &&(String, u64, u64)| {
            !want.contains(p) && !also.contains(p) && !inactive(&p.0, p.1)
        };
        let bad: Vec<_> = got.iter().filter(bad).collect();
        let lost: Vec<_> = want.iter().filter(|p| !got.contains(p)).collect();
        tp += hit as f64;
        fp += bad.len() as f64;
        fne += lost.len() as f64;
        if !bad.is_empty() || !lost.is_empty() {
            let show = |l: &[&(String, u64, u64)]| {
                let all = l.iter().take(6).map(|p| format!("{}:{}:{}", p.0, p.1 + 1, p.2 + 1));
                all.collect::<Vec<_>>().join(" ")
            };
            writeln!(
                misses,
                "REFS `{}` {file}:{}:{} of {} | missing {} {} | wrong {} {}",
                q["name"].as_str().unwrap(),
                q["line"].as_u64().unwrap() + 1,
                q["col"].as_u64().unwrap() + 1,
                want.len(),
                lost.len(),
                show(&lost),
                bad.len(),
                show(&bad)
            )
            .unwrap();
        }
    }
    let ms = |times: &mut Vec<Duration>, share: f64| {
        times.sort();
        let at = ((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1));
        times.get(at).map_or(0.0, |t| t.as_secs_f64() * 1e3)
    };
    let rate = |d: Duration| loaded.bytes as f64 / 1e6 / d.as_secs_f64();
    let counts = loaded.index.counts();
    println!(
        "{:14} P {:.3} R {:.3} same {:.3} other {:.3} silent {:.3} ext.bad {:.3} | refs P {:.3} R {:.3} F1 {:.3} | p50 {:.2} p99 {:.1} refs p50 {:.1} p95 {:.1} ms | parse {:.1} facts {:.1} insert {:.1} MB/s, {:.1} B held/B",
        Path::new(&arguments[1]).file_stem().unwrap().to_string_lossy(),
        precision / judged,
        found_count / expected,
        same_found / same,
        (found_count - same_found) / (expected - same),
        silent / expected,
        external_wrong / external,
        tp / (tp + fp),
        tp / (tp + fne),
        2.0 * tp / (2.0 * tp + fp + fne),
        ms(&mut times, 0.5),
        ms(&mut times, 0.99),
        ms(&mut reference_times, 0.5),
        ms(&mut reference_times, 0.95),
        rate(loaded.parsing),
        rate(loaded.reading),
        rate(loaded.inserting),
        counts.bytes as f64 / loaded.bytes as f64,
    );
    if arguments.iter().any(|a| a == "--origins") {
        println!("{by_origin:?}");
    }
    if let Some(at) = arguments.iter().position(|a| a == "--misses") {
        std::fs::write(&arguments[at + 1], misses).unwrap();
    }
}
