//! Checks comparisons of versions: `cargo run -p vulnerabilities --example versions -- ECOSYSTEM FILE`
//!
//! Each line is `1.0 < 2.0`, as in the data with which the libraries of OSV test their own order.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::cmp::Ordering;
use std::process::ExitCode;

use vulnerabilities::{Ecosystem, compare};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [name, file] = words.as_slice() else {
        eprintln!("usage: versions ECOSYSTEM FILE");
        return ExitCode::from(2);
    };
    let (Some(ecosystem), Ok(text)) = (Ecosystem::from_osv(name), std::fs::read_to_string(file))
    else {
        eprintln!("no ecosystem {name}, or no file {file}");
        return ExitCode::from(2);
    };
    let (mut right, mut wrong, mut unknown) = (0, 0, 0);
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
        let [one, sign, other] = words.as_slice() else { continue };
        let expected = match *sign {
            "<" => Ordering::Less,
            ">" => Ordering::Greater,
            _ => Ordering::Equal,
        };
        match compare(ecosystem, one, other) {
            Some(found) if found == expected => right += 1,
            None => {
                unknown += 1;
                println!("no order: {line}");
            }
            Some(found) => {
                wrong += 1;
                println!("{found:?}: {line}");
            }
        }
    }
    println!("{name}: {right} right, {wrong} wrong, {unknown} without an order");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
