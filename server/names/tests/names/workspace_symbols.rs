//! Workspace symbols.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::fixture::fixture;
use names::{Facts, FileId, Index, NamePath};
use syntax::{Language, Syntax};
use text::Text;

fn names(index: &Index, query: &str) -> Vec<String> {
    let shown = |s: names::WorkspaceSymbol| match s.container {
        Some(container) => format!("{container}.{} {}", s.name, s.kind.as_str()),
        None => format!("{} {}", s.name, s.kind.as_str()),
    };
    index.workspace_symbols(query, 20).into_iter().map(shown).collect()
}

const FILES: &str = "
//- /a.py
import os
class ReadFile$0:
    def read(self, reading): reader = 1
def reread(): pass
READ_ONLY = 1
//- /b.rs
struct Reader { ready: bool }
enum Read { Only }
";

#[test]
fn the_best_match_ranks_first() {
    let f = fixture(FILES);
    let found = names(&f.index, "read");
    assert_eq!(found[..2], ["Read enum", "ReadFile.read method"]);
    assert!(found.contains(&"Reader.ready field".to_owned()), "{found:?}");
    assert_eq!(names(&f.index, "rf"), ["ReadFile class"]);
    assert_eq!(names(&f.index, "READO"), ["READ_ONLY variable", "Read.Only enum_member"][..1]);
    assert!(names(&f.index, "zzz").is_empty());
}

#[test]
fn locals_parameters_and_imports_are_no_symbols() {
    let f = fixture(FILES);
    let all = names(&f.index, "");
    assert_eq!(all.len(), 8, "{all:?}");
    for query in ["os", "reading", "reader "] {
        assert!(!names(&f.index, query).iter().any(|n| n.starts_with(query.trim())), "{query}");
    }
}

#[test]
fn a_container_filters_results() {
    let f = fixture(FILES);
    assert_eq!(names(&f.index, "ReadFile.re"), ["ReadFile.read method"]);
    assert_eq!(names(&f.index, "Read::on"), ["Read.Only enum_member"]);
}

#[test]
fn names_of_changed_files_are_removed() {
    let mut index = Index::new();
    let facts = |text: &str| {
        let language = Language::by_id("python").unwrap();
        let go = AtomicBool::new(false);
        let syntax = Syntax::parse(language, &Text::new(text), None, &go).unwrap();
        Arc::new(Facts::lower(&syntax, &go).unwrap())
    };
    let many: String = (0..6_000).map(|n| format!("old_{n} = 1\n")).collect();
    index.insert(FileId(0), "a.py", facts(&many));
    index.insert(FileId(1), "b.py", facts("old_7 = 2\n"));
    assert_eq!(index.workspace_symbols("old_7", 5).len(), 5);
    index.insert(FileId(0), "a.py", facts("new_7 = 1\n"));
    assert_eq!(names(&index, "old_7"), ["old_7 variable"]);
    assert_eq!(names(&index, "new_7"), ["new_7 variable"]);
    index.remove(FileId(0));
    index.remove(FileId(1));
    assert!(names(&index, "").is_empty());
}

#[test]
fn static_c_functions_are_symbols() {
    let f = fixture(
        "
//- /a.h
static inline int in_header(void) { return 1; }$0
//- /a.c
static int in_source(void) { int in_function; return 1; }
",
    );
    assert_eq!(names(&f.index, "in_"), ["in_header function", "in_source function"]);
}

#[test]
fn definitions_of_one_symbol() {
    let one = |text: &str| {
        let f = fixture(text);
        let path = NamePath::parse("one", false).unwrap();
        let names: Vec<usize> = f
            .index
            .symbols_matching(FileId(0), &path)
            .iter()
            .filter(|s| path.matches_top_level(&s.path))
            .map(|s| s.name_span.start)
            .collect();
        assert_eq!(names.len(), 2, "{text}");
        f.index.facts(FileId(0)).unwrap().are_one_symbol(&names)
    };
    // A member of the same name is a separate symbol.
    assert!(one("
//- /a.ts
enum Kind { one = 1 }
interface one$0 { a: number }
namespace one { export const b = 1; }
"));
    assert!(one("
//- /a.ts
function one$0(a: number): number;
function one(a: any): any { return a; }
class C { one() {} }
"));
    assert!(one("
//- /a.rs
#[cfg(unix)]
fn one$0() {}
#[cfg(windows)]
fn one() {}
"));
    assert!(!one("
//- /a.cc
void one$0(int a) {}
void one(char a) {}
"));
}
