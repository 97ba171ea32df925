//! Measures a search among a million symbols: `symbols [COUNT]`.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use names::{Facts, FileId, Index};
use syntax::{Language, Syntax};
use text::Text;

const WORDS: [&str; 40] = [
    "read", "write", "file", "buffer", "token", "parse", "tree", "node", "index", "cache", "user",
    "session", "request", "response", "handler", "event", "loop", "timer", "socket", "stream",
    "packet", "header", "body", "layout", "paint", "style", "color", "matrix", "vector", "scene",
    "camera", "light", "mesh", "texture", "shader", "compile", "link", "symbol", "scope", "type",
];

fn main() {
    let wanted: usize = std::env::args().nth(1).map_or(1_000_000, |n| n.parse().unwrap());
    let go = AtomicBool::new(false);
    let language = Language::by_id("python").unwrap();
    let mut index = Index::new();
    let per_file = 10_000;
    for file in 0..wanted / per_file {
        let mut text = String::new();
        for n in 0..per_file {
            let n = file * per_file + n;
            let word = |shift: usize| WORDS[(n / 40_usize.pow(shift as u32)) % 40];
            writeln!(text, "{}_{}_{}_{n} = 1", word(0), word(1), word(2)).unwrap();
        }
        let syntax = Syntax::parse(language, &Text::new(&text), None, &go).unwrap();
        let facts = Arc::new(Facts::lower(&syntax, &go).unwrap());
        index.insert(FileId(u32::try_from(file).unwrap()), &format!("m{file}.py"), facts);
    }
    println!("{:?}", index.counts());
    for query in ["", "r", "re", "rfb", "readfile", "parse_tree", "shader77", "zq", "eee"] {
        let mut times: Vec<_> = (0..15)
            .map(|_| {
                let started = Instant::now();
                let found = index.workspace_symbols(query, 128);
                (started.elapsed(), found.len())
            })
            .collect();
        times.sort();
        println!(
            "{query:12} {:3} found, {:?} median, {:?} worst",
            times[7].1, times[7].0, times[14].0
        );
    }
}
