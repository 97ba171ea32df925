//! Local variables that a debugger shows for a stack frame.

#![allow(clippy::unwrap_used, reason = "fixtures are known to be sound")]

use crate::fixture::fixture;
use names::FileId;

/// Checks that the marked names are the local variables of a frame that is stopped at `$0`.
#[track_caller]
fn check(text: &str) {
    let f = fixture(text);
    let facts = f.index.facts(FileId(f.cursor.0)).unwrap();
    let source = &f.sources[f.cursor.0 as usize];
    let end = source[f.cursor.1..].find('\n').unwrap() + f.cursor.1;
    let found = facts.frame_locals_up_to(&(f.cursor.1..end)).map_or(Vec::new(), |(_, found)| found);
    let mut marked: Vec<_> = f.marks.iter().map(|(_, start, end)| *start..*end).collect();
    marked.sort_by_key(|span| span.start);
    let words = |spans: &[std::ops::Range<usize>]| -> Vec<(usize, String)> {
        spans.iter().map(|s| (s.start, source[s.clone()].to_owned())).collect()
    };
    assert_eq!(words(&found), words(&marked));
}

#[test]
fn python() {
    check(
        "
//- /a.py
import os
limit = 3
def add(self, amount, *rest):
        ^^^^  ^^^^^^   ^^^^
    self.total = amount
    ^^^^         ^^^^^^
    seen = [one for one in rest if os.path]
    ^^^^                   ^^^^
    def inner(deep):
        return deep
    seen = limit + len(seen)
    ^^^^               ^^^^
    $0later = inner(seen)
                  ^^^^
    last = 1
",
    );
    check("\n//- /a.py\nx = 1\n$0y = x\n");
}

#[test]
fn rust() {
    check(
        "
//- /a.rs
struct Ledger { total: u32 }
impl Ledger {
    fn add(&mut self, amount: u32) -> u32 {
                ^^^^  ^^^^^^
        let once = amount;
                   ^^^^^^
        let once = once + 1;
            ^^^^
        { let gone = 1; drop(gone); }
        for step in 0..amount {
            ^^^^       ^^^^^^
            $0self.total += step;
                          ^^^^
        }
        0
    }
}
",
    );
}

#[test]
fn go_and_c() {
    check(
        "
//- /go.mod
module m
//- /a.go
package m
func add(amounts []int) (total int) {
         ^^^^^^^         ^^^^^
    for at, one := range amounts {
        ^^  ^^^          ^^^^^^^
        $0total += one
        ^^^^^    ^^^
    }
    return
}
",
    );
    check(
        "
//- /a.c
static int seen;
int add(int amount, const char *name) {
            ^^^^^^              ^^^^
    int total = seen + amount;
        ^^^^^          ^^^^^^
    $0return total;
           ^^^^^
}
",
    );
}
