//! Measures the compile time of each language's queries, or with `compiling LANGUAGE` of each
//! pattern of one language.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::time::{Duration, Instant};

use syntax::{Language, QueryFile, compile};

fn main() {
    if let Some(id) = std::env::args().nth(1) {
        let language = Language::by_id(&id).unwrap();
        for file in QueryFile::ALL.into_iter().filter(|file| *file != QueryFile::Bindings) {
            let Some(source) = file.source(language) else { continue };
            let query = compile(language, &file.file_name(), &source).unwrap();
            for pattern in 0..query.pattern_count() {
                let part = &source
                    [query.start_byte_for_pattern(pattern)..query.end_byte_for_pattern(pattern)];
                let begun = Instant::now();
                drop(compile(language, &file.file_name(), part).unwrap());
                let took = begun.elapsed();
                if took > Duration::from_millis(4) {
                    println!(
                        "{took:.0?} {}: {}",
                        file.file_name(),
                        part.split_whitespace().collect::<Vec<_>>().join(" ")
                    );
                }
            }
        }
        return;
    }
    let mut all = Vec::new();
    for language in Language::all() {
        let (mut whole, mut parts) = (Duration::ZERO, String::new());
        for file in QueryFile::ALL.into_iter().filter(|file| *file != QueryFile::Bindings) {
            let Some(source) = file.source(language) else { continue };
            let begun = Instant::now();
            drop(compile(language, &file.file_name(), &source).unwrap());
            let took = begun.elapsed();
            whole += took;
            if took > Duration::from_millis(5) {
                parts += &format!(" {} {took:.0?}", file.file_name());
            }
        }
        all.push((whole, language, parts));
    }
    all.sort_by_key(|(whole, ..)| std::cmp::Reverse(*whole));
    for (whole, language, parts) in all {
        println!("{language:?} {whole:.0?}:{parts}");
    }
}
